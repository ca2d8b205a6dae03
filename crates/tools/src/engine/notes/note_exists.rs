//! Whether something is at a path.

use quillgate_vault::{EntryKind, NotePath, VaultError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::Failure;
use crate::tool::{Spec, Tool};

/// Say whether there is a file or a folder at a path, without reading it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoteExists {
    /// Path, relative to the vault; files with their extension
    #[schemars(length(min = 1, max = 1024))]
    path: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Answer {
    exists: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#type: Option<Kind>,
}

#[derive(Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Kind {
    File,
    Folder,
}

impl Tool for NoteExists {
    const SPEC: Spec = Spec::reading("note_exists", "Check for a note").quick();
    type Output = Answer;

    fn run(self, context: &Context<'_>) -> Result<Answer, Failure> {
        let r#type = match context.vault().stat(&NotePath::parse(&self.path)?) {
            Ok((EntryKind::File, _)) => Some(Kind::File),
            Ok((EntryKind::Folder, _)) => Some(Kind::Folder),
            Ok((EntryKind::Other, _)) | Err(VaultError::NotFound(_)) => None,
            Err(error) => return Err(error.into()),
        };
        Ok(Answer { exists: r#type.is_some(), r#type })
    }
}
