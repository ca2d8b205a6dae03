//! What the file system knows of a note.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::note_name::find_note;
use crate::context::Context;
use crate::failure::Failure;
use crate::time;
use crate::tool::{Spec, Tool};

/// Show a file's path, size and times.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileInfo {
    /// Name as in a wikilink, without extension
    #[serde(default)]
    file: Option<String>,
    /// Exact path, with extension
    #[serde(default)]
    path: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Info {
    path: String,
    name: String,
    extension: String,
    size: u64,
    created: String,
    modified: String,
}

impl Tool for FileInfo {
    const SPEC: Spec = Spec::reading("obsidian_file_info", "Show file details").quick();
    type Output = Info;

    fn run(self, context: &Context<'_>) -> Result<Info, Failure> {
        let path = find_note(context, self.file.as_deref(), self.path.as_deref())?;
        let (_, stat) = context.vault().stat(&path)?;
        Ok(Info {
            path: path.to_string(),
            name: path.basename().to_owned(),
            extension: path.extension().to_owned(),
            size: stat.size,
            // Not every file system keeps the time of creation.
            created: time::shown(stat.created.unwrap_or(stat.modified)),
            modified: time::shown(stat.modified),
        })
    }
}
