//! Renaming a note in its folder.

use quillgate_vault::NotePath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::move_note::keep_extension;
use super::note_name::find_note;
use crate::context::Context;
use crate::failure::{Failure, Issue};
use crate::tool::{Effect, Idempotency, Spec, Tool};
use crate::transfer;

/// Rename a note in its folder and rewrite every link to it. The extension stays. Never overwrites.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RenameNote {
    /// Name as in a wikilink, without extension
    #[serde(default)]
    file: Option<String>,
    /// Exact path, with extension
    #[serde(default)]
    path: Option<String>,
    /// New name, without folder
    #[schemars(length(min = 1))]
    name: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    from: String,
    to: String,
    links_updated: usize,
}

impl Tool for RenameNote {
    const SPEC: Spec = Spec::writing("obsidian_rename_note", "Rename a note", Effect::Change, Idempotency::Repeats)
        .scopes(&["write:notes", "delete:notes"]);
    type Output = Outcome;

    fn run(self, context: &Context<'_>) -> Result<Outcome, Failure> {
        if self.name.contains('/') {
            let issue = Issue::new("name", "cannot contain /; use obsidian_move_note to change the folder".to_owned());
            return Err(Failure::InvalidInput(vec![issue]));
        }
        NotePath::parse(&self.name)?;
        let from = find_note(context, self.file.as_deref(), self.path.as_deref())?;
        let to = keep_extension(&from, &from.parent().join(&self.name)?)?;
        let links_updated = transfer::move_file(context, &from, &to)?;
        Ok(Outcome { from: from.to_string(), to: to.to_string(), links_updated })
    }
}
