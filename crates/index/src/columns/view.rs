//! Columns as queries read them: a number per note, and one text per number.

use crate::catalogue::{Catalogue, FileId};
use crate::columns::Column;

/// What all notes have under one name. Notes with equal values have equal numbers, so a value need be parsed only once.
/// Numbers hold for as long as the catalogue is borrowed.
#[derive(Clone, Copy)]
pub struct PropertyColumn<'a>(&'a Column);

#[allow(clippy::len_without_is_empty, reason = "a column that is found has values")]
impl<'a> PropertyColumn<'a> {
    /// As the first note that was read spells it.
    pub fn name(self) -> &'a str {
        &self.0.name
    }

    pub fn value_number(self, id: FileId) -> Option<u32> {
        self.0.cells.find(id.0)
    }

    /// Numbers are below this; some may be unused.
    pub fn len(self) -> usize {
        self.0.values.len()
    }

    /// Whether some note has this value.
    pub fn is_used(self, number: u32) -> bool {
        (number as usize) < self.len() && self.0.values.uses(number) > 0
    }

    /// The value as JSON. What is no number of this column is `null`.
    pub fn json_text(self, number: u32) -> &'a str {
        if (number as usize) < self.len() { self.0.values.text(number) } else { "null" }
    }

    /// The notes with a value, and its number; by file id.
    pub fn cells(self) -> impl Iterator<Item = (FileId, u32)> + 'a {
        self.0.cells.iter().map(|(file, value)| (FileId(file), value))
    }
}

impl Catalogue {
    /// A property of the frontmatter, whatever the case of its name.
    pub fn property_column(&self, name: &str) -> Option<PropertyColumn<'_>> {
        self.columns().find(name).map(PropertyColumn)
    }

    /// The names of all properties that some note has, as first met, in no order.
    pub fn property_names(&self) -> impl Iterator<Item = &str> {
        self.columns().names()
    }

    /// The tags of each note as a JSON list, without `#`: of the frontmatter, then of the text, each once whatever its case.
    pub fn tag_column(&self) -> PropertyColumn<'_> {
        PropertyColumn(self.columns().tags())
    }

    /// Inline fields, by their key as written or as [`quillgate_markdown::field_key`] spells it. A value is a JSON list of all
    /// the texts that a note has under the key, those of list items first; fields of tasks are not among them.
    pub fn field_column(&self, key: &str) -> Option<PropertyColumn<'_>> {
        self.columns().fields().find(key).map(PropertyColumn)
    }

    /// The keys of all inline fields in either spelling, in no order.
    pub fn field_keys(&self) -> impl Iterator<Item = &str> {
        self.columns().fields().keys()
    }
}
