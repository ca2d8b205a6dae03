//! Static keys.

use crate::database::{Row, values};
use crate::{Key, SecretHash, State, StateError};

impl State {
    /// Refuses a name that another key has.
    pub async fn add_key(&self, key: &Key) -> Result<(), StateError> {
        let sql = "INSERT INTO keys (hash, name, scopes, vault, created, expires, last_used) VALUES ($1, $2, $3, $4, $5, $6, $7)";
        let Key { hash, name, scopes, vault, created, expires, last_used } = key;
        self.database().change(sql, values![hash, name, scopes, vault, *created, *expires, *last_used]).await?;
        Ok(())
    }

    pub async fn find_key(&self, hash: &SecretHash) -> Result<Option<Key>, StateError> {
        let sql = "SELECT hash, name, scopes, vault, created, expires, last_used FROM keys WHERE hash = $1";
        self.database().find(sql, values![hash], read).await
    }

    pub async fn remove_key(&self, name: &str) -> Result<bool, StateError> {
        Ok(self.database().change("DELETE FROM keys WHERE name = $1", values![name]).await? > 0)
    }

    pub async fn keys(&self) -> Result<Vec<Key>, StateError> {
        let sql = "SELECT hash, name, scopes, vault, created, expires, last_used FROM keys ORDER BY name";
        self.database().list(sql, vec![], read).await
    }

    /// To the minute, as with tokens.
    pub async fn mark_key_used(&self, hash: &SecretHash, now: i64) -> Result<(), StateError> {
        let sql = "UPDATE keys SET last_used = $2 WHERE hash = $1 AND (last_used IS NULL OR last_used + 60 <= $2)";
        self.database().change(sql, values![hash, now]).await?;
        Ok(())
    }
}

fn read(row: &mut Row) -> Result<Key, StateError> {
    Ok(Key {
        hash: row.hash()?,
        name: row.text()?,
        scopes: row.text()?,
        vault: row.optional_text()?,
        created: row.integer()?,
        expires: row.optional_integer()?,
        last_used: row.optional_integer()?,
    })
}
