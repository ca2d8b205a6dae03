//! What a clause looks at: a page, a task or a group, with what FLATTEN has added.

use std::any::Any;
use std::sync::Arc;

use quillgate_index::FileId;

use super::file_field::FileField;
use super::item_field::{ItemField, item_value};
use super::world::World;
use crate::value::{Link, LinkKind, Object, Value};

#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) data: Data,
    /// Names and values of FLATTEN; a later one counts.
    pub(crate) added: Vec<(Arc<str>, Value)>,
}

#[derive(Clone, Debug)]
pub(crate) enum Data {
    /// No page at all, such as that of a query which stands in none.
    Nothing,
    Page(FileId),
    /// A task of a page, by its place among the page's items.
    Task(FileId, usize),
    Group {
        name: Arc<str>,
        key: Value,
        rows: Value,
    },
}

/// A name in an expression, with all that can be known of it before there is a row.
#[derive(Debug)]
pub(crate) struct FieldName {
    pub(crate) name: Arc<str>,
    /// Its column in the [`World`], unless it was made up while the query ran.
    pub(crate) number: Option<usize>,
    pub(crate) of_file: Option<FileField>,
    pub(crate) of_item: Option<ItemField>,
}

impl FieldName {
    pub(crate) fn new(name: Arc<str>, number: Option<usize>) -> FieldName {
        let (of_file, of_item) = (FileField::find(&name), ItemField::find(&name));
        FieldName { name, number, of_file, of_item }
    }
}

/// A row or a list item as a value; its fields are looked up when asked for. Carried as a function, which nothing else can call.
#[derive(Clone, Debug)]
pub(crate) enum Lazy {
    Row(Arc<Row>),
    Item(FileId, usize),
}

impl Lazy {
    pub(crate) fn of(value: &Value) -> Option<&Lazy> {
        let Value::Function(function) = value else { return None };
        let any: &dyn Any = &**function;
        any.downcast_ref()
    }

    pub(crate) fn value(self) -> Value {
        Value::Function(Arc::new(self))
    }

    pub(crate) fn find(&self, world: &World<'_>, field: &FieldName) -> Value {
        match self {
            Lazy::Row(row) => row.find(world, field),
            Lazy::Item(file, place) => item_value(world, *file, *place, field).unwrap_or(Value::Null),
        }
    }
}

impl Row {
    pub(crate) fn of(data: Data) -> Row {
        Row { data, added: Vec::new() }
    }

    pub(crate) fn find(&self, world: &World<'_>, field: &FieldName) -> Value {
        if let Some((_, value)) = self.added.iter().rev().find(|(name, _)| *name == field.name) {
            return value.clone();
        }
        match &self.data {
            Data::Nothing => Value::Null,
            Data::Page(file) => page_value(world, *file, field),
            Data::Task(file, place) => item_value(world, *file, *place, field).unwrap_or_else(|| page_value(world, *file, field)),
            Data::Group { name, key, rows } => match &*field.name {
                "key" => key.clone(),
                "rows" => rows.clone(),
                wanted if *wanted == **name => key.clone(),
                _ => Value::Null,
            },
        }
    }

    pub(crate) fn file(&self) -> Option<FileId> {
        match self.data {
            Data::Page(file) | Data::Task(file, _) => Some(file),
            Data::Nothing | Data::Group { .. } => None,
        }
    }

    /// What stands in the first column: the file, or what was grouped by.
    pub(crate) fn id(&self, world: &World<'_>) -> Value {
        match &self.data {
            Data::Nothing => Value::Null,
            Data::Page(file) | Data::Task(file, _) => file_link(world, *file),
            Data::Group { key, .. } => key.clone(),
        }
    }

    /// All names that it has.
    pub(crate) fn names(&self, world: &World<'_>) -> Vec<Arc<str>> {
        let mut names: Vec<Arc<str>> = match &self.data {
            Data::Nothing => Vec::new(),
            Data::Page(file) => page_names(world, *file),
            Data::Task(file, place) => {
                let mut names = super::item_field::item_names(world, *file, *place);
                names.extend(page_names(world, *file));
                names
            }
            Data::Group { name, .. } => ["key", "rows", name].into_iter().map(Arc::from).collect(),
        };
        names.extend(self.added.iter().map(|(name, _)| name.clone()));
        let mut seen = std::collections::HashSet::new();
        names.retain(|name| seen.insert(name.clone()));
        names
    }
}

fn page_names(world: &World<'_>, file: FileId) -> Vec<Arc<str>> {
    let page = world.page(file);
    std::iter::once(Arc::from("file")).chain(page.names.iter().filter(|name| &***name != "file").cloned()).collect()
}

/// A field of a page.
pub(crate) fn page_value(world: &World<'_>, file: FileId, field: &FieldName) -> Value {
    if &*field.name == "file" {
        return Value::File(file);
    }
    match field.number.and_then(|number| world.column(number)) {
        Some(column) => column.find(file),
        None => super::column::FieldColumn::new(world.catalogue, &field.name).find(file),
    }
}

pub(crate) fn file_link(world: &World<'_>, file: FileId) -> Value {
    let path = world.catalogue.entry(file).map_or("", |entry| entry.path.as_str());
    Value::Link(Arc::new(Link {
        path: path.into(),
        subpath: None,
        display: None,
        embed: false,
        kind: LinkKind::File,
        source: None,
    }))
}

/// A page, an item or a file as a plain object with all its fields; other values stay what they are.
pub(crate) fn materialized(world: &World<'_>, value: &Value) -> Option<Object> {
    let object = |names: Vec<Arc<str>>, find: &dyn Fn(&FieldName) -> Value| {
        let entry = |name: Arc<str>| {
            let value = find(&FieldName::new(name.clone(), None));
            (name, value)
        };
        Object(names.into_iter().map(entry).collect())
    };
    match value {
        Value::Object(object) => Some(Object::clone(object)),
        Value::File(file) => Some(object(FileField::names(), &|field| match field.of_file {
            Some(of_file) => of_file.value(world, *file),
            None => Value::Null,
        })),
        _ => match Lazy::of(value)? {
            lazy @ Lazy::Row(row) => Some(object(row.names(world), &|field| lazy.find(world, field))),
            lazy @ Lazy::Item(file, place) => {
                let names = super::item_field::item_names(world, *file, *place);
                Some(object(names, &|field| lazy.find(world, field)))
            }
        },
    }
}
