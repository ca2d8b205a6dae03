//! Symbolic links, pipes and other things that are no files: seen by nobody, followed by nothing.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use quillgate_vault::{Expect, Folders, TrashOption, VaultError};

use crate::place::{Place, folder, note, tree};

pub(crate) fn make_pipe(path: &Path) {
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, 0o644.into(), 0).unwrap();
}

/// A vault with a link of every kind; each of `paths` is one or leads through one.
fn linked() -> (Place, Vec<&'static str>) {
    let place = Place::new();
    let secret = place.put_outside("secret.md", "secret");
    place.put("real/a.md", "a");
    place.put(".obsidian/app.json", "{}");
    symlink(&secret, place.on_disk("to-file-outside.md")).unwrap();
    symlink(place.outside(""), place.on_disk("to-folder-outside")).unwrap();
    symlink("../outside/secret.md", place.on_disk("relative-outside.md")).unwrap();
    symlink("real/a.md", place.on_disk("to-file-inside.md")).unwrap();
    symlink("real", place.on_disk("to-folder-inside")).unwrap();
    symlink(".obsidian", place.on_disk("to-settings")).unwrap();
    symlink(".obsidian/app.json", place.on_disk("to-setting.md")).unwrap();
    symlink("loop.md", place.on_disk("loop.md")).unwrap();
    symlink(".", place.on_disk("loop")).unwrap();
    symlink("nowhere.md", place.on_disk("dangling.md")).unwrap();
    symlink("/etc", place.on_disk("real/etc")).unwrap();
    let paths = vec![
        "to-file-outside.md",
        "to-folder-outside/secret.md",
        "to-folder-outside/new.md",
        "to-folder-outside/new/deep.md",
        "relative-outside.md",
        "to-file-inside.md",
        "to-folder-inside/a.md",
        "to-folder-inside/new.md",
        "to-settings/app.json",
        "to-settings/new.json",
        "to-setting.md",
        "loop.md",
        "loop/real/a.md",
        "loop/loop/loop/real/a.md",
        "dangling.md",
        "real/etc/passwd",
    ];
    (place, paths)
}

#[test]
fn no_link_is_listed_or_walked() {
    let (place, _) = linked();
    assert_eq!(place.walked(), ["real/a.md"]);
    let listed: Vec<String> = place.vault.list(&folder("/")).unwrap().into_iter().map(|entry| entry.name).collect();
    assert_eq!(listed, ["real"]);
    for path in ["to-folder-outside", "to-folder-inside", "to-settings", "loop", "real/etc"] {
        assert!(matches!(place.vault.list(&folder(path)), Err(VaultError::FolderNotFound(_))), "{path}");
        assert!(place.vault.walk(&folder(path), |found| panic!("{found:?}")).is_err(), "{path}");
    }
}

#[test]
fn no_link_is_read_written_moved_or_deleted() {
    let (place, paths) = linked();
    let before = place.everything();
    for path in paths {
        let path = note(path);
        let new = note("moved.md");
        let is_refused = |outcome: Result<(), VaultError>| {
            let failed = outcome.expect_err(path.as_str());
            assert!(
                matches!(failed, VaultError::Link(_) | VaultError::Exists(_) | VaultError::NotFolder(_)),
                "{path}: {failed:?}"
            );
        };
        is_refused(place.vault.read(&path).map(drop));
        is_refused(place.vault.stat(&path).map(drop));
        for expect in [Expect::Anything, Expect::Absent] {
            is_refused(place.vault.write(&path, b"new".to_vec(), expect, Folders::Create).map(drop));
        }
        is_refused(place.vault.update(&path, |_| Ok::<_, VaultError>(b"new".to_vec())).map(drop));
        for option in [TrashOption::System, TrashOption::Local, TrashOption::None] {
            is_refused(place.vault.remove(&path, option).map(drop));
        }
        is_refused(place.vault.transaction(Folders::Create).rename(path.clone(), new).commit().map(drop));
        is_refused(place.vault.transaction(Folders::Create).rename(note("real/a.md"), path.clone()).commit().map(drop));
    }
    let mut after = place.everything();
    after.retain(|path, _| !path.starts_with(place.on_disk("").with_file_name("locks")));
    let mut before = before;
    before.retain(|path, _| !path.starts_with(place.on_disk("").with_file_name("locks")));
    assert_eq!(after, before);
}

#[test]
fn a_pipe_neither_hangs_nor_shows() {
    let place = Place::new();
    make_pipe(&place.on_disk("pipe.md"));
    make_pipe(&place.on_disk(".quillgate-0.tmp"));
    let path = note("pipe.md");
    assert!(matches!(place.vault.read(&path), Err(VaultError::NotRegular(_))));
    assert!(matches!(place.vault.stat(&path), Err(VaultError::NotRegular(_))));
    assert!(matches!(place.write("pipe.md", "x"), Err(VaultError::NotRegular(_))));
    assert!(matches!(place.vault.remove(&path, TrashOption::Local), Err(VaultError::NotRegular(_))));
    assert!(place.walked().is_empty());
    assert!(place.vault.list(&folder("/")).unwrap().is_empty());
}

#[test]
fn a_vault_may_itself_be_reached_by_a_link() {
    let place = Place::new();
    place.put("a.md", "a");
    symlink(place.on_disk(""), place.outside("link")).unwrap();
    let vault = quillgate_vault::Vault::open(&place.outside("link"), None, quillgate_vault::Limits::default()).unwrap();
    assert_eq!(vault.read(&note("a.md")).unwrap().bytes, b"a");
    assert_eq!(vault.root_path(), fs::canonicalize(place.on_disk("")).unwrap());
    assert!(tree(&place.on_disk("")).len() == 1);
}
