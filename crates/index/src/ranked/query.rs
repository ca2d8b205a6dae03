//! A question for ranked search, and how it is put to the index.

use jiff::Zoned;
use tantivy::query::{AllQuery, BooleanQuery, BoostQuery, EmptyQuery, Occur, PhraseQuery, Query, TermQuery};
use tantivy::schema::IndexRecordOption;

use super::QueryError;
use super::branches::{Branch, Group, Text, branches_of};
use super::fields::{RankedFields, Style};
use super::filter::{Filter, NoteFacts};
use super::matching::Match;
use super::syntax::parse;

#[derive(Clone, Debug)]
pub(crate) struct RankedQuery {
    /// A note matches when it matches one of them.
    pub(super) branches: Vec<Branch>,
}

impl RankedQuery {
    /// `now` says what `today` is, and where a day begins.
    pub(crate) fn parse(text: &str, now: &Zoned) -> Result<RankedQuery, QueryError> {
        Ok(RankedQuery { branches: branches_of(parse(text, now)?)? })
    }

    /// Whether no word is asked for: every note that passes is an answer, and none is better than another.
    pub(crate) fn is_only_filters(&self) -> bool {
        self.branches.iter().all(|branch| branch.text.is_none() && branch.filter != Filter::Everything)
    }

    /// For a query of filters only.
    pub(crate) fn passes(&self, note: &dyn NoteFacts) -> bool {
        self.branches.iter().any(|branch| branch.filter.passes(note))
    }

    /// Says how the query was read.
    pub(crate) fn understood(&self) -> String {
        let branches: Vec<String> = self.branches.iter().map(describe_branch).collect();
        branches.join(", or ")
    }
}

fn describe_branch(branch: &Branch) -> String {
    match (&branch.text, &branch.filter) {
        (None, Filter::Everything) => "nothing to search for".to_owned(),
        (None, filter) => format!("notes where {}", filter.describe()),
        (Some(text), Filter::Everything) => describe(text),
        (Some(text), filter) => format!("{}, where {}", describe(text), filter.describe()),
    }
}

fn describe(text: &Text) -> String {
    match text {
        Text::Word(word) => word.clone(),
        Text::Phrase(phrase) => format!("\"{phrase}\""),
        Text::Any(texts) => format!("any of ({})", describe_all(texts)),
        Text::Group(Group { required, optional, excluded }) => {
            let named = [("all of", required), ("any of", optional), ("none of", excluded)];
            let named = named.into_iter().filter(|(_, texts)| !texts.is_empty());
            named.map(|(name, texts)| format!("{name} ({})", describe_all(texts))).collect::<Vec<_>>().join(" and ")
        }
    }
}

fn describe_all(texts: &[Text]) -> String {
    texts.iter().map(describe).collect::<Vec<_>>().join(", ")
}

/// Plain words become one flat union of terms, the only shape in which tantivy skips blocks that cannot win.
pub(super) fn to_tantivy(wanted: Option<&Match>, fields: &RankedFields, style: Style) -> Box<dyn Query> {
    let mut clauses = Vec::new();
    match wanted {
        None => return Box::new(AllQuery),
        Some(Match::Terms(terms)) => add_terms(terms, fields, style, &mut clauses),
        Some(Match::Phrase(terms)) => add_phrases(terms, fields, style, &mut clauses),
        Some(Match::Any(matches)) => add_optional(matches, fields, style, &mut clauses),
        Some(Match::Group { required, optional, excluded }) => {
            add_optional(optional, fields, style, &mut clauses);
            clauses.extend(required.iter().map(|each| (Occur::Must, to_tantivy(Some(each), fields, style))));
            clauses.extend(excluded.iter().map(|each| (Occur::MustNot, to_tantivy(Some(each), fields, style))));
            if required.is_empty() && optional.is_empty() {
                clauses.push((Occur::Must, Box::new(AllQuery)));
            }
        }
    }
    if clauses.is_empty() { Box::new(EmptyQuery) } else { Box::new(BooleanQuery::new(clauses)) }
}

type Clauses = Vec<(Occur, Box<dyn Query>)>;

fn add_optional(matches: &[Match], fields: &RankedFields, style: Style, clauses: &mut Clauses) {
    for each in matches {
        match each {
            Match::Terms(terms) => add_terms(terms, fields, style, clauses),
            other => clauses.push((Occur::Should, to_tantivy(Some(other), fields, style))),
        }
    }
}

fn add_terms(terms: &[String], fields: &RankedFields, style: Style, clauses: &mut Clauses) {
    for term in terms {
        for (part, _) in fields.each() {
            let query = TermQuery::new(fields.term(part, term), IndexRecordOption::WithFreqs);
            clauses.push((Occur::Should, Box::new(BoostQuery::new(Box::new(query), part.boost(style)))));
        }
    }
}

fn add_phrases(terms: &[(usize, String)], fields: &RankedFields, style: Style, clauses: &mut Clauses) {
    for (part, _) in fields.each() {
        let terms = terms.iter().map(|(offset, term)| (*offset, fields.term(part, term))).collect();
        let query = PhraseQuery::new_with_offset(terms);
        clauses.push((Occur::Should, Box::new(BoostQuery::new(Box::new(query), part.boost(style)))));
    }
}
