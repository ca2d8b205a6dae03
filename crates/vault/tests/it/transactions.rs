//! Several files at once: all of it or nothing.

use std::fs;

use quillgate_vault::{ContentHash, Expect, Folders, VaultError};

use crate::place::{Place, note, tree};

#[test]
fn all_steps_are_carried_out_in_order() {
    let place = Place::new();
    place.put("a.md", "old a");
    place.put("b.md", "old b");
    let transaction = place.vault.transaction(Folders::Create);
    let transaction = transaction.write(note("a.md"), b"new a".to_vec(), Expect::Hash(ContentHash::of(b"old a")));
    let transaction = transaction.write(note("c/new.md"), b"new c".to_vec(), Expect::Absent);
    let written = transaction.rename(note("a.md"), note("d/moved.md")).commit().unwrap().written;
    let paths: Vec<&str> = written.iter().map(|written| written.path.as_str()).collect();
    assert_eq!(paths, ["a.md", "c/new.md"]);
    assert_eq!(place.walked(), ["b.md", "c/new.md", "d/moved.md"]);
    assert_eq!(place.bytes("d/moved.md"), b"new a");
}

#[test]
fn a_precondition_that_fails_stops_everything() {
    let place = Place::new();
    place.put("a.md", "a");
    place.put("b.md", "b");
    let before = tree(&place.on_disk(""));
    let transaction = place.vault.transaction(Folders::Create);
    let transaction = transaction.write(note("a.md"), b"new".to_vec(), Expect::Anything);
    let failed = transaction.write(note("b.md"), b"new".to_vec(), Expect::Hash(ContentHash::of(b"not b"))).commit();
    assert!(matches!(failed, Err(VaultError::Conflict(path)) if path.as_str() == "b.md"));
    assert_eq!(tree(&place.on_disk("")), before);
}

/// Two steps that fit at first, of which the second fails once the first is done.
#[test]
fn a_step_that_fails_late_takes_the_earlier_ones_back() {
    let place = Place::new();
    place.put("a.md", "\u{feff}a\r\n");
    place.put("b.md", "b");
    fs::set_permissions(place.on_disk("a.md"), std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let before = tree(&place.on_disk(""));
    let transaction = place.vault.transaction(Folders::Create);
    let transaction = transaction.write(note("a.md"), b"changed".to_vec(), Expect::Anything);
    let transaction = transaction.write(note("new.md"), b"new".to_vec(), Expect::Absent);
    let transaction = transaction.rename(note("b.md"), note("c.md"));
    let failed = transaction.write(note("new.md"), b"again".to_vec(), Expect::Absent).commit();
    assert!(matches!(failed, Err(VaultError::Exists(path)) if path.as_str() == "new.md"));
    assert_eq!(tree(&place.on_disk("")), before);
    let mode = std::os::unix::fs::MetadataExt::mode(&fs::metadata(place.on_disk("a.md")).unwrap());
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_move_never_overwrites() {
    let place = Place::new();
    place.put("a.md", "a");
    place.put("b.md", "b");
    let failed = place.vault.transaction(Folders::Create).rename(note("a.md"), note("b.md")).commit();
    assert!(matches!(failed, Err(VaultError::Exists(path)) if path.as_str() == "b.md"));
    assert_eq!((place.bytes("a.md"), place.bytes("b.md")), (b"a".to_vec(), b"b".to_vec()));
}

#[test]
fn a_second_name_of_the_same_file_is_not_overwritten_either() {
    let place = Place::new();
    fs::hard_link(place.put("a.md", "a"), place.on_disk("b.md")).unwrap();
    let failed = place.vault.transaction(Folders::Create).rename(note("a.md"), note("b.md")).commit();
    assert!(matches!(failed, Err(VaultError::Exists(_))), "{failed:?}");
    assert_eq!(place.walked(), ["a.md", "b.md"]);
}

#[test]
fn a_change_of_case_is_a_move() {
    let place = Place::new();
    place.put("note.md", "a");
    place.vault.transaction(Folders::Create).rename(note("note.md"), note("Note.md")).commit().unwrap();
    assert_eq!(place.walked(), ["Note.md"]);
}

#[test]
fn only_files_are_moved() {
    let place = Place::new();
    place.put("folder/a.md", "a");
    let move_to_b = |from: &str| place.vault.transaction(Folders::Create).rename(note(from), note("b.md")).commit();
    assert!(matches!(move_to_b("folder"), Err(VaultError::IsFolder(_))));
    assert!(matches!(move_to_b("missing.md"), Err(VaultError::NotFound(_))));
    assert_eq!(place.walked(), ["folder/a.md"]);
}

#[test]
fn folders_made_for_a_change_that_failed_go_again() {
    let place = Place::new();
    place.put("kept/a.md", "a");
    let transaction = place.vault.transaction(Folders::Create);
    let transaction = transaction.write(note("new/deep/b.md"), b"b".to_vec(), Expect::Absent);
    let failed = transaction.write(note("kept/a.md"), b"new".to_vec(), Expect::Absent).commit();
    assert!(matches!(failed, Err(VaultError::Exists(_))), "{failed:?}");
    assert!(!place.on_disk("new").exists());
    assert_eq!(place.bytes("kept/a.md"), b"a");
}

/// Another program edits a file between our swap of it and the failure that takes the swap back.
#[test]
fn a_change_of_somebody_else_is_never_taken_back() {
    let place = Place::new();
    place.put("a.md", "old a");
    place.put("b.md", "old b");
    let edited = place.on_disk("a.md");
    // Swapping a.md is seen by nobody but the file system, so the edit is made when b.md is about to fail: its target appears.
    let transaction = place.vault.transaction(Folders::Create).write(note("a.md"), b"new a".to_vec(), Expect::Anything);
    let transaction = transaction.rename(note("b.md"), note("c.md"));
    let watcher = std::thread::spawn({
        let (edited, target) = (edited.clone(), place.on_disk("c.md"));
        move || {
            while fs::read(&edited).unwrap_or_default() != b"new a" {
                std::hint::spin_loop();
            }
            fs::write(&edited, "edited outside").unwrap();
            fs::write(&target, "taken").unwrap();
        }
    });
    let outcome = transaction.commit();
    watcher.join().unwrap();
    assert_eq!(fs::read(&edited).unwrap(), b"edited outside", "{outcome:?}");
}
