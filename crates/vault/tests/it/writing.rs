//! Writing one file: old bytes or new ones, and nothing else touched.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use quillgate_vault::{ContentHash, Durability, Expect, Folders, Limits, VaultError};

use crate::place::{Place, note};

#[test]
fn a_new_file_is_created_with_its_folders() {
    let place = Place::new();
    let written = place.write("a/b/New.md", "text\n").unwrap();
    assert!(written.created);
    assert_eq!(written.hash, ContentHash::of(b"text\n"));
    assert_eq!(place.bytes("a/b/New.md"), b"text\n");
    assert!(!place.write("a/b/New.md", "more\n").unwrap().created);
}

#[test]
fn folders_are_made_only_on_request() {
    let place = Place::new();
    let failed = place.vault.write(&note("a/New.md"), b"x".to_vec(), Expect::Anything, Folders::MustExist);
    assert!(matches!(failed, Err(VaultError::FolderNotFound(folder)) if folder.as_str() == "a"));
    assert!(!place.on_disk("a").exists());
}

#[test]
fn a_file_is_no_folder_for_others() {
    let place = Place::new();
    place.put("a.md", "a file");
    let failed = place.write("a.md/b/c.md", "x").unwrap_err();
    assert!(matches!(&failed, VaultError::NotFolder(_)), "{failed}");
    let failed = place.vault.read(&note("a.md/b.md")).unwrap_err();
    assert!(matches!(&failed, VaultError::NotFound(_)), "{failed}");
}

#[test]
fn a_reader_never_sees_a_mixture() {
    let place = Place::new();
    let (old, new) = ("old\n".repeat(50_000), "the new one\n".repeat(40_000));
    place.put("a.md", &old);
    let done = AtomicBool::new(false);
    let path = place.on_disk("a.md");
    thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut reads = 0;
            while !done.load(Ordering::Relaxed) || reads == 0 {
                let seen = fs::read_to_string(&path).unwrap();
                assert!(seen == old || seen == new, "a mixture of {} bytes", seen.len());
                reads += 1;
            }
        });
        for round in 0..20 {
            place.write("a.md", if round % 2 == 0 { &new } else { &old }).unwrap();
        }
        done.store(true, Ordering::Relaxed);
        reader.join().unwrap();
    });
}

#[test]
fn a_replaced_file_keeps_its_mode_and_owner() {
    let place = Place::new();
    let path = place.put("a.md", "old");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    // Only root may give files away; for anybody else the owner is the same before and after.
    let _ = chown(&path, Some(1234), Some(5678));
    let before = fs::metadata(&path).unwrap();
    place.write("a.md", "new").unwrap();
    let after = fs::metadata(&path).unwrap();
    assert_eq!((after.mode(), after.uid(), after.gid()), (before.mode(), before.uid(), before.gid()));
    assert_eq!(place.bytes("a.md"), b"new");
}

