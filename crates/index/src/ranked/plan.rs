//! A query made ready for one state of the index: which terms, with which weights, and the best notes for them.

use std::cmp::Ordering;
use std::collections::hash_map::Entry;
use std::collections::{BinaryHeap, HashMap};

use quillgate_vault::NotePath;
use tantivy::query::Bm25StatisticsProvider;
use tantivy::{DocAddress, DocId, Score, Searcher, SegmentOrdinal};

use super::fields::{Part, RankedFields, Style};
use super::filter::{Filter, NoteFacts};
use super::matching::Match;
use super::query::{RankedQuery, to_tantivy};
use super::statistics::Statistics;

/// Of a whole page pasted as a query, the rarest words.
const MOST_TERMS: usize = 48;

pub(crate) struct Plan<'a> {
    pub(super) statistics: Statistics<'a>,
    pub(super) style: Style,
    pub(super) branches: Vec<PlannedBranch<'a>>,
}

pub(super) struct PlannedBranch<'a> {
    /// `None` when the query asks for no words.
    pub(super) wanted: Option<Match>,
    pub(super) filter: &'a Filter,
}

impl PlannedBranch<'_> {
    fn terms(&self) -> usize {
        let mut terms = 0;
        if let Some(wanted) = &self.wanted {
            wanted.for_each_term(&mut |_| terms += 1);
        }
        terms
    }
}

/// A note and how well it matches.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Hit {
    pub(crate) score: Score,
    pub(crate) path: NotePath,
    pub(crate) address: DocAddress,
}

impl RankedQuery {
    pub(crate) fn plan<'a>(&'a self, searcher: &'a Searcher, fields: &'a RankedFields) -> tantivy::Result<Plan<'a>> {
        let statistics = Statistics { searcher, fields };
        let mut words = fields.words();
        let mut branches = Vec::new();
        for branch in &self.branches {
            let mut wanted = branch.text.as_ref().and_then(|text| Match::of(text, &mut words));
            // Nothing but signs was typed, which is in no note.
            if wanted.is_none() && (branch.text.is_some() || branch.filter == Filter::Everything) {
                continue;
            }
            if let Some(wanted) = &mut wanted {
                keep_rarest(wanted, &statistics)?;
            }
            branches.push(PlannedBranch { wanted, filter: &branch.filter });
        }
        let style = Style::of(branches.iter().map(PlannedBranch::terms).max().unwrap_or(0));
        Ok(Plan { statistics, style, branches })
    }
}

fn keep_rarest(wanted: &mut Match, statistics: &Statistics) -> tantivy::Result<()> {
    match wanted {
        Match::Terms(terms) if terms.len() > MOST_TERMS => {
            let mut rated = Vec::with_capacity(terms.len());
            for term in std::mem::take(terms) {
                let frequency = statistics.doc_freq(&statistics.fields.term(Part::Body, &term))?;
                // A word in no note at all is no help.
                rated.push((frequency.wrapping_sub(1), term));
            }
            rated.sort();
            terms.extend(rated.into_iter().take(MOST_TERMS).map(|(_, term)| term));
        }
        Match::Terms(_) | Match::Phrase(_) => {}
        Match::Any(matches) => matches.iter_mut().try_for_each(|each| keep_rarest(each, statistics))?,
        Match::Group { required, optional, excluded } => {
            required.iter_mut().chain(optional).chain(excluded).try_for_each(|each| keep_rarest(each, statistics))?;
        }
    }
    Ok(())
}

impl Plan<'_> {
    /// The best notes of the index. `note` gives the facts of the note a document stands for, or `None` when that note is
    /// gone or has changed since; it is asked only about documents that would be among the best.
    pub(crate) fn top<N: NoteFacts>(
        &self,
        limit: usize,
        mut note: impl FnMut(SegmentOrdinal, DocId) -> Option<N>,
    ) -> tantivy::Result<Vec<Hit>> {
        let mut best: HashMap<DocAddress, Hit> = HashMap::new();
        for branch in &self.branches {
            let accept = |segment, document| {
                let facts = note(segment, document)?;
                branch.filter.passes(&facts).then(|| facts.path().clone())
            };
            for hit in self.top_of_branch(branch, limit, accept)? {
                match best.entry(hit.address) {
                    Entry::Occupied(known) if known.get().score >= hit.score => {}
                    entry => drop(entry.insert_entry(hit)),
                }
            }
        }
        let mut hits: Vec<Hit> = best.into_values().collect();
        hits.sort();
        hits.truncate(limit);
        Ok(hits)
    }

    fn top_of_branch(
        &self,
        branch: &PlannedBranch,
        limit: usize,
        mut accept: impl FnMut(SegmentOrdinal, DocId) -> Option<NotePath>,
    ) -> tantivy::Result<Vec<Hit>> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        let query = to_tantivy(branch.wanted.as_ref(), self.statistics.fields, self.style);
        let weight = query.weight(self.statistics.scoring())?;
        let mut best: BinaryHeap<Hit> = BinaryHeap::with_capacity(limit.min(1024) + 1);
        for (segment, reader) in (0..).zip(self.statistics.searcher.segment_readers()) {
            let alive = reader.alive_bitset();
            // Only what is as good as the worst of the best is looked at, which lets tantivy skip the rest.
            let bar = |best: &BinaryHeap<Hit>| match best.peek() {
                Some(worst) if best.len() >= limit => worst.score.next_down(),
                _ => Score::MIN,
            };
            weight.for_each_pruning(bar(&best), reader, &mut |document, score| {
                let is_alive = alive.is_none_or(|alive| alive.is_alive(document));
                if let Some(path) = is_alive.then(|| accept(segment, document)).flatten() {
                    best.push(Hit { score, path, address: DocAddress::new(segment, document) });
                    if best.len() > limit {
                        best.pop();
                    }
                }
                bar(&best)
            })?;
        }
        Ok(best.into_sorted_vec())
    }
}

/// Better ones first, so the greatest is the worst; equally good ones by path.
impl Ord for Hit {
    fn cmp(&self, other: &Hit) -> Ordering {
        other.score.total_cmp(&self.score).then_with(|| self.path.cmp(&other.path))
    }
}

impl PartialOrd for Hit {
    fn partial_cmp(&self, other: &Hit) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Eq for Hit {}
