//! Reading a note that may not exist.

use quillgate_vault::{NotePath, VaultError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::Failure;
use crate::note_text::shown;
use crate::tool::{Spec, Tool};

/// Read a whole note. A note that does not exist is no error: exists is false and content is empty.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoteRead {
    /// Note, relative to the vault, with its extension
    path: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Note {
    content: String,
    exists: bool,
}

impl Tool for NoteRead {
    const SPEC: Spec = Spec::reading("note_read", "Read a note").quick();
    type Output = Note;

    fn run(self, context: &Context<'_>) -> Result<Note, Failure> {
        match context.vault().read_text(&NotePath::parse(&self.path)?) {
            Ok(contents) => Ok(Note { content: shown(contents.text()?), exists: true }),
            Err(VaultError::NotFound(_)) => Ok(Note { content: String::new(), exists: false }),
            Err(error) => Err(error.into()),
        }
    }
}
