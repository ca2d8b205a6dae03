//! Searching names, tags and text for a literal query.

use std::collections::HashMap;
use std::ops::{Range, RangeInclusive};

use quillgate_vault::NotePath;

use crate::catalogue::Catalogue;
use crate::entry::Entry;
use crate::fold_search::{FoldSearch, composed};
use crate::scan::scan;
use crate::sync::Index;

/// Characters of context on either side of a match.
const CONTEXT: usize = 50;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
pub fn search_text(index: &Index, query: &str, most: usize, go_on: &(impl Fn() -> bool + Sync)) -> TextMatches {
    let Some(search) = FoldSearch::new(query) else {
        return TextMatches::default();
    };
    let mut found = TextMatches::default();
    let catalogue = index.catalogue();
    found.add_names(&catalogue, &search, most);
    let tag_lines = found.add_tags(&catalogue, &search, query, most);
    let paths: Vec<NotePath> = catalogue.files().filter(|entry| !entry.stat.offline).map(|entry| entry.path.clone()).collect();
    drop(catalogue);
    let in_text = scan(index.vault(), &paths, go_on, |path, bytes| {
        let text = composed(std::str::from_utf8(bytes).ok()?);
        let mut lines = matching_lines(&search, &text);
        if let Some(tags) = tag_lines.get(path) {
            lines.retain(|(line, _)| !tags.contains(line));
        }
        let snippets = lines.iter().take(most).map(|(line, range)| (*line, snippet(&text, range))).collect::<Vec<_>>();
        (!lines.is_empty()).then_some((lines.len(), snippets))
    });
    for (at, (total, lines)) in in_text {
        found.total += total;
        let room = most.saturating_sub(found.matches.len());
        let text_match = |(line, snippet)| TextMatch { path: paths[at].clone(), kind: MatchKind::Text, snippet, line };
        found.matches.extend(lines.into_iter().take(room).map(text_match));
    }
    found
}

/// The lines that a note's matching tags stand on, which are not told again as text.
type TagLines = HashMap<NotePath, RangeInclusive<usize>>;

impl TextMatches {
    fn add_names(&mut self, catalogue: &Catalogue, search: &FoldSearch, most: usize) {
        for entry in catalogue.files() {
            let path = entry.path.as_str();
            if let Some(first) = search.find_all(path).into_iter().next() {
                let snippet = || snippet(path, &first);
                self.add(most, || TextMatch { path: entry.path.clone(), kind: MatchKind::Name, snippet: snippet(), line: 1 });
            }
        }
    }

    fn add_tags(&mut self, catalogue: &Catalogue, search: &FoldSearch, query: &str, most: usize) -> TagLines {
        // A tag may be asked for as it stands in the text.
        let tag_search = query.strip_prefix('#').and_then(FoldSearch::new);
        let search = tag_search.as_ref().unwrap_or(search);
        let words: Vec<FoldSearch> = query.split_whitespace().filter_map(FoldSearch::new).collect();
        let mut tag_lines = TagLines::new();
        for entry in catalogue.files().filter(|entry| !entry.tags.is_empty()) {
            let Some(snippet) = tag_snippet(search, &words, entry) else { continue };
            let (first, last) = entry.card().property_tag_lines;
            tag_lines.insert(entry.path.clone(), first as usize..=last as usize);
            self.add(most, || TextMatch { path: entry.path.clone(), kind: MatchKind::Tag, snippet, line: first as usize });
        }
        tag_lines
    }

    fn add(&mut self, most: usize, make: impl FnOnce() -> TextMatch) {
        self.total += 1;
        if self.matches.len() < most {
            self.matches.push(make());
        }
    }
}

/// The first match of every matching line, with the line's number.
fn matching_lines(search: &FoldSearch, text: &str) -> Vec<(usize, Range<usize>)> {
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
fn tag_snippet(search: &FoldSearch, words: &[FoldSearch], entry: &Entry) -> Option<String> {
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
        let lines: Vec<usize> = matching_lines(&search, "x x\n\ny x\n").into_iter().map(|(line, _)| line).collect();
        assert_eq!(lines, [1, 3]);
    }
}
