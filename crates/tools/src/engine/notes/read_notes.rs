//! Reading several notes at once.

use quillgate_vault::NotePath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::note_view::{NoteView, Part, Wanted};
use crate::context::Context;
use crate::failure::Failure;
use crate::page::room_of;
use crate::surface::engine_error;
use crate::tool::{Spec, Tool};

/// Read up to 50 notes in one call, in the order given. One that cannot be read does not stop the others. Long notes share the room there is: what was cut says truncated.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadNotes {
    /// Notes, relative to the vault, with their extensions
    #[schemars(length(min = 1, max = 50))]
    paths: Vec<String>,
    /// Also return the properties as objects; without it content leaves the frontmatter out too
    #[serde(default = "yes")]
    include_frontmatter: bool,
    /// Return the texts
    #[serde(default = "yes")]
    include_content: bool,
    /// Cut the texts so that the answer takes about this many tokens
    #[serde(default)]
    #[schemars(range(min = 1))]
    max_tokens: Option<u64>,
}

fn yes() -> bool {
    true
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    results: Vec<Line>,
}

#[derive(Serialize, JsonSchema)]
struct Line {
    path: String,
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<NoteView>,
    /// Code and message, when it failed
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Map<String, Value>>,
}

impl Tool for ReadNotes {
    const SPEC: Spec = Spec::reading("read_notes", "Read notes");
    type Output = Outcome;

    fn run(self, context: &Context<'_>) -> Result<Outcome, Failure> {
        let mut room = room_of(self.max_tokens);
        let mut results = Vec::with_capacity(self.paths.len());
        for (at, path) in self.paths.iter().enumerate() {
            if !context.go_on() {
                return Err(Failure::Cancelled);
            }
            // What one note does not need is left for the others.
            let line = self.line(context, path, room / (self.paths.len() - at));
            room = room.saturating_sub(serde_json::to_vec(&line).map_or(0, |json| json.len()));
            results.push(line);
        }
        Ok(Outcome { results })
    }
}

impl ReadNotes {
    fn line(&self, context: &Context<'_>, path: &str, room: usize) -> Line {
        let part = if self.include_content { Part::All } else { Part::Nothing };
        let wanted = Wanted { part, frontmatter: self.include_frontmatter, stats: false, answers: false, room };
        let read = NotePath::parse(path).map_err(Failure::from).and_then(|path| NoteView::read(context, &path, &wanted));
        let path = path.to_owned();
        match read {
            Ok(note) => Line { path, ok: true, note: Some(note), error: None },
            Err(failure) => Line { path, ok: false, note: None, error: engine_error(&failure).as_object().cloned() },
        }
    }
}
