//! Remembers who may do what: clients, pending logins, consents, grants, codes, tokens, users, keys and limits, in a SQLite
//! file or in PostgreSQL.
//!
//! Architecture invariant: nothing that is stored can be used by whoever steals the database. Secrets are kept as hashes,
//! and what must be read back is sealed by its owner before it comes here.
//!
//! Every change is one atomic statement, the same text for both databases, so what must happen once happens once whoever else
//! is at it: another task, another process, another replica. No clock is read here; times are parameters.

mod clients;
mod codes;
mod consents;
mod database;
mod error;
mod grants;
mod keys;
mod limits;
mod location;
mod records;
mod requests;
mod schema;
mod state;
mod sweep;
mod tokens;
mod users;

pub use error::StateError;
pub use limits::Spend;
pub use location::Location;
pub use records::{Client, Code, Consent, Grant, Key, PendingRequest, SecretHash, Token, TokenKind, User};
pub use state::State;
pub use sweep::Swept;
