//! Lines, columns and the text around a match.

use std::ops::Range;

/// Characters of context on either side of a match.
const CONTEXT: usize = 50;

/// The first match of every matching line, with the line's number.
pub(crate) fn matching_lines(found: &[Range<usize>], text: &str) -> Vec<(usize, Range<usize>)> {
    let mut lines: Vec<(usize, Range<usize>)> = Vec::new();
    let (mut line, mut counted_to) = (1, 0);
    for found in found {
        line += memchr::memchr_iter(b'\n', &text.as_bytes()[counted_to..found.start]).count();
        counted_to = found.start;
        if lines.last().is_none_or(|(last, _)| *last != line) {
            lines.push((line, found.clone()));
        }
    }
    lines
}

/// The column of a place, in characters, from 1.
pub(crate) fn column(text: &str, at: usize) -> usize {
    let line_start = text[..at].rfind('\n').map_or(0, |at| at + 1);
    text[line_start..at].chars().count() + 1
}

/// The match in bold, with the text of its line around it.
pub(crate) fn snippet(text: &str, found: &Range<usize>) -> String {
    let line_start = text[..found.start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[found.end..].find('\n').map_or(text.len(), |at| found.end + at);
    let before = &text[line_start..found.start];
    let after = text[found.end..line_end].trim_end();
    let cut_before = before.char_indices().rev().nth(CONTEXT - 1).map_or(0, |(at, _)| at);
    let cut_after = after.char_indices().nth(CONTEXT).map_or(after.len(), |(at, _)| at);
    let lead = if cut_before > 0 { "…" } else { "" };
    let trail = if cut_after < after.len() { "…" } else { "" };
    let shown = format!("{lead}{}**{}**{}{trail}", &before[cut_before..], &text[found.clone()], &after[..cut_after]);
    shown.trim_start().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snippet_shows_fifty_characters_on_either_side() {
        let text = format!("first\n{}needle{}\nlast", "a".repeat(80), "é".repeat(80));
        let at = text.find("needle").expect("it is there");
        let expected = format!("…{}**needle**{}…", "a".repeat(50), "é".repeat(50));
        assert_eq!(snippet(&text, &(at..at + 6)), expected);
    }

    #[test]
    fn a_line_with_two_matches_counts_once() {
        let lines: Vec<usize> = matching_lines(&[0..1, 2..3, 7..8], "x x\n\ny x\n").into_iter().map(|(line, _)| line).collect();
        assert_eq!(lines, [1, 3]);
    }

    #[test]
    fn columns_count_characters() {
        assert_eq!(column("ab\néx", 5), 2);
    }
}
