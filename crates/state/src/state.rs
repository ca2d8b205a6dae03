//! The handle that everybody shares.

use std::fmt;
use std::sync::Arc;

use crate::database::Database;
use crate::limits::Counters;
use crate::{Location, StateError};

/// Clones share one database. What it can do stands in the file of each kind of record.
#[derive(Clone)]
pub struct State(Arc<Inner>);

struct Inner {
    location: Location,
    database: Database,
    counters: Counters,
}

impl State {
    /// Makes the database if there is none, and brings an older one up to date.
    pub async fn open(location: &Location) -> Result<State, StateError> {
        let database = Database::open(location).await?;
        Ok(State(Arc::new(Inner { location: location.clone(), database, counters: Counters::default() })))
    }

    pub(crate) fn database(&self) -> &Database {
        &self.0.database
    }

    pub(crate) fn counters(&self) -> &Counters {
        &self.0.counters
    }
}

impl fmt::Debug for State {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "State({})", self.0.location)
    }
}
