//! Making a note of what was caught.

use jiff::Zoned;
use quillgate_state::{AfterCommit, Capture, CaptureClaim, TakenCapture};
use quillgate_vault::{Expect, Folders, NotePath, VaultError, Written};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::context::Context;
use crate::failure::{Failure, Issue};
use crate::new_text::with_properties;
use crate::plan::agree;
use crate::state_door::StateDoor;
use crate::time;
use crate::tool::{Effect, Idempotency, Spec, Tool};

/// After this long whoever took a capture has crashed.
const CRASHED_MS: i64 = 60_000;

/// Make a new note of a capture. Its title, tags and source become properties. Never overwrites a note; of two calls for the same capture only one writes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CommitCapture {
    /// Which capture, from list_capture_queue
    #[schemars(length(min = 1, max = 64))]
    capture_id: String,
    /// Where the note goes, relative to the vault, ending in .md; missing folders are made
    #[schemars(length(min = 1, max = 1024))]
    target_path: String,
    /// Properties to set instead of or besides those of the capture; null leaves one out
    #[serde(default)]
    frontmatter_overrides: Option<Map<String, Value>>,
    /// Remove the capture from the queue once it is a note
    #[serde(default = "yes")]
    delete_from_queue: bool,
}

fn yes() -> bool {
    true
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    capture_id: String,
    target_path: String,
    committed_at: String,
    content_hash: String,
}

impl Tool for CommitCapture {
    const SPEC: Spec =
        Spec::writing("commit_capture", "Commit a capture", Effect::Add, Idempotency::Repeats).scopes(&["write:capture"]);
    type Output = Outcome;

    fn run(self, context: &Context<'_>) -> Result<Outcome, Failure> {
        let path = NotePath::parse(&self.target_path)?;
        if !path.is_note() {
            let issue = Issue::new("target_path", format!("must end in .md; did you mean {path}.md?"));
            return Err(Failure::InvalidInput(vec![issue]));
        }
        let state = context.server.state()?;
        let known = state.wait(async |state| state.find_capture(context.vault_id(), &self.capture_id).await)?;
        let note = self.note(&path, &known.ok_or_else(|| self.missing())?)?;
        agree(&Self::SPEC, context, &[], || {
            let change = context.vault().transaction(Folders::Create);
            change.write(path.clone(), note.into_bytes(), Expect::Absent)
        })?;
        let now = context.now();
        let (capture, claim) = self.take(context, &state, &now)?;
        let written = match self.write(context, &path, &capture) {
            Ok(written) => written,
            Err(failure) => {
                state.wait(async |state| state.release_capture(&claim).await)?;
                return Err(failure);
            }
        };
        let after = if self.delete_from_queue { AfterCommit::Delete } else { AfterCommit::Keep };
        let now_ms = now.timestamp().as_millisecond();
        if !state.wait(async |state| state.finish_capture(&claim, after, now_ms).await)? {
            tracing::warn!(capture = %self.capture_id, "somebody took a capture over while it was being written");
        }
        Ok(Outcome {
            capture_id: self.capture_id,
            target_path: path.to_string(),
            committed_at: time::told(&now),
            content_hash: written.hash.to_string(),
        })
    }
}

impl CommitCapture {
    /// From here on nobody else can write it.
    fn take(&self, context: &Context<'_>, state: &StateDoor, now: &Zoned) -> Result<(Box<Capture>, CaptureClaim), Failure> {
        let (vault, now_ms) = (context.vault_id(), now.timestamp().as_millisecond());
        match state.wait(async |state| state.take_capture(vault, &self.capture_id, now_ms, CRASHED_MS).await)? {
            TakenCapture::Yes { capture, claim } => Ok((capture, claim)),
            TakenCapture::InFlight => Err(VaultError::Busy.into()),
            TakenCapture::Committed { at_ms } => Err(self.committed_before(at_ms)),
            TakenCapture::Missing => Err(self.missing()),
        }
    }

    fn write(&self, context: &Context<'_>, path: &NotePath, capture: &Capture) -> Result<Written, Failure> {
        let note = self.note(path, capture)?;
        Ok(context.vault().write(path, note.into_bytes(), Expect::Absent, Folders::Create)?)
    }

    fn note(&self, path: &NotePath, capture: &Capture) -> Result<String, Failure> {
        let mut properties = Map::new();
        properties.extend(capture.title.as_ref().map(|title| ("title".to_owned(), json!(title))));
        if !capture.tags.is_empty() {
            properties.insert("tags".to_owned(), json!(capture.tags));
        }
        properties.extend(capture.source.as_ref().map(|source| ("source".to_owned(), json!(source))));
        for (key, value) in self.frontmatter_overrides.iter().flatten() {
            match value {
                Value::Null => drop(properties.shift_remove(key)),
                value => drop(properties.insert(key.clone(), value.clone())),
            }
        }
        let content = capture.content.trim_end();
        with_properties(path, &format!("{content}\n"), Some(&properties))
    }

    fn missing(&self) -> Failure {
        self.wrong_id("is in no queue of this vault; list_capture_queue lists what is".to_owned())
    }

    fn committed_before(&self, at_ms: i64) -> Failure {
        let at = time::shown(at_ms.saturating_mul(1_000_000));
        self.wrong_id(format!("became a note on {at} already; there is nothing left to do"))
    }

    fn wrong_id(&self, expected: String) -> Failure {
        Failure::InvalidInput(vec![Issue::new("capture_id", expected)])
    }
}
