//! The destination of a Markdown link: where it stands and what it means.

use std::borrow::Cow;

use crate::span::Span;

/// A destination as written between the brackets of `[text](…)`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Destination {
    /// Without angle brackets.
    pub(crate) span: Span,
    pub(crate) angle: bool,
    /// After the closing bracket.
    pub(crate) end: usize,
}

/// Reads `(destination "title")` from the opening bracket at `open`.
pub(crate) fn inline_destination(text: &str, open: usize) -> Option<Destination> {
    let start = skip_space(text, open + 1);
    let (span, angle, after) = bare_or_angle(text, start)?;
    let spaced = skip_space(text, after);
    if text.as_bytes().get(spaced) == Some(&b')') {
        return Some(Destination { span, angle, end: spaced + 1 });
    }
    if spaced == after {
        return None;
    }
    let end = skip_space(text, title_end(text, spaced)?);
    (text.as_bytes().get(end) == Some(&b')')).then_some(Destination { span, angle, end: end + 1 })
}

/// Reads the destination of `[label]: destination "title"`, whose label starts at `open`.
pub(crate) fn defined_destination(text: &str, definition: &Span) -> Option<Destination> {
    let label_end = definition.start + memchr::memmem::find(text[definition.clone()].as_bytes(), b"]:")?;
    let start = skip_space(text, label_end + 2);
    let (span, angle, _) = bare_or_angle(text, start)?;
    (span.end <= definition.end).then_some(Destination { span, angle, end: definition.end })
}

fn bare_or_angle(text: &str, start: usize) -> Option<(Span, bool, usize)> {
    if text.as_bytes().get(start) == Some(&b'<') {
        let end = angle_end(text, start + 1)?;
        return Some((start + 1..end, true, end + 1));
    }
    let end = bare_end(text, start)?;
    Some((start..end, false, end))
}

fn angle_end(text: &str, start: usize) -> Option<usize> {
    let mut escaped = false;
    for (index, byte) in text.as_bytes()[start..].iter().enumerate() {
        match byte {
            b'\n' | b'\r' => return None,
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'<' => return None,
            b'>' => return Some(start + index),
            _ => {}
        }
    }
    None
}

/// As the block parser has it; also keeps hostile text from taking quadratic time.
const MAX_NESTED_BRACKETS: usize = 32;

/// Brackets inside a bare destination must be balanced.
fn bare_end(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0usize;
    let mut index = start;
    while let Some(&byte) = bytes.get(index) {
        match byte {
            b'\\' if bytes.get(index + 1).is_some_and(u8::is_ascii_punctuation) => index += 1,
            b'(' if depth == MAX_NESTED_BRACKETS => return None,
            b'(' => depth += 1,
            b')' if depth == 0 => break,
            b')' => depth -= 1,
            0..=b' ' | 0x7f => break,
            _ => {}
        }
        index += 1;
    }
    (depth == 0).then_some(index)
}

fn title_end(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let close = match bytes.get(start)? {
        b'(' => b')',
        quote @ (b'"' | b'\'') => *quote,
        _ => return None,
    };
    let mut index = start + 1;
    while let Some(&byte) = bytes.get(index) {
        if byte == close {
            return Some(index + 1);
        }
        if byte == b'(' && close == b')' {
            return None;
        }
        if byte == b'\n' && bytes.get(index + 1).is_none_or(|next| matches!(next, b'\n' | b'\r')) {
            return None;
        }
        index += if byte == b'\\' { 2 } else { 1 };
    }
    None
}

/// Skips blanks and at most one line ending.
fn skip_space(text: &str, start: usize) -> usize {
    let mut newlines = 0;
    let mut index = start;
    while let Some(&byte) = text.as_bytes().get(index) {
        match byte {
            b'\n' if newlines == 1 => break,
            b'\n' => newlines += 1,
            b' ' | b'\t' | b'\r' => {}
            _ => break,
        }
        index += 1;
    }
    index
}

/// The path or subpath that the written destination means.
pub(crate) fn decode(written: &str) -> String {
    percent_decode(&unescape(written)).into_owned()
}

/// Drops the backslash before punctuation.
pub(crate) fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut result = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match characters.peek() {
            Some(next) if character == '\\' && next.is_ascii_punctuation() => {
                result.extend(characters.next());
            }
            _ => result.push(character),
        }
    }
    Cow::Owned(result)
}

/// Leaves the text as it is when the bytes it stands for are not UTF-8.
fn percent_decode(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut index = 0;
    while index < bytes.len() {
        let (byte, width) = match (bytes[index], hex_pair(bytes, index + 1)) {
            (b'%', Some(byte)) => (byte, 3),
            (byte, _) => (byte, 1),
        };
        decoded.push(byte);
        index += width;
    }
    String::from_utf8(decoded).map_or(Cow::Borrowed(text), Cow::Owned)
}

fn hex_pair(bytes: &[u8], index: usize) -> Option<u8> {
    let high = char::from(*bytes.get(index)?).to_digit(16)?;
    let low = char::from(*bytes.get(index + 1)?).to_digit(16)?;
    u8::try_from(high * 16 + low).ok()
}

/// Encodes space, control characters and backslash, as the app does.
///
/// Beyond that only what would be read as something else: `#`, `%41`, brackets without a partner.
pub(crate) fn encode(path: &str) -> String {
    let unbalanced = !has_balanced_brackets(path);
    let mut result = String::with_capacity(path.len());
    for (index, character) in path.char_indices() {
        let encoded = match character {
            '\0'..=' ' | '\x7f' | '\\' | '#' => true,
            '(' | ')' => unbalanced,
            '<' => index == 0,
            '%' => hex_pair(path.as_bytes(), index + 1).is_some(),
            _ => false,
        };
        if encoded {
            result.push_str(&format!("%{:02X}", u32::from(character)));
        } else {
            result.push(character);
        }
    }
    result
}

fn has_balanced_brackets(path: &str) -> bool {
    let mut depth = 0usize;
    for byte in path.bytes() {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 0 => return false,
            b')' => depth -= 1,
            _ => {}
        }
    }
    depth == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<(&str, bool)>) {
        let open = text.find('(').expect("the case has a bracket");
        let found = inline_destination(text, open);
        let found = found.map(|found| (&text[found.span], found.angle));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn destinations_are_found_with_and_without_titles() {
        check("(a.md)", Some(("a.md", false)));
        check("( a.md )", Some(("a.md", false)));
        check("(a.md \"t)\")", Some(("a.md", false)));
        check("(a.md 't')", Some(("a.md", false)));
        check("(<a b.md> (t))", Some(("a b.md", true)));
        check("(a(b).md)", Some(("a(b).md", false)));
        check("(a\\).md)", Some(("a\\).md", false)));
        check("()", Some(("", false)));
    }

    #[test]
    fn broken_destinations_are_refused() {
        for text in ["(a b.md)", "(a.md", "(<a.md)", "(a.md \"t)", "(a.md\n\n)", "(a(b.md)"] {
            check(text, None);
        }
    }

    #[test]
    fn decoding_keeps_what_is_not_utf8() {
        assert_eq!(decode("a%20b"), "a b");
        assert_eq!(decode("100%"), "100%");
        assert_eq!(decode("%ff"), "%ff");
        assert_eq!(decode("a\\(b"), "a(b");
        assert_eq!(decode("%E6%97%A5"), "日");
    }

    #[test]
    fn encoding_touches_only_space_control_and_backslash() {
        assert_eq!(encode("日本 語\\a\tb%"), "日本%20語%5Ca%09b%");
    }
}
