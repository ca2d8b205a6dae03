//! Changes one value inside a property, such as `author.name`, and leaves every other byte of the note as it is.

use crate::edit::{Edit, EditError, Edits};
use crate::frontmatter::{Format, Properties, Property, frontmatter, property};
use crate::newline::Eol;
use crate::properties::{checked, indent_of, pairs, readable, remove_property, replaced, set_property};
use crate::span::{Span, line_start};
use crate::value::Value;
use crate::write_scalar::flow_scalar;
use crate::write_yaml::{flow_value, pair};
use crate::yaml;

/// The value at the end of a path of keys; numbers, from 0, lead into lists.
pub fn find_value<'v>(value: &'v Value, path: &[&str]) -> Option<&'v Value> {
    let Some((step, rest)) = path.split_first() else { return Some(value) };
    let inner = match value {
        Value::Map(entries) => &entries[position(entries, step)?].1,
        Value::List(items) => items.get(step.parse::<usize>().ok()?)?,
        _ => return None,
    };
    find_value(inner, rest)
}

/// Sets the value at the end of a path of keys, with the maps on the way to it where they are missing.
pub fn set_property_at(text: &str, path: &[&str], value: &Value) -> Result<Edits, EditError> {
    let Some((key, rest)) = path.split_first() else { return Err(EditError::EmptyKey) };
    if path.contains(&"") {
        return Err(EditError::EmptyKey);
    }
    let Some(block) = frontmatter(text) else { return set_property(text, key, &wrapped(rest, value)) };
    let properties = readable(&block)?;
    let Some(found) = properties.find_property(key) else { return set_property(text, key, &wrapped(rest, value)) };
    let new = with_value(&found.value, found.key.as_str(), rest, Some(value))?;
    if rest.is_empty() || block.format == Format::Json || found.value.is_same(&new) {
        return set_property(text, key, &new);
    }
    let expected = expected(properties, found, &new);
    let level = Level { properties: properties.clone(), style: Style::Block, span: block.inner.clone() };
    let edit = level.set(text, path, value)?;
    checked(text, &path.join("."), edit.into(), &expected)
}

/// Removes the value at the end of a path of keys; a map that loses its last entry stays as an empty one.
pub fn remove_property_at(text: &str, path: &[&str]) -> Result<Edits, EditError> {
    let Some((key, rest)) = path.split_first() else { return Err(EditError::EmptyKey) };
    let block = frontmatter(text);
    let properties = match &block {
        Some(block) => readable(block)?.clone(),
        None => Properties::default(),
    };
    let found = properties.find_property(key).filter(|found| find_value(&found.value, rest).is_some());
    let (Some(block), Some(found)) = (block, found) else {
        let candidates = properties.0.iter().map(|other| other.key.clone()).collect();
        return Err(EditError::NoProperty { key: path.join("."), candidates });
    };
    if rest.is_empty() {
        return remove_property(text, key);
    }
    let new = with_value(&found.value, found.key.as_str(), rest, None)?;
    if block.format == Format::Json {
        return set_property(text, key, &new);
    }
    let expected = expected(&properties, found, &new);
    let level = Level { properties: properties.clone(), style: Style::Block, span: block.inner.clone() };
    let edits = Edits::new(level.remove(text, None, path)?)?;
    checked(text, &path.join("."), edits, &expected)
}

fn expected(properties: &Properties, changed: &Property, value: &Value) -> Vec<(String, Value)> {
    let mut expected = pairs(properties);
    expected.iter_mut().filter(|(key, _)| *key == changed.key).for_each(|(_, old)| *old = value.clone());
    expected
}

/// Where a key stands among entries; an exact match wins over one in another case.
fn position(entries: &[(String, Value)], key: &str) -> Option<usize> {
    let exact = entries.iter().position(|(other, _)| other == key);
    exact.or_else(|| {
        let folded = crate::fold(key);
        entries.iter().position(|(other, _)| crate::fold(other) == folded)
    })
}

/// The value with another one at the end of the path, or with nothing there.
fn with_value(current: &Value, name: &str, path: &[&str], new: Option<&Value>) -> Result<Value, EditError> {
    let Some((step, rest)) = path.split_first() else { return Ok(new.cloned().unwrap_or(Value::Null)) };
    let inside = |value: &Value| with_value(value, step, rest, new);
    let no_place = || EditError::NoPlace { key: name.to_owned(), inside: (*step).to_owned() };
    match (current, new) {
        (Value::Map(entries), _) => {
            let mut entries = entries.clone();
            match (position(&entries, step), new) {
                (Some(at), None) if rest.is_empty() => drop(entries.remove(at)),
                (Some(at), _) => entries[at].1 = inside(&entries[at].1)?,
                (None, Some(value)) => entries.push(((*step).to_owned(), wrapped(rest, value))),
                (None, None) => return Err(no_place()),
            }
            Ok(Value::Map(entries))
        }
        (Value::List(items), _) => {
            let mut items = items.clone();
            match (step.parse::<usize>(), new) {
                (Ok(at), None) if at < items.len() && rest.is_empty() => drop(items.remove(at)),
                (Ok(at), _) if at < items.len() => items[at] = inside(&items[at])?,
                (Ok(at), Some(value)) if at == items.len() => items.push(wrapped(rest, value)),
                _ => return Err(no_place()),
            }
            Ok(Value::List(items))
        }
        (Value::Null, Some(value)) => Ok(wrapped(path, value)),
        _ => Err(no_place()),
    }
}

