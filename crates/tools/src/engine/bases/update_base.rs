//! Changing parts of a base.

use quillgate_markdown::Value as Yaml;
use quillgate_query::bases::{BasePatch, update};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::base_file::{base_path, edit_failure};
use crate::context::Context;
use crate::expected_hash::ExpectedHash;
use crate::failure::{Failure, Issue};
use crate::note_edit::NoteEdit;
use crate::note_text::{property_value, property_values};
use crate::plan::Plan;
use crate::tool::{ChangeTool, Confirm, Effect, Idempotency, Spec};

/// Change parts of a base (.base); comments, order and keys that you do not name stay as they are. See create_base for what a view, a filter and a formula are.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UpdateBase {
    /// Base, relative to the vault, with its extension (.base)
    #[schemars(length(min = 1, max = 1024))]
    path: String,
    /// What to change; null takes away what stands under a name
    patch: Patch,
    #[serde(default)]
    expected_hash: ExpectedHash,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Patch {
    /// The filter of the whole base, in the place of the one it has: an expression or {and|or|not: list of filters}; null removes it
    #[serde(default, deserialize_with = "given")]
    filters: Option<Value>,
    /// New views, behind the others, each with type and name
    #[serde(default)]
    #[schemars(length(max = 100))]
    add_views: Vec<Map<String, Value>>,
    /// Names of views to remove
    #[serde(default)]
    #[schemars(length(max = 100))]
    remove_views: Vec<String>,
    /// By name, the keys to set, such as {"Books": {"limit": 10, "groupBy": null}}
    #[serde(default)]
    update_views: Map<String, Value>,
    /// By name, the expression
    #[serde(default)]
    formulas: Map<String, Value>,
    /// By id, the settings to set, such as {"note.price": {"displayName": "Price"}}
    #[serde(default)]
    properties: Map<String, Value>,
}

/// Null is something to say here.
fn given<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    path: String,
    updated_at: String,
    content_hash: String,
    applied: Applied,
}

#[derive(Clone, Copy, Serialize, JsonSchema)]
struct Applied {
    views_added: usize,
    views_removed: usize,
    views_updated: usize,
    filters_changed: bool,
}

impl ChangeTool for UpdateBase {
    const SPEC: Spec = Spec::writing("update_base", "Change a base", Effect::Change, Idempotency::Repeats)
        .scopes(&["write:bases"])
        .confirm(Confirm::When("if the filters of the whole base change"));
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let path = base_path(&self.path)?;
        let patch = self.patch.read()?;
        let file = NoteEdit::read(context, path, &self.expected_hash)?;
        let after = update(&file.text, &patch).map_err(edit_failure)?;
        let filters = |text: &str| {
            let entries = quillgate_markdown::parse_yaml(text.strip_prefix('\u{feff}').unwrap_or(text)).unwrap_or_default();
            entries.into_iter().find(|entry| entry.key == "filters").map(|entry| entry.value)
        };
        let applied = Applied {
            views_added: patch.add_views.len(),
            views_removed: patch.remove_views.len(),
            views_updated: patch.update_views.len(),
            filters_changed: filters(&file.text) != filters(&after),
        };
        let reason = format!("it changes which files {} shows", file.path);
        let plan = file.plan(context, after, move |changed| Outcome {
            path: changed.path,
            updated_at: changed.updated_at,
            content_hash: changed.content_hash,
            applied,
        });
        Ok(plan.ask_if(applied.filters_changed, reason))
    }
}

impl Patch {
    fn read(&self) -> Result<BasePatch, Failure> {
        let mut update_views = Vec::new();
        for (name, keys) in &self.update_views {
            let Value::Object(keys) = keys else {
                let issue = Issue::new(&format!("patch.update_views.{name}"), "must be a map of keys to set".to_owned());
                return Err(Failure::InvalidInput(vec![issue]));
            };
            update_views.push((name.clone(), property_values("patch.update_views", keys)?));
        }
        Ok(BasePatch {
            filters: self.filters.as_ref().map(property_value),
            formulas: property_values("patch.formulas", &self.formulas)?,
            properties: property_values("patch.properties", &self.properties)?,
            add_views: self.add_views.iter().map(|view| property_value(&Value::Object(view.clone()))).collect::<Vec<Yaml>>(),
            remove_views: self.remove_views.clone(),
            update_views,
        })
    }
}
