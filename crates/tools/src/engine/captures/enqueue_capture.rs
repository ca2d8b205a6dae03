//! Catching a thought before it has a place.

use std::hash::{BuildHasher, RandomState};

use quillgate_state::Capture;
use quillgate_vault::NotePath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::Failure;
use crate::time;
use crate::tool::{Effect, Idempotency, Spec, Tool};

/// Put a thought, a quote or a link into the capture queue, without writing to the vault. commit_capture makes a note of it later.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EnqueueCapture {
    /// What is caught, as Markdown
    #[schemars(length(min = 1, max = 1_000_000))]
    content: String,
    /// What to call it
    #[serde(default)]
    #[schemars(length(min = 1, max = 500))]
    title: Option<String>,
    /// Tags that the note will get
    #[serde(default)]
    #[schemars(length(max = 100))]
    tags: Vec<String>,
    /// Where it comes from, such as the name of an app or an address
    #[serde(default)]
    #[schemars(length(min = 1, max = 1000))]
    source: Option<String>,
    /// Where the note might go, relative to the vault, with its extension
    #[serde(default)]
    #[schemars(length(min = 1, max = 1024))]
    target_path_hint: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    /// Names it in commit_capture
    capture_id: String,
    captured_at: String,
    vault: String,
}

impl Tool for EnqueueCapture {
    const SPEC: Spec =
        Spec::writing("enqueue_capture", "Capture a thought", Effect::Add, Idempotency::Keyed).scopes(&["write:capture"]);
    type Output = Outcome;

    fn run(self, context: &Context<'_>) -> Result<Outcome, Failure> {
        let hint = self.target_path_hint.map(|hint| NotePath::parse(&hint)).transpose()?;
        let now = context.now();
        let capture = Capture {
            id: fresh_id(),
            vault: context.vault_id().to_owned(),
            title: self.title,
            content: self.content,
            tags: self
                .tags
                .iter()
                .map(|tag| tag.trim().trim_start_matches('#').to_owned())
                .filter(|tag| !tag.is_empty())
                .collect(),
            source: self.source,
            target_path_hint: hint.map(|hint| hint.to_string()),
            captured_ms: now.timestamp().as_millisecond(),
            committed_ms: None,
        };
        context.server.state()?.wait(async |state| state.enqueue_capture(&capture).await)?;
        Ok(Outcome { capture_id: capture.id, captured_at: time::told(&now), vault: capture.vault })
    }
}

/// A name, not a secret.
fn fresh_id() -> String {
    let half = || RandomState::new().hash_one(std::process::id());
    format!("{:016x}{:016x}", half(), half())
}
