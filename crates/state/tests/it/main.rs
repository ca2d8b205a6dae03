//! Stories about the state, each told of a SQLite file and of a real PostgreSQL.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests")]

mod audit;
mod captures;
mod concurrency;
mod confirmations;
mod crash;
mod files;
mod floods;
mod limits;
mod place;
mod remembering;
mod replies;
mod servers;
mod sweeping;
mod versions;
