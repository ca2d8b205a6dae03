//! Whatever a path looks like, nothing outside the vault and nothing in `.obsidian` is reached.

use std::os::unix::fs::symlink;

use proptest::prelude::*;
use quillgate_vault::{Expect, FolderPath, Folders, NotePath, TrashOption, VaultError};

use crate::place::Place;

const SECRET: &[u8] = b"the secret that must not be read";

/// Pieces that matter to some file system, decoder or parser.
const SEGMENTS: &[&str] = &[
    "..",
    ".",
    "",
    "...",
    "%2e%2e",
    "%2E%2e%2f",
    "..%2f",
    "..%5c",
    "%252e",
    "..;",
    "..\u{0}",
    "\u{0}",
    "\u{2024}\u{2024}",
    "\u{ff0e}\u{ff0e}",
    "\u{200b}..",
    "..\u{200b}",
    "\u{feff}..",
    ".\u{34f}.",
    "C:",
    "c:",
    "\\\\host",
    "\\\\?\\C:",
    "~",
    "~root",
    "$HOME",
    "outside",
    "secret.md",
    "vault",
    "link",
    "loop",
    "inside-link",
    "real",
    "a.md",
    ".obsidian",
    ".OBSIDIAN",
    ".Obsidian",
    "\u{200c}.obsidian",
    ".obsi\u{200d}dian",
    "obsidian",
    ".obsidian.",
    ".obsidian ",
    ".obsidian::$DATA",
    "OBSIDI~1",
    ".git",
    ".trash",
    "app.json",
    "con",
    "nul",
    "a.md:stream",
    "e\u{301}.md",
    "é.md",
    "\u{202e}dm.a",
    "\u{1f4a9}",
];

fn segment() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => prop::sample::select(SEGMENTS).prop_map(str::to_owned),
        2 => any::<String>(),
        1 => "[a-z]{250,260}",
    ]
}

fn hostile_path() -> impl Strategy<Value = String> {
    let separator = prop::sample::select(vec!["/", "/", "/", "//", "\\", "\u{2215}", "\u{ff0f}", "%2f"]);
    let start = prop::sample::select(vec!["", "", "", "/", "//", "./", "../", "file:///", "\\", "C:\\", "C:/"]);
    (start, prop::collection::vec((segment(), separator), 1..7)).prop_map(|(start, segments)| {
        let mut path = start.to_owned();
        for (segment, separator) in segments {
            path.push_str(&segment);
            path.push_str(separator);
        }
        let length = path.trim_end_matches(['/', '\\']).len();
        path.truncate(length);
        path
    })
}

fn prepared() -> Place {
    let place = Place::new();
    place.put_outside("secret.md", SECRET);
    place.put_outside("real/a.md", SECRET);
    place.put(".obsidian/app.json", SECRET);
    place.put(".obsidian/plugins/x/data.json", SECRET);
    place.put("real/a.md", "ours");
    place.put("a.md", "ours");
    symlink(place.outside(""), place.on_disk("link")).unwrap();
    symlink("..", place.on_disk("loop")).unwrap();
    symlink(".obsidian", place.on_disk("inside-link")).unwrap();
    place
}

/// Everything a path can be given to. Results do not matter, only what they show and what is left on disk.
fn try_everything(place: &Place, path: &NotePath) -> Result<(), TestCaseError> {
    let vault = &place.vault;
    if let Ok(contents) = vault.read(path) {
        prop_assert!(contents.bytes != SECRET, "read {path:?}");
    }
    let _ = vault.stat(path);
    let _ = vault.list(&FolderPath::from(path.clone()));
    let _ = vault.walk(&FolderPath::from(path.clone()), |_| true);
    let _ = vault.write(path, b"overwritten".to_vec(), Expect::Absent, Folders::Create);
    let _ = vault.write(path, b"overwritten".to_vec(), Expect::Anything, Folders::Create);
    let _ = vault.update(path, |contents| {
        assert!(contents.bytes != SECRET, "updated {path:?}");
        Ok::<_, VaultError>(b"updated".to_vec())
    });
    let copy = NotePath::parse("moved here.md").unwrap();
    let _ = vault.transaction(Folders::Create).rename(path.clone(), copy.clone()).commit();
    let _ = vault.transaction(Folders::Create).rename(copy, path.clone()).commit();
    let _ = vault.remove(path, TrashOption::Local);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn no_path_leads_out_of_the_vault(paths in prop::collection::vec(hostile_path(), 400)) {
        let place = prepared();
        let guarded = |place: &Place| {
            let mut all = place.everything();
            let (vault, settings) = (place.on_disk(""), place.on_disk(".obsidian"));
            let locks = vault.with_file_name("locks");
            all.retain(|path, _| !path.starts_with(&locks) && (!path.starts_with(&vault) || path.starts_with(&settings)));
            all
        };
        let before = guarded(&place);
        let mut parsed = 0;
        for path in &paths {
            if let Ok(folder) = FolderPath::parse(path) {
                let _ = place.vault.list(&folder);
            }
            if let Ok(path) = NotePath::parse(path) {
                parsed += 1;
                try_everything(&place, &path)?;
            }
        }
        prop_assert_eq!(guarded(&place), before);
        prop_assert!(parsed > 0, "some paths must get through to the files, or nothing is tested");
    }

    #[test]
    fn a_parsed_path_is_plain(text in hostile_path()) {
        if let Ok(path) = NotePath::parse(&text) {
            let is_plain = |segment: &str| !segment.is_empty() && !segment.starts_with('.') && segment.len() <= 255;
            prop_assert!(path.as_str().split('/').all(is_plain));
            prop_assert!(!path.as_str().contains(['\0', '\\']));
            let again = NotePath::parse(path.as_str());
            prop_assert_eq!(again, Ok(path));
        }
    }
}
