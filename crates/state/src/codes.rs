//! Authorization codes.

use crate::database::{Row, values};
use crate::{Code, SecretHash, State, StateError};

impl State {
    pub async fn add_code(&self, code: &Code) -> Result<(), StateError> {
        let sql = "INSERT INTO codes (hash, grant_id, redirect_uri, challenge, sealed, expires, used, misses)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
        let Code { hash, grant, redirect_uri, challenge, sealed, expires, used, misses } = code;
        let values = values![hash, grant, redirect_uri, challenge, sealed, *expires, *used, *misses];
        self.database().change(sql, values).await?;
        Ok(())
    }

    /// Whether or not it may still be used.
    pub async fn find_code(&self, hash: &SecretHash) -> Result<Option<Code>, StateError> {
        let sql = "SELECT hash, grant_id, redirect_uri, challenge, sealed, expires, used, misses FROM codes WHERE hash = $1";
        self.database().find(sql, values![hash], read).await
    }

    /// Hands it to the first caller only, and to nobody after it expired.
    pub async fn use_code(&self, hash: &SecretHash, now: i64) -> Result<Option<Code>, StateError> {
        let sql = "UPDATE codes SET used = $2 WHERE hash = $1 AND used IS NULL AND expires > $2
            RETURNING hash, grant_id, redirect_uri, challenge, sealed, expires, used, misses";
        self.database().find(sql, values![hash, now], read).await
    }

    /// Counts a wrong verifier and says how many there were; 0 if there is no such code.
    pub async fn miss_code(&self, hash: &SecretHash) -> Result<i64, StateError> {
        let sql = "UPDATE codes SET misses = misses + 1 WHERE hash = $1 RETURNING misses";
        Ok(self.database().find(sql, values![hash], Row::integer).await?.unwrap_or_default())
    }
}

fn read(row: &mut Row) -> Result<Code, StateError> {
    Ok(Code {
        hash: row.hash()?,
        grant: row.text()?,
        redirect_uri: row.text()?,
        challenge: row.text()?,
        sealed: row.optional_text()?,
        expires: row.integer()?,
        used: row.optional_integer()?,
        misses: row.integer()?,
    })
}
