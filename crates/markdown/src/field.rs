//! Inline fields: `Key:: value` on a line of its own, `[key:: value]` and `(key:: value)` in text.

use crate::list_item::ListItem;
use crate::span::Span;

/// A key and its raw value; what the value means is for the reader of the field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlineField {
    /// Without formatting marks, otherwise as written.
    pub key: String,
    /// Trimmed; may be empty.
    pub value: String,
    /// The line, or the brackets with what they hold.
    pub span: Span,
    pub line: usize,
}

/// The key under which queries find a field: lower case, spaces as `-`, other marks dropped.
pub fn field_key(key: &str) -> String {
    let is_kept = |character: &char| matches!(character, '_' | '-' | '/') || character.is_alphanumeric() || !character.is_ascii();
    let lowered = key.to_lowercase();
    let words = lowered.split_whitespace().map(|word| word.chars().filter(is_kept).collect());
    words.filter(|word: &String| !word.is_empty()).collect::<Vec<_>>().join("-")
}

/// Longer lines hold data, not fields; Dataview stops here too.
const MAX_LINE: usize = 32_768;

/// Reads one line, without its line ending, that starts at `start`.
///
/// A field over the whole line is read only where no bracketed one stands, and never in lists: see [`item_field`].
pub(crate) fn fields(line: &str, start: usize, in_list: bool) -> Vec<InlineField> {
    if line.len() > MAX_LINE || memchr::memmem::find(line.as_bytes(), b"::").is_none() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(open) = line[from..].find(['[', '(']).map(|at| from + at) {
        let Some((field, end)) = bracketed(line, open, start) else {
            from = open + 1;
            continue;
        };
        found.push(field);
        from = end;
    }
    if found.is_empty() && !in_list {
        found.extend(full_line(line, start));
    }
    found
}

/// The field that a list item is as a whole, over all its lines.
pub(crate) fn item_field(item: &ListItem) -> Option<InlineField> {
    let joined = item.text.replace('\n', " ");
    if joined.len() > MAX_LINE {
        return None;
    }
    Some(InlineField { span: item.span.clone(), ..full_line(&joined, 0)? })
}

fn bracketed(line: &str, open: usize, start: usize) -> Option<(InlineField, usize)> {
    let (opening, closing) = if line[open..].starts_with('[') { ('[', ']') } else { ('(', ')') };
    // A bracket in the key would make it another field: stop there instead of at the line's end.
    let rest = &line[open + 1..];
    let stop = rest.find(['[', ']', '(', ')']).unwrap_or(rest.len());
    let separator = rest[..stop].find("::")?;
    let key = rest[..separator].trim();
    if key.is_empty() {
        return None;
    }
    let value_start = open + 1 + separator + 2;
    let close = find_closing(line, value_start, opening, closing)?;
    let field = InlineField {
        key: strip_marks(key).to_owned(),
        value: line[value_start..close].trim().to_owned(),
        span: start + open..start + close + 1,
        line: 0,
    };
    Some((field, close + 1))
}

/// Brackets inside the value nest; a backslash takes the next character out of the count.
fn find_closing(line: &str, from: usize, opening: char, closing: char) -> Option<usize> {
    let mut depth = 0usize;
    let mut escaped = false;
    for (index, character) in line[from..].char_indices() {
        match character {
            '\\' => escaped = !escaped,
            _ if escaped => escaped = false,
            character if character == opening => depth += 1,
            character if character == closing && depth == 0 => return Some(from + index),
            character if character == closing => depth -= 1,
            _ => {}
        }
    }
    None
}

fn full_line(line: &str, start: usize) -> Option<InlineField> {
    let (key, value) = line.split_once("::")?;
    let key = strip_marks(key);
    let is_key = |character: char| {
        character.is_alphanumeric() || character.is_whitespace() || matches!(character, '_' | '/' | '-') || is_emoji(character)
    };
    if key.is_empty() || !key.chars().all(is_key) {
        return None;
    }
    let indent = line.len() - line.trim_start().len();
    Some(InlineField {
        key: key.to_owned(),
        value: value.trim().to_owned(),
        span: start + indent..start + line.trim_end().len(),
        line: 0,
    })
}

fn strip_marks(key: &str) -> &str {
    let is_mark = |character: char| character.is_whitespace() || "_*~`".contains(character);
    let key = key.trim_start_matches(|character: char| !character.is_alphanumeric() && !is_emoji(character));
    key.trim_end_matches(is_mark)
}

/// Close enough: symbols of the emoji planes, with joiners and variation selectors.
fn is_emoji(character: char) -> bool {
    matches!(character, '\u{1F000}'..='\u{1FAFF}' | '\u{2190}'..='\u{2BFF}' | '\u{200D}' | '\u{FE0F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: &[(&str, &str)]) {
        let found = fields(line, 0, false);
        let found: Vec<(&str, &str)> = found.iter().map(|field| (field.key.as_str(), field.value.as_str())).collect();
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn a_line_may_be_one_field() {
        check("Basic Field:: Some value", &[("Basic Field", "Some value")]);
        check("**Rating**:: 6", &[("Rating", "6")]);
        check("x:: ", &[("x", "")]);
        check("a::b::c", &[("a", "b::c")]);
        check("> quoted:: 1", &[("quoted", "1")]);
        check("see std::fs here", &[("see std", "fs here")]);
    }

    #[test]
    fn brackets_nest_and_win_over_the_line() {
        check("[k:: a [b] c]", &[("k", "a [b] c")]);
        check("x (a:: 1) and [b:: [[L]]]", &[("a", "1"), ("b", "[[L]]")]);
        check("[k:: a\\] b]", &[("k", "a\\] b")]);
        check("[a [k:: v]]", &[("k", "v")]);
        check("[k:: open", &[("k", "open")]);
    }

    #[test]
    fn lists_hold_only_bracketed_fields() {
        assert_eq!(fields("- a:: b", 0, true), []);
        assert_eq!(fields("- [a:: b]", 0, true).len(), 1);
    }

    #[test]
    fn keys_are_sanitised_for_queries() {
        assert_eq!(field_key("Basic Field"), "basic-field");
        assert_eq!(field_key("**Rating**"), "rating");
        assert_eq!(field_key("Größe (cm)"), "größe-cm");
    }
}
