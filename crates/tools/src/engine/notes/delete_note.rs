//! Deleting a note.

use quillgate_vault::{Expect, Folders, NotePath, TrashOption, Trashed};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::Failure;
use crate::plan::Plan;
use crate::time;
use crate::tool::{ChangeTool, Confirm, Effect, Idempotency, Rate, Spec};
use crate::transfer::must_be_file;

/// Delete one file: to the vault's .trash folder, or for good with hard. Links to it stay and become unresolved. The history keeps what it held either way.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeleteNote {
    /// Note, relative to the vault, with its extension
    #[schemars(length(min = 1, max = 1024))]
    path: String,
    /// Delete it for good instead of moving it to .trash
    #[serde(default)]
    hard: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    path: String,
    deleted_at: String,
    /// Whether it lies in the trash
    recoverable: bool,
    /// Where it lies now
    #[serde(skip_serializing_if = "Option::is_none")]
    trash_path: Option<String>,
}

impl ChangeTool for DeleteNote {
    const SPEC: Spec = Spec::writing("delete_note", "Delete a note", Effect::Change, Idempotency::Natural)
        .scopes(&["delete:notes"])
        .rate(Rate::Delete)
        .confirm(Confirm::Always);
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let path = NotePath::parse(&self.path)?;
        must_be_file(context, &path)?;
        let hash = context.vault().read(&path)?.hash();
        let option = if self.hard { TrashOption::None } else { TrashOption::Local };
        let change = context.vault().transaction(Folders::MustExist).remove(path.clone(), Expect::Hash(hash), option);
        Ok(Plan::new(change, move |committed| {
            let trashed = committed.and_then(|committed| committed.trashed.first());
            let trash_path = match trashed {
                Some((_, Trashed::Local(trash_path))) => Some(trash_path.clone()),
                _ => None,
            };
            let deleted_at = time::told(&context.now());
            Ok(Outcome { path: path.to_string(), deleted_at, recoverable: !self.hard, trash_path })
        }))
    }
}
