//! Creating a note, or appending to it.

use quillgate_markdown::{Eol, Value};
use quillgate_vault::{Expect, Folders, NotePath, VaultError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Map;

use crate::context::Context;
use crate::failure::Failure;
use crate::note_text::{must_take_text, new_note, property_value};
use crate::tool::{Effect, Idempotency, Spec, Tool};

/// Create a note, or append to it if it exists. Nothing is ever overwritten: on an existing note the content is added at the end on a new line, and frontmatter is ignored.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoteUpsert {
    /// Note, relative to the vault, with its extension; missing folders are made
    path: String,
    /// Markdown to write or append
    content: String,
    /// Properties of a new note
    #[serde(default)]
    frontmatter: Option<Map<String, serde_json::Value>>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    /// False when the content was appended
    created: bool,
}

impl Tool for NoteUpsert {
    const SPEC: Spec = Spec::writing("note_upsert", "Create or append", Effect::Add, Idempotency::Repeats);
    type Output = Outcome;

    fn run(self, context: &Context<'_>) -> Result<Outcome, Failure> {
        let path = NotePath::parse(&self.path)?;
        must_take_text(&path)?;
        let properties: Vec<(String, Value)> =
            self.frontmatter.iter().flatten().map(|(key, value)| (key.clone(), property_value(value))).collect();
        let note = new_note(&properties, &self.content);
        match context.vault().write(&path, note.into_bytes(), Expect::Absent, Folders::Create) {
            Ok(_) => Ok(Outcome { created: true }),
            Err(VaultError::Exists(_)) => append(context, &path, &self.content),
            Err(error) => Err(error.into()),
        }
    }
}

fn append(context: &Context<'_>, path: &NotePath, content: &str) -> Result<Outcome, Failure> {
    context.vault().update(path, |contents| {
        let text = contents.text()?;
        let added = format!("\n{content}");
        Ok::<_, Failure>(format!("{text}{}", Eol::dominant(text).convert(&added)).into_bytes())
    })?;
    Ok(Outcome { created: false })
}
