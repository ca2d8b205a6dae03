//! Answering ranked queries: the best of the index and of what is not in it yet, a page at a time.

use std::cell::OnceCell;
use std::cmp::Ordering;
use std::sync::Arc;

use jiff::Zoned;
use parking_lot::{Mutex, RwLockReadGuard};
use quillgate_vault::{FolderPath, NotePath};
use tantivy::DocAddress;

use crate::card::Card;
use crate::catalogue::Catalogue;
use crate::entry::Entry;
use crate::ranked::{CardFacts, Highlight, NoteFacts, Outside, Plan, PropertyValue, QueryError, RankedQuery, Source};
use crate::scan::scan;
use crate::search::{Explanation, Found};
use crate::sync::Index;
use crate::text::Snapshot;

/// How much further is looked when a page lies behind the first ones.
const FURTHER: usize = 4;

/// What to look for and where.
#[derive(Clone, Debug)]
pub struct Ranked<'a> {
    pub query: &'a str,
    pub folder: FolderPath,
    pub limit: usize,
    /// Score and path of the last item of the page before.
    pub after: Option<(f32, NotePath)>,
}

#[derive(Clone, Debug)]
pub struct RankedNote {
    pub path: NotePath,
    pub score: f32,
    /// The line that shows best why the note was found.
    pub line: usize,
    pub snippet: String,
}

/// The best notes first. Waits for the catalogue, not for the text index.
pub fn search_ranked(
    index: &Index,
    wanted: &Ranked<'_>,
    go_on: &(impl Fn() -> bool + Sync),
) -> Result<Found<RankedNote>, QueryError> {
    let query = RankedQuery::parse(wanted.query, &Zoned::now())?;
    let search = Search { index, query: &query, wanted };
    let Hits { mut hits, are_all, opened } = match query.is_only_filters() {
        true => search.passing(),
        false => search.best(go_on),
    };
    hits.sort_by(Hit::compare);
    let candidates = hits.len();
    hits.retain(|hit| hit.is_after(wanted.after.as_ref()));
    let more = hits.len() > wanted.limit;
    hits.truncate(wanted.limit);
    let opened = opened + hits.len();
    let mut highlight = query.highlight(index.text().language);
    let items = hits.into_iter().map(|hit| search.show(hit, &mut highlight)).collect();
    let explain = Explanation { understood: query.understood(), candidates, opened };
    Ok(Found { items, total: are_all.then_some(candidates), more, coverage: index.coverage(), explain })
}

struct Search<'a> {
    index: &'a Index,
    query: &'a RankedQuery,
    wanted: &'a Ranked<'a>,
}

#[derive(Default)]
struct Hits {
    hits: Vec<Hit>,
    /// Whether no note matches that is not among them.
    are_all: bool,
    /// Files that were read for it.
    opened: usize,
}

struct Hit {
    score: f32,
    path: NotePath,
}

impl Hit {
    fn compare(&self, other: &Hit) -> Ordering {
        other.score.total_cmp(&self.score).then_with(|| self.path.cmp(&other.path))
    }

    fn is_after(&self, last: Option<&(f32, NotePath)>) -> bool {
        last.is_none_or(|(score, path)| score.total_cmp(&self.score).then_with(|| self.path.cmp(path)) == Ordering::Greater)
    }
}

