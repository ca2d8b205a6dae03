//! What all pages have under one name, with each distinct value read once.

use std::sync::{Arc, OnceLock};

use quillgate_index::{Catalogue, FileId, PropertyColumn};
use quillgate_markdown::fold;

use super::field_value::{inline_value, property_value};
use super::names::canonical_name;
use crate::value::{Link, Object, Value};

/// A column of the catalogue and its values as far as they were asked for.
pub(crate) struct Parsed<'c> {
    column: PropertyColumn<'c>,
    values: Box<[OnceLock<Value>]>,
    read: fn(&str) -> Value,
}

impl<'c> Parsed<'c> {
    fn new(column: PropertyColumn<'c>, read: fn(&str) -> Value) -> Parsed<'c> {
        Parsed { column, values: (0..column.len()).map(|_| OnceLock::new()).collect(), read }
    }

    /// The tags of pages, each with its `#`.
    pub(crate) fn tags(catalogue: &'c Catalogue) -> Parsed<'c> {
        Parsed::new(catalogue.tag_column(), |json| {
            let tags: Vec<String> = serde_json::from_str(json).unwrap_or_default();
            Value::list(tags.iter().map(|tag| Value::text(format!("#{tag}"))).collect())
        })
    }

    pub(crate) fn find(&self, file: FileId) -> Option<&Value> {
        let number = self.column.value_number(file)?;
        let value = self.values.get(number as usize)?;
        Some(value.get_or_init(|| (self.read)(self.column.json_text(number))))
    }
}

/// A field by its name, from the frontmatter and from the text.
pub(crate) struct FieldColumn<'c> {
    /// The property of this name, then those whose names read as it.
    properties: Vec<Parsed<'c>>,
    /// Lists of the values that stand in the text.
    inline: Option<Parsed<'c>>,
}

impl<'c> FieldColumn<'c> {
    pub(crate) fn new(catalogue: &'c Catalogue, name: &str) -> FieldColumn<'c> {
        let folded = fold(name);
        let mut names: Vec<&str> =
            catalogue.property_names().filter(|known| fold(known) == folded || canonical_name(known) == name).collect();
        names.sort_by_key(|known| (fold(known) != folded, *known));
        let properties = names.into_iter().filter_map(|known| catalogue.property_column(known));
        let read_property = |json: &str| property_value(&serde_json::from_str(json).unwrap_or_default());
        let read_inline = |json: &str| {
            let texts: Vec<String> = serde_json::from_str(json).unwrap_or_default();
            Value::list(texts.iter().map(|text| inline_value(text)).collect())
        };
        FieldColumn {
            properties: properties.map(|column| Parsed::new(column, read_property)).collect(),
            inline: catalogue.field_column(name).map(|column| Parsed::new(column, read_inline)),
        }
    }

    /// What a page has under the name; several values are a list.
    pub(crate) fn find(&self, file: FileId) -> Value {
        let property = self.properties.iter().find_map(|column| column.find(file));
        let inline = self.inline.as_ref().and_then(|column| column.find(file)).and_then(Value::as_list);
        let value = match (property, inline) {
            (None, None) => return Value::Null,
            (Some(value), None) => value.clone(),
            (None, Some([value])) => value.clone(),
            (property, inline) => Value::list(property.into_iter().chain(inline.into_iter().flatten()).cloned().collect()),
        };
        standing_in(value, file)
    }
}

/// Links mean what they mean in the page they stand in.
pub(crate) fn standing_in(value: Value, file: FileId) -> Value {
    match &value {
        Value::Link(link) if link.source.is_none() => Value::Link(Arc::new(Link { source: Some(file), ..Link::clone(link) })),
        Value::List(items) if items.iter().any(holds_links) => {
            Value::list(items.iter().map(|item| standing_in(item.clone(), file)).collect())
        }
        Value::Object(object) if object.0.iter().any(|(_, value)| holds_links(value)) => {
            let entries = object.0.iter().map(|(key, value)| (key.clone(), standing_in(value.clone(), file)));
            Value::Object(Arc::new(Object(entries.collect())))
        }
        _ => value,
    }
}

fn holds_links(value: &Value) -> bool {
    match value {
        Value::Link(_) => true,
        Value::List(items) => items.iter().any(holds_links),
        Value::Object(object) => object.0.iter().any(|(_, value)| holds_links(value)),
        _ => false,
    }
}
