//! How often each file has a literal text, kept for the next page and the next call.
//!
//! A common word is in every note: counting it means reading them all, once. After that only the notes that changed are
//! counted again.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::Arc;

use parking_lot::Mutex;
use quillgate_vault::{FolderPath, NotePath};

use crate::candidates::Candidates;
use crate::fold_search::composed;
use crate::lines::matching_lines;
use crate::literal::{LiteralKey, LiteralSearch};
use crate::scan::scan;
use crate::search::Coverage;
use crate::sync::Index;
use crate::text::Part;

/// Counting so few files costs less than keeping the counts.
const FEW: usize = 64;
/// Queries whose counts are kept.
const MOST_KEPT: usize = 8;
/// Ranks are those of BM25, for a note of average length.
const SATURATION: f32 = 1.2;
const LENGTH_WEIGHT: f32 = 0.75;
const AVERAGE_BYTES: f32 = 4096.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Most of the query first, then by path.
    Rank,
    Path,
}

/// A file with the text in it.
#[derive(Clone, Debug)]
pub(crate) struct CountedFile {
    pub(crate) path: NotePath,
    pub(crate) lines: u32,
    pub(crate) rank: f32,
}

/// All files with the text in them.
#[derive(Clone)]
pub(crate) struct Counted {
    pub(crate) files: Arc<Vec<CountedFile>>,
    lines: usize,
    pub(crate) candidates: usize,
    pub(crate) opened: usize,
    pub(crate) coverage: Coverage,
    notes: usize,
}

/// Counts of recent queries, latest last.
#[derive(Default)]
pub(crate) struct KeptCounts {
    kept: Mutex<Vec<Kept>>,
}

#[derive(Clone)]
struct Kept {
    query: String,
    folder: FolderPath,
    order: Order,
    /// What had changed when the counting began.
    stamp: u64,
    counted: Counted,
}

impl Counted {
    /// `counts` says which lines of a file count.
    pub(crate) fn find(
        index: &Index,
        search: &LiteralSearch,
        folder: &FolderPath,
        order: Order,
        go_on: &(impl Fn() -> bool + Sync),
        counts: impl Fn(&NotePath, usize) -> bool + Sync,
    ) -> Counted {
        let query = search.understood();
        let stamp = index.text().stamp();
        let kept = index.kept_counts().take(&query, folder, order);
        let counter = Counter { index, search, go_on, counts };
        let counted = match kept.and_then(|kept| counter.bring_up_to_date(kept)) {
            Some(counted) => counted,
            None => counter.count(folder, order),
        };
        if counted.candidates > FEW && go_on() && index.is_ready() {
            index.kept_counts().keep(Kept { query, folder: folder.clone(), order, stamp, counted: counted.clone() });
        }
        counted
    }

    /// The number of matching lines.
    pub(crate) fn lines(&self) -> usize {
        self.lines
    }

    /// How rare the query is in the vault: BM25's weight of a term.
    pub(crate) fn rarity(&self) -> f32 {
        let (notes, matching) = (self.notes as f32, self.files.len() as f32);
        (1.0 + (notes - matching).max(0.0) / (matching + 0.5) + 0.5 / (matching + 0.5)).ln()
    }

    /// The files from the one that ended the page before.
    pub(crate) fn files_after(&self, key: Option<&LiteralKey>) -> &[CountedFile] {
        let start = key.map_or(0, |key| self.files.partition_point(|file| file.compare(key) == Ordering::Less));
        &self.files[start..]
    }
}

impl KeptCounts {
    fn take(&self, query: &str, folder: &FolderPath, order: Order) -> Option<Kept> {
        let mut kept = self.kept.lock();
        let at = kept.iter().position(|kept| kept.query == query && kept.folder == *folder && kept.order == order)?;
        Some(kept.remove(at))
    }

    fn keep(&self, counts: Kept) {
        let mut kept = self.kept.lock();
        if kept.len() >= MOST_KEPT {
            kept.remove(0);
        }
        kept.push(counts);
    }
}

struct Counter<'a, G, C> {
    index: &'a Index,
    search: &'a LiteralSearch,
    go_on: &'a G,
    counts: C,
}

impl<G: Fn() -> bool + Sync, C: Fn(&NotePath, usize) -> bool + Sync> Counter<'_, G, C> {
    fn count(&self, folder: &FolderPath, order: Order) -> Counted {
        let Candidates { paths, coverage } = Candidates::find(self.index, &self.search.needed(), Part::Text, folder);
        let mut files = self.count_files(&paths);
        if order == Order::Rank {
            files.sort_by(by_rank);
        }
        let lines = files.iter().map(|file| file.lines as usize).sum();
        let notes = self.index.catalogue_so_far().len();
        Counted { files: Arc::new(files), lines, candidates: paths.len(), opened: paths.len(), coverage, notes }
    }

    /// Counts again what has changed since; nothing when that is no longer known.
    fn bring_up_to_date(&self, kept: Kept) -> Option<Counted> {
        let changed: HashSet<NotePath> = self.index.text().changes_since(kept.stamp)?.into_iter().collect();
        let coverage = self.index.coverage();
        if changed.is_empty() {
            return Some(Counted { opened: 0, coverage, ..kept.counted });
        }
        let mut paths: Vec<NotePath> = changed.iter().filter(|path| kept.folder.contains(path)).cloned().collect();
        paths.retain(|path| self.index.catalogue_so_far().find(path).is_some_and(|entry| !entry.stat.offline));
        paths.sort_unstable();
        let mut counted = kept.counted;
        let files = Arc::make_mut(&mut counted.files);
        files.retain(|file| !changed.contains(&file.path));
        files.extend(self.count_files(&paths));
        match kept.order {
            Order::Rank => files.sort_by(by_rank),
            Order::Path => files.sort_by(|a, b| a.path.cmp(&b.path)),
        }
        counted.lines = files.iter().map(|file| file.lines as usize).sum();
        Some(Counted { opened: paths.len(), coverage, notes: self.index.catalogue_so_far().len(), ..counted })
    }

    /// In the order of the paths.
    fn count_files(&self, paths: &[NotePath]) -> Vec<CountedFile> {
        let found = scan(self.index.vault(), paths, self.go_on, |path, bytes| {
            let text = composed(std::str::from_utf8(bytes).ok()?);
            let found = self.search.find_all(&text);
            let lines = matching_lines(&found, &text).into_iter().filter(|(line, _)| (self.counts)(path, *line)).count();
            (lines > 0).then(|| (u32::try_from(lines).unwrap_or(u32::MAX), rank(found.len(), bytes.len())))
        });
        found.into_iter().map(|(at, (lines, rank))| CountedFile { path: paths[at].clone(), lines, rank }).collect()
    }
}

fn by_rank(a: &CountedFile, b: &CountedFile) -> Ordering {
    b.rank.total_cmp(&a.rank).then_with(|| a.path.cmp(&b.path))
}

/// BM25's weight of a term that stands `times` in a note of `bytes`.
fn rank(times: usize, bytes: usize) -> f32 {
    let (times, length) = (times as f32, bytes as f32 / AVERAGE_BYTES);
    times * (SATURATION + 1.0) / (times + SATURATION * (1.0 - LENGTH_WEIGHT + LENGTH_WEIGHT * length))
}
