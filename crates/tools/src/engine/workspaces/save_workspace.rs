//! Saving the present layout as a workspace.

use quillgate_vault::ControlFile;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::layout::{as_saved, saved, with_saved};
use crate::context::Context;
use crate::control_text::ControlText;
use crate::failure::{Failure, Issue};
use crate::plan::Plan;
use crate::time;
use crate::tool::{ChangeTool, Confirm, Effect, Idempotency, Spec};

/// Save the layout of the app under a name: the one it had when it wrote it to disk last.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SaveWorkspace {
    /// What to call it
    #[schemars(length(min = 1, max = 255))]
    name: String,
    /// Replace a workspace of this name
    #[serde(default)]
    overwrite: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    name: String,
    saved_at: String,
}

impl ChangeTool for SaveWorkspace {
    const SPEC: Spec = Spec::writing("save_workspace", "Save a workspace", Effect::Change, Idempotency::Keyed)
        .scopes(&["write:workspaces"])
        .confirm(Confirm::When("if it replaces a workspace"));
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let now = context.now();
        let workspaces = ControlText::read(context, ControlFile::Workspaces)?;
        let current = ControlText::read(context, ControlFile::Workspace)?;
        if !current.is_there() {
            return Err(Failure::Edit("the app has not written a layout yet; open the vault in the app once".to_owned()));
        }
        let is_replaced = saved(&workspaces)?.is_some_and(|saved| saved.get(&self.name).is_some());
        if is_replaced && !self.overwrite {
            let expected = format!("is {:?}, which is there already; give another name, or overwrite", self.name);
            return Err(Failure::InvalidInput(vec![Issue::new("name", expected)]));
        }
        let after = with_saved(&workspaces, &[(&self.name, as_saved(&current, &now))], &self.name)?;
        let change = workspaces.write(context.vault().control_transaction(), after);
        let (saved_at, reason) = (time::told(&now), format!("it replaces the workspace {:?}", self.name));
        Ok(Plan::new(change, move |_| Ok(Outcome { name: self.name, saved_at })).ask_if(is_replaced, reason))
    }
}
