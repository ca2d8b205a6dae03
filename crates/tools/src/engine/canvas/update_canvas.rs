//! Changing parts of a canvas.

use std::collections::{BTreeSet, HashSet};

use quillgate_markdown::{Edit, Edits, JsonLayout, JsonNode, change_items, change_members};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::canvas_file::{Canvas, canvas_path, text_of};
use super::check::{check_edge, check_node, object};
use super::create_canvas::{taken, written};
use crate::context::Context;
use crate::expected_hash::ExpectedHash;
use crate::failure::{Failure, Issue};
use crate::json_text::json_value;
use crate::note_edit::NoteEdit;
use crate::note_text::in_style_of;
use crate::plan::Plan;
use crate::tool::{ChangeTool, Confirm, Effect, Idempotency, Spec};

/// More nodes than this do not go without a human's agreement.
const MOST_REMOVED: usize = 10;
/// Ids that a message names.
const IDS_SHOWN: usize = 20;

/// Change a canvas: add, remove and update nodes and edges by id. Fields that you do not name stay as they are, also those the format does not know. Removing a node removes its edges too. See create_canvas for the fields.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UpdateCanvas {
    /// Canvas, relative to the vault, with its extension (.canvas)
    #[schemars(length(min = 1, max = 1024))]
    path: String,
    /// New cards, on top of the others
    #[serde(default)]
    #[schemars(length(max = 1000))]
    add_nodes: Vec<Value>,
    /// New edges, each with id, fromNode and toNode
    #[serde(default)]
    #[schemars(length(max = 1000))]
    add_edges: Vec<Value>,
    /// Nodes to remove, with the edges that touch them
    #[serde(default)]
    #[schemars(length(max = 1000))]
    remove_node_ids: Vec<String>,
    /// Edges to remove
    #[serde(default)]
    #[schemars(length(max = 1000))]
    remove_edge_ids: Vec<String>,
    /// By id, the fields to set, such as {"a1": {"text": "new", "color": null}}; null removes a field
    #[serde(default)]
    update_nodes: Map<String, Value>,
    /// The same for edges
    #[serde(default)]
    update_edges: Map<String, Value>,
    #[serde(default)]
    expected_hash: ExpectedHash,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    path: String,
    updated_at: String,
    applied: Applied,
    content_hash: String,
}

#[derive(Clone, Copy, Default, Serialize, JsonSchema)]
struct Applied {
    nodes_added: usize,
    nodes_removed: usize,
    nodes_updated: usize,
    edges_added: usize,
    /// With the edges of removed nodes
    edges_removed: usize,
    edges_updated: usize,
}

impl ChangeTool for UpdateCanvas {
    const SPEC: Spec = Spec::writing("update_canvas", "Update a canvas", Effect::Change, Idempotency::Repeats)
        .scopes(&["write:canvas"])
        .confirm(Confirm::When("if more than 10 nodes go"));
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let path = canvas_path("path", &self.path)?;
        let file = NoteEdit::read(context, path, &self.expected_hash)?;
        let canvas = Canvas::parse(&file.path, &file.text)?;
        let changes = self.changes(&canvas)?;
        let after = changes.apply(&canvas)?;
        let applied = changes.applied();
        let reason = format!("{} nodes go from {}", applied.nodes_removed, file.path);
        let plan = file.plan(context, after, move |changed| Outcome {
            path: changed.path,
            updated_at: changed.updated_at,
            applied,
            content_hash: changed.content_hash,
        });
        Ok(plan.ask_if(applied.nodes_removed > MOST_REMOVED, reason))
    }
}

/// What becomes of one of the two lists.
struct ListChange<'a> {
    name: &'static str,
    removed: BTreeSet<usize>,
    added: &'a [Value],
    updated: Vec<(usize, &'a Map<String, Value>)>,
}

/// A node or an edge as it will be.
struct NewValue {
    /// Where the call names it.
    at: String,
    before: Option<Value>,
    value: Value,
}

impl NewValue {
    /// What is wrong with it and was not before: cards of plugins may be moved.
    fn problems(&self, check: impl Fn(&Map<String, Value>) -> Vec<Issue>) -> Vec<Issue> {
        let of = |value: Option<&Value>| value.and_then(Value::as_object).map(&check).unwrap_or_default();
        let known = of(self.before.as_ref());
        of(Some(&self.value)).into_iter().filter(|issue| !known.contains(issue)).collect()
    }
}

struct Changes<'a> {
    nodes: ListChange<'a>,
    edges: ListChange<'a>,
}

