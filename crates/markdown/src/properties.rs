//! Changes one property and leaves every other byte of the note as it is.

use crate::edit::{Edit, EditError, Edits};
use crate::frontmatter::{Format, Frontmatter, Properties, Property, frontmatter, text_start};
use crate::newline::Eol;
use crate::span::{Span, line_end, line_start};
use crate::value::Value;
use crate::write_yaml::{pair, to_yaml};

/// Sets a property, creating it, and the block, where missing. The spelling of an existing key stays.
pub fn set_property(text: &str, key: &str, value: &Value) -> Result<Edits, EditError> {
    if key.is_empty() {
        return Err(EditError::EmptyKey);
    }
    let Some(block) = frontmatter(text) else {
        return checked(text, key, new_block(text, key, value).into(), &[(key.to_owned(), value.clone())]);
    };
    let properties = readable(&block)?;
    let existing = properties.find_property(key);
    if existing.is_some_and(|found| found.value.is_same(value)) {
        return Ok(Edits::none());
    }
    let mut expected = pairs(properties);
    match existing.and_then(|found| expected.iter().position(|(key, _)| *key == found.key)) {
        Some(index) => expected[index].1 = value.clone(),
        None => expected.push((key.to_owned(), value.clone())),
    }
    let edit = match (block.format, existing) {
        (Format::Json, _) => rewritten(text, &block, &expected),
        (Format::Yaml, Some(found)) => replaced(text, found, value),
        (Format::Yaml, None) => added(text, &block, properties, key, value),
    };
    checked(text, key, edit.into(), &expected)
}

/// Removes a property with its lines; the block goes with its last property.
pub fn remove_property(text: &str, key: &str) -> Result<Edits, EditError> {
    let no_property = |candidates| EditError::NoProperty { key: key.to_owned(), candidates };
    let Some(block) = frontmatter(text) else { return Err(no_property(Vec::new())) };
    let properties = readable(&block)?;
    let Some(found) = properties.find_property(key) else {
        return Err(no_property(properties.0.iter().map(|other| other.key.clone()).collect()));
    };
    let expected: Vec<_> = pairs(properties).into_iter().filter(|(key, _)| *key != found.key).collect();
    let edit = match block.format {
        Format::Json if !expected.is_empty() => rewritten(text, &block, &expected),
        Format::Json => Edit::replace(block.block.clone(), ""),
        Format::Yaml => {
            let rest = [block.inner.start..found.span.start, found.span.end..block.inner.end];
            let nothing_left = rest.into_iter().all(|span| text[span].trim().is_empty());
            let range = if nothing_left { block.block.clone() } else { found.span.clone() };
            Edit::replace(range, "")
        }
    };
    checked(text, key, edit.into(), &expected)
}

pub(crate) fn readable(block: &Frontmatter) -> Result<&Properties, EditError> {
    block.properties.as_ref().map_err(|error| EditError::InvalidFrontmatter(error.clone()))
}

pub(crate) fn pairs(properties: &Properties) -> Vec<(String, Value)> {
    properties.0.iter().map(|property| (property.key.clone(), property.value.clone())).collect()
}

fn new_block(text: &str, key: &str, value: &Value) -> Edit {
    let block = format!("---\n{}\n---\n", pair(key, value, ""));
    Edit::insert(text_start(text), Eol::dominant(text).convert(&block))
}

fn rewritten(text: &str, block: &Frontmatter, properties: &[(String, Value)]) -> Edit {
    Edit::replace(block.inner.clone(), Eol::dominant(text).convert(&to_yaml(properties)))
}

fn added(text: &str, block: &Frontmatter, properties: &Properties, key: &str, value: &Value) -> Edit {
    let indent = properties.0.first().map_or("", |first| indent_of(text, first));
    let entry = format!("{indent}{}\n", pair(key, value, indent));
    Edit::insert(block.inner.end, Eol::dominant(text).convert(&entry))
}

