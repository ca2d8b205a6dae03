//! Reading a note.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::note_name::find_note;
use crate::context::Context;
use crate::failure::Failure;
use crate::note_text::shown;
use crate::tool::{Spec, Tool};

/// Read a whole note, frontmatter included.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadNote {
    /// Name as in a wikilink, without extension
    #[serde(default)]
    file: Option<String>,
    /// Exact path, with extension
    #[serde(default)]
    path: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Note {
    path: String,
    content: String,
}

impl Tool for ReadNote {
    const SPEC: Spec = Spec::reading("obsidian_read_note", "Read a note").quick();
    type Output = Note;

    fn run(self, context: &Context<'_>) -> Result<Note, Failure> {
        let path = find_note(context, self.file.as_deref(), self.path.as_deref())?;
        let content = shown(context.vault().read_text(&path)?.text()?);
        Ok(Note { path: path.to_string(), content })
    }
}
