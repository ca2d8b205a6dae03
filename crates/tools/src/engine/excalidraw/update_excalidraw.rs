//! Changing parts of a drawing.

use std::collections::{BTreeSet, HashSet};

use quillgate_markdown::{DrawingChange, Edit, Edits, JsonLayout, JsonNode, change_items, change_members};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::drawing_file::{Scene, check_element, drawing_path, is_shown, raw_text, text_of};
use crate::context::Context;
use crate::expected_hash::ExpectedHash;
use crate::failure::{Failure, Issue};
use crate::json_text::json_value;
use crate::note_edit::NoteEdit;
use crate::plan::Plan;
use crate::tool::{ChangeTool, Effect, Idempotency, Spec};

/// Ids that a message names.
const IDS_SHOWN: usize = 20;

/// Change an Excalidraw drawing: add, remove and update elements by id, and settings. Fields that you do not name stay as they are; the sections of the note that repeat texts, links and files follow. See create_excalidraw for the fields.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UpdateExcalidraw {
    /// Drawing, relative to the vault, with its extension
    #[schemars(length(min = 1, max = 1024))]
    path: String,
    /// New elements, on top of the others
    #[serde(default)]
    #[schemars(length(max = 5000))]
    add_elements: Vec<Value>,
    /// Elements to remove
    #[serde(default)]
    #[schemars(length(max = 5000))]
    remove_element_ids: Vec<String>,
    /// By id, the fields to set, such as {"a1b2c3d4": {"text": "new"}}; null removes a field
    #[serde(default)]
    update_elements: Map<String, Value>,
    /// Settings of the drawing to set, such as viewBackgroundColor; null removes one
    #[serde(default)]
    update_app_state: Map<String, Value>,
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

#[derive(Clone, Copy, Serialize, JsonSchema)]
struct Applied {
    added: usize,
    removed: usize,
    updated: usize,
}

impl ChangeTool for UpdateExcalidraw {
    const SPEC: Spec = Spec::writing("update_excalidraw", "Update a drawing", Effect::Change, Idempotency::Repeats)
        .scopes(&["write:excalidraw"]);
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let path = drawing_path(&self.path)?;
        let file = NoteEdit::read(context, path, &self.expected_hash)?;
        let scene = Scene::read(&file.path, &file.text)?;
        let change = Change::of(&self, &scene)?;
        let json = Edits::new(change.edits(&scene, &self)?)?.apply(&scene.json);
        let after = match &scene.note {
            None => json,
            Some(note) => {
                let mut sections = change.sections(&scene);
                sections.scene = (json != scene.json).then_some(json);
                Edits::new(note.edits(&file.text, &sections))?.apply(&file.text)
            }
        };
        let applied = Applied { added: self.add_elements.len(), removed: change.removed.len(), updated: change.updated.len() };
        Ok(file.plan(context, after, move |changed| Outcome {
            path: changed.path,
            updated_at: changed.updated_at,
            applied,
            content_hash: changed.content_hash,
        }))
    }
}

/// The elements as they were and as they will be.
struct Change {
    before: Vec<Value>,
    removed: BTreeSet<usize>,
    /// With the fields to set.
    updated: Vec<(usize, Map<String, Value>)>,
    /// What stays and what is new, as it will be.
    after: Vec<Value>,
}

impl Change {
    fn of(call: &UpdateExcalidraw, scene: &Scene) -> Result<Change, Failure> {
        let mut issues = Vec::new();
        let elements = scene.elements();
        let before: Vec<Value> = elements.iter().map(|element| json_value(&scene.json, element)).collect();
        let mut removed = BTreeSet::new();
        for id in &call.remove_element_ids {
            let places: Vec<usize> = (0..elements.len()).filter(|place| text_of(&elements[*place], "id") == Some(id)).collect();
            if places.is_empty() {
                issues.push(Issue::new("remove_element_ids", missing(elements, id)));
            }
            removed.extend(places);
        }
        let mut updated = Vec::new();
        for (id, fields) in &call.update_elements {
            let at = format!("update_elements.{id}");
            let place = elements.iter().position(|element| text_of(element, "id") == Some(id));
            match (place, fields.as_object()) {
                (None, _) => issues.push(Issue::new("update_elements", missing(elements, id))),
                (_, None) => issues.push(Issue::new(&at, "expected an object".to_owned())),
                (Some(place), _) if removed.contains(&place) => {
                    issues.push(Issue::new(&at, "cannot be updated, since this element is removed".to_owned()));
                }
                (Some(place), Some(fields)) => updated.push((place, with_all_texts(&before[place], fields))),
            }
        }
        let mut after = Vec::new();
        let (mut ids, files, is_note) = (HashSet::new(), scene.file_ids(), scene.note.is_some());
        for (place, old) in before.iter().enumerate().filter(|(place, _)| !removed.contains(place)) {
            let mut new = old.clone();
            let fields = updated.iter().find(|(updated, _)| *updated == place).map(|(_, fields)| fields);
            if let (Some(object), Some(fields)) = (new.as_object_mut(), fields) {
                merge(object, fields);
                let at = format!("update_elements.{}", text_of(&elements[place], "id").unwrap_or_default());
                // What was wrong before may stay so: an old text with a short id can be moved.
                let is_kept = |key: &str| old.get(key) == object.get(key);
                let known = old.as_object().filter(|_| is_kept("id") && is_kept("text") && is_kept("rawText"));
                let known = known.map(|old| check_element(&at, old, &files, is_note, &mut HashSet::new())).unwrap_or_default();
                let found = check_element(&at, object, &files, is_note, &mut ids);
                issues.extend(found.into_iter().filter(|issue| !known.contains(issue)));
            } else if let Some(id) = new.get("id").and_then(Value::as_str) {
                ids.insert(id.to_owned());
            }
            after.push(new);
        }
        for (place, element) in call.add_elements.iter().enumerate() {
            let at = format!("add_elements[{place}]");
            match element.as_object() {
                Some(object) => issues.extend(check_element(&at, object, &files, is_note, &mut ids)),
                None => issues.push(Issue::new(&at, "expected an object".to_owned())),
            }
            after.push(element.clone());
        }
        if issues.is_empty() { Ok(Change { before, removed, updated, after }) } else { Err(Failure::InvalidInput(issues)) }
    }

