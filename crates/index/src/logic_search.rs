//! Answering JSONLogic rules, a page at a time.

use quillgate_vault::{FolderPath, NotePath};
use roaring::RoaringBitmap;
use serde_json::Value;

use crate::catalogue::Catalogue;
use crate::jsonlogic::{JsonLogicError, NoteTexts, Rule};
use crate::literal::LiteralSearch;
use crate::search::{Explanation, Found};
use crate::sync::Index;
use crate::text::{Part, View};

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
    let coverage = index.coverage();
    let catalogue = index.catalogue();
    let view = index.text().view();
    let read = |path: &NotePath| String::from_utf8(index.vault().read_text(path).ok()?.bytes).ok();
    let narrow = |literal: &str| may_contain(&catalogue, &view, literal);
    let found = catalogue.find_by_rule(&rule, &wanted.folder, &NoteTexts { read: &read, narrow: &narrow }, go_on)?;
    let page = catalogue.page_of(&found, &wanted.folder, wanted.after.as_ref(), wanted.limit);
    let items = page.notes.iter().map(|(_, entry)| entry.path.clone()).collect();
    let explain = Explanation { understood: wanted.logic.to_string(), candidates: catalogue.len(), opened: 0 };
    Ok(Found { items, total: Some(page.total), more: page.more, coverage, explain })
}

/// The files that may contain a text as it is written; none where that is not known.
fn may_contain(catalogue: &Catalogue, view: &View, literal: &str) -> Option<RoaringBitmap> {
    let needed = LiteralSearch::new(literal, true, false)?.needed();
    let origins = view.snapshot.as_deref()?.with(&needed, Part::Text).ok()??;
    let indexed = origins.iter().filter_map(|origin| catalogue.find_by_key(origin.key)).map(|(id, _)| id);
    let pending = view.pending.iter().filter_map(|path| catalogue.find_id(path));
    Some(indexed.chain(pending).map(|id| id.0).collect())
}
