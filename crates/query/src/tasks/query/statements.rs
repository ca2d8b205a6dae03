//! A query's text as statements: lines, joined where one ends in a backslash, with their placeholders filled in.

use serde_json::{Map, Value};

use crate::SyntaxError;

/// The note that a query stands in.
#[derive(Clone, Copy, Debug)]
pub struct QueryFile<'a> {
    pub path: &'a str,
    pub properties: Option<&'a Map<String, Value>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Statement {
    pub(super) text: String,
    pub(super) line: usize,
    /// Of its first character, from 1.
    pub(super) column: usize,
}

impl Statement {
    /// At a byte offset of its text.
    pub(super) fn error(&self, at: usize, message: impl Into<String>) -> SyntaxError {
        let before = self.text.char_indices().take_while(|(offset, _)| *offset < at).count();
        SyntaxError { line: self.line, column: self.column + before, message: message.into() }
    }
}

/// Lines that say something.
pub(super) fn statements(text: &str) -> Vec<Statement> {
    let mut found: Vec<Statement> = Vec::new();
    let mut lines = (1..).zip(text.lines());
    while let Some((number, line)) = lines.next() {
        let column = line.chars().take_while(|character| character.is_whitespace()).count() + 1;
        let mut joined = line.to_owned();
        while continues(&joined) {
            joined.truncate(joined.trim_end_matches('\\').trim_end_matches([' ', '\t']).len());
            match lines.next() {
                Some((_, next)) => {
                    joined.push(' ');
                    joined.push_str(next.trim_start_matches([' ', '\t']));
                }
                None => break,
            }
        }
        if joined.ends_with("\\\\") {
            joined.pop();
        }
        let text = joined.trim().to_owned();
        if !text.is_empty() {
            found.push(Statement { text, line: number, column });
        }
    }
    found
}

/// Two backslashes at the end are one that is meant.
fn continues(line: &str) -> bool {
    line.ends_with('\\') && !line.ends_with("\\\\")
}

/// `{{query.file.path}}` and the like; `{{! … }}` is a comment.
pub(super) fn filled(
    statement: &Statement,
    file: Option<&QueryFile<'_>>,
    preset: &dyn Fn(&str) -> Option<String>,
) -> Result<String, SyntaxError> {
    let text = &statement.text;
    let (mut filled, mut at) = (String::with_capacity(text.len()), 0);
    while let Some(open) = text[at..].find("{{").map(|open| at + open) {
        let Some(close) = text[open..].find("}}").map(|close| open + close) else { break };
        filled.push_str(&text[at..open]);
        at = close + 2;
        let inside = text[open + 2..close].trim();
        if inside.starts_with('!') {
            continue;
        }
        let value = match inside.strip_prefix("preset.") {
            Some(name) => preset(name).ok_or_else(|| format!("there is no preset {name:?} in the plugin's settings")),
            None => placeholder(inside, file),
        };
        filled.push_str(&value.map_err(|message| statement.error(open, message))?);
    }
    filled.push_str(&text[at..]);
    Ok(filled)
}

fn placeholder(name: &str, file: Option<&QueryFile<'_>>) -> Result<String, String> {
    let Some(member) = name.strip_prefix("query.file.") else {
        return Err(format!(
            "there is no placeholder {name:?}; there are query.file.path, query.file.folder, query.file.filename and preset.…"
        ));
    };
    let Some(file) = file else { return Err("this placeholder needs the note that the query stands in".into()) };
    let path = file.path;
    let name = path.rsplit('/').next().unwrap_or(path);
    Ok(match member {
        "path" => path.to_owned(),
        "pathWithoutExtension" => without_extension(path).to_owned(),
        "root" => root(path).to_owned(),
        "folder" => folder(path).to_owned(),
        "filename" => name.to_owned(),
        "filenameWithoutExtension" => without_extension(name).to_owned(),
        _ => {
            if let Some(key) = argument(member, "hasProperty") {
                return Ok(property(file, key).is_some_and(|value| !value.is_null()).to_string());
            }
            let Some(key) = argument(member, "property") else {
                return Err(format!(
                    "a note has no {member:?} here; there are path, pathWithoutExtension, root, folder, filename, filenameWithoutExtension and property('…')"
                ));
            };
            match property(file, key) {
                None | Some(Value::Null) => String::new(),
                Some(Value::String(text)) => text.clone(),
                Some(Value::Array(items)) => items.iter().map(plain).collect::<Vec<_>>().join(","),
                Some(other) => plain(other),
            }
        }
    })
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn argument<'a>(member: &'a str, function: &str) -> Option<&'a str> {
    let inside = member.strip_prefix(function)?.strip_prefix('(')?.strip_suffix(')')?.trim();
    let quote = inside.chars().next().filter(|quote| "'\"".contains(*quote))?;
    inside.strip_prefix(quote)?.strip_suffix(quote)
}

/// Case does not matter in names of properties.
fn property<'a>(file: &QueryFile<'a>, key: &str) -> Option<&'a Value> {
    let properties = file.properties?;
    let key = key.to_lowercase();
    properties.iter().find(|(name, _)| name.to_lowercase() == key).map(|(_, value)| value)
}

pub(in crate::tasks) fn without_extension(path: &str) -> &str {
    path.strip_suffix(".md").unwrap_or(path)
}

/// The first folder with its slash, or a slash alone.
pub(in crate::tasks) fn root(path: &str) -> &str {
    path.find('/').map_or("/", |slash| &path[..=slash])
}

/// The folder with its slash, or a slash alone.
pub(in crate::tasks) fn folder(path: &str) -> &str {
    path.rfind('/').map_or("/", |slash| &path[..=slash])
}

/// Instructions that the note's own properties ask for.
pub(super) fn defaults(file: &QueryFile<'_>) -> String {
    let mut lines: Vec<String> = Vec::new();
    // The plugin has a command that adds all of these without values, to be filled in later.
    let flag = |key: &str| property(file, key).filter(|value| !value.is_null()).map(is_true);
    if flag("TQ_explain") == Some(true) {
        lines.push("explain".into());
    }
    if let Some(short) = flag("TQ_short_mode") {
        lines.push(if short { "short mode" } else { "full mode" }.into());
    }
    for (name, _) in super::order::Element::ALL {
        if let Some(shown) = flag(&format!("TQ_show_{}", name.replace(' ', "_"))) {
            lines.push(format!("{} {name}", if shown { "show" } else { "hide" }));
        }
    }
    if let Some(Value::String(text)) = property(file, "TQ_extra_instructions") {
        lines.push(text.clone());
    }
    lines.join("\n")
}

fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}
