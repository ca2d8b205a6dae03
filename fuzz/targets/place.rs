//! A small vault with its index, made once per process.

use std::sync::{Arc, LazyLock};

use jiff::Zoned;
use quillgate_index::{Index, IndexSettings};
use quillgate_query::{Budget, SyntaxError};
use quillgate_vault::{Limits, Vault};
use tempfile::TempDir;

const NOTES: [(&str, &str); 3] = [
    ("a.md", "---\nn: 3\nwhen: 2026-01-04\nlist: [1, two]\nlink: \"[[b]]\"\ntags: [x/y]\n---\n# A\n\nk:: v\n\n- [ ] t 📅 2026-01-05 #z\n  - [x] u ✅ 2026-01-04\n"),
    ("b.md", "[[a]] [r:: 1, 2]\n\n- one\n- [/] w 🔁 every day ⏳ 2026-02-01\n"),
    ("c/d.md", "---\nn: text\n---\n![[b]]\n"),
];

pub static PLACE: LazyLock<Place> = LazyLock::new(Place::new);

pub struct Place {
    pub index: Index,
    _folder: TempDir,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().expect("a folder");
        for (path, text) in NOTES {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            std::fs::write(path, text).expect("a note");
        }
        let vault = Vault::open(folder.path(), None, Limits::default()).expect("a vault");
        let index = Index::start(Arc::new(vault), None, &IndexSettings::default());
        index.wait(|_| true);
        Place { index, _folder: folder }
    }
}

pub fn now() -> Zoned {
    "2026-01-04T09:05:07+00:00[UTC]".parse().expect("a time")
}

/// Enough for what a person would ask of three notes.
pub fn budget() -> Budget {
    Budget::new(200_000, None)
}

/// What was printed must be read again, unless the brackets that printing adds make it deeper than may be.
pub fn read_again<T>(printed: &str, read: Result<T, SyntaxError>) -> Option<T> {
    match read {
        Ok(read) => Some(read),
        Err(error) if error.message.contains("too deep") || error.message.contains("too long") || error.message.contains("longer") => None,
        Err(error) => panic!("{printed:?}: {error}"),
    }
}
