//! Thoughts that were caught and wait to become notes.
//!
//! Whoever commits one takes it first, so that two at once never write it twice. Times are milliseconds here.

use std::fmt;

use crate::database::{Row, Value, values};
use crate::texts::{read_texts, write_texts};
use crate::{State, StateError};

/// Bytes of all texts of one capture.
const MOST_BYTES: usize = 1_000_000;
/// Captures of one vault that wait.
const MOST_WAITING: i64 = 2000;

#[derive(Clone, PartialEq, Eq)]
pub struct Capture {
    pub id: String,
    pub vault: String,
    pub title: Option<String>,
    pub content: String,
    pub tags: Vec<String>,
    pub source: Option<String>,
    pub target_path_hint: Option<String>,
    pub captured_ms: i64,
    pub committed_ms: Option<i64>,
}

/// Stays right while captures come and go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureCursor {
    pub captured_ms: i64,
    pub id: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaptureStage {
    Waiting,
    Committed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TakenCapture {
    /// It is yours: write the note, then finish or release.
    Yes {
        capture: Box<Capture>,
        claim: CaptureClaim,
    },
    /// Somebody else is just committing it.
    InFlight,
    Committed {
        at_ms: i64,
    },
    /// There is none of that name in this vault.
    Missing,
}

/// Lets one caller finish what it took, as long as nobody took it over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureClaim {
    id: String,
    number: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterCommit {
    Keep,
    Delete,
}

impl Capture {
    /// From here on to later ones.
    pub fn cursor(&self) -> CaptureCursor {
        CaptureCursor { captured_ms: self.captured_ms, id: self.id.clone() }
    }

    fn bytes(&self) -> usize {
        let texts = [&self.title, &self.source, &self.target_path_hint].into_iter().flatten();
        self.content.len() + texts.chain(&self.tags).map(String::len).sum::<usize>()
    }
}

impl State {
    /// Refuses what is too large, and more than fit.
    pub async fn enqueue_capture(&self, capture: &Capture) -> Result<(), StateError> {
        if capture.bytes() > MOST_BYTES {
            return Err(StateError::TooLarge { what: "the capture", most: MOST_BYTES });
        }
        // Replicas that add at the same moment may go beyond the limit by a few.
        let sql = "INSERT INTO captures
                (id, vault, title, content, tags, source, target_path_hint, captured, committed, claim, claimed)
            SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, 0, NULL
            WHERE (SELECT COUNT(*) FROM captures WHERE vault = $2 AND committed IS NULL) < $10";
        let Capture { id, vault, title, content, tags, source, target_path_hint, captured_ms, committed_ms } = capture;
        let tags = write_texts(tags);
        let values =
            values![id, vault, title, content, &tags, source, target_path_hint, *captured_ms, *committed_ms, MOST_WAITING];
        match self.database().change(sql, values).await? {
            0 => Err(StateError::QueueFull { most: MOST_WAITING }),
            _ => Ok(()),
        }
    }

    /// The earliest first.
    pub async fn list_captures(
        &self,
        vault: &str,
        stage: CaptureStage,
        source: Option<&str>,
        after: Option<&CaptureCursor>,
        limit: u32,
    ) -> Result<Vec<Capture>, StateError> {
        let waiting = "SELECT id, vault, title, content, tags, source, target_path_hint, captured, committed, claim FROM captures
            WHERE vault = $1 AND committed IS NULL AND (captured, id) > ($2, $3) AND ($4 IS NULL OR source = $4)
            ORDER BY captured, id LIMIT $5";
        let committed =
            "SELECT id, vault, title, content, tags, source, target_path_hint, captured, committed, claim FROM captures
            WHERE vault = $1 AND committed IS NOT NULL AND (captured, id) > ($2, $3) AND ($4 IS NULL OR source = $4)
            ORDER BY captured, id LIMIT $5";
        let sql = match stage {
            CaptureStage::Waiting => waiting,
            CaptureStage::Committed => committed,
        };
        let (captured, id) = after.map_or((i64::MIN, ""), |cursor| (cursor.captured_ms, cursor.id.as_str()));
        let source = Value::Text(source.map(str::to_owned));
        self.database().list(sql, values![vault, captured, id, source, i64::from(limit)], read).await
    }

    pub async fn find_capture(&self, vault: &str, id: &str) -> Result<Option<Capture>, StateError> {
        let sql = "SELECT id, vault, title, content, tags, source, target_path_hint, captured, committed, claim FROM captures
            WHERE id = $1 AND vault = $2";
        self.database().find(sql, values![id, vault], read).await
    }

    /// Of any number of callers at once, one gets it. If that one neither finishes nor releases, another may after `reclaim_ms`.
    pub async fn take_capture(&self, vault: &str, id: &str, now_ms: i64, reclaim_ms: i64) -> Result<TakenCapture, StateError> {
        let sql = "UPDATE captures SET claimed = $3, claim = CASE WHEN claim >= $3 THEN claim + 1 ELSE $3 END
            WHERE id = $1 AND vault = $2 AND committed IS NULL AND (claimed IS NULL OR claimed <= $4)
            RETURNING id, vault, title, content, tags, source, target_path_hint, captured, committed, claim";
        let values = values![id, vault, now_ms, now_ms.saturating_sub(reclaim_ms)];
        let read = |row: &mut Row| Ok((read(row)?, row.integer()?));
        if let Some((capture, number)) = self.database().find(sql, values, read).await? {
            let claim = CaptureClaim { id: capture.id.clone(), number };
            return Ok(TakenCapture::Yes { capture: Box::new(capture), claim });
        }
        let sql = "SELECT committed FROM captures WHERE id = $1 AND vault = $2";
        Ok(match self.database().find(sql, values![id, vault], Row::optional_integer).await? {
            Some(Some(at_ms)) => TakenCapture::Committed { at_ms },
            Some(None) => TakenCapture::InFlight,
            None => TakenCapture::Missing,
        })
    }

    /// The note is written. Says whether the claim was still held.
    pub async fn finish_capture(&self, claim: &CaptureClaim, after: AfterCommit, now_ms: i64) -> Result<bool, StateError> {
        let keep = "UPDATE captures SET committed = $3, claimed = NULL
            WHERE id = $1 AND claim = $2 AND claimed IS NOT NULL AND committed IS NULL";
        let delete = "DELETE FROM captures WHERE id = $1 AND claim = $2 AND claimed IS NOT NULL AND committed IS NULL";
        let changed = match after {
            AfterCommit::Keep => self.database().change(keep, values![&claim.id, claim.number, now_ms]).await?,
            AfterCommit::Delete => self.database().change(delete, values![&claim.id, claim.number]).await?,
        };
        Ok(changed > 0)
    }

    /// The note was not written: it waits again. Says whether the claim was still held.
    pub async fn release_capture(&self, claim: &CaptureClaim) -> Result<bool, StateError> {
        let sql = "UPDATE captures SET claimed = NULL WHERE id = $1 AND claim = $2 AND claimed IS NOT NULL AND committed IS NULL";
        Ok(self.database().change(sql, values![&claim.id, claim.number]).await? > 0)
    }
}

/// Without what people wrote.
impl fmt::Debug for Capture {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut capture = formatter.debug_struct("Capture");
        capture.field("id", &self.id).field("vault", &self.vault).field("captured_ms", &self.captured_ms);
        capture.field("committed_ms", &self.committed_ms).finish_non_exhaustive()
    }
}

fn read(row: &mut Row) -> Result<Capture, StateError> {
    Ok(Capture {
        id: row.text()?,
        vault: row.text()?,
        title: row.optional_text()?,
        content: row.text()?,
        tags: read_texts(&row.text()?)?,
        source: row.optional_text()?,
        target_path_hint: row.optional_text()?,
        captured_ms: row.integer()?,
        committed_ms: row.optional_integer()?,
    })
}
