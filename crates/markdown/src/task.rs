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
    let item = line.trim_start_matches(|character: char| character == '>' || character.is_whitespace());
    let after_marker = match item.as_bytes().first()? {
        b'-' | b'*' | b'+' => &item[1..],
        b'0'..=b'9' => {
            let number = item.trim_start_matches(|character: char| character.is_ascii_digit());
            number.strip_prefix(['.', ')'])?
        }
        _ => return None,
    };
    let bracket = after_marker.trim_start_matches(' ');
    if bracket.len() == after_marker.len() {
        return None;
    }
    let mut inside = bracket.strip_prefix('[')?.chars();
    let status = inside.next()?;
    let text = inside.as_str().strip_prefix(']')?.trim_start_matches(' ');
    Some(Task { status, text: text.trim_end().to_owned(), span: start..start + line.len(), line: 0 })
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
        for line in ["- [] a", "-[ ] a", "- [xx] a", "[ ] a", "1 [ ] a", "- a", "", "-", "é"] {
            assert_eq!(task(line, 0), None, "{line}");
        }
    }
}
