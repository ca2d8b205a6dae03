//! Deleting a file that is no note.

use quillgate_vault::{Committed, TrashOption, Trashed};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::attachment::{attachment_path, count_references, existing};
use crate::context::Context;
use crate::draft::Draft;
use crate::failure::Failure;
use crate::plan::Plan;
use crate::time;
use crate::tool::{ChangeTool, Confirm, Effect, Idempotency, Rate, Spec};

/// Delete an image, PDF or other file that is no note: to the vault's .trash folder, or for good with hard. If anything links to it, a human is asked first; the links stay and lead nowhere.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeleteAttachment {
    /// File, with its extension
    #[schemars(length(min = 1, max = 1024))]
    path: String,
    /// For good, rather than to .trash
    #[serde(default)]
    hard: bool,
    /// Say that you know of the links to it; the human, who is asked all the same, reads that
    #[serde(default)]
    force: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    path: String,
    deleted_at: String,
    /// Whether it is in a trash
    recoverable: bool,
    /// Links that led to it, embeds among them
    references_at_delete: usize,
}

impl ChangeTool for DeleteAttachment {
    const SPEC: Spec = Spec::writing("delete_attachment", "Delete an attachment", Effect::Change, Idempotency::Natural)
        .scopes(&["delete:attachments"])
        .rate(Rate::Delete)
        .confirm(Confirm::When("if anything links to it"));
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let path = attachment_path("path", &self.path)?;
        existing(context, &path)?;
        let references = count_references(&*context.catalogue()?, &path);
        let mut draft = Draft::new(context.vault());
        draft.remove(&path, if self.hard { TrashOption::None } else { TrashOption::Local })?;
        let known = if self.force { "the agent knows of" } else { "the agent may not know of" };
        let reason = format!("{references} links lead to {path}, which {known}");
        let finish = move |committed: Option<&Committed>| {
            let trashed = committed.and_then(|committed| committed.trashed.first());
            Ok(Outcome {
                path: path.to_string(),
                deleted_at: time::told(&context.now()),
                recoverable: trashed.is_some_and(|(_, place)| *place != Trashed::Gone),
                references_at_delete: references,
            })
        };
        Ok(Plan::new(draft.into_change()?, finish).ask_if(references > 0, reason))
    }
}
