//! Secrets that all processes on one database share, such as the key that seals what clients carry between calls.
//!
//! They are the exception to what the crate promises: they are stored as they are. So nothing is sealed with them that would be of
//! use without the rows that it belongs to.

use crate::database::{Row, values};
use crate::{State, StateError};

impl State {
    /// The secret of this name; the first who asks sets it to `fresh`.
    pub async fn shared_secret(&self, name: &str, fresh: &str) -> Result<String, StateError> {
        let insert = "INSERT INTO shared_secrets (name, secret) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING";
        self.database().change(insert, values![name, fresh]).await?;
        let found = self.database().find("SELECT secret FROM shared_secrets WHERE name = $1", values![name], Row::text).await?;
        found.ok_or(StateError::Damaged("a shared secret"))
    }
}
