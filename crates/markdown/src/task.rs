//! Task lines: a list item with one character in brackets.

use crate::span::Span;

/// `- [x] text`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    pub status: char,
    /// After the brackets, with fields, tags and block id.
    pub text: String,
    /// The whole line.
    pub span: Span,
    pub line: usize,
}

/// Reads one line, without its line ending, that starts at `start`.
pub(crate) fn task(line: &str, start: usize) -> Option<Task> {
    let (_, _, after_marker) = item_start(line)?;
    let (status, text) = checkbox(after_marker)?;
    Some(Task { status, text: text.trim().to_owned(), span: start..start + line.len(), line: 0 })
}

/// What stands before the marker of a list item, the marker, and what follows it.
pub(crate) fn item_start(line: &str) -> Option<(&str, &str, &str)> {
    let item = line.trim_start_matches(|character: char| character == '>' || character.is_whitespace());
    let length = match item.as_bytes().first()? {
        b'-' | b'*' | b'+' => 1,
        b'0'..=b'9' => {
            let after_number = item.trim_start_matches(|character: char| character.is_ascii_digit());
            item.len() - after_number.strip_prefix(['.', ')'])?.len()
        }
        _ => return None,
    };
    let (marker, after) = item.split_at(length);
    Some((&line[..line.len() - item.len()], marker, after))
}

/// The character in the brackets and what follows them. A bracket that starts a link is no box.
pub(crate) fn checkbox(after_marker: &str) -> Option<(char, &str)> {
    let bracket = after_marker.trim_start_matches([' ', '\t']);
    if bracket.len() == after_marker.len() {
        return None;
    }
    let mut inside = bracket.strip_prefix('[')?.chars();
    let status = inside.next()?;
    let rest = inside.as_str().strip_prefix(']')?;
    (!rest.starts_with('(')).then_some((status, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_marks_and_quotes_may_stand_before() {
        for line in ["- [x] a", "* [x] a", "+  [x]a", "12. [x] a", "1) [x] a", "\t> - [x]  a "] {
            let found = task(line, 0).expect(line);
            assert_eq!((found.status, found.text.as_str()), ('x', "a"), "{line}");
        }
    }

    #[test]
    fn other_lines_are_no_tasks() {
        for line in ["- [] a", "-[ ] a", "- [xx] a", "[ ] a", "1 [ ] a", "- a", "", "-", "é", "- [a](b.md)"] {
            assert_eq!(task(line, 0), None, "{line}");
        }
    }
}
