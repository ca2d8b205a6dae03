//! The program as clients, operators and the operating system meet it: real processes, raw messages.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests look at the vault from outside")]

mod arrows;
mod attacks;
mod attacks_http;
mod attacks_jwt;
mod attacks_operations;
mod attacks_registration;
mod attacks_tokens;
mod attacks_upstream;
mod command_line;
mod concurrency;
mod configuration;
mod courier;
mod crash;
mod governance;
mod http_client;
mod http_eras;
mod http_exposure;
mod http_refusals;
mod http_sessions;
mod index_crash;
mod login;
mod login_commands;
mod login_crash;
mod place;
mod resources;
mod signer;
mod stdio_calls;
mod stdio_client;
mod stdio_endings;
mod stdio_messages;
mod telemetry;
mod tokens;
