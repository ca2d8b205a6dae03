//! Which table of a note is meant, and what is said of it afterwards.

use quillgate_markdown::{Edit, Edits, Table, find_tables, fold};
use quillgate_vault::NotePath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::{Failure, Issue};
use crate::note_edit::NoteEdit;
use crate::note_text::must_be_note;
use crate::plan::Plan;

/// The table, where a note has several. Leave all out if it has one
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TableChoice {
    /// Text of the heading it stands under
    #[serde(default)]
    heading: Option<String>,
    /// A line of the table
    #[serde(default)]
    #[schemars(range(min = 1))]
    line: Option<usize>,
    /// Its number among the tables of the note, or of the heading, from 1
    #[serde(default)]
    #[schemars(range(min = 1))]
    index: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    path: String,
    /// The line on which the table begins
    line: usize,
    columns: Vec<String>,
    row_count: usize,
    updated_at: String,
    content_hash: String,
}

impl TableChoice {
    pub(super) fn find(&self, path: &NotePath, text: &str) -> Result<Table, Failure> {
        must_be_note(path)?;
        let all = find_tables(text);
        let lines = |table: &Table| table.line..table.line + 2 + table.rows.len();
        let is_under = |table: &&Table| match &self.heading {
            Some(heading) => {
                table.heading.as_deref().is_some_and(|found| fold(found) == fold(heading.trim_start_matches('#').trim()))
            }
            None => true,
        };
        let fitting: Vec<&Table> =
            all.iter().filter(is_under).filter(|table| self.line.is_none_or(|line| lines(table).contains(&line))).collect();
        let chosen = match (self.index, fitting.as_slice()) {
            (None, [table]) => Some(*table),
            (Some(index), tables) => tables.get(index.saturating_sub(1)).copied(),
            (None, _) => None,
        };
        chosen.cloned().ok_or_else(|| {
            let expected = match (all.is_empty(), if self.index.is_some() { 0 } else { fitting.len() }) {
                (true, _) => format!("cannot be found: {path} has no table"),
                (_, 0 | 1) => format!("fits no table; there are {}", listed(&all)),
                (_, count) => format!("fits {count} tables; give heading, line or index of one of {}", listed(&all)),
            };
            Failure::InvalidInput(vec![Issue::new("table", expected)])
        })
    }
}

fn listed(tables: &[Table]) -> String {
    let shown = tables.iter().take(10).map(|table| {
        let under = table.heading.as_ref().map(|heading| format!(" under {heading:?}")).unwrap_or_default();
        format!("line {}{under} ({})", table.line, table.header.join(", "))
    });
    shown.collect::<Vec<_>>().join("; ")
}

/// The column of this name in any case, or of this number from 1.
pub(super) fn column_named(table: &Table, name: &str) -> Result<usize, Failure> {
    let named = |place: &usize| fold(&table.header[*place]) == fold(name.trim());
    let places: Vec<usize> = (0..table.header.len()).filter(named).collect();
    let numbered = || name.trim().parse::<usize>().ok().filter(|number| (1..=table.header.len()).contains(number));
    match places.as_slice() {
        [place] => Ok(*place),
        [] => numbered().map(|number| number - 1).ok_or_else(|| {
            let expected = format!("is {name:?}, and there is no such column; there are {}", table.header.join(", "));
            Failure::InvalidInput(vec![Issue::new("column", expected)])
        }),
        _ => {
            let expected = format!("is {name:?}, which several columns are called; give its number");
            Err(Failure::InvalidInput(vec![Issue::new("column", expected)]))
        }
    }
}

/// Plans the edits of one table.
pub(super) fn plan<'c>(
    context: &'c Context<'_>,
    file: NoteEdit,
    table: &Table,
    edits: Vec<Edit>,
) -> Result<Plan<'c, Outcome>, Failure> {
    let after = Edits::new(edits)?.apply(&file.text);
    let now = find_tables(&after).into_iter().find(|found| found.line == table.line);
    let (columns, row_count) = now.map(|table| (table.header, table.rows.len())).unwrap_or_default();
    let line = table.line;
    Ok(file.plan(context, after, move |changed| Outcome {
        path: changed.path,
        line,
        columns,
        row_count,
        updated_at: changed.updated_at,
        content_hash: changed.content_hash,
    }))
}
