//! Finding a text as it is written: every line that has it, the notes that have most of it first.

use std::cmp::Ordering;
use std::ops::Range;

use memchr::memmem;
use quillgate_vault::{FolderPath, NotePath};
use unicode_normalization::UnicodeNormalization;

use crate::counts::{Counted, CountedFile, Counter, Order};
use crate::fold_search::{FoldSearch, composed};
use crate::kept_answers::Question;
use crate::lines::{column, matching_lines, snippet};
use crate::search::{Explanation, Found};
use crate::sync::Index;
use crate::text::Needed;

/// What to look for and where.
#[derive(Clone, Debug)]
pub struct Literal<'a> {
    pub query: &'a str,
    pub case_sensitive: bool,
    /// Letters and digits may not go on before or behind the match.
    pub whole_word: bool,
    pub folder: FolderPath,
    pub limit: usize,
    /// The last item of the page before.
    pub after: Option<LiteralKey>,
}

/// Where an item stands: pages are ordered by rank, falling, then path and line.
#[derive(Clone, Debug)]
pub struct LiteralKey {
    pub rank: f32,
    pub path: NotePath,
    pub line: usize,
}

/// One matching line.
#[derive(Clone, Debug)]
pub struct LiteralLine {
    pub path: NotePath,
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// The match in `**bold**` with some text around it.
    pub snippet: String,
    /// How much of the note is about the query; the same whatever other notes say.
    pub rank: f32,
    /// The rank, times how rare the query is in the vault.
    pub score: f32,
}

/// All matching lines are counted; one page of them is returned.
pub fn search_literal(index: &Index, wanted: &Literal<'_>, go_on: &(impl Fn() -> bool + Sync)) -> Found<LiteralLine> {
    let coverage = index.coverage();
    let Some(search) = LiteralSearch::new(wanted.query, wanted.case_sensitive, wanted.whole_word) else {
        return Found::nothing(coverage);
    };
    let counted = count(index, &search, &wanted.folder, go_on);
    let rarity = rarity(index.catalogue_so_far().len(), counted.files.len());
    let after = wanted.after.as_ref();
    let start = after.map_or(0, |key| counted.files.partition_point(|file| file.compare(key) == Ordering::Less));
    let (mut items, mut opened) = (Vec::new(), 0);
    for file in &counted.files[start..] {
        if items.len() > wanted.limit {
            break;
        }
        opened += 1;
        let Ok(contents) = index.vault().read_text(&file.path) else { continue };
        let Ok(text) = std::str::from_utf8(&contents.bytes) else { continue };
        let text = composed(text);
        let seen = after.filter(|after| after.path == file.path).map_or(0, |after| after.line);
        let lines = matching_lines(&search.find_all(&text), &text).into_iter().filter(|(line, _)| *line > seen);
        items.extend(lines.map(|(line, range)| file.line(&text, line, &range, rarity)));
    }
    let more = items.len() > wanted.limit;
    items.truncate(wanted.limit);
    let explain = Explanation { understood: search.understood(), candidates: counted.candidates, opened };
    Found { items, total: Some(counted.lines), more, coverage, explain }
}

fn count(index: &Index, search: &LiteralSearch, folder: &FolderPath, go_on: &(impl Fn() -> bool + Sync)) -> Counted {
    let counter = Counter { index, search, folder, order: Order::Rank, go_on, counts: |_: &NotePath, _| true };
    let question = Question { query: search.understood(), folder: folder.clone() };
    let update = |counted, changed: &[NotePath]| counter.update(counted, changed);
    index.kept().literal.answer(index, question, update, || counter.count(), go_on)
}

/// How rare the query is in the vault: BM25's weight of a term.
fn rarity(files: usize, matching: usize) -> f32 {
    let (files, matching) = (files as f32, matching as f32);
    (1.0 + ((files - matching).max(0.0) + 0.5) / (matching + 0.5)).ln()
}

impl CountedFile {
    fn line(&self, text: &str, line: usize, range: &Range<usize>, rarity: f32) -> LiteralLine {
        LiteralLine {
            path: self.path.clone(),
            line,
            column: column(text, range.start),
            snippet: snippet(text, range),
            rank: self.rank,
            score: self.rank * rarity,
        }
    }

    /// How this file stands to the item that ended the page before.
    fn compare(&self, key: &LiteralKey) -> Ordering {
        key.rank.total_cmp(&self.rank).then_with(|| self.path.cmp(&key.path))
    }
}

/// A query that is found in composed text.
pub(crate) struct LiteralSearch {
    query: String,
    finder: Finder,
    whole_word: bool,
}

enum Finder {
    Folded(FoldSearch),
    Exact(Box<memmem::Finder<'static>>),
}

impl LiteralSearch {
    /// `None` for an empty query, which is in every text and nowhere.
    pub(crate) fn new(query: &str, case_sensitive: bool, whole_word: bool) -> Option<LiteralSearch> {
        let query: String = query.nfc().collect();
        let finder = match case_sensitive {
            true if query.is_empty() => return None,
            true => Finder::Exact(Box::new(memmem::Finder::new(query.as_bytes()).into_owned())),
            false => Finder::Folded(FoldSearch::new(&query)?),
        };
        Some(LiteralSearch { query, finder, whole_word })
    }

    /// What a file must have to contain it.
    pub(crate) fn needed(&self) -> Needed {
        Needed::for_literal(&self.query)
    }

    /// Under what name counts are kept.
    pub(crate) fn understood(&self) -> String {
        let case = if matches!(self.finder, Finder::Exact(_)) { ", case-sensitive" } else { "" };
        let word = if self.whole_word { ", whole word" } else { "" };
        format!("{:?}{case}{word}", self.query)
    }

    pub(crate) fn is_in(&self, text: &str) -> bool {
        !self.find_all(text).is_empty()
    }

    /// The places of all matches in composed text, left to right, not overlapping unless whole words are wanted.
    pub(crate) fn find_all(&self, text: &str) -> Vec<Range<usize>> {
        let length = self.query.len();
        match &self.finder {
            Finder::Folded(search) if self.whole_word => whole_words(text, search.find_overlapping(text)),
            Finder::Folded(search) => search.find_all(text),
            Finder::Exact(finder) if self.whole_word => whole_words(text, overlapping(finder, text, length)),
            Finder::Exact(finder) => finder.find_iter(text.as_bytes()).map(|start| start..start + length).collect(),
        }
    }
}

fn overlapping(finder: &memmem::Finder<'_>, text: &str, length: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = finder.find(&text.as_bytes()[from..]) {
        let start = from + at;
        found.push(start..start + length);
        from = start + 1;
    }
    found
}

fn whole_words(text: &str, mut found: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    found.retain(|range| {
        !text[..range.start].chars().next_back().is_some_and(is_word) && !text[range.end..].chars().next().is_some_and(is_word)
    });
    found
}
