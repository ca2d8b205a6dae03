//! Adding to a note at the start.

use quillgate_markdown::{Edits, prepend};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::note_name::find_note;
use crate::context::Context;
use crate::failure::Failure;
use crate::note_text::must_take_text;
use crate::tool::{Effect, Idempotency, Spec, Tool};

/// Insert at the start of a note, below its frontmatter.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PrependNote {
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

impl Tool for PrependNote {
    const SPEC: Spec = Spec::writing("obsidian_prepend_note", "Insert at the start", Effect::Add, Idempotency::Repeats);
    type Output = Outcome;

    fn run(self, context: &Context<'_>) -> Result<Outcome, Failure> {
        let path = find_note(context, self.file.as_deref(), self.path.as_deref())?;
        must_take_text(&path)?;
        let written = context.vault().update(&path, |contents| {
            let text = contents.text()?;
            Ok::<_, Failure>(Edits::from(prepend(text, &self.content)).apply(text).into_bytes())
        })?;
        Ok(Outcome { path: path.to_string(), size: written.stat.size })
    }
}
