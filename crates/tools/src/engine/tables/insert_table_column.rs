//! Adding a column to a table.

use quillgate_markdown::Alignment;
use quillgate_vault::NotePath;
use schemars::JsonSchema;
use serde::Deserialize;

use super::table_choice::{Outcome, TableChoice, plan};
use crate::context::Context;
use crate::expected_hash::ExpectedHash;
use crate::failure::{Failure, Issue};
use crate::note_edit::NoteEdit;
use crate::plan::Plan;
use crate::tool::{ChangeTool, Effect, Idempotency, Spec};

/// Insert a column into a Markdown table of a note; the table is formatted anew.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InsertTableColumn {
    /// Note, relative to the vault, with its extension (.md)
    #[schemars(length(min = 1, max = 1024))]
    path: String,
    #[serde(default)]
    table: TableChoice,
    /// Name of the column
    name: String,
    /// A text for each row, in their order; missing ones are empty
    #[serde(default)]
    #[schemars(length(max = 10000))]
    cells: Vec<String>,
    /// The number the column will have, from 1; by default it comes last
    #[serde(default)]
    #[schemars(range(min = 1))]
    at: Option<usize>,
    /// Which side its text keeps to
    #[serde(default)]
    align: Align,
    #[serde(default)]
    expected_hash: ExpectedHash,
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Align {
    #[default]
    None,
    Left,
    Center,
    Right,
}

impl ChangeTool for InsertTableColumn {
    const SPEC: Spec = Spec::writing("insert_table_column", "Insert a table column", Effect::Add, Idempotency::Keyed);
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let file = NoteEdit::read(context, NotePath::parse(&self.path)?, &self.expected_hash)?;
        let table = self.table.find(&file.path, &file.text)?;
        let refused = |field: &str, expected: String| Err(Failure::InvalidInput(vec![Issue::new(field, expected)]));
        if self.cells.len() > table.rows.len() {
            return refused("cells", format!("has {} texts for {} rows", self.cells.len(), table.rows.len()));
        }
        if let Some(at) = self.at.filter(|at| *at > table.header.len() + 1) {
            return refused("at", format!("is {at}; the table has {} columns", table.header.len()));
        }
        let alignment = match self.align {
            Align::None => Alignment::None,
            Align::Left => Alignment::Left,
            Align::Center => Alignment::Center,
            Align::Right => Alignment::Right,
        };
        let at = self.at.map_or(table.header.len(), |at| at.saturating_sub(1));
        let edit = table.insert_column(&file.text, at, &self.name, alignment, &self.cells);
        plan(context, file, &table, vec![edit])
    }
}
