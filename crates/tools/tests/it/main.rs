//! Tools as the surfaces offer them, on real vaults.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests look at the vault from outside")]

mod around;
mod articles;
mod cli;
mod engine_administration;
mod engine_lists;
mod engine_notes;
mod engine_notes_changes;
mod engine_properties;
mod engine_search;
mod engine_tags;
mod engine_vaults;
mod hostile_paths;
mod journals;
mod notes;
mod place;
mod vault;
mod vault_files;
mod vault_sync;
