//! The index on real vaults: what it finds, what it keeps, and what a move does to links.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests look at the vault from outside")]

mod access;
mod canvases;
mod catalogue;
mod changes;
mod columns;
mod graph;
mod jsonlogic;
mod moves;
mod moves_at_once;
mod naive;
mod place;
mod property_filter;
mod random_vault;
mod searching;
mod stored;
mod text_index;
mod vectors;