/// Maps of one entry around the value, the first key outermost.
fn wrapped(path: &[&str], value: &Value) -> Value {
    path.iter().rev().fold(value.clone(), |inner, key| Value::Map(vec![((*key).to_owned(), inner)]))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// One entry a line.
    Block,
    /// `{a: 1, b: 2}`
    Flow,
}

/// The entries of one map, each with its bytes.
struct Level {
    properties: Properties,
    style: Style,
    span: Span,
}

impl Level {
    /// The map that is a property's value; nothing where its entries cannot be told apart.
    fn inside(text: &str, outer: &Property) -> Option<Level> {
        let Value::Map(entries) = &outer.value else { return None };
        let is_flow = text[outer.value_span.clone()].starts_with('{');
        let span = if is_flow {
            outer.value_span.clone()
        } else {
            let start = line_start(text, outer.value_span.start);
            (start >= outer.after_colon?).then_some(start..outer.span.end)?
        };
        let found = yaml::parse(&text[span.clone()]).ok()?;
        let properties = Properties(found.into_iter().map(|entry| property(entry, span.start)).collect());
        let is_same = Value::Map(pairs(&properties)).is_same(&Value::Map(entries.clone()));
        let style = if is_flow { Style::Flow } else { Style::Block };
        is_same.then_some(Level { properties, style, span })
    }

    fn set(&self, text: &str, path: &[&str], value: &Value) -> Result<Edit, EditError> {
        let Some((key, rest)) = path.split_first() else { return Err(EditError::EmptyKey) };
        let Some(found) = self.properties.find_property(key) else { return Ok(self.added(text, key, &wrapped(rest, value))) };
        if rest.is_empty() {
            return Ok(self.replaced(text, found, value));
        }
        if matches!(found.value, Value::Map(_)) {
            let inner = Level::inside(text, found).ok_or_else(|| EditError::Unsafe { key: found.key.clone() })?;
            return inner.set(text, rest, value);
        }
        Ok(self.replaced(text, found, &with_value(&found.value, key, rest, Some(value))?))
    }

    fn remove(&self, text: &str, outer: Option<&Property>, path: &[&str]) -> Result<Vec<Edit>, EditError> {
        let Some((key, rest)) = path.split_first() else { return Err(EditError::EmptyKey) };
        let refused = || EditError::Unsafe { key: (*key).to_owned() };
        let found = self.properties.find_property(key).ok_or_else(refused)?;
        if !rest.is_empty() {
            if let Value::Map(_) = found.value {
                return Level::inside(text, found).ok_or_else(refused)?.remove(text, Some(found), rest);
            }
            return Ok(vec![self.replaced(text, found, &with_value(&found.value, key, rest, None)?)]);
        }
        let entries = &self.properties.0;
        let at = entries.iter().position(|entry| entry.key == found.key).ok_or_else(refused)?;
        match self.style {
            Style::Block if entries.len() > 1 => Ok(vec![Edit::replace(found.span.clone(), "")]),
            Style::Block => {
                let colon = outer.and_then(|outer| outer.after_colon).ok_or_else(refused)?;
                Ok(vec![Edit::insert(colon, " {}"), Edit::replace(found.span.clone(), "")])
            }
            Style::Flow => {
                let range = match (entries.get(at + 1), at.checked_sub(1).map(|before| &entries[before])) {
                    (Some(next), _) => found.span.start..next.span.start,
                    (None, Some(before)) => before.span.end..found.span.end,
                    (None, None) => found.span.clone(),
                };
                Ok(vec![Edit::replace(range, "")])
            }
        }
    }

    fn replaced(&self, text: &str, found: &Property, value: &Value) -> Edit {
        if self.style == Style::Block {
            return replaced(text, found, value);
        }
        let written = flow_value(value);
        match found.after_colon {
            None => Edit::insert(found.key_span.end, format!(": {written}")),
            Some(colon) if found.value_span.is_empty() => Edit::insert(colon, format!(" {written}")),
            Some(_) => Edit::replace(found.value_span.clone(), written),
        }
    }

