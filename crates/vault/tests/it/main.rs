//! The vault on real files: what is written, refused, found and told.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests look at the vault from outside")]
#![allow(clippy::print_stdout, reason = "tests say how much they tried")]

mod access;
mod access_changes;
mod access_naive;
mod access_trees;
mod concurrency;
mod control;
#[cfg(debug_assertions)]
mod crashes;
mod history;
mod history_access;
mod history_property;
mod history_storage;
mod history_undo;
mod hostile_paths;
#[cfg(debug_assertions)]
mod killing;
mod links;
mod names;
mod place;
mod reading;
#[cfg(debug_assertions)]
mod recovery;
mod settings;
mod temporaries;
mod transactions;
mod trash;
mod walking;
mod watching;
mod writing;
