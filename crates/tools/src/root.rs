//! The folder that a list or a search is confined to.

use quillgate_vault::{EntryKind, FolderPath, NotePath, VaultError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::Failure;

/// Only in this folder and below it; the whole vault by default
#[derive(Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct Root(#[schemars(length(max = 1024))] Option<String>);

impl Root {
    /// For tools that call it otherwise, or cannot do without.
    pub(crate) fn of(folder: &str) -> Root {
        Root(Some(folder.to_owned()))
    }

    /// The folder, which must exist: a misspelt one would look like one without a match.
    pub(crate) fn folder(&self, context: &Context<'_>) -> Result<FolderPath, Failure> {
        match self.0.as_deref() {
            None | Some("") => Ok(FolderPath::ROOT),
            Some(path) => existing(context, FolderPath::from(NotePath::parse(path)?)),
        }
    }

    /// The same on surfaces where `/` means the vault and may stand at either end of a folder.
    pub(crate) fn folder_with_slashes(&self, context: &Context<'_>) -> Result<FolderPath, Failure> {
        existing(context, FolderPath::parse(self.0.as_deref().unwrap_or_default())?)
    }
}

fn existing(context: &Context<'_>, folder: FolderPath) -> Result<FolderPath, Failure> {
    if folder.is_root() {
        return Ok(folder);
    }
    match context.vault().stat(&NotePath::parse(folder.as_str())?) {
        Ok((EntryKind::Folder, _)) => Ok(folder),
        Ok(_) => Err(VaultError::NotFolder(folder).into()),
        Err(VaultError::NotFound(_)) => Err(VaultError::FolderNotFound(folder).into()),
        Err(error) => Err(error.into()),
    }
}
