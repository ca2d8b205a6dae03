//! Writing a chain.
//!
//! A hash is SHA-256, in hex, over parts that say themselves where they end: an integer is 8 bytes, the highest first; a
//! text is a byte 1, its length in bytes as an integer, and its bytes; a text that is absent is a byte 0. So no two rows
//! have the same parts.
//!
//! - The hash before the first row: the text `quillgate audit 1`, the chain's name, when it was started.
//! - The hash of a row: the hash before it as text, the chain's name, the row's number in the chain, and the row's
//!   fields in the order of [`AuditRow`], the status as `ok`, `error` or `gap`.

use std::sync::LazyLock;

use sha2::{Digest, Sha256};

use super::AuditRow;
use crate::database::{Row, Statement, Value, values};
use crate::records::hex_of;
use crate::{State, StateError};

/// Rows per statement.
const TOGETHER: usize = 32;
const COLUMNS: usize = 16;
/// Bytes of one text. Names come from outside; nobody fills the table with one of them.
const MOST_TEXT: usize = 256;

/// Where a process is in the chain that it writes. Nobody else continues that chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainHead {
    chain: String,
    link: Link,
}

/// A place in a chain and the hash there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) seq: i64,
    pub(super) hash: String,
}

impl State {
    /// Begins a chain under a name that no other has.
    pub async fn start_audit(&self, chain: &str, now_ms: i64) -> Result<ChainHead, StateError> {
        let count = "UPDATE audit_chains SET started = started + 1";
        // The count stays locked until both are done, so no two chains get one number.
        let add = "INSERT INTO audit_heads (chain, number, started, latest, seq, hash, anchor_seq, anchor_hash)
            SELECT $1, started, $2, $2, $3, $4, $3, $4 FROM audit_chains";
        let link = first_link(chain, now_ms);
        let count = Statement { sql: count, values: vec![] };
        let add = Statement { sql: add, values: values![chain, now_ms, link.seq, &link.hash] };
        let outcomes = self.database().run_all(vec![count, add]).await?;
        if outcomes.iter().any(|outcome| outcome.changed != 1) {
            return Err(StateError::Damaged("count of audit chains"));
        }
        Ok(ChainHead { chain: chain.to_owned(), link })
    }

    /// Writes all rows or none. Writing the same rows again from the same head, because nobody knows whether the first time
    /// succeeded, changes nothing.
    ///
    /// Zero bytes are replaced and long texts are cut, so that no call can keep its row, or the rows of others, from being written.
    pub async fn append_audit(&self, head: &mut ChainHead, rows: &[AuditRow]) -> Result<(), StateError> {
        let Some(latest) = rows.iter().map(|row| row.at_ms).max() else { return Ok(()) };
        let (written, next) = follow(head, rows);
        let sql = "UPDATE audit_heads SET seq = $2, hash = $3, latest = CASE WHEN latest > $4 THEN latest ELSE $4 END
            WHERE chain = $1 AND seq = $5 AND hash = $6";
        let values = values![&head.chain, next.seq, &next.hash, latest, head.link.seq, &head.link.hash];
        let mut statements = vec![Statement { sql, values }];
        let mut parts = written.chunks_exact(TOGETHER * COLUMNS);
        statements.extend(parts.by_ref().map(|part| insert(&MANY, head, &next, part)));
        statements.extend(parts.remainder().chunks_exact(COLUMNS).map(|part| insert(&ONE, head, &next, part)));
        let outcomes = self.database().run_all(statements).await?;
        if outcomes.first().is_none_or(|outcome| outcome.changed == 0) && !self.is_at(&head.chain, &next).await? {
            return Err(StateError::ChainLost);
        }
        head.link = next;
        Ok(())
    }

    async fn is_at(&self, chain: &str, link: &Link) -> Result<bool, StateError> {
        let sql = "SELECT seq FROM audit_heads WHERE chain = $1 AND seq = $2 AND hash = $3";
        Ok(self.database().find(sql, values![chain, link.seq, &link.hash], Row::integer).await?.is_some())
    }
}

static ONE: LazyLock<String> = LazyLock::new(|| insert_sql(1));
static MANY: LazyLock<String> = LazyLock::new(|| insert_sql(TOGETHER));

/// `$1` to `$3` are the chain and where its head must be by now; what was written before is left as it is.
fn insert_sql(rows: usize) -> String {
    let row = |row: usize| {
        let columns: Vec<String> = (0..COLUMNS).map(|column| format!("${}", 4 + row * COLUMNS + column)).collect();
        format!("($1, {})", columns.join(", "))
    };
    format!(
        "INSERT INTO audit (chain, seq, at, vault, surface, tool, caller, client, session, args_hash, status, code, confirmed,
            bytes_out, duration, dropped, hash)
        SELECT * FROM (VALUES {}) AS batch
        WHERE EXISTS (SELECT 1 FROM audit_heads WHERE audit_heads.chain = $1 AND audit_heads.seq = $2 AND audit_heads.hash = $3)
        ON CONFLICT (chain, seq) DO NOTHING",
        (0..rows).map(row).collect::<Vec<_>>().join(", ")
    )
}

