//! The inline fields of all notes in columns, by key: as it is written, and as queries spell it.
//!
//! A value is the JSON list of all texts that a note has under the key. A note that writes the spelling of queries itself
//! means just that: what other spellings say is then not added to it.

use std::collections::{HashMap, HashSet};

use quillgate_markdown::field_key;
use serde::de::IgnoredAny;

use super::{BorrowedKey, Column};

#[derive(Default)]
pub(crate) struct FieldColumns {
    by_key: HashMap<Box<str>, u32>,
    columns: Vec<Column>,
    /// Places of columns that no note uses any more.
    free: Vec<u32>,
    /// The columns that each note with fields is in.
    of_note: HashMap<u32, Box<[u32]>>,
}

impl FieldColumns {
    /// Takes in the fields of a note that has none here. `files` is how many files there are in all.
    pub(crate) fn insert(&mut self, file: u32, fields: &[(&str, &str)], properties: &str, files: usize) {
        if fields.is_empty() {
            return;
        }
        let mut columns = Vec::new();
        for (key, texts) in by_key(fields, properties) {
            let at = self.column(&key);
            self.columns[at as usize].put(file, &serde_json::to_string(&texts).unwrap_or_default(), files);
            columns.push(at);
        }
        self.of_note.insert(file, columns.into_boxed_slice());
    }

    pub(crate) fn remove(&mut self, file: u32) {
        for at in self.of_note.remove(&file).unwrap_or_default() {
            let column = &mut self.columns[at as usize];
            column.clear(file);
            if column.used == 0 {
                let gone = std::mem::take(column);
                self.by_key.remove(&gone.name);
                self.free.push(at);
            }
        }
    }

    pub(crate) fn find(&self, key: &str) -> Option<&Column> {
        self.by_key.get(key).and_then(|&at| self.columns.get(at as usize))
    }

    /// All keys in either spelling, in no order.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        self.by_key.keys().map(|key| &**key)
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let columns: usize = self.columns.iter().map(Column::heap_bytes).sum();
        let notes: usize = self.of_note.values().map(|columns| 4 * columns.len() + 24).sum();
        let keys: usize = self.by_key.keys().map(|key| key.len() + 24).sum();
        columns + notes + keys
    }

    fn column(&mut self, key: &str) -> u32 {
        if let Some(&known) = self.by_key.get(key) {
            return known;
        }
        let at = self.free.pop().unwrap_or_else(|| {
            self.columns.push(Column::default());
            u32::try_from(self.columns.len() - 1).unwrap_or(u32::MAX)
        });
        self.columns[at as usize].name = key.into();
        self.by_key.insert(key.into(), at);
        at
    }
}

/// The texts under every key, in the order of the note.
fn by_key<'a>(fields: &[(&'a str, &'a str)], properties: &str) -> Vec<(String, Vec<&'a str>)> {
    let mut written: Vec<(String, Vec<&str>)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut add = |key: &str, text: &'a str| {
        let at = *places.entry(key.to_owned()).or_insert_with(|| {
            written.push((key.to_owned(), Vec::new()));
            written.len() - 1
        });
        written[at].1.push(text);
    };
    fields.iter().for_each(|(key, text)| add(key, text));
    let asked: Vec<String> = fields.iter().map(|(key, _)| field_key(key)).collect();
    let is_plain = |((key, _), asked): (&(&str, &str), &String)| key == asked || asked.is_empty();
    if !fields.iter().zip(&asked).all(is_plain) {
        let mut taken: HashSet<String> = fields.iter().map(|(key, _)| (*key).to_owned()).collect();
        taken.extend(property_names(properties));
        for ((_, text), key) in fields.iter().zip(&asked).filter(|(_, key)| !key.is_empty() && !taken.contains(*key)) {
            add(key, text);
        }
    }
    written
}

fn property_names(properties: &str) -> Vec<String> {
    let names: HashMap<BorrowedKey<'_>, IgnoredAny> = serde_json::from_str(properties).unwrap_or_default();
    names.into_keys().map(|BorrowedKey(name)| name.into_owned()).collect()
}
