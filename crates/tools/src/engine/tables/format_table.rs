//! Giving the columns of a table one width.

use quillgate_vault::NotePath;
use schemars::JsonSchema;
use serde::Deserialize;

use super::table_choice::{Outcome, TableChoice, plan};
use crate::context::Context;
use crate::expected_hash::ExpectedHash;
use crate::failure::Failure;
use crate::note_edit::NoteEdit;
use crate::plan::Plan;
use crate::tool::{ChangeTool, Effect, Idempotency, Spec};

/// Format a Markdown table of a note: columns of one width, text on the side that the table says. Cells keep what they say.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FormatTable {
    /// Note, relative to the vault, with its extension (.md)
    #[schemars(length(min = 1, max = 1024))]
    path: String,
    #[serde(default)]
    table: TableChoice,
    #[serde(default)]
    expected_hash: ExpectedHash,
}

impl ChangeTool for FormatTable {
    const SPEC: Spec = Spec::writing("format_table", "Format a table", Effect::Change, Idempotency::Natural);
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let file = NoteEdit::read(context, NotePath::parse(&self.path)?, &self.expected_hash)?;
        let table = self.table.find(&file.path, &file.text)?;
        let edit = table.format(&file.text);
        plan(context, file, &table, vec![edit])
    }
}
