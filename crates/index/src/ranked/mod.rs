//! Ranked search: words, phrases and filters over notes, best first.

mod analysis;
mod branches;
mod characters;
mod dates;
mod facts;
mod fields;
mod filter;
mod language;
mod matching;
mod outside;
mod plan;
mod query;
mod snippet;
mod statistics;
mod syntax;
mod terms;
#[cfg(test)]
mod tests;

pub(crate) use facts::CardFacts;
pub(crate) use fields::{RankedFields, Source};
pub(crate) use filter::{NoteFacts, PropertyValue};
pub use language::{Diacritics, Language, Stemming};
pub(crate) use outside::Outside;
pub(crate) use plan::Plan;
pub(crate) use query::RankedQuery;
pub(crate) use snippet::Highlight;

/// What is wrong with a query, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    #[error("\"{0}\" is not a date; write 2024, 2024-05, 2024-05-01, >2024-01-01, 2024-01..2024-03, today, yesterday or 7d")]
    Date(String),
    #[error("the query mixes words and filters in more than {0} alternatives; use fewer OR, or several queries")]
    TooManyAlternatives(usize),
}
