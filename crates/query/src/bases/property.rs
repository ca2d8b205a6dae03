//! The values of properties: what the JSON of the catalogue means, given the types that the vault assigns to names.

use std::collections::HashMap;
use std::sync::Arc;

use quillgate_index::FileId;
use quillgate_markdown::{PropertyType, fold, is_external};

use super::dates::parse_date_shape;
use crate::value::{Link, LinkKind, Object, Value};

/// The types that `types.json` assigns, by folded name.
#[derive(Clone, Debug, Default)]
pub struct PropertyTypes(HashMap<String, PropertyType>);

impl PropertyTypes {
    /// By the app's names for types; what is unknown is left out, as in the app.
    pub fn new<'a>(types: impl IntoIterator<Item = (&'a String, &'a String)>) -> PropertyTypes {
        let named = types.into_iter().filter_map(|(name, kind)| Some((fold(name), PropertyType::find_named(kind)?)));
        PropertyTypes(named.collect())
    }

    pub(super) fn find(&self, folded: &str) -> Option<PropertyType> {
        match folded {
            "tags" => Some(PropertyType::Tags),
            "aliases" | "cssclasses" => Some(PropertyType::List),
            _ => self.0.get(folded).copied(),
        }
    }
}

/// A value that many notes may share.
pub(super) struct Parsed {
    value: Value,
    /// Where a link leads depends on the note it stands in.
    has_links: bool,
}

impl Parsed {
    pub(super) fn for_file(&self, file: FileId) -> Value {
        if self.has_links { placed(&self.value, file) } else { self.value.clone() }
    }
}

fn placed(value: &Value, file: FileId) -> Value {
    match value {
        Value::Link(link) => Value::Link(Arc::new(Link { source: Some(file), ..(**link).clone() })),
        Value::List(items) => Value::list(items.iter().map(|item| placed(item, file)).collect()),
        Value::Object(object) => {
            let entries = object.0.iter().map(|(key, value)| (key.clone(), placed(value, file)));
            Value::Object(Arc::new(Object(entries.collect())))
        }
        other => other.clone(),
    }
}

pub(super) fn parsed(json: &str, kind: Option<PropertyType>) -> Parsed {
    let json: serde_json::Value = serde_json::from_str(json).unwrap_or_default();
    let mut has_links = false;
    let value = match (kind, &json) {
        (Some(PropertyType::Tags), serde_json::Value::Array(items)) => {
            Value::list(items.iter().map(|item| tag(item, &mut has_links)).collect())
        }
        (Some(PropertyType::Tags), serde_json::Value::String(_)) => Value::list(vec![tag(&json, &mut has_links)]),
        // One text where a list is expected is a list of one, as in the app.
        (Some(PropertyType::List | PropertyType::Aliases), serde_json::Value::String(_)) => {
            Value::list(vec![value(&json, Some(PropertyType::Text), &mut has_links)])
        }
        _ => value(&json, kind, &mut has_links),
    };
    Parsed { value, has_links }
}

fn tag(json: &serde_json::Value, has_links: &mut bool) -> Value {
    match json.as_str() {
        Some(text) => Value::Tag(format!("#{}", text.strip_prefix('#').unwrap_or(text)).into()),
        None => value(json, None, has_links),
    }
}

fn value(json: &serde_json::Value, kind: Option<PropertyType>, has_links: &mut bool) -> Value {
    match json {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(truth) => Value::Bool(*truth),
        serde_json::Value::Number(number) => Value::Number(number.as_f64().unwrap_or(f64::NAN)),
        serde_json::Value::String(text) => {
            if let Some(link) = parse_link(text) {
                *has_links = true;
                return Value::Link(Arc::new(link));
            }
            // A name of another type keeps its text: what does not fit its type is never changed.
            let may_be_date = matches!(kind, None | Some(PropertyType::Date | PropertyType::DateTime | PropertyType::Unknown));
            match parse_date_shape(text).filter(|_| may_be_date) {
                Some(date) => Value::Date(date),
                None => Value::from(text.as_str()),
            }
        }
        serde_json::Value::Array(items) => {
            Value::list(items.iter().map(|item| value(item, Some(PropertyType::Text), has_links)).collect())
        }
        serde_json::Value::Object(entries) => {
            let entries = entries.iter().map(|(key, inner)| (Arc::from(key.as_str()), value(inner, None, has_links)));
            Value::Object(Arc::new(Object(entries.collect())))
        }
    }
}

/// A text that is nothing but a wikilink.
pub(super) fn parse_link(text: &str) -> Option<Link> {
    let trimmed = text.trim();
    let (embed, rest) = match trimmed.strip_prefix('!') {
        Some(rest) => (true, rest),
        None => (false, trimmed),
    };
    let inside = rest.strip_prefix("[[")?.strip_suffix("]]")?;
    if inside.is_empty() || inside.contains("]]") || inside.contains("[[") || inside.contains('\n') {
        return None;
    }
    let (target, display) = match inside.split_once('|') {
        Some((target, display)) => (target, Some(display)),
        None => (inside, None),
    };
    let mut link = link_to(target.trim());
    link.display = display.map(|display| display.trim().into());
    link.embed = embed;
    Some(link)
}

/// A link to a path as it stands between the brackets, or to an address.
pub(super) fn link_to(target: &str) -> Link {
    if is_external(target) {
        return Link { path: target.into(), subpath: None, display: None, embed: false, kind: LinkKind::External, source: None };
    }
    let (path, subpath) = match target.split_once('#') {
        Some((path, subpath)) => (path, Some(subpath)),
        None => (target, None),
    };
    let kind = match subpath {
        Some(subpath) if subpath.starts_with('^') => LinkKind::Block,
        Some(_) => LinkKind::Heading,
        None => LinkKind::File,
    };
    Link { path: path.into(), subpath: subpath.map(Into::into), display: None, embed: false, kind, source: None }
}
