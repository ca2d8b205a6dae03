//! Copying a file.

use quillgate_vault::NotePath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::Failure;
use crate::plan::Plan;
use crate::tool::{ChangeTool, Effect, Idempotency, Spec};
use crate::transfer::{Copying, plan_copy};

/// Copy a file to a new path; links inside the copy keep their meaning. Never overwrites; does not copy folders.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VaultCopy {
    /// File to copy, relative to the vault, with its extension
    source: String,
    /// Path of the copy, with file name and extension; missing folders are made
    destination: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    source: String,
    destination: String,
    size: u64,
}

impl ChangeTool for VaultCopy {
    const SPEC: Spec = Spec::writing("vault_copy", "Copy a file", Effect::Add, Idempotency::Repeats);
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let (source, destination) = (NotePath::parse(&self.source)?, NotePath::parse(&self.destination)?);
        let Copying { change, size, .. } = plan_copy(context, &source, &destination, true)?;
        let outcome = Outcome { source: source.to_string(), destination: destination.to_string(), size };
        Ok(Plan::new(change, |_| Ok(outcome)))
    }
}
