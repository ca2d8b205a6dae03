//! Users beside those of the configuration.

use crate::database::{Row, values};
use crate::{State, StateError, User};

impl State {
    /// Adds them, or gives them another password; `created` stays what it was.
    pub async fn put_user(&self, user: &User) -> Result<(), StateError> {
        let sql = "INSERT INTO users (name, password, created) VALUES ($1, $2, $3)
            ON CONFLICT (name) DO UPDATE SET password = excluded.password";
        self.database().change(sql, values![&user.name, &user.password, user.created]).await?;
        Ok(())
    }

    pub async fn find_user(&self, name: &str) -> Result<Option<User>, StateError> {
        self.database().find("SELECT name, password, created FROM users WHERE name = $1", values![name], read).await
    }

    /// Their grants are the caller's to end.
    pub async fn remove_user(&self, name: &str) -> Result<bool, StateError> {
        Ok(self.database().change("DELETE FROM users WHERE name = $1", values![name]).await? > 0)
    }

    pub async fn users(&self) -> Result<Vec<User>, StateError> {
        self.database().list("SELECT name, password, created FROM users ORDER BY name", vec![], read).await
    }
}

fn read(row: &mut Row) -> Result<User, StateError> {
    Ok(User { name: row.text()?, password: row.text()?, created: row.integer()? })
}
