//! The properties and tags of all notes in columns: per property, a number per note that stands for its value.
//!
//! Property names are one name whatever their case, as in the app. Where a note spells one name twice, the first counts.
//! Values are kept as the JSON of the card, lists and maps included; a distinct value is stored once per property. A value
//! that no note has any more keeps its number until most numbers of its column are unused; then the column is renumbered.
//! Numbers therefore hold for as long as the catalogue is not changed, and no longer.

pub(crate) mod cells;
mod fields;
pub(crate) mod values;
mod view;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use quillgate_markdown::fold;
use roaring::RoaringBitmap;
use serde::Deserializer;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::catalogue::FileId;
use cells::Cells;
use fields::FieldColumns;
use values::Values;
pub use view::PropertyColumn;

#[derive(Default)]
pub(crate) struct Columns {
    notes: RoaringBitmap,
    columns: Vec<Column>,
    /// By every spelling met so far, and by the folded name.
    by_spelling: HashMap<Box<str>, usize>,
    /// The tags of each note as a JSON list: of the frontmatter, then of the text, each once whatever its case.
    tags: Column,
    fields: FieldColumns,
}

#[derive(Default)]
pub(crate) struct Column {
    /// As first met.
    name: Box<str>,
    pub(crate) cells: Cells,
    pub(crate) values: Values,
    used: usize,
}

/// One property across the vault.
#[derive(Clone, Debug, PartialEq)]
pub struct PropertySummary {
    /// As the first note that was read spells it.
    pub key: String,
    /// Of `text`, `number`, `checkbox`, `date`, `datetime`, `list`, `map`, `empty`; in this order.
    pub types: Vec<&'static str>,
    pub notes: usize,
    /// The most used values, most used first.
    pub samples: Vec<serde_json::Value>,
}

/// What the columns keep of a note.
pub(crate) struct NoteFacts<'a> {
    /// The frontmatter as a JSON object; empty without one.
    pub(crate) properties: &'a str,
    pub(crate) property_tags: &'a [Arc<str>],
    pub(crate) inline_tags: &'a [&'a str],
    /// Keys and texts of inline fields.
    pub(crate) fields: &'a [(&'a str, &'a str)],
}

impl Columns {
    /// Takes a note in. There must be nothing under this id; only notes are taken in.
    pub(crate) fn insert(&mut self, id: FileId, note: &NoteFacts<'_>) {
        self.notes.insert(id.0);
        if !note.property_tags.is_empty() || !note.inline_tags.is_empty() {
            self.tags.put(id.0, &tag_list(note), self.notes.len() as usize);
        }
        self.fields.insert(id.0, note.fields, note.properties, self.notes.len() as usize);
        if !note.properties.is_empty() {
            let mut json = serde_json::Deserializer::from_str(note.properties);
            // The card's own JSON; whatever could be wrong with it, the rest of the card still counts.
            let _ = (&mut json).deserialize_map(Row { columns: self, file: id.0 });
        }
    }

    pub(crate) fn remove(&mut self, id: FileId) {
        if self.notes.remove(id.0) {
            self.tags.clear(id.0);
            self.fields.remove(id.0);
            self.columns.iter_mut().for_each(|column| column.clear(id.0));
        }
    }

    /// All notes, by file id.
    pub(crate) fn notes(&self) -> &RoaringBitmap {
        &self.notes
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Column> {
        let at = self.by_spelling.get(name).or_else(|| self.by_spelling.get(&*fold(name)))?;
        self.columns.get(*at)
    }

    pub(crate) fn tags(&self) -> &Column {
        &self.tags
    }

    pub(crate) fn fields(&self) -> &FieldColumns {
        &self.fields
    }

    /// The names of the properties that some note has, in no order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().filter(|column| column.used > 0).map(|column| &*column.name)
    }

    /// Every property that a note has, or one of these notes, by name, each with a few of its values.
    pub(crate) fn properties(&self, among: Option<&RoaringBitmap>, samples: usize) -> Vec<PropertySummary> {
        let used = self.columns.iter().filter(|column| column.used > 0);
        let mut summaries: Vec<PropertySummary> = used.filter_map(|column| column.summary(among, samples)).collect();
        summaries.sort_by_cached_key(|summary| fold(&summary.key));
        summaries
    }

    /// What the columns take in memory, about.
    pub(crate) fn heap_bytes(&self) -> usize {
        let columns: usize = self.columns.iter().chain([&self.tags]).map(Column::heap_bytes).sum();
        let names: usize = self.by_spelling.keys().map(|name| name.len() + 48).sum();
        columns + names + self.fields.heap_bytes() + self.notes.serialized_size()
    }

    fn put(&mut self, file: u32, key: &str, json: &str) {
        let at = match self.by_spelling.get(key) {
            Some(&at) => at,
            None => self.add_spelling(key),
        };
        self.columns[at].put(file, json, self.notes.len() as usize);
    }

