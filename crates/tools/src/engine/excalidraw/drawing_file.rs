//! A drawing as it is on disk: a note with the scene in a fence, or a file that is the scene.

use std::collections::HashSet;

use quillgate_markdown::{Drawing, JsonNode, Note, find_drawing, parse_json};
use quillgate_vault::NotePath;
use serde_json::{Map, Value};

use crate::failure::{Failure, Issue};

/// A scene with more characters than this is not unpacked.
const LONGEST_SCENE: usize = 16 << 20;
/// The id of a text in a note is also its block id, and the plugin knows it by this length.
const TEXT_ID_LENGTH: usize = 8;

/// Whether the path is that of a plain scene rather than a note.
pub(super) fn is_plain(path: &NotePath) -> bool {
    path.extension().eq_ignore_ascii_case("excalidraw")
}

/// The path of a drawing, which need not exist.
pub(super) fn drawing_path(path: &str) -> Result<NotePath, Failure> {
    let path = NotePath::parse(path)?;
    if path.is_note() || is_plain(&path) {
        return Ok(path);
    }
    let expected = format!("names {path}, which cannot be a drawing; give a path that ends in .excalidraw.md or .excalidraw");
    Err(Failure::InvalidInput(vec![Issue::new("path", expected)]))
}

/// What a drawing holds.
pub(super) struct Scene {
    /// Where it stands in its note; nothing of a plain file.
    pub(super) note: Option<Drawing>,
    pub(super) json: String,
    pub(super) root: JsonNode,
}

impl Scene {
    pub(super) fn read(path: &NotePath, text: &str) -> Result<Scene, Failure> {
        let refused = |why: String| Failure::Edit(format!("{path} cannot be read as a drawing: {why}; it is left as it is"));
        let (note, json) = if is_plain(path) {
            (None, text.to_owned())
        } else {
            if Note::parse(text).find_property("excalidraw-plugin").is_none() {
                return Err(Failure::Edit(format!("{path} is no drawing: it has no property excalidraw-plugin")));
            }
            let note = find_drawing(text).ok_or_else(|| refused("it has no section Drawing with a scene".to_owned()))?;
            let json = note.scene(text, LONGEST_SCENE).map_err(|error| refused(error.to_string()))?;
            (Some(note), json)
        };
        let root = parse_json(&json).map_err(|error| refused(format!("its scene is not valid JSON: {error}")))?;
        if !root.is_object() {
            return Err(refused(format!("its scene is {}", root.kind_name())));
        }
        match root.get("elements") {
            Some(elements) if !elements.is_array() => Err(refused(format!("its elements are {}", elements.kind_name()))),
            _ => Ok(Scene { note, json, root }),
        }
    }

    pub(super) fn elements(&self) -> &[JsonNode] {
        self.root.get("elements").map_or(&[], JsonNode::items)
    }

    /// The files that elements may show.
    pub(super) fn file_ids(&self) -> Vec<&str> {
        let kept = self.root.get("files").map_or(&[][..], JsonNode::members).iter().map(|member| member.key.as_str());
        let named = self.note.iter().flat_map(|note| &note.files).map(|file| file.id.as_str());
        kept.chain(named).collect()
    }
}

pub(super) fn text_of<'n>(element: &'n JsonNode, key: &str) -> Option<&'n str> {
    element.get(key).and_then(JsonNode::as_str)
}

/// The text of a text element as it was written, before links are shown and lines are wrapped.
pub(super) fn raw_text(element: &Map<String, Value>) -> Option<&str> {
    let is_text = element.get("type").and_then(Value::as_str) == Some("text");
    let texts = ["rawText", "originalText", "text"].iter().filter_map(|key| element.get(*key).and_then(Value::as_str));
    texts.into_iter().find(|text| !text.is_empty()).filter(|_| is_text)
}

/// Whether the drawing still shows the element.
pub(super) fn is_shown(element: &Map<String, Value>) -> bool {
    element.get("isDeleted") != Some(&Value::Bool(true))
}

/// Everything that is wrong with an element of a call. The app fills in what is missing.
pub(super) fn check_element(
    at: &str,
    element: &Map<String, Value>,
    files: &[&str],
    is_note: bool,
    ids: &mut HashSet<String>,
) -> Vec<Issue> {
    let mut issues = Vec::new();
    let mut issue = |field: &str, expected: String| issues.push(Issue::new(&format!("{at}.{field}"), expected));
    let text = |key: &str| element.get(key).and_then(Value::as_str);
    let id = text("id").unwrap_or_default();
    match id {
        "" => issue("id", "is required: a text that is not empty".to_owned()),
        id if !ids.insert(id.to_owned()) => issue("id", format!("is {id:?}, which is taken; choose another one")),
        _ => {}
    }
    if text("type").is_none_or(str::is_empty) {
        issue("type", "is required, such as rectangle, ellipse, arrow, line, text, freedraw, image or frame".to_owned());
    }
    for number in ["x", "y"] {
        if !element.get(number).is_some_and(Value::is_number) {
            issue(number, "is required: a number".to_owned());
        }
    }
    if text("type") == Some("text") {
        if text("text").is_none() {
            issue("text", "is required in an element of type text".to_owned());
        }
        let is_block = id.len() == TEXT_ID_LENGTH && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
        if is_note && !id.is_empty() && !is_block {
            issue("id", format!("of a text needs {TEXT_ID_LENGTH} letters, digits, - or _, since it is a block id in the note"));
        }
    }
    if let Some(file) = text("fileId").filter(|file| !files.contains(file)) {
        let known =
            if files.is_empty() { "the drawing has no files".to_owned() } else { format!("there are {}", files.join(", ")) };
        issue("fileId", format!("is {file:?}, and the drawing has no such file; {known}"));
    }
    issues
}
