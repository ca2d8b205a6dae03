//! The schema of the configuration, as far as ours goes.

use std::sync::LazyLock;

use serde_json::Value;

use super::Config;
use super::unused::UNUSED;

/// Made from the structs, once.
pub(crate) static SCHEMA: LazyLock<Value> = LazyLock::new(|| schemars::schema_for!(Config).into());

/// The forms that a value may have, with references followed; `null`, which stands for a key that is left out, is none.
pub(super) fn forms(schema: &'static Value) -> Vec<&'static Value> {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        return reference.strip_prefix('#').and_then(|pointer| SCHEMA.pointer(pointer)).map(forms).unwrap_or_default();
    }
    let choices = ["anyOf", "oneOf"].iter().find_map(|keyword| schema.get(keyword)?.as_array());
    match choices {
        Some(choices) => choices.iter().flat_map(forms).collect(),
        None if types(schema) == ["null"] => Vec::new(),
        None => vec![schema],
    }
}

pub(super) fn allows_null(schema: &'static Value) -> bool {
    let nested = ["anyOf", "oneOf"].iter().filter_map(|keyword| schema.get(keyword)?.as_array()).flatten();
    types(schema).contains(&"null") || nested.into_iter().any(allows_null)
}

/// Empty where anything goes.
pub(super) fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

pub(super) fn has_type(schema: &Value, wanted: &str) -> bool {
    types(schema).contains(&wanted)
}

/// The words that a text may be, if not every text is one.
pub(super) fn words(schema: &Value) -> Option<Vec<&str>> {
    let choices = schema.get("enum").and_then(Value::as_array).map(|choices| choices.iter().collect::<Vec<_>>());
    let choices = choices.or_else(|| schema.get("const").map(|only| vec![only]))?;
    Some(choices.into_iter().filter_map(Value::as_str).collect())
}

/// The keys below this one, if they are known.
pub(super) fn properties(schema: &'static Value) -> Option<&'static serde_json::Map<String, Value>> {
    schema.get("properties")?.as_object()
}

pub(super) fn is_unused(schema: &Value) -> bool {
    schema.get(UNUSED).is_some()
}

pub(super) fn is_secret(schema: &Value) -> bool {
    schema.get("writeOnly").is_some()
}

/// What may stand there, in words.
pub(super) fn described(schema: &'static Value) -> String {
    let mut described: Vec<String> = Vec::new();
    for form in forms(schema) {
        let is_list_of_these = form.get("items").is_some_and(|items| described_as(&described, items));
        match words(form) {
            Some(words) => described.extend(words.iter().map(|word| format!("`{word}`"))),
            None if is_list_of_these => described.push("list of them".to_owned()),
            None => described.push(form_described(form)),
        }
    }
    alternatives(&described)
}

fn described_as(choices: &[String], schema: &'static Value) -> bool {
    !choices.is_empty() && described(schema) == alternatives(choices)
}

fn form_described(form: &'static Value) -> String {
    let kind = types(form).into_iter().find(|kind| *kind != "null");
    match kind {
        Some("string") => "text".to_owned(),
        Some("boolean") => "true or false".to_owned(),
        Some("integer") => format!("{}whole number{}", positive(form), bounds(form)),
        Some("number") => format!("number{}", bounds(form)),
        Some("array") => match form.get("items") {
            Some(items) => format!("list of {}", plural(&described(items))),
            None => "list".to_owned(),
        },
        Some("object") => match form.get("additionalProperties").filter(|values| values.is_object()) {
            Some(values) => format!("object of {}", plural(&described(values))),
            None => "object".to_owned(),
        },
        _ => "anything".to_owned(),
    }
}

fn positive(form: &Value) -> &'static str {
    let is_open = form.get("maximum").is_none() && bound(form, "minimum") == Some(1.0);
    if is_open { "positive " } else { "" }
}

fn bounds(form: &Value) -> String {
    match (bound(form, "minimum"), bound(form, "maximum")) {
        (Some(least), Some(most)) => format!(" from {least} to {most}"),
        (Some(0.0), None) => ", 0 or more".to_owned(),
        _ => String::new(),
    }
}

pub(super) fn bound(form: &Value, keyword: &str) -> Option<f64> {
    form.get(keyword)?.as_f64()
}

fn plural(kind: &str) -> String {
    match kind {
        "object" => "objects".to_owned(),
        "whole number" | "number" => format!("{kind}s"),
        "whole number, 0 or more" => "whole numbers".to_owned(),
        "positive whole number" => "positive whole numbers".to_owned(),
        other => other.to_owned(),
    }
}

/// `a, b or c`.
pub(super) fn alternatives(choices: &[String]) -> String {
    match choices {
        [] => String::new(),
        [only] => only.clone(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}

/// Keys are written like this everywhere: `vaults[0].path`.
pub(super) fn join(parent: &str, name: &str) -> String {
    if parent.is_empty() { name.to_owned() } else { format!("{parent}.{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keywords that `check` obeys, or that say nothing about what is right.
    const KEYWORDS: [&str; 21] = [
        "$ref",
        "$defs",
        "$schema",
        "title",
        "description",
        "default",
        "format",
        "writeOnly",
        UNUSED,
        "type",
        "enum",
        "const",
        "anyOf",
        "oneOf",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "minimum",
        "maximum",
        "pattern",
    ];

    #[test]
    fn every_keyword_of_the_schema_is_known() {
        fn walk(schema: &Value) {
            let Some(object) = schema.as_object() else { return };
            for (keyword, value) in object {
                assert!(KEYWORDS.contains(&keyword.as_str()), "{keyword} is not checked");
                match keyword.as_str() {
                    "properties" | "$defs" => value.as_object().into_iter().flatten().for_each(|(_, schema)| walk(schema)),
                    "anyOf" | "oneOf" => value.as_array().into_iter().flatten().for_each(walk),
                    "items" | "additionalProperties" => walk(value),
                    _ => {}
                }
            }
        }
        walk(&SCHEMA);
    }
}
