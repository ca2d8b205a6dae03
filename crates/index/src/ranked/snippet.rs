//! The line of a note that shows best why it was found.

use std::collections::HashSet;
use std::ops::Range;

use aho_corasick::AhoCorasick;

use super::analysis::{Role, Words};
use super::language::Language;
use super::matching::Match;
use super::query::RankedQuery;

/// Characters shown on either side of the matches.
const AROUND: usize = 50;
/// Matches further apart, in bytes, are not shown together.
const WIDEST: usize = 100;
/// Shorter beginnings are in every line.
const SHORTEST_BEGINNING: usize = 3;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Snippet {
    /// Counted from 1.
    pub(crate) line: usize,
    /// The matches are in `**bold**`.
    pub(crate) text: String,
}

/// Made once per query, then used for every note.
pub(crate) struct Highlight {
    words: Words,
    wanted: HashSet<String>,
    /// Finds how words of the wanted terms begin, as good as always: most lines of a note need no closer look.
    beginnings: Option<AhoCorasick>,
}

impl RankedQuery {
    pub(crate) fn highlight(&self, language: Language) -> Highlight {
        let mut words = Words::new(language);
        let mut wanted = HashSet::new();
        for text in self.branches.iter().filter_map(|branch| branch.text.as_ref()) {
            if let Some(found) = Match::of(text, &mut words) {
                found.for_each_term(&mut |term| {
                    wanted.insert(term.to_owned());
                });
            }
        }
        let beginnings = AhoCorasick::builder().ascii_case_insensitive(true).build(wanted.iter().map(|term| beginning(term)));
        Highlight { words, wanted, beginnings: beginnings.ok() }
    }
}

/// What a word and its stem share: a stem may end in other letters than the word goes on with.
fn beginning(term: &str) -> &str {
    let end = term.char_indices().next_back().map_or(0, |(at, _)| at);
    if end < SHORTEST_BEGINNING { term } else { &term[..end] }
}

/// How lines are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    /// Only those with the beginning of a wanted word.
    Quick,
    Close,
}

/// Matches that fit into one snippet.
struct Window {
    line: usize,
    /// In the text.
    places: Vec<Range<usize>>,
    rating: usize,
}

impl Highlight {
    /// The first line with text when no word of the query is in it, as for a note found by its name.
    pub(crate) fn snippet(&mut self, text: &str) -> Snippet {
        let body = body_start(text);
        let window = self.best_line(text, body, Look::Quick).or_else(|| self.best_line(text, body, Look::Close));
        match window {
            Some(window) => Snippet { line: window.line, text: show(text, &window.places) },
            None => opening(text, body),
        }
    }

    fn best_line(&mut self, text: &str, body: usize, look: Look) -> Option<Window> {
        let mut best: Option<Window> = None;
        let mut start = 0;
        for (number, line) in (1..).zip(text.split('\n')) {
            let matches = if look == Look::Quick && self.is_passed_over(line) { Vec::new() } else { self.matches(line, start) };
            if let Some(mut window) = best_window(&matches, number) {
                window.rating = window.rating * 2 + usize::from(start >= body);
                if best.as_ref().is_none_or(|best| window.rating > best.rating) {
                    best = Some(window);
                }
            }
            start += line.len() + 1;
        }
        best
    }

    /// Other letters than ASCII may fold into those of a term.
    fn is_passed_over(&self, line: &str) -> bool {
        line.is_ascii() && self.beginnings.as_ref().is_some_and(|beginnings| !beginnings.is_match(line))
    }

    /// The wanted terms of a line and where they stand, left to right.
    fn matches(&mut self, line: &str, start: usize) -> Vec<(String, Range<usize>)> {
        let mut matches = Vec::new();
        let wanted = &self.wanted;
        self.words.for_each(line, |term, role, _, place| {
            if role != Role::Compound && wanted.contains(term) {
                matches.push((term.to_owned(), start + place.start..start + place.end));
            }
        });
        matches
    }
}

/// The first of the windows with the most different terms.
fn best_window(matches: &[(String, Range<usize>)], line: usize) -> Option<Window> {
    let mut best: Option<(usize, Range<usize>)> = None;
    for first in 0..matches.len() {
        let mut terms: Vec<&str> = Vec::new();
        let mut end = first;
        while let Some((term, place)) = matches.get(end)
            && place.end - matches[first].1.start <= WIDEST
        {
            if !terms.contains(&term.as_str()) {
                terms.push(term);
            }
            end += 1;
        }
        if best.as_ref().is_none_or(|(most, _)| terms.len() > *most) {
            best = Some((terms.len(), first..end.max(first + 1)));
        }
    }
    let (rating, range) = best?;
    Some(Window { line, rating, places: merged(matches[range].iter().map(|(_, place)| place.clone())) })
}

/// Pairs of characters overlap.
fn merged(places: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut merged: Vec<Range<usize>> = Vec::new();
    for place in places {
        match merged.last_mut() {
            Some(last) if place.start <= last.end => last.end = last.end.max(place.end),
            _ => merged.push(place),
        }
    }
    merged
}

fn show(text: &str, places: &[Range<usize>]) -> String {
    let (Some(first), Some(last)) = (places.first(), places.last()) else { return String::new() };
    let from = before(text, first.start);
    let to = behind(text, last.end);
    let mut shown = String::from(if from.1 { "…" } else { "" });
    let mut at = from.0;
    for place in places {
        shown.push_str(&text[at..place.start]);
        let (bold, cut) = shortened(&text[place.clone()], WIDEST);
        shown.extend(["**", bold, if cut { "…" } else { "" }, "**"]);
        at = place.end;
    }
    shown.push_str(&text[at..to.0]);
    if to.1 {
        shown.push('…');
    }
    shown.trim().to_owned()
}

/// Where to begin so that the match at `start` has some text before it, and whether the line goes on before that.
fn before(text: &str, start: usize) -> (usize, bool) {
    let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let line = &text[line_start..start];
    let Some((cut, _)) = line.char_indices().rev().nth(AROUND - 1).filter(|(cut, _)| *cut > 0) else {
        return (line_start, false);
    };
    let word = line[cut..].find(char::is_whitespace).map_or(cut, |space| cut + space + 1);
    (line_start + if line.is_char_boundary(word) { word } else { cut }, true)
}

fn behind(text: &str, end: usize) -> (usize, bool) {
    let line = text[end..].split('\n').next().unwrap_or_default();
    let Some((cut, _)) = line.char_indices().nth(AROUND) else { return (end + line.len(), false) };
    (end + line[..cut].rfind(char::is_whitespace).unwrap_or(cut), true)
}

fn shortened(text: &str, longest: usize) -> (&str, bool) {
    match text.char_indices().nth(longest) {
        Some((cut, _)) => (&text[..cut], true),
        None => (text, false),
    }
}

/// Behind the frontmatter, whose keys and values explain less than a sentence.
fn body_start(text: &str) -> usize {
    let Some(rest) = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n")) else { return 0 };
    rest.find("\n---").map_or(0, |end| text.len() - rest.len() + end + 4)
}

fn opening(text: &str, body: usize) -> Snippet {
    let mut start = 0;
    for (number, line) in (1..).zip(text.split('\n')) {
        let shows = start >= body && line.chars().any(char::is_alphanumeric);
        start += line.len() + 1;
        if shows {
            let (shown, cut) = shortened(line.trim(), WIDEST + AROUND);
            return Snippet { line: number, text: format!("{shown}{}", if cut { "…" } else { "" }) };
        }
    }
    Snippet { line: 1, text: String::new() }
}
