//! Searching names, tags and text for a literal query.

use std::ops::Range;

use quillgate_vault::{NotePath, Vault};

use crate::catalogue::{Catalogue, Entry};
use crate::fold_search::{FoldSearch, composed};
use crate::scan::scan;

/// Characters of context on either side of a match.
const CONTEXT: usize = 50;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchKind {
    Name,
    Tag,
    Text,
}

#[derive(Clone, Debug)]
pub struct TextMatch {
    pub path: NotePath,
    pub kind: MatchKind,
    /// The match in `**bold**` with some text around it.
    pub snippet: String,
    pub line: usize,
}

#[derive(Debug, Default)]
pub struct TextMatches {
    pub total: usize,
    pub matches: Vec<TextMatch>,
}

/// Names first, then tags, then text, each by path; at most `most` matches are kept, all are counted.
pub fn search_text(
    vault: &Vault,
    catalogue: &Catalogue,
    query: &str,
    most: usize,
    go_on: &(impl Fn() -> bool + Sync),
) -> TextMatches {
    let Some(search) = FoldSearch::new(query) else {
        return TextMatches::default();
    };
    let mut found = TextMatches::default();
    for entry in catalogue.files() {
        let path = entry.path.as_str();
        if let Some(first) = search.find_all(path).into_iter().next() {
            found.add(most, || TextMatch {
                path: entry.path.clone(),
                kind: MatchKind::Name,
                snippet: snippet(path, &first),
                line: 1,
            });
        }
    }
    let mut tag_lines = Vec::new();
    for entry in catalogue.files().filter(|entry| !entry.tags.is_empty()) {
        if let Some(snippet) = tag_snippet(&search, query, entry) {
            let (first, last) = entry.card().property_tag_lines;
            tag_lines.push((entry.path.clone(), first as usize..=last as usize));
            found.add(most, || TextMatch { path: entry.path.clone(), kind: MatchKind::Tag, snippet, line: first as usize });
        }
    }
    let paths: Vec<NotePath> = catalogue.files().filter(|entry| !entry.stat.offline).map(|entry| entry.path.clone()).collect();
    let in_text = scan(vault, &paths, go_on, |path, bytes| {
        let tags = tag_lines.binary_search_by(|(tagged, _)| tagged.cmp(path)).ok().map(|at| tag_lines[at].1.clone());
        let text = composed(std::str::from_utf8(bytes).ok()?);
        let lines = matching_lines(&search, &text, most);
        let counted = |line: usize| tags.as_ref().is_none_or(|tags| !tags.contains(&line));
        let total = lines.iter().filter(|(line, _)| counted(*line)).count();
        let kept = lines.into_iter().filter(|(line, _)| counted(*line)).take(most);
        (total > 0).then(|| (total, kept.map(|(line, range)| (line, snippet(&text, &range))).collect::<Vec<_>>()))
    });
    for (at, (total, lines)) in in_text {
        found.total += total;
        let room = most.saturating_sub(found.matches.len());
        let text_match = |(line, snippet)| TextMatch { path: paths[at].clone(), kind: MatchKind::Text, snippet, line };
        found.matches.extend(lines.into_iter().take(room).map(text_match));
    }
    found
}

impl TextMatches {
    fn add(&mut self, most: usize, make: impl FnOnce() -> TextMatch) {
        self.total += 1;
        if self.matches.len() < most {
            self.matches.push(make());
        }
    }
}

/// The first match of every matching line, with the line's number.
fn matching_lines(search: &FoldSearch, text: &str, _most: usize) -> Vec<(usize, Range<usize>)> {
    let mut lines: Vec<(usize, Range<usize>)> = Vec::new();
    let (mut line, mut counted_to) = (1, 0);
    for found in search.find_all(text) {
        line += memchr::memchr_iter(b'\n', &text.as_bytes()[counted_to..found.start]).count();
        counted_to = found.start;
        if lines.last().is_none_or(|(last, _)| *last != line) {
            lines.push((line, found));
        }
    }
    lines
}

/// A tag matches when it contains the query; several words match when each is in some tag.
fn tag_snippet(search: &FoldSearch, query: &str, entry: &Entry) -> Option<String> {
    let words: Vec<FoldSearch> = query.split_whitespace().filter_map(FoldSearch::new).collect();
    let whole = entry.tags.iter().any(|tag| search.is_in(tag));
    let by_words = words.len() > 1 && words.iter().all(|word| entry.tags.iter().any(|tag| word.is_in(tag)));
    if !whole && !by_words {
        return None;
    }
    let is_hit = |tag: &str| if whole { search.is_in(tag) } else { words.iter().any(|word| word.is_in(tag)) };
    let tags: Vec<String> =
        entry.tags.iter().map(|tag| if is_hit(tag) { format!("**{tag}**") } else { tag.to_string() }).collect();
    Some(format!("tags: [{}]", tags.join(", ")))
}

fn snippet(text: &str, found: &Range<usize>) -> String {
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
        let search = FoldSearch::new("x").expect("a query");
        let lines: Vec<usize> = matching_lines(&search, "x x\n\ny x\n", 9).into_iter().map(|(line, _)| line).collect();
        assert_eq!(lines, [1, 3]);
    }
}
