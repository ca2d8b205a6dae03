//! Deleting files, to the vault's trash.

use quillgate_vault::NotePath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::context::Context;
use crate::failure::Failure;
use crate::surface::vault_error;
use crate::tool::{Effect, Idempotency, Rate, Spec, Tool};

/// Move files to the vault's trash, each on its own: one that fails does not stop the others. Folders are not deleted. Links to a deleted note stay and become unresolved.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VaultDelete {
    /// Files, relative to the vault, with their extensions
    #[schemars(length(min = 1, max = 200))]
    paths: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    results: Vec<Line>,
}

#[derive(Serialize, JsonSchema)]
struct Line {
    path: String,
    ok: bool,
    /// Code and message, when it failed
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<serde_json::Map<String, Value>>,
}

impl Tool for VaultDelete {
    const SPEC: Spec = Spec::writing("vault_delete", "Delete files", Effect::Change, Idempotency::Natural)
        .scopes(&["delete:notes"])
        .rate(Rate::Delete);
    type Output = Outcome;

    fn run(self, context: &Context<'_>) -> Result<Outcome, Failure> {
        let results = self.paths.into_iter().map(|path| match delete(context, &path) {
            Ok(()) => Line { path, ok: true, error: None },
            Err(failure) => Line { path, ok: false, error: vault_error(&failure).as_object().cloned() },
        });
        Ok(Outcome { results: results.collect() })
    }
}

fn delete(context: &Context<'_>, path: &str) -> Result<(), Failure> {
    if !context.go_on() {
        return Err(Failure::Cancelled);
    }
    context.vault().trash(&NotePath::parse(path)?)?;
    Ok(())
}
