//! Replaces one passage that must occur exactly once.

use crate::edit::Edit;
use crate::newline::{Eol, normalise};

/// Why the passage was not replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplaceError {
    #[error("the text to replace is not in the note; read the note again and copy it exactly")]
    NotFound,
    #[error("the text to replace stands in the note {0} times; include more of the lines around it")]
    NotUnique(usize),
    #[error("the text to replace is empty; give the text that stands there now")]
    Empty,
}

/// Replaces the only occurrence of `old`. Line endings are compared as equal, and `new` gets those
/// of the note; occurrences that overlap count each.
pub fn str_replace(text: &str, old: &str, new: &str) -> Result<Edit, ReplaceError> {
    if old.is_empty() {
        return Err(ReplaceError::Empty);
    }
    let unified = normalise(text);
    let old = normalise(old);
    let starts = occurrences(&unified, &old);
    let start = match starts[..] {
        [] => return Err(ReplaceError::NotFound),
        [start] => start,
        _ => return Err(ReplaceError::NotUnique(starts.len())),
    };
    let range = original(text, start)..original(text, start + old.len());
    Ok(Edit::replace(range, Eol::dominant(text).convert(new)))
}

fn occurrences(text: &str, old: &str) -> Vec<usize> {
    let finder = memchr::memmem::Finder::new(old);
    let mut starts = Vec::new();
    let mut from = 0;
    while let Some(found) = finder.find(&text.as_bytes()[from..]) {
        starts.push(from + found);
        from += found + 1;
    }
    starts
}

/// The offset in the text of an offset in the text with `\n` for `\r\n`.
fn original(text: &str, unified: usize) -> usize {
    let bytes = text.as_bytes();
    let mut dropped = 0;
    for newline in memchr::memchr_iter(b'\n', bytes) {
        if newline == 0 || bytes[newline - 1] != b'\r' {
            continue;
        }
        // In the unified text this line ending starts at `newline - 1 - dropped`.
        if unified <= newline - 1 - dropped {
            break;
        }
        dropped += 1;
    }
    unified + dropped
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, old: &str, new: &str, expected: Result<&str, ReplaceError>) {
        let result = str_replace(text, old, new).map(|edit| edit.apply(text));
        assert_eq!(result.as_deref().map_err(|error| *error), expected);
    }

    #[test]
    fn one_occurrence_is_replaced() {
        check("a b c", "b", "$1", Ok("a $1 c"));
        check("a b a", "a", "x", Err(ReplaceError::NotUnique(2)));
        check("aaa", "aa", "x", Err(ReplaceError::NotUnique(2)));
        check("a", "b", "x", Err(ReplaceError::NotFound));
        check("a", "", "x", Err(ReplaceError::Empty));
    }

    #[test]
    fn line_endings_are_those_of_the_note() {
        check("a\r\nb\r\nc\r\n", "a\nb\n", "x\ny\n", Ok("x\r\ny\r\nc\r\n"));
        check("a\r\nb\r\n", "\nb", "\nc", Ok("a\r\nc\r\n"));
        check("a\nb\n", "a\r\nb", "x\r\ny", Ok("x\ny\n"));
        check("é\r\nü\r\n", "ü", "u", Ok("é\r\nu\r\n"));
    }

    proptest! {
        #[test]
        fn equals_the_naive_model(text in "[ab\n]{0,12}", old in "[ab\n]{1,3}", new in "[abx\n]{0,4}") {
            let count = (0..text.len()).filter(|&at| text[at..].starts_with(&old)).count();
            let expected = match count {
                0 => Err(ReplaceError::NotFound),
                1 => Ok(text.replacen(&old, &new, 1)),
                more => Err(ReplaceError::NotUnique(more)),
            };
            let result = str_replace(&text, &old, &new).map(|edit| edit.apply(&text));
            prop_assert_eq!(result, expected);
        }

        #[test]
        fn windows_line_endings_give_the_same_result(
            text in "[abé\n]{0,12}", old in "[abé\n]{1,3}", new in "[ab\n]{0,4}",
        ) {
            let windows = text.replace('\n', "\r\n");
            let expected = str_replace(&text, &old, &new).map(|edit| edit.apply(&text));
            let result = str_replace(&windows, &old, &new).map(|edit| edit.apply(&windows));
            let unified = result.map(|result| result.replace("\r\n", "\n"));
            prop_assert_eq!(unified, expected);
        }
    }
}
