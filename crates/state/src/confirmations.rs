//! Calls that wait for a human to agree.
//!
//! A request holds what the human is shown, which is text of notes, in the clear: the database deserves the care that the
//! vault gets. The text goes as soon as somebody decides, and with the request when it expires.

use std::fmt;

use crate::database::{Row, Statement, values};
use crate::texts::{read_texts, write_texts};
use crate::{SecretHash, State, StateError};

/// Undecided requests per caller. More push out those that were not asked for the longest time.
const MOST_PENDING: i64 = 100;
const MOST_LISTED: i64 = 500;
/// Bytes of what a human is shown.
const MOST_PROPOSAL: usize = 1_000_000;

/// Somebody asks a human.
#[derive(Clone, PartialEq, Eq)]
pub struct Pending {
    /// Not a secret.
    pub id: String,
    pub vault: String,
    pub tool: String,
    pub caller: String,
    pub args_hash: String,
    pub proposal_hash: String,
    /// What would be changed, as JSON in the form that the owner of this record chose.
    pub proposal: String,
    pub paths: Vec<String>,
    pub created: i64,
    pub expires: i64,
}

/// A call that needs a human's word, and what it is about to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConfirmedCall<'call> {
    pub vault: &'call str,
    pub tool: &'call str,
    pub caller: &'call str,
    pub args_hash: &'call str,
    pub proposal_hash: &'call str,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Consumed {
    /// Somebody agreed, and this was the only time that counts.
    Yes {
        by: String,
    },
    /// Nobody has decided about this yet.
    No,
    Denied {
        by: String,
    },
}

impl ConfirmedCall<'_> {
    fn key(&self) -> SecretHash {
        SecretHash::of_all(&[self.caller, self.vault, self.tool, self.args_hash])
    }
}

