//! Values as JSON for whoever asked: dates and links as texts, pages and items as objects.

use std::cell::Cell;

use serde_json::{Map, Value as Json, json};

use super::duration::human;
use super::file_field::FileField;
use super::print::date_text;
use super::row::{FieldName, materialized};
use super::show::link_markdown;
use super::world::World;
use crate::value::Value;

/// Deeper than anybody nests values.
const DEEPEST: usize = 16;
/// A value that holds another many times over may be small and have no end as JSON.
const MOST_VALUES: u32 = 100_000;

pub(crate) fn to_json(world: &World<'_>, value: &Value) -> Json {
    within(world, value, 0, &Cell::new(MOST_VALUES))
}

fn within(world: &World<'_>, value: &Value, depth: usize, left: &Cell<u32>) -> Json {
    left.set(left.get().saturating_sub(1));
    if depth > DEEPEST || left.get() == 0 {
        return json!("…");
    }
    match value {
        Value::Null => Json::Null,
        Value::Bool(truth) => (*truth).into(),
        Value::Number(number) if number.fract() == 0.0 && number.abs() < 9e15 => json!(*number as i64),
        Value::Number(number) => json!(number),
        Value::Text(text) | Value::Tag(text) => json!(text),
        Value::Date(date) => {
            let text = date_text(date);
            json!(text.strip_suffix(".000").unwrap_or(&text))
        }
        Value::Duration(duration) => json!(human(duration)),
        Value::Link(link) => json!(link_markdown(world, link)),
        Value::List(items) => items.iter().map(|item| within(world, item, depth + 1, left)).collect(),
        Value::Rich(rich) => json!(rich.text),
        Value::File(file) => short_file(world, &|field| field.value(world, *file), depth, left),
        Value::Object(_) | Value::Function(_) | Value::Pattern(_) => match materialized(world, value) {
            Some(object) => {
                let entries = object.0.iter().map(|(key, value)| (key.to_string(), within(world, value, depth + 1, left)));
                Json::Object(entries.collect())
            }
            None => json!("<function>"),
        },
    }
}

/// What a file is, without what stands in it.
fn short_file(world: &World<'_>, find: &dyn Fn(FileField) -> Value, depth: usize, left: &Cell<u32>) -> Json {
    let names = ["path", "name", "folder", "ext", "link", "size", "ctime", "mtime", "tags", "aliases", "day"];
    let fields = names.iter().filter_map(|name| Some((*name, FieldName::new((*name).into(), None).of_file?)));
    let fields = fields.map(|(name, field)| (name.to_owned(), within(world, &find(field), depth + 1, left)));
    Json::Object(fields.filter(|(_, value)| !value.is_null()).collect::<Map<_, _>>())
}
