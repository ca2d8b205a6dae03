//! Answers questions about Dataview's language, one JSON object a line, for comparing with the plugin's own package.

use std::io::{BufRead, Write};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use quillgate_index::Catalogue;
use quillgate_query::Budget;
use quillgate_query::dataview::{
    Asking, evaluate, expression_tree, inline_value, literal_tree, parse_expression, parse_query, query_tree,
};
use serde_json::{Value, json};

fn main() {
    let (input, mut output) = (std::io::stdin().lock(), std::io::BufWriter::new(std::io::stdout().lock()));
    for line in input.lines() {
        let question: Value = serde_json::from_str(&line.expect("a line")).expect("JSON");
        writeln!(output, "{}", ordered(answer(&question))).expect("the answer is taken");
    }
}

/// The tree, or null for what cannot be read.
fn answer(question: &Value) -> Value {
    let text = question["text"].as_str().unwrap_or_default();
    match question["ask"].as_str() {
        Some("expression") => parse_expression(text).map_or(Value::Null, |expr| expression_tree(&expr)),
        Some("query") => parse_query(text).map_or(Value::Null, |query| query_tree(&query)),
        Some("inline") => literal_tree(&inline_value(text)),
        Some("evaluate") => evaluated(text),
        other => json!(format!("nobody asks {other:?}")),
    }
}

/// The value of an expression in an empty vault.
fn evaluated(text: &str) -> Value {
    let catalogue = Catalogue::default();
    let asking = Asking::new(&catalogue, None, Timestamp::UNIX_EPOCH, TimeZone::UTC);
    match evaluate(text, &asking, &Budget::new(10_000, None)) {
        Ok(value) => value.json(),
        Err(error) => json!({"error": error.to_string()}),
    }
}

/// Keys by name, so that equal trees are equal texts.
fn ordered(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(ordered).collect(),
        Value::Object(entries) => {
            let mut entries: Vec<(String, Value)> = entries.into_iter().map(|(key, value)| (key, ordered(value))).collect();
            entries.sort_by(|one, other| one.0.cmp(&other.0));
            Value::Object(entries.into_iter().collect())
        }
        other => other,
    }
}
