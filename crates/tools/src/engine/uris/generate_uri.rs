//! Addresses that the app opens.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::context::Context;
use crate::failure::{Failure, Issue};
use crate::tool::{Spec, Tool};
use crate::validate::wrong_type;

/// Make an obsidian:// address that the user can click to open a note, a search, a new note, the daily note or a command in the app. Nothing is opened or changed by making it. command and advanced need the Advanced URI plugin.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GenerateUri {
    /// What the address does
    action: Action,
    /// For open: file (path or name, Note#Heading and Note#^block too), path (absolute), paneType (tab, split, window), content, append, prepend, clipboard. search: query. new, daily: name, file, path, content, clipboard, silent, append, overwrite, paneType. command: commandid or commandname, and filepath. hookmark: none. advanced: the plugin's own
    params: Map<String, Value>,
    /// Name or id of the vault in the app; the folder's name by default
    #[serde(default)]
    #[schemars(length(min = 1, max = 255))]
    vault_name: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Action {
    Open,
    Search,
    New,
    Daily,
    Command,
    Hookmark,
    Advanced,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Address {
    uri: String,
}

const OPEN: &[&str] = &["file", "path", "paneType", "content", "append", "prepend", "clipboard", "x-success", "x-error"];
const SEARCH: &[&str] = &["query"];
const NEW: &[&str] = &[
    "name",
    "file",
    "path",
    "content",
    "clipboard",
    "silent",
    "append",
    "prepend",
    "overwrite",
    "paneType",
    "x-success",
    "x-error",
];
const HOOKMARK: &[&str] = &["x-success", "x-error"];
const COMMAND: &[&str] = &["commandid", "commandname", "filepath", "filename", "daily", "openmode", "x-success", "x-error"];

impl Action {
    /// What the app calls it, and the parameters that it takes; all if none are named.
    fn address(self) -> (&'static str, Option<&'static [&'static str]>) {
        match self {
            Action::Open => ("open", Some(OPEN)),
            Action::Search => ("search", Some(SEARCH)),
            Action::New => ("new", Some(NEW)),
            Action::Daily => ("daily", Some(NEW)),
            Action::Command => ("adv-uri", Some(COMMAND)),
            Action::Hookmark => ("hook-get-address", Some(HOOKMARK)),
            Action::Advanced => ("adv-uri", None),
        }
    }

    /// One of these must be there.
    fn needs(self) -> &'static [&'static str] {
        match self {
            Action::New => &["name", "file", "path"],
            Action::Command => &["commandid", "commandname"],
            Action::Open | Action::Search | Action::Daily | Action::Hookmark | Action::Advanced => &[],
        }
    }
}

impl Tool for GenerateUri {
    const SPEC: Spec = Spec::reading("generate_uri", "Make an address for the app").scopes(&[]).quick();
    type Output = Address;

    fn run(self, context: &Context<'_>) -> Result<Address, Failure> {
        let vault = self.vault_name.as_deref().unwrap_or(&context.workspace.name);
        Ok(Address { uri: uri(self.action, vault, &self.params)? })
    }
}

fn uri(action: Action, vault: &str, params: &Map<String, Value>) -> Result<String, Failure> {
    let (name, known) = action.address();
    let mut issues = Vec::new();
    let needs = action.needs();
    if !needs.is_empty() && !needs.iter().any(|need| params.contains_key(*need)) {
        issues.push(Issue::new("params", format!("needs one of {}", needs.join(", "))));
    }
    // An absolute path says which vault it is, and the app ignores any other.
    let has_path = known.is_some_and(|known| known.contains(&"path")) && params.contains_key("path");
    let mut fields: Vec<(&str, String)> = if has_path { Vec::new() } else { vec![("vault", vault.to_owned())] };
    for (key, value) in params {
        let field = format!("params.{key}");
        match known {
            Some(known) if !known.contains(&key.as_str()) => {
                issues.push(Issue::new(&field, format!("means nothing to {name}; it takes {}", known.join(", "))));
            }
            None if key == "vault" => issues.push(Issue::new(&field, "is given by vault_name".to_owned())),
            _ => match written(key, value) {
                Ok(Some(text)) => fields.push((key, text)),
                Ok(None) => {}
                Err(issue) => issues.push(issue),
            },
        }
    }
    if !issues.is_empty() {
        return Err(Failure::InvalidInput(issues));
    }
    let fields: Vec<String> = fields.iter().map(|(key, value)| format!("{}={}", encoded(key), encoded(value))).collect();
    Ok(format!("obsidian://{name}?{}", fields.join("&")))
}

/// The text of a parameter; nothing for a switch that is off, since the app takes its mere presence for on.
fn written(key: &str, value: &Value) -> Result<Option<String>, Issue> {
    let issue = |expected: &str| Issue::new(&format!("params.{key}"), expected.to_owned());
    match value {
        Value::String(text) if key == "paneType" && !["tab", "split", "window"].contains(&text.as_str()) => {
            Err(issue("expected one of tab, split, window"))
        }
        Value::String(text) => Ok(Some(text.clone())),
        Value::Number(number) => Ok(Some(number.to_string())),
        Value::Bool(true) => Ok(Some("true".to_owned())),
        Value::Bool(false) | Value::Null => Ok(None),
        other => Err(wrong_type(&format!("params.{key}"), &["string", "number", "boolean"], other)),
    }
}

/// As `encodeURIComponent` does it, which is what the app decodes: a slash and a space are encoded too.
fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for &byte in text.as_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'!' | b'~' | b'*' | b'\'' | b'(' | b')' => {
                encoded.push(char::from(byte));
            }
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_but_plain_characters_are_encoded() {
        assert_eq!(encoded("aZ09-_.!~*'()"), "aZ09-_.!~*'()");
        assert_eq!(encoded("my note/#^ä&=+%?\n"), "my%20note%2F%23%5E%C3%A4%26%3D%2B%25%3F%0A");
        assert_eq!(encoded("😀"), "%F0%9F%98%80");
    }
}
