//! Runs the pieces of a rule over the catalogue, and puts their answers together.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use quillgate_vault::{FolderPath, NotePath};
use roaring::RoaringBitmap;
use serde_json::Value;

use super::document::NoteDocument;
use super::evaluate::is_true;
use super::plan::{Leaf, Plan};
use super::rule::Source;
use super::{JsonLogicError, MOST_OPERATIONS_IN_ALL, Rule};
use crate::catalogue::{Catalogue, FileId};
use crate::columns::values::NONE;
use crate::columns::{Column, Columns};
use crate::entry::Entry;
use crate::names::find_card_target;

/// How many notes or values are looked at between two looks at the clock.
const BATCH: usize = 256;
/// Fewer pieces of work than this are not worth a thread.
const WORTH_A_THREAD: usize = 2048;
/// More properties in one piece of a rule are not remembered as a combination.
const WIDEST: usize = 4;

/// How the text of notes is got at.
pub struct NoteTexts<'a> {
    /// The text of a note; `None` if it is gone or no text.
    pub read: &'a (dyn Fn(&NotePath) -> Option<String> + Sync),
    /// The files that may contain a text, as ids of the catalogue; none may be missing. `None` if that is not known.
    pub narrow: &'a (dyn Fn(&str) -> Option<RoaringBitmap> + Sync),
}

impl Catalogue {
    /// All notes below a folder, as ids.
    pub fn notes_below(&self, folder: &FolderPath) -> RoaringBitmap {
        let mut notes = self.columns().notes().clone();
        if !folder.as_str().is_empty() {
            notes &= self.ids_below(folder, None).map(|id| id.0).collect::<RoaringBitmap>();
        }
        notes
    }

    /// Those of the notes for which the rule's answer is true, as ids for [`Catalogue::page_of`].
    pub fn find_by_rule(
        &self,
        rule: &Rule,
        notes: RoaringBitmap,
        texts: &NoteTexts,
        go_on: &(impl Fn() -> bool + Sync),
    ) -> Result<RoaringBitmap, JsonLogicError> {
        let search = Search { catalogue: self, texts, go_on, spent: AtomicU64::new(0) };
        search.plan(&rule.plan, notes)
    }
}

struct Search<'a> {
    catalogue: &'a Catalogue,
    texts: &'a NoteTexts<'a>,
    go_on: &'a (dyn Fn() -> bool + Sync),
    spent: AtomicU64,
}

type Found<T> = Result<T, JsonLogicError>;

