//! Replacing one passage of a file.

use quillgate_markdown::{ReplaceError, str_replace};
use quillgate_vault::NotePath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::expected_hash::ExpectedHash;
use crate::failure::{Failure, Issue};
use crate::note_edit::NoteEdit;
use crate::note_text::count_lines;
use crate::plan::Plan;
use crate::tool::{ChangeTool, Effect, Idempotency, Spec};

/// Replace one passage of a file. old_text must stand in the file exactly once, spaces and line breaks included; add a neighbouring line to make it unique. An empty new_text removes the passage.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VaultEdit {
    /// File, relative to the vault, with its extension
    path: String,
    /// The passage to replace, copied exactly from the file
    old_text: String,
    /// What stands there instead
    new_text: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    path: String,
    replaced: bool,
    total_lines: usize,
}

impl ChangeTool for VaultEdit {
    const SPEC: Spec = Spec::writing("vault_edit", "Edit a file", Effect::Change, Idempotency::Repeats);
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let file = NoteEdit::read(context, NotePath::parse(&self.path)?, &ExpectedHash::default())?;
        let edited = str_replace(&file.text, &self.old_text, &self.new_text).map_err(not_replaced)?.apply(&file.text);
        let total_lines = count_lines(&edited);
        Ok(file.plan(context, edited, move |changed| Outcome { path: changed.path, replaced: true, total_lines }))
    }
}

fn not_replaced(error: ReplaceError) -> Failure {
    match error {
        ReplaceError::NotFound => Failure::TextNotFound,
        ReplaceError::NotUnique(count) | ReplaceError::Miscounted { found: count, .. } => Failure::TextNotUnique(count),
        ReplaceError::Empty => {
            Failure::InvalidInput(vec![Issue::new("old_text", "is empty; copy the passage to replace from the file".to_owned())])
        }
    }
}
