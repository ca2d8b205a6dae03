//! The workspaces of the app.

use jiff::Timestamp;
use quillgate_markdown::JsonNode;
use quillgate_vault::ControlFile;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::layout::{active, saved};
use crate::context::Context;
use crate::control_text::ControlText;
use crate::failure::Failure;
use crate::time;
use crate::tool::{Spec, Tool};

/// List the workspaces of the app: layouts of windows and tabs that were saved under a name.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListWorkspaces {}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    workspaces: Vec<Workspace>,
}

#[derive(Serialize, JsonSchema)]
struct Workspace {
    name: String,
    /// Whether it was opened or saved last
    active: bool,
    modified_at: String,
}

impl Tool for ListWorkspaces {
    const SPEC: Spec = Spec::reading("list_workspaces", "List workspaces").scopes(&["read:workspaces"]);
    type Output = Outcome;

    fn run(self, context: &Context<'_>) -> Result<Outcome, Failure> {
        let file = ControlText::read(context, ControlFile::Workspaces)?;
        let active = active(&file);
        let shown = |name: &str, layout: &JsonNode| Workspace {
            name: name.to_owned(),
            active: active == Some(name),
            modified_at: modified_at(layout).unwrap_or_else(|| file.modified.map(time::shown).unwrap_or_default()),
        };
        let layouts = saved(&file)?.map_or(&[][..], JsonNode::members);
        Ok(Outcome { workspaces: layouts.iter().map(|member| shown(&member.key, &member.value)).collect() })
    }
}

fn modified_at(layout: &JsonNode) -> Option<String> {
    let time: Timestamp = layout.get("mtime")?.as_str()?.parse().ok()?;
    Some(time.to_string())
}
