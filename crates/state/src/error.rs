//! What can go wrong with the state.

/// No text here contains a stored value, a database's password or its URL.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StateError {
    #[error("{0}")]
    Location(String),
    /// The database is there, but it is not one that may be used.
    #[error("cannot open the {location}: {problem}")]
    Open { location: String, problem: String },
    #[error(
        "the {location} was written by a newer version (its schema is {found}, this program knows {known}); use that version or restore a backup"
    )]
    Newer { location: String, found: i64, known: i64 },
    #[error("there is already {0}; choose another one or remove that first")]
    Taken(&'static str),
    #[error("the grant was removed meanwhile; log in again")]
    NoGrant,
    /// Somebody removed its head or continued it.
    #[error("the audit chain does not end where this process left it; verify the audit, and start another chain")]
    ChainLost,
    #[error("{what} is too large: at most {most} bytes; make it shorter")]
    TooLarge { what: &'static str, most: usize },
    #[error("the queue of captures is full: {most} are waiting; commit some of them first")]
    QueueFull { most: i64 },
    /// Trying again later may help.
    #[error("the state cannot be reached: {0}")]
    Unavailable(String),
    #[error("the state failed: {0}")]
    Failed(String),
    #[error("the state holds a value that is no {0}; restore a backup")]
    Damaged(&'static str),
}
