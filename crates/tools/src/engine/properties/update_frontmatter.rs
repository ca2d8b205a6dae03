//! Changing the properties of a note.

use quillgate_markdown::{
    Edit, EditError, Eol, Frontmatter, Properties, Value as Property, find_value, remove_property, remove_property_at,
    set_property, set_property_at, to_yaml,
};
use quillgate_vault::NotePath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::context::Context;
use crate::expected_hash::ExpectedHash;
use crate::failure::{Failure, Issue};
use crate::note_edit::{Changed, NoteEdit};
use crate::note_text::{must_be_note, property_json, property_map, property_value, property_values};
use crate::plan::Plan;
use crate::tool::{ChangeTool, Confirm, Effect, Idempotency, Spec};

/// Change properties (frontmatter) of a note and nothing else: comments, order and all other bytes stay. set and remove take key, merge takes patch, replace takes frontmatter, which then is all the note has.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UpdateFrontmatter {
    /// Note, relative to the vault, with its extension
    #[schemars(length(min = 1, max = 1024))]
    path: String,
    /// set one key, remove one key, merge several, or replace all
    #[serde(default)]
    mode: Mode,
    /// For set and remove: name of the property
    #[serde(default)]
    #[schemars(length(min = 1, max = 1000))]
    key: Option<String>,
    /// For set: text, number, true or false, a list or an object; left out or null, the property is empty
    #[serde(default)]
    value: Option<Value>,
    /// For merge: properties to set; others stay
    #[serde(default)]
    patch: Option<Map<String, Value>>,
    /// For replace: all properties of the note
    #[serde(default)]
    frontmatter: Option<Map<String, Value>>,
    /// Read dots in keys as steps into maps, as in author.name, and merge maps into maps
    #[serde(default)]
    nested: bool,
    #[serde(default)]
    expected_hash: ExpectedHash,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Mode {
    #[default]
    Set,
    Remove,
    Merge,
    Replace,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    path: String,
    mode_used: Mode,
    updated_at: String,
    content_hash: String,
    /// After set and remove: what the property was; absent when there was none
    #[serde(skip_serializing_if = "Option::is_none")]
    prev_value: Option<Value>,
    /// After merge: what was set
    #[serde(skip_serializing_if = "Option::is_none")]
    applied: Option<Map<String, Value>>,
    /// After remove: false when there was nothing to remove
    #[serde(skip_serializing_if = "Option::is_none")]
    removed: Option<bool>,
    /// After replace: all properties that the note had
    #[serde(skip_serializing_if = "Option::is_none")]
    prev_frontmatter: Option<Map<String, Value>>,
}

/// What a change does to the text, and what is told of it.
#[derive(Default)]
struct Update {
    text: String,
    prev_value: Option<Value>,
    applied: Option<Map<String, Value>>,
    removed: Option<bool>,
    prev_frontmatter: Option<Map<String, Value>>,
}

impl ChangeTool for UpdateFrontmatter {
    const SPEC: Spec = Spec::writing("update_frontmatter", "Change properties", Effect::Change, Idempotency::Keyed)
        .confirm(Confirm::When("if mode is replace"));
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let path = NotePath::parse(&self.path)?;
        must_be_note(&path)?;
        self.check_fields()?;
        let note = NoteEdit::read(context, path, &self.expected_hash)?;
        let update = self.update(&note.text)?;
        let replaces = self.mode == Mode::Replace;
        let reason = format!("it replaces all properties of {}", note.path);
        let Update { text, prev_value, applied, removed, prev_frontmatter } = update;
        let mode_used = self.mode;
        let plan = note.plan(context, text, move |Changed { path, content_hash, updated_at }| Outcome {
            path,
            mode_used,
            updated_at,
            content_hash,
            prev_value,
            applied,
            removed,
            prev_frontmatter,
        });
        Ok(plan.ask_if(replaces, reason))
    }
}

impl UpdateFrontmatter {
    /// Every mode has fields of its own.
    fn check_fields(&self) -> Result<(), Failure> {
        let given = [
            ("key", self.key.is_some()),
            ("value", self.value.is_some()),
            ("patch", self.patch.is_some()),
            ("frontmatter", self.frontmatter.is_some()),
        ];
        let (needed, allowed): (&str, &[&str]) = match self.mode {
            Mode::Set => ("key", &["key", "value"]),
            Mode::Remove => ("key", &["key"]),
            Mode::Merge => ("patch", &["patch"]),
            Mode::Replace => ("frontmatter", &["frontmatter"]),
        };
        let mode = format!("{:?}", self.mode).to_lowercase();
        let mut issues = Vec::new();
        for (field, is_given) in given {
            if field == needed && !is_given {
                issues.push(Issue::new(field, format!("is required with mode {mode}")));
            }
            if is_given && !allowed.contains(&field) {
                issues.push(Issue::new(field, format!("does not go with mode {mode}; leave it out")));
            }
        }
        if issues.is_empty() { Ok(()) } else { Err(Failure::InvalidInput(issues)) }
    }