    fn add_spelling(&mut self, key: &str) -> usize {
        let folded = fold(key);
        let at = *self.by_spelling.entry(folded.into()).or_insert_with(|| {
            self.columns.push(Column { name: key.into(), ..Column::default() });
            self.columns.len() - 1
        });
        self.by_spelling.insert(key.into(), at);
        at
    }
}

impl Column {
    fn put(&mut self, file: u32, json: &str, files: usize) {
        if self.cells.find(file).is_none() {
            let value = self.values.take(json);
            self.cells.put(file, value, files);
            self.used += 1;
        }
    }

    fn clear(&mut self, file: u32) {
        let Some(value) = self.cells.clear(file) else { return };
        self.values.release(value);
        self.used -= 1;
        if self.values.is_mostly_unused() {
            let names = self.values.compact();
            self.cells.rename(&names);
        }
        if self.cells.is_dense_for(self.used) {
            self.cells.make_sparse();
        }
    }

    /// The value a file has here, parsed.
    pub(crate) fn json(&self, value: u32) -> serde_json::Value {
        serde_json::from_str(self.values.text(value)).unwrap_or_default()
    }

    /// Numbers of the values that some note has.
    pub(crate) fn used_values(&self) -> impl Iterator<Item = u32> + '_ {
        let all = 0..u32::try_from(self.values.len()).unwrap_or(u32::MAX);
        all.filter(|&value| self.values.uses(value) > 0)
    }

    fn summary(&self, among: Option<&RoaringBitmap>, samples: usize) -> Option<PropertySummary> {
        let mut values = match among {
            None => self.used_values().map(|value| (value, self.values.uses(value))).collect(),
            Some(files) => self.uses_among(files),
        };
        let notes: u32 = values.iter().map(|(_, uses)| uses).sum();
        let kinds: BTreeSet<usize> = values.iter().map(|&(value, _)| kind(self.values.text(value))).collect();
        let by_use = |&(value, uses): &(u32, u32)| (std::cmp::Reverse(uses), self.values.text(value));
        if values.len() > samples && samples > 0 {
            values.select_nth_unstable_by(samples - 1, |a, b| by_use(a).cmp(&by_use(b)));
        }
        values.truncate(samples);
        values.sort_by(|a, b| by_use(a).cmp(&by_use(b)));
        (notes > 0).then(|| PropertySummary {
            key: self.name.to_string(),
            types: kinds.into_iter().map(|kind| KINDS[kind]).collect(),
            notes: notes as usize,
            samples: values.into_iter().map(|(value, _)| self.json(value)).collect(),
        })
    }

    /// The values that these files have, each with how many of them have it.
    fn uses_among(&self, files: &RoaringBitmap) -> Vec<(u32, u32)> {
        let mut uses: HashMap<u32, u32> = HashMap::new();
        for (_, value) in self.cells.iter().filter(|(file, _)| files.contains(*file)) {
            *uses.entry(value).or_default() += 1;
        }
        uses.into_iter().collect()
    }

    fn heap_bytes(&self) -> usize {
        size_of::<Column>() + self.name.len() + self.cells.heap_bytes() + self.values.heap_bytes()
    }
}

const KINDS: [&str; 8] = ["text", "number", "checkbox", "date", "datetime", "list", "map", "empty"];

/// The type of a JSON text, as the app would infer it; an index of [`KINDS`].
fn kind(json: &str) -> usize {
    match json.as_bytes().first() {
        Some(b'"') => {
            let text = json.trim_matches('"');
            match text.len() {
                10 if text.parse::<jiff::civil::Date>().is_ok() => 3,
                16.. if text.as_bytes()[10] == b'T' && text.parse::<jiff::civil::DateTime>().is_ok() => 4,
                _ => 0,
            }
        }
        Some(b't' | b'f') => 2,
        Some(b'[') => 5,
        Some(b'{') => 6,
        Some(b'n') | None => 7,
        Some(_) => 1,
    }
}

fn tag_list(note: &NoteFacts<'_>) -> String {
    let mut seen = HashSet::new();
    let all = note.property_tags.iter().map(|tag| &**tag).chain(note.inline_tags.iter().copied());
    let tags: Vec<&str> = all.filter(|tag| seen.insert(fold(tag))).collect();
    serde_json::to_string(&tags).unwrap_or_default()
}

/// Puts the properties of one note into their columns as they are met, values unparsed.
struct Row<'a> {
    columns: &'a mut Columns,
    file: u32,
}

impl<'de> Visitor<'de> for Row<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("the properties of a note")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        while let Some(BorrowedKey(key)) = map.next_key()? {
            let value: &RawValue = map.next_value()?;
            self.columns.put(self.file, &key, value.get());
        }
        Ok(())
    }
}

/// Most keys need no unescaping and are not copied.
#[derive(PartialEq, Eq, Hash, serde::Deserialize)]
struct BorrowedKey<'a>(#[serde(borrow)] Cow<'a, str>);
