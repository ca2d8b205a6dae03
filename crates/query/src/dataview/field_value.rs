//! What the text of a field means: inline fields by one rule, values of the frontmatter by another.

use std::sync::Arc;

use super::duration::normalized;
use super::scan::Scan;
use crate::value::{Object, Value};

/// The value behind `key::`. What is no date, duration, text in quotes, tag, link, truth or number, nor a list of such, stays text.
pub fn inline_value(text: &str) -> Value {
    if text.trim().is_empty() {
        return Value::Null;
    }
    let mut scan = Scan::new(text);
    let value = list_or_atom(&mut scan).filter(|_| scan.is_done());
    value.unwrap_or_else(|| Value::text(text))
}

fn list_or_atom(scan: &mut Scan<'_>) -> Option<Value> {
    let first = atom(scan)?;
    let is_list = scan.all(|scan| {
        scan.space();
        let comma = scan.take(",");
        scan.space();
        comma.then_some(())
    });
    if is_list.is_none() {
        return Some(first);
    }
    let mut items = vec![first];
    if let Some(second) = atom(scan) {
        items.push(second);
        while let Some(next) = scan.all(|scan| {
            scan.space();
            let comma = scan.take(",");
            scan.space();
            comma.then(|| atom(scan)).flatten()
        }) {
            items.push(next);
        }
    }
    Some(Value::list(items))
}

fn atom(scan: &mut Scan<'_>) -> Option<Value> {
    if let Some(date) = scan.date() {
        return Some(Value::Date(date));
    }
    if let Some(duration) = scan.duration() {
        return Some(Value::Duration(Arc::new(normalized(&duration))));
    }
    if let Some(string) = scan.string() {
        return Some(Value::text(string));
    }
    if let Some(tag) = scan.tag() {
        return Some(Value::text(tag));
    }
    if let Some(link) = scan.embed_or_link() {
        return Some(Value::Link(Arc::new(link)));
    }
    if let Some(truth) = scan.truth() {
        return Some(Value::Bool(truth));
    }
    if let Some(number) = scan.number() {
        return Some(Value::Number(number));
    }
    // The plugin reads the word and keeps it as a text.
    scan.take("null").then(|| Value::from("null"))
}

/// A value of the frontmatter. Texts that are wholly a date, a duration or a link are that.
pub fn property_value(json: &serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(truth) => Value::Bool(*truth),
        serde_json::Value::Number(number) => number.as_f64().map_or(Value::Null, Value::Number),
        serde_json::Value::String(text) => property_text(text),
        serde_json::Value::Array(items) => Value::list(items.iter().map(property_value).collect()),
        serde_json::Value::Object(entries) => {
            let entries = entries.iter().map(|(key, value)| (Arc::from(key.as_str()), property_value(value)));
            Value::Object(Arc::new(Object(entries.collect())))
        }
    }
}

fn property_text(text: &str) -> Value {
    let starts = text.as_bytes().first().copied().unwrap_or_default();
    if starts.is_ascii_digit() || starts == b'-' {
        let mut scan = Scan::new(text);
        if let Some(date) = scan.date().filter(|_| scan.is_done()) {
            return Value::Date(date);
        }
        let mut scan = Scan::new(text);
        if let Some(duration) = scan.duration().filter(|_| scan.is_done()) {
            return Value::Duration(Arc::new(duration));
        }
    }
    if starts == b'[' || starts == b'!' {
        let mut scan = Scan::new(text);
        if let Some(link) = scan.embed_or_link().filter(|_| scan.is_done()) {
            return Value::Link(Arc::new(link));
        }
    }
    Value::text(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::dataview::tree::literal;

    #[test]
    fn inline_values_are_what_they_look_like() {
        let check = |text: &str, expected| assert_eq!(literal(&inline_value(text)), expected, "{text}");
        check("Some value", json!("Some value"));
        check("6", json!(6));
        check("-1.5", json!(-1.5));
        check("", json!(null));
        check("true", json!(true));
        check("truely", json!("truely"));
        check("a [b] c", json!("a [b] c"));
        check("\"a\", \"b\"", json!(["a", "b"]));
        check("a, b", json!("a, b"));
        check("\"a\", b", json!("\"a\", b"));
        check("1, 2, 3", json!([1, 2, 3]));
        check("1,", json!([1]));
        check("2021-08", json!({"date": "2021-08-01"}));
        check("2021-08-01 notes", json!("2021-08-01 notes"));
        check("5 minutes ago", json!("5 minutes ago"));
        check("5 minutes", json!({"duration": {"minutes": 5}}));
        check("90 minutes", json!({"duration": {"hours": 1, "minutes": 30}}));
        check("#tag/sub", json!("#tag/sub"));
        check("#a, #b", json!(["#a", "#b"]));
        check("null", json!("null"));
        check(
            "[[a]], [[b|c]]",
            json!([
                {"link": {"path": "a", "type": "file", "subpath": null, "display": null, "embed": false}},
                {"link": {"path": "b", "type": "file", "subpath": null, "display": "c", "embed": false}},
            ]),
        );
    }

    #[test]
    fn properties_are_read_by_another_rule() {
        let check = |value, expected| assert_eq!(literal(&property_value(&value)), expected, "{value}");
        check(json!("1, 2"), json!("1, 2"));
        check(json!("2021-08-04T10:00"), json!({"date": "2021-08-04T10:00:00.000"}));
        check(json!("24 h"), json!({"duration": {"hours": 24}}));
        check(json!("true"), json!("true"));
        check(json!("#tag"), json!("#tag"));
        check(json!("![[a]]"), json!({"link": {"path": "a", "type": "file", "subpath": null, "display": null, "embed": true}}));
        check(json!([1, "2020-01", null]), json!([1, {"date": "2020-01-01"}, null]));
    }
}
