//! Notes as text: what a model sees of a file, and the file's own style kept when it writes back.

use std::ops::Range;

use quillgate_markdown::{Eol, Properties, Value};
use quillgate_vault::{NotePath, Vault, VaultError};

use crate::failure::{Failure, Issue};

const BOM: char = '\u{feff}';

/// The text without a byte order mark and with plain newlines, as it is shown.
pub(crate) fn shown(text: &str) -> String {
    let text = text.trim_start_matches(BOM);
    if memchr::memchr(b'\r', text.as_bytes()).is_none() { text.to_owned() } else { text.replace("\r\n", "\n") }
}

/// The lines of a text; a newline at the end does not begin another one.
pub(crate) fn count_lines(text: &str) -> usize {
    let newlines = memchr::memchr_iter(b'\n', text.as_bytes()).count();
    newlines + usize::from(!text.is_empty() && !text.ends_with('\n'))
}

/// Where lines stand in a text, from 1, without the newline of the last one, except at the end of the text, where it belongs to
/// its line.
pub(crate) fn line_span(text: &str, first: usize, last: usize) -> Range<usize> {
    let mut newlines = memchr::memchr_iter(b'\n', text.as_bytes());
    let start = if first > 1 { newlines.nth(first - 2).map_or(text.len(), |at| at + 1) } else { 0 };
    let end = newlines.nth(last.saturating_sub(first.max(1))).unwrap_or(text.len());
    let end = if end + 1 >= text.len() { text.len() } else { end };
    start..end
}

/// The line that a byte of the text stands on, from 1.
pub(crate) fn line_at(text: &str, offset: usize) -> usize {
    memchr::memchr_iter(b'\n', &text.as_bytes()[..offset]).count() + 1
}

/// New text for a file in the style of what the file held: its newlines and its byte order mark.
pub(crate) fn in_style_of(old: &str, new: &str) -> String {
    let mut styled =
        if Eol::dominant(old) == Eol::CrLf && !new.contains('\r') { new.replace('\n', "\r\n") } else { new.to_owned() };
    if old.starts_with(BOM) && !styled.starts_with(BOM) {
        styled.insert(0, BOM);
    }
    styled
}

/// The bytes to write for `content` at `path`, in the style of the file that is there.
pub(crate) fn styled_for(vault: &Vault, path: &NotePath, content: &str) -> Result<Vec<u8>, VaultError> {
    match vault.read(path) {
        Ok(old) => Ok(old.text().map_or_else(|_| content.to_owned(), |old| in_style_of(old, content)).into_bytes()),
        Err(VaultError::NotFound(_)) => Ok(content.as_bytes().to_vec()),
        Err(error) => Err(error),
    }
}

/// Canvases and bases are structured files: text at their end or start would break them.
pub(crate) fn must_take_text(path: &NotePath) -> Result<(), Failure> {
    let is_structured = ["canvas", "base"].iter().any(|extension| path.extension().eq_ignore_ascii_case(extension));
    if is_structured {
        return Err(Failure::Edit(format!("{path} is not a Markdown note; text cannot be added to it")));
    }
    Ok(())
}

/// Only notes have properties and tags.
pub(crate) fn must_be_note(path: &NotePath) -> Result<(), Failure> {
    if path.is_note() {
        return Ok(());
    }
    Err(Failure::Edit(format!("{path} is not a Markdown note, so it has no properties and no tags; give the path of a .md file")))
}

/// A property as a client sees it. JSON has no infinities, so those become text.
pub(crate) fn property_json(value: &Value) -> serde_json::Value {
    use serde_json::Value as Json;
    match value {
        Value::Null => Json::Null,
        Value::Bool(truth) => Json::Bool(*truth),
        Value::Integer(number) => Json::from(*number),
        Value::Float(number) => {
            serde_json::Number::from_f64(*number).map_or_else(|| Json::from(number.to_string()), Json::Number)
        }
        Value::Text(text) => Json::from(text.as_str()),
        Value::List(items) => items.iter().map(property_json).collect(),
        Value::Map(entries) => entries.iter().map(|(key, value)| (key.clone(), property_json(value))).collect(),
    }
}

/// All properties of a note, in their order.
pub(crate) fn property_map(properties: &Properties) -> serde_json::Map<String, serde_json::Value> {
    properties.0.iter().map(|property| (property.key.clone(), property_json(&property.value))).collect()
}

/// Every one of them is a change of the text.
const MOST_PROPERTIES: usize = 500;

/// Properties as a client sends them, of which there may not be too many at once.
pub(crate) fn property_values(
    field: &str,
    json: &serde_json::Map<String, serde_json::Value>,
) -> Result<Vec<(String, Value)>, Failure> {
    if json.len() > MOST_PROPERTIES {
        let issue = Issue::new(field, format!("has {} properties; at most {MOST_PROPERTIES} at once", json.len()));
        return Err(Failure::InvalidInput(vec![issue]));
    }
    Ok(json.iter().map(|(key, value)| (key.clone(), property_value(value))).collect())
}

/// A property as a client sends it.
pub(crate) fn property_value(json: &serde_json::Value) -> Value {
    use serde_json::Value as Json;
    match json {
        Json::Null => Value::Null,
        Json::Bool(truth) => Value::Bool(*truth),
        Json::Number(number) => match number.as_i64() {
            Some(integer) => Value::Integer(integer),
            None => Value::Float(number.as_f64().unwrap_or_default()),
        },
        Json::String(text) => Value::Text(text.clone()),
        Json::Array(items) => Value::List(items.iter().map(property_value).collect()),
        Json::Object(entries) => Value::Map(entries.iter().map(|(key, value)| (key.clone(), property_value(value))).collect()),
    }
}

/// A new note: its properties as frontmatter, if there are any, then its content.
pub(crate) fn new_note(properties: &[(String, Value)], content: &str) -> String {
    if properties.is_empty() {
        return content.to_owned();
    }
    format!("---\n{}---\n{content}", quillgate_markdown::to_yaml(properties))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_style_of_a_file_survives_its_replacement() {
        assert_eq!(in_style_of("\u{feff}a\r\nb\r\n", "x\ny\n"), "\u{feff}x\r\ny\r\n");
        assert_eq!(in_style_of("a\nb\n", "x\ny\n"), "x\ny\n");
        assert_eq!(in_style_of("a\r\n", "x\r\ny\r\n"), "x\r\ny\r\n");
    }

    #[test]
    fn what_is_shown_has_plain_newlines() {
        assert_eq!(shown("\u{feff}a\r\nb"), "a\nb");
        assert_eq!(count_lines("a\nb\n"), 2);
        assert_eq!(count_lines(""), 0);
    }

    #[test]
    fn the_last_line_keeps_its_newline() {
        let lines = |text: &'static str, first, last| &text[line_span(text, first, last)];
        assert_eq!(lines("a\nb\n", 1, 2), "a\nb\n");
        assert_eq!(lines("a\nb\nc", 1, 2), "a\nb");
        assert_eq!(lines("a\nb\nc", 2, 3), "b\nc");
        assert_eq!(lines("", 0, 0), "");
        assert_eq!((line_at("a\nb", 0), line_at("a\nb", 2)), (1, 2));
    }
}