impl Search<'_> {
    /// Those of the notes for which the plan holds.
    fn plan(&self, plan: &Plan, notes: RoaringBitmap) -> Found<RoaringBitmap> {
        match plan {
            Plan::Every(pieces) if pieces.is_empty() => Ok(RoaringBitmap::new()),
            Plan::Every(pieces) => pieces.iter().try_fold(notes, |left, piece| self.plan(piece, left)),
            Plan::Any(pieces) => {
                let (mut found, mut left) = (RoaringBitmap::new(), notes);
                for piece in pieces {
                    let more = self.plan(piece, left.clone())?;
                    left -= &more;
                    found |= more;
                }
                Ok(found)
            }
            Plan::Not(piece) => Ok(&notes - self.plan(piece, notes.clone())?),
            Plan::Leaf(leaf) => self.leaf(leaf, notes),
        }
    }

    fn leaf(&self, leaf: &Leaf, mut notes: RoaringBitmap) -> Found<RoaringBitmap> {
        if notes.is_empty() {
            return Ok(notes);
        }
        if leaf.is_constant() {
            let holds = self.runs(&[()], |()| Ok(is_true(&leaf.node, &NoteDocument::new(&leaf.reads, |_| None))?))?[0];
            return Ok(if holds { notes } else { RoaringBitmap::new() });
        }
        if leaf.is_columnar() {
            return match self.columns(leaf).as_slice() {
                [column] => self.by_value(leaf, *column, notes),
                columns if columns.len() <= WIDEST => self.by_combination(leaf, columns, &notes),
                _ => self.by_note(leaf, &notes),
            };
        }
        if let Some(possible) = leaf.literal.as_deref().and_then(self.texts.narrow) {
            notes &= possible;
        }
        self.by_note(leaf, &notes)
    }

    /// Decides by the value of the one column that the piece reads.
    fn by_value(&self, leaf: &Leaf, column: Option<&Column>, notes: RoaringBitmap) -> Found<RoaringBitmap> {
        let run = |value: Option<u32>| {
            let document = NoteDocument::new(&leaf.reads, |source| cell(&leaf.reads.sources[source], column, value));
            Ok(is_true(&leaf.node, &document)?)
        };
        let without = self.runs(&[()], |()| run(None))?[0];
        let Some(column) = column else {
            return Ok(if without { notes } else { RoaringBitmap::new() });
        };
        let values: Vec<u32> = if usize::try_from(notes.len()).unwrap_or(usize::MAX) < column.values.len() {
            let mut values: Vec<u32> = notes.iter().filter_map(|note| column.cells.find(note)).collect();
            values.sort_unstable();
            values.dedup();
            values
        } else {
            column.used_values().collect()
        };
        let verdicts = self.runs(&values, |&value| run(Some(value)))?;
        let mut differs = vec![false; column.values.len()];
        values.iter().zip(verdicts).for_each(|(&value, verdict)| differs[value as usize] = verdict != without);
        let cells = column.cells.iter().filter(|cell| differs[cell.1 as usize]).map(|cell| cell.0);
        let differing: RoaringBitmap = RoaringBitmap::from_sorted_iter(cells).unwrap_or_default();
        Ok(if without { notes - differing } else { notes & differing })
    }

    /// Decides by the combination of values in the few columns that the piece reads.
    fn by_combination(&self, leaf: &Leaf, columns: &[Option<&Column>], notes: &RoaringBitmap) -> Found<RoaringBitmap> {
        let mut numbers: HashMap<[u32; WIDEST], u32> = HashMap::new();
        let mut combinations: Vec<[u32; WIDEST]> = Vec::new();
        let mut by_note: Vec<u32> = Vec::new();
        for note in notes {
            let mut combination = [NONE; WIDEST];
            for (value, column) in combination.iter_mut().zip(columns) {
                *value = column.and_then(|column| column.cells.find(note)).unwrap_or(NONE);
            }
            by_note.push(*numbers.entry(combination).or_insert_with(|| {
                combinations.push(combination);
                u32::try_from(combinations.len() - 1).unwrap_or(NONE)
            }));
        }
        let verdicts = self.runs(&combinations, |combination| {
            let value = |source: usize| Some(combination[source]).filter(|&value| value != NONE);
            let make = |source: usize| cell(&leaf.reads.sources[source], columns[source], value(source));
            Ok(is_true(&leaf.node, &NoteDocument::new(&leaf.reads, make))?)
        })?;
        let found = notes.iter().zip(by_note).filter(|(_, number)| verdicts[*number as usize]).map(|(note, _)| note);
        Ok(RoaringBitmap::from_sorted_iter(found).unwrap_or_default())
    }

    fn by_note(&self, leaf: &Leaf, notes: &RoaringBitmap) -> Found<RoaringBitmap> {
        let columns = self.columns(leaf);
        let ids: Vec<u32> = notes.iter().collect();
        let verdicts = self.runs(&ids, |&id| {
            let Some(entry) = self.catalogue.entry(FileId(id)) else { return Ok((false, 0)) };
            let make = |source: usize| match (&leaf.reads.sources[source], columns[source]) {
                (Source::Path, _) => Some(entry.path.as_str().into()),
                (Source::Content, _) => (self.texts.read)(&entry.path).map(Value::String),
                (Source::Frontmatter, _) => Some(Value::Object(entry.card().property_map())),
                (Source::Links, _) => Some(links(self.catalogue, entry)),
                (source, column) => cell(source, column, column.and_then(|column| column.cells.find(id))),
            };
            Ok(is_true(&leaf.node, &NoteDocument::new(&leaf.reads, make))?)
        })?;
        let found = ids.into_iter().zip(verdicts).filter(|(_, verdict)| *verdict).map(|(id, _)| id);
        Ok(RoaringBitmap::from_sorted_iter(found).unwrap_or_default())
    }

    fn columns(&self, leaf: &Leaf) -> Vec<Option<&Column>> {
        let columns: &Columns = self.catalogue.columns();
        let column = |source: &Source| match source {
            Source::Property(name) => columns.find(name),
            Source::Tags => Some(columns.tags()),
            _ => None,
        };
        leaf.reads.sources.iter().map(column).collect()
    }

    /// The verdicts of many runs, which also say what each cost, on all cores if that pays.
    fn runs<T: Sync>(&self, items: &[T], run: impl Fn(&T) -> Found<(bool, u32)> + Sync) -> Found<Vec<bool>> {
        let threads = thread::available_parallelism().map_or(1, usize::from).min(8);
        if items.len() < WORTH_A_THREAD || threads == 1 {
            return self.run_all(items, &run);
        }
        let share = items.len().div_ceil(threads);
        let (first, others) = items.split_at(share);
        thread::scope(|scope| {
            let run = &run;
            let others: Vec<_> = others.chunks(share).map(|share| scope.spawn(move || self.run_all(share, run))).collect();
            let mut verdicts = self.run_all(first, run)?;
            for other in others {
                let other = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                verdicts.extend(other?);
            }
            Ok(verdicts)
        })
    }

    fn run_all<T>(&self, items: &[T], run: &impl Fn(&T) -> Found<(bool, u32)>) -> Found<Vec<bool>> {
        let mut verdicts = Vec::with_capacity(items.len());
        for batch in items.chunks(BATCH) {
            if !(self.go_on)() {
                return Err(JsonLogicError::Cancelled);
            }
            let mut spent = 0;
            for item in batch {
                let (verdict, operations) = run(item)?;
                verdicts.push(verdict);
                spent += u64::from(operations);
            }
            if self.spent.fetch_add(spent, Ordering::Relaxed) + spent > MOST_OPERATIONS_IN_ALL {
                return Err(JsonLogicError::TooManyOperationsInAll);
            }
        }
        Ok(verdicts)
    }
}

/// What a column says of a note with this value; a note without tags has an empty list of them.
fn cell(source: &Source, column: Option<&Column>, value: Option<u32>) -> Option<Value> {
    match (column, value) {
        (Some(column), Some(value)) => Some(column.json(value)),
        _ if *source == Source::Tags => Some(Value::Array(Vec::new())),
        _ => None,
    }
}

/// Where the links of a note lead.
fn links(catalogue: &Catalogue, entry: &Entry) -> Value {
    let mut targets: Vec<String> = Vec::new();
    for link in entry.card().links.into_iter().filter(|link| !link.path.is_empty()) {
        let target = find_card_target(catalogue, &entry.path, &link).map_or(link.path, |path| path.to_string());
        if !targets.contains(&target) {
            targets.push(target);
        }
    }
    targets.into()
}
