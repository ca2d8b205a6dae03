//! The block of properties at the top of a note.

use crate::fold::fold;
use crate::span::{Span, line_end, next_line};
use crate::value::Value;
use crate::yaml::{self, TextScalar, YamlEntry, YamlError};

/// How the block is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Yaml,
    /// One object in braces; saved back as YAML.
    Json,
}

/// A block between two `---` lines that starts on the first line.
#[derive(Clone, Debug, PartialEq)]
pub struct Frontmatter {
    pub format: Format,
    /// From the first fence to behind the line ending of the closing one.
    pub block: Span,
    /// Between the fences.
    pub inner: Span,
    /// Invalid YAML means no properties; the bytes stay untouched and edits are refused.
    pub properties: Result<Properties, YamlError>,
}

impl Frontmatter {
    /// The block of a note, without looking at the rest of it.
    pub fn find(text: &str) -> Option<Frontmatter> {
        frontmatter(text)
    }
}

/// Properties in the order they are written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Properties(pub Vec<Property>);

impl Properties {
    /// Names are compared without regard to case; an exact match wins.
    pub fn find_property(&self, key: &str) -> Option<&Property> {
        let exact = self.0.iter().find(|property| property.key == key);
        exact.or_else(|| {
            let folded = fold(key);
            self.0.iter().find(|property| fold(&property.key) == folded)
        })
    }
}

/// One entry of the block. Spans count from the start of the note.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    pub key: String,
    pub value: Value,
    /// The lines of the entry, with their last line ending.
    pub span: Span,
    pub value_span: Span,
    pub(crate) key_span: Span,
    pub(crate) after_colon: Option<usize>,
    pub(crate) texts: Vec<TextScalar>,
}

pub(crate) const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Where the text starts, after a byte order mark.
pub(crate) fn text_start(text: &str) -> usize {
    if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 }
}

/// Finds the block; a first line that is not exactly `---` disables it.
pub(crate) fn frontmatter(text: &str) -> Option<Frontmatter> {
    let start = text_start(text);
    if !is_fence(text, start) {
        return None;
    }
    let inner_start = next_line(text, start);
    let mut line = inner_start;
    while line < text.len() && !is_fence(text, line) {
        line = next_line(text, line);
    }
    if line >= text.len() {
        return None;
    }
    let inner = inner_start..line;
    let written = &text[inner.clone()];
    let format = if written.trim_start().starts_with('{') { Format::Json } else { Format::Yaml };
    let properties = yaml::parse(written)
        .map(|entries| Properties(entries.into_iter().map(|entry| property(entry, inner_start)).collect()))
        .map_err(|error| YamlError { line: error.line + 1, ..error });
    Some(Frontmatter { format, block: start..next_line(text, line), inner, properties })
}

fn is_fence(text: &str, line: usize) -> bool {
    text[line..].starts_with("---") && text[line + 3..line_end(text, line)].trim().is_empty()
}

pub(crate) fn property(entry: YamlEntry, by: usize) -> Property {
    let shift = |span: Span| span.start + by..span.end + by;
    let texts = entry.texts.into_iter();
    Property {
        key: entry.key,
        value: entry.value,
        span: shift(entry.span),
        value_span: shift(entry.value_span),
        key_span: shift(entry.key_span),
        after_colon: entry.after_colon.map(|offset| offset + by),
        texts: texts.map(|text| TextScalar { span: shift(text.span), ..text }).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, inner: Option<&str>) {
        let found = frontmatter(text);
        assert_eq!(found.map(|found| &text[found.inner]), inner, "{text:?}");
    }

    #[test]
    fn the_block_starts_on_the_first_line() {
        check("---\na: 1\n---\nx", Some("a: 1\n"));
        check("---  \r\na: 1\r\n---\t", Some("a: 1\r\n"));
        check("\u{feff}---\n---\n", Some(""));
        check("\n---\na: 1\n---\n", None);
        check(" ---\na: 1\n---\n", None);
        check("----\na: 1\n---\n", None);
        check("---\na: 1\n", None);
        check("---", None);
        check("", None);
    }

    #[test]
    fn spans_count_from_the_start_of_the_note() {
        let text = "---\nä: ö # c\nb:\n  - x\n---\nbody";
        let properties = frontmatter(text).expect("a block").properties.expect("valid");
        assert_eq!(&text[properties.0[0].value_span.clone()], "ö");
        assert_eq!(&text[properties.0[0].span.clone()], "ä: ö # c\n");
        assert_eq!(&text[properties.0[1].value_span.clone()], "- x");
        assert_eq!(&text[properties.0[1].span.clone()], "b:\n  - x\n");
    }

    #[test]
    fn an_error_names_the_line_of_the_note() {
        let error = frontmatter("---\na: 1\na: 2\n---\n").expect("a block").properties;
        assert_eq!(error.map_err(|error| error.line), Err(3));
    }

    #[test]
    fn names_are_found_without_regard_to_case() {
        let properties = frontmatter("---\nDue: 1\ndue: 2\n---\n").expect("a block").properties;
        let properties = properties.expect("valid");
        assert_eq!(properties.find_property("due").map(|found| &found.value), Some(&Value::Integer(2)));
        assert_eq!(properties.find_property("DUE").map(|found| &found.value), Some(&Value::Integer(1)));
    }
}
