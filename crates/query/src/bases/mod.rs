//! Bases: views of all files of a vault, with filters, formulas, groups and summaries, as the app computes them.
//!
//! Where the app's behaviour is not documented, the comments say what was chosen and why.

mod arithmetic;
mod compare;
mod date_methods;
mod dates;
mod dialect;
mod edit;
mod file_methods;
mod functions;
mod lexer;
mod list_methods;
mod methods;
mod names;
mod number_methods;
mod parser;
mod prepare;
mod printer;
mod property;
mod render;
mod run;
mod schema;
mod summary;
mod text;
mod text_methods;
mod world;

pub use edit::{BaseEditError, BasePatch, update};
pub use parser::parse_expression;
pub use printer::print_expression;
pub use property::PropertyTypes;
pub use render::{cell_json, render_base, render_markdown};
pub use run::{Answer, Cell, Group, QueryError, Request, ShownColumn, run};
pub use schema::{Base, View};
pub use summary::Summaries;
pub use text::json_of;
pub use world::Settings;

#[cfg(test)]
mod tests;
