//! The Dataview query language: TABLE, LIST, TASK and CALENDAR over the pages of a vault, and its expressions.

mod answer;
mod arithmetic;
mod column;
mod dialect;
mod duration;
mod error;
mod execute;
mod field_value;
mod file_field;
mod format;
mod functions;
mod item_field;
mod kind;
mod list_items;
mod names;
mod nesting;
mod page;
mod parse_expression;
mod parse_query;
mod prepare;
mod print;
mod render;
mod row;
mod scan;
mod settings;
mod show;
mod sources;
mod syntax;
mod task_dates;
mod to_json;
mod tree;
mod utf16;
mod world;

pub use answer::Answer;
pub use error::DqlError;
pub use execute::{Evaluated, check, evaluate, evaluate_field, run};
pub use field_value::{inline_value, property_value};
pub use list_items::ListItems;
pub use names::canonical_name;
pub use parse_expression::parse_expression;
pub use parse_query::parse_query;
pub use print::{print_expression, print_query};
pub use render::{is_block, is_inline, render_block, render_inline, render_markdown};
pub use settings::{PLUGIN, Settings};
pub use syntax::{Clause, Header, Named, Query, SortKey, Source};
pub use tree::{expression_tree, literal as literal_tree, query_tree};
pub use world::Asking;

#[cfg(test)]
mod tests;
