//! Remembers who may do what: clients, pending logins, consents, grants, codes, tokens, users, keys and limits, in a SQLite
//! file or in PostgreSQL.
//!
//! Architecture invariant: nothing that is stored can be used by whoever steals the database. Secrets are kept as hashes,
//! and what must be read back is sealed by its owner before it comes here.

mod records;

pub use records::{Client, Code, Consent, Grant, Key, PendingRequest, SecretHash, Token, TokenKind, User};
