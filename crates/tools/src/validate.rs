//! Checking arguments against a tool's schema, all issues at once.
//!
//! It knows the keywords that our schemas use; a test walks all tools and fails on any other.

use serde_json::{Map, Value};

use crate::failure::Issue;

/// Nobody reads further.
const MOST_ISSUES: usize = 50;

/// Every way in which the arguments do not fit; empty when they do.
pub fn check_arguments(schema: &Map<String, Value>, arguments: &Map<String, Value>) -> Vec<Issue> {
    let mut issues = Vec::new();
    check_object(schema, arguments, "", &mut issues);
    issues.truncate(MOST_ISSUES);
    issues
}

fn check_object(schema: &Map<String, Value>, object: &Map<String, Value>, at: &str, issues: &mut Vec<Issue>) {
    let empty = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    for required in schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        if !object.contains_key(required) {
            issues.push(Issue::missing(&join(at, required)));
        }
    }
    let is_closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    for (name, value) in object {
        match properties.get(name).and_then(Value::as_object) {
            Some(property) => {
                // Null for an optional field is how some clients leave it out.
                let is_optional = !requires(schema, name);
                if !(value.is_null() && is_optional) {
                    check_value(property, value, &join(at, name), issues);
                }
            }
            None if is_closed => issues.push(Issue::unknown(&join(at, name), nearest(name, properties.keys()))),
            None => {}
        }
    }
}

fn requires(schema: &Map<String, Value>, name: &str) -> bool {
    schema.get("required").and_then(Value::as_array).is_some_and(|names| names.iter().any(|required| required == name))
}

fn check_value(schema: &Map<String, Value>, value: &Value, at: &str, issues: &mut Vec<Issue>) {
    let wanted = schema.get("type").and_then(Value::as_str).unwrap_or("any");
    if !has_type(value, wanted) {
        issues.push(Issue::new(at, format!("expected {}, got {}", article(wanted), kind(value))));
        return;
    }
    if let Some(choices) = schema.get("enum").and_then(Value::as_array)
        && !choices.contains(value)
    {
        let listed: Vec<String> = choices.iter().map(Value::to_string).collect();
        issues.push(Issue::new(at, format!("expected one of {}", listed.join(", "))));
    }
    check_bounds(schema, value, at, issues);
    check_pattern(schema, value, at, issues);
    match value {
        Value::Object(object) => check_object(schema, object, at, issues),
        Value::Array(items) => {
            if let Some(item_schema) = schema.get("items").and_then(Value::as_object) {
                items
                    .iter()
                    .enumerate()
                    .for_each(|(number, item)| check_value(item_schema, item, &format!("{at}[{number}]"), issues));
            }
        }
        _ => {}
    }
}

fn check_bounds(schema: &Map<String, Value>, value: &Value, at: &str, issues: &mut Vec<Issue>) {
    let bound = |keyword: &str| schema.get(keyword).and_then(Value::as_f64);
    let measured = match value {
        Value::Number(number) => number.as_f64().map(|number| (number, "minimum", "maximum", "")),
        Value::String(text) => Some((text.chars().count() as f64, "minLength", "maxLength", " characters")),
        Value::Array(items) => Some((items.len() as f64, "minItems", "maxItems", " items")),
        _ => None,
    };
    let Some((measure, least, most, unit)) = measured else { return };
    if let Some(least) = bound(least).filter(|least| measure < *least) {
        issues.push(Issue::new(at, format!("expected at least {least}{unit}")));
    }
    if let Some(most) = bound(most).filter(|most| measure > *most) {
        issues.push(Issue::new(at, format!("expected at most {most}{unit}")));
    }
}

fn check_pattern(schema: &Map<String, Value>, value: &Value, at: &str, issues: &mut Vec<Issue>) {
    let (Some(pattern), Some(text)) = (schema.get("pattern").and_then(Value::as_str), value.as_str()) else { return };
    if !regex::Regex::new(pattern).is_ok_and(|pattern| pattern.is_match(text)) {
        issues.push(Issue::new(at, format!("expected text that fits {pattern}")));
    }
}

