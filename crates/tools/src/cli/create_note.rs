//! Creating a note.

use quillgate_vault::{Expect, Folders, NotePath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::Failure;
use crate::note_text::styled_for;
use crate::tool::{Effect, Idempotency, Spec, Tool};

/// Create a note. An existing one is an error unless overwrite is set; to add to a note use obsidian_append_note.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateNote {
    /// Name or path of the note; .md is added if it is missing, and so are folders
    #[schemars(length(min = 1))]
    name: String,
    /// Markdown of the note
    #[serde(default)]
    content: String,
    /// Replace an existing note
    #[serde(default)]
    overwrite: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    path: String,
    /// False when an existing note was replaced
    created: bool,
}

impl Tool for CreateNote {
    const SPEC: Spec = Spec::writing("obsidian_create_note", "Create a note", Effect::Change, Idempotency::Natural);
    type Output = Outcome;

    fn run(self, context: &Context<'_>) -> Result<Outcome, Failure> {
        let path = with_md(&self.name)?;
        let (expect, bytes) = if self.overwrite {
            (Expect::Anything, styled_for(context.vault(), &path, &self.content)?)
        } else {
            (Expect::Absent, self.content.into_bytes())
        };
        let written = context.vault().write(&path, bytes, expect, Folders::Create)?;
        Ok(Outcome { path: path.to_string(), created: written.created })
    }
}

/// A name is that of a note, whatever dots it has.
pub(crate) fn with_md(name: &str) -> Result<NotePath, Failure> {
    let path = NotePath::parse(name)?;
    if path.is_note() {
        return Ok(path);
    }
    Ok(NotePath::parse(&format!("{path}.md"))?)
}
