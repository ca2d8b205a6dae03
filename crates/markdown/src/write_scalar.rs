//! Writes a text as a YAML scalar, byte for byte as the app's library (npm `yaml` 2.7) does.

use crate::scalar::is_not_text;

/// Where the scalar stands; keys and flow collections allow less than block values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Key,
    Value,
    Flow,
}

/// From this length on, line breaks in double quotes are written as line breaks.
const MULTI_LINE_LENGTH: usize = 40;

/// `indent` is what continuation lines start with.
pub(crate) fn text_scalar(text: &str, indent: &str, place: Place) -> String {
    if text.chars().any(needs_escape) {
        return double_quoted(text, indent, place);
    }
    let has_newline = text.contains('\n');
    if (place == Place::Key && has_newline) || (place == Place::Flow && text.contains(['[', ']', '{', '}', ','])) {
        return quoted(text, indent, place);
    }
    if text.is_empty() || !is_plain_syntax(text) {
        return if place == Place::Value && has_newline { block(text, indent) } else { quoted(text, indent, place) };
    }
    if place == Place::Value && has_newline {
        return block(text, indent);
    }
    let top_level_key = place == Place::Key && indent == "  ";
    if (top_level_key && contains_document_marker(text)) || is_not_text(text) {
        return quoted(text, indent, place);
    }
    text.to_owned()
}

/// The scalar inside brackets or braces, always on one line.
pub(crate) fn flow_scalar(text: &str) -> String {
    if text.contains('\n') { double_quoted(text, "", Place::Key) } else { text_scalar(text, "", Place::Flow) }
}

/// Control characters force double quotes.
fn needs_escape(character: char) -> bool {
    matches!(character, '\0'..='\x08' | '\x0b'..='\x1f' | '\x7f'..='\u{9f}')
        // The reader refuses a byte order mark inside a plain scalar.
        || character == '\u{feff}'
}

fn contains_document_marker(text: &str) -> bool {
    text.split(['\n', '\r', '\u{2028}', '\u{2029}'])
        .any(|line| line.starts_with('%') || line.starts_with("---") || line.starts_with("..."))
}

fn is_plain_syntax(text: &str) -> bool {
    let bytes = text.as_bytes();
    let first_is_good = !matches!(
        bytes[0],
        b'\n'
            | b'\t'
            | b' '
            | b','
            | b'['
            | b']'
            | b'{'
            | b'}'
            | b'#'
            | b'&'
            | b'*'
            | b'!'
            | b'|'
            | b'>'
            | b'\''
            | b'"'
            | b'%'
            | b'@'
            | b'`'
    );
    let indicator = matches!(bytes[0], b'?' | b'-') && bytes.get(1).is_none_or(|second| matches!(second, b' ' | b'\t'));
    let last_is_good = !matches!(bytes[bytes.len() - 1], b'\n' | b'\t' | b' ' | b':');
    let pairs_are_good = bytes
        .windows(2)
        .all(|pair| !matches!(pair, [b'\n' | b':', b' ' | b'\t'] | [b' ' | b'\t', b'\n'] | [b'\n' | b'\t' | b' ', b'#']));
    first_is_good && !indicator && last_is_good && pairs_are_good
}

fn quoted(text: &str, indent: &str, place: Place) -> String {
    if text.contains('"') && !text.contains('\'') {
        return single_quoted(text, indent, place);
    }
    double_quoted(text, indent, place)
}

fn single_quoted(text: &str, indent: &str, place: Place) -> String {
    let blank = |byte: u8| matches!(byte, b' ' | b'\t');
    let space_at_break =
        text.as_bytes().windows(2).any(|pair| (blank(pair[0]) && pair[1] == b'\n') || (pair[0] == b'\n' && blank(pair[1])));
    if space_at_break || (place == Place::Key && text.contains('\n')) {
        return double_quoted(text, indent, place);
    }
    format!("'{}'", after_line_breaks(&text.replace('\'', "''"), &format!("\n{indent}")))
}

/// Puts the insertion behind every run of line breaks.
fn after_line_breaks(text: &str, insertion: &str) -> String {
    let mut result = String::with_capacity(text.len() + insertion.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        result.push(character);
        if character == '\n' && characters.peek() != Some(&'\n') {
            result.push_str(insertion);
        }
    }
    result
}

