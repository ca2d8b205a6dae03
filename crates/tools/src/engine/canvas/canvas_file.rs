//! A canvas as it is on disk: its text, its nodes and its edges.

use quillgate_markdown::JsonNode;
use quillgate_vault::NotePath;
use serde_json::Value;

use crate::failure::{Failure, Issue};
use crate::json_text::{json_value, read_json};

/// The path of a canvas, which need not exist.
pub(super) fn canvas_path(field: &str, path: &str) -> Result<NotePath, Failure> {
    let path = NotePath::parse(path)?;
    if path.extension().eq_ignore_ascii_case("canvas") {
        return Ok(path);
    }
    let expected = format!("names {path}, which is no canvas; give the path of a .canvas file");
    Err(Failure::InvalidInput(vec![Issue::new(field, expected)]))
}

/// What a canvas says. An empty file is an empty canvas.
pub(super) struct Canvas<'t> {
    pub(super) text: &'t str,
    /// Nothing in an empty file.
    pub(super) root: Option<JsonNode>,
}

impl<'t> Canvas<'t> {
    pub(super) fn parse(path: &NotePath, text: &'t str) -> Result<Canvas<'t>, Failure> {
        if text.trim_start_matches('\u{feff}').trim().is_empty() {
            return Ok(Canvas { text, root: None });
        }
        let root = read_json(path, text)?;
        if !root.is_object() {
            return Err(no_canvas(path, &format!("it holds {}", root.kind_name())));
        }
        for list in ["nodes", "edges"] {
            match root.get(list) {
                Some(node) if !node.is_array() => {
                    return Err(no_canvas(path, &format!("its {list} are {}, not a list", node.kind_name())));
                }
                _ => {}
            }
        }
        Ok(Canvas { text, root: Some(root) })
    }

    fn list(&self, name: &str) -> &[JsonNode] {
        self.root.as_ref().and_then(|root| root.get(name)).map_or(&[], JsonNode::items)
    }

    pub(super) fn nodes(&self) -> &[JsonNode] {
        self.list("nodes")
    }

    pub(super) fn edges(&self) -> &[JsonNode] {
        self.list("edges")
    }

    pub(super) fn values(&self, nodes: &[JsonNode]) -> Vec<Value> {
        nodes.iter().map(|node| json_value(self.text, node)).collect()
    }
}

fn no_canvas(path: &NotePath, why: &str) -> Failure {
    Failure::Edit(format!("{path} is not a canvas: {why}; correct it by hand first, it is left as it is"))
}

pub(super) fn text_of<'n>(node: &'n JsonNode, key: &str) -> Option<&'n str> {
    node.get(key).and_then(JsonNode::as_str)
}
