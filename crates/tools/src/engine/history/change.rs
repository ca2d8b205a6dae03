//! A change of the history as tools show it.

use quillgate_vault::{ChangeId, FileChange, History, PastChange, VaultError};
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::Context;
use crate::failure::{Failure, Issue};
use crate::moment::shown_time;

#[derive(Serialize, JsonSchema)]
pub(crate) struct ShownChange {
    /// Id for history_diff and undo
    change: String,
    at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    caller: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    files: Vec<ShownFile>,
    /// Changes that this one took back
    #[serde(skip_serializing_if = "Vec::is_empty")]
    undoes: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ShownFile {
    pub(super) path: String,
    /// created, edited, deleted or moved
    pub(super) op: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) moved_to: Option<String>,
}

impl ShownChange {
    pub(super) fn of(change: &PastChange) -> ShownChange {
        let author = change.author.as_ref();
        ShownChange {
            change: change.id.to_string(),
            at: shown_time(change.at()),
            caller: author.map(|author| author.caller.to_string()),
            session: author.and_then(|author| author.session.as_deref().map(str::to_owned)),
            tool: author.map(|author| author.tool.to_string()),
            files: change.files.iter().map(ShownFile::of).collect(),
            undoes: change.undoes.iter().map(ToString::to_string).collect(),
        }
    }
}

impl ShownFile {
    pub(super) fn of(file: &FileChange) -> ShownFile {
        let op = match file {
            FileChange::Created { .. } => "created",
            FileChange::Edited { .. } => "edited",
            FileChange::Deleted { .. } => "deleted",
            FileChange::Moved { .. } => "moved",
        };
        ShownFile { path: file.path().to_string(), op, moved_to: file.moved_to().map(ToString::to_string) }
    }
}

pub(super) fn parse_change(field: &str, text: &str) -> Result<ChangeId, Failure> {
    let expected = "expected the id of a change, from history_list".to_owned();
    text.parse().map_err(|_| Failure::InvalidInput(vec![Issue::new(field, expected)]))
}

pub(super) fn history<'c>(context: &'c Context<'_>) -> Result<History<'c>, Failure> {
    context.vault().history().ok_or_else(|| VaultError::NoHistory.into())
}
