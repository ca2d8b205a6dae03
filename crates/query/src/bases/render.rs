//! A view as a Markdown table, for reading a note as the app shows it.

use quillgate_index::Catalogue;

use super::run::{Answer, Cell, QueryError, Request, run};
use super::schema::Base;
use super::text::{json_of, markdown_of};
use super::world::Settings;
use crate::budget::Budget;

/// What a ```` ```base ```` block, or an embedded base, shows: the text of the base, and what is asked of it. `this` of the request is the
/// note that it stands in, `view` what follows the `#` of an embed.
pub fn render_base(
    text: &str,
    request: &Request<'_>,
    catalogue: &Catalogue,
    settings: &Settings,
    most_rows: usize,
    budget: &Budget,
) -> Result<String, QueryError> {
    let base = Base::parse(text)?;
    let answer = run(&base, request, catalogue, settings, budget)?;
    render_markdown(&answer, most_rows, budget)
}

/// The first rows of a view; a line below says how many more there are. Groups are tables of their own, under their names.
pub fn render_markdown(answer: &Answer<'_>, most_rows: usize, budget: &Budget) -> Result<String, QueryError> {
    let shown = answer.rows.len().min(most_rows);
    let cells = answer.cells(0..shown, budget)?;
    let mut out = String::new();
    let headers: Vec<String> = answer.columns.iter().map(|column| escaped(&column.header)).collect();
    if answer.groups.is_empty() {
        table(&mut out, answer, &headers, &cells);
    }
    let mut start = 0;
    for group in &answer.groups {
        let end = (start + group.count).min(shown);
        if start >= shown {
            break;
        }
        out.push_str(&format!("**{}** ({})\n\n", group.label.replace('\n', " "), group.count));
        table(&mut out, answer, &headers, &cells[start..end]);
        out.push('\n');
        start = end;
    }
    for (id, value) in &answer.summaries {
        let text =
            value.as_ref().map_or_else(|message| format!("error: {message}"), |value| markdown_of(value, answer.catalogue()));
        out.push_str(&format!("\n{id}: {}\n", text.replace('\n', " ")));
    }
    if shown < answer.rows.len() {
        out.push_str(&format!("\n{} more rows\n", answer.rows.len() - shown));
    }
    Ok(out)
}

fn table(out: &mut String, answer: &Answer<'_>, headers: &[String], rows: &[Vec<Cell>]) {
    out.push_str(&format!("| {} |\n|{}\n", headers.join(" | "), " --- |".repeat(headers.len())));
    for row in rows {
        let cells: Vec<String> = row
            .iter()
            .map(|cell| match cell {
                Ok(value) => escaped(&markdown_of(value, answer.catalogue())),
                Err(message) => escaped(&format!("error: {message}")),
            })
            .collect();
        out.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
}

/// What would end a cell does not.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('|', "\\|").replace("\r\n", " ").replace(['\n', '\r'], " ")
}

/// A cell for a caller: its value, or an object that says what went wrong.
pub fn cell_json(cell: &Cell, answer: &Answer<'_>) -> serde_json::Value {
    match cell {
        Ok(value) => json_of(value, answer.catalogue()),
        Err(message) => serde_json::json!({ "error": message }),
    }
}
