//! YAML that the scanner refuses and the app reads, with as many bytes changed as it takes, and none moved.

use std::borrow::Cow;

use crate::span::{Span, line_end, line_start, next_line};
use crate::yaml::YamlError;

pub(crate) struct Repaired<'a> {
    pub(crate) text: Cow<'a, str>,
    /// Dashes behind a colon with nothing behind them, which the app reads as a list of one null. The text has a `~` there.
    pub(crate) dashes: Vec<usize>,
}

impl<'a> Repaired<'a> {
    pub(crate) fn of(text: &'a str) -> Repaired<'a> {
        Repaired { text: Cow::Borrowed(text), dashes: Vec::new() }
    }

    /// False when nothing can be done about the error.
    pub(crate) fn repair(&mut self, error: &YamlError) -> bool {
        let start: usize = self.text.split_inclusive('\n').take(error.line - 1).map(str::len).sum();
        if let Some(tab) = find_tab(&self.text, start, error) {
            self.text.to_mut().replace_range(tab..=tab, " ");
        } else if let Some(dash) = find_dash(&self.text, start, error) {
            self.text.to_mut().replace_range(dash..=dash, "~");
            self.dashes.push(dash);
        } else if let Some(gap) = find_empty_brackets(&self.text, start, error) {
            let blanks = " ".repeat(gap.len());
            self.text.to_mut().replace_range(gap, &blanks);
        } else {
            return false;
        }
        true
    }
}

/// Between colon and value, where YAML allows a tab.
fn find_tab(text: &str, start: usize, error: &YamlError) -> Option<usize> {
    if !error.message.starts_with("':' must be followed") {
        return None;
    }
    let line = &text[start..line_end(text, start)];
    line.find(":\t").map(|colon| start + colon + 1)
}

/// `key: -`, unless the lines below belong to the dash.
fn find_dash(text: &str, start: usize, error: &YamlError) -> Option<usize> {
    if !error.message.starts_with("block sequence entries are not allowed") {
        return None;
    }
    let line = &text[start..line_end(text, start)];
    let comment = line.find(" #").into_iter().chain(line.find("\t#")).min();
    let written = line[..comment.unwrap_or(line.len())].trim_end();
    let before = written.strip_suffix('-').filter(|before| before.ends_with(' ') && before.trim_end().ends_with(':'))?;
    let column = line.len() - line.trim_start_matches([' ', '-']).len();
    let mut below = next_line(text, start);
    while below < text.len() && text[below..line_end(text, below)].trim().is_empty() {
        below = next_line(text, below);
    }
    let next = &text[below..line_end(text, below)];
    let content = next.trim_start_matches(' ');
    let belongs = next.len() - content.len() > column || content.starts_with('-');
    (!belongs || content.is_empty()).then_some(start + before.len())
}

/// What stands between brackets with nothing but a line ending in them, unless the second is indented less than what they are the value of.
fn find_empty_brackets(text: &str, start: usize, error: &YamlError) -> Option<Span> {
    if error.message != "invalid indentation" {
        return None;
    }
    let line = &text[start..line_end(text, start)];
    let column = line.len() - line.trim_start_matches(' ').len();
    let before = text[..start].trim_end();
    let first = &before[line_start(before, before.len())..];
    let is_pair =
        line[column..].starts_with(']') && first.ends_with('[') || line[column..].starts_with('}') && first.ends_with('{');
    let is_alone = first.matches(['[', '{']).count() == 1;
    let item = &first[..first.len() - first.trim_start_matches([' ', '-']).len()];
    let block = if item.len() + 1 == first.len() { item.rfind('-')? } else { item.len() };
    (is_pair && is_alone && column >= block).then_some(before.len()..start + column)
}

#[cfg(test)]
mod tests {
    use crate::value::Value;
    use crate::yaml::parse;

    fn read(text: &str) -> Option<Vec<(String, Value)>> {
        let entries = parse(text).ok()?;
        Some(entries.into_iter().map(|entry| (entry.key, entry.value)).collect())
    }

    fn check(text: &str, expected: Option<Value>) {
        assert_eq!(read(text).map(|mut entries| entries.remove(0).1), expected, "{text:?}");
    }

    #[test]
    fn a_dash_alone_is_a_list_of_nothing() {
        let dash = || Some(Value::List(vec![Value::Null]));
        check("k: -\n", dash());
        check("k: - # c\nb: 1\n", dash());
        check("k:   -\t# c\r\nb: 1\r\n", dash());
        check("k: - a\n", None);
        check("k: -\n  - a\n", None);
        check("k: -\n- a\n", None);
        let inside = Value::Map(vec![("x".to_owned(), Value::List(vec![Value::Null])), ("y".to_owned(), Value::Integer(1))]);
        check("k:\n  x: -\n  y: 1\n", Some(inside));
    }

    #[test]
    fn a_bracket_may_close_below_its_key() {
        check("k: [\n]\n", Some(Value::List(Vec::new())));
        check("k: {\r\n}\r\nb: 1\r\n", Some(Value::Map(Vec::new())));
        check("k: [\n  1\n]\n", Some(Value::List(vec![Value::Integer(1)])));
        check("k: [\n1\n]\n", None);
        check("k: [1\n, 2]\n", None);
        check("k:\n  - [\n]\n", None);
    }

    #[test]
    fn lines_of_quoted_texts_are_indented() {
        check("k: \"a\n b\"\n", Some(Value::Text("a b".to_owned())));
        check("k: \"a\nb\"\n", None);
        check("k:\n- 'a\n b'\n", Some(Value::List(vec![Value::Text("a b".to_owned())])));
        check("k:\n  - 'a\n  b'\n", None);
        check("k: &a\n  - 'a\n   b'\n", Some(Value::List(vec![Value::Text("a b".to_owned())])));
        check("k: &a\n  - 'a\n  b'\n", None);
        check("k: &a\n- 'a\n b'\n", Some(Value::List(vec![Value::Text("a b".to_owned())])));
        check("k: &a\n  [1,\n 2]\n", Some(Value::List(vec![Value::Integer(1), Value::Integer(2)])));
    }
}
