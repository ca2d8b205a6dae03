//! `status`, `text`, `due` and the other fields of list items and tasks.

use std::sync::Arc;

use quillgate_index::FileId;

use super::column::standing_in;
use super::file_field::normalized_link;
use super::list_items::Item;
use super::row::{FieldName, Lazy};
use super::world::World;
use crate::value::{Link, LinkKind, Object, Value};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemField {
    Symbol,
    Link,
    Section,
    Text,
    Tags,
    Line,
    LineCount,
    List,
    Outlinks,
    Path,
    Children,
    Task,
    Annotated,
    Position,
    Parent,
    Block,
    Status,
    Checked,
    Completed,
    FullyCompleted,
    Created,
    Due,
    Completion,
}

pub(super) const NAMES: [(&str, ItemField); 26] = [
    ("symbol", ItemField::Symbol),
    ("link", ItemField::Link),
    ("section", ItemField::Section),
    ("text", ItemField::Text),
    ("tags", ItemField::Tags),
    ("line", ItemField::Line),
    ("lineCount", ItemField::LineCount),
    ("list", ItemField::List),
    ("outlinks", ItemField::Outlinks),
    ("path", ItemField::Path),
    ("children", ItemField::Children),
    ("task", ItemField::Task),
    ("annotated", ItemField::Annotated),
    ("position", ItemField::Position),
    ("subtasks", ItemField::Children),
    ("real", ItemField::Task),
    ("header", ItemField::Section),
    ("parent", ItemField::Parent),
    ("blockId", ItemField::Block),
    ("status", ItemField::Status),
    ("checked", ItemField::Checked),
    ("completed", ItemField::Completed),
    ("fullyCompleted", ItemField::FullyCompleted),
    ("created", ItemField::Created),
    ("due", ItemField::Due),
    ("completion", ItemField::Completion),
];

impl ItemField {
    pub(crate) fn find(name: &str) -> Option<ItemField> {
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, field)| *field)
    }

    fn value(self, world: &World<'_>, file: FileId, item: &Item) -> Option<Value> {
        let first_of = |names: &[&str]| {
            let value = names.iter().find_map(|name| item.field(name))?;
            let first = value.as_list().and_then(<[Value]>::first).unwrap_or(value);
            item.is_task().then(|| standing_in(first.clone(), file))
        };
        Some(match self {
            ItemField::Symbol => Value::Text(item.symbol.clone()),
            ItemField::Link => match &item.block {
                Some(block) => link(world, file, Some(format!("^{block}")), LinkKind::Block),
                None => section(world, file, item),
            },
            ItemField::Section => section(world, file, item),
            ItemField::Text => Value::Text(item.text.clone()),
            ItemField::Tags => Value::list(item.tags.iter().cloned().map(Value::Text).collect()),
            ItemField::Line => Value::Number(f64::from(item.line)),
            ItemField::LineCount => Value::Number(f64::from(item.line_count)),
            ItemField::List => Value::Number(f64::from(item.list)),
            ItemField::Outlinks => Value::list(item.links.iter().map(|link| normalized_link(world, link, file)).collect()),
            ItemField::Path => Value::from(world.catalogue.entry(file).map_or("", |entry| entry.path.as_str())),
            ItemField::Children => Value::list(item.children.iter().map(|&place| Lazy::Item(file, place).value()).collect()),
            ItemField::Task => Value::Bool(item.is_task()),
            ItemField::Annotated => Value::Bool(!item.fields.is_empty()),
            ItemField::Position => position(item),
            ItemField::Parent => Value::Number(f64::from(item.parent?)),
            ItemField::Block => Value::Text(item.block.clone()?),
            ItemField::Status => Value::text(item.status?.to_string()),
            ItemField::Checked => Value::Bool(item.status? != ' '),
            ItemField::Completed => Value::Bool(item.status.map(|_| item.is_completed())?),
            ItemField::FullyCompleted => Value::Bool(item.status.map(|_| item.fully_completed)?),
            ItemField::Created => return first_of(&["created", "ctime", "cday"]),
            ItemField::Due => return first_of(&["due", "duetime", "dueday"]),
            ItemField::Completion => return first_of(&["completed", "completion", "comptime", "compday"]),
        })
    }
}

/// A field of a list item, if it has one.
pub(crate) fn item_value(world: &World<'_>, file: FileId, place: usize, field: &FieldName) -> Option<Value> {
    let page = world.list_items(file);
    let item = page.items.get(place)?;
    let known = field.of_item.and_then(|of_item| of_item.value(world, file, item));
    known.or_else(|| item.field(&field.name).map(|value| standing_in(value.clone(), file)))
}

pub(crate) fn item_names(world: &World<'_>, file: FileId, place: usize) -> Vec<Arc<str>> {
    let page = world.list_items(file);
    let Some(item) = page.items.get(place) else { return Vec::new() };
    let known = NAMES.iter().filter(|(_, field)| field.value(world, file, item).is_some());
    let mut names: Vec<Arc<str>> = known.map(|(name, _)| Arc::from(*name)).collect();
    for (name, _) in &item.fields {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

fn section(world: &World<'_>, file: FileId, item: &Item) -> Value {
    let kind = if item.heading.is_some() { LinkKind::Heading } else { LinkKind::File };
    link(world, file, item.heading.as_deref().map(str::to_owned), kind)
}

fn link(world: &World<'_>, file: FileId, subpath: Option<String>, kind: LinkKind) -> Value {
    let path = world.catalogue.entry(file).map_or("", |entry| entry.path.as_str()).into();
    let link = Link { path, subpath: subpath.map(Arc::from), display: None, embed: false, kind, source: None };
    Value::Link(Arc::new(link))
}

fn position(item: &Item) -> Value {
    let object = |entries: Vec<(&str, Value)>| {
        Value::Object(Arc::new(Object(entries.into_iter().map(|(key, value)| (Arc::from(key), value)).collect())))
    };
    let line = |line: u32| object(vec![("line", Value::Number(f64::from(line)))]);
    object(vec![("start", line(item.line)), ("end", line(item.line + item.line_count.saturating_sub(1)))])
}
