//! Reading and looking.

use std::fs;
use std::path::Path;

use quillgate_vault::{EntryKind, Limits, Vault, VaultError};

use crate::place::{Place, folder, note};

#[test]
fn a_vault_that_is_not_there_is_named() {
    let failed = Vault::open(Path::new("/no/such/vault"), None, Limits::default()).err().unwrap();
    assert!(failed.to_string().contains("/no/such/vault"), "{failed}");
    let place = Place::new();
    assert!(Vault::open(&place.put("a.md", "a file"), None, Limits::default()).is_err());
}

#[test]
fn what_is_no_text_is_said_to_be_none() {
    let place = Place::new();
    place.put("image.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    place.put("latin.md", b"caf\xe9");
    place.put("utf16.md", b"\xff\xfea\0");
    for path in ["image.png", "latin.md", "utf16.md"] {
        let contents = place.vault.read(&note(path)).unwrap();
        assert!(matches!(contents.text(), Err(VaultError::NotText(..))), "{path}");
        assert!(matches!(contents.into_text(), Err(VaultError::NotText(..))), "{path}");
    }
    place.put("fine.md", "\u{feff}grün\r\n");
    assert_eq!(place.vault.read(&note("fine.md")).unwrap().into_text().unwrap(), "\u{feff}grün\r\n");
}

#[test]
fn a_listing_has_files_and_folders_by_name() {
    let place = Place::new();
    place.put("b.md", "12345");
    place.put("a/x.md", "");
    place.put(".hidden/x.md", "");
    place.put(".dot.md", "");
    let listed = place.vault.list(&folder("/")).unwrap();
    let shown: Vec<_> = listed.iter().map(|entry| (entry.name.as_str(), entry.kind)).collect();
    assert_eq!(shown, [("a", EntryKind::Folder), ("b.md", EntryKind::File)]);
    assert_eq!(listed[1].stat.size, 5);
    assert!(matches!(place.vault.list(&folder("missing")), Err(VaultError::FolderNotFound(_))));
    assert!(matches!(place.vault.list(&folder("b.md")), Err(VaultError::FolderNotFound(_))));
}

#[test]
fn placeholders_of_cloud_drives_are_listed_but_not_read() {
    let place = Place::new();
    place.put(".Note.md.icloud", "bplist00");
    place.put("folder/.Other.md.icloud", "bplist00");
    let listed = place.vault.list(&folder("/")).unwrap();
    assert_eq!((listed[1].name.as_str(), listed[1].stat.offline), ("folder", false));
    assert_eq!((listed[0].name.as_str(), listed[0].stat.offline), ("Note.md", true));
    assert_eq!(place.walked(), ["Note.md", "folder/Other.md"]);
    let path = note("Note.md");
    assert!(matches!(place.vault.read(&path), Err(VaultError::Offline(_))));
    assert!(matches!(place.write("Note.md", "x"), Err(VaultError::Offline(_))));
    assert!(matches!(place.vault.update(&path, |_| Ok::<_, VaultError>(Vec::new())), Err(VaultError::Offline(_))));
    assert_eq!(place.bytes(".Note.md.icloud"), b"bplist00");
}

#[test]
fn a_file_that_has_arrived_hides_its_placeholder() {
    let place = Place::new();
    place.put(".Note.md.icloud", "bplist00");
    place.put("Note.md", "here");
    fs::create_dir(place.on_disk(".folder.icloud")).unwrap();
    let listed = place.vault.list(&folder("/")).unwrap();
    assert_eq!(listed.iter().map(|entry| (entry.name.as_str(), entry.stat.offline)).collect::<Vec<_>>(), [("Note.md", false)]);
    assert_eq!(place.walked(), ["Note.md"]);
}

#[test]
fn a_binary_file_is_given_away_by_its_beginning() {
    let place = Place::new();
    place.put("film.md", "\0film");
    place.put("note.md", "text");
    let refused = place.vault.read_text(&note("film.md"));
    assert!(matches!(refused, Err(VaultError::NotText(..))), "{refused:?}");
    assert_eq!(place.vault.read_text(&note("note.md")).unwrap().bytes, b"text");
    // A NUL byte far into a text leaves it a text; reading on finds all of it.
    let long = format!("{}\0tail", "a".repeat(20_000));
    place.put("long.md", &long);
    assert_eq!(place.vault.read_text(&note("long.md")).unwrap().bytes, long.as_bytes());
}

#[test]
fn one_buffer_serves_files_of_every_size() {
    let place = Place::new();
    let mut bytes = b"left over".to_vec();
    for size in [100_000, 0, 1, 7999, 8000, 8001, 32_768, 32_769, 3] {
        place.put("deep/er/a.md", "é".repeat(size));
        let stat = place.vault.read_text_into(&note("deep/er/a.md"), &mut bytes).unwrap();
        assert_eq!((stat.size, bytes.len()), (2 * size as u64, 2 * size));
        assert!(bytes == "é".repeat(size).as_bytes() && bytes == place.vault.read(&note("deep/er/a.md")).unwrap().bytes);
    }
    place.put("film.md", [b"x".repeat(7999), b"\0".repeat(90_000)].concat());
    assert!(matches!(place.vault.read_text_into(&note("film.md"), &mut bytes), Err(VaultError::NotText(..))));
    assert!(bytes.len() <= 8000, "only the beginning is read");
    assert!(matches!(place.vault.read_text_into(&note("gone.md"), &mut bytes), Err(VaultError::NotFound(_))));
    assert_eq!(bytes, b"");
}
