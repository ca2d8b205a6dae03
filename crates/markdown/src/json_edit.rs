//! Edits of JSON as byte ranges: what is not named keeps its bytes, and what is new looks like what stands around it.

use std::collections::BTreeSet;

use crate::json::{JsonKind, JsonNode, parse_json};
use crate::span::{Span, line_start};
use crate::{Edit, Eol};

/// How a new value is laid out where nothing beside it shows how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonLayout {
    /// On one line, as canvases have their nodes.
    Line,
    /// A line for each value, indented.
    Spread,
}

/// Puts another value in the place of one. `json` is its JSON text.
pub fn replace_json(text: &str, node: &JsonNode, json: &str) -> Edit {
    let layout = if is_spread(text, &node.span) { JsonLayout::Spread } else { JsonLayout::Line };
    let style = Style::of(text);
    Edit::replace(node.span.clone(), style.laid_out(json, layout, &style.indent_at(text, node.span.start)))
}

/// Removes items of a list by their places and adds others at its end.
pub fn change_items(text: &str, list: &JsonNode, removed: &BTreeSet<usize>, added: &[String], fallback: JsonLayout) -> Vec<Edit> {
    let children: Vec<Span> = list.items().iter().map(|item| item.span.clone()).collect();
    change_children(text, list, &children, removed, added, fallback)
}

/// Sets members of an object, in their places or at its end, and removes others by name. Values are JSON texts.
pub fn change_members(
    text: &str,
    object: &JsonNode,
    set: &[(&str, String)],
    removed: &[&str],
    fallback: JsonLayout,
) -> Vec<Edit> {
    let members = object.members();
    let children: Vec<Span> = members.iter().map(|member| member.key_span.start..member.value.span.end).collect();
    let gone = members.iter().enumerate().filter(|(_, member)| removed.contains(&member.key.as_str())).map(|(place, _)| place);
    let mut edits = Vec::new();
    let mut added = Vec::new();
    for (key, json) in set {
        match object.get(key).filter(|_| !removed.contains(key)) {
            Some(old) => edits.push(replace_json(text, old, json)),
            None => added.push(format!("{}{}{json}", quoted(key), colon(text, object, fallback))),
        }
    }
    edits.extend(change_children(text, object, &children, &gone.collect(), &added, fallback));
    edits
}

/// A text as a JSON string.
pub fn quoted(text: &str) -> String {
    let mut written = String::with_capacity(text.len() + 2);
    written.push('"');
    for c in text.chars() {
        match c {
            '"' => written.push_str("\\\""),
            '\\' => written.push_str("\\\\"),
            '\n' => written.push_str("\\n"),
            '\r' => written.push_str("\\r"),
            '\t' => written.push_str("\\t"),
            '\u{8}' => written.push_str("\\b"),
            '\u{c}' => written.push_str("\\f"),
            c if u32::from(c) < 0x20 => written.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => written.push(c),
        }
    }
    written.push('"');
    written
}

/// What stands between a name and its value, as the object has it.
fn colon(text: &str, object: &JsonNode, fallback: JsonLayout) -> String {
    match (object.members().first(), fallback) {
        (Some(member), _) => text[member.key_span.end..member.value.span.start].to_owned(),
        (None, JsonLayout::Line) => ":".to_owned(),
        (None, JsonLayout::Spread) => ": ".to_owned(),
    }
}

fn change_children(
    text: &str,
    container: &JsonNode,
    children: &[Span],
    removed: &BTreeSet<usize>,
    added: &[String],
    fallback: JsonLayout,
) -> Vec<Edit> {
    let inside = container.span.start + 1..container.span.end - 1;
    let kept: Vec<usize> = (0..children.len()).filter(|place| !removed.contains(place)).collect();
    let style = Style::of(text);
    let (open, between, close) = style.around(text, &inside, children, container.span.start, fallback);
    let indent = between
        .rsplit(['\n', '\r'])
        .next()
        .filter(|_| between.contains('\n'))
        .map_or_else(|| style.indent_at(text, container.span.start), |indent| indent.trim_start_matches(',').to_owned());
    let layout = children
        .iter()
        .find(|child| text[(*child).clone()].ends_with(['}', ']']))
        .map_or(fallback, |child| if is_spread(text, child) { JsonLayout::Spread } else { JsonLayout::Line });
    let new: Vec<String> = added.iter().map(|json| style.laid_out_child(json, layout, &indent)).collect();
    let Some(&last) = kept.last() else {
        return match (children.is_empty(), new.is_empty()) {
            (true, true) => Vec::new(),
            (_, true) => vec![Edit::replace(inside, String::new())],
            (_, false) => vec![Edit::replace(inside, format!("{open}{}{close}", new.join(&between)))],
        };
    };
    let mut edits: Vec<Edit> =
        runs(removed, children.len()).map(|run| Edit::replace(gap(children, &run), String::new())).collect();
    if !new.is_empty() {
        edits.push(Edit::insert(children[last].end, new.iter().map(|json| format!("{between}{json}")).collect::<String>()));
    }
    edits
}

