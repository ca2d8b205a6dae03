//! The tags of one note.

use quillgate_markdown::{Note, Tag, fold};
use quillgate_vault::NotePath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::list_tags::Source;
use crate::context::Context;
use crate::failure::Failure;
use crate::note_text::{must_be_note, shown};
use crate::tool::{Spec, Tool};

/// List the tags of one note, each once whatever its case: those of the frontmatter first, then those in the text with the places where they stand.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GetNoteTags {
    /// Note, relative to the vault, with its extension
    #[schemars(length(min = 1, max = 1024))]
    path: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Answer {
    path: String,
    tags: Vec<NoteTag>,
}

#[derive(Serialize, JsonSchema)]
struct NoteTag {
    /// Without #
    tag: String,
    source: Source,
    /// Where it stands in the text
    #[serde(skip_serializing_if = "Vec::is_empty")]
    positions: Vec<Place>,
}

#[derive(Serialize, JsonSchema)]
struct Place {
    /// From 1
    line: usize,
    /// In characters, from 1
    col: usize,
}

impl Tool for GetNoteTags {
    const SPEC: Spec = Spec::reading("get_note_tags", "List a note's tags").quick();
    type Output = Answer;

    fn run(self, context: &Context<'_>) -> Result<Answer, Failure> {
        let path = NotePath::parse(&self.path)?;
        must_be_note(&path)?;
        let text = shown(context.vault().read_text(&path)?.text()?);
        Ok(Answer { path: path.to_string(), tags: tags_of(&text) })
    }
}

fn tags_of(text: &str) -> Vec<NoteTag> {
    let note = Note::parse(text);
    let of_frontmatter = |tag| NoteTag { tag, source: Source::Frontmatter, positions: Vec::new() };
    let mut tags: Vec<NoteTag> = note.property_tags().into_iter().map(of_frontmatter).collect();
    for found in &note.tags {
        match tags.iter_mut().find(|tag| fold(&tag.tag) == fold(&found.name)) {
            Some(tag) => {
                let is_frontmatter = !matches!(tag.source, Source::Inline);
                tag.source = Source::of(true, is_frontmatter);
                tag.positions.push(Place::of(text, found));
            }
            None => {
                let positions = vec![Place::of(text, found)];
                tags.push(NoteTag { tag: found.name.clone(), source: Source::Inline, positions });
            }
        }
    }
    tags
}

impl Place {
    fn of(text: &str, tag: &Tag) -> Place {
        let before = &text[..tag.span.start];
        let line = &before[before.rfind('\n').map_or(0, |newline| newline + 1)..];
        Place { line: tag.line, col: line.chars().count() + 1 }
    }
}
