//! A file on its way into the index.

use tantivy::schema::Field;
use tantivy::schema::document::{Document, ReferenceValue, ReferenceValueLeaf, Value};

/// Like tantivy's own document, but one text may be the value of several fields: thousands of them wait to be indexed.
#[derive(Default)]
pub(super) struct FileDocument {
    numbers: Vec<(Field, u64)>,
    texts: Vec<String>,
    /// Fields with the number of their text.
    fields: Vec<(Field, usize)>,
}

impl FileDocument {
    pub(super) fn add_number(&mut self, field: Field, number: u64) {
        self.numbers.push((field, number));
    }

    pub(super) fn add_text(&mut self, fields: &[Field], text: String) {
        self.fields.extend(fields.iter().map(|field| (*field, self.texts.len())));
        self.texts.push(text);
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) enum FileValue<'a> {
    Number(u64),
    Text(&'a str),
}

impl<'a> Value<'a> for FileValue<'a> {
    type ArrayIter = std::iter::Empty<FileValue<'a>>;
    type ObjectIter = std::iter::Empty<(&'a str, FileValue<'a>)>;

    fn as_value(&self) -> ReferenceValue<'a, Self> {
        ReferenceValue::Leaf(match *self {
            FileValue::Number(number) => ReferenceValueLeaf::U64(number),
            FileValue::Text(text) => ReferenceValueLeaf::Str(text),
        })
    }
}

impl Document for FileDocument {
    type Value<'a> = FileValue<'a>;
    type FieldsValuesIter<'a> = Box<dyn Iterator<Item = (Field, FileValue<'a>)> + 'a>;

    fn iter_fields_and_values(&self) -> Self::FieldsValuesIter<'_> {
        let numbers = self.numbers.iter().map(|(field, number)| (*field, FileValue::Number(*number)));
        let texts = self.fields.iter().map(|(field, text)| (*field, FileValue::Text(&self.texts[*text])));
        Box::new(numbers.chain(texts))
    }
}
