//! Links that lead nowhere.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::Failure;
use crate::tool::{Spec, Tool};

/// List the links that name no file, and the notes they stand in.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListUnresolvedLinks {}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Found {
    total: usize,
    unresolved: Vec<Unresolved>,
}

#[derive(Serialize, JsonSchema)]
struct Unresolved {
    target: String,
    sources: Vec<String>,
}

impl Tool for ListUnresolvedLinks {
    const SPEC: Spec = Spec::reading("obsidian_list_unresolved_links", "List unresolved links");
    type Output = Found;

    fn run(self, context: &Context<'_>) -> Result<Found, Failure> {
        let found = context.catalogue()?.unresolved();
        let unresolved = found.into_iter().map(|unresolved| {
            let mut sources: Vec<String> = unresolved.sources.into_iter().map(|(path, _)| path.to_string()).collect();
            sources.dedup();
            Unresolved { target: unresolved.target, sources }
        });
        let unresolved: Vec<Unresolved> = unresolved.collect();
        Ok(Found { total: unresolved.len(), unresolved })
    }
}
