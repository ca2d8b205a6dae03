//! Deleting, by each of the app's three settings.

use std::env;
use std::fs;
use std::process::Command;

use quillgate_vault::{TrashOption, Trashed, VaultError};

use crate::place::{Place, note, tree};

#[test]
fn the_vaults_own_trash_keeps_namesakes_apart() {
    let place = Place::new();
    for (path, text) in [("a/Note.md", "1"), ("b/Note.md", "2"), ("Note.md", "3")] {
        place.put(path, text);
    }
    let trashed = ["a/Note.md", "b/Note.md", "Note.md"].map(|path| place.vault.remove(&note(path), TrashOption::Local).unwrap());
    assert_eq!(trashed, [".trash/Note.md", ".trash/Note 1.md", ".trash/Note 2.md"].map(|path| Trashed::Local(path.into())));
    assert_eq!(place.bytes(".trash/Note 2.md"), b"3");
    assert!(place.walked().is_empty());
}

#[test]
fn names_without_extension_are_numbered_at_the_end() {
    let place = Place::new();
    for path in ["a/README", "b/README"] {
        place.put(path, "x");
        place.vault.remove(&note(path), TrashOption::Local).unwrap();
    }
    assert_eq!(place.bytes(".trash/README 1"), b"x");
}

#[test]
fn deleting_for_good_leaves_nothing() {
    let place = Place::new();
    place.put("a.md", "x");
    assert_eq!(place.vault.remove(&note("a.md"), TrashOption::None).unwrap(), Trashed::Gone);
    assert!(tree(&place.on_disk("")).is_empty());
}

#[test]
fn the_vaults_setting_decides() {
    let place = Place::new();
    place.put(".obsidian/app.json", r#"{"trashOption": "local"}"#);
    place.put("a.md", "x");
    assert_eq!(place.vault.trash(&note("a.md")).unwrap(), Trashed::Local(".trash/a.md".into()));
    place.put(".obsidian/app.json", r#"{"trashOption": "none"}"#);
    place.put("b.md", "x");
    assert_eq!(place.vault.trash(&note("b.md")).unwrap(), Trashed::Gone);
}

#[test]
fn only_files_that_are_there_can_be_deleted() {
    let place = Place::new();
    place.put("folder/a.md", "x");
    for option in [TrashOption::System, TrashOption::Local, TrashOption::None] {
        assert!(matches!(place.vault.remove(&note("folder"), option), Err(VaultError::IsFolder(_))));
        assert!(matches!(place.vault.remove(&note("missing.md"), option), Err(VaultError::NotFound(_))));
    }
    assert_eq!(place.walked(), ["folder/a.md"]);
}

#[test]
fn a_trash_that_leads_elsewhere_is_not_used() {
    let place = Place::new();
    place.put("a.md", "x");
    std::os::unix::fs::symlink(place.outside(""), place.on_disk(".trash")).unwrap();
    assert!(place.vault.remove(&note("a.md"), TrashOption::Local).is_err());
    assert!(place.on_disk("a.md").exists());
    assert!(tree(&place.outside("")).is_empty());
}

/// The system's trash is found by the environment, which only a process of its own can have to itself.
fn in_a_process_of_its_own(test: &str, trash_home: &std::path::Path) -> bool {
    const MARK: &str = "QUILLGATE_TEST_TRASH";
    if env::var_os(MARK).is_some() {
        return true;
    }
    let mut child = Command::new(env::current_exe().unwrap());
    child.args(["--exact", test, "--nocapture"]).env(MARK, "1").env("XDG_DATA_HOME", trash_home).env("HOME", trash_home);
    let output = child.output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && shown.contains("1 passed"), "{shown}{}", String::from_utf8_lossy(&output.stderr));
    false
}

#[test]
fn the_systems_trash_remembers_where_a_file_was() {
    let home = tempfile::tempdir().unwrap();
    if !in_a_process_of_its_own("trash::the_systems_trash_remembers_where_a_file_was", home.path()) {
        return;
    }
    let place = Place::new();
    // On disk decomposed, as macOS may have stored it.
    place.put("Cafe\u{301}/Über.md", "x");
    assert_eq!(place.vault.trash(&note("Café/Über.md")).unwrap(), Trashed::System);
    assert!(place.walked().is_empty());
    let home = env::var_os("XDG_DATA_HOME").unwrap();
    let trashed = tree(std::path::Path::new(&home));
    assert!(trashed.keys().any(|path| path.ends_with("Trash/files/Über.md")), "{trashed:?}");
    let info = trashed.iter().find(|(path, _)| path.ends_with("Trash/info/Über.md.trashinfo")).unwrap();
    assert!(String::from_utf8_lossy(info.1).contains("Path="));
}

#[test]
fn without_a_system_trash_the_vaults_own_is_used() {
    let home = tempfile::tempdir().unwrap();
    // A file where the trash would be: it cannot be made.
    fs::write(home.path().join("Trash"), "").unwrap();
    if !in_a_process_of_its_own("trash::without_a_system_trash_the_vaults_own_is_used", home.path()) {
        return;
    }
    let place = Place::new();
    place.put("a.md", "x");
    assert_eq!(place.vault.trash(&note("a.md")).unwrap(), Trashed::Local(".trash/a.md".into()));
}