    fn edits(&self, scene: &Scene, call: &UpdateExcalidraw) -> Result<Vec<Edit>, Failure> {
        let json = &scene.json;
        let added: Vec<String> = call.add_elements.iter().map(Value::to_string).collect();
        let mut edits = Vec::new();
        let mut missing: Vec<(&str, String)> = Vec::new();
        match scene.root.get("elements") {
            Some(list) => edits.extend(change_items(json, list, &self.removed, &added, JsonLayout::Spread)),
            None if added.is_empty() => {}
            None => missing.push(("elements", Value::from(call.add_elements.as_slice()).to_string())),
        }
        for (place, fields) in &self.updated {
            edits.extend(set_members(json, &scene.elements()[*place], fields));
        }
        match scene.root.get("appState").filter(|state| state.is_object()) {
            Some(state) => edits.extend(set_members(json, state, &call.update_app_state)),
            None if call.update_app_state.is_empty() => {}
            None => {
                let state: Map<String, Value> = call
                    .update_app_state
                    .iter()
                    .filter(|(_, value)| !value.is_null())
                    .map(|(key, value)| (key.clone(), value.clone()))
                    .collect();
                missing.push(("appState", Value::Object(state).to_string()));
            }
        }
        edits.extend(change_members(json, &scene.root, &missing, &[], JsonLayout::Spread));
        Ok(edits)
    }

    /// What the note repeats of the elements, where the two differ.
    fn sections(&self, scene: &Scene) -> DrawingChange {
        let (before, after) = (said(&self.before), said(&self.after));
        let differences = |read: fn(&Said) -> Option<String>| {
            let mut changes = Vec::new();
            for old in &before {
                let new = after.iter().find(|new| new.id == old.id);
                let (was, is) = (read(old), new.and_then(read));
                if was != is {
                    changes.push((old.id.clone(), is));
                }
            }
            let is_new = |new: &&Said| !before.iter().any(|old| old.id == new.id);
            changes.extend(after.iter().filter(is_new).filter_map(|new| Some((new.id.clone(), Some(read(new)?)))));
            changes
        };
        let uses = |said: &[Said], file: &str| said.iter().any(|said| said.file.as_deref() == Some(file));
        let files = scene.note.iter().flat_map(|note| &note.files).map(|file| file.id.clone());
        DrawingChange {
            texts: differences(|said| said.text.clone()),
            links: differences(|said| said.link.clone()),
            removed_files: files.filter(|file| uses(&before, file) && !uses(&after, file)).collect(),
            scene: None,
        }
    }
}

/// What sections of a note say of an element.
struct Said {
    id: String,
    text: Option<String>,
    link: Option<String>,
    file: Option<String>,
}

fn said(elements: &[Value]) -> Vec<Said> {
    let shown = elements.iter().filter_map(Value::as_object).filter(|element| is_shown(element));
    let text = |element: &Map<String, Value>, key: &str| element.get(key).and_then(Value::as_str).map(str::to_owned);
    shown
        .map(|element| Said {
            id: text(element, "id").unwrap_or_default(),
            text: raw_text(element).map(str::to_owned),
            link: text(element, "link").filter(|link| !link.is_empty()),
            file: text(element, "fileId"),
        })
        .collect()
}

/// A text element says its text three times: as it is shown, before it was wrapped, and as it was written.
fn with_all_texts(element: &Value, fields: &Map<String, Value>) -> Map<String, Value> {
    let mut fields = fields.clone();
    let is_text = element.get("type").and_then(Value::as_str) == Some("text");
    if let Some(text) = fields.get("text").cloned().filter(|text| is_text && text.is_string()) {
        for key in ["originalText", "rawText"] {
            if element.get(key).is_some() && !fields.contains_key(key) {
                fields.insert(key.to_owned(), text.clone());
            }
        }
    }
    fields
}

fn merge(object: &mut Map<String, Value>, fields: &Map<String, Value>) {
    for (key, value) in fields {
        match value {
            Value::Null => drop(object.shift_remove(key)),
            value => drop(object.insert(key.clone(), value.clone())),
        }
    }
}

fn set_members(json: &str, node: &JsonNode, fields: &Map<String, Value>) -> Vec<Edit> {
    let set: Vec<(&str, String)> =
        fields.iter().filter(|(_, value)| !value.is_null()).map(|(key, value)| (key.as_str(), value.to_string())).collect();
    let removed: Vec<&str> = fields.iter().filter(|(_, value)| value.is_null()).map(|(key, _)| key.as_str()).collect();
    change_members(json, node, &set, &removed, JsonLayout::Spread)
}

fn missing(elements: &[JsonNode], id: &str) -> String {
    let ids: Vec<&str> = elements.iter().filter_map(|element| text_of(element, "id")).collect();
    let shown = ids.iter().take(IDS_SHOWN).copied().collect::<Vec<_>>().join(", ");
    match ids.len() {
        0 => format!("names {id:?}, and the drawing has no elements"),
        count if count > IDS_SHOWN => {
            format!("names {id:?}, and there is no such element; there are {shown} and {} more", count - IDS_SHOWN)
        }
        _ => format!("names {id:?}, and there is no such element; there are {shown}"),
    }
}
