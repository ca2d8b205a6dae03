//! Adds and removes single items of a property that is a list, such as `tags`, and leaves the other items as they are written.

use crate::edit::{Edit, EditError, Edits};
use crate::frontmatter::{Format, Property, frontmatter};
use crate::newline::Eol;
use crate::properties::{checked, pairs, readable, set_property};
use crate::span::{Span, line_start, next_line};
use crate::value::Value;
use crate::write_yaml::{flow_value, value_text};

/// Adds an item behind the last one. A property that is missing or empty becomes a list, one with a single value a list of two.
pub fn add_to_list(text: &str, key: &str, item: &Value) -> Result<Edits, EditError> {
    let block = frontmatter(text);
    let found = match &block {
        Some(block) => readable(block)?.find_property(key),
        None => None,
    };
    let mut items = found.map(|found| items_of(&found.value)).unwrap_or_default();
    items.push(item.clone());
    let whole = Value::List(items);
    let exact = found.and_then(|found| added(text, found, item));
    exactly(text, key, exact.map(Edits::from), &whole)
}

/// Removes the items that are not wanted; the list stays, if only as an empty one, and a single value becomes nothing.
pub fn remove_from_list(text: &str, key: &str, is_unwanted: impl Fn(&Value) -> bool) -> Result<Edits, EditError> {
    remove_where(text, key, |_, value| is_unwanted(value))
}

/// The same by the places of the items.
pub fn remove_places_from_list(text: &str, key: &str, places: &[usize]) -> Result<Edits, EditError> {
    remove_where(text, key, |place, _| places.contains(&place))
}

fn remove_where(text: &str, key: &str, is_unwanted: impl Fn(usize, &Value) -> bool) -> Result<Edits, EditError> {
    let Some(block) = frontmatter(text) else { return Ok(Edits::none()) };
    let Some(found) = readable(&block)?.find_property(key) else { return Ok(Edits::none()) };
    let Value::List(items) = &found.value else {
        return if is_unwanted(0, &found.value) { set_property(text, key, &Value::Null) } else { Ok(Edits::none()) };
    };
    let gone: Vec<bool> = items.iter().enumerate().map(|(place, item)| is_unwanted(place, item)).collect();
    if !gone.contains(&true) {
        return Ok(Edits::none());
    }
    let rest: Vec<Value> = items.iter().zip(&gone).filter(|(_, gone)| !**gone).map(|(item, _)| item.clone()).collect();
    let exact = if rest.is_empty() { None } else { removed(text, found, &gone) };
    exactly(text, key, exact, &Value::List(rest))
}

fn items_of(value: &Value) -> Vec<Value> {
    match value {
        Value::Null => Vec::new(),
        Value::List(items) => items.clone(),
        single => vec![single.clone()],
    }
}

/// The exact edits if they do what they should, else the property written anew.
fn exactly(text: &str, key: &str, exact: Option<Edits>, whole: &Value) -> Result<Edits, EditError> {
    let block = frontmatter(text).filter(|block| block.format == Format::Yaml);
    if let (Some(edits), Some(block)) = (exact, block) {
        let properties = readable(&block)?;
        let name = properties.find_property(key).map(|found| found.key.clone());
        let mut expected = pairs(properties);
        expected.iter_mut().filter(|(key, _)| Some(key) == name.as_ref()).for_each(|(_, value)| *value = whole.clone());
        if let Ok(edits) = checked(text, key, edits, &expected) {
            return Ok(edits);
        }
    }
    set_property(text, key, whole)
}

fn added(text: &str, list: &Property, item: &Value) -> Option<Edit> {
    if let Some(inner) = flow_inner(text, list) {
        let filled = text[inner.clone()].trim_end();
        let gap = match filled.chars().next_back() {
            None => "",
            Some(',') => " ",
            Some(_) => ", ",
        };
        return Some(Edit::insert(inner.start + filled.len(), format!("{gap}{}", flow_value(item))));
    }
    let indent = block_indent(text, list)?;
    let line = format!("{indent}- {}\n", value_text(item, &format!("{indent}  ")));
    Some(Edit::insert(list.span.end, Eol::dominant(text).convert(&line)))
}

fn removed(text: &str, list: &Property, gone: &[bool]) -> Option<Edits> {
    if let Some(inner) = flow_inner(text, list) {
        let spans = flow_items(text, inner.clone());
        if spans.len() != gone.len() {
            return None;
        }
        let kept: Vec<&str> = spans.into_iter().zip(gone).filter(|(_, gone)| !**gone).map(|(span, _)| &text[span]).collect();
        return Some(Edit::replace(inner, kept.join(", ")).into());
    }
    let spans = block_items(text, list)?;
    let unwanted = spans.into_iter().zip(gone).filter(|(_, gone)| **gone);
    Edits::new(unwanted.map(|(span, _)| Edit::replace(span, "")).collect()).ok()
}

/// What stands between the brackets.
fn flow_inner(text: &str, list: &Property) -> Option<Span> {
    let written = &text[list.value_span.clone()];
    let is_flow = written.starts_with('[') && written.ends_with(']');
    is_flow.then(|| list.value_span.start + 1..list.value_span.end - 1)
}

