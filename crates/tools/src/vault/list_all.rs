//! Every file of the vault at once.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::Failure;
use crate::time;
use crate::tool::{Spec, Tool};

/// List every file of the vault with size, time of change and frontmatter tags. Large vaults give long answers: prefer vault_search or vault_list when you know what you look for.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VaultListAll {}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Listing {
    total_files: usize,
    files: Vec<File>,
}

#[derive(Serialize, JsonSchema)]
struct File {
    path: String,
    size: u64,
    modified: String,
    tags: Vec<String>,
}

impl Tool for VaultListAll {
    const SPEC: Spec = Spec::reading("vault_list_all", "List all files");
    type Output = Listing;

    fn run(self, context: &Context<'_>) -> Result<Listing, Failure> {
        let catalogue = context.catalogue()?;
        let files = catalogue.files().map(|entry| File {
            path: entry.path.to_string(),
            size: entry.stat.size,
            modified: time::shown(entry.stat.modified),
            tags: entry.tags.iter().map(|tag| tag.to_string()).collect(),
        });
        Ok(Listing { total_files: catalogue.len(), files: files.collect() })
    }
}
