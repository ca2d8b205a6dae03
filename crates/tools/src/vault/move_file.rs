//! Moving or renaming a file, with every link to it.

use quillgate_vault::NotePath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::Failure;
use crate::tool::{Effect, Idempotency, Spec, Tool};
use crate::transfer;

/// Move or rename a file and rewrite every link to it. Never overwrites; does not move folders.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VaultMove {
    /// File to move, relative to the vault, with its extension
    source: String,
    /// Its new path, with file name and extension; missing folders are made
    destination: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    source: String,
    destination: String,
    links_updated: usize,
}

impl Tool for VaultMove {
    const SPEC: Spec =
        Spec::writing("vault_move", "Move a file", Effect::Change, Idempotency::Repeats).scopes(&["write:notes", "delete:notes"]);
    type Output = Outcome;

    fn run(self, context: &Context<'_>) -> Result<Outcome, Failure> {
        let (source, destination) = (NotePath::parse(&self.source)?, NotePath::parse(&self.destination)?);
        let links_updated = transfer::move_file(context, &source, &destination)?;
        Ok(Outcome { source: source.to_string(), destination: destination.to_string(), links_updated })
    }
}
