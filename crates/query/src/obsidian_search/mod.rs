//! The app's own search language, as in its search pane and in `query` blocks.
//!
//! Words must all occur, in the text or in the file's name; `OR` and `-` combine, brackets group, `"…"` is a phrase and `/…/` an expression.
//! `file:`, `path:`, `content:`, `tag:`, `line:`, `block:`, `section:` and `task:` say where, `[property:value]` asks for properties.

mod evaluate;
mod find;
mod parse;
mod print;

use crate::fault::SyntaxError;
use crate::pattern::Pattern;

pub use evaluate::{Facts, Known, Place};
pub use find::{FoundFile, find_files};

/// A query that was understood.
#[derive(Debug)]
pub struct Search {
    root: Term,
    /// Terms that are decided without the text of a file, in the order in which they stand in the query.
    facts: usize,
}

#[derive(Debug)]
enum Term {
    /// A word or a phrase.
    Text(String),
    Pattern(Box<Pattern>),
    All(Vec<Term>),
    AnyOf(Vec<Term>),
    Not(Box<Term>),
    Inside(Scope, Box<Term>),
    MatchCase(bool, Box<Term>),
    /// With its number among the facts.
    Fact(usize, Fact),
}

/// Parts of a file that a term is looked for in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    Content,
    Line,
    Block,
    Section,
    Task,
    TaskTodo,
    TaskDone,
}

/// What the catalogue knows.
#[derive(Debug)]
enum Fact {
    File(Box<Term>),
    Path(Box<Term>),
    Tag(String),
    Property { name: String, value: PropertyTest },
}

#[derive(Debug)]
enum PropertyTest {
    Present,
    Empty,
    Compared(Comparison, Bound),
    Value(Box<Term>),
}

#[derive(Debug)]
enum Bound {
    Number(f64),
    /// As properties have it: `2024-05`, `2024-05-01` or with a time.
    Date(String),
}

/// Whether a text begins as dates in properties do, so that the order of texts is that of dates.
fn is_date(text: &str) -> bool {
    let mut signs = text.bytes();
    b"0000-00"
        .iter()
        .all(|sign| signs.next().is_some_and(|found| if *sign == b'0' { found.is_ascii_digit() } else { found == *sign }))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Search {
    pub fn parse(text: &str) -> Result<Search, SyntaxError> {
        parse::parse(text)
    }
}

const SCOPES: [(&str, Scope); 7] = [
    ("content", Scope::Content),
    ("line", Scope::Line),
    ("block", Scope::Block),
    ("section", Scope::Section),
    ("task-todo", Scope::TaskTodo),
    ("task-done", Scope::TaskDone),
    ("task", Scope::Task),
];