    fn update(&self, text: &str) -> Result<Update, Failure> {
        match self.mode {
            Mode::Set => self.set(text),
            Mode::Remove => self.remove(text),
            Mode::Merge => self.merge(text),
            Mode::Replace => self.replace(text),
        }
    }

    fn steps<'k>(&self, key: &'k str) -> Vec<&'k str> {
        if self.nested { key.split('.').collect() } else { vec![key] }
    }

    fn set(&self, text: &str) -> Result<Update, Failure> {
        let steps = self.steps(self.key.as_deref().unwrap_or_default());
        let value = property_value(self.value.as_ref().unwrap_or(&Value::Null));
        let prev_value = find(text, &steps).map(|value| property_json(&value));
        Ok(Update { text: set_property_at(text, &steps, &value)?.apply(text), prev_value, ..Update::default() })
    }

    fn remove(&self, text: &str) -> Result<Update, Failure> {
        let steps = self.steps(self.key.as_deref().unwrap_or_default());
        let prev_value = find(text, &steps).map(|value| property_json(&value));
        let (text, removed) = match remove_property_at(text, &steps) {
            Ok(edits) => (edits.apply(text), true),
            Err(EditError::NoProperty { .. }) => (text.to_owned(), false),
            Err(error) => return Err(error.into()),
        };
        Ok(Update { text, prev_value, removed: Some(removed), ..Update::default() })
    }

    fn merge(&self, text: &str) -> Result<Update, Failure> {
        let Some(patch) = &self.patch else { return Ok(Update::default()) };
        let mut merged = text.to_owned();
        for (key, value) in property_values("patch", patch)? {
            merged = self.merge_value(&merged, &self.steps(&key), &value)?;
        }
        Ok(Update { text: merged, applied: Some(patch.clone()), ..Update::default() })
    }

    fn merge_value(&self, text: &str, steps: &[&str], value: &Property) -> Result<String, Failure> {
        match value {
            Property::Map(entries) if self.nested && matches!(find(text, steps), Some(Property::Map(_))) => {
                let mut merged = text.to_owned();
                for (key, value) in entries {
                    merged = self.merge_value(&merged, &[steps, &[key.as_str()]].concat(), value)?;
                }
                Ok(merged)
            }
            _ => Ok(set_property_at(text, steps, value)?.apply(text)),
        }
    }

    fn replace(&self, text: &str) -> Result<Update, Failure> {
        let wanted = property_values("frontmatter", self.frontmatter.as_ref().unwrap_or(&Map::new()))?;
        let Some(block) = Frontmatter::find(text) else {
            return Ok(Update { text: with_all(text, &wanted)?, prev_frontmatter: Some(Map::new()), ..Update::default() });
        };
        let Ok(properties) = &block.properties else {
            // Nothing can be kept of what cannot be read; this is how to mend it.
            let inner = Eol::dominant(text).convert(&to_yaml(&wanted)).into_owned();
            return Ok(Update { text: Edit::replace(block.inner, inner).apply(text), ..Update::default() });
        };
        let mut replaced = with_all(text, &wanted)?;
        for key in unwanted(properties, &wanted) {
            replaced = remove_property(&replaced, key)?.apply(&replaced);
        }
        Ok(Update { text: replaced, prev_frontmatter: Some(property_map(properties)), ..Update::default() })
    }
}

fn with_all(text: &str, wanted: &[(String, Property)]) -> Result<String, Failure> {
    let mut text = text.to_owned();
    for (key, value) in wanted {
        text = set_property(&text, key, value)?.apply(&text);
    }
    Ok(text)
}

/// Keys that are in the note and not wanted; names are one name whatever their case.
fn unwanted<'p>(properties: &'p Properties, wanted: &'p [(String, Property)]) -> impl Iterator<Item = &'p str> {
    let is_wanted =
        |key: &str| wanted.iter().any(|(other, _)| properties.find_property(other).is_some_and(|kept| kept.key == key));
    properties.0.iter().map(|property| property.key.as_str()).filter(move |key| !is_wanted(key))
}

/// The value that a note has at the end of a path of keys.
fn find(text: &str, steps: &[&str]) -> Option<Property> {
    let (first, rest) = steps.split_first()?;
    let block = Frontmatter::find(text)?;
    let property = block.properties.as_ref().ok()?.find_property(first)?.clone();
    find_value(&property.value, rest).cloned()
}
