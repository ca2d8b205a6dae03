//! A note as it was.

use quillgate_vault::{ContentHash, NotePath, VaultError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::change::history;
use crate::context::Context;
use crate::failure::Failure;
use crate::moment::{parse_moment, shown_time};
use crate::note_text::shown;
use crate::tool::{Spec, Tool};

/// Read a note as it was at a time in the past.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HistoryRead {
    /// File, relative to the vault, with its extension
    #[schemars(length(min = 1, max = 1024))]
    path: String,
    /// The time: such as 2026-11-17T14:00:00Z, a date, or 14:00 for today
    #[schemars(length(min = 1, max = 64))]
    at: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    path: String,
    at: String,
    /// False if there was no such file then
    exists: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_hash: Option<String>,
}

impl Tool for HistoryRead {
    const SPEC: Spec = Spec::reading("history_read", "Read a note as it was");
    type Output = Outcome;

    fn run(self, context: &Context<'_>) -> Result<Outcome, Failure> {
        let path = NotePath::parse(&self.path)?;
        let at = parse_moment("at", &self.at, &context.now())?;
        let bytes = history(context)?.read_at(&path, at)?;
        let hash = bytes.as_deref().map(|bytes| ContentHash::of(bytes).to_string());
        let not_text = |_| VaultError::NotText(path.clone(), "it is not UTF-8");
        let text = bytes.map(String::from_utf8).transpose().map_err(not_text)?;
        Ok(Outcome {
            path: path.to_string(),
            at: shown_time(at),
            exists: text.is_some(),
            content: text.as_deref().map(shown),
            content_hash: hash,
        })
    }
}
