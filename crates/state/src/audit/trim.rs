//! Dropping what is older than anybody wants to keep, so that what is left can still be verified.

use crate::database::{Row, Statement, values};
use crate::{State, StateError};

/// Rows per transaction: others get their turn in between.
const BATCH: i64 = 5000;

impl State {
    /// Drops the beginning of every chain, up to the first row that is not from before this time, and says how many rows went.
    ///
    /// The head keeps as its anchor where the chain now begins. Heads of chains that are empty and old go too, in the order in
    /// which the chains were started, so that no missing one is overlooked.
    pub async fn trim_audit(&self, before_ms: i64) -> Result<u64, StateError> {
        let sql = "SELECT audit_heads.chain FROM audit_heads JOIN audit ON audit.chain = audit_heads.chain
                AND audit.seq = (SELECT MIN(seq) FROM audit AS rows_of WHERE rows_of.chain = audit_heads.chain)
            WHERE audit.at < $1";
        let mut trimmed = 0;
        for chain in self.database().list(sql, values![before_ms], Row::text).await? {
            trimmed += self.trim_chain(&chain, before_ms).await?;
        }
        while self.retire_chain(before_ms).await? {}
        self.database().shrink().await?;
        Ok(trimmed)
    }

    async fn trim_chain(&self, chain: &str, before_ms: i64) -> Result<u64, StateError> {
        let stays = "SELECT COALESCE((SELECT seq FROM audit WHERE chain = $1 AND at >= $2 ORDER BY seq LIMIT 1),
            (SELECT MAX(seq) + 1 FROM audit WHERE chain = $1))";
        let Some(stays) = self.database().find(stays, values![chain, before_ms], Row::optional_integer).await?.flatten() else {
            return Ok(0);
        };
        // As many as fit into a batch, but not the first row that stays, nor any after it.
        let anchor = "UPDATE audit_heads SET (anchor_seq, anchor_hash) =
                (SELECT seq, hash FROM audit WHERE chain = $1 AND seq = (SELECT MAX(seq) FROM
                    (SELECT seq FROM audit WHERE chain = $1 AND seq < $2 ORDER BY seq LIMIT $3) AS batch))
            WHERE chain = $1 AND anchor_seq < $2 - 1 AND EXISTS (SELECT 1 FROM audit WHERE chain = $1 AND seq < $2)";
        let drop = "DELETE FROM audit WHERE chain = $1 AND seq <= (SELECT anchor_seq FROM audit_heads WHERE chain = $1)";
        let mut trimmed = 0;
        loop {
            let anchor = Statement { sql: anchor, values: values![chain, stays, BATCH] };
            let drop = Statement { sql: drop, values: values![chain] };
            let outcomes = self.database().run_all(vec![anchor, drop]).await?;
            let dropped = outcomes.last().map_or(0, |outcome| outcome.changed);
            trimmed += dropped;
            if dropped < BATCH.unsigned_abs() {
                return Ok(trimmed);
            }
        }
    }

    async fn retire_chain(&self, before_ms: i64) -> Result<bool, StateError> {
        let count = "UPDATE audit_chains SET retired = retired + 1 WHERE EXISTS (SELECT 1 FROM audit_heads
            WHERE number = audit_chains.retired + 1 AND seq = anchor_seq AND latest < $1)";
        // Unless it is continued at this very moment; then it stays until next time.
        let drop = "DELETE FROM audit_heads
            WHERE number <= (SELECT retired FROM audit_chains) AND seq = anchor_seq AND latest < $1";
        let statements = [count, drop].map(|sql| Statement { sql, values: values![before_ms] });
        let outcomes = self.database().run_all(statements.into()).await?;
        Ok(outcomes.first().is_some_and(|outcome| outcome.changed > 0))
    }
}