/// The removed places as runs that touch.
fn runs(removed: &BTreeSet<usize>, count: usize) -> impl Iterator<Item = std::ops::RangeInclusive<usize>> {
    let mut runs: Vec<std::ops::RangeInclusive<usize>> = Vec::new();
    for &place in removed.iter().filter(|place| **place < count) {
        match runs.last_mut() {
            Some(run) if *run.end() + 1 == place => *run = *run.start()..=place,
            _ => runs.push(place..=place),
        }
    }
    runs.into_iter()
}

/// The bytes that go with a run of children of which not all go: with the comma before it, or the one behind it at the start.
fn gap(children: &[Span], run: &std::ops::RangeInclusive<usize>) -> Span {
    match run.start().checked_sub(1) {
        Some(before) => children[before].end..children[*run.end()].end,
        None => children[0].start..children[*run.end() + 1].start,
    }
}

fn is_spread(text: &str, span: &Span) -> bool {
    text[span.clone()].contains('\n')
}

/// How the whole text is written.
struct Style {
    eol: &'static str,
    unit: String,
    has_lines: bool,
}

impl Style {
    fn of(text: &str) -> Style {
        let indent = text.lines().skip(1).find_map(|line| {
            let blank: String = line.chars().take_while(|c| matches!(c, ' ' | '\t')).collect();
            (!blank.is_empty() && !line.trim().is_empty()).then_some(blank)
        });
        let eol = if Eol::dominant(text) == Eol::CrLf { "\r\n" } else { "\n" };
        Style { eol, has_lines: text.trim().contains('\n'), unit: indent.unwrap_or_else(|| "\t".to_owned()) }
    }

    /// The white space before the line that holds this byte.
    fn indent_at(&self, text: &str, offset: usize) -> String {
        let line = &text[line_start(text, offset)..];
        line.chars().take_while(|c| matches!(c, ' ' | '\t')).collect()
    }

    /// What stands before the first child, between two and behind the last, as the container has it or would have it.
    fn around(
        &self,
        text: &str,
        inside: &Span,
        children: &[Span],
        container: usize,
        fallback: JsonLayout,
    ) -> (String, String, String) {
        let [Some(first), Some(last)] = [children.first(), children.last()] else {
            if !self.has_lines && fallback == JsonLayout::Line {
                return (String::new(), ",".to_owned(), String::new());
            }
            let own = self.indent_at(text, container);
            let open = format!("{}{own}{}", self.eol, self.unit);
            return (open.clone(), format!(",{open}"), format!("{}{own}", self.eol));
        };
        let open = text[inside.start..first.start].to_owned();
        let between = match children {
            [first, second, ..] => text[first.end..second.start].to_owned(),
            _ => format!(",{open}"),
        };
        (open, between, text[last.end..inside.end].to_owned())
    }

    /// A child of a list, or a member with its name.
    fn laid_out_child(&self, json: &str, layout: JsonLayout, indent: &str) -> String {
        let Some(start) = json.strip_prefix('"').and_then(|_| value_start(json)) else {
            return self.laid_out(json, layout, indent);
        };
        format!("{}{}", &json[..start], self.laid_out(&json[start..], layout, indent))
    }

    fn laid_out(&self, json: &str, layout: JsonLayout, indent: &str) -> String {
        match parse_json(json) {
            Ok(node) if layout == JsonLayout::Spread => {
                let mut written = String::new();
                self.spread(json, &node, indent, &mut written);
                written
            }
            _ => json.to_owned(),
        }
    }

    fn spread(&self, json: &str, node: &JsonNode, indent: &str, written: &mut String) {
        let inner = format!("{indent}{}", self.unit);
        let line = |written: &mut String, place: usize| {
            written.push_str(if place > 0 { "," } else { "" });
            written.push_str(self.eol);
            written.push_str(&inner);
        };
        match &node.kind {
            JsonKind::Array(items) if !items.is_empty() => {
                written.push('[');
                for (place, item) in items.iter().enumerate() {
                    line(written, place);
                    self.spread(json, item, &inner, written);
                }
                written.push_str(&format!("{}{indent}]", self.eol));
            }
            JsonKind::Object(members) if !members.is_empty() => {
                written.push('{');
                for (place, member) in members.iter().enumerate() {
                    line(written, place);
                    written.push_str(&format!("{}: ", &json[member.key_span.clone()]));
                    self.spread(json, &member.value, &inner, written);
                }
                written.push_str(&format!("{}{indent}}}", self.eol));
            }
            _ => written.push_str(&json[node.span.clone()]),
        }
    }
}

