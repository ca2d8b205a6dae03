//! Answers as Markdown, the way the plugin exports them.

use super::answer::{Answer, Shape, Tasks};
use super::error::DqlError;
use super::execute::{evaluate, run};
use super::list_items::ListItems;
use super::row::{Data, Row, materialized};
use super::settings::Settings;
use super::show::show;
use super::world::{Asking, World};
use crate::budget::Budget;
use crate::value::Value;

/// What stands in place of scripts.
const NEVER_RUN: &str = "JavaScript of Dataview is never run here; a DQL query can be";

/// The answer of a code block, if its language is one of Dataview's.
pub fn render_block(language: &str, text: &str, asking: &Asking<'_>, budget: &Budget) -> Option<Result<String, DqlError>> {
    match language {
        "dataview" => Some(run(text, asking, budget).map(|answer| render_markdown(&answer))),
        other if is_script(other, &asking.settings) => Some(Err(DqlError::Unsupported(NEVER_RUN.to_owned()))),
        _ => None,
    }
}

/// Whether a code block of this language is one of Dataview's.
pub fn is_block(language: &str, settings: &Settings) -> bool {
    language == "dataview" || is_script(language, settings)
}

/// Whether inline code is one of Dataview's.
pub fn is_inline(code: &str, settings: &Settings) -> bool {
    inline(code, settings).is_some()
}

fn is_script(language: &str, settings: &Settings) -> bool {
    language == "dataviewjs" || *language == *settings.script_language
}

enum Inline<'t> {
    Expression(&'t str),
    Script,
}

fn inline<'t>(code: &'t str, settings: &Settings) -> Option<Inline<'t>> {
    let code = code.trim();
    let behind = |prefix: &Option<std::sync::Arc<str>>| prefix.as_deref().and_then(|prefix| code.strip_prefix(prefix));
    if behind(&settings.script_prefix).is_some() {
        return Some(Inline::Script);
    }
    // Code that compares is code of some other language.
    behind(&settings.inline_prefix).filter(|rest| !rest.is_empty() && !rest.starts_with('=')).map(Inline::Expression)
}

/// The answer of inline code, if it is a query: `= expression`. Scripts, `$= …`, are told and not run.
pub fn render_inline(code: &str, asking: &Asking<'_>, budget: &Budget) -> Option<Result<String, DqlError>> {
    Some(match inline(code, &asking.settings)? {
        Inline::Script => Err(DqlError::Unsupported(NEVER_RUN.to_owned())),
        Inline::Expression(expression) => evaluate(expression, asking, budget).map(|value| value.shown()),
    })
}

pub fn render_markdown(answer: &Answer<'_>) -> String {
    let world = &answer.world;
    match &answer.shape {
        Shape::Table { headers, rows, with_id } => {
            let row = |(row, cells): &(Row, Vec<Value>)| {
                let id = with_id.then(|| row.id(world));
                id.iter().chain(cells).map(|cell| table_cell(world, cell, 0)).collect()
            };
            table(headers, rows.iter().map(row).collect())
        }
        Shape::List { rows, with_id } => {
            let mut text = String::new();
            for (row, value) in rows {
                text.push_str("- ");
                let id = with_id.then(|| show(world, &row.id(world)));
                text.push_str(id.as_deref().unwrap_or_default());
                if let Some(value) = value {
                    text.push_str(if *with_id { ": " } else { "" });
                    nested_list(world, value, 1, &mut text);
                }
                text.push('\n');
            }
            text
        }
        Shape::Tasks(tasks) => {
            let mut text = String::new();
            task_groups(world, tasks, 1, &mut text);
            text
        }
        Shape::Calendar(days) => {
            let mut text = String::new();
            for (date, row) in days {
                text.push_str(&format!("- {}: {}\n", show(world, date), show(world, &row.id(world))));
            }
            text
        }
    }
}

fn table(headers: &[String], rows: Vec<Vec<String>>) -> String {
    let headers: Vec<String> = headers.iter().map(|header| escaped(header)).collect();
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row.get(column)).chain([headers.get(column)]);
        cells.flatten().map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..headers.len()).map(width).collect();
    let line = |cells: &[String]| {
        let cells = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
    };
    let rule: Vec<String> = widths.iter().map(|width| "-".repeat((*width).max(1))).collect();
    let mut text = line(&headers);
    text.push_str(&line(&rule));
    rows.iter().for_each(|row| text.push_str(&line(row)));
    text
}

/// Bars and line breaks would end the cell.
fn escaped(text: &str) -> String {
    text.replace("\\|", "|").replace('|', "\\|").replace('\n', "<br>")
}

fn table_cell(world: &World<'_>, value: &Value, depth: usize) -> String {
    let entries = match value {
        Value::List(items) if depth < 8 => {
            items.iter().map(|item| format!("<li>{}</li>", table_cell(world, item, depth + 1))).collect::<String>()
        }
        Value::Object(_) | Value::Function(_) if depth < 8 => match materialized(world, value) {
            Some(object) => {
                let entry = |(key, value): &(std::sync::Arc<str>, Value)| {
                    format!("<li><b>{}</b>: {}</li>", escaped(key), table_cell(world, value, depth + 1))
                };
                object.0.iter().map(entry).collect()
            }
            None => return escaped(&show(world, value)),
        },
        other => return escaped(&show(world, other)),
    };
    format!("<ul>{entries}</ul>")
}

fn nested_list(world: &World<'_>, value: &Value, depth: usize, text: &mut String) {
    match value {
        Value::List(items) if depth < 8 => {
            for item in items.iter() {
                text.push_str(&format!("\n{}- ", "    ".repeat(depth)));
                nested_list(world, item, depth + 1, text);
            }
        }
        other => text.push_str(&show(world, other).replace('\n', " ")),
    }
}

fn task_groups(world: &World<'_>, tasks: &Tasks, level: usize, text: &mut String) {
    match tasks {
        Tasks::Groups(groups) => {
            for (key, tasks) in groups {
                text.push_str(&format!("{} {}\n\n", "#".repeat(level.min(6)), show(world, key)));
                task_groups(world, tasks, level + 1, text);
                text.push('\n');
            }
        }
        Tasks::Items(rows) => task_list(world, rows, text),
    }
}

/// Tasks that stand below another one of the answer are shown there only.
fn task_list(world: &World<'_>, rows: &[Row], text: &mut String) {
    let places: std::collections::HashSet<_> = rows.iter().filter_map(place).collect();
    for row in rows {
        let Some((file, at)) = place(row) else { continue };
        let page = world.list_items(file);
        let mut above = page.items.get(at).and_then(|item| item.parent);
        let mut is_shown_above = false;
        while let Some(parent) = above.and_then(|line| page.place_at(line)).filter(|_| !is_shown_above) {
            is_shown_above = places.contains(&(file, parent));
            let item = &page.items[parent];
            above = item.parent.filter(|line| *line < item.line);
        }
        if !is_shown_above {
            add_item(&page, at, 0, text);
        }
    }
}

fn place(row: &Row) -> Option<(quillgate_index::FileId, usize)> {
    match row.data {
        Data::Task(file, place) => Some((file, place)),
        _ => None,
    }
}

fn add_item(page: &ListItems, place: usize, depth: usize, text: &mut String) {
    let Some(item) = page.items.get(place).filter(|_| depth < 32) else { return };
    let status = item.status.map(|status| format!("[{status}] ")).unwrap_or_default();
    text.push_str(&format!("{}- {status}{}\n", "    ".repeat(depth), item.text.replace('\n', " ")));
    item.children.iter().for_each(|&child| add_item(page, child, depth + 1, text));
}
