//! Searching names, tags and text at once for a literal query.

use std::collections::HashSet;
use std::sync::Arc;

use quillgate_vault::{FolderPath, NotePath};

use crate::candidates::Candidates;
use crate::counts::{Counted, CountedFile, Counter, Order};
use crate::entry::Entry;
use crate::fold_search::{FoldSearch, composed};
use crate::kept_answers::{Answer, Question};
use crate::lines::{matching_lines, snippet};
use crate::literal::LiteralSearch;
use crate::search::{Explanation, Found};
use crate::sync::Index;
use crate::text::Part;

/// Finding so few names costs less than keeping them.
const FEW_NAMES: usize = 64;

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

/// All matches are counted; one page of them is returned.
pub fn search_anywhere(index: &Index, wanted: &Anywhere<'_>, go_on: &(impl Fn() -> bool + Sync)) -> Found<TextMatch> {
    let coverage = index.coverage();
    let (Some(search), Some(tags)) = (LiteralSearch::new(wanted.query, false, false), TagQuery::new(wanted.query)) else {
        return Found::nothing(coverage);
    };
    let finder = Finder { index, search: &search, tags: &tags, folder: &wanted.folder, go_on };
    let places = finder.find();
    let mut page = Page { wanted, items: Vec::new(), opened: 0 };
    page.add_names(&places, &search);
    page.add_tags(&places, &tags, index);
    page.add_text(&places, &search, index);
    let more = page.items.len() > wanted.limit;
    page.items.truncate(wanted.limit);
    let explain = Explanation { understood: search.understood(), candidates: places.text.candidates, opened: page.opened };
    let total = places.names.len() + places.tagged.len() + places.text.lines;
    Found { items: page.items, total: Some(total), more, coverage, explain }
}

/// Everything that matches, each by path.
#[derive(Clone)]
pub(crate) struct Places {
    names: Arc<Vec<NotePath>>,
    tagged: Arc<Vec<Tagged>>,
    text: Counted,
}

/// A note with a matching tag, and the lines its tags stand on, which are not told again as text.
#[derive(Clone)]
struct Tagged {
    path: NotePath,
    first: u32,
    last: u32,
}

impl Answer for Places {
    fn is_costly(&self) -> bool {
        self.text.is_costly() || !self.tagged.is_empty() || self.names.len() > FEW_NAMES
    }
}

impl Places {
    fn is_told_as_tag(tagged: &[Tagged], path: &NotePath, line: usize) -> bool {
        let found = tagged.binary_search_by(|tagged| tagged.path.cmp(path));
        found.is_ok_and(|at| (tagged[at].first as usize..=tagged[at].last as usize).contains(&line))
    }
}

struct Finder<'a, G> {
    index: &'a Index,
    search: &'a LiteralSearch,
    tags: &'a TagQuery,
    folder: &'a FolderPath,
    go_on: &'a G,
}

impl<G: Fn() -> bool + Sync> Finder<'_, G> {
    fn find(&self) -> Places {
        let question = Question { query: self.search.understood(), folder: self.folder.clone() };
        let update = |places, changed: &[NotePath]| self.update(places, changed);
        self.index.kept().anywhere.answer(self.index, question, update, || self.find_anew(), self.go_on)
    }

    fn find_anew(&self) -> Places {
        let mut names = Candidates::find(self.index, &self.search.needed(), Part::Name, self.folder).paths;
        names.retain(|path| self.search.is_in(path.as_str()));
        let catalogue = self.index.catalogue_so_far();
        let names_of_tags = catalogue.tags().filter(|tag| tag.frontmatter > 0).map(|tag| tag.name);
        let tagged: Vec<Tagged> = match self.tags.is_in_any(names_of_tags) {
            true => catalogue.files_below(self.folder).filter_map(|entry| self.tagged(entry)).collect(),
            false => Vec::new(),
        };
        drop(catalogue);
        let text = self.counter(&tagged, |counter| counter.count());
        Places { names: Arc::new(names), tagged: Arc::new(tagged), text }
    }

    /// Looks again at what has changed since.
    fn update(&self, mut before: Places, changed: &[NotePath]) -> Places {
        let gone: HashSet<&NotePath> = changed.iter().collect();
        let catalogue = self.index.catalogue_so_far();
        let now: Vec<&Entry> = gone.iter().filter_map(|path| catalogue.find(path)).collect();
        let now = || now.iter().copied().filter(|entry| self.folder.contains(&entry.path));
        let names = Arc::make_mut(&mut before.names);
        names.retain(|path| !gone.contains(path));
        names.extend(now().map(|entry| &entry.path).filter(|path| self.search.is_in(path.as_str())).cloned());
        names.sort_unstable();
        let tagged = Arc::make_mut(&mut before.tagged);
        tagged.retain(|tagged| !gone.contains(&tagged.path));
        tagged.extend(now().filter_map(|entry| self.tagged(entry)));
        tagged.sort_by(|a, b| a.path.cmp(&b.path));
        drop(catalogue);
        let text = self.counter(&before.tagged, |counter| counter.update(before.text.clone(), changed));
        Places { text, ..before }
    }

    fn counter(
        &self,
        tagged: &[Tagged],
        count: impl FnOnce(&Counter<'_, G, &(dyn Fn(&NotePath, usize) -> bool + Sync)>) -> Counted,
    ) -> Counted {
        let Finder { index, search, folder, go_on, .. } = *self;
        let counts = |path: &NotePath, line: usize| !Places::is_told_as_tag(tagged, path, line);
        count(&Counter { index, search, folder, order: Order::Path, go_on, counts: &counts })
    }

    fn tagged(&self, entry: &Entry) -> Option<Tagged> {
        if entry.tags.is_empty() || !self.tags.is_in(entry) {
            return None;
        }
        let (first, last) = entry.card().property_tag_lines;
        Some(Tagged { path: entry.path.clone(), first, last })
    }
}

