//! Stories about the state, each told of a SQLite file and of a real PostgreSQL.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests")]

mod concurrency;
mod crash;
mod files;
mod floods;
mod limits;
mod place;
mod remembering;
mod servers;
mod sweeping;
