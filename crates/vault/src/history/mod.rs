//! The history: every change that was made, with the bytes it replaced, so that it can be shown and taken back.
//!
//! It lies outside the vault, in a folder of **segments**, files that are only appended to. Each process writes a segment of
//! its own and all read all of them. One is begun when the last is full or a day old; the next process goes on with one that
//! is small. `<time>.segment` has the records; `<time>.lock` is there, and locked, as long as a process writes it. One that is
//! there and not locked belongs to a process that ended in the middle: the next start looks at what it was doing.
//!
//! ```text
//! segment = "quillgate history 1\n" record*
//! record  = mark (a7 51), kind (u8), length (u32), crc-32 of kind, length and body (u32), body      little-endian
//! body    = Blob:    head {sha-256, size, coding}, coded bytes
//!           Change:  {id, author?, files [created | edited | deleted | moved], undoes [id]}
//!           Settled: {id, is in effect?}                                                            heads: postcard
//! coding  = plain | zstd | delta {back, depth}: zstd with an earlier blob as prefix
//!                        | splice {back, depth, first, last}: both ends of an earlier blob, a new piece between
//! ```
//!
//! A change is written down in this order: the bytes before and after, once per segment; the change, before any file is
//! swapped; what became of it. So bytes are never replaced without being kept. A blob is kept beside the state before it,
//! in chains of at most 32. Records are complete when the files change, and on the disk within a second after: `kill -9` costs
//! nothing, a loss of power at most the last second of the history, never a note.
//!
//! - A segment of another version is left out with a warning. Damage costs the records it hit: the next mark with a fitting
//!   check sum is looked for.
//! - Only bytes that go away have to be kept. If that fails (the disk is full), a change that replaces or deletes is refused;
//!   one that only creates or moves is made, with a warning, and is not in the history.
//! - Files above `max_file_bytes` are recorded with their size only. Such a change is listed, and cannot be undone.
//! - A file that is only moved is not read: its bytes are where it went.

mod aftermath;
mod blob;
mod diff;
mod frame;
mod id;
mod index;
mod lines;
mod merge;
mod overlay;
mod recent;
mod record;
mod recording;
mod segment;
mod shelf;
mod store;
mod undo;
mod view;
mod writer;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub use diff::{Compared, unified_diff};
pub use id::ChangeId;
pub use merge::Clash;
pub use overlay::UndoOutcome;
pub use record::{FileChange, Image, PastChange, Side};
pub(crate) use recording::{Announced, Recording, Seen};
pub(crate) use store::Store;
pub use undo::{Obstacle, OnConflict, Undo, UndoConflict, UndoPlan, UndoneFile};
pub use view::{FileDiff, Filter, History};

/// Microseconds since 1970 UTC.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// What is kept, and for how long.
#[derive(Clone)]
pub struct HistorySettings {
    /// Changes are kept for as long, and up to a day longer.
    pub max_age: Duration,
    /// The oldest changes go when all together take more. What is being written stays.
    pub max_bytes: u64,
    /// Of larger files only the size is kept.
    pub max_file_bytes: u64,
    /// A segment that is longer is not added to.
    pub segment_bytes: u64,
    pub clock: Clock,
}

impl Default for HistorySettings {
    fn default() -> HistorySettings {
        HistorySettings {
            max_age: Duration::from_secs(90 * 24 * 3600),
            max_bytes: 1 << 30,
            max_file_bytes: 16 << 20,
            segment_bytes: 64 << 20,
            clock: Arc::new(|| {
                let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                i64::try_from(since_1970.as_micros()).unwrap_or(i64::MAX)
            }),
        }
    }
}

impl fmt::Debug for HistorySettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("HistorySettings");
        shown.field("max_age", &self.max_age).field("max_bytes", &self.max_bytes);
        shown.field("max_file_bytes", &self.max_file_bytes).field("segment_bytes", &self.segment_bytes).finish_non_exhaustive()
    }
}

/// A part of the history that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The file's name in the history's folder.
    pub segment: String,
    pub at: u64,
    pub bytes: u64,
    pub what: &'static str,
}

/// What was removed because of its age, or because there was too much.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trimmed {
    pub segments: usize,
    pub bytes: u64,
}
