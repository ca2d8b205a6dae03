//! What was caught.

use quillgate_state::{Capture, CaptureCursor, CaptureStage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::context::Context;
use crate::failure::Failure;
use crate::page::{Cursor, Limit, MaxTokens, Page, Pager};
use crate::time;
use crate::tool::{Spec, Tool};

/// Characters of a capture that a list shows.
const PREVIEW: usize = 200;

/// List what waits in the capture queue, the earliest first, or with committed true what became a note and was kept in the queue.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListCaptureQueue {
    /// List those that became notes instead of those that wait
    #[serde(default)]
    committed: bool,
    /// Only those from this source
    #[serde(default)]
    #[schemars(length(min = 1, max = 1000))]
    source: Option<String>,
    #[serde(default)]
    limit: Limit,
    #[serde(default)]
    cursor: Cursor,
    #[serde(default)]
    max_tokens: MaxTokens,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Caught {
    capture_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// Its beginning
    content_preview: String,
    tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    captured_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    target_path_hint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    committed_at: Option<String>,
}

impl Tool for ListCaptureQueue {
    const SPEC: Spec = Spec::reading("list_capture_queue", "List captures").scopes(&["read:capture"]);
    type Output = Page<Caught>;

    fn run(self, context: &Context<'_>) -> Result<Page<Caught>, Failure> {
        let question = json!([context.vault_id(), self.committed, self.source]);
        let pager = Pager::new(Self::SPEC.name, &question, self.limit, self.max_tokens);
        let after = pager.after::<(i64, String)>(&self.cursor)?;
        let after = after.map(|(captured_ms, id)| CaptureCursor { captured_ms, id });
        let stage = if self.committed { CaptureStage::Committed } else { CaptureStage::Waiting };
        // One more than is shown tells whether there are more.
        let limit = u32::try_from(pager.limit() + 1).unwrap_or(u32::MAX);
        let source = self.source.as_deref();
        let found = context
            .server
            .state()?
            .wait(async |state| state.list_captures(context.vault_id(), stage, source, after.as_ref(), limit).await)?;
        let items = found.into_iter().map(|capture| ((capture.captured_ms, capture.id.clone()), shown(capture)));
        Ok(pager.page(items.collect(), false, None))
    }
}

fn shown(capture: Capture) -> Caught {
    let mut content_preview: String = capture.content.chars().take(PREVIEW).collect();
    if content_preview.len() < capture.content.len() {
        content_preview.push('…');
    }
    Caught {
        capture_id: capture.id,
        title: capture.title,
        content_preview,
        tags: capture.tags,
        source: capture.source,
        captured_at: time::shown(capture.captured_ms.saturating_mul(1_000_000)),
        target_path_hint: capture.target_path_hint,
        committed_at: capture.committed_ms.map(|committed| time::shown(committed.saturating_mul(1_000_000))),
    }
}
