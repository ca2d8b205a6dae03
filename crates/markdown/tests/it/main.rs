//! The crate as others use it: the format vectors, YAML readings and properties of arbitrary notes and JSON.

mod any_format;
mod any_json;
mod any_note;
mod any_property;
mod fields_and_tasks;
mod vectors;
mod yaml;
