//! Moving a note to another folder or path.

use quillgate_vault::{EntryKind, FolderPath, NotePath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::note_name::find_note;
use crate::context::Context;
use crate::failure::Failure;
use crate::tool::{Effect, Idempotency, Spec, Tool};
use crate::transfer;

/// Move a note and rewrite every link to it. Never overwrites.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MoveNote {
    /// Name as in a wikilink, without extension
    #[serde(default)]
    file: Option<String>,
    /// Exact path, with extension
    #[serde(default)]
    path: Option<String>,
    /// Folder (existing, or ending in /) or new path; missing folders are made
    #[schemars(length(min = 1))]
    to: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    from: String,
    to: String,
    links_updated: usize,
}

impl Tool for MoveNote {
    const SPEC: Spec = Spec::writing("obsidian_move_note", "Move a note", Effect::Change, Idempotency::Repeats)
        .scopes(&["write:notes", "delete:notes"]);
    type Output = Outcome;

    fn run(self, context: &Context<'_>) -> Result<Outcome, Failure> {
        let from = find_note(context, self.file.as_deref(), self.path.as_deref())?;
        let to = destination(context, &from, &self.to)?;
        let links_updated = transfer::move_file(context, &from, &to)?;
        Ok(Outcome { from: from.to_string(), to: to.to_string(), links_updated })
    }
}

fn destination(context: &Context<'_>, from: &NotePath, to: &str) -> Result<NotePath, Failure> {
    if to == "/" {
        return Ok(FolderPath::ROOT.join(from.name())?);
    }
    if let Some(folder) = to.strip_suffix('/') {
        return Ok(FolderPath::from(NotePath::parse(folder)?).join(from.name())?);
    }
    let path = NotePath::parse(to)?;
    if matches!(context.vault().stat(&path), Ok((EntryKind::Folder, _))) {
        return Ok(FolderPath::from(path).join(from.name())?);
    }
    keep_extension(from, &path)
}

/// A new name without the file's extension gets it.
pub(crate) fn keep_extension(from: &NotePath, to: &NotePath) -> Result<NotePath, Failure> {
    let extension = from.extension();
    if extension.is_empty() || to.extension().eq_ignore_ascii_case(extension) {
        return Ok(to.clone());
    }
    Ok(NotePath::parse(&format!("{to}.{extension}"))?)
}
