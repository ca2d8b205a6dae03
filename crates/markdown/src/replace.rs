//! Replaces a passage that must occur exactly as often as expected, mostly once.

use crate::edit::{Edit, Edits};
use crate::newline::{Eol, normalise};

/// Why the passage was not replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplaceError {
    #[error("the text to replace is not in the note; read the note again and copy it exactly")]
    NotFound,
    #[error("the text to replace stands in the note {0} times; include more of the lines around it")]
    NotUnique(usize),
    #[error("the text to replace stands in the note {found} times, not {expected}; read the note again")]
    Miscounted { found: usize, expected: usize },
    #[error("the text to replace is empty; give the text that stands there now")]
    Empty,
}

/// Replaces the only occurrence of `old`. Line endings are compared as equal, and `new` gets those
/// of the note; occurrences that overlap count each.
pub fn str_replace(text: &str, old: &str, new: &str) -> Result<Edit, ReplaceError> {
    match &replace_counted(text, old, new, 1)?.into_vec()[..] {
        [edit] => Ok(edit.clone()),
        _ => Err(ReplaceError::NotFound),
    }
}

/// Replaces every occurrence of `old`, of which there must be as many as expected.
pub fn replace_counted(text: &str, old: &str, new: &str, expected: usize) -> Result<Edits, ReplaceError> {
    if old.is_empty() {
        return Err(ReplaceError::Empty);
    }
    let unified = normalise(text);
    let old = normalise(old);
    let starts = occurrences(&unified, &old);
    let found = starts.len();
    match found {
        0 => return Err(ReplaceError::NotFound),
        _ if found == expected => {}
        _ if expected == 1 => return Err(ReplaceError::NotUnique(found)),
        _ => return Err(ReplaceError::Miscounted { found, expected }),
    }
    let new = Eol::dominant(text).convert(new);
    let originals = Originals::of(text);
    let edits = starts.into_iter().map(|start| {
        let range = originals.offset(start)..originals.offset(start + old.len());
        Edit::replace(range, &*new)
    });
    // Occurrences that overlap cannot all be replaced.
    Edits::new(edits.collect()).map_err(|_| ReplaceError::NotUnique(found))
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

/// Turns offsets in the text with `\n` for `\r\n` into offsets in the text itself.
struct Originals {
    /// Where each `\r\n` starts in the text with `\n`.
    shortened: Vec<usize>,
}

impl Originals {
    fn of(text: &str) -> Originals {
        let bytes = text.as_bytes();
        let newlines = memchr::memchr_iter(b'\n', bytes);
        let windows = newlines.filter(|&newline| newline > 0 && bytes[newline - 1] == b'\r');
        Originals { shortened: windows.enumerate().map(|(dropped, newline)| newline - 1 - dropped).collect() }
    }

    fn offset(&self, unified: usize) -> usize {
        unified + self.shortened.partition_point(|&start| start < unified)
    }
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
    fn several_occurrences_are_replaced_when_they_are_counted_right() {
        let check = |text: &str, old: &str, new: &str, expected: usize, result: Result<&str, ReplaceError>| {
            let found = replace_counted(text, old, new, expected).map(|edits| edits.apply(text));
            assert_eq!(found.as_deref().map_err(|error| *error), result);
        };
        check("a b a\r\na", "a", "x\n", 3, Ok("x\r\n b x\r\n\r\nx\r\n"));
        check("a\r\nb\r\na\r\nb\r\n", "a\nb", "c", 2, Ok("c\r\nc\r\n"));
        check("a b a", "a", "x", 3, Err(ReplaceError::Miscounted { found: 2, expected: 3 }));
        check("a b a", "a", "x", 1, Err(ReplaceError::NotUnique(2)));
        check("aaa", "aa", "x", 2, Err(ReplaceError::NotUnique(2)));
        check("a", "b", "x", 2, Err(ReplaceError::NotFound));
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
