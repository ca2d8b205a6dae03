//! Why a call failed, in words for a model; each surface gives it its own shape.

use quillgate_index::{GrepError, QueryError, RelinkError};
use quillgate_markdown::EditError;
use quillgate_query::SyntaxError;
use quillgate_remote::{ObsidianError, ProgramError};
use quillgate_vault::VaultError;
use serde::Serialize;
use serde_json::Value;

use crate::proposal::Proposal;

#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("no tool named {0:?} here; list the tools to see their names")]
    UnknownTool(String),
    #[error("no tool named {0:?}; find_capability finds tools by what they do")]
    UnknownCapability(String),
    #[error("{}", listed(.0))]
    InvalidInput(Vec<Issue>),
    #[error("this needs the scope {}, which the user who connected you did not allow; ask them to connect again", .required.join(" "))]
    Forbidden { required: Vec<String> },
    #[error("this login is for the vault {0:?} alone; leave vault out, or ask the user to connect again")]
    OtherVault(String),
    #[error("{}", .0.message())]
    ConfirmationNeeded(Box<Proposal>),
    #[error("the user was asked and said no; do not repeat this unless they ask for it")]
    Declined,
    #[error("too many calls of the class {class}; try again in {seconds} s")]
    Throttled { class: &'static str, seconds: u64 },
    #[error("the idempotency_key was used for another call; give every call a key of its own")]
    KeyMismatch,
    #[error("a call with this idempotency_key is still running; try again in a moment to get its answer")]
    KeyInFlight,
    #[error("the answer has {bytes} bytes, more than the {limit} that are allowed; {advice}")]
    TooLong { bytes: usize, limit: usize, advice: String },
    #[error("{message}")]
    Partial { message: String, results: Value },
    #[error("{message}")]
    UndoConflict { message: String, files: Value },
    #[error(transparent)]
    Vault(VaultError),
    #[error("Text not found in file")]
    TextNotFound,
    #[error("Text appears {0} times in file, must be unique")]
    TextNotUnique(usize),
    #[error("{0}")]
    InvalidRange(String),
    #[error("{0}")]
    Edit(String),
    #[error("no note named {0:?}; name it as a wikilink would, or give its exact path")]
    NoSuchNote(String),
    #[error("{} files are named {name:?}: {}; give one of them as path", .candidates.len(), .candidates.join(", "))]
    Ambiguous { name: String, candidates: Vec<String> },
    #[error("no vault named {id:?} here; leave vault out, or give one of: {}", .known.join(", "))]
    UnknownVault { id: String, known: Vec<String> },
    #[error(transparent)]
    Pattern(#[from] GrepError),
    #[error(transparent)]
    Query(#[from] QueryError),
    #[error("{0}")]
    Logic(String),
    /// A base, or a filter for one, that cannot be read.
    #[error("{0}")]
    Bases(SyntaxError),
    /// A query in Dataview's language that cannot be read or answered; where, if that can be said.
    #[error("{message}")]
    Dql { message: String, place: Option<(usize, usize)> },
    #[error("{0}")]
    Budget(String),
    #[error(transparent)]
    App(#[from] ObsidianError),
    #[error(transparent)]
    Program(#[from] ProgramError),
    #[error("{0}")]
    NotConfigured(String),
    #[error("{0}")]
    Outside(String),
    /// Another site no longer knows the caller: whoever speaks for the caller must log in again. The text is the source's own.
    #[error("{0}")]
    CredentialRejected(String),
    /// Another site failed; the text is the source's own, the cause is in the log.
    #[error("{0}")]
    Source(String),
    #[error("the call took longer than {0} s and was stopped; narrow it down and try again")]
    Timeout(u64),
    #[error("the call took longer than {0} s; it may still be carried out, so look before you repeat it")]
    TimeoutWhileChanging(u64),
    #[error("the vault is still being read ({0} files so far); try again in a moment")]
    StillReading(usize),
    #[error("the call was cancelled")]
    Cancelled,
    #[error("something went wrong in the server ({0}); nothing was lost, and the log has the details")]
    Internal(String),
}

/// One thing that is wrong with the arguments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Issue {
    pub field: String,
    pub expected: String,
}

impl Issue {
    pub fn new(field: &str, expected: String) -> Issue {
        Issue { field: field.to_owned(), expected }
    }

    pub fn other(expected: String) -> Issue {
        Issue { field: String::new(), expected }
    }

    pub(crate) fn missing(field: &str) -> Issue {
        Issue::new(field, "is required".to_owned())
    }

    pub(crate) fn unknown(field: &str, nearest: Option<String>) -> Issue {
        let expected = match nearest {
            Some(known) => format!("is not a known field; did you mean {known}?"),
            None => "is not a known field".to_owned(),
        };
        Issue::new(field, expected)
    }
}

fn listed(issues: &[Issue]) -> String {
    let lines: Vec<String> = issues.iter().map(|issue| format!("{} {}", issue.field, issue.expected).trim().to_owned()).collect();
    lines.join("; ")
}

impl From<VaultError> for Failure {
    fn from(error: VaultError) -> Failure {
        Failure::Vault(error)
    }
}

impl From<RelinkError> for Failure {
    fn from(error: RelinkError) -> Failure {
        match error {
            RelinkError::Vault(error) => Failure::Vault(error),
            RelinkError::Unlinkable { .. } => Failure::InvalidInput(vec![Issue::other(error.to_string())]),
        }
    }
}

impl From<EditError> for Failure {
    fn from(error: EditError) -> Failure {
        Failure::Edit(error.to_string())
    }
}

impl From<quillgate_vault::PathError> for Failure {
    fn from(error: quillgate_vault::PathError) -> Failure {
        Failure::Vault(error.into())
    }
}
