//! Scores notes the index does not have yet, by the numbers of the index, as tantivy would score them.

use std::collections::HashMap;

use tantivy::fieldnorm::FieldNormReader;
use tantivy::query::Bm25Weight;

use super::analysis::Words;
use super::fields::{PARTS, Part, Source, for_each_text};
use super::filter::NoteFacts;
use super::matching::Match;
use super::plan::Plan;

/// tantivy leaves this between two texts of a field.
const POSITION_GAP: usize = 1;

/// Made once per query, then used for every note.
pub(crate) struct Outside<'a> {
    plan: &'a Plan<'a>,
    words: Words,
    /// The terms of the query, numbered.
    numbers: HashMap<&'a str, usize>,
    weights: Weights<'a>,
}

/// The weights of terms and phrases, field by field.
type Weights<'a> = HashMap<Vec<&'a str>, [Bm25Weight; PARTS.len()]>;

/// Where the terms of the query stand in one field of a note.
#[derive(Default)]
struct Found {
    length: u32,
    positions: Vec<Vec<usize>>,
}

impl<'a> Plan<'a> {
    pub(crate) fn outside(&'a self) -> tantivy::Result<Outside<'a>> {
        let mut numbers = HashMap::new();
        let mut weights = HashMap::new();
        for wanted in self.branches.iter().filter_map(|branch| branch.wanted.as_ref()) {
            self.prepare(wanted, &mut numbers, &mut weights)?;
        }
        Ok(Outside { plan: self, words: self.statistics.fields.words(), numbers, weights })
    }

    fn prepare(
        &'a self,
        wanted: &'a Match,
        numbers: &mut HashMap<&'a str, usize>,
        weights: &mut Weights<'a>,
    ) -> tantivy::Result<()> {
        match wanted {
            Match::Terms(terms) => {
                terms.iter().try_for_each(|term| self.prepare_terms(vec![term.as_str()], numbers, weights))?;
            }
            Match::Phrase(terms) => {
                self.prepare_terms(terms.iter().map(|(_, term)| term.as_str()).collect(), numbers, weights)?;
            }
            Match::Any(matches) => matches.iter().try_for_each(|each| self.prepare(each, numbers, weights))?,
            Match::Group { required, optional, excluded } => {
                let all = required.iter().chain(optional).chain(excluded);
                all.into_iter().try_for_each(|each| self.prepare(each, numbers, weights))?;
            }
        }
        Ok(())
    }

    fn prepare_terms(
        &self,
        terms: Vec<&'a str>,
        numbers: &mut HashMap<&'a str, usize>,
        weights: &mut Weights<'a>,
    ) -> tantivy::Result<()> {
        for term in &terms {
            let next = numbers.len();
            numbers.entry(term).or_insert(next);
        }
        if weights.contains_key(&terms) {
            return Ok(());
        }
        let mut of_parts = Vec::with_capacity(PARTS.len());
        for part in PARTS {
            let in_field: Vec<_> = terms.iter().map(|term| self.statistics.fields.term(part, term)).collect();
            of_parts.push(Bm25Weight::for_terms(&self.statistics, &in_field)?.boost_by(part.boost(self.style)));
        }
        let of_parts = of_parts.try_into().unwrap_or_else(|_| unreachable!("one weight for every part"));
        weights.insert(terms, of_parts);
        Ok(())
    }
}

impl Outside<'_> {
    /// `None` when the note does not match.
    pub(crate) fn score(&mut self, source: &Source, facts: &dyn NoteFacts) -> Option<f32> {
        let mut passing = self.plan.branches.iter().filter(|branch| branch.filter.passes(facts)).peekable();
        passing.peek()?;
        let found = PARTS.map(|part| find_terms(&mut self.words, &self.numbers, part, source));
        let scores = passing.filter_map(|branch| match &branch.wanted {
            None => Some(1.0),
            Some(wanted) => self.score_match(wanted, &found),
        });
        scores.reduce(f32::max)
    }

    fn score_match(&self, wanted: &Match, found: &[Found; PARTS.len()]) -> Option<f32> {
        match wanted {
            Match::Terms(terms) => sum(terms.iter().map(|term| self.score_terms(&[(0, term)], found))),
            Match::Phrase(terms) => {
                let terms: Vec<(usize, &str)> = terms.iter().map(|(offset, term)| (*offset, term.as_str())).collect();
                self.score_terms(&terms, found)
            }
            Match::Any(matches) => sum(matches.iter().map(|each| self.score_match(each, found))),
            Match::Group { required, optional, excluded } => {
                if excluded.iter().any(|each| self.score_match(each, found).is_some()) {
                    return None;
                }
                let optional = sum(optional.iter().map(|each| self.score_match(each, found)));
                if required.is_empty() {
                    return if matches!(wanted, Match::Group { optional, .. } if optional.is_empty()) {
                        Some(1.0)
                    } else {
                        optional
                    };
                }
                let scores: Option<Vec<f32>> = required.iter().map(|each| self.score_match(each, found)).collect();
                scores.map(|scores| scores.into_iter().sum::<f32>() + optional.unwrap_or(0.0))
            }
        }
    }

    /// Of one term, or of several that follow each other.
    fn score_terms(&self, terms: &[(usize, &str)], found: &[Found; PARTS.len()]) -> Option<f32> {
        let names: Vec<&str> = terms.iter().map(|(_, term)| *term).collect();
        let weights = self.weights.get(&names)?;
        sum(found.iter().zip(weights).map(|(found, weight)| {
            let count = self.count(terms, found);
            (count > 0).then(|| weight.score(FieldNormReader::constant(1, found.length).fieldnorm_id(0), count))
        }))
    }

    fn count(&self, terms: &[(usize, &str)], found: &Found) -> u32 {
        let positions = |term: &str| self.numbers.get(term).and_then(|number| found.positions.get(*number));
        let Some(((first_offset, first), others)) = terms.split_first() else { return 0 };
        let Some(starts) = positions(first) else { return 0 };
        let follows = |start: usize| {
            others.iter().all(|(offset, term)| {
                positions(term).is_some_and(|positions| positions.binary_search(&(start + offset - first_offset)).is_ok())
            })
        };
        u32::try_from(starts.iter().filter(|start| follows(**start)).count()).unwrap_or(u32::MAX)
    }
}

fn find_terms(words: &mut Words, numbers: &HashMap<&str, usize>, part: Part, source: &Source) -> Found {
    let mut found = Found { length: 0, positions: vec![Vec::new(); numbers.len()] };
    let mut start = 0;
    for_each_text(part, source, |text| {
        let mut end = start;
        words.for_each(text, |term, _, position, _| {
            found.length += 1;
            end = end.max(start + position + 1);
            if let Some(number) = numbers.get(term) {
                found.positions[*number].push(start + position);
            }
        });
        start = end + POSITION_GAP;
    });
    found
}

/// The sum of those that match; `None` if none does.
fn sum(scores: impl Iterator<Item = Option<f32>>) -> Option<f32> {
    scores.flatten().reduce(|sum, score| sum + score)
}
