//! The index on real vaults: what it finds, what it keeps, and what a move does to links.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests look at the vault from outside")]
#![allow(clippy::print_stdout, reason = "tests say how much they tried")]

mod access;
mod canvases;
mod catalogue;
mod changes;
mod columns;
#[cfg(debug_assertions)]
mod crashes;
mod excluded;
mod from_memory;
mod graph;
mod jsonlogic;
mod moves;
mod moves_at_once;
mod naive;
mod per_note;
mod place;
mod property_filter;
mod random_vault;
mod searching;
mod stored;
mod text_index;
mod vectors;

/// What the vault's own tests of crashes are made of.
#[cfg(debug_assertions)]
#[path = "../../../vault/tests/it"]
#[allow(dead_code, reason = "they use more of it")]
mod vault_tests {
    pub(crate) mod killing;
    pub(crate) mod place;
}