#[test]
fn nothing_is_left_beside_the_file() {
    let place = Place::new();
    place.write("a.md", "1").unwrap();
    place.write("a.md", "2").unwrap();
    place.put("taken.md", "x");
    assert!(place.vault.write(&note("taken.md"), b"y".to_vec(), Expect::Absent, Folders::Create).is_err());
    let names: Vec<_> = fs::read_dir(place.on_disk("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn a_file_that_must_be_absent_is_not_replaced() {
    let place = Place::new();
    place.put("a.md", "mine");
    let failed = place.vault.write(&note("a.md"), b"yours".to_vec(), Expect::Absent, Folders::Create);
    assert!(matches!(failed, Err(VaultError::Exists(_))));
    assert_eq!(place.bytes("a.md"), b"mine");
    place.vault.write(&note("b.md"), b"new".to_vec(), Expect::Absent, Folders::Create).unwrap();
}

#[test]
fn a_file_must_have_the_expected_bytes() {
    let place = Place::new();
    place.put("a.md", "one");
    let write = |expected: &[u8]| {
        place.vault.write(&note("a.md"), b"two".to_vec(), Expect::Hash(ContentHash::of(expected)), Folders::Create)
    };
    assert!(matches!(write(b"other"), Err(VaultError::Conflict(_))));
    assert_eq!(place.bytes("a.md"), b"one");
    write(b"one").unwrap();
    assert_eq!(place.bytes("a.md"), b"two");
    fs::remove_file(place.on_disk("a.md")).unwrap();
    assert!(matches!(write(b"two"), Err(VaultError::Conflict(_))), "a file that is gone is a conflict too");
}

#[test]
fn an_outside_change_between_reading_and_writing_is_a_conflict() {
    let place = Place::new();
    place.put("a.md", "first");
    let failed = place.vault.update(&note("a.md"), |before| {
        place.put("a.md", "somebody else");
        Ok::<_, VaultError>([&before.bytes[..], b" and more"].concat())
    });
    assert!(matches!(failed, Err(VaultError::Conflict(_))));
    assert_eq!(place.bytes("a.md"), b"somebody else");
}

#[test]
fn an_outside_change_of_equal_size_is_a_conflict_too() {
    let place = Place::new();
    place.put("a.md", "aaaa");
    let failed = place.vault.update(&note("a.md"), |_| {
        place.put("a.md", "bbbb");
        Ok::<_, VaultError>(b"cccc".to_vec())
    });
    assert!(matches!(failed, Err(VaultError::Conflict(_))));
    assert_eq!(place.bytes("a.md"), b"bbbb");
}

#[test]
fn a_file_removed_meanwhile_is_not_brought_back() {
    let place = Place::new();
    place.put("a.md", "first");
    let failed = place.vault.update(&note("a.md"), |_| {
        fs::remove_file(place.on_disk("a.md")).unwrap();
        Ok::<_, VaultError>(b"second".to_vec())
    });
    assert!(matches!(failed, Err(VaultError::Conflict(_))));
    assert!(!place.on_disk("a.md").exists());
}

#[test]
fn an_update_without_a_change_writes_nothing() {
    let place = Place::new();
    let path = place.put("a.md", "same");
    let inode = fs::metadata(&path).unwrap().ino();
    place.vault.update(&note("a.md"), |before| Ok::<_, VaultError>(before.bytes.clone())).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().ino(), inode);
}

#[test]
fn an_update_that_fails_leaves_the_file_alone() {
    let place = Place::new();
    place.put("a.md", "same");
    let failed = place.vault.update(&note("a.md"), |_| Err::<Vec<u8>, _>(VaultError::NotFound(note("x.md"))));
    assert!(failed.is_err());
    assert_eq!(place.bytes("a.md"), b"same");
    let missing = place.vault.update(&note("b.md"), |_| Ok::<_, VaultError>(Vec::new()));
    assert!(matches!(missing, Err(VaultError::NotFound(_))));
}

#[test]
fn bytes_are_written_as_given() {
    let place = Place::new();
    let odd = b"\xef\xbb\xbfa\r\nb\rc\n\xff\x00end".to_vec();
    place.vault.write(&note("odd.md"), odd.clone(), Expect::Anything, Folders::Create).unwrap();
    assert_eq!(place.bytes("odd.md"), odd);
    assert_eq!(place.vault.read(&note("odd.md")).unwrap().bytes, odd);
}

#[test]
fn a_file_beyond_the_limit_is_neither_written_nor_read() {
    let place = Place::with_limits(Limits { file_bytes: 10 });
    place.write("a.md", "1234567890").unwrap();
    assert!(matches!(place.write("a.md", "12345678901"), Err(VaultError::TooLarge { size: 11, limit: 10, .. })));
    assert_eq!(place.bytes("a.md"), b"1234567890");
    place.put("big.md", "12345678901");
    assert!(matches!(place.vault.read(&note("big.md")), Err(VaultError::TooLarge { .. })));
}

#[test]
fn a_file_beyond_the_limit_is_still_moved_replaced_and_deleted() {
    let place = Place::with_limits(Limits { file_bytes: 10 });
    place.put("big.mp4", "12345678901");
    place.vault.transaction(Folders::Create).rename(note("big.mp4"), note("video/big.mp4")).commit().unwrap();
    place.vault.remove(&note("video/big.mp4"), quillgate_vault::TrashOption::Local).unwrap();
    place.put("big.md", "12345678901");
    place.write("big.md", "small").unwrap();
    assert_eq!(place.walked(), ["big.md"]);
}

#[test]
fn a_folder_is_not_overwritten() {
    let place = Place::new();
    fs::create_dir(place.on_disk("a.md")).unwrap();
    assert!(matches!(place.write("a.md", "x"), Err(VaultError::IsFolder(_))));
    assert!(matches!(place.vault.read(&note("a.md")), Err(VaultError::IsFolder(_))));
}

#[cfg(target_os = "linux")]
#[test]
fn extended_attributes_survive_a_write() {
    use rustix::fs::{XattrFlags, getxattr, setxattr};
    let place = Place::new();
    place.put("a.md", "old");
    setxattr(place.on_disk("a.md"), "user.quillgate.test", b"a label", XattrFlags::empty()).unwrap();
    place.vault.write(&note("a.md"), b"new".to_vec(), Expect::Anything, Folders::MustExist).unwrap();
    let mut value = [0; 32];
    let length = getxattr(place.on_disk("a.md"), "user.quillgate.test", &mut value[..]).unwrap();
    assert_eq!(&value[..length], b"a label");
}

#[test]
fn a_relaxed_vault_writes_the_same_and_leaves_nothing_behind() {
    let place = Place::new();
    let vault = place.second_handle().with_durability(Durability::Relaxed);
    let path = note("deep/er/a.md");
    let written = vault.write(&path, b"one".to_vec(), Expect::Absent, Folders::Create).unwrap();
    assert!(written.created);
    vault.write(&path, b"two".to_vec(), Expect::Hash(written.hash), Folders::MustExist).unwrap();
    let refused = vault.write(&path, b"three".to_vec(), Expect::Hash(written.hash), Folders::MustExist);
    assert!(matches!(refused, Err(VaultError::Conflict(_))));
    assert_eq!(place.bytes("deep/er/a.md"), b"two");
    assert_eq!(fs::read_dir(place.on_disk("deep/er")).unwrap().count(), 1);
}
