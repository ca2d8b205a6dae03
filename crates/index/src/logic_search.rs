//! Answering JSONLogic rules, a page at a time.

use std::sync::atomic::{AtomicUsize, Ordering};

use quillgate_vault::{FolderPath, NotePath};
use roaring::RoaringBitmap;
use serde_json::Value;

use crate::catalogue::Catalogue;
use crate::jsonlogic::{JsonLogicError, NoteTexts, Rule};
use crate::search::{Explanation, Found};
use crate::sync::Index;
use crate::text::{Needed, Part, View};

/// Notes that are looked at before changes get their turn, when their files are read.
const NOTES_AT_ONCE: usize = 1_000;

/// What to look for and where.
#[derive(Clone, Debug)]
pub struct Logic<'a> {
    pub logic: &'a Value,
    pub folder: FolderPath,
    pub limit: usize,
    /// The last item of the page before.
    pub after: Option<NotePath>,
}

/// The notes for which the rule is true, by path.
pub fn search_logic(
    index: &Index,
    wanted: &Logic<'_>,
    go_on: &(impl Fn() -> bool + Sync),
) -> Result<Found<NotePath>, JsonLogicError> {
    let rule = Rule::parse(wanted.logic)?;
    let (coverage, view) = (index.coverage(), index.text().view());
    let opened = AtomicUsize::new(0);
    let read = |path: &NotePath| {
        opened.fetch_add(1, Ordering::Relaxed);
        String::from_utf8(index.vault().read_text(path).ok()?.bytes).ok()
    };
    let mut found = RoaringBitmap::new();
    let notes = index.catalogue().notes_below(&wanted.folder);
    let candidates = usize::try_from(notes.len()).unwrap_or(usize::MAX);
    // Whoever reads files lets changes in between.
    let at_once = if rule.reads_text() { NOTES_AT_ONCE } else { candidates.max(1) };
    for some in notes.iter().collect::<Vec<u32>>().chunks(at_once) {
        let catalogue = index.catalogue();
        let narrow = |literal: &str| may_contain(&catalogue, &view, literal);
        let some = RoaringBitmap::from_sorted_iter(some.iter().copied()).unwrap_or_default();
        found |= catalogue.find_by_rule(&rule, some, &NoteTexts { read: &read, narrow: &narrow }, go_on)?;
    }
    let catalogue = index.catalogue();
    let page = catalogue.page_of(&found, &wanted.folder, wanted.after.as_ref(), wanted.limit);
    let items = page.notes.iter().map(|(_, entry)| entry.path.clone()).collect();
    let explain = Explanation { understood: wanted.logic.to_string(), candidates, opened: opened.into_inner() };
    Ok(Found { items, total: Some(page.total), more: page.more, coverage, explain })
}

/// The files that may contain a text as it is written; none where that is not known.
fn may_contain(catalogue: &Catalogue, view: &View, literal: &str) -> Option<RoaringBitmap> {
    let origins = view.snapshot.as_deref()?.with(&Needed::for_literal(literal), Part::Text).ok()??;
    let indexed = origins.iter().filter_map(|origin| catalogue.find_by_key(origin.key)).map(|(id, _)| id);
    let pending = view.pending.iter().filter_map(|path| catalogue.find_id(path));
    Some(indexed.chain(pending).map(|id| id.0).collect())
}
