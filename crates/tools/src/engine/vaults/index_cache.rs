//! What is kept of a vault to answer from.

use std::time::UNIX_EPOCH;

use quillgate_index::Index;
use schemars::JsonSchema;
use serde::Serialize;

use crate::time;

/// Embeddings are not made yet.
pub(super) const NO_PROVIDER: &str = "none";

#[derive(Serialize, JsonSchema)]
pub(super) struct IndexCache {
    pub(super) note_count: usize,
    /// Files in the text index
    pub(super) chunk_count: u64,
    /// Absent before the text index was written for the first time
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) last_indexed_at: Option<String>,
    db_size_bytes: u64,
}

impl IndexCache {
    /// As far as it is; does not wait for the vault to be read.
    pub(super) fn of(index: &Index) -> IndexCache {
        let text = index.text_status();
        let committed = text.last_commit.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let nanoseconds = committed.map(|since| i64::try_from(since.as_nanos()).unwrap_or(i64::MAX));
        IndexCache {
            note_count: index.note_count(),
            chunk_count: text.documents,
            last_indexed_at: nanoseconds.map(time::shown),
            db_size_bytes: text.bytes_on_disk,
        }
    }
}