impl Search<'_> {
    /// Every note that passes the filters, none better than another.
    fn passing(&self) -> Hits {
        let catalogue = self.index.catalogue();
        let notes = catalogue.files_below(&self.wanted.folder).filter(|entry| entry.path.is_note());
        let passing = notes.filter(|entry| self.query.passes(&LazyFacts::of(entry)));
        let hits = passing.map(|entry| Hit { score: 1.0, path: entry.path.clone() }).collect();
        Hits { hits, are_all: true, opened: 0 }
    }

    /// The best notes, at least enough for the page that is wanted.
    fn best(&self, go_on: &(impl Fn() -> bool + Sync)) -> Hits {
        drop(self.index.catalogue());
        let view = self.index.text().view();
        let (snapshot, pending) = match view.snapshot {
            Some(snapshot) => (snapshot, view.pending),
            None => (self.index.text().empty_snapshot(), self.all_paths()),
        };
        let failed = |error: &tantivy::TantivyError| tracing::warn!(%error, "the text index cannot be read");
        let Ok(plan) = self.query.plan(&snapshot.searcher, &snapshot.fields.ranked).inspect_err(failed) else {
            return Hits::default();
        };
        let opened = pending.len();
        let outside = self.outside(&plan, pending, go_on);
        let mut asked = self.wanted.limit + 1;
        loop {
            let mut hits = self.inside(&plan, &snapshot, asked).unwrap_or_default();
            let are_all = hits.len() < asked;
            // What was committed while this search began is in the snapshot and among the pending files.
            hits.retain(|hit| !outside.iter().any(|(_, path)| *path == hit.path));
            hits.extend(outside.iter().map(|(score, path)| Hit { score: *score, path: path.clone() }));
            self.put_namesakes_first(&mut hits);
            let on_page = hits.iter().filter(|hit| hit.is_after(self.wanted.after.as_ref())).count();
            if are_all || on_page > self.wanted.limit {
                return Hits { hits, are_all, opened };
            }
            asked *= FURTHER;
        }
    }

    /// Whoever types the name of a note wants that note. Its score is the same on every page.
    fn put_namesakes_first(&self, hits: &mut Vec<Hit>) {
        let best = hits.iter().map(|hit| hit.score).fold(1.0, f32::max);
        let mut namesakes = self.index.catalogue_so_far().named(self.wanted.query.trim());
        namesakes.retain(|path| self.is_wanted(path));
        hits.retain(|hit| !namesakes.contains(&hit.path));
        hits.extend(namesakes.into_iter().map(|path| Hit { score: 2.0 * best, path }));
    }

    /// Ranked search is about notes; other texts are found by literal search.
    fn is_wanted(&self, path: &NotePath) -> bool {
        path.is_note() && self.wanted.folder.contains(path)
    }

    fn all_paths(&self) -> Vec<NotePath> {
        self.index.catalogue().files_below(&self.wanted.folder).map(|entry| entry.path.clone()).collect()
    }

    fn inside(&self, plan: &Plan<'_>, snapshot: &Arc<Snapshot>, asked: usize) -> Option<Vec<Hit>> {
        let catalogue: RwLockReadGuard<'_, Catalogue> = self.index.catalogue_so_far();
        let entry_of = |address: DocAddress| {
            let origin = snapshot.origin(address);
            let (_, entry) = catalogue.find_by_key(origin.key)?;
            // A document of other bytes than the file has now counts for nothing: the file is pending.
            (entry.version() == origin.version && self.is_wanted(&entry.path)).then_some(entry)
        };
        let found = plan.top(asked, |segment, document| entry_of(DocAddress::new(segment, document)).map(LazyFacts::of));
        let hits = found.inspect_err(|error| tracing::warn!(%error, "the text index cannot be read")).ok()?;
        Some(hits.into_iter().map(|hit| Hit { score: hit.score, path: hit.path }).collect())
    }

    /// The notes that the index does not hold, scored by its numbers.
    fn outside(&self, plan: &Plan<'_>, mut pending: Vec<NotePath>, go_on: &(impl Fn() -> bool + Sync)) -> Vec<(f32, NotePath)> {
        pending.retain(|path| self.is_wanted(path));
        if pending.is_empty() {
            return Vec::new();
        }
        // Made once for each thread that scores.
        let scorers: Mutex<Vec<Outside<'_>>> = Mutex::default();
        let scored = scan(self.index.vault(), &pending, go_on, |path, bytes| {
            let entry = self.index.catalogue_so_far().find(path).cloned()?;
            let text = &*String::from_utf8_lossy(bytes);
            let spare = scorers.lock().pop();
            let mut scorer = spare.or_else(|| plan.outside().ok())?;
            let card = entry.card();
            let score = scorer.score(&Source { path, card: &card, text }, &facts(&entry, &card));
            scorers.lock().push(scorer);
            score
        });
        scored.into_iter().map(|(at, score)| (score, pending[at].clone())).collect()
    }

    fn show(&self, hit: Hit, highlight: &mut Highlight) -> RankedNote {
        let contents = self.index.vault().read_text(&hit.path).ok();
        let text = contents.as_ref().map(|contents| String::from_utf8_lossy(&contents.bytes)).unwrap_or_default();
        let snippet = highlight.snippet(&text);
        RankedNote { path: hit.path, score: hit.score, line: snippet.line, snippet: snippet.text }
    }
}

fn facts<'a>(entry: &'a Entry, card: &'a Card) -> CardFacts<'a> {
    CardFacts { path: &entry.path, card, created: entry.stat.created, modified: entry.stat.modified }
}

/// Most queries ask for no facts, so the card is read when one does.
struct LazyFacts<'a> {
    entry: &'a Entry,
    card: OnceCell<Card>,
}

impl<'a> LazyFacts<'a> {
    fn of(entry: &'a Entry) -> LazyFacts<'a> {
        LazyFacts { entry, card: OnceCell::new() }
    }

    fn facts(&self) -> CardFacts<'_> {
        facts(self.entry, self.card.get_or_init(|| self.entry.card()))
    }
}

impl NoteFacts for LazyFacts<'_> {
    fn path(&self) -> &NotePath {
        &self.entry.path
    }

    fn any_tag(&self, accept: &mut dyn FnMut(&str) -> bool) -> bool {
        self.facts().any_tag(accept)
    }

    fn any_value(&self, key: &str, accept: &mut dyn FnMut(PropertyValue<'_>) -> bool) -> bool {
        self.facts().any_value(key, accept)
    }

    fn created(&self) -> Option<i64> {
        self.entry.stat.created
    }

    fn modified(&self) -> i64 {
        self.entry.stat.modified
    }
}
