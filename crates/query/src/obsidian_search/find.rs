//! Searching a vault.

use std::borrow::Cow;
use std::sync::OnceLock;

use quillgate_index::{Catalogue, Entry, FileId, Found, Glance, Index, NoteSearch, search_notes};
use quillgate_vault::{FolderPath, NotePath};
use serde_json::Value;

use super::Search;
use super::evaluate::{Facts, Known, Place};
use crate::budget::Budget;
use crate::fault::Fault;

/// A file that was searched for; the place is absent where its name or properties were what counted.
#[derive(Clone, Debug)]
pub struct FoundFile {
    pub path: NotePath,
    pub place: Option<Place>,
}

/// The files below a folder that the search asks for, by path, those behind `after`.
pub fn find_files(
    index: &Index,
    search: &Search,
    folder: FolderPath,
    after: Option<NotePath>,
    limit: usize,
    budget: &Budget,
    go_on: &(impl Fn() -> bool + Sync),
) -> Result<Found<FoundFile>, Fault> {
    let fault: OnceLock<Fault> = OnceLock::new();
    // The first fault ends the search.
    let or_fault = |outcome: Result<bool, Fault>| match outcome {
        Ok(holds) => holds,
        Err(found) => {
            let _ = fault.set(found);
            false
        }
    };
    let glance = |catalogue: &Catalogue, id: FileId, entry: &Entry| {
        let facts = CatalogueFacts { catalogue, id, path: entry.path.as_str() };
        let known = match search.known(&facts, &budget.steps()) {
            Ok(known) => known,
            Err(found) => {
                let _ = fault.set(found);
                return Glance::No;
            }
        };
        let path = entry.path.as_str();
        match search.without_text(&known, path) {
            Some(false) => Glance::No,
            // The place is in the text, and only there.
            Some(true) if !entry.path.is_note() => Glance::Found(None),
            None if !entry.path.is_note() => match or_fault(search.is_match(&known, path, "", &budget.steps())) {
                true => Glance::Found(None),
                false => Glance::No,
            },
            _ => Glance::Read(known),
        }
    };
    let look = |known: &Known, path: &NotePath, text: &str| {
        let steps = budget.steps();
        or_fault(search.is_match(known, path.as_str(), text, &steps))
            .then(|| search.first_place(known, path.as_str(), text, &steps))
    };
    let wanted = NoteSearch { understood: search.to_string(), narrowing: search.narrowing(), folder, limit, after };
    let found = search_notes(index, &wanted, &|| fault.get().is_none() && go_on(), glance, look);
    match fault.into_inner() {
        Some(fault) => Err(fault),
        None => {
            let Found { items, total, more, coverage, explain } = found;
            let items = items.into_iter().map(|(path, place)| FoundFile { path, place }).collect();
            Ok(Found { items, total, more, coverage, explain })
        }
    }
}

struct CatalogueFacts<'a> {
    catalogue: &'a Catalogue,
    id: FileId,
    path: &'a str,
}

impl Facts for CatalogueFacts<'_> {
    fn path(&self) -> &str {
        self.path
    }

    fn tags(&self) -> Vec<Cow<'_, str>> {
        let tags = self.catalogue.tag_column();
        let json = tags.value_number(self.id).map(|number| tags.json_text(number));
        json.and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default()
    }

    fn property(&self, name: &str) -> Option<Value> {
        let column = self.catalogue.property_column(name)?;
        serde_json::from_str(column.json_text(column.value_number(self.id)?)).ok()
    }
}
