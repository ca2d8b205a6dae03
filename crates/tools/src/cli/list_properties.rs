//! Properties of one note, or of the whole vault.

use std::collections::{BTreeMap, BTreeSet};

use quillgate_index::Catalogue;
use quillgate_markdown::{PropertyType, fold};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::note_name::find_optional;
use crate::context::Context;
use crate::failure::Failure;
use crate::note_text::property_value;
use crate::tool::{Spec, Tool};

/// List the properties of one note with their values, or, when none is named, all property names of the vault with type and number of notes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListProperties {
    /// Name as in a wikilink, without extension
    #[serde(default)]
    file: Option<String>,
    /// Exact path, with extension
    #[serde(default)]
    path: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Found {
    Note { path: String, properties: Map<String, Value> },
    Vault { total: usize, properties: Vec<Property> },
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Property {
    name: String,
    r#type: String,
    count: usize,
}

impl Tool for ListProperties {
    const SPEC: Spec = Spec::reading("obsidian_list_properties", "List properties");
    type Output = Found;

    fn run(self, context: &Context<'_>) -> Result<Found, Failure> {
        let wanted = find_optional(context, self.file.as_deref(), self.path.as_deref())?;
        let catalogue = context.catalogue()?;
        if let Some(path) = wanted {
            let properties = catalogue.find(&path).map(|entry| entry.card().property_map()).unwrap_or_default();
            return Ok(Found::Note { path: path.to_string(), properties });
        }
        let properties: Vec<Property> = all_properties(&catalogue).into_values().collect();
        Ok(Found::Vault { total: properties.len(), properties })
    }
}

impl Property {
    pub(crate) fn count(&self) -> usize {
        self.count
    }
}

/// Names are the same whatever their case; several types are joined by `|`.
pub(crate) fn all_properties(catalogue: &Catalogue) -> BTreeMap<String, Property> {
    let mut types: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut found: BTreeMap<String, Property> = BTreeMap::new();
    for entry in catalogue.notes() {
        for (name, value) in entry.card().property_map() {
            let key = fold(&name);
            types.entry(key.clone()).or_default().insert(PropertyType::inferred_type(&property_value(&value)).name().to_owned());
            found.entry(key).or_insert(Property { name, r#type: String::new(), count: 0 }).count += 1;
        }
    }
    for (key, property) in &mut found {
        let mut kinds: Vec<String> = types.remove(key).unwrap_or_default().into_iter().collect();
        // A note where it is empty says nothing about its type.
        if kinds.len() > 1 {
            kinds.retain(|kind| kind != PropertyType::Unknown.name());
        }
        property.r#type = kinds.join("|");
    }
    found
}
