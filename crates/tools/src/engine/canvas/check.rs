//! What a node and an edge must have, as JSON Canvas 1.0 says.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::failure::Issue;

const TYPES: &[&str] = &["text", "file", "link", "group"];
const SIDES: &[&str] = &["top", "right", "bottom", "left"];
const ENDS: &[&str] = &["none", "arrow"];
const BACKGROUNDS: &[&str] = &["cover", "ratio", "repeat"];

/// Everything that is wrong with one node or edge. Fields that the format does not know are nobody's business.
pub(super) struct Checked<'v> {
    at: String,
    object: &'v Map<String, Value>,
    pub(super) issues: Vec<Issue>,
}

/// A node or an edge out of a call's arguments.
pub(super) fn object<'v>(at: &str, value: &'v Value, issues: &mut Vec<Issue>) -> Option<&'v Map<String, Value>> {
    let object = value.as_object();
    if object.is_none() {
        issues.push(Issue::new(at, "expected an object".to_owned()));
    }
    object
}

pub(super) fn check_node(at: &str, node: &Map<String, Value>) -> Vec<Issue> {
    let mut checked = Checked { at: at.to_owned(), object: node, issues: Vec::new() };
    checked.required_text("id");
    checked.required_choice("type", TYPES);
    for number in ["x", "y", "width", "height"] {
        checked.required_number(number);
    }
    checked.colour();
    match node.get("type").and_then(Value::as_str) {
        Some("text") => checked.required_string("text"),
        Some("file") => {
            checked.required_text("file");
            checked.subpath();
        }
        Some("link") => checked.required_text("url"),
        Some("group") => {
            checked.optional_string("label");
            checked.optional_string("background");
            checked.optional_choice("backgroundStyle", BACKGROUNDS);
        }
        _ => {}
    }
    checked.issues
}

/// `ids` are the nodes that there will be.
pub(super) fn check_edge(at: &str, edge: &Map<String, Value>, ids: &HashSet<String>) -> Vec<Issue> {
    let mut checked = Checked { at: at.to_owned(), object: edge, issues: Vec::new() };
    checked.required_text("id");
    for end in ["fromNode", "toNode"] {
        checked.required_text(end);
        if let Some(id) = edge.get(end).and_then(Value::as_str).filter(|id| !id.is_empty() && !ids.contains(*id)) {
            checked.issue(end, format!("names {id:?}, and there is no such node"));
        }
    }
    for side in ["fromSide", "toSide"] {
        checked.optional_choice(side, SIDES);
    }
    for end in ["fromEnd", "toEnd"] {
        checked.optional_choice(end, ENDS);
    }
    checked.colour();
    checked.optional_string("label");
    checked.issues
}

impl Checked<'_> {
    fn issue(&mut self, field: &str, expected: String) {
        self.issues.push(Issue::new(&format!("{}.{field}", self.at), expected));
    }

    fn required_text(&mut self, field: &str) {
        match self.object.get(field) {
            Some(Value::String(text)) if !text.is_empty() => {}
            None => self.issue(field, "is required".to_owned()),
            Some(_) => self.issue(field, "expected a text that is not empty".to_owned()),
        }
    }

    fn required_string(&mut self, field: &str) {
        match self.object.get(field) {
            Some(Value::String(_)) => {}
            None => self.issue(field, "is required; it may be empty".to_owned()),
            Some(_) => self.issue(field, "expected a text".to_owned()),
        }
    }

    fn optional_string(&mut self, field: &str) {
        if self.object.get(field).is_some_and(|value| !value.is_string()) {
            self.issue(field, "expected a text".to_owned());
        }
    }

    fn required_number(&mut self, field: &str) {
        match self.object.get(field) {
            Some(Value::Number(_)) => {}
            None => self.issue(field, "is required".to_owned()),
            Some(_) => self.issue(field, "expected a number of pixels".to_owned()),
        }
    }

    fn required_choice(&mut self, field: &str, choices: &[&str]) {
        if self.object.contains_key(field) {
            self.optional_choice(field, choices);
        } else {
            self.issue(field, format!("is required: {}", choices.join(", ")));
        }
    }

    fn optional_choice(&mut self, field: &str, choices: &[&str]) {
        let is_one = |value: &Value| value.as_str().is_some_and(|text| choices.contains(&text));
        if self.object.get(field).is_some_and(|value| !is_one(value)) {
            self.issue(field, format!("expected one of {}", choices.join(", ")));
        }
    }

    fn subpath(&mut self) {
        let is_one = |value: &Value| value.as_str().is_some_and(|text| text.starts_with('#'));
        if self.object.get("subpath").is_some_and(|value| !is_one(value)) {
            self.issue("subpath", "expected a heading or block such as #Plan or #^id".to_owned());
        }
    }

    fn colour(&mut self) {
        if self.object.get("color").is_some_and(|value| !value.as_str().is_some_and(is_colour)) {
            self.issue("color", "expected \"1\" to \"6\" (red, orange, yellow, green, cyan, purple) or #rrggbb".to_owned());
        }
    }
}

fn is_colour(text: &str) -> bool {
    let is_preset = matches!(text, "1" | "2" | "3" | "4" | "5" | "6");
    let is_hexadecimal =
        |digits: &str| matches!(digits.len(), 3 | 4 | 6 | 8) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_preset || text.strip_prefix('#').is_some_and(is_hexadecimal)
}
