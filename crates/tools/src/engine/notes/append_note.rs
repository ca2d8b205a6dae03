//! Adding to a note.

use quillgate_markdown::{Edit, Eol, Note, Position as End, append, prepend, under_heading};
use quillgate_vault::NotePath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::expected_hash::ExpectedHash;
use crate::failure::Failure;
use crate::note_edit::NoteEdit;
use crate::note_text::must_take_text;
use crate::plan::Plan;
use crate::tool::{ChangeTool, Effect, Idempotency, Spec};

/// Add text to a note that exists, at its end or start, or in the section of one heading. What is there stays; others may add at the same time.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AppendNote {
    /// Note, relative to the vault, with its extension
    #[schemars(length(min = 1, max = 1024))]
    path: String,
    /// Markdown to add
    #[schemars(length(min = 1))]
    content: String,
    /// Which end of the note, or of the section
    #[serde(default)]
    position: Position,
    /// At the start: behind the frontmatter rather than before it, where it would end the frontmatter
    #[serde(default = "yes")]
    after_frontmatter: bool,
    /// Keep content on lines of its own; in a section it always is
    #[serde(default = "yes")]
    ensure_newline: bool,
    /// Heading whose section gets the content; Parent#Child where it stands more than once
    #[serde(default)]
    #[schemars(length(min = 1, max = 1000))]
    heading: Option<String>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Position {
    #[default]
    End,
    Start,
}

fn yes() -> bool {
    true
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    path: String,
    position_used: Position,
    updated_at: String,
    content_hash: String,
    /// By how much the file grew
    inserted_bytes: usize,
}

impl ChangeTool for AppendNote {
    const SPEC: Spec = Spec::writing("append_note", "Append to a note", Effect::Add, Idempotency::KeyRequired);
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let path = NotePath::parse(&self.path)?;
        must_take_text(&path)?;
        let note = NoteEdit::read(context, path, &ExpectedHash::default())?;
        let edit = self.edit(&note.text)?;
        let after = edit.apply(&note.text);
        let (position_used, inserted_bytes) = (self.position, edit.text.len());
        Ok(note.plan(context, after, move |changed| Outcome {
            path: changed.path,
            position_used,
            updated_at: changed.updated_at,
            content_hash: changed.content_hash,
            inserted_bytes,
        }))
    }
}

impl AppendNote {
    fn edit(&self, text: &str) -> Result<Edit, Failure> {
        let content = self.content.as_str();
        if let Some(heading) = &self.heading {
            let end = if self.position == Position::End { End::End } else { End::Start };
            return Ok(under_heading(&Note::parse(text), text, heading, end, content)?);
        }
        let converted = || Eol::dominant(text).convert(content);
        Ok(match (self.position, self.ensure_newline, self.after_frontmatter) {
            (Position::End, true, _) => append(text, content),
            (Position::End, false, _) => Edit::insert(text.len(), converted()),
            (Position::Start, true, true) => prepend(text, content),
            (Position::Start, false, true) => Edit::insert(Note::parse(text).body, converted()),
            (Position::Start, is_apart, false) => {
                let mut added = converted().into_owned();
                if is_apart && !added.ends_with('\n') && !text.is_empty() {
                    added.push_str(Eol::dominant(text).as_str());
                }
                Edit::insert(if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 }, added)
            }
        })
    }
}
