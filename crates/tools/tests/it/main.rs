//! Tools as the surfaces offer them, on real vaults.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests look at the vault from outside")]

mod access;
mod around;
mod articles;
mod asking;
mod cli;
mod engine_administration;
mod engine_apply;
mod engine_attachments;
mod engine_bulk;
mod engine_bundles;
mod engine_captures;
mod engine_links;
mod engine_lists;
mod engine_notes;
mod engine_notes_changes;
mod engine_properties;
mod engine_search;
mod engine_tags;
mod engine_uris;
mod engine_vaults;
mod hostile_paths;
mod journals;
mod notes;
mod place;
mod plausible;
mod random;
mod vault;
mod vault_files;
mod vault_sync;