/// Writes the value behind the colon that is there; comments beside it stay.
pub(crate) fn replaced(text: &str, property: &Property, value: &Value) -> Edit {
    let indent = indent_of(text, property);
    let eol = Eol::dominant(text);
    let written = pair("k", value, indent);
    let Some(after_colon) = property.after_colon else {
        let key = &text[property.key_span.clone()];
        let end = property.key_span.end.max(property.value_span.end);
        let entry = format!("{key}{}", &written[1..]);
        return Edit::replace(property.key_span.start..end, eol.convert(&entry));
    };
    let value_end = property.value_span.end.max(after_colon);
    let (first, rest) = match written[2..].split_once('\n') {
        Some((first, rest)) => (first, Some(rest)),
        None => (&written[2..], None),
    };
    let above = comment_between(text, property, after_colon);
    let (beside, end) = match rest {
        None => (None, value_end),
        // Lines that follow would otherwise push the comment behind the last of them.
        Some(_) => match comment_after(text, value_end) {
            Some(comment) => (Some(&text[comment.clone()]), comment.end),
            None => (None, value_end),
        },
    };
    let mut new = first.to_owned();
    for comment in above.into_iter().chain(beside) {
        new.push(' ');
        new.push_str(comment);
    }
    if let Some(rest) = rest {
        new.push('\n');
        new.push_str(rest);
    }
    Edit::replace(after_colon..end, eol.convert(&new))
}

/// The comment on the key's line when the value starts further down.
fn comment_between<'a>(text: &'a str, property: &Property, after_colon: usize) -> Option<&'a str> {
    let comment = comment_after(text, after_colon)?;
    (comment.end <= property.value_span.start && !property.value_span.is_empty()).then(|| &text[comment])
}

/// The comment that follows on the same line.
fn comment_after(text: &str, offset: usize) -> Option<Span> {
    let end = line_end(text, offset);
    let rest = &text[offset..end];
    let start = offset + (rest.len() - rest.trim_start().len());
    (start > offset && text[start..end].starts_with('#')).then(|| start..start + text[start..end].trim_end().len())
}

pub(crate) fn indent_of<'a>(text: &'a str, property: &Property) -> &'a str {
    let line = &text[line_start(text, property.key_span.start)..property.key_span.start];
    &line[..line.len() - line.trim_start_matches(' ').len()]
}

