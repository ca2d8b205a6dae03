//! What can go wrong: a text that is no query, and a value that cannot be worked out.

use std::fmt;

use thiserror::Error;

use crate::budget::BudgetSpent;

/// Where a query stops making sense. Lines and columns count from 1, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {message}")]
pub struct SyntaxError {
    pub line: usize,
    pub column: usize,
    pub message: String,
}

impl SyntaxError {
    /// At a byte offset of the text.
    pub fn at(text: &str, offset: usize, message: impl Into<String>) -> SyntaxError {
        let offset = (0..=offset.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        let before = &text[..offset];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        SyntaxError {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            message: message.into(),
        }
    }
}

/// Why a value could not be worked out.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// This value only: the cell says so, the query goes on.
    Wrong(Box<str>),
    /// The whole query.
    Spent(BudgetSpent),
}

impl Fault {
    pub fn wrong(message: impl Into<String>) -> Fault {
        Fault::Wrong(message.into().into())
    }
}

impl From<BudgetSpent> for Fault {
    fn from(spent: BudgetSpent) -> Fault {
        Fault::Spent(spent)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Wrong(message) => formatter.write_str(message),
            Fault::Spent(spent) => spent.fmt(formatter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters() {
        let at = |offset| SyntaxError::at("äb\ncd", offset, "").to_string();
        assert_eq!(at(0), "line 1, column 1: ");
        assert_eq!(at(1), "line 1, column 1: ", "inside a character is at it");
        assert_eq!(at(3), "line 1, column 3: ");
        assert_eq!(at(4), "line 2, column 1: ");
        assert_eq!(at(99), "line 2, column 3: ");
    }
}
