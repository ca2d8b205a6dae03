//! Adding a row to a table.

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

/// Insert a row into a Markdown table of a note. Pipes in cells are escaped, line breaks become <br>; the other rows keep their bytes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InsertTableRow {
    /// Note, relative to the vault, with its extension (.md)
    #[schemars(length(min = 1, max = 1024))]
    path: String,
    #[serde(default)]
    table: TableChoice,
    /// A text for each column, in their order; missing ones are empty
    #[schemars(length(max = 500))]
    cells: Vec<String>,
    /// The number the row will have, from 1; by default it comes last
    #[serde(default)]
    #[schemars(range(min = 1))]
    at: Option<usize>,
    #[serde(default)]
    expected_hash: ExpectedHash,
}

impl ChangeTool for InsertTableRow {
    const SPEC: Spec = Spec::writing("insert_table_row", "Insert a table row", Effect::Add, Idempotency::Keyed);
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let file = NoteEdit::read(context, NotePath::parse(&self.path)?, &self.expected_hash)?;
        let table = self.table.find(&file.path, &file.text)?;
        let refused = |field: &str, expected: String| Err(Failure::InvalidInput(vec![Issue::new(field, expected)]));
        if self.cells.len() > table.header.len() {
            let columns = table.header.join(", ");
            return refused("cells", format!("has {} texts for {} columns: {columns}", self.cells.len(), table.header.len()));
        }
        if let Some(at) = self.at.filter(|at| *at > table.rows.len() + 1) {
            return refused("at", format!("is {at}; the table has {} rows", table.rows.len()));
        }
        let at = self.at.map_or(table.rows.len(), |at| at.saturating_sub(1));
        let edit = table.insert_row(&file.text, at, &self.cells);
        plan(context, file, &table, vec![edit])
    }
}
