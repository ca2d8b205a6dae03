//! The app's own files: those that have a door, and everything around it that has none.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use quillgate_vault::{Access, ControlFile, Expect, Filter, NotePath, OnConflict, Rules, RulesSource, Undo, Vault, VaultError};

use crate::place::Place;

fn write(vault: &Vault, file: ControlFile, bytes: &str, expect: Expect) -> Result<quillgate_vault::Committed, VaultError> {
    vault.control_transaction().write_control(file, bytes.as_bytes().to_vec(), expect).commit()
}

#[test]
fn a_file_of_the_app_is_written_with_a_history_and_comes_back() {
    let place = Place::new();
    let heard = Arc::new(AtomicUsize::new(0));
    let counter = heard.clone();
    place.vault.observe(move |_| {
        counter.fetch_add(1, Ordering::Relaxed);
    });
    assert!(place.vault.read_control(ControlFile::Bookmarks).unwrap().is_none());
    write(&place.vault, ControlFile::Bookmarks, "{}", Expect::Absent).unwrap();
    let contents = place.vault.read_control(ControlFile::Bookmarks).unwrap().unwrap();
    let change = write(&place.vault, ControlFile::Bookmarks, "{\"items\":[]}", Expect::Hash(contents.hash())).unwrap().change;
    let stale = write(&place.vault, ControlFile::Bookmarks, "x", Expect::Hash(contents.hash()));
    assert!(matches!(stale, Err(VaultError::Conflict(_))));
    assert_eq!(place.bytes(".obsidian/bookmarks.json"), b"{\"items\":[]}");
    assert_eq!(heard.load(Ordering::Relaxed), 0, "no index takes it in");
    // Read back from disk, as another process has it.
    let second = place.second_handle();
    let history = second.history().unwrap();
    let past = history.list(&Filter::default(), None, 10).unwrap();
    assert_eq!(past[0].files[0].path().as_str(), ".obsidian/bookmarks.json");
    assert_eq!(history.damage().unwrap().len(), 0);
    let plan = second.plan_undo(&Undo::Changes(vec![change.unwrap()]), OnConflict::Refuse).unwrap();
    plan.commit().unwrap().unwrap();
    assert_eq!(place.bytes(".obsidian/bookmarks.json"), b"{}");
}

#[test]
fn several_files_of_the_app_change_at_once_or_not_at_all() {
    let place = Place::new();
    place.put(".obsidian/workspace.json", "old");
    let change = |expect| {
        let change = place.vault.control_transaction();
        change
            .write_control(ControlFile::Workspaces, b"a".to_vec(), Expect::Absent)
            .write_control(ControlFile::Workspace, b"b".to_vec(), expect)
            .commit()
    };
    assert!(change(Expect::Absent).is_err());
    assert!(!place.on_disk(".obsidian/workspaces.json").exists());
    change(Expect::Anything).unwrap();
    assert_eq!(
        (place.bytes(".obsidian/workspaces.json"), place.bytes(".obsidian/workspace.json")),
        (b"a".to_vec(), b"b".to_vec())
    );
}

#[test]
fn no_text_leads_through_the_door() {
    for file in ControlFile::ALL {
        assert!(NotePath::parse(file.as_str()).is_err(), "{}", file.as_str());
    }
    let place = Place::new();
    write(&place.vault, ControlFile::Bookmarks, "{}", Expect::Absent).unwrap();
    let found = place.vault.list(&quillgate_vault::FolderPath::ROOT).unwrap();
    assert!(found.is_empty(), "nobody lists it: {found:?}");
}

#[test]
fn the_rules_of_the_vault_hold_for_the_app_s_files_too() {
    let place = Place::new();
    place.put(".obsidian/bookmarks.json", "{}");
    let restricted = |source: RulesSource| {
        let rules = Rules::compile(&source, false).unwrap();
        place.vault.with_access(Arc::new(Access::of(Arc::new(rules), |_| true)))
    };
    let read_only = restricted(RulesSource { read_only: true, ..RulesSource::default() });
    assert!(read_only.read_control(ControlFile::Bookmarks).is_ok());
    assert!(matches!(write(&read_only, ControlFile::Bookmarks, "", Expect::Anything), Err(VaultError::ReadOnlyMode)));
    let elsewhere = restricted(RulesSource { read_paths: Some(vec!["open/**".to_owned()]), ..RulesSource::default() });
    assert!(matches!(elsewhere.read_control(ControlFile::Bookmarks), Err(VaultError::Forbidden { .. })));
    let unwritable = restricted(RulesSource { write_paths: Some(vec!["open/**".to_owned()]), ..RulesSource::default() });
    assert!(matches!(write(&unwritable, ControlFile::Bookmarks, "", Expect::Anything), Err(VaultError::Forbidden { .. })));
    assert_eq!(place.bytes(".obsidian/bookmarks.json"), b"{}");
}

#[cfg(unix)]
#[test]
fn a_folder_of_the_app_that_is_a_link_is_not_followed() {
    let place = Place::new();
    place.put_outside("bookmarks.json", "secret");
    std::os::unix::fs::symlink(place.outside(""), place.on_disk(".obsidian")).unwrap();
    assert!(place.vault.read_control(ControlFile::Bookmarks).is_err());
    assert!(write(&place.vault, ControlFile::Bookmarks, "x", Expect::Anything).is_err());
    assert_eq!(std::fs::read(place.outside("bookmarks.json")).unwrap(), b"secret");
}
