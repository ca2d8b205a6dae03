//! What a call is: the same tool with the same arguments has the same fingerprint, however they were written.

use quillgate_tools::{ELICIT_TOKEN, IDEMPOTENCY_KEY};
use quillgate_vault::ContentHash;
use serde_json::{Map, Value};

/// Confirmations, replays and the audit are bound to it. The confirmation token and the idempotency key are no part of it.
pub(crate) fn args_hash(tool: &str, arguments: &Map<String, Value>) -> String {
    let mut text = String::with_capacity(64);
    text.push_str(tool);
    text.push('\n');
    let is_of_tool = |name: &&String| ![ELICIT_TOKEN, IDEMPOTENCY_KEY].contains(&name.as_str());
    write_object(arguments.iter().filter(|(name, _)| is_of_tool(name)), &mut text);
    let mut hash = ContentHash::of(text.as_bytes()).to_string();
    hash.truncate(32);
    hash
}

fn write_object<'a>(object: impl IntoIterator<Item = (&'a String, &'a Value)>, text: &mut String) {
    let mut fields: Vec<(&String, &Value)> = object.into_iter().collect();
    fields.sort_unstable_by_key(|(name, _)| *name);
    text.push('{');
    for (number, (name, value)) in fields.into_iter().enumerate() {
        if number > 0 {
            text.push(',');
        }
        write_plain(&Value::from(name.as_str()), text);
        text.push(':');
        write_value(value, text);
    }
    text.push('}');
}

fn write_value(value: &Value, text: &mut String) {
    match value {
        Value::Object(object) => write_object(object, text),
        Value::Array(items) => {
            text.push('[');
            for (number, item) in items.iter().enumerate() {
                if number > 0 {
                    text.push(',');
                }
                write_value(item, text);
            }
            text.push(']');
        }
        plain => write_plain(plain, text),
    }
}

fn write_plain(value: &Value, text: &mut String) {
    text.push_str(&value.to_string());
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn hash(tool: &str, arguments: &Value) -> String {
        args_hash(tool, arguments.as_object().expect("an object"))
    }

    #[test]
    fn the_order_of_keys_does_not_matter_and_everything_else_does() {
        let one = hash("t", &json!({"b": {"y": 1, "x": [1, 2]}, "a": "é"}));
        assert_eq!(one, hash("t", &json!({"a": "é", "b": {"x": [1, 2], "y": 1}})));
        assert_eq!(one.len(), 32);
        for other in [json!({"a": "é", "b": {"x": [2, 1], "y": 1}}), json!({"a": "e", "b": {"x": [1, 2], "y": 1}})] {
            assert_ne!(one, hash("t", &other));
        }
        assert_eq!(one, hash("t", &json!({"a": "é", "b": {"x": [1, 2], "y": 1}, "elicit_token": "x", "idempotency_key": "y"})));
        assert_ne!(one, hash("u", &json!({"a": "é", "b": {"x": [1, 2], "y": 1}})));
    }
}
