//! A search as text again.

use std::fmt::{self, Display, Formatter};

use super::{Bound, Comparison, Fact, PropertyTest, SCOPES, Search, Term};

impl Display for Search {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        self.root.fmt(formatter)
    }
}

impl Display for Term {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Term::Text(text) => quoted(text, formatter),
            Term::Pattern(pattern) => write!(formatter, "/{}/", pattern.source()),
            Term::All(terms) => joined(terms, " ", formatter),
            Term::AnyOf(terms) => joined(terms, " OR ", formatter),
            Term::Not(term) => write!(formatter, "-{term}"),
            Term::Inside(scope, term) => {
                let name = SCOPES.iter().find(|(_, found)| found == scope).map_or("", |(name, _)| name);
                write!(formatter, "{name}:{term}")
            }
            Term::MatchCase(matches, term) => write!(formatter, "{}:{term}", if *matches { "match-case" } else { "ignore-case" }),
            Term::Fact(_, fact) => fact.fmt(formatter),
        }
    }
}

impl Display for Fact {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Fact::File(term) => write!(formatter, "file:{term}"),
            Fact::Path(term) => write!(formatter, "path:{term}"),
            Fact::Tag(tag) => {
                formatter.write_str("tag:")?;
                quoted(&format!("#{tag}"), formatter)
            }
            Fact::Property { name, value } => {
                formatter.write_str("[")?;
                quoted(name, formatter)?;
                match value {
                    PropertyTest::Present => {}
                    PropertyTest::Empty => formatter.write_str(":null")?,
                    PropertyTest::Compared(comparison, Bound::Number(number)) => {
                        write!(formatter, ":{}{number}", comparison.sign())?
                    }
                    PropertyTest::Compared(comparison, Bound::Date(date)) => write!(formatter, ":{}{date}", comparison.sign())?,
                    PropertyTest::Value(term) => write!(formatter, ":({term})")?,
                }
                formatter.write_str("]")
            }
        }
    }
}

impl Comparison {
    fn sign(self) -> &'static str {
        match self {
            Comparison::Less => "<",
            Comparison::LessOrEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterOrEqual => ">=",
        }
    }
}

fn joined(terms: &[Term], between: &str, formatter: &mut Formatter<'_>) -> fmt::Result {
    formatter.write_str("(")?;
    for (at, term) in terms.iter().enumerate() {
        if at > 0 {
            formatter.write_str(between)?;
        }
        term.fmt(formatter)?;
    }
    formatter.write_str(")")
}

fn quoted(text: &str, formatter: &mut Formatter<'_>) -> fmt::Result {
    write!(formatter, "\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
