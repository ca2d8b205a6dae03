//! Notes found by a JSONLogic rule.
//!
//! A rule sees each note as `{path, content, frontmatter, tags, links}` and finds it if its answer is true:
//!
//! - `path`: from the root of the vault, with `.md`.
//! - `content`: the whole text of the file, frontmatter included.
//! - `frontmatter`: the properties as JSON, dates as text; `{}` without any. `frontmatter.<key>` finds the property whatever
//!   the case of its name, as the app does.
//! - `tags`: of the frontmatter, then of the text, without `#`, each once whatever its case.
//! - `links`: where the links of the note lead, embeds and links in properties included, each once: the path of the file, or
//!   the link as written (without the part behind `#`) if no file has that name. Links within the note are left out.
//!
//! Operators do what the reference implementation (`json-logic-js`) does, with the conversions of JavaScript: `"4" == 4` is
//! true, `null == 0` is not, `"high" > 3` is false and no error, an empty list is false, `tags.length` counts. `log` returns
//! its argument. Beyond it: an operator that does not exist is an error even where it would not be run.
//!
//! The rule is split where it says `and`, `or`, `!` and `!!`. A piece that reads properties and tags only runs once per
//! distinct combination of values; pieces that need more of a note run last, and only for notes not decided yet. Only pieces
//! that read `content` open files.

mod document;
mod evaluate;
mod plan;
mod rule;
mod search;
mod value;

pub use search::NoteTexts;

use plan::Plan;
use rule::Node;

/// Operations that one search may take over all notes.
const MOST_OPERATIONS_IN_ALL: u64 = 100_000_000;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonLogicError {
    #[error("there is no operator \"{operator}\" at {}; use those of json-logic-js, and wrap data in lists", place_name(place))]
    UnknownOperator { operator: String, place: String },
    #[error("the operator \"{operator}\" cannot run at {}: {problem}", place_name(place))]
    BadArguments { operator: String, place: String, problem: &'static str },
    #[error("the rule is nested more than {deepest} levels deep at {}; make it flatter", place_name(place))]
    TooDeep { place: String, deepest: usize },
    #[error("the rule takes more than {} operations on one note; make it simpler", evaluate::MOST_OPERATIONS)]
    TooManyOperations,
    #[error("the rule takes more than {MOST_OPERATIONS_IN_ALL} operations in all; make it simpler or give a smaller root")]
    TooManyOperationsInAll,
    #[error("the search was cancelled")]
    Cancelled,
}

impl JsonLogicError {
    /// Whether the rule is fine but costs too much.
    pub fn is_budget(&self) -> bool {
        matches!(self, JsonLogicError::TooManyOperations | JsonLogicError::TooManyOperationsInAll)
    }
}

impl From<evaluate::Exceeded> for JsonLogicError {
    fn from(_: evaluate::Exceeded) -> JsonLogicError {
        JsonLogicError::TooManyOperations
    }
}

/// A rule that is known to be well formed.
#[derive(Debug)]
pub struct Rule {
    node: Node,
    plan: Plan,
}

impl Rule {
    pub fn parse(rule: &serde_json::Value) -> Result<Rule, JsonLogicError> {
        let node = Node::parse(rule)?;
        Ok(Rule { plan: Plan::of(&node), node })
    }

    /// Whether answering it can mean opening files.
    pub(crate) fn reads_text(&self) -> bool {
        self.plan.reads_text()
    }

    /// Whether the rule's answer for any data is true.
    pub fn is_true(&self, data: &serde_json::Value) -> Result<bool, JsonLogicError> {
        Ok(evaluate::is_true(&self.node, data)?.0)
    }
}

fn place_name(place: &str) -> &str {
    if place.is_empty() { "the top of the rule" } else { place }
}