fn double_quoted(text: &str, indent: &str, place: Place) -> String {
    let json_length = text.chars().map(json_width).sum::<usize>() + 2;
    let one_line = place == Place::Key || json_length < MULTI_LINE_LENGTH;
    let characters: Vec<char> = text.chars().collect();
    let mut result = String::with_capacity(text.len() + 8);
    result.push('"');
    let mut index = 0;
    while index < characters.len() {
        let character = characters[index];
        let next = characters.get(index + 1).copied();
        match character {
            // A blank before a line break would be lost in folding.
            ' ' if next == Some('\n') => result.push_str("\\ "),
            '\n' if one_line || next.is_none() => result.push_str("\\n"),
            '\n' => index = push_line_breaks(&mut result, &characters, index, indent),
            other => push_escaped(&mut result, other),
        }
        index += 1;
    }
    result.push('"');
    result
}

/// Writes a run of line breaks as such, one more than there are; returns the last one's index.
fn push_line_breaks(result: &mut String, characters: &[char], from: usize, indent: &str) -> usize {
    let mut index = from;
    result.push_str("\n\n");
    while characters.get(index + 1) == Some(&'\n') && characters.get(index + 2).is_some() {
        result.push('\n');
        index += 1;
    }
    result.push_str(indent);
    if characters.get(index + 1) == Some(&' ') {
        result.push('\\');
    }
    index
}

fn push_escaped(result: &mut String, character: char) {
    match character {
        '"' => result.push_str("\\\""),
        '\\' => result.push_str("\\\\"),
        '\x08' => result.push_str("\\b"),
        '\x0c' => result.push_str("\\f"),
        '\n' => result.push_str("\\n"),
        '\r' => result.push_str("\\r"),
        '\t' => result.push_str("\\t"),
        '\0' => result.push_str("\\0"),
        '\x07' => result.push_str("\\a"),
        '\x0b' => result.push_str("\\v"),
        '\x1b' => result.push_str("\\e"),
        '\x01'..='\x1f' => result.push_str(&format!("\\x{:02x}", u32::from(character))),
        '\u{feff}' => result.push_str("\\uFEFF"),
        other => result.push(other),
    }
}

/// How long JavaScript's JSON writes the character, in UTF-16 units.
fn json_width(character: char) -> usize {
    match character {
        '"' | '\\' | '\x08' | '\x0c' | '\n' | '\r' | '\t' => 2,
        '\0'..='\x1f' => 6,
        other => other.len_utf16(),
    }
}

/// A literal block; texts it cannot hold are quoted.
fn block(text: &str, indent: &str) -> String {
    let blank = [' ', '\t', '\n'];
    let body_end = text.trim_end_matches(blank).len();
    let tail = &text[body_end..];
    let ends_in_blank_line = tail.contains('\n') && tail.ends_with([' ', '\t']);
    if ends_in_blank_line || text.chars().all(char::is_whitespace) {
        return quoted(text, indent, Place::Value);
    }
    let chomp = match tail.find('\n') {
        None => "-",
        Some(first) if first + 1 != tail.len() => "+",
        Some(_) => "",
    };
    let tail = tail.strip_suffix('\n').unwrap_or(tail);
    let body = &text[..body_end];
    let lead = &body[..body.len() - body.trim_start_matches([' ', '\n']).len()];
    let indicator = if lead.contains(' ') { "2" } else { "" };
    let start = lead.rfind('\n').map_or(lead, |last| &lead[..=last]);
    let body = &body[start.len()..];
    let start = after_line_breaks(start, indent);
    let body = after_line_breaks(body, indent);
    let tail = after_inner_line_breaks(tail, indent);
    format!("|{indicator}{chomp}\n{indent}{start}{body}{tail}")
}

/// As [`after_line_breaks`], but a run at the very end gets nothing.
fn after_inner_line_breaks(text: &str, insertion: &str) -> String {
    let inner = text.trim_end_matches('\n');
    let mut result = after_line_breaks(inner, insertion);
    result.push_str(&text[inner.len()..]);
    result
}
