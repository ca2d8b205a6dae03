//! Notes that nothing leads to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::Failure;
use crate::tool::{Spec, Tool};

/// List the notes that no other file links to.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListOrphans {}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Found {
    total: usize,
    files: Vec<String>,
}

impl Tool for ListOrphans {
    const SPEC: Spec = Spec::reading("obsidian_list_orphans", "List orphans");
    type Output = Found;

    fn run(self, context: &Context<'_>) -> Result<Found, Failure> {
        let files: Vec<String> = context.catalogue()?.orphans().into_iter().map(|path| path.to_string()).collect();
        Ok(Found { total: files.len(), files })
    }
}