struct Page<'a> {
    wanted: &'a Anywhere<'a>,
    items: Vec<TextMatch>,
    opened: usize,
}

impl Page<'_> {
    fn is_full(&self) -> bool {
        self.items.len() > self.wanted.limit
    }

    /// Where in a list the page begins; the file that ended the page before is looked at again for its other lines.
    fn start<T>(&self, kind: MatchKind, list: &[T], path: impl Fn(&T) -> &NotePath) -> usize {
        match &self.wanted.after {
            Some(after) if after.kind > kind => list.len(),
            Some(after) if after.kind == kind => list.partition_point(|item| *path(item) < after.path),
            _ => 0,
        }
    }

    fn add(&mut self, kind: MatchKind, path: &NotePath, line: usize, snippet: impl FnOnce() -> String) {
        let after = self.wanted.after.as_ref();
        let is_before = after.is_some_and(|after| (kind, path, line) <= (after.kind, &after.path, after.line));
        if !self.is_full() && !is_before {
            self.items.push(TextMatch { path: path.clone(), kind, snippet: snippet(), line });
        }
    }

    fn add_names(&mut self, places: &Places, search: &LiteralSearch) {
        for path in &places.names[self.start(MatchKind::Name, &places.names, |path| path)..] {
            if self.is_full() {
                return;
            }
            if let Some(first) = search.find_all(path.as_str()).first() {
                self.add(MatchKind::Name, path, 1, || snippet(path.as_str(), first));
            }
        }
    }

    fn add_tags(&mut self, places: &Places, tags: &TagQuery, index: &Index) {
        for Tagged { path, first, .. } in &places.tagged[self.start(MatchKind::Tag, &places.tagged, |tagged| &tagged.path)..] {
            if self.is_full() {
                return;
            }
            let catalogue = index.catalogue_so_far();
            let Some(entry) = catalogue.find(path) else { continue };
            self.add(MatchKind::Tag, path, *first as usize, || tags.snippet(entry));
        }
    }

    fn add_text(&mut self, places: &Places, search: &LiteralSearch, index: &Index) {
        let files = &places.text.files;
        for CountedFile { path, .. } in &files[self.start(MatchKind::Text, files, |file| &file.path)..] {
            if self.is_full() {
                return;
            }
            self.opened += 1;
            let Ok(contents) = index.vault().read_text(path) else { continue };
            let Ok(text) = std::str::from_utf8(&contents.bytes) else { continue };
            let text = composed(text);
            for (line, range) in matching_lines(&search.find_all(&text), &text) {
                if !Places::is_told_as_tag(&places.tagged, path, line) {
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

    fn is_in(&self, entry: &Entry) -> bool {
        self.is_whole_in(entry)
            || self.words.len() > 1 && self.words.iter().all(|word| entry.tags.iter().any(|tag| word.is_in(tag)))
    }

    fn is_whole_in(&self, entry: &Entry) -> bool {
        entry.tags.iter().any(|tag| self.whole.is_in(tag))
    }

    /// All tags of the note, the matching ones in bold.
    fn snippet(&self, entry: &Entry) -> String {
        let whole = self.is_whole_in(entry);
        let is_hit = |tag: &str| if whole { self.whole.is_in(tag) } else { self.words.iter().any(|word| word.is_in(tag)) };
        let shown = |tag: &str| if is_hit(tag) { format!("**{tag}**") } else { tag.to_owned() };
        let tags: Vec<String> = entry.tags.iter().map(|tag| shown(tag)).collect();
        format!("tags: [{}]", tags.join(", "))
    }
}
