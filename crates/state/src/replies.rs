//! Answers to calls that carry a key, so that a call that is sent again is answered again and not done again.
//!
//! A row is claimed before the call runs and gets its result afterwards. Claims are numbered upwards, so whoever lost a claim
//! to somebody else has no number any more that would let it write. Times are milliseconds here.

use std::fmt;

use crate::database::{Row, values};
use crate::{SecretHash, State, StateError};

/// Who sent which key for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyedCall<'call> {
    pub caller: &'call str,
    pub vault: &'call str,
    /// As the caller chose it.
    pub key: &'call str,
    /// Of the tool and its arguments.
    pub fingerprint: &'call str,
}

#[derive(Clone, PartialEq, Eq)]
pub enum Claim {
    /// It is yours: run the call, then finish or release.
    Run(ReplyClaim),
    /// It ran before, with this result.
    Finished { result: String },
    /// It runs just now.
    InFlight,
    /// The key was sent before for another call.
    Mismatch,
}

/// Lets one caller finish what it claimed, as long as nobody took it over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyClaim {
    id: SecretHash,
    number: i64,
}

impl State {
    /// Of any number of callers at once, one is told to run. A claim that is neither finished nor released after `reclaim_ms` is
    /// given to the next one that asks for the same call. After `ttl_ms` the key is forgotten.
    pub async fn claim_reply(&self, call: KeyedCall<'_>, now_ms: i64, reclaim_ms: i64, ttl_ms: i64) -> Result<Claim, StateError> {
        let id = SecretHash::of_all(&[call.caller, call.vault, call.key]);
        // A row may expire and be swept between the two statements, so look again.
        for _ in 0..3 {
            if let Some(number) = self.take_reply(&id, call, now_ms, reclaim_ms, ttl_ms).await? {
                return Ok(Claim::Run(ReplyClaim { id, number }));
            }
            let sql = "SELECT fingerprint, result FROM replies WHERE id = $1 AND expires > $2 AND claimed IS NOT NULL";
            let read = |row: &mut Row| Ok((row.text()?, row.optional_text()?));
            match self.database().find(sql, values![&id, now_ms], read).await? {
                Some((fingerprint, _)) if fingerprint != call.fingerprint => return Ok(Claim::Mismatch),
                Some((_, Some(result))) => return Ok(Claim::Finished { result }),
                Some((_, None)) => return Ok(Claim::InFlight),
                None => {}
            }
        }
        Ok(Claim::InFlight)
    }

    async fn take_reply(
        &self,
        id: &SecretHash,
        call: KeyedCall<'_>,
        now_ms: i64,
        reclaim_ms: i64,
        ttl_ms: i64,
    ) -> Result<Option<i64>, StateError> {
        let sql =
            "INSERT INTO replies (id, vault, fingerprint, claim, claimed, result, expires) VALUES ($1, $2, $3, $4, $4, NULL, $5)
            ON CONFLICT (id) DO UPDATE SET fingerprint = excluded.fingerprint, claimed = excluded.claimed, result = NULL,
                claim = CASE WHEN replies.claim >= excluded.claim THEN replies.claim + 1 ELSE excluded.claim END,
                expires = excluded.expires
            WHERE replies.expires <= $4 OR replies.claimed IS NULL
                OR replies.result IS NULL AND replies.claimed <= $6 AND replies.fingerprint = excluded.fingerprint
            RETURNING claim";
        let (expires, crashed) = (now_ms.saturating_add(ttl_ms), now_ms.saturating_sub(reclaim_ms));
        let values = values![id, call.vault, call.fingerprint, now_ms, expires, crashed];
        self.database().find(sql, values, Row::integer).await
    }

    /// Keeps the result, whatever its size. Says whether the claim was still held.
    pub async fn finish_reply(&self, claim: &ReplyClaim, result: &str) -> Result<bool, StateError> {
        let sql = "UPDATE replies SET result = $3 WHERE id = $1 AND claim = $2 AND claimed IS NOT NULL AND result IS NULL";
        Ok(self.database().change(sql, values![&claim.id, claim.number, result]).await? > 0)
    }

    /// The call did nothing: the key is free again, for any call. Says whether the claim was still held.
    pub async fn release_reply(&self, claim: &ReplyClaim) -> Result<bool, StateError> {
        // The row stays, so that the next claim gets a higher number.
        let sql = "UPDATE replies SET claimed = NULL WHERE id = $1 AND claim = $2 AND claimed IS NOT NULL AND result IS NULL";
        Ok(self.database().change(sql, values![&claim.id, claim.number]).await? > 0)
    }

    /// Forgets the results of a vault, but no call that runs just now, and says how many.
    pub async fn forget_replies(&self, vault: &str) -> Result<u64, StateError> {
        self.database().change("DELETE FROM replies WHERE vault = $1 AND result IS NOT NULL", values![vault]).await
    }
}

/// Without the result, which is what stands in notes.
impl fmt::Debug for Claim {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Claim::Run(claim) => formatter.debug_tuple("Run").field(claim).finish(),
            Claim::Finished { .. } => formatter.debug_struct("Finished").finish_non_exhaustive(),
            Claim::InFlight => formatter.write_str("InFlight"),
            Claim::Mismatch => formatter.write_str("Mismatch"),
        }
    }
}