fn insert(sql: &'static str, head: &ChainHead, next: &Link, columns: &[Value]) -> Statement {
    let mut values = values![&head.chain, next.seq, &next.hash];
    values.extend_from_slice(columns);
    Statement { sql, values }
}

/// The columns of all rows, one row after the other, and where the chain is after them.
fn follow(head: &ChainHead, rows: &[AuditRow]) -> (Vec<Value>, Link) {
    let mut columns = Vec::with_capacity(rows.len() * COLUMNS);
    let mut link = head.link.clone();
    for row in rows {
        let row = tidy(row);
        link = Link { seq: link.seq + 1, hash: link.hash_of_next(&head.chain, &row) };
        let AuditRow { at_ms, vault, surface, tool, caller, client, session, args_hash, .. } = &row;
        columns.extend(values![link.seq, *at_ms, vault, surface, tool, caller, client, session, args_hash]);
        let AuditRow { status, code, confirmed, bytes_out, duration_us, dropped, .. } = &row;
        columns.extend(values![status.name(), code, confirmed, *bytes_out, *duration_us, *dropped, &link.hash]);
    }
    (columns, link)
}

fn tidy(row: &AuditRow) -> AuditRow {
    let text = |text: &String| text[..text.floor_char_boundary(MOST_TEXT)].replace('\0', "\u{fffd}");
    AuditRow {
        vault: row.vault.as_ref().map(text),
        surface: text(&row.surface),
        tool: text(&row.tool),
        caller: text(&row.caller),
        client: row.client.as_ref().map(text),
        session: row.session.as_ref().map(text),
        args_hash: text(&row.args_hash),
        code: row.code.as_ref().map(text),
        confirmed: row.confirmed.as_ref().map(text),
        ..*row
    }
}

/// Before the first row.
pub(super) fn first_link(chain: &str, started: i64) -> Link {
    let mut parts = Parts::default();
    parts.text("quillgate audit 1");
    parts.text(chain);
    parts.integer(started);
    Link { seq: 0, hash: parts.hash() }
}

impl Link {
    /// What the hash of this row is if it follows here.
    pub(super) fn hash_of_next(&self, chain: &str, row: &AuditRow) -> String {
        let mut parts = Parts::default();
        parts.text(&self.hash);
        parts.text(chain);
        parts.integer(self.seq.saturating_add(1));
        let AuditRow { at_ms, vault, surface, tool, caller, client, session, args_hash, status, code, confirmed, .. } = row;
        parts.integer(*at_ms);
        parts.optional(vault.as_deref());
        parts.text(surface);
        parts.text(tool);
        parts.text(caller);
        parts.optional(client.as_deref());
        parts.optional(session.as_deref());
        parts.text(args_hash);
        parts.text(status.name());
        parts.optional(code.as_deref());
        parts.optional(confirmed.as_deref());
        let AuditRow { bytes_out, duration_us, dropped, .. } = row;
        [bytes_out, duration_us, dropped].into_iter().for_each(|number| parts.integer(*number));
        parts.hash()
    }
}

#[derive(Default)]
struct Parts(Sha256);

impl Parts {
    fn integer(&mut self, number: i64) {
        self.0.update(number.to_be_bytes());
    }

    fn text(&mut self, text: &str) {
        self.0.update([1]);
        self.0.update((text.len() as u64).to_be_bytes());
        self.0.update(text);
    }

    fn optional(&mut self, text: Option<&str>) {
        match text {
            Some(text) => self.text(text),
            None => self.0.update([0]),
        }
    }

    fn hash(self) -> String {
        hex_of(&self.0.finalize())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AuditStatus;

    /// Made by another program from the description above: what was written must be verifiable for years.
    #[test]
    fn hashes_are_made_as_described() {
        let first = first_link("c1", 1000);
        assert_eq!(first.hash, "65846d25eb4d3c7dd08e80e543ba7507d9239d4acd0792162931660c51e920db");
        let row = AuditRow {
            vault: Some("work".into()),
            surface: "engine".into(),
            tool: "read_note".into(),
            caller: "3f9a".into(),
            session: Some("sé".into()),
            args_hash: "abcdef".into(),
            status: AuditStatus::Error,
            code: Some("forbidden".into()),
            bytes_out: 12,
            duration_us: 34,
            ..AuditRow::gap(1001, 0)
        };
        let expected = "63f19347eb6bbb8773bec4735e663383f2b3ac6704a73762f25e8495df7c265b";
        assert_eq!(first.hash_of_next("c1", &row), expected);
    }
}
