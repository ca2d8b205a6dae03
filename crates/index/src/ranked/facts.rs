//! The facts of a note as its card has them.

use quillgate_vault::NotePath;
use serde_json::Value;

use super::filter::{NoteFacts, PropertyValue, fold};
use crate::card::Card;

/// For notes that are at hand anyway; the columns of the catalogue answer faster for many.
pub(crate) struct CardFacts<'a> {
    pub(crate) path: &'a NotePath,
    pub(crate) card: &'a Card,
    pub(crate) created: Option<i64>,
    pub(crate) modified: i64,
}

impl NoteFacts for CardFacts<'_> {
    fn path(&self) -> &NotePath {
        self.path
    }

    fn any_tag(&self, accept: &mut dyn FnMut(&str) -> bool) -> bool {
        let inline = self.card.inline_tags.iter().map(|(tag, _)| tag);
        self.card.property_tags.iter().chain(inline).any(|tag| accept(tag))
    }

    fn any_value(&self, key: &str, accept: &mut dyn FnMut(PropertyValue<'_>) -> bool) -> bool {
        if self.card.properties.is_empty() {
            return false;
        }
        let properties = self.card.property_map();
        properties.iter().filter(|(own, _)| fold(own) == key).any(|(_, value)| match value {
            Value::Array(items) if items.is_empty() => accept(PropertyValue::Null),
            Value::Array(items) => items.iter().any(|item| accept_value(item, accept)),
            value => accept_value(value, accept),
        })
    }

    fn created(&self) -> Option<i64> {
        self.created
    }

    fn modified(&self) -> i64 {
        self.modified
    }
}

/// A list in a list or a map is compared as it is written in JSON.
fn accept_value(value: &Value, accept: &mut dyn FnMut(PropertyValue<'_>) -> bool) -> bool {
    match value {
        Value::Null => accept(PropertyValue::Null),
        Value::Bool(truth) => accept(PropertyValue::Truth(*truth)),
        Value::Number(number) => accept(PropertyValue::Number(number.as_f64().unwrap_or(f64::NAN))),
        Value::String(text) => accept(PropertyValue::Text(text)),
        Value::Array(_) | Value::Object(_) => accept(PropertyValue::Text(&value.to_string())),
    }
}
