//! Writes properties as YAML the way the app does: block style, two spaces, no line folding.

use crate::value::Value;
use crate::write_scalar::{Place, flow_scalar, text_scalar};

/// Longer keys need the explicit form `? key`.
const MAX_IMPLICIT_KEY: usize = 1024;

/// The entries, each ended by a line break; null is written as nothing (`key:`).
pub fn to_yaml(properties: &[(String, Value)]) -> String {
    let mut result = String::new();
    for (key, value) in properties {
        result.push_str(&pair(key, value, ""));
        result.push('\n');
    }
    result
}

/// One entry without its last line break; `indent` stands before the key.
pub(crate) fn pair(key: &str, value: &Value, indent: &str) -> String {
    let inner = format!("{indent}  ");
    let key = text_scalar(key, &inner, Place::Key);
    let is_explicit = key.encode_utf16().count() > MAX_IMPLICIT_KEY;
    if is_explicit && *value == Value::Null {
        return format!("? {key}");
    }
    let value_text = value_text(value, &inner);
    if is_explicit {
        return format!("? {key}\n{indent}: {value_text}");
    }
    format!("{key}:{}", after_colon(value, &value_text, &inner))
}

/// The value with what stands between it and the colon; `inner` is the indent of its lines.
fn after_colon(value: &Value, value_text: &str, inner: &str) -> String {
    match value {
        Value::Null => String::new(),
        Value::List(items) if !items.is_empty() => format!("\n{inner}{value_text}"),
        Value::Map(entries) if !entries.is_empty() => format!("\n{inner}{value_text}"),
        _ => format!(" {value_text}"),
    }
}

pub(crate) fn value_text(value: &Value, indent: &str) -> String {
    match value {
        Value::Null => String::new(),
        Value::Text(text) => text_scalar(text, indent, Place::Value),
        Value::List(items) if items.is_empty() => "[]".to_owned(),
        Value::Map(entries) if entries.is_empty() => "{}".to_owned(),
        Value::List(items) => {
            let inner = format!("{indent}  ");
            let items = items.iter().map(|item| format!("- {}", value_text(item, &inner)));
            items.collect::<Vec<_>>().join(&format!("\n{indent}"))
        }
        Value::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| pair(key, value, indent));
            entries.collect::<Vec<_>>().join(&format!("\n{indent}"))
        }
        other => plain_text(other),
    }
}

/// Booleans and numbers.
fn plain_text(value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Integer(value) => value.to_string(),
        Value::Float(value) => float_text(*value),
        _ => String::new(),
    }
}

/// The value on one line, as a map used as a key is named.
pub(crate) fn flow_text(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Text(text) => text_scalar(text, "  ", Place::Flow),
        Value::List(items) if items.is_empty() => "[]".to_owned(),
        Value::Map(entries) if entries.is_empty() => "{}".to_owned(),
        Value::List(items) => {
            format!("[ {} ]", items.iter().map(flow_text).collect::<Vec<_>>().join(", "))
        }
        Value::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| {
                let key = text_scalar(key, "  ", Place::Flow);
                match value {
                    Value::Null => key,
                    value => format!("{key}: {}", flow_text(value)),
                }
            });
            format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
        }
        other => plain_text(other),
    }
}

/// The value on one line, to stand inside brackets or braces.
pub(crate) fn flow_value(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Text(text) => flow_scalar(text),
        Value::List(items) => format!("[{}]", items.iter().map(flow_value).collect::<Vec<_>>().join(", ")),
        Value::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| format!("{}: {}", flow_scalar(key), flow_value(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        other => plain_text(other),
    }
}

/// As JavaScript writes numbers: exponents only from 1e21 and below 1e-6.
pub(crate) fn float_text(number: f64) -> String {
    if number.is_nan() {
        return ".nan".to_owned();
    }
    if number.is_infinite() {
        return if number < 0.0 { "-.inf" } else { ".inf" }.to_owned();
    }
    if number == 0.0 {
        return "0".to_owned();
    }
    let magnitude = number.abs();
    if (1e-6..1e21).contains(&magnitude) {
        return number.to_string();
    }
    let text = format!("{number:e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) if !exponent.starts_with('-') => format!("{mantissa}e+{exponent}"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: Value, expected: &str) {
        assert_eq!(to_yaml(&[("a".to_owned(), value)]), expected);
    }

    fn text(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    #[test]
    fn texts_are_quoted_only_where_they_would_be_misread() {
        for plain in ["yes", "x:y", "it's", "2024-01-01", "a, b", "-x", "a#b", "1_000"] {
            check(text(plain), &format!("a: {plain}\n"));
        }
        for quoted in ["[[L]]", "x: y", "#t", "0123", "true", " lead", "trail ", "", "-", "@x", "a:", "~", "{x}", "a #b"] {
            check(text(quoted), &format!("a: \"{quoted}\"\n"));
        }
        check(text("say \"x\": y"), "a: 'say \"x\": y'\n");
        check(text("\"x\" it's: y"), "a: \"\\\"x\\\" it's: y\"\n");
    }

    #[test]
    fn lists_and_maps_are_written_as_blocks() {
        check(Value::List(vec![text("x"), text("[[L]]")]), "a:\n  - x\n  - \"[[L]]\"\n");
        check(Value::List(Vec::new()), "a: []\n");
        check(Value::Map(Vec::new()), "a: {}\n");
        let map = Value::Map(vec![("b".to_owned(), Value::Integer(1)), ("c".to_owned(), Value::Null)]);
        check(map.clone(), "a:\n  b: 1\n  c:\n");
        check(Value::List(vec![map, Value::List(vec![text("x"), text("y")])]), "a:\n  - b: 1\n    c:\n  - - x\n    - y\n");
    }

    #[test]
    fn long_texts_become_literal_blocks() {
        check(text("a\nb"), "a: |-\n  a\n  b\n");
        check(text("a\nb\n"), "a: |\n  a\n  b\n");
        check(text("a\nb\n\n"), "a: |+\n  a\n  b\n\n");
        check(text(" a\nb"), "a: |2-\n   a\n  b\n");
        check(text("a\n\n\nb"), "a: |-\n  a\n\n\n  b\n");
    }

    #[test]
    fn numbers_are_written_as_javascript_does() {
        check(Value::Float(1.5), "a: 1.5\n");
        check(Value::Float(5.0), "a: 5\n");
        check(Value::Float(1e21), "a: 1e+21\n");
        check(Value::Float(1.5e-7), "a: 1.5e-7\n");
        check(Value::Float(f64::NEG_INFINITY), "a: -.inf\n");
        check(Value::Null, "a:\n");
        check(Value::Bool(true), "a: true\n");
    }
}
