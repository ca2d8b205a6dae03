//! The vault on real files: what is written, refused, found and told.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests look at the vault from outside")]

mod concurrency;
mod hostile_paths;
mod links;
mod names;
mod place;
mod reading;
mod settings;
mod temporaries;
mod transactions;
mod trash;
mod walking;
mod watching;
mod writing;
