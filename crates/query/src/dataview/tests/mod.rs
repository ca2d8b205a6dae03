//! What holds for the language as a whole.

#![allow(clippy::disallowed_methods, reason = "tests prepare folders of their own")]

mod documentation;
mod expressions;
mod identity;
mod queries;
mod syntax;
mod vectors;

use std::fs;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use quillgate_index::{Catalogue, Index, IndexSettings};
use quillgate_vault::{Limits, NotePath, Vault};
use serde_json::Value as Json;

use super::*;
use crate::budget::Budget;

/// A Wednesday.
const NOW: &str = "2024-03-13T10:30:00Z";

pub(crate) fn asking(catalogue: &Catalogue) -> Asking<'_> {
    Asking::new(catalogue, None, NOW.parse::<Timestamp>().expect("a time"), TimeZone::UTC)
}

pub(crate) fn budget() -> Budget {
    Budget::new(Budget::STEPS, None)
}

/// What an expression is worth without any page.
pub(crate) fn value_of(text: &str) -> Result<Json, String> {
    let catalogue = Catalogue::default();
    let asking = asking(&catalogue);
    evaluate(text, &asking, &budget()).map(|value| value.json()).map_err(|error| error.to_string())
}

pub(crate) struct TestVault {
    _folder: tempfile::TempDir,
    pub(crate) index: Index,
}

impl TestVault {
    pub(crate) fn new(files: &[(&str, &str)]) -> TestVault {
        let folder = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        let vault = Arc::new(Vault::open(folder.path(), None, Limits::default()).expect("a vault"));
        let index = Index::start(vault, None, &IndexSettings::default());
        assert!(index.wait(|_| true));
        TestVault { _folder: folder, index }
    }

    /// Runs `with` on the answer of a query that stands in a page.
    pub(crate) fn ask<T>(&self, page: Option<&str>, query: &str, with: impl FnOnce(&Answer<'_>) -> T) -> Result<T, DqlError> {
        let catalogue = self.index.settled_catalogue();
        let mut asking = asking(&catalogue);
        asking.origin = page.and_then(|page| catalogue.find_id(&NotePath::parse(page).expect("a path")));
        run(query, &asking, &budget()).map(|answer| with(&answer))
    }

    pub(crate) fn rows(&self, query: &str) -> Json {
        match self.ask(None, query, |answer| serde_json::json!(answer.rows())) {
            Ok(rows) => rows,
            Err(error) => Json::String(error.to_string()),
        }
    }
}
