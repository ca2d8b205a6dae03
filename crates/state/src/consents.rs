//! What users agreed to, so that they need not be asked again.

use crate::database::{Row, values};
use crate::{Consent, SecretHash, State, StateError};

impl State {
    /// Replaces what the user said before about this client and redirect URI.
    pub async fn remember_consent(&self, consent: &Consent) -> Result<(), StateError> {
        let sql = "INSERT INTO consents (id, target, user_name, client_id, redirect_uri, scopes, given)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            ON CONFLICT (id) DO UPDATE SET scopes = excluded.scopes, given = excluded.given";
        let Consent { user, client, redirect_uri, scopes, given } = consent;
        let (id, target) = (SecretHash::of_all(&[user, client, redirect_uri]), SecretHash::of_all(&[client, redirect_uri]));
        self.database().change(sql, values![&id, &target, user, client, redirect_uri, scopes, *given]).await?;
        Ok(())
    }

    pub async fn find_consent(&self, user: &str, client: &str, redirect_uri: &str) -> Result<Option<Consent>, StateError> {
        let sql = "SELECT user_name, client_id, redirect_uri, scopes, given FROM consents WHERE id = $1";
        self.database().find(sql, values![&SecretHash::of_all(&[user, client, redirect_uri])], read).await
    }

    /// Whether anybody ever sent an answer to this redirect URI.
    pub async fn has_consent(&self, client: &str, redirect_uri: &str) -> Result<bool, StateError> {
        let sql = "SELECT given FROM consents WHERE target = $1 LIMIT 1";
        Ok(self.database().find(sql, values![&SecretHash::of_all(&[client, redirect_uri])], Row::integer).await?.is_some())
    }

    /// Those of this user and this client, or of everybody if not given; says how many.
    pub async fn forget_consents(&self, user: Option<&str>, client: Option<&str>) -> Result<u64, StateError> {
        let (sql, values) = match (user, client) {
            (Some(user), Some(client)) => ("DELETE FROM consents WHERE user_name = $1 AND client_id = $2", values![user, client]),
            (Some(user), None) => ("DELETE FROM consents WHERE user_name = $1", values![user]),
            (None, Some(client)) => ("DELETE FROM consents WHERE client_id = $1", values![client]),
            (None, None) => ("DELETE FROM consents", vec![]),
        };
        self.database().change(sql, values).await
    }
}

fn read(row: &mut Row) -> Result<Consent, StateError> {
    Ok(Consent { user: row.text()?, client: row.text()?, redirect_uri: row.text()?, scopes: row.text()?, given: row.integer()? })
}
