//! Sorting the rows of a table.

use quillgate_markdown::SortAs;
use quillgate_vault::NotePath;
use schemars::JsonSchema;
use serde::Deserialize;

use super::table_choice::{Outcome, TableChoice, column_named, plan};
use crate::context::Context;
use crate::expected_hash::ExpectedHash;
use crate::failure::{Failure, Issue};
use crate::note_edit::NoteEdit;
use crate::plan::Plan;
use crate::tool::{ChangeTool, Effect, Idempotency, Spec};

/// Sort the rows of a Markdown table of a note by one column. Rows keep their bytes, and their order where the column is the same; rows without a value come last.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SortTableByColumn {
    /// Note, relative to the vault, with its extension (.md)
    #[schemars(length(min = 1, max = 1024))]
    path: String,
    #[serde(default)]
    table: TableChoice,
    /// Name of the column, or its number from 1
    column: String,
    /// asc puts the smallest first
    #[serde(default)]
    order: Order,
    /// auto sorts as numbers or dates if all cells are, else as text
    #[serde(default)]
    sort_as: SortKind,
    #[serde(default)]
    expected_hash: ExpectedHash,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Order {
    #[default]
    Asc,
    Desc,
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum SortKind {
    #[default]
    Auto,
    Number,
    Date,
    Text,
}

impl ChangeTool for SortTableByColumn {
    const SPEC: Spec = Spec::writing("sort_table_by_column", "Sort a table", Effect::Change, Idempotency::Natural);
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let file = NoteEdit::read(context, NotePath::parse(&self.path)?, &self.expected_hash)?;
        let table = self.table.find(&file.path, &file.text)?;
        let column = column_named(&table, &self.column)?;
        let (sort_as, word) = match self.sort_as {
            SortKind::Auto => (SortAs::Auto, ""),
            SortKind::Number => (SortAs::Number, "number"),
            SortKind::Date => (SortAs::Date, "date"),
            SortKind::Text => (SortAs::Text, ""),
        };
        let edits = table.sort(&file.text, column, sort_as, self.order == Order::Desc).map_err(|row| {
            let cell = &table.rows[row][column];
            Failure::InvalidInput(vec![Issue::new("sort_as", format!("is {word}, but row {} has {cell:?}; give text", row + 1))])
        })?;
        plan(context, file, &table, edits)
    }
}
