//! What attackers try and what clients rely on, played against a whole site with a real database.
#![allow(clippy::unwrap_used, reason = "tests")]

use quillgate_oauth::FetchSettings;

mod authorize;
mod canary;
mod clients;
mod flow;
mod harness;
mod login_and_consent;
mod numbers;
mod timing;
#[allow(dead_code, reason = "the crate's own tests use the rest of it")]
#[path = "../../src/tls_fixture.rs"]
mod tls_fixture;
mod token;
