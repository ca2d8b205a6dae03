//! Says what each tool takes, does and returns, and what each surface calls it.
//!
//! Architecture invariant: a tool is its arguments. Everything that clients, documentation and enforcement know of a tool
//! comes from its one file; nothing here knows the protocol, HTTP or who is asking.

mod articles;
mod base_settings;
mod capabilities;
mod cli;
mod context;
mod control_text;
mod dataview;
mod draft;
mod engine;
mod expected_hash;
mod facade;
mod failure;
mod file_lines;
mod grant;
mod json_text;
mod keyed;
mod moment;
mod new_text;
mod note_edit;
mod note_text;
mod notes;
mod page;
mod plan;
mod prompts;
mod proposal;
mod root;
mod schema;
mod searching;
mod server;
mod state_door;
mod surface;
mod time;
mod tool;
mod transfer;
mod validate;
mod vault;

pub use articles::articles_surface;
pub use capabilities::{Capability, catalogue};
pub use context::{Call, Consent, Context, ServerContext, Settings, SyncCommand, Workspace, folder_id};
pub use facade::{CALL_CAPABILITY, domain_schema};
pub use failure::{Failure, Issue};
pub use grant::Grant;
pub use moment::{parse_moment, shown_time};
pub use prompts::{PROMPTS, Prompt};
pub use proposal::{Proposal, ProposedFile};
pub use server::{AccessAnswer, AccessQuestion, Metric, ResetParts, Server, VaultRules};
pub use state_door::{ReplyTimes, StateDoor};
pub use surface::{
    Answer, Domain, ELICIT_TOKEN, ErrorShape, IDEMPOTENCY_KEY, ProtocolError, SURFACES, Surface, VAULT, engine_code, find_surface,
};
pub use tool::{Confirm, Cost, Effect, Idempotency, Rate, Registered, Spec, Tool, whole_numbers};
pub use validate::{check_arguments, nearest};
