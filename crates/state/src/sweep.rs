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
    pub replies: u64,
    pub confirmations: u64,
    pub allowances: u64,
    pub captures: u64,
}

impl State {
    /// Drops expired requests, codes, tokens, replies, confirmations and allowances, limits that hold nobody back, grants that
    /// ended or expired a week ago, and captures that were committed a month ago. The audit has a retention of its own
    /// ([`State::trim_audit`]).
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
        let replies = "DELETE FROM replies WHERE id IN (SELECT id FROM replies WHERE expires <= $1 LIMIT $2)";
        let confirmations = "DELETE FROM confirmations WHERE id IN (SELECT id FROM confirmations WHERE expires <= $1 LIMIT $2)";
        let allowances = "DELETE FROM allowances WHERE id IN (SELECT id FROM allowances WHERE expires <= $1 LIMIT $2)";
        let captures = "DELETE FROM captures WHERE id IN (SELECT id FROM captures WHERE committed <= $1 LIMIT $2)";
        let swept = Swept {
            requests: self.drop_all(requests, now, None).await?,
            codes: self.drop_all(codes, now, Some(now - DAY)).await?,
            tokens: self.drop_all(tokens, now, None).await?,
            grants: self.drop_all(ended, now - 7 * DAY, None).await? + self.drop_all(expired, now - 7 * DAY, None).await?,
            limits: self.drop_all(limits, now.saturating_mul(1_000_000), None).await? + self.counters().sweep(now),
            replies: self.drop_all(replies, now.saturating_mul(1000), None).await?,
            confirmations: self.drop_all(confirmations, now, None).await?,
            allowances: self.drop_all(allowances, now, None).await?,
            captures: self.drop_all(captures, (now - 30 * DAY).saturating_mul(1000), None).await?,
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
