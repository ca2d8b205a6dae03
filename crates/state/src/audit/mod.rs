//! Who called what, when and how it ended: rows in chains of hashes, so that a changed or missing one can be told.
//!
//! Every process writes a chain of its own, so replicas never wait for each other. A row's hash covers the row and the hash
//! before it (`chain.rs`); the head of a chain says where it ends now and where trimming made it begin; one more row counts
//! the chains. `verify.rs` reads all of it again.
//!
//! What this cannot show: the hashes have no key, so whoever may write to the database and makes all later hashes of a chain
//! and its head anew leaves no trace, nor does whoever cuts the end of a chain off and sets its head back, or cuts the
//! beginning off and moves the anchor as trimming does. Against those, rows have to go elsewhere as well.

mod chain;
mod trim;
mod verify;

use crate::database::{Row, values};
use crate::{State, StateError};

pub use chain::ChainHead;
pub use verify::{AuditFault, AuditProblem, AuditReport};

/// One call. Of what was asked and answered there is nothing but a hash and a size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditRow {
    /// In milliseconds.
    pub at_ms: i64,
    pub vault: Option<String>,
    pub surface: String,
    pub tool: String,
    /// In a form that tells callers apart and names none.
    pub caller: String,
    pub client: Option<String>,
    pub session: Option<String>,
    pub args_hash: String,
    pub status: AuditStatus,
    /// Of the error.
    pub code: Option<String>,
    /// Who agreed, if somebody had to.
    pub confirmed: Option<String>,
    pub bytes_out: i64,
    pub duration_us: i64,
    /// How many calls are missing here; 0 unless this is a gap.
    pub dropped: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditStatus {
    Ok,
    Error,
    /// Not a call, but the note that some were not written.
    Gap,
}

impl AuditRow {
    /// Stands in the chain for calls that could not be kept.
    pub fn gap(at_ms: i64, dropped: i64) -> AuditRow {
        AuditRow {
            at_ms,
            vault: None,
            surface: String::new(),
            tool: String::new(),
            caller: String::new(),
            client: None,
            session: None,
            args_hash: String::new(),
            status: AuditStatus::Gap,
            code: None,
            confirmed: None,
            bytes_out: 0,
            duration_us: 0,
            dropped,
        }
    }
}

impl AuditStatus {
    fn name(self) -> &'static str {
        match self {
            AuditStatus::Ok => "ok",
            AuditStatus::Error => "error",
            AuditStatus::Gap => "gap",
        }
    }
}

/// A row with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    pub chain: String,
    pub seq: i64,
    pub row: AuditRow,
    pub hash: String,
}

impl AuditEntry {
    /// From here on to older ones.
    pub fn cursor(&self) -> AuditCursor {
        AuditCursor { at_ms: self.row.at_ms, chain: self.chain.clone(), seq: self.seq }
    }
}

/// Stays right while rows are written and trimmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditCursor {
    pub at_ms: i64,
    pub chain: String,
    pub seq: i64,
}

/// What is not given does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditFilter {
    pub vault: Option<String>,
    pub tool: Option<String>,
    pub caller: Option<String>,
    pub status: Option<AuditStatus>,
    pub since_ms: Option<i64>,
}

impl State {
    /// The latest first.
    pub async fn list_audit(
        &self,
        filter: &AuditFilter,
        before: Option<&AuditCursor>,
        limit: u32,
    ) -> Result<Vec<AuditEntry>, StateError> {
        let sql =
            "SELECT chain, seq, hash, at, vault, surface, tool, caller, client, session, args_hash, status, code, confirmed,
                bytes_out, duration, dropped
            FROM audit WHERE (at, chain, seq) < ($1, $2, $3) AND at >= $4 AND ($5 IS NULL OR vault = $5)
                AND ($6 IS NULL OR tool = $6) AND ($7 IS NULL OR caller = $7) AND ($8 IS NULL OR status = $8)
            ORDER BY at DESC, chain DESC, seq DESC LIMIT $9";
        let (at, chain, seq) = before.map_or((i64::MAX, "", 0), |cursor| (cursor.at_ms, cursor.chain.as_str(), cursor.seq));
        let AuditFilter { vault, tool, caller, status, since_ms } = filter;
        let status = status.map(|status| status.name().to_owned());
        let since = since_ms.unwrap_or(i64::MIN);
        let values = values![at, chain, seq, since, vault, tool, caller, &status, i64::from(limit)];
        self.database().list(sql, values, |row| Stored::read(row)?.entry()).await
    }
}

/// As it is in the table, where anything may stand by now.
struct Stored {
    chain: String,
    seq: i64,
    hash: String,
    row: Result<AuditRow, StateError>,
}

impl Stored {
    fn read(row: &mut Row) -> Result<Stored, StateError> {
        Ok(Stored { chain: row.text()?, seq: row.integer()?, hash: row.text()?, row: read_row(row) })
    }

    fn entry(self) -> Result<AuditEntry, StateError> {
        Ok(AuditEntry { chain: self.chain, seq: self.seq, row: self.row?, hash: self.hash })
    }
}

fn read_row(row: &mut Row) -> Result<AuditRow, StateError> {
    Ok(AuditRow {
        at_ms: row.integer()?,
        vault: row.optional_text()?,
        surface: row.text()?,
        tool: row.text()?,
        caller: row.text()?,
        client: row.optional_text()?,
        session: row.optional_text()?,
        args_hash: row.text()?,
        status: match row.text()?.as_str() {
            "ok" => AuditStatus::Ok,
            "error" => AuditStatus::Error,
            "gap" => AuditStatus::Gap,
            _ => return Err(StateError::Damaged("status of a call")),
        },
        code: row.optional_text()?,
        confirmed: row.optional_text()?,
        bytes_out: row.integer()?,
        duration_us: row.integer()?,
        dropped: row.integer()?,
    })
}
