//! Names in other Unicode forms, and names that no path can spell.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use quillgate_vault::{Folders, VaultError};

use crate::place::{Place, folder, note};

const DECOMPOSED: &str = "Cafe\u{301}/U\u{308}ber.md";
const COMPOSED: &str = "Café/Über.md";

#[test]
fn decomposed_names_are_reached_by_composed_paths() {
    let place = Place::new();
    place.put(DECOMPOSED, "text");
    assert_eq!(place.vault.read(&note(COMPOSED)).unwrap().bytes, b"text");
    assert!(place.vault.stat(&note(COMPOSED)).is_ok());
    assert_eq!(place.walked(), [COMPOSED]);
    assert_eq!(place.vault.list(&folder("Café")).unwrap()[0].name, "Über.md");
}

#[test]
fn a_decomposed_file_keeps_its_name_when_it_is_changed() {
    let place = Place::new();
    place.put(DECOMPOSED, "text");
    place.write(COMPOSED, "new").unwrap();
    place.vault.update(&note(COMPOSED), |_| Ok::<_, VaultError>(b"newer".to_vec())).unwrap();
    assert_eq!(place.bytes(DECOMPOSED), b"newer");
    assert_eq!(place.walked(), [COMPOSED]);
    assert!(place.write("Café/New.md", "in the folder that is there").is_ok());
    assert_eq!(std::fs::read_dir(place.on_disk("")).unwrap().count(), 1);
}

#[test]
fn a_decomposed_file_is_moved_and_deleted_by_its_composed_path() {
    let place = Place::new();
    place.put(DECOMPOSED, "text");
    place.vault.transaction(Folders::Create).rename(note(COMPOSED), note("Café/b.md")).commit().unwrap();
    assert_eq!(place.walked(), ["Café/b.md"]);
    place.put("e\u{301}.md", "x");
    place.vault.remove(&note("é.md"), quillgate_vault::TrashOption::Local).unwrap();
    assert_eq!(place.walked(), ["Café/b.md"]);
}

#[test]
fn names_that_no_path_can_spell_are_left_out_and_reported() {
    let place = Place::new();
    place.put("fine.md", "x");
    place.put("a\\b.md", "x");
    place.put("line\nbreak/x.md", "x");
    std::fs::write(place.on_disk("").join(OsStr::from_bytes(b"\xff.md")), "x").unwrap();
    assert_eq!(place.walked(), ["fine.md"]);
    let listed: Vec<String> = place.vault.list(&folder("/")).unwrap().into_iter().map(|entry| entry.name).collect();
    assert_eq!(listed, ["fine.md"]);
    let report = place.vault.walk(&folder("/"), |_| true).unwrap();
    assert_eq!(report.skipped.len(), 2, "{report:?}");
}

#[test]
fn the_longest_name_is_written_and_a_longer_one_refused() {
    let place = Place::new();
    let longest = format!("{}.md", "x".repeat(252));
    place.write(&longest, "x").unwrap();
    assert_eq!(place.walked(), [longest]);
    // One character of three bytes that becomes six when composed: short enough as given, too long as a name.
    let grows = format!("{}.md", "\u{958}".repeat(80));
    assert!(quillgate_vault::NotePath::parse(&grows).is_err());
}
