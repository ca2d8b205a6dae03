//! One file of the catalogue, and how it is made from the file's bytes.

use std::panic::catch_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use quillgate_vault::{ContentHash, NotePath, Stat, is_binary};

use crate::canvas::canvas_card;
use crate::card::Card;
use crate::kept::Kept;

/// One file. Cards of notes and canvases are kept encoded or on disk; other files have none.
#[derive(Clone, Debug)]
pub struct Entry {
    pub path: NotePath,
    pub stat: Stat,
    /// Absent for files that are not parsed.
    pub hash: Option<ContentHash>,
    /// Tags of the frontmatter, shared among the notes that have them.
    pub tags: Box<[Arc<str>]>,
    /// Why the file could not be taken in.
    pub problem: Option<Box<str>>,
    /// When the bytes were read, in nanoseconds since 1970: a file changed at about that time may have changed again.
    pub read_at: i64,
    pub(crate) card: Kept,
}

impl Entry {
    /// Read from disk where it is stored. One that cannot be read is empty until the next look at the vault.
    pub fn card(&self) -> Card {
        self.card.card().unwrap_or_default()
    }

    /// When the file was made, in nanoseconds since 1970; when it was last changed, where the file system does not know.
    pub fn created(&self) -> i64 {
        self.stat.created.unwrap_or(self.stat.modified)
    }

    /// Equal numbers mean equal bytes, as far as anybody has looked.
    pub(crate) fn version(&self) -> u64 {
        let Stat { size, modified, inode, .. } = self.stat;
        let stand_in = || ContentHash::of(&[size.to_le_bytes(), modified.to_le_bytes(), inode.to_le_bytes()].concat());
        version_of(&self.hash.unwrap_or_else(stand_in))
    }

    pub(crate) fn parsed(path: &NotePath, bytes: &[u8], hash: ContentHash, stat: Stat, read_at: i64) -> Entry {
        let read = Entry { hash: Some(hash), read_at, ..Entry::unparsed(path, stat, None) };
        let text = if is_binary(bytes) { None } else { std::str::from_utf8(bytes).ok() };
        let Some(text) = text else {
            return Entry { problem: Some("not UTF-8 text".into()), ..read };
        };
        // A note that breaks the parser is a line in the report, not the end of the index.
        let Ok(card) = catch_unwind(|| if is_canvas(path) { canvas_card(text) } else { Card::of(text) }) else {
            return Entry { problem: Some("the parser failed on it".into()), ..read };
        };
        Entry {
            tags: card.property_tags.iter().map(|tag| Arc::from(tag.as_str())).collect(),
            problem: card.problem.as_deref().map(Into::into),
            card: Kept::of(&card),
            ..read
        }
    }

    pub(crate) fn unparsed(path: &NotePath, stat: Stat, problem: Option<String>) -> Entry {
        Entry {
            path: path.clone(),
            stat,
            hash: None,
            tags: Box::default(),
            problem: problem.map(Into::into),
            read_at: now(),
            card: Kept::NoCard,
        }
    }
}

/// What the text index calls a file.
pub(crate) fn path_key(path: &NotePath) -> u64 {
    version_of(&ContentHash::of(path.as_str().as_bytes()))
}

/// What the text index calls the bytes with this hash.
pub(crate) fn version_of(hash: &ContentHash) -> u64 {
    let (first, _) = hash.0.split_first_chunk().expect("a hash has 32 bytes");
    u64::from_le_bytes(*first)
}

/// Whether a file that looked like this when it was read and looks like it still has the same bytes.
pub(crate) fn is_settled(stat: &Stat, read_at: i64) -> bool {
    /// File systems count time in steps of up to two seconds: a file changed that shortly before it was read may have changed
    /// again within the same step.
    const COARSEST_CLOCK: i64 = 2_000_000_000;
    stat.modified < read_at.saturating_sub(COARSEST_CLOCK)
}

/// Notes and canvases are read; of all other files only their names and sizes are kept.
pub(crate) fn is_parsed(path: &NotePath) -> bool {
    path.is_note() || is_canvas(path)
}

pub(crate) fn is_canvas(path: &NotePath) -> bool {
    path.extension().eq_ignore_ascii_case("canvas")
}

/// The time, in nanoseconds since 1970. It only ever goes forward, since it also tells which of two looks at a file was later,
/// and the system's clock may be set back.
pub(crate) fn now() -> i64 {
    static LATEST: AtomicI64 = AtomicI64::new(0);
    let clock =
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| i64::try_from(since.as_nanos()).unwrap_or(i64::MAX));
    let earlier = LATEST.fetch_max(clock, Ordering::Relaxed);
    if clock > earlier { clock } else { LATEST.fetch_add(1, Ordering::Relaxed) + 1 }
}
