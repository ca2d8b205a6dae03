//! Drops what has had its time.

use crate::database::values;
use crate::{State, StateError};

const DAY: i64 = 24 * 60 * 60;
/// Rows per statement: others get their turn in between.
const BATCH: i64 = 5000;

/// How many rows went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    pub requests: u64,
    pub codes: u64,
    pub tokens: u64,
    pub grants: u64,
    pub limits: u64,
}

impl State {
    /// Drops expired requests, codes and tokens, limits that hold nobody back, and grants that ended or expired a week ago.
    ///
    /// A code that was used stays for a day longer, so that whoever brings it a second time is noticed.
    pub async fn sweep(&self, now: i64) -> Result<Swept, StateError> {
        let requests = "DELETE FROM requests WHERE id IN (SELECT id FROM requests WHERE expires <= $1 LIMIT $2)";
        let codes = "DELETE FROM codes WHERE hash IN
            (SELECT hash FROM codes WHERE expires <= $1 AND (used IS NULL OR expires <= $3) LIMIT $2)";
        let tokens = "DELETE FROM tokens WHERE hash IN (SELECT hash FROM tokens WHERE expires <= $1 LIMIT $2)";
        let ended = "DELETE FROM grants WHERE id IN (SELECT id FROM grants WHERE ended <= $1 LIMIT $2)";
        let expired = "DELETE FROM grants WHERE id IN (SELECT id FROM grants WHERE expires <= $1 LIMIT $2)";
        let limits = "DELETE FROM limits WHERE name IN (SELECT name FROM limits WHERE due <= $1 LIMIT $2)";
        let swept = Swept {
            requests: self.drop_all(requests, now, None).await?,
            codes: self.drop_all(codes, now, Some(now - DAY)).await?,
            tokens: self.drop_all(tokens, now, None).await?,
            grants: self.drop_all(ended, now - 7 * DAY, None).await? + self.drop_all(expired, now - 7 * DAY, None).await?,
            limits: self.drop_all(limits, now.saturating_mul(1_000_000), None).await? + self.counters().sweep(now),
        };
        self.database().shrink().await?;
        Ok(swept)
    }

    async fn drop_all(&self, sql: &'static str, until: i64, other: Option<i64>) -> Result<u64, StateError> {
        let mut dropped = 0;
        loop {
            let mut values = values![until, BATCH];
            values.extend(other.map(crate::database::Value::from));
            let batch = self.database().change(sql, values).await?;
            dropped += batch;
            if batch < BATCH.unsigned_abs() {
                return Ok(dropped);
            }
        }
    }
}
