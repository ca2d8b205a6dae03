//! Reads and writes properties of notes, one JSON object a line, for comparing with the YAML library of the app.

use std::io::{BufRead, Write};

use quillgate_markdown::{Frontmatter, Value as Property, to_yaml};
use serde_json::{Value, json};

fn main() {
    let (input, mut output) = (std::io::stdin().lock(), std::io::BufWriter::new(std::io::stdout().lock()));
    for line in input.lines() {
        let question: Value = serde_json::from_str(&line.expect("a line")).expect("JSON");
        writeln!(output, "{}", answer(&question)).expect("the answer is taken");
    }
}

fn answer(question: &Value) -> Value {
    let text = |name: &str| question[name].as_str().unwrap_or_default();
    match text("ask") {
        "read" => read(text("note")),
        "write" => json!(to_yaml(&entries(&question["map"]))),
        other => panic!("nobody asks {other}"),
    }
}

/// The properties, or null where the block cannot be read.
fn read(note: &str) -> Value {
    let Some(Frontmatter { properties: Ok(properties), .. }) = Frontmatter::find(note) else { return Value::Null };
    map(properties.0.iter().map(|property| (&property.key, &property.value)))
}

/// Maps by key, since JavaScript has an order of its own.
fn map<'a>(entries: impl Iterator<Item = (&'a String, &'a Property)>) -> Value {
    let mut entries: Vec<_> = entries.map(|(key, value)| json!([key, plain(value)])).collect();
    entries.sort_by_key(|entry| entry[0].as_str().unwrap_or_default().encode_utf16().collect::<Vec<u16>>());
    json!({"map": entries})
}

fn plain(value: &Property) -> Value {
    match value {
        Property::Null => Value::Null,
        Property::Bool(value) => json!(value),
        Property::Integer(value) => json!(value),
        Property::Float(value) if !value.is_finite() => json!({"number": format!("{value:?}")}),
        Property::Float(value) => json!(value),
        Property::Text(value) => json!(value),
        Property::List(items) => items.iter().map(plain).collect(),
        Property::Map(entries) => map(entries.iter().map(|(key, value)| (key, value))),
    }
}

fn entries(map: &Value) -> Vec<(String, Property)> {
    let pairs = map.as_array().expect("pairs").iter();
    pairs.map(|pair| (pair[0].as_str().expect("a key").to_owned(), property(&pair[1]))).collect()
}

fn property(value: &Value) -> Property {
    match value {
        Value::Null => Property::Null,
        Value::Bool(value) => Property::Bool(*value),
        Value::Number(value) => match value.as_i64() {
            Some(integer) => Property::Integer(integer),
            None => Property::Float(value.as_f64().expect("a number")),
        },
        Value::String(value) => Property::Text(value.clone()),
        Value::Array(items) => Property::List(items.iter().map(property).collect()),
        Value::Object(object) => Property::Map(entries(&object["map"])),
    }
}
