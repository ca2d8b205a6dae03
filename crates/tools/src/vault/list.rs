//! One folder of the vault.

use quillgate_vault::{EntryKind, FolderEntry, FolderPath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::Failure;
use crate::time;
use crate::tool::{Spec, Tool};

/// List one folder of the vault, one level deep. Start with "/" for the top of the vault.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VaultList {
    /// Folder, relative to the vault; "/" is the vault itself
    #[serde(default = "top")]
    path: String,
}

fn top() -> String {
    "/".to_owned()
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Folder {
    path: String,
    entries: Vec<Line>,
    total_entries: usize,
}

#[derive(Serialize, JsonSchema)]
struct Line {
    name: String,
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    modified: Option<String>,
    /// Files and folders directly inside a folder
    #[serde(skip_serializing_if = "Option::is_none")]
    children: Option<usize>,
}

impl Tool for VaultList {
    const SPEC: Spec = Spec::reading("vault_list", "List a folder");
    type Output = Folder;

    fn run(self, context: &Context<'_>) -> Result<Folder, Failure> {
        let folder = FolderPath::parse(&self.path)?;
        let found = context.vault().list(&folder)?;
        let mut entries = Vec::with_capacity(found.len());
        for entry in found {
            entries.push(line(context, &folder, entry)?);
        }
        Ok(Folder { total_entries: entries.len(), path: self.path, entries })
    }
}

fn line(context: &Context<'_>, folder: &FolderPath, entry: FolderEntry) -> Result<Line, Failure> {
    if entry.kind == EntryKind::Folder {
        let inside = folder.join(&entry.name).map(FolderPath::from)?;
        // A folder that cannot be read, or has just gone, has nothing to show.
        let children = context.vault().list(&inside).map_or(0, |children| children.len());
        return Ok(Line { name: entry.name, r#type: "folder", size: None, modified: None, children: Some(children) });
    }
    let (size, modified) = (entry.stat.size, time::shown(entry.stat.modified));
    Ok(Line { name: entry.name, r#type: "file", size: Some(size), modified: Some(modified), children: None })
}
