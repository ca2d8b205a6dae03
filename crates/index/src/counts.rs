//! How often each file has a literal text.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::Arc;

use quillgate_vault::{FolderPath, NotePath};

use crate::candidates::Candidates;
use crate::fold_search::composed;
use crate::kept_answers::Answer;
use crate::lines::matching_lines;
use crate::literal::LiteralSearch;
use crate::scan::scan;
use crate::sync::Index;
use crate::text::Part;

/// Counting so few files costs less than keeping the counts.
const FEW: usize = 64;
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
    lines: u32,
    pub(crate) rank: f32,
}

/// All files with the text in them.
#[derive(Clone)]
pub(crate) struct Counted {
    pub(crate) files: Arc<Vec<CountedFile>>,
    /// The number of matching lines.
    pub(crate) lines: usize,
    /// Files that had to be looked at.
    pub(crate) candidates: usize,
}

impl Answer for Counted {
    fn is_costly(&self) -> bool {
        self.candidates > FEW
    }
}

/// What is counted, in which order it is told, and which lines count.
pub(crate) struct Counter<'a, G, C> {
    pub(crate) index: &'a Index,
    pub(crate) search: &'a LiteralSearch,
    pub(crate) folder: &'a FolderPath,
    pub(crate) order: Order,
    pub(crate) go_on: &'a G,
    pub(crate) counts: C,
}

impl<G: Fn() -> bool + Sync, C: Fn(&NotePath, usize) -> bool + Sync> Counter<'_, G, C> {
    pub(crate) fn count(&self) -> Counted {
        let paths = Candidates::find(self.index, &self.search.needed(), Part::Text, self.folder).paths;
        self.counted(self.count_files(&paths), paths.len())
    }

    /// Counts again what has changed since.
    pub(crate) fn update(&self, mut before: Counted, changed: &[NotePath]) -> Counted {
        let changed: HashSet<&NotePath> = changed.iter().collect();
        let catalogue = self.index.catalogue_so_far();
        let is_there = |path: &&NotePath| catalogue.find(path).is_some_and(|entry| !entry.stat.offline);
        let in_folder = changed.iter().copied().filter(|path| self.folder.contains(path));
        let mut paths: Vec<NotePath> = in_folder.filter(is_there).cloned().collect();
        drop(catalogue);
        paths.sort_unstable();
        let mut files = std::mem::take(Arc::make_mut(&mut before.files));
        files.retain(|file| !changed.contains(&file.path));
        files.extend(self.count_files(&paths));
        self.counted(files, before.candidates)
    }

    fn counted(&self, mut files: Vec<CountedFile>, candidates: usize) -> Counted {
        match self.order {
            Order::Rank => files.sort_by(CountedFile::by_rank),
            Order::Path => files.sort_by(|a, b| a.path.cmp(&b.path)),
        }
        let lines = files.iter().map(|file| file.lines as usize).sum();
        Counted { files: Arc::new(files), lines, candidates }
    }

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

impl CountedFile {
    fn by_rank(&self, other: &CountedFile) -> Ordering {
        other.rank.total_cmp(&self.rank).then_with(|| self.path.cmp(&other.path))
    }
}

/// BM25's weight of a term that stands `times` in a note of `bytes`.
fn rank(times: usize, bytes: usize) -> f32 {
    let (times, length) = (times as f32, bytes as f32 / AVERAGE_BYTES);
    times * (SATURATION + 1.0) / (times + SATURATION * (1.0 - LENGTH_WEIGHT + LENGTH_WEIGHT * length))
}
