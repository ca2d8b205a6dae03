//! Why a query has no answer.

use thiserror::Error;

use crate::budget::BudgetSpent;
use crate::fault::{Fault, SyntaxError};

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DqlError {
    #[error("{0}")]
    Syntax(SyntaxError),
    #[error("every row failed in {clause}: {}", messages.join("; "))]
    EveryRowFailed { clause: &'static str, messages: Vec<String> },
    #[error("LIMIT takes a number, got {0}")]
    Limit(String),
    #[error("{0}")]
    Unsupported(String),
    #[error("{0}")]
    NoPage(&'static str),
    #[error("{0}")]
    Wrong(Box<str>),
    #[error("{0}")]
    Spent(#[from] BudgetSpent),
}

impl From<SyntaxError> for DqlError {
    fn from(error: SyntaxError) -> DqlError {
        DqlError::Syntax(error)
    }
}

impl From<Fault> for DqlError {
    fn from(fault: Fault) -> DqlError {
        match fault {
            Fault::Wrong(message) => DqlError::Wrong(message),
            Fault::Spent(spent) => DqlError::Spent(spent),
        }
    }
}
