//! Deleting a note.

use quillgate_vault::{TrashOption, Trashed};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::note_name::find_note;
use crate::context::Context;
use crate::failure::Failure;
use crate::tool::{Effect, Idempotency, Rate, Spec, Tool};

/// Delete a note, to the trash that the vault is set to use. Links to it stay and become unresolved.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeleteNote {
    /// Name as in a wikilink, without extension
    #[serde(default)]
    file: Option<String>,
    /// Exact path, with extension
    #[serde(default)]
    path: Option<String>,
    /// Delete for good instead of moving it to the trash
    #[serde(default)]
    permanent: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    path: String,
    deleted: bool,
    /// Where it is now, in the vault's own trash
    #[serde(skip_serializing_if = "Option::is_none")]
    trash_path: Option<String>,
}

impl Tool for DeleteNote {
    const SPEC: Spec = Spec::writing("obsidian_delete_note", "Delete a note", Effect::Change, Idempotency::Natural)
        .scopes(&["delete:notes"])
        .rate(Rate::Delete);
    type Output = Outcome;

    fn run(self, context: &Context<'_>) -> Result<Outcome, Failure> {
        let path = find_note(context, self.file.as_deref(), self.path.as_deref())?;
        let trashed =
            if self.permanent { context.vault().remove(&path, TrashOption::None)? } else { context.vault().trash(&path)? };
        let trash_path = match trashed {
            Trashed::Local(trash_path) => Some(trash_path),
            Trashed::System | Trashed::Gone => None,
        };
        Ok(Outcome { path: path.to_string(), deleted: true, trash_path })
    }
}
