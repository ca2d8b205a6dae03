//! Opening a workspace.

use quillgate_vault::ControlFile;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::layout::{active, as_current, as_saved, no_workspace, saved, with_saved};
use crate::context::Context;
use crate::control_text::ControlText;
use crate::failure::Failure;
use crate::plan::Plan;
use crate::time;
use crate::tool::{ChangeTool, Effect, Idempotency, Spec};

/// Open a workspace of the app: its layout becomes the one that the app starts with. An app that is running does not notice, and writes its own layout when it closes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OpenWorkspace {
    /// Name of a saved workspace
    #[schemars(length(min = 1, max = 255))]
    name: String,
    /// First save the present layout in the workspace that is active now
    #[serde(default)]
    save_current_first: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    name: String,
    opened_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    prior_workspace: Option<String>,
}

impl ChangeTool for OpenWorkspace {
    const SPEC: Spec =
        Spec::writing("open_workspace", "Open a workspace", Effect::Change, Idempotency::Natural).scopes(&["write:workspaces"]);
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let now = context.now();
        let workspaces = ControlText::read(context, ControlFile::Workspaces)?;
        let current = ControlText::read(context, ControlFile::Workspace)?;
        let layouts = saved(&workspaces)?;
        let layout = layouts.and_then(|layouts| layouts.get(&self.name)).filter(|layout| layout.is_object());
        let layout = layout.ok_or_else(|| no_workspace(&self.name, layouts))?;
        let prior = active(&workspaces).map(str::to_owned);
        let is_kept = self.save_current_first && current.is_there();
        let kept: Vec<(&str, String)> = prior
            .iter()
            .filter(|prior| is_kept && **prior != self.name)
            .map(|prior| (prior.as_str(), as_saved(&current, &now)))
            .collect();
        let change = context.vault().control_transaction();
        let change = workspaces.write(change, with_saved(&workspaces, &kept, &self.name)?);
        let change = current.write(change, as_current(&current, &workspaces.text, layout)?);
        let opened_at = time::told(&now);
        Ok(Plan::new(change, move |_| Ok(Outcome { name: self.name, opened_at, prior_workspace: prior })))
    }
}
