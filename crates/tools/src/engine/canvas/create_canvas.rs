//! Making a canvas.

use std::collections::HashSet;

use quillgate_vault::{ContentHash, Expect, Folders, VaultError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::canvas_file::canvas_path;
use super::check::{check_edge, check_node, object};
use crate::context::Context;
use crate::failure::{Failure, Issue};
use crate::plan::Plan;
use crate::time;
use crate::tool::{ChangeTool, Confirm, Effect, Idempotency, Spec};

/// Create a canvas (.canvas). A node is {id, type, x, y, width, height, color?} with text (type text), file and subpath? (file), url (link), or label? (group); ids are yours to choose, 16 hexadecimal digits by custom. An edge is {id, fromNode, toNode, fromSide?, toSide?, label?, color?}. To change a canvas use update_canvas.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateCanvas {
    /// Canvas, relative to the vault, with its extension (.canvas)
    #[schemars(length(min = 1, max = 1024))]
    path: String,
    /// Cards; later ones lie on top
    #[serde(default)]
    #[schemars(length(max = 1000))]
    nodes: Vec<Value>,
    /// Connections between them
    #[serde(default)]
    #[schemars(length(max = 1000))]
    edges: Vec<Value>,
    /// Replace a canvas that is there
    #[serde(default)]
    overwrite: bool,
    /// Make missing folders
    #[serde(default = "yes")]
    create_dirs: bool,
}

fn yes() -> bool {
    true
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    path: String,
    created_at: String,
    node_count: usize,
    edge_count: usize,
    content_hash: String,
}

impl ChangeTool for CreateCanvas {
    const SPEC: Spec = Spec::writing("create_canvas", "Create a canvas", Effect::Change, Idempotency::Keyed)
        .scopes(&["write:canvas"])
        .confirm(Confirm::When("if it replaces a canvas"));
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let path = canvas_path("path", &self.path)?;
        self.check()?;
        let before = match context.vault().read(&path) {
            Ok(_) if !self.overwrite => return Err(VaultError::Exists(path).into()),
            Ok(contents) => Some(contents),
            Err(VaultError::NotFound(_)) => None,
            Err(error) => return Err(error.into()),
        };
        let text = written(&self.nodes, &self.edges).into_bytes();
        let content_hash = ContentHash::of(&text);
        let expect = before.as_ref().map_or(Expect::Absent, |before| Expect::Hash(before.hash()));
        let folders = if self.create_dirs { Folders::Create } else { Folders::MustExist };
        let mut change = context.vault().transaction(folders);
        if expect != Expect::Hash(content_hash) {
            change = change.write(path.clone(), text, expect);
        }
        let reason = format!("it replaces all of {path}");
        let (known, is_replaced) = (before.as_ref().map(|before| before.stat.modified), before.is_some());
        let (node_count, edge_count) = (self.nodes.len(), self.edges.len());
        let finish = move |committed: Option<&quillgate_vault::Committed>| {
            let written = committed.and_then(|committed| committed.written.first()).map(|written| written.stat.modified);
            Ok(Outcome {
                path: path.to_string(),
                created_at: written.or(known).map(time::shown).unwrap_or_default(),
                node_count,
                edge_count,
                content_hash: content_hash.to_string(),
            })
        };
        Ok(Plan::new(change, finish).ask_if(is_replaced, reason))
    }
}

impl CreateCanvas {
    fn check(&self) -> Result<(), Failure> {
        let mut issues = Vec::new();
        let mut ids = HashSet::new();
        for (place, node) in self.nodes.iter().enumerate() {
            let at = format!("nodes[{place}]");
            let Some(node) = object(&at, node, &mut issues) else { continue };
            issues.extend(check_node(&at, node));
            issues.extend(taken(&at, node.get("id"), &mut ids));
        }
        let mut edge_ids = HashSet::new();
        for (place, edge) in self.edges.iter().enumerate() {
            let at = format!("edges[{place}]");
            let Some(edge) = object(&at, edge, &mut issues) else { continue };
            issues.extend(check_edge(&at, edge, &ids));
            issues.extend(taken(&at, edge.get("id"), &mut edge_ids));
        }
        if issues.is_empty() { Ok(()) } else { Err(Failure::InvalidInput(issues)) }
    }
}

/// Notes the id as taken; a problem if it was.
pub(super) fn taken(at: &str, id: Option<&Value>, ids: &mut HashSet<String>) -> Option<Issue> {
    let id = id.and_then(Value::as_str)?;
    let is_new = ids.insert(id.to_owned());
    (!is_new).then(|| Issue::new(&format!("{at}.id"), format!("is {id:?}, which is taken; choose another one")))
}

/// A canvas as the app writes it: a line for each node and each edge.
pub(super) fn written(nodes: &[Value], edges: &[Value]) -> String {
    let list = |items: &[Value]| match items {
        [] => "[]".to_owned(),
        items => {
            let lines: Vec<String> = items.iter().map(|item| format!("\n\t\t{item}")).collect();
            format!("[{}\n\t]", lines.join(","))
        }
    };
    format!("{{\n\t\"nodes\":{},\n\t\"edges\":{}\n}}", list(nodes), list(edges))
}
