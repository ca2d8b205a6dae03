//! Says what each tool takes, does and returns, and what each surface calls it.
//!
//! Architecture invariant: a tool is its arguments. Everything that clients, documentation and enforcement know of a tool
//! comes from its one file; nothing here knows the protocol, HTTP or who is asking.

mod articles;
mod cli;
mod context;
mod engine;
mod failure;
mod file_lines;
mod note_text;
mod notes;
mod page;
mod prompts;
mod root;
mod schema;
mod searching;
mod surface;
mod time;
mod tool;
mod transfer;
mod validate;
mod vault;

pub use articles::articles_surface;
pub use context::{Call, Context, Settings, SyncCommand, Workspace, folder_id, vault_id};
pub use failure::{Failure, Issue};
pub use prompts::{PROMPTS, Prompt};
pub use surface::{Answer, ErrorShape, ProtocolError, SURFACES, Surface, find_surface};
pub use tool::{Confirm, Cost, Effect, Idempotency, Rate, Registered, Spec, Tool};
pub use validate::{check_arguments, nearest};
