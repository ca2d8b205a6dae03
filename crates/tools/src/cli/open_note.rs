//! Showing a note in the running app.

use std::time::Duration;

use quillgate_remote::open_in_app;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::note_name::find_note;
use crate::context::Context;
use crate::failure::Failure;
use crate::tool::{Effect, Idempotency, Rate, Spec, Tool};

/// The time limit of the call comes first; this one only ends a program that outlives it.
const LIMIT: Duration = Duration::from_secs(600);

/// Show a note in the running Obsidian app. This is the only tool that needs the app; to see a note's text use obsidian_read_note.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OpenNote {
    /// Name as in a wikilink, without extension
    #[serde(default)]
    file: Option<String>,
    /// Exact path, with extension
    #[serde(default)]
    path: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    path: String,
    opened: bool,
}

impl Tool for OpenNote {
    const SPEC: Spec = Spec::writing("obsidian_open_note", "Open in the app", Effect::Outside, Idempotency::Natural)
        .scopes(&["write:app"])
        .rate(Rate::Execute);
    type Output = Outcome;

    fn run(self, context: &Context<'_>) -> Result<Outcome, Failure> {
        let path = find_note(context, self.file.as_deref(), self.path.as_deref())?;
        let vault = context.vault().root_path();
        open_in_app(&context.settings().app_program, vault, path.as_str(), LIMIT, || context.go_on())?;
        Ok(Outcome { path: path.to_string(), opened: true })
    }
}
