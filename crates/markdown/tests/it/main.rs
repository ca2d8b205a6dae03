//! The crate as others use it: the format vectors, YAML readings and properties of arbitrary notes.

mod any_note;
mod any_property;
mod fields_and_tasks;
mod vectors;
mod yaml;
