//! Searching names, tags and text at once for a literal query.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use quillgate_vault::{FolderPath, NotePath};

use crate::candidates::Candidates;
use crate::counts::{Counted, CountedFile, Order};
use crate::entry::Entry;
use crate::fold_search::{FoldSearch, composed};
use crate::lines::{matching_lines, snippet};
use crate::literal::LiteralSearch;
use crate::search::{Explanation, Found};
use crate::sync::Index;
use crate::text::Part;

/// What to look for and where.
#[derive(Clone, Debug)]
pub struct Anywhere<'a> {
    pub query: &'a str,
    pub folder: FolderPath,
    pub limit: usize,
    /// The last item of the page before.
    pub after: Option<AnywhereKey>,
}

/// Where an item stands: names come first, then tags, then text, each by path and line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AnywhereKey {
    pub kind: MatchKind,
    pub path: NotePath,
    pub line: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchKind {
    Name,
    Tag,
    Text,
}

#[derive(Clone, Debug)]
pub struct TextMatch {
    pub path: NotePath,
    pub kind: MatchKind,
    /// The match in `**bold**` with some text around it.
    pub snippet: String,
    pub line: usize,
}

/// The lines that a note's matching tags stand on, which are not told again as text.
type TagLines = HashMap<NotePath, RangeInclusive<usize>>;

/// All matches are counted; one page of them is returned.
pub fn search_anywhere(index: &Index, wanted: &Anywhere<'_>, go_on: &(impl Fn() -> bool + Sync)) -> Found<TextMatch> {
    let Some(search) = LiteralSearch::new(wanted.query, false, false) else {
        return Found::nothing(index.coverage());
    };
    let mut page = Page { wanted, items: Vec::new(), total: 0, opened: 0 };
    page.add_names(index, &search);
    let tag_lines = page.add_tags(index);
    let is_told = |path: &NotePath, line: usize| tag_lines.get(path).is_some_and(|lines| lines.contains(&line));
    let counted = Counted::find(index, &search, &wanted.folder, Order::Path, go_on, |path, line| !is_told(path, line));
    page.add_text(index, &search, &counted, is_told);
    let more = page.items.len() > wanted.limit;
    page.items.truncate(wanted.limit);
    let explain =
        Explanation { understood: search.understood(), candidates: counted.candidates, opened: counted.opened + page.opened };
    Found { items: page.items, total: Some(page.total), more, coverage: counted.coverage, explain }
}

struct Page<'a> {
    wanted: &'a Anywhere<'a>,
    items: Vec<TextMatch>,
    total: usize,
    opened: usize,
}

impl Page<'_> {
    fn is_full(&self) -> bool {
        self.items.len() > self.wanted.limit
    }

    fn is_before(&self, kind: MatchKind, path: &NotePath, line: usize) -> bool {
        let after = self.wanted.after.as_ref();
        after.is_some_and(|after| (kind, path, line) <= (after.kind, &after.path, after.line))
    }

    fn add(&mut self, kind: MatchKind, path: &NotePath, line: usize, snippet: impl FnOnce() -> String) {
        if !self.is_full() && !self.is_before(kind, path, line) {
            self.items.push(TextMatch { path: path.clone(), kind, snippet: snippet(), line });
        }
    }

    fn add_names(&mut self, index: &Index, search: &LiteralSearch) {
        for path in Candidates::find(index, &search.needed(), Part::Name, &self.wanted.folder).paths {
            if let Some(first) = search.find_all(path.as_str()).first() {
                self.total += 1;
                self.add(MatchKind::Name, &path, 1, || snippet(path.as_str(), first));
            }
        }
    }

    fn add_tags(&mut self, index: &Index) -> TagLines {
        let mut tag_lines = TagLines::new();
        let Some(query) = TagQuery::new(self.wanted.query) else { return tag_lines };
        let catalogue = index.catalogue_so_far();
        if !query.is_in_any(catalogue.property_tags()) {
            return tag_lines;
        }
        for entry in catalogue.files_below(&self.wanted.folder).filter(|entry| !entry.tags.is_empty()) {
            let Some(snippet) = query.snippet(entry) else { continue };
            let (first, last) = entry.card().property_tag_lines;
            tag_lines.insert(entry.path.clone(), first as usize..=last as usize);
            self.total += 1;
            self.add(MatchKind::Tag, &entry.path, first as usize, || snippet);
        }
        tag_lines
    }

    fn add_text(&mut self, index: &Index, search: &LiteralSearch, counted: &Counted, is_told: impl Fn(&NotePath, usize) -> bool) {
        self.total += counted.lines();
        let after = self.wanted.after.as_ref().filter(|after| after.kind == MatchKind::Text);
        let start = after.map_or(0, |after| counted.files.partition_point(|file| file.path < after.path));
        for CountedFile { path, .. } in &counted.files[start..] {
            if self.is_full() {
                return;
            }
            self.opened += 1;
            let Ok(contents) = index.vault().read_text(path) else { continue };
            let Ok(text) = std::str::from_utf8(&contents.bytes) else { continue };
            let text = composed(text);
            for (line, range) in matching_lines(&search.find_all(&text), &text) {
                if !is_told(path, line) {
                    self.add(MatchKind::Text, path, line, || snippet(&text, &range));
                }
            }
        }
    }
}

/// A tag matches when it contains the query; several words match when each is in some tag of the note.
struct TagQuery {
    whole: FoldSearch,
    words: Vec<FoldSearch>,
}

impl TagQuery {
    fn new(query: &str) -> Option<TagQuery> {
        // A tag may be asked for as it stands in the text.
        let whole = query.strip_prefix('#').and_then(FoldSearch::new).or_else(|| FoldSearch::new(query))?;
        Some(TagQuery { whole, words: query.split_whitespace().filter_map(FoldSearch::new).collect() })
    }

    fn is_in_any<'a>(&self, tags: impl Iterator<Item = &'a str>) -> bool {
        let mut words = vec![false; self.words.len()];
        for tag in tags {
            if self.whole.is_in(tag) {
                return true;
            }
            words.iter_mut().zip(&self.words).for_each(|(found, word)| *found |= word.is_in(tag));
        }
        words.len() > 1 && words.into_iter().all(|found| found)
    }

    fn snippet(&self, entry: &Entry) -> Option<String> {
        let whole = entry.tags.iter().any(|tag| self.whole.is_in(tag));
        let by_words = self.words.len() > 1 && self.words.iter().all(|word| entry.tags.iter().any(|tag| word.is_in(tag)));
        if !whole && !by_words {
            return None;
        }
        let is_hit = |tag: &str| if whole { self.whole.is_in(tag) } else { self.words.iter().any(|word| word.is_in(tag)) };
        let shown = |tag: &str| if is_hit(tag) { format!("**{tag}**") } else { tag.to_owned() };
        let tags: Vec<String> = entry.tags.iter().map(|tag| shown(tag)).collect();
        Some(format!("tags: [{}]", tags.join(", ")))
    }
}