/// A field that takes several types has none in its schema, since some models reject lists of types. Its tool looks at the
/// value, and says with this what it would have taken.
pub(crate) fn wrong_type(field: &str, wanted: &[&str], value: &Value) -> Issue {
    let wanted: Vec<String> = wanted.iter().copied().map(article).collect();
    Issue::new(field, format!("expected {}, got {}", wanted.join(" or "), kind(value)))
}

fn has_type(value: &Value, wanted: &str) -> bool {
    match wanted {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn article(kind: &str) -> String {
    let vowel = kind.starts_with(['a', 'e', 'i', 'o', 'u']);
    format!("{} {kind}", if vowel { "an" } else { "a" })
}

fn join(at: &str, name: &str) -> String {
    if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") }
}

/// The known name that an unknown one was probably meant to be.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a String>) -> Option<String> {
    let scored = known.map(|candidate| (distance(&name.to_lowercase(), candidate), candidate));
    let (distance, candidate) = scored.min()?;
    (distance <= name.chars().count().max(candidate.chars().count()) / 2).then(|| candidate.clone())
}

/// Levenshtein's distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, a) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(arguments: Value, expected: &[(&str, &str)]) {
        let schema = json!({
            "type": "object", "additionalProperties": false, "required": ["path"],
            "properties": {
                "path": {"type": "string", "minLength": 1},
                "limit": {"type": "integer", "minimum": 1, "maximum": 5},
                "mode": {"type": "string", "enum": ["a", "b"]},
                "paths": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
                "id": {"type": "string", "pattern": "^[a-z]{1,3}$"},
                "query": {"minLength": 2},
                "filter": {"type": "array", "items": {
                    "type": "object", "additionalProperties": false, "required": ["key"],
                    "properties": {"key": {"type": "string"}, "value": {}},
                }},
            }
        });
        let (Some(schema), Some(arguments)) = (schema.as_object(), arguments.as_object()) else { panic!("objects") };
        let issues = check_arguments(schema, arguments);
        let found: Vec<(&str, &str)> = issues.iter().map(|issue| (issue.field.as_str(), issue.expected.as_str())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn fitting_arguments_have_no_issues() {
        check(json!({"path": "a", "limit": 3, "mode": "a", "paths": ["x"]}), &[]);
        check(json!({"path": "a", "limit": null}), &[]);
        check(json!({"path": "a", "limit": 3.0}), &[]);
    }

    #[test]
    fn every_issue_is_named_at_once() {
        check(
            json!({"limit": 9, "mode": "c", "paths": ["x", 1, "y"], "pth": "a"}),
            &[
                ("path", "is required"),
                ("limit", "expected at most 5"),
                ("mode", "expected one of \"a\", \"b\""),
                ("paths", "expected at most 2 items"),
                ("paths[1]", "expected a string, got a number"),
                ("pth", "is not a known field; did you mean path?"),
            ],
        );
    }

    #[test]
    fn a_field_without_a_type_takes_any_value_within_its_bounds() {
        for any in [json!("text"), json!({"==": [1, 1]}), json!(7), json!([1]), json!(null), json!(true)] {
            check(json!({"path": "a", "query": any, "filter": [{"key": "k", "value": any}]}), &[]);
        }
        check(json!({"path": "a", "query": "x"}), &[("query", "expected at least 2 characters")]);
        check(
            json!({"path": "a", "filter": [{"value": 1, "val": 2}]}),
            &[("filter[0].key", "is required"), ("filter[0].val", "is not a known field; did you mean value?")],
        );
        let issue = wrong_type("query", &["string", "object"], &json!(7));
        assert_eq!((issue.field.as_str(), issue.expected.as_str()), ("query", "expected a string or an object, got a number"));
    }

    #[test]
    fn a_pattern_must_fit() {
        check(json!({"path": "a", "id": "abc"}), &[]);
        for wrong in ["", "abcd", "A", "a\nb"] {
            check(json!({"path": "a", "id": wrong}), &[("id", "expected text that fits ^[a-z]{1,3}$")]);
        }
    }

    #[test]
    fn a_name_like_nothing_gets_no_suggestion() {
        check(json!({"path": "a", "zzzzzzzz": 1}), &[("zzzzzzzz", "is not a known field")]);
    }

    #[test]
    fn an_empty_string_is_too_short() {
        check(json!({"path": ""}), &[("path", "expected at least 1 characters")]);
    }
}