/// Where the value begins in a name with its value; nothing if the text is a value alone.
fn value_start(member: &str) -> Option<usize> {
    let wrapped = format!("{{{member}}}");
    let node = parse_json(&wrapped).ok()?;
    node.members().first().map(|member| member.value.span.start - 1)
}

/// A JSON text with a line for each value, indented by `unit`.
pub fn spread_json(json: &str, unit: &str) -> String {
    let style = Style { eol: "\n", unit: unit.to_owned(), has_lines: true };
    style.laid_out(json, JsonLayout::Spread, "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Edits;

    fn apply(text: &str, edits: Vec<Edit>) -> String {
        Edits::new(edits).expect("the ranges are apart").apply(text)
    }

    #[track_caller]
    fn items(before: &str, removed: &[usize], added: &[&str], after: &str) {
        let root = parse_json(before).expect("JSON");
        let list = root.get("nodes").unwrap_or(&root);
        let added: Vec<String> = added.iter().map(ToString::to_string).collect();
        let edits = change_items(before, list, &removed.iter().copied().collect(), &added, JsonLayout::Line);
        assert_eq!(apply(before, edits), after);
    }

    #[test]
    fn items_come_and_go_with_their_commas() {
        items("[1, 2,3 ]", &[1], &[], "[1,3 ]");
        items("[1, 2,3 ]", &[0], &[], "[2,3 ]");
        items("[1, 2,3 ]", &[2], &["4"], "[1, 2, 4 ]");
        items("[1, 2,3 ]", &[0, 1], &["4"], "[3, 4 ]");
        items("[1, 2,3 ]", &[0, 1, 2], &["4", "5"], "[4, 5 ]");
        items("[1, 2,3 ]", &[0, 1, 2], &[], "[]");
        items("[ ]", &[], &["{\"a\":1}"], "[{\"a\":1}]");
        items("[ ]", &[], &[], "[ ]");
        items("{\n\t\"nodes\":[]\n}", &[], &["1", "2"], "{\n\t\"nodes\":[\n\t\t1,\n\t\t2\n\t]\n}");
        items(
            "{\n\t\"nodes\":[\n\t\t{\"a\":1}\n\t]\n}",
            &[],
            &["{\"b\":2}"],
            "{\n\t\"nodes\":[\n\t\t{\"a\":1},\n\t\t{\"b\":2}\n\t]\n}",
        );
        items(
            "[\r\n  {\r\n    \"a\": 1\r\n  }\r\n]",
            &[],
            &["{\"b\":[2]}"],
            "[\r\n  {\r\n    \"a\": 1\r\n  },\r\n  {\r\n    \"b\": [\r\n      2\r\n    ]\r\n  }\r\n]",
        );
    }

    #[track_caller]
    fn members(before: &str, set: &[(&str, &str)], removed: &[&str], after: &str) {
        let root = parse_json(before).expect("JSON");
        let set: Vec<(&str, String)> = set.iter().map(|(key, json)| (*key, (*json).to_owned())).collect();
        let edits = change_members(before, &root, &set, removed, JsonLayout::Line);
        assert_eq!(apply(before, edits), after);
    }

    #[test]
    fn members_are_set_in_their_places_or_at_the_end() {
        members("{\"a\":1,\"b\" : 2.0}", &[("a", "\"x\"")], &[], "{\"a\":\"x\",\"b\" : 2.0}");
        members("{\"a\":1,\"b\" : 2.0}", &[("c", "3")], &["a"], "{\"b\" : 2.0,\"c\":3}");
        members("{\"a\":1,\"a\":2}", &[("a", "3")], &[], "{\"a\":1,\"a\":3}");
        members("{\"a\":1,\"a\":2}", &[], &["a"], "{}");
        members("{}", &[("k\"", "{\"x\":[]}")], &[], "{\"k\\\"\":{\"x\":[]}}");
        members(
            "{\n  \"a\": {\n    \"x\": 1\n  }\n}",
            &[("b", "{\"y\":2}")],
            &[],
            "{\n  \"a\": {\n    \"x\": 1\n  },\n  \"b\": {\n    \"y\": 2\n  }\n}",
        );
        members(
            "{\n  \"a\": {\n    \"x\": 1\n  }\n}",
            &[("a", "{\"y\":[2]}")],
            &[],
            "{\n  \"a\": {\n    \"y\": [\n      2\n    ]\n  }\n}",
        );
    }

    #[test]
    fn a_text_is_quoted_as_json() {
        assert_eq!(quoted("a\"\\\n\u{1}ä"), "\"a\\\"\\\\\\n\\u0001ä\"");
    }
}