/// Makes sure that the edits do what they should and nothing else.
pub(crate) fn checked(text: &str, key: &str, edits: Edits, expected: &[(String, Value)]) -> Result<Edits, EditError> {
    let after = edits.apply(text);
    let found = match frontmatter(&after) {
        Some(block) => block.properties.map(|properties| pairs(&properties)),
        None => Ok(Vec::new()),
    };
    let same = |found: &[(String, Value)]| {
        found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| a.0 == b.0 && a.1.is_same(&b.1))
    };
    match found {
        Ok(found) if same(&found) => Ok(edits),
        _ => Err(EditError::Unsafe { key: key.to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    fn check_set(before: &str, key: &str, value: Value, after: &str) {
        let edits = set_property(before, key, &value).expect(before);
        assert_eq!(edits.apply(before), after);
    }

    fn check_removed(before: &str, key: &str, after: &str) {
        let edits = remove_property(before, key).expect(before);
        assert_eq!(edits.apply(before), after);
    }

    #[test]
    fn a_missing_block_is_created() {
        check_set("body", "a", Value::Integer(1), "---\na: 1\n---\nbody");
        check_set("", "a", Value::Integer(1), "---\na: 1\n---\n");
        check_set("\u{feff}x\r\ny\r\n", "a", Value::Null, "\u{feff}---\r\na:\r\n---\r\nx\r\ny\r\n");
    }

    #[test]
    fn a_missing_key_goes_last() {
        check_set("---\na: 1\n# c\n---\n", "b", text("x"), "---\na: 1\n# c\nb: x\n---\n");
        check_set("---\n---\n", "b", text("x"), "---\nb: x\n---\n");
        check_set("---\n  a: 1\n---\n", "b", Value::List(vec![text("x")]), "---\n  a: 1\n  b:\n    - x\n---\n");
    }

    #[test]
    fn only_the_value_is_replaced() {
        check_set("---\nA : 1 # c\nb: 2\n---\n", "a", Value::Integer(3), "---\nA : 3 # c\nb: 2\n---\n");
        check_set("---\na:\nb: 2\n---\n", "a", text("x"), "---\na: x\nb: 2\n---\n");
        check_set("---\na: # c\nb: 2\n---\n", "a", text("x"), "---\na: x # c\nb: 2\n---\n");
        check_set("---\na: \"x\\\" y\"   # c\nb: 'it''s' # d\n---\n", "a", text("z"), "---\na: z   # c\nb: 'it''s' # d\n---\n");
        check_set("---\nb: 'it''s' # d\r\n---\n", "b", text("z"), "---\nb: z # d\r\n---\n");
        check_set("---\na: 1\n---\n", "a", Value::Null, "---\na:\n---\n");
        check_set("---\r\n\"a b\": 'x'\r\n---\r\n", "A B", text("y"), "---\r\n\"a b\": y\r\n---\r\n");
    }

    #[test]
    fn values_over_several_lines_are_replaced_whole() {
        check_set("---\na:\n  - x\n  - y\n\n# next\nb: 2\n---\n", "a", text("z"), "---\na: z\n\n# next\nb: 2\n---\n");
        check_set("---\na: |\n  x\n\n  y\n\nb: 2\n---\n", "a", text("z"), "---\na: z\n\nb: 2\n---\n");
        check_set("---\na: 1 # c\nb: 2\n---\n", "a", Value::List(vec![text("x")]), "---\na: # c\n  - x\nb: 2\n---\n");
        check_set("---\na: # c\n  - x\nb: 2\n---\n", "a", text("z"), "---\na: z # c\nb: 2\n---\n");
        check_set("---\na: [1,\n  2] # c\nb: 2\n---\n", "a", text("z"), "---\na: z # c\nb: 2\n---\n");
        check_set("---\na: x\n  y\nb: 2\n---\n", "a", text("l\nm"), "---\na: |-\n  l\n  m\nb: 2\n---\n");
        check_set("---\na:\n- x\n-\nb: 2\n---\n", "a", text("z"), "---\na: z\nb: 2\n---\n");
        check_set("---\na:\n  k:\nb: 2\n---\n", "a", text("z"), "---\na: z\nb: 2\n---\n");
    }

    #[test]
    fn the_same_value_changes_nothing() {
        let edits = set_property("---\na: 5.0\n---\n", "a", &Value::Integer(5)).expect("valid");
        assert!(edits.is_empty());
    }

    #[test]
    fn a_json_block_is_saved_back_as_yaml() {
        check_set("---\n{\"tags\":[\"j\"]}\n---\nx", "a", Value::Bool(true), "---\ntags:\n  - j\na: true\n---\nx");
        check_removed("---\n{\"a\":1,\"b\":2}\n---\nx", "a", "---\nb: 2\n---\nx");
    }

    #[test]
    fn removing_takes_the_lines_of_the_entry() {
        check_removed("---\na: 1\nb:\n  - x\n# c\nc: 3\n---\n", "B", "---\na: 1\n# c\nc: 3\n---\n");
        check_removed("---\na: 1\n---\nbody", "a", "body");
        check_removed("---\na: 1\n# c\n---\nbody", "a", "---\n# c\n---\nbody");
    }

    #[test]
    fn what_cannot_be_changed_is_refused_with_a_reason() {
        let invalid = set_property("---\na: 1\na: 2\n---\n", "b", &Value::Null);
        assert!(matches!(invalid, Err(EditError::InvalidFrontmatter(_))));
        let anchored = set_property("---\na: &x 1\nb: *x\n---\n", "a", &Value::Integer(2));
        assert_eq!(anchored, Err(EditError::Unsafe { key: "a".to_owned() }));
        let too_deep = (0..70).fold(Value::Null, |inner, _| Value::List(vec![inner]));
        assert_eq!(set_property("x", "a", &too_deep), Err(EditError::Unsafe { key: "a".to_owned() }));
        let missing = remove_property("---\na: 1\n---\n", "b").map_err(|error| error.to_string());
        assert_eq!(missing, Err("no property \"b\"; its properties are a".to_owned()));
    }
}
