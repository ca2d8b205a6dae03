//! JSON files of the vault: read for their values and places, and never written when they cannot be read.

use quillgate_markdown::{JsonKind, JsonNode, parse_json};
use quillgate_vault::NotePath;
use serde_json::{Number, Value};

use crate::failure::Failure;

/// The file's JSON. What cannot be read is told with its place, so that nobody writes over it.
pub(crate) fn read_json(path: &NotePath, text: &str) -> Result<JsonNode, Failure> {
    parse_json(text).map_err(|error| {
        Failure::Edit(format!("{path} is not valid JSON: {error}; correct it by hand first, it is left as it is"))
    })
}

/// The value that stands there. A number that no program can hold becomes null, as in the app.
pub(crate) fn json_value(text: &str, node: &JsonNode) -> Value {
    match &node.kind {
        JsonKind::Null => Value::Null,
        JsonKind::Bool(truth) => Value::Bool(*truth),
        JsonKind::Number => text[node.span.clone()].parse::<Number>().map_or(Value::Null, Value::Number),
        JsonKind::String(text) => Value::String(text.clone()),
        JsonKind::Array(items) => items.iter().map(|item| json_value(text, item)).collect(),
        JsonKind::Object(members) => members.iter().map(|member| (member.key.clone(), json_value(text, &member.value))).collect(),
    }
}
