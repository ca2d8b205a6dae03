//! Moving or renaming a file, with every link to it.

use quillgate_vault::NotePath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::Failure;
use crate::plan::Plan;
use crate::tool::{ChangeTool, Effect, Idempotency, Spec};
use crate::transfer::{Backlinks, Moving, Occupied, plan_move};

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

impl ChangeTool for VaultMove {
    const SPEC: Spec =
        Spec::writing("vault_move", "Move a file", Effect::Change, Idempotency::Repeats).scopes(&["write:notes", "delete:notes"]);
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let (source, destination) = (NotePath::parse(&self.source)?, NotePath::parse(&self.destination)?);
        let Moving { change, links, .. } = plan_move(context, &source, &destination, Backlinks::Update, Occupied::Refuse)?;
        let outcome = Outcome { source: source.to_string(), destination: destination.to_string(), links_updated: links };
        Ok(Plan::new(change, |_| Ok(outcome)))
    }
}
