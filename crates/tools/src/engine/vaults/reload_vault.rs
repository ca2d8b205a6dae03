//! Reading the configuration again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::Failure;
use crate::time;
use crate::tool::{Rate, Spec, Tool};

/// Read the server's configuration again and apply what can change while it runs: access rules, limits, plugin overrides. A file with an error changes nothing, and the error is told.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReloadVault {}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    vault: String,
    reloaded_at: String,
    /// Keys of the configuration that have another value now
    changed: Vec<String>,
}

impl Tool for ReloadVault {
    // It changes no note, so a vault that is only read can be given other rules too.
    const SPEC: Spec = Spec::reading("reload_vault", "Reload configuration").scopes(&["admin:vault"]).rate(Rate::Admin);
    type Output = Outcome;

    fn run(self, context: &Context<'_>) -> Result<Outcome, Failure> {
        let changed = context.server.reload(context.vault_id())?;
        Ok(Outcome { vault: context.vault_id().to_owned(), reloaded_at: time::told(&context.now()), changed })
    }
}