impl UpdateCanvas {
    fn changes(&self, canvas: &Canvas<'_>) -> Result<Changes<'_>, Failure> {
        let mut issues = Vec::new();
        let removed = places(canvas.nodes(), &self.remove_node_ids, "remove_node_ids", "node", &mut issues);
        let gone: HashSet<&str> = self.remove_node_ids.iter().map(String::as_str).collect();
        let mut removed_edges = places(canvas.edges(), &self.remove_edge_ids, "remove_edge_ids", "edge", &mut issues);
        let hangs =
            |edge: &JsonNode| ["fromNode", "toNode"].iter().any(|end| text_of(edge, end).is_some_and(|id| gone.contains(id)));
        removed_edges.extend(canvas.edges().iter().enumerate().filter(|(_, edge)| hangs(edge)).map(|(place, _)| place));
        let nodes = ListChange {
            name: "nodes",
            updated: updates(canvas.nodes(), &self.update_nodes, &removed, "update_nodes", "node", &mut issues),
            removed,
            added: &self.add_nodes,
        };
        let edges = ListChange {
            name: "edges",
            updated: updates(canvas.edges(), &self.update_edges, &removed_edges, "update_edges", "edge", &mut issues),
            removed: removed_edges,
            added: &self.add_edges,
        };
        let changes = Changes { nodes, edges };
        changes.check(canvas, &mut issues);
        if issues.is_empty() { Ok(changes) } else { Err(Failure::InvalidInput(issues)) }
    }
}

/// Where these ids are in a list; an id that is not there is a problem.
fn places(list: &[JsonNode], ids: &[String], field: &str, what: &str, issues: &mut Vec<Issue>) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    for id in ids {
        let places: Vec<usize> = (0..list.len()).filter(|place| text_of(&list[*place], "id") == Some(id)).collect();
        if places.is_empty() {
            issues.push(Issue::new(field, missing(list, id, what)));
        }
        found.extend(places);
    }
    found
}

fn missing(list: &[JsonNode], id: &str, what: &str) -> String {
    let ids: Vec<&str> = list.iter().filter_map(|node| text_of(node, "id")).collect();
    let shown = ids.iter().take(IDS_SHOWN).copied().collect::<Vec<_>>().join(", ");
    match ids.len() {
        0 => format!("names {id:?}, and there is no {what} in this canvas"),
        count if count > IDS_SHOWN => {
            format!("names {id:?}, and there is no such {what}; there are {shown} and {} more", count - IDS_SHOWN)
        }
        _ => format!("names {id:?}, and there is no such {what}; there are {shown}"),
    }
}

fn updates<'a>(
    list: &[JsonNode],
    wanted: &'a Map<String, Value>,
    removed: &BTreeSet<usize>,
    field: &str,
    what: &str,
    issues: &mut Vec<Issue>,
) -> Vec<(usize, &'a Map<String, Value>)> {
    let mut found = Vec::new();
    for (id, fields) in wanted {
        let at = format!("{field}.{id}");
        let Some(fields) = object(&at, fields, issues) else { continue };
        match list.iter().position(|node| text_of(node, "id") == Some(id)) {
            Some(place) if removed.contains(&place) => {
                issues.push(Issue::new(&at, format!("cannot be updated, since this {what} is removed")));
            }
            Some(place) => found.push((place, fields)),
            None => issues.push(Issue::new(field, missing(list, id, what))),
        }
    }
    found
}

