//! Remembers who may do what: clients, pending logins, consents, grants, codes, tokens, users, keys and limits; and what calls
//! leave behind: the audit, answers to keyed calls, requests for a human's word, allowances and captures. All in a SQLite
//! file or in PostgreSQL.
//!
//! Architecture invariant: nothing that is stored lets whoever steals the database in. Secrets are kept as hashes, and those
//! that must be read back are sealed by their owner before they come here. What stands in notes is here in the clear where a
//! human has to see it (proposals, captures) or a call is to be answered again (replies), and not in the audit.
//!
//! Every change is one atomic statement, the same text for both databases, so what must happen once happens once whoever else
//! is at it: another task, another process, another replica. No clock is read here; times are parameters.

mod allowances;
mod audit;
mod captures;
mod clients;
mod codes;
mod confirmations;
mod consents;
mod database;
mod error;
mod grants;
mod keys;
mod limits;
mod location;
mod records;
mod replies;
mod requests;
mod schema;
mod shared_secrets;
mod state;
mod sweep;
mod texts;
mod tokens;
mod users;

pub use allowances::Allowance;
pub use audit::{AuditCursor, AuditEntry, AuditFault, AuditFilter, AuditProblem, AuditReport, AuditRow, AuditStatus, ChainHead};
pub use captures::{AfterCommit, Capture, CaptureClaim, CaptureCursor, CaptureStage, TakenCapture};
pub use confirmations::{ConfirmedCall, Consumed, Pending};
pub use error::StateError;
pub use limits::Spend;
pub use location::Location;
pub use records::{Client, Code, Consent, Grant, Key, PendingRequest, SecretHash, Token, TokenKind, User};
pub use replies::{Claim, KeyedCall, ReplyClaim};
pub use state::State;
pub use sweep::Swept;
