//! Clients that registered themselves.

use crate::database::{Row, Statement, values};
use crate::{Client, State, StateError};

impl State {
    pub async fn add_client(&self, client: &Client) -> Result<(), StateError> {
        let sql =
            "INSERT INTO clients (id, metadata, secret, registration, created, seen, used) VALUES ($1, $2, $3, $4, $5, $6, $7)";
        let Client { id, metadata, secret, registration, created, seen, used } = client;
        self.database().change(sql, values![id, metadata, secret, registration, *created, *seen, *used]).await?;
        Ok(())
    }

    pub async fn find_client(&self, id: &str) -> Result<Option<Client>, StateError> {
        let sql = "SELECT id, metadata, secret, registration, created, seen, used FROM clients WHERE id = $1";
        self.database().find(sql, values![id], read).await
    }

    /// Takes its grants, with all that was issued under them, and its consents along.
    pub async fn remove_client(&self, id: &str) -> Result<bool, StateError> {
        let statements = [
            "DELETE FROM grants WHERE client_id = $1",
            "DELETE FROM consents WHERE client_id = $1",
            "DELETE FROM clients WHERE id = $1",
        ];
        let statements = statements.map(|sql| Statement { sql, values: values![id] });
        let outcomes = self.database().run_all(statements.into()).await?;
        Ok(outcomes.last().is_some_and(|outcome| outcome.changed > 0))
    }

    /// It sent somebody to log in.
    pub async fn mark_client_seen(&self, id: &str, now: i64) -> Result<(), StateError> {
        let sql = "UPDATE clients SET seen = $2 WHERE id = $1 AND (seen IS NULL OR seen < $2)";
        self.database().change(sql, values![id, now]).await?;
        Ok(())
    }

    /// A grant was completed for it.
    pub async fn mark_client_used(&self, id: &str, now: i64) -> Result<(), StateError> {
        let sql = "UPDATE clients SET used = $2 WHERE id = $1 AND (used IS NULL OR used < $2)";
        self.database().change(sql, values![id, now]).await?;
        Ok(())
    }

    /// Removes clients that nobody ever allowed anything, down to `most` of them, and says how many went.
    ///
    /// Those stay that were seen latest, so that a flood of registrations removes nobody who is just logging in. A quarter of the
    /// places is for those that registered latest, so that a flood of logins removes nobody who has just registered.
    pub async fn trim_clients(&self, most: u64, now: i64) -> Result<u64, StateError> {
        let sql = "DELETE FROM clients WHERE used IS NULL
            AND NOT EXISTS (SELECT 1 FROM grants WHERE grants.client_id = clients.id AND grants.expires > $3)
            AND id IN (SELECT id FROM clients WHERE used IS NULL
                AND id NOT IN (SELECT id FROM clients WHERE used IS NULL ORDER BY created DESC, id DESC LIMIT $1)
                ORDER BY COALESCE(seen, 0) DESC, created DESC, id DESC LIMIT 1000000000 OFFSET $2)";
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let removed = self.database().change(sql, values![most / 4, most - most / 4, now]).await?;
        if removed > 0 {
            self.database().shrink().await?;
        }
        Ok(removed)
    }

    /// The latest first.
    pub async fn clients(&self) -> Result<Vec<Client>, StateError> {
        let sql = "SELECT id, metadata, secret, registration, created, seen, used FROM clients ORDER BY created DESC, id";
        self.database().list(sql, vec![], read).await
    }

    pub async fn count_clients(&self) -> Result<u64, StateError> {
        let count = self.database().find("SELECT COUNT(*) FROM clients", vec![], Row::integer).await?;
        Ok(count.and_then(|count| u64::try_from(count).ok()).unwrap_or_default())
    }
}

fn read(row: &mut Row) -> Result<Client, StateError> {
    Ok(Client {
        id: row.text()?,
        metadata: row.text()?,
        secret: row.optional_hash()?,
        registration: row.optional_hash()?,
        created: row.integer()?,
        seen: row.optional_integer()?,
        used: row.optional_integer()?,
    })
}
