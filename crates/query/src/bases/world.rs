//! What a query knows besides its row: the catalogue, the clock, the vault's settings, and each distinct value of a property, once.

use std::sync::{Arc, OnceLock};

use jiff::Zoned;
use quillgate_index::{Catalogue, Excluded, FileId, PropertyColumn};
use quillgate_markdown::{PropertyType, fold};

use super::dialect::Bases;
use super::property::{Parsed, PropertyTypes, parsed};
use crate::code::Code;
use crate::fault::Fault;
use crate::moment::Locale;
use crate::value::{Object, Value};

/// What a base is read with.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The time, in the zone of the person who asks.
    pub now: Zoned,
    pub types: PropertyTypes,
    /// Files that the vault's settings keep out of bases.
    pub excluded: Arc<Excluded>,
    pub locale: &'static Locale,
}

/// All that an expression may ask for, found once per query.
pub(super) struct World<'c> {
    pub(super) catalogue: &'c Catalogue,
    pub(super) settings: &'c Settings,
    pub(super) this: Option<FileId>,
    pub(super) columns: Vec<Column<'c>>,
    pub(super) tags: Column<'c>,
    pub(super) formulas: Vec<Formula>,
    /// Every property of the vault, by name.
    pub(super) properties: Vec<(Arc<str>, PropertyColumn<'c>, Option<PropertyType>)>,
}

pub(super) struct Formula {
    /// Why it cannot be worked out at all: it needs itself.
    pub(super) code: Result<Code<Bases>, Box<str>>,
}

/// A property of all notes.
pub(super) struct Column<'c> {
    pub(super) name: Box<str>,
    column: Option<PropertyColumn<'c>>,
    kind: Option<PropertyType>,
    values: Box<[OnceLock<Parsed>]>,
}

impl<'c> Column<'c> {
    pub(super) fn new(catalogue: &'c Catalogue, name: &str, types: &PropertyTypes) -> Column<'c> {
        let column = catalogue.property_column(name);
        let values = (0..column.map_or(0, PropertyColumn::len)).map(|_| OnceLock::new()).collect();
        Column { name: name.into(), column, kind: types.find(&fold(name)), values }
    }

    /// The tags of the files themselves, of frontmatter and text.
    pub(super) fn of_tags(catalogue: &'c Catalogue) -> Column<'c> {
        let column = catalogue.tag_column();
        let values = (0..column.len()).map(|_| OnceLock::new()).collect();
        Column { name: "".into(), column: Some(column), kind: Some(PropertyType::Tags), values }
    }

    pub(super) fn value(&self, file: FileId) -> Value {
        let Some(column) = self.column else { return Value::Null };
        let Some(number) = column.value_number(file) else { return Value::Null };
        let Some(place) = self.values.get(number as usize) else { return Value::Null };
        place.get_or_init(|| parsed(column.json_text(number), self.kind)).for_file(file)
    }
}

impl World<'_> {
    pub(super) fn tags(&self, file: FileId) -> Value {
        match self.tags.value(file) {
            Value::Null => Value::list(Vec::new()),
            tags => tags,
        }
    }

    /// Everything in the frontmatter of a note, by name.
    pub(super) fn properties(&self, file: FileId) -> Object {
        let entry = |(name, column, kind): &(Arc<str>, PropertyColumn<'_>, Option<PropertyType>)| {
            Some((name.clone(), parsed(column.json_text(column.value_number(file)?), *kind).for_file(file)))
        };
        Object(self.properties.iter().filter_map(entry).collect())
    }

    pub(super) fn has_property(&self, file: FileId, name: &str) -> bool {
        self.catalogue.property_column(name).is_some_and(|column| column.value_number(file).is_some())
    }
}

/// What an expression is evaluated against.
pub(super) struct Row<'r> {
    pub(super) world: &'r World<'r>,
    pub(super) file: Option<FileId>,
    /// Formulas that have been worked out.
    pub(super) cells: Vec<Option<Result<Value, Fault>>>,
    /// For a summary.
    pub(super) values: Value,
}

impl<'r> Row<'r> {
    pub(super) fn new(world: &'r World<'r>, file: Option<FileId>) -> Row<'r> {
        Row { world, file, cells: Vec::new(), values: Value::Null }
    }
}
