//! Where the state is kept.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use tokio_postgres::config::Host;

use crate::StateError;
use crate::database::target::Target;

/// A PostgreSQL URL may hold a password, so neither `Debug` nor `Display` shows it.
#[derive(Clone, PartialEq, Eq)]
pub enum Location {
    Sqlite(PathBuf),
    Postgres(String),
}

impl Location {
    /// Reads `sqlite:/path`, `postgres://…` or `postgresql://…`.
    pub fn parse(text: &str) -> Result<Location, StateError> {
        if let Some(path) = text.strip_prefix("sqlite:") {
            let path = path.strip_prefix("//").filter(|path| path.starts_with('/')).unwrap_or(path);
            if path.is_empty() || path == ":memory:" {
                return Err(StateError::Location("the state needs a file; write sqlite:/path/to/state.db".into()));
            }
            return Ok(Location::Sqlite(PathBuf::from(path)));
        }
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            Target::parse(text)?;
            return Ok(Location::Postgres(text.to_owned()));
        }
        Err(StateError::Location(
            "the state is kept in sqlite:/path/to/state.db or postgres://user:password@host/database; write one of them".into(),
        ))
    }
}

impl FromStr for Location {
    type Err = StateError;

    fn from_str(text: &str) -> Result<Location, StateError> {
        Location::parse(text)
    }
}

/// For people: `SQLite file /path`, `PostgreSQL database name on host`.
impl fmt::Display for Location {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = match self {
            Location::Sqlite(path) => return write!(formatter, "SQLite file {}", path.display()),
            Location::Postgres(url) => url,
        };
        let Ok(target) = Target::parse(url) else { return formatter.write_str("PostgreSQL database") };
        let config = &target.config;
        write!(formatter, "PostgreSQL database {}", config.get_dbname().or(config.get_user()).unwrap_or("of the same name"))?;
        for host in config.get_hosts() {
            match host {
                Host::Tcp(name) => write!(formatter, " on {name}")?,
                #[cfg(unix)]
                Host::Unix(path) => write!(formatter, " on {}", path.display())?,
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Location {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Location({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_are_read() {
        assert_eq!(Location::parse("sqlite:/var/lib/state.db").unwrap(), Location::Sqlite("/var/lib/state.db".into()));
        assert_eq!(Location::parse("sqlite:///var/lib/state.db").unwrap(), Location::Sqlite("/var/lib/state.db".into()));
        assert_eq!(Location::parse("sqlite:state.db").unwrap(), Location::Sqlite("state.db".into()));
        for url in ["postgres://me@localhost/notes", "postgresql:///notes?host=/run/postgresql&user=me&sslmode=verify-full"] {
            assert_eq!(Location::parse(url).unwrap(), Location::Postgres(url.to_owned()));
        }
    }

    #[test]
    fn anything_else_is_refused_with_advice() {
        for text in ["", "state.db", "mysql://localhost/notes", "sqlite:", "sqlite::memory:", "postgres://me@localhost/n?wrong=1"]
        {
            let error = Location::parse(text).unwrap_err().to_string();
            assert!(error.contains("write"), "{text}: {error}");
        }
    }

    #[test]
    fn passwords_are_not_shown() {
        let urls = [
            "postgres://me:canary@localhost/notes",
            "postgres://me@localhost/notes?password=canary",
            "postgres://me:can?canary=1@localhost/notes",
            "postgres://me:canary#@local host:x/notes?canary=canary",
        ];
        for url in urls {
            let location = Location::Postgres(url.to_owned());
            let shown = format!("{location} {location:?} {:?}", Location::parse(url));
            assert!(!shown.contains("canary"), "{shown}");
        }
        assert_eq!(Location::Postgres(urls[0].into()).to_string(), "PostgreSQL database notes on localhost");
    }
}
