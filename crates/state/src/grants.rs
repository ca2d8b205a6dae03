//! What users allowed clients to do.

use crate::database::{Row, values};
use crate::{Grant, State, StateError};

impl State {
    pub async fn add_grant(&self, grant: &Grant) -> Result<(), StateError> {
        let sql = "INSERT INTO grants (id, issuer, user_name, client_id, client_name, scopes, resource, user_mark, created, expires, ended)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
        let Grant { id, issuer, user, client, client_name, scopes, resource, user_mark, created, expires, ended } = grant;
        let values = values![id, issuer, user, client, client_name, scopes, resource, user_mark, *created, *expires, *ended];
        self.database().change(sql, values).await?;
        Ok(())
    }

    pub async fn find_grant(&self, id: &str) -> Result<Option<Grant>, StateError> {
        let sql = "SELECT id, issuer, user_name, client_id, client_name, scopes, resource, user_mark, created, expires, ended
            FROM grants WHERE id = $1";
        self.database().find(sql, values![id], read_grant).await
    }

    /// Says whether it had not ended before.
    pub async fn end_grant(&self, id: &str, now: i64) -> Result<bool, StateError> {
        let sql = "UPDATE grants SET ended = $2 WHERE id = $1 AND ended IS NULL";
        Ok(self.database().change(sql, values![id, now]).await? > 0)
    }

    pub async fn end_grants_of_user(&self, user: &str, now: i64) -> Result<u64, StateError> {
        let sql = "UPDATE grants SET ended = $2 WHERE user_name = $1 AND ended IS NULL";
        self.database().change(sql, values![user, now]).await
    }

    pub async fn end_grants_of_client(&self, client: &str, now: i64) -> Result<u64, StateError> {
        let sql = "UPDATE grants SET ended = $2 WHERE client_id = $1 AND ended IS NULL";
        self.database().change(sql, values![client, now]).await
    }

    /// The latest first, ended ones too until they are swept.
    pub async fn grants(&self) -> Result<Vec<Grant>, StateError> {
        let sql = "SELECT id, issuer, user_name, client_id, client_name, scopes, resource, user_mark, created, expires, ended
            FROM grants ORDER BY created DESC, id";
        self.database().list(sql, vec![], read_grant).await
    }
}

pub(crate) fn read_grant(row: &mut Row) -> Result<Grant, StateError> {
    Ok(Grant {
        id: row.text()?,
        issuer: row.text()?,
        user: row.text()?,
        client: row.text()?,
        client_name: row.text()?,
        scopes: row.text()?,
        resource: row.text()?,
        user_mark: row.text()?,
        created: row.integer()?,
        expires: row.integer()?,
        ended: row.optional_integer()?,
    })
}
