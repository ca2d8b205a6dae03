//! Bringing the vault up to date with the operator's own command.

use quillgate_remote::run_program;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::Failure;
use crate::tool::{Effect, Idempotency, Rate, Spec, Tool};

/// Pull the newest state of the vault from where it is synced, and wait until it is there. Takes as long as the transfer.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VaultSync {}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    /// Files that are new, different or gone
    changed: usize,
    duration_ms: u64,
    output_tail: String,
}

impl Tool for VaultSync {
    const SPEC: Spec = Spec::writing("vault_sync", "Sync the vault", Effect::Outside, Idempotency::Natural)
        .scopes(&["write:sync"])
        .rate(Rate::Execute);
    type Output = Outcome;

    fn run(self, context: &Context<'_>) -> Result<Outcome, Failure> {
        let Some(sync) = &context.settings().sync else {
            let what_to_do = "no sync command is configured; the operator sets sync.command, such as [\"rclone\", \"sync\", …]";
            return Err(Failure::NotConfigured(what_to_do.to_owned()));
        };
        let before = context.catalogue()?.fingerprints();
        let folder = sync.folder.as_deref().unwrap_or(context.vault().root_path());
        let mut lines = 0.0;
        let finished = run_program(&sync.command, folder, sync.limit, |line| {
            if !line.is_empty() {
                lines += 1.0;
                context.progress(lines, None, line);
            }
            context.go_on()
        })?;
        if !finished.status.success() {
            return Err(Failure::Outside(format!("the sync command failed ({}): {}", finished.status, finished.tail)));
        }
        context.workspace.index.check_everything();
        let changed = context.catalogue()?.changes_since(&before);
        let duration_ms = u64::try_from(finished.took.as_millis()).unwrap_or(u64::MAX);
        Ok(Outcome { changed, duration_ms, output_tail: finished.tail })
    }
}
