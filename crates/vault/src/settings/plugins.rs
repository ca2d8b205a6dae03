//! Which plugins are switched on, and which types properties have.

use std::collections::BTreeMap;

use cap_std::fs::Dir;
use serde_json::Value;

use super::files::{read_json, read_object, wrong};
use crate::VaultError;

const COMMUNITY: &[&str] = &["community-plugins.json"];
const TYPES: &[&str] = &["types.json"];

/// The ids of the community plugins that are on; `None` if the vault does not say.
pub(crate) fn community_plugins(root: &Dir) -> Result<Option<Vec<String>>, VaultError> {
    match read_json(root, COMMUNITY)? {
        None => Ok(None),
        Some(Value::Array(ids)) => Ok(Some(texts(&ids).collect())),
        Some(_) => Err(wrong(COMMUNITY, "it is not a list")),
    }
}

/// The type of each property that was given one, by the app's names for types.
pub(crate) fn property_types(root: &Dir) -> Result<BTreeMap<String, String>, VaultError> {
    let object = read_object(root, TYPES)?;
    match object.get("types") {
        None => Ok(BTreeMap::new()),
        Some(Value::Object(types)) => {
            Ok(types.iter().filter_map(|(name, kind)| Some((name.clone(), kind.as_str()?.to_owned()))).collect())
        }
        Some(_) => Err(wrong(TYPES, "its \"types\" is not an object")),
    }
}

fn texts(items: &[Value]) -> impl Iterator<Item = String> {
    items.iter().filter_map(Value::as_str).map(str::to_owned)
}

/// What a plugin keeps in its own folder.
pub(crate) fn plugin_data(root: &Dir, plugin: &str) -> Result<Option<Value>, VaultError> {
    // An id is the name of a folder; a handle takes no other.
    read_json(root, &["plugins", plugin, "data.json"])
}
