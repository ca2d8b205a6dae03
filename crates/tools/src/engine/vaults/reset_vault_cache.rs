//! Dropping what can be made again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::context::Context;
use crate::failure::Failure;
use crate::server::ResetParts;
use crate::time;
use crate::tool::{Confirm, Effect, Idempotency, Rate, Spec, Tool};

/// Drop what the server keeps of a vault, to have it made again: the index, remembered replies, the event log. No note changes. Searches are slower until the index is back.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResetVaultCache {
    /// What to drop
    #[serde(default)]
    include: Include,
}

#[derive(Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Include {
    /// The text index
    chunks: bool,
    /// Embeddings of notes
    embeddings: bool,
    /// Replies that are remembered for repeated calls: a repeated call acts again
    idempotency_keys: bool,
    /// The record of events, which cannot be made again
    event_log: bool,
}

impl Default for Include {
    fn default() -> Include {
        Include { chunks: true, embeddings: true, idempotency_keys: true, event_log: false }
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    vault: String,
    reset_at: String,
    /// How much of each part was dropped
    rows_dropped: Map<String, Value>,
}

impl Tool for ResetVaultCache {
    const SPEC: Spec = Spec::writing("reset_vault_cache", "Reset caches", Effect::Change, Idempotency::Natural)
        .scopes(&["admin:vault"])
        .rate(Rate::Admin)
        .confirm(Confirm::Always);
    type Output = Outcome;

    fn run(self, context: &Context<'_>) -> Result<Outcome, Failure> {
        let Include { chunks, embeddings, idempotency_keys, event_log } = self.include;
        let parts = ResetParts { chunks, embeddings, idempotency_keys, event_log };
        let rows_dropped = context.server.reset(context.vault_id(), &parts)?;
        Ok(Outcome { vault: context.vault_id().to_owned(), reset_at: time::told(&context.now()), rows_dropped })
    }
}
