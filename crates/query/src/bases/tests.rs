//! Bases on real vaults.

mod documentation;
mod edit;
mod expressions;
mod place;
mod schema;
mod syntax;
mod vectors;
mod views;