/// Splits at the commas that stand in no quotes and no brackets of their own.
fn flow_items(text: &str, inner: Span) -> Vec<Span> {
    let (mut depth, mut quote, mut is_escaped) = (0usize, None, false);
    let (mut spans, mut start) = (Vec::new(), inner.start);
    for (offset, character) in text[inner.clone()].char_indices() {
        match (quote, character) {
            (Some('"'), '\\') if !is_escaped => {
                is_escaped = true;
                continue;
            }
            (Some(open), close) if open == close && !is_escaped => quote = None,
            (None, '"' | '\'') => quote = Some(character),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                spans.push(start..inner.start + offset);
                start = inner.start + offset + 1;
            }
            _ => {}
        }
        is_escaped = false;
    }
    if !text[start..inner.end].trim().is_empty() {
        spans.push(start..inner.end);
    }
    spans.into_iter().map(|span| crate::span::trim(text, span)).collect()
}

/// What stands before the dashes.
fn block_indent<'a>(text: &'a str, list: &Property) -> Option<&'a str> {
    let first = list.value_span.start;
    let start = line_start(text, first);
    let is_block = text[first..].starts_with('-') && start >= list.after_colon?;
    is_block.then(|| &text[start..first]).filter(|indent| indent.bytes().all(|byte| byte == b' '))
}

/// The lines of each item; comments between items belong to none.
fn block_items(text: &str, list: &Property) -> Option<Vec<Span>> {
    let indent = block_indent(text, list)?;
    let mut items: Vec<Span> = Vec::new();
    let mut line = line_start(text, list.value_span.start);
    while line < list.span.end {
        let next = next_line(text, line);
        let written = &text[line..next];
        let after_dash = written.strip_prefix(indent).and_then(|rest| rest.strip_prefix('-'));
        if after_dash.is_some_and(|rest| rest.starts_with([' ', '\t', '\r', '\n'])) {
            items.push(line..next);
        } else if !written.trim().is_empty() && !written.trim_start().starts_with('#') {
            items.last_mut()?.end = next;
        }
        line = next;
    }
    let count = list.value.as_list().map_or(0, <[Value]>::len);
    (items.len() == count).then_some(items)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    #[track_caller]
    fn check_added(before: &str, item: &str, after: &str) {
        let edits = add_to_list(before, "tags", &text(item)).expect(before);
        assert_eq!(edits.apply(before), after);
    }

    #[track_caller]
    fn check_removed(before: &str, item: &str, after: &str) {
        let edits = remove_from_list(before, "tags", |value| value.as_text() == Some(item)).expect(before);
        assert_eq!(edits.apply(before), after);
    }

    #[test]
    fn an_item_goes_behind_the_last_one() {
        check_added(
            "---\ntags: # c\n  - a # one\n  # between\n  - b\nx: 1\n---\n",
            "c",
            "---\ntags: # c\n  - a # one\n  # between\n  - b\n  - c\nx: 1\n---\n",
        );
        check_added("---\r\nTags:\r\n- a\r\n---\r\n", "b", "---\r\nTags:\r\n- a\r\n- b\r\n---\r\n");
        check_added("---\ntags: [ a,'b' ] # c\n---\n", "x, y", "---\ntags: [ a,'b', \"x, y\" ] # c\n---\n");
        check_added("---\ntags: [a,]\n---\n", "b", "---\ntags: [a, b]\n---\n");
        check_added("---\ntags: []\n---\n", "b", "---\ntags: [b]\n---\n");
        check_added("---\ntags: [a, # c\n  b # d\n]\n---\n", "e", "---\ntags:\n  - a\n  - b\n  - e\n---\n");
    }

    #[test]
    fn what_is_no_list_becomes_one() {
        check_added("---\ntags: a\n---\n", "b", "---\ntags:\n  - a\n  - b\n---\n");
        check_added("---\ntags:\n---\n", "b", "---\ntags:\n  - b\n---\n");
        check_added("x", "b", "---\ntags:\n  - b\n---\nx");
        check_added("---\n{\"tags\":[\"a\"]}\n---\n", "b", "---\ntags:\n  - a\n  - b\n---\n");
    }

    #[test]
    fn an_item_goes_with_its_lines() {
        check_removed("---\ntags:\n  - a # one\n  # between\n  - b\n  - a\n---\n", "a", "---\ntags:\n  # between\n  - b\n---\n");
        check_removed("---\ntags: [a, \"b,'c\", 'd''e',  a]\n---\n", "a", "---\ntags: [\"b,'c\", 'd''e']\n---\n");
        check_removed("---\ntags: [a, b]\n---\n", "b", "---\ntags: [a]\n---\n");
        check_removed("---\ntags:\n  - a\n---\n", "a", "---\ntags: []\n---\n");
        check_removed("---\ntags: a\nb: 1\n---\n", "a", "---\ntags:\nb: 1\n---\n");
        check_removed("---\ntags:\n  - >-\n    a\n    b\n  - c\n---\n", "a b", "---\ntags:\n  - c\n---\n");
    }

    #[test]
    fn what_is_not_there_changes_nothing() {
        for before in ["", "---\ntags: [a]\n---\n", "---\nx: 1\n---\n", "---\ntags: b\n---\n"] {
            check_removed(before, "none", before);
        }
    }
}
