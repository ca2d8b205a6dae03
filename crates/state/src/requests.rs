//! Logins that are under way.

use crate::database::{Row, values};
use crate::{PendingRequest, SecretHash, State, StateError};

impl State {
    pub async fn add_request(&self, request: &PendingRequest) -> Result<(), StateError> {
        let sql = "INSERT INTO requests (id, browser, csrf, data, expires) VALUES ($1, $2, $3, $4, $5)";
        let PendingRequest { id, browser, csrf, data, expires } = request;
        self.database().change(sql, values![id, browser, csrf, data, *expires]).await?;
        Ok(())
    }

    pub async fn find_request(&self, id: &SecretHash, now: i64) -> Result<Option<PendingRequest>, StateError> {
        let sql = "SELECT id, browser, csrf, data, expires FROM requests WHERE id = $1 AND expires > $2";
        self.database().find(sql, values![id, now], read).await
    }

    /// Puts `next` in its place if `csrf` is still the form that is expected; of several at once one succeeds.
    pub async fn advance_request(
        &self,
        id: &SecretHash,
        csrf: &SecretHash,
        next: &PendingRequest,
        now: i64,
    ) -> Result<bool, StateError> {
        let sql = "UPDATE requests SET id = $4, browser = $5, csrf = $6, data = $7, expires = $8
            WHERE id = $1 AND csrf = $2 AND expires > $3";
        let values = values![id, csrf, now, &next.id, &next.browser, &next.csrf, &next.data, next.expires];
        Ok(self.database().change(sql, values).await? > 0)
    }

    /// Ends it and hands it to one caller only.
    pub async fn take_request(&self, id: &SecretHash, csrf: &SecretHash, now: i64) -> Result<Option<PendingRequest>, StateError> {
        let sql = "DELETE FROM requests WHERE id = $1 AND csrf = $2 AND expires > $3 RETURNING id, browser, csrf, data, expires";
        self.database().find(sql, values![id, csrf, now], read).await
    }
}

fn read(row: &mut Row) -> Result<PendingRequest, StateError> {
    Ok(PendingRequest { id: row.hash()?, browser: row.hash()?, csrf: row.hash()?, data: row.text()?, expires: row.integer()? })
}
