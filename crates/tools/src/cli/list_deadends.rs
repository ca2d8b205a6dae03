//! Notes that lead nowhere.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::Failure;
use crate::tool::{Spec, Tool};

/// List the notes without a link to another file.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListDeadends {}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Found {
    total: usize,
    files: Vec<String>,
}

impl Tool for ListDeadends {
    const SPEC: Spec = Spec::reading("obsidian_list_deadends", "List dead ends");
    type Output = Found;

    fn run(self, context: &Context<'_>) -> Result<Found, Failure> {
        let files: Vec<String> = context.catalogue()?.dead_ends().into_iter().map(|path| path.to_string()).collect();
        Ok(Found { total: files.len(), files })
    }
}
