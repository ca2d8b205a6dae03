//! Adding to a note at the end.

use quillgate_markdown::{Edits, append};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::note_name::find_note;
use crate::context::Context;
use crate::failure::Failure;
use crate::note_text::must_take_text;
use crate::tool::{Effect, Idempotency, Spec, Tool};

/// Append to a note, at its end, on a line of its own.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AppendNote {
    /// Name as in a wikilink, without extension
    #[serde(default)]
    file: Option<String>,
    /// Exact path, with extension
    #[serde(default)]
    path: Option<String>,
    /// Markdown to add
    content: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    path: String,
    size: u64,
}

impl Tool for AppendNote {
    const SPEC: Spec = Spec::writing("obsidian_append_note", "Append to a note", Effect::Add, Idempotency::Repeats);
    type Output = Outcome;

    fn run(self, context: &Context<'_>) -> Result<Outcome, Failure> {
        let path = find_note(context, self.file.as_deref(), self.path.as_deref())?;
        must_take_text(&path)?;
        let written = context.vault().update(&path, |contents| {
            let text = contents.text()?;
            Ok::<_, Failure>(Edits::from(append(text, &self.content)).apply(text).into_bytes())
        })?;
        Ok(Outcome { path: path.to_string(), size: written.stat.size })
    }
}
