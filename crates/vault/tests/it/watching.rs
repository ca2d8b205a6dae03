//! Changes by others arrive within a second.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;

use parking_lot::Mutex;
use quillgate_vault::{Dirty, Watch, WatchMode};

use crate::place::{Place, note, within_a_second};

type Told = Arc<Mutex<BTreeSet<String>>>;

fn watched(place: &Place) -> (Watch, Told) {
    let told = Told::default();
    let telling = told.clone();
    let watch = place.vault.watch(move |dirty| {
        match dirty {
            Dirty::Paths(paths) => telling.lock().extend(paths.iter().map(ToString::to_string)),
            Dirty::Everything => drop(telling.lock().insert("everything".to_owned())),
        }
        true
    });
    assert_eq!(watch.mode, WatchMode::Events);
    (watch, told)
}

#[track_caller]
fn check_told(told: &Told, path: &str) {
    within_a_second(path, || told.lock().contains(path));
}

#[test]
fn files_that_come_change_move_and_go_are_told() {
    let place = Place::new();
    place.put("old.md", "old");
    let (_watch, told) = watched(&place);
    place.put("new.md", "new");
    check_told(&told, "new.md");
    place.put("old.md", "changed");
    check_told(&told, "old.md");
    told.lock().clear();
    fs::rename(place.on_disk("old.md"), place.on_disk("moved.md")).unwrap();
    check_told(&told, "old.md");
    check_told(&told, "moved.md");
    fs::remove_file(place.on_disk("moved.md")).unwrap();
    told.lock().clear();
    fs::remove_file(place.on_disk("new.md")).unwrap();
    check_told(&told, "new.md");
}

#[test]
fn folders_that_come_move_and_go_are_told() {
    let place = Place::new();
    place.put("a/b/x.md", "x");
    let (_watch, told) = watched(&place);
    fs::create_dir_all(place.on_disk("new/deep")).unwrap();
    check_told(&told, "new");
    fs::rename(place.on_disk("a"), place.on_disk("c")).unwrap();
    check_told(&told, "a");
    check_told(&told, "c");
    // The folder is still watched under its new name.
    within_a_second("a change below the moved folder", || {
        place.put("c/b/x.md", "changed");
        told.lock().contains("c/b/x.md")
    });
    fs::remove_dir_all(place.on_disk("c")).unwrap();
    told.lock().clear();
    fs::remove_dir_all(place.on_disk("new")).unwrap();
    check_told(&told, "new");
}

#[test]
fn hidden_files_and_our_own_temporary_ones_are_no_news() {
    let place = Place::new();
    place.put(".obsidian/workspace.json", "{}");
    let (_watch, told) = watched(&place);
    place.put(".obsidian/workspace.json", "{\"a\":1}");
    place.write("a.md", "a").unwrap();
    check_told(&told, "a.md");
    place.put("last.md", "");
    check_told(&told, "last.md");
    assert_eq!(told.lock().iter().map(String::as_str).collect::<Vec<_>>(), ["a.md", "last.md"]);
}

#[test]
fn observers_hear_of_our_own_changes_before_they_return() {
    let place = Place::new();
    let heard = Told::default();
    let hearing = heard.clone();
    place.vault.observe(move |change| {
        let line = match change {
            quillgate_vault::Change::Written { path, bytes, .. } => format!("wrote {path} {}", bytes.len()),
            quillgate_vault::Change::Renamed { from, to, .. } => format!("moved {from} {to}"),
            quillgate_vault::Change::Removed { path } => format!("removed {path}"),
            quillgate_vault::Change::Appeared { path } => format!("appeared {path}"),
        };
        hearing.lock().insert(line);
    });
    place.write("a.md", "abc").unwrap();
    assert!(heard.lock().contains("wrote a.md 3"));
    place.vault.transaction(quillgate_vault::Folders::Create).rename(note("a.md"), note("b.md")).commit().unwrap();
    assert!(heard.lock().contains("moved a.md b.md"));
    place.vault.remove(&note("b.md"), quillgate_vault::TrashOption::Local).unwrap();
    assert!(heard.lock().contains("removed b.md"));
    place.put("folder/x.md", "x");
    assert!(place.write("folder", "a folder is there").is_err());
    assert_eq!(heard.lock().len(), 3);
}
