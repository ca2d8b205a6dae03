//! Puts Quillgate together: command line, transports, pipeline and what is printed for people.
//!
//! Architecture invariant: `mcp` is the only module that names a type of the protocol library, and every tool call of every
//! transport goes through `pipeline`.

mod commands;
pub mod config;
mod data_folder;
pub mod documentation;
mod environment;
mod front;
mod http;
mod identity;
mod listen;
mod logging;
mod mcp;
mod network;
mod pipeline;
mod prompt;
mod proxies;
mod scopes;
mod sessions;
mod sites;
mod snippets;
mod telemetry;
mod upstream;

pub use commands::run;