impl Changes<'_> {
    /// Only what the call adds or changes is judged: what was wrong before may stay so.
    fn check(&self, canvas: &Canvas<'_>, issues: &mut Vec<Issue>) {
        let ids = |list: &[JsonNode], change: &ListChange<'_>| -> HashSet<String> {
            let stays = list.iter().enumerate().filter(|(place, _)| {
                !change.removed.contains(place) && !change.updated.iter().any(|(updated, _)| updated == place)
            });
            stays.filter_map(|(_, node)| text_of(node, "id")).map(str::to_owned).collect()
        };
        let mut node_ids = ids(canvas.nodes(), &self.nodes);
        for new in self.nodes.new_values(canvas.text, canvas.nodes()) {
            let Some(node) = object(&new.at, &new.value, issues) else { continue };
            issues.extend(new.problems(|node| check_node(&new.at, node)));
            issues.extend(taken(&new.at, node.get("id"), &mut node_ids));
        }
        let mut edge_ids = ids(canvas.edges(), &self.edges);
        let edges = self.edges.new_values(canvas.text, canvas.edges());
        for new in &edges {
            let Some(edge) = object(&new.at, &new.value, issues) else { continue };
            issues.extend(new.problems(|edge| check_edge(&new.at, edge, &node_ids)));
            issues.extend(taken(&new.at, edge.get("id"), &mut edge_ids));
        }
        issues.extend(self.left_behind(canvas, &node_ids));
    }

    /// An id that changes takes no edges with it: the call must say where they lead.
    fn left_behind(&self, canvas: &Canvas<'_>, node_ids: &HashSet<String>) -> Vec<Issue> {
        let renamed = self.nodes.updated.iter().filter(|(_, fields)| fields.contains_key("id"));
        let mut issues = Vec::new();
        for id in renamed.filter_map(|(place, _)| text_of(&canvas.nodes()[*place], "id")).filter(|id| !node_ids.contains(*id)) {
            let fields =
                |place: usize| self.edges.updated.iter().find(|(updated, _)| *updated == place).map(|(_, fields)| *fields);
            let names = |(place, edge): &(usize, &JsonNode)| {
                let is_set = |end: &str| fields(*place).is_some_and(|fields| fields.contains_key(end));
                ["fromNode", "toNode"].iter().any(|end| text_of(edge, end) == Some(id) && !is_set(end))
            };
            let edges = canvas.edges().iter().enumerate().filter(|(place, _)| !self.edges.removed.contains(place)).filter(names);
            let edges: Vec<&str> = edges.filter_map(|(_, edge)| text_of(edge, "id")).take(IDS_SHOWN).collect();
            if !edges.is_empty() {
                let expected =
                    format!("is named by the edges {}; set their fromNode or toNode in update_edges", edges.join(", "));
                issues.push(Issue::new(&format!("update_nodes.{id}.id"), expected));
            }
        }
        issues
    }

    fn applied(&self) -> Applied {
        Applied {
            nodes_added: self.nodes.added.len(),
            nodes_removed: self.nodes.removed.len(),
            nodes_updated: self.nodes.updated.len(),
            edges_added: self.edges.added.len(),
            edges_removed: self.edges.removed.len(),
            edges_updated: self.edges.updated.len(),
        }
    }

    fn apply(&self, canvas: &Canvas<'_>) -> Result<String, Failure> {
        let text = canvas.text;
        let Some(root) = &canvas.root else {
            let is_new = !self.nodes.added.is_empty() || !self.edges.added.is_empty();
            let new = written(self.nodes.added, self.edges.added);
            return Ok(if is_new { in_style_of(text, &new) } else { text.to_owned() });
        };
        let mut edits = Vec::new();
        let mut missing: Vec<(&str, String)> = Vec::new();
        for change in [&self.nodes, &self.edges] {
            match root.get(change.name) {
                Some(list) => edits.extend(change.edits(text, list)),
                None if change.added.is_empty() => {}
                None => missing.push((change.name, Value::from(change.added).to_string())),
            }
        }
        edits.extend(change_members(text, root, &missing, &[], JsonLayout::Line));
        Ok(Edits::new(edits)?.apply(text))
    }
}

impl ListChange<'_> {
    /// What is added, and what is updated as it will be.
    fn new_values(&self, text: &str, list: &[JsonNode]) -> Vec<NewValue> {
        let mut values = Vec::new();
        for (place, fields) in &self.updated {
            let id = text_of(&list[*place], "id").unwrap_or_default();
            let before = json_value(text, &list[*place]);
            let mut value = before.clone();
            if let Some(object) = value.as_object_mut() {
                for (key, new) in *fields {
                    match new {
                        Value::Null => drop(object.shift_remove(key)),
                        new => drop(object.insert(key.clone(), new.clone())),
                    }
                }
            }
            values.push(NewValue { at: format!("update_{}.{id}", self.name), before: Some(before), value });
        }
        let added = self.added.iter().enumerate();
        values.extend(added.map(|(place, value)| NewValue {
            at: format!("add_{}[{place}]", self.name),
            before: None,
            value: value.clone(),
        }));
        values
    }

    fn edits(&self, text: &str, list: &JsonNode) -> Vec<Edit> {
        let added: Vec<String> = self.added.iter().map(Value::to_string).collect();
        let mut edits = change_items(text, list, &self.removed, &added, JsonLayout::Line);
        for (place, fields) in &self.updated {
            let node = &list.items()[*place];
            let set: Vec<(&str, String)> = fields
                .iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(key, value)| (key.as_str(), value.to_string()))
                .collect();
            let removed: Vec<&str> = fields.iter().filter(|(_, value)| value.is_null()).map(|(key, _)| key.as_str()).collect();
            edits.extend(change_members(text, node, &set, &removed, JsonLayout::Line));
        }
        edits
    }
}
