//! Moving a file that is no note.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::attachment::{attachment_path, count_references, existing};
use crate::context::Context;
use crate::draft::Draft;
use crate::failure::Failure;
use crate::plan::Plan;
use crate::time;
use crate::tool::{ChangeTool, Confirm, Effect, Idempotency, Spec};

/// More are put before a human first.
const MOST_UNASKED: usize = 10;

/// Move or rename an image, PDF or other file that is no note, and rewrite the links to it. Never overwrites.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MoveAttachment {
    /// File, with its extension
    #[schemars(length(min = 1, max = 1024))]
    from: String,
    /// Its new path, with name and extension; missing folders are made
    #[schemars(length(min = 1, max = 1024))]
    to: String,
    /// Rewrite the links to it
    #[serde(default = "yes")]
    update_references: bool,
}

fn yes() -> bool {
    true
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    from: String,
    to: String,
    moved_at: String,
    /// Links that were rewritten; links that still mean the file as they are need not be
    references_updated: usize,
}

impl ChangeTool for MoveAttachment {
    const SPEC: Spec = Spec::writing("move_attachment", "Move an attachment", Effect::Change, Idempotency::Repeats)
        .scopes(&["write:attachments", "delete:attachments"])
        .confirm(Confirm::When("if more than 10 links lead to it"));
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let (from, to) = (attachment_path("from", &self.from)?, attachment_path("to", &self.to)?);
        existing(context, &from)?;
        let mut draft = Draft::new(context.vault());
        let moves = [(from.clone(), to.clone())];
        let (references, references_updated) = {
            let catalogue = context.index()?.settled_catalogue();
            let updated = match self.update_references {
                true => draft.relink(&catalogue, &moves)?.0.remove(&from).unwrap_or_default(),
                false => 0,
            };
            (count_references(&catalogue, &from), updated)
        };
        draft.rename_all(&moves)?;
        let finish = move |_: Option<&_>| {
            let moved_at = time::told(&context.now());
            Ok(Outcome { from: from.to_string(), to: to.to_string(), moved_at, references_updated })
        };
        let plan = Plan::new(draft.into_change()?, finish);
        Ok(plan.ask_if(references > MOST_UNASKED, format!("{references} links lead to it")))
    }
}