    /// Behind the last entry.
    fn added(&self, text: &str, key: &str, value: &Value) -> Edit {
        let last = self.properties.0.last();
        match (self.style, last) {
            (Style::Block, last) => {
                let indent = last.map_or("", |last| indent_of(text, last));
                let entry = format!("{indent}{}\n", pair(key, value, indent));
                Edit::insert(last.map_or(self.span.end, |last| last.span.end), Eol::dominant(text).convert(&entry))
            }
            (Style::Flow, last) => {
                let entry = format!("{}: {}", flow_scalar(key), flow_value(value));
                match last {
                    Some(last) => Edit::insert(last.span.end, format!(", {entry}")),
                    None => Edit::insert(self.span.start + 1, entry),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    #[track_caller]
    fn check_set(before: &str, path: &str, value: Value, after: &str) {
        let path: Vec<&str> = path.split('.').collect();
        let edits = set_property_at(before, &path, &value).expect(before);
        assert_eq!(edits.apply(before), after);
    }

    #[track_caller]
    fn check_removed(before: &str, path: &str, after: &str) {
        let path: Vec<&str> = path.split('.').collect();
        let edits = remove_property_at(before, &path).expect(before);
        assert_eq!(edits.apply(before), after);
    }

    const NESTED: &str = "---\ntop: 1 # one\nauthor: # who\n  # inside\n  name:   Ada # first\n  born: {year: 1815, at: London}\n\n  # end\nlast: x\n---\nbody\n";

    #[test]
    fn only_the_inner_value_is_replaced() {
        check_set(NESTED, "author.name", text("Grace"), &NESTED.replace("name:   Ada", "name: Grace"));
        check_set(NESTED, "Author.NAME", Value::Integer(3), &NESTED.replace("name:   Ada", "name: 3"));
        check_set(NESTED, "author.born.year", Value::Integer(1816), &NESTED.replace("1815", "1816"));
        check_set(
            "---\r\na:\r\n    b: 1\r\n    c: 2\r\n---\r\n",
            "a.b",
            text("x"),
            "---\r\na:\r\n    b: x\r\n    c: 2\r\n---\r\n",
        );
    }

    #[test]
    fn what_is_missing_is_added_where_it_belongs() {
        let born = "London}\n";
        check_set(NESTED, "author.died", Value::Integer(1852), &NESTED.replace(born, &format!("{born}  died: 1852\n")));
        check_set(NESTED, "author.born.day", Value::Integer(10), &NESTED.replace("at: London", "at: London, day: 10"));
        check_set(NESTED, "other.deep.er", text("x"), &NESTED.replace("last: x\n", "last: x\nother:\n  deep:\n    er: x\n"));
        check_set("---\na:\n---\n", "a.b", Value::Integer(1), "---\na:\n  b: 1\n---\n");
        check_set("---\na: {}\n---\n", "a.b", Value::Integer(1), "---\na: {b: 1}\n---\n");
        check_set("---\na: {b, c: 1}\n---\n", "a.b", Value::Integer(1), "---\na: {b: 1, c: 1}\n---\n");
        check_set("body", "a.b", Value::Integer(1), "---\na:\n  b: 1\n---\nbody");
    }

    #[test]
    fn lists_are_reached_by_number() {
        check_set("---\na: # c\n  - x\n  - y\n---\n", "a.1", text("z"), "---\na: # c\n  - x\n  - z\n---\n");
        check_set("---\na: [x]\n---\n", "a.1", text("z"), "---\na:\n  - x\n  - z\n---\n");
        let note = "---\na:\n  - k: v\n---\n";
        check_set(note, "a.0.k", text("w"), "---\na:\n  - k: w\n---\n");
        let value = Value::List(vec![Value::Map(vec![("k".to_owned(), text("v"))])]);
        assert_eq!(find_value(&value, &["0", "K"]), Some(&text("v")));
        assert_eq!(find_value(&value, &["1", "k"]), None);
    }

    #[test]
    fn removing_takes_nothing_else() {
        check_removed(NESTED, "author.name", &NESTED.replace("  name:   Ada # first\n", ""));
        check_removed(NESTED, "author.born.year", &NESTED.replace("year: 1815, ", ""));
        check_removed(NESTED, "author.born.at", &NESTED.replace(", at: London", ""));
        check_removed("---\na: # c\n  b: 1\nd: 2\n---\n", "a.b", "---\na: {} # c\nd: 2\n---\n");
        check_removed("---\na: {b: 1}\n---\n", "a.b", "---\na: {}\n---\n");
        check_removed("---\na: [x, y]\n---\n", "a.0", "---\na:\n  - y\n---\n");
    }

    #[test]
    fn what_cannot_be_changed_alone_is_refused() {
        let message = |result: Result<Edits, EditError>| result.map_or_else(|error| error.to_string(), |_| String::new());
        let inside = set_property_at("---\na: text\n---\n", &["a", "b"], &Value::Null);
        assert_eq!(message(inside), "\"a\" has no place for \"b\"; set \"a\" as a whole");
        let anchored = set_property_at("---\na: &x\n  b: 1\nc: *x\n---\n", &["a", "b"], &Value::Integer(2));
        assert!(matches!(anchored, Err(EditError::Unsafe { .. })), "{anchored:?}");
        let missing = remove_property_at("---\na:\n  b: 1\n---\n", &["a", "c"]);
        assert_eq!(message(missing), "no property \"a.c\"; its properties are a");
        assert_eq!(set_property_at("", &["a", ""], &Value::Null), Err(EditError::EmptyKey));
    }
}
