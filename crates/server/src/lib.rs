//! Puts Quillgate together: command line, transports, pipeline and what is printed for people.
//!
//! Architecture invariant: `mcp` is the only module that names a type of the protocol library, and every tool call of every
//! transport goes through `pipeline`.

mod answer;
mod audit;
mod caller;
mod commands;
pub mod config;
mod confirm;
mod data_folder;
pub mod documentation;
mod environment;
mod fingerprint;
mod front;
mod http;
mod identity;
mod instructions;
mod ledger;
mod listen;
mod logging;
mod mcp;
mod mount;
mod network;
mod pipeline;
mod policy;
mod prompt;
mod proxies;
mod random;
mod reload;
mod scopes;
mod server_view;
mod sessions;
mod sites;
mod snippets;
mod summary;
mod telemetry;
mod upkeep;
mod upstream;
mod vaults;

pub use commands::run;
