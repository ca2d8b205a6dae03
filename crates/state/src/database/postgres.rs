//! PostgreSQL.

use std::str::FromStr;

use tokio_postgres::Config;

use super::{Outcome, Statement};
use crate::StateError;

pub(crate) struct Target {
    pub(crate) config: Config,
}

impl Target {
    pub(crate) fn parse(url: &str) -> Result<Target, StateError> {
        let unreadable =
            |_| StateError::Location("the URL of the state cannot be read; write postgres://user:password@host/database".into());
        Ok(Target { config: Config::from_str(&url.replace("verify-full", "require")).map_err(unreadable)? })
    }
}

pub(crate) struct Postgres;

impl Postgres {
    pub(crate) async fn open(_url: &str) -> Result<Postgres, StateError> {
        Err(StateError::Location("PostgreSQL comes with the next commit; write sqlite:/path".into()))
    }

    pub(crate) async fn run(&self, _statements: Vec<Statement>) -> Result<Vec<Outcome>, StateError> {
        Err(StateError::Failed("not yet".into()))
    }
}
