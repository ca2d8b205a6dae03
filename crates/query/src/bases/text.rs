//! Values as text and as JSON.

use quillgate_index::{Catalogue, FileId};

use super::dates::{date_json, date_text, duration_text};
use crate::value::{Link, LinkKind, Rich, RichKind, Value};

/// Longer texts are in nobody's table.
pub(super) const LONGEST_TEXT: usize = 1 << 20;

/// Values that are looked at to make one text or one piece of JSON; a list may hold itself many times over.
const MOST_VALUES: usize = 100_000;

/// What `toString()` and joining texts give. Nothing is written as nothing, so that a missing property leaves no word behind.
pub(super) fn text_of(value: &Value, catalogue: &Catalogue) -> String {
    let mut out = String::new();
    push_text(&mut out, value, catalogue, &mut MOST_VALUES.clone());
    out
}

fn push_text(out: &mut String, value: &Value, catalogue: &Catalogue, left: &mut usize) {
    match value {
        Value::Null | Value::Function(_) => {}
        Value::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Value::Number(number) => out.push_str(&number_text(*number)),
        Value::Text(text) | Value::Tag(text) => out.push_str(text),
        Value::Date(date) => out.push_str(&date_text(date)),
        Value::Duration(duration) => out.push_str(&duration_text(duration)),
        Value::Link(link) => out.push_str(&link_text(link)),
        Value::File(file) => out.push_str(path_of(*file, catalogue)),
        Value::List(items) => {
            for (at, item) in items.iter().enumerate() {
                if *left == 0 || out.len() > LONGEST_TEXT {
                    return;
                }
                *left -= 1;
                out.push_str(if at > 0 { ", " } else { "" });
                push_text(out, item, catalogue, left);
            }
        }
        Value::Object(_) => out.push_str(&json_within(value, catalogue, left).to_string()),
        Value::Pattern(pattern) => out.push_str(&format!("{pattern:?}")),
        Value::Rich(rich) => out.push_str(&rich.text),
    }
}

pub(super) fn path_of(file: FileId, catalogue: &Catalogue) -> &str {
    catalogue.entry(file).map_or("", |entry| entry.path.as_str())
}

/// As it would be written in a note.
pub(super) fn link_text(link: &Link) -> String {
    if link.kind == LinkKind::External {
        return match &link.display {
            Some(display) => format!("[{display}]({})", link.path),
            None => link.path.to_string(),
        };
    }
    let mark = if link.embed { "!" } else { "" };
    let subpath = link.subpath.as_ref().map(|subpath| format!("#{subpath}")).unwrap_or_default();
    let display = link.display.as_ref().map(|display| format!("|{display}")).unwrap_or_default();
    format!("{mark}[[{}{subpath}{display}]]", link.path)
}

/// A cell for a caller: dates and links as text, the way notes have them.
pub fn json_of(value: &Value, catalogue: &Catalogue) -> serde_json::Value {
    json_within(value, catalogue, &mut MOST_VALUES.clone())
}

fn json_within(value: &Value, catalogue: &Catalogue, left: &mut usize) -> serde_json::Value {
    if *left == 0 {
        return serde_json::Value::Null;
    }
    *left -= 1;
    match value {
        Value::Null | Value::Function(_) => serde_json::Value::Null,
        Value::Bool(truth) => (*truth).into(),
        Value::Number(number) => json_number(*number),
        Value::Date(date) => date_json(date).into(),
        Value::List(items) => items.iter().map(|item| json_within(item, catalogue, left)).collect(),
        Value::Object(object) => {
            let entries = object.0.iter().map(|(key, value)| (key.to_string(), json_within(value, catalogue, left)));
            serde_json::Value::Object(entries.collect())
        }
        other => text_of(other, catalogue).into(),
    }
}

/// What is no number in JSON is its name.
fn json_number(number: f64) -> serde_json::Value {
    if number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0 {
        return (number as i64).into();
    }
    serde_json::Number::from_f64(number).map_or_else(|| number_text(number).into(), Into::into)
}

/// A cell of a Markdown table, before its pipes are escaped.
pub(super) fn markdown_of(value: &Value, catalogue: &Catalogue) -> String {
    match value {
        Value::File(file) => match catalogue.entry(*file) {
            Some(entry) => format!("[[{}|{}]]", entry.path.without_md(), entry.path.basename()),
            None => String::new(),
        },
        Value::List(items) if items.iter().all(|item| !matches!(item, Value::List(_))) => {
            items.iter().map(|item| markdown_of(item, catalogue)).collect::<Vec<_>>().join(", ")
        }
        Value::Rich(rich) => match &**rich {
            Rich { kind: RichKind::Image, text } if text.starts_with("![[") => text.to_string(),
            Rich { kind: RichKind::Image, text } => format!("![]({text})"),
            Rich { text, .. } => text.to_string(),
        },
        other => text_of(other, catalogue),
    }
}

/// As JavaScript writes numbers.
pub(super) fn number_text(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    if number == 0.0 {
        return "0".to_owned();
    }
    if (1e-6..1e21).contains(&number.abs()) {
        return number.to_string();
    }
    let text = format!("{number:e}");
    match text.split_once('e') {
        Some((digits, exponent)) if !exponent.starts_with('-') => format!("{digits}e+{exponent}"),
        _ => text,
    }
}

/// As JavaScript reads a text as a number: blanks around it do not count, and nothing is zero.
pub(super) fn number_of(text: &str) -> Option<f64> {
    let text = text.trim();
    if text.is_empty() {
        return Some(0.0);
    }
    let radix = |digits: &str, radix| u64::from_str_radix(digits, radix).ok().map(|number| number as f64);
    match text.get(..2).map(str::to_ascii_lowercase).as_deref() {
        Some("0x") => return radix(&text[2..], 16),
        Some("0b") => return radix(&text[2..], 2),
        Some("0o") => return radix(&text[2..], 8),
        _ => {}
    }
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E'));
    match text {
        "Infinity" | "+Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        _ if is_number => text.parse().ok(),
        _ => None,
    }
}