impl State {
    /// Says under which id the request stands. Asking again before it expires gives the same id and shows the newer proposal; but
    /// where somebody agreed to another proposal meanwhile, that is over and this is a new request.
    pub async fn request_confirmation(&self, pending: &Pending) -> Result<String, StateError> {
        if pending.proposal.len() > MOST_PROPOSAL {
            return Err(StateError::TooLarge { what: "the proposed change", most: MOST_PROPOSAL });
        }
        let Pending { id, vault, tool, caller, args_hash, proposal_hash, proposal, paths, created, expires } = pending;
        let key = ConfirmedCall { vault, tool, caller, args_hash, proposal_hash }.key();
        let clear = "DELETE FROM confirmations
            WHERE call = $1 AND (expires <= $3 OR decision = 'approved' AND proposal_hash <> $2)";
        let ask = "INSERT INTO confirmations
                (id, call, vault, tool, caller, args_hash, proposal_hash, proposal, paths, created, expires)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
            ON CONFLICT (call) DO UPDATE SET proposal_hash = excluded.proposal_hash, proposal = excluded.proposal,
                paths = excluded.paths, expires = excluded.expires
            WHERE confirmations.decision IS NULL";
        let trim = "DELETE FROM confirmations WHERE id IN (SELECT id FROM confirmations WHERE caller = $1 AND decision IS NULL
            ORDER BY expires DESC, created DESC, id DESC LIMIT 1000000000 OFFSET $2)";
        let paths = write_texts(paths);
        let values = values![id, &key, vault, tool, caller, args_hash, proposal_hash, proposal, &paths, *created, *expires];
        let statements = vec![
            Statement { sql: clear, values: values![&key, proposal_hash, *created] },
            Statement { sql: ask, values },
            Statement { sql: trim, values: values![caller, MOST_PENDING] },
            Statement { sql: "SELECT id FROM confirmations WHERE call = $1", values: values![&key] },
        ];
        let mut outcomes = self.database().run_all(statements).await?;
        let found = outcomes.pop().and_then(|mut outcome| outcome.rows.pop());
        // Somebody used the approval, or a flood of the same caller took the place, since it was written.
        found.map_or_else(|| Ok(id.clone()), |mut row| row.text())
    }

    /// What nobody has decided about, the latest first.
    pub async fn list_pending(&self, now: i64) -> Result<Vec<Pending>, StateError> {
        let sql = "SELECT id, vault, tool, caller, args_hash, proposal_hash, proposal, paths, created, expires FROM confirmations
            WHERE decision IS NULL AND expires > $1 ORDER BY created DESC, id LIMIT $2";
        self.database().list(sql, values![now, MOST_LISTED], read).await
    }

    pub async fn find_pending(&self, id: &str, now: i64) -> Result<Option<Pending>, StateError> {
        let sql = "SELECT id, vault, tool, caller, args_hash, proposal_hash, proposal, paths, created, expires FROM confirmations
            WHERE id = $1 AND decision IS NULL AND expires > $2";
        self.database().find(sql, values![id, now], read).await
    }

    /// Agrees to the proposal that was shown, until `until`, for the call to be repeated with this token or without any. Says no if
    /// the proposal changed since it was shown, or somebody decided before.
    pub async fn approve(
        &self,
        id: &str,
        proposal_hash: &str,
        token: &SecretHash,
        by: &str,
        now: i64,
        until: i64,
    ) -> Result<bool, StateError> {
        let sql = "UPDATE confirmations SET decision = 'approved', token = $3, decided_by = $4, expires = $6, proposal = ''
            WHERE id = $1 AND proposal_hash = $2 AND decision IS NULL AND expires > $5";
        Ok(self.database().change(sql, values![id, proposal_hash, token, by, now, until]).await? > 0)
    }

    /// For whatever the call proposes, until the request expires. Says no if somebody decided before.
    pub async fn deny(&self, id: &str, by: &str, now: i64) -> Result<bool, StateError> {
        let sql = "UPDATE confirmations SET decision = 'denied', decided_by = $2, proposal = ''
            WHERE id = $1 AND decision IS NULL AND expires > $3";
        Ok(self.database().change(sql, values![id, by, now]).await? > 0)
    }

    /// Uses an approval up, for one caller only. With a token it must be the one of that approval.
    pub async fn consume_confirmation(
        &self,
        call: ConfirmedCall<'_>,
        token: Option<&SecretHash>,
        now: i64,
    ) -> Result<Consumed, StateError> {
        let key = call.key();
        let consume =
            "DELETE FROM confirmations WHERE call = $1 AND proposal_hash = $2 AND decision = 'approved' AND expires > $3
            AND ($4 IS NULL OR token = $4) RETURNING decided_by";
        let token = token.cloned();
        let by = self.database().find(consume, values![&key, call.proposal_hash, now, &token], Row::text).await?;
        if let Some(by) = by {
            return Ok(Consumed::Yes { by });
        }
        let denied = "SELECT decided_by FROM confirmations WHERE call = $1 AND decision = 'denied' AND expires > $2";
        let by = self.database().find(denied, values![&key, now], Row::text).await?;
        Ok(by.map_or(Consumed::No, |by| Consumed::Denied { by }))
    }
}

/// Without what stands in notes.
impl fmt::Debug for Pending {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut pending = formatter.debug_struct("Pending");
        pending.field("id", &self.id).field("vault", &self.vault).field("tool", &self.tool).field("caller", &self.caller);
        pending.field("args_hash", &self.args_hash).field("proposal_hash", &self.proposal_hash);
        pending.field("created", &self.created).field("expires", &self.expires).finish_non_exhaustive()
    }
}

fn read(row: &mut Row) -> Result<Pending, StateError> {
    Ok(Pending {
        id: row.text()?,
        vault: row.text()?,
        tool: row.text()?,
        caller: row.text()?,
        args_hash: row.text()?,
        proposal_hash: row.text()?,
        proposal: row.text()?,
        paths: read_texts(&row.text()?)?,
        created: row.integer()?,
        expires: row.integer()?,
    })
}
