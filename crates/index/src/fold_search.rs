//! Finding a text whatever its case, by full Unicode folding, with the places in the original.

use std::borrow::Cow;
use std::ops::Range;

use aho_corasick::AhoCorasick;
use caseless::Caseless;
use memchr::memmem;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

pub(crate) struct FoldSearch {
    folded: String,
    /// For text that is plain ASCII, where folding is lower-casing.
    ascii: Option<AhoCorasick>,
}

impl FoldSearch {
    /// `None` for an empty query, which is in every text and nowhere.
    pub(crate) fn new(query: &str) -> Option<FoldSearch> {
        let folded: String = query.nfc().default_case_fold().collect();
        if folded.is_empty() {
            return None;
        }
        let ascii = AhoCorasick::builder().ascii_case_insensitive(true).build([&folded]).ok();
        Some(FoldSearch { ascii: ascii.filter(|_| folded.is_ascii()), folded })
    }

    /// The places of all matches, left to right, not overlapping.
    pub(crate) fn find_all(&self, text: &str) -> Vec<Range<usize>> {
        if text.is_ascii() {
            let matches = self.ascii.iter().flat_map(|search| search.find_iter(text));
            return matches.map(|found| found.range()).collect();
        }
        let folded: String = text.chars().default_case_fold().collect();
        let starts: Vec<usize> = memmem::find_iter(folded.as_bytes(), self.folded.as_bytes()).collect();
        if starts.is_empty() {
            return Vec::new();
        }
        places(text, &starts, self.folded.len())
    }

    pub(crate) fn is_in(&self, text: &str) -> bool {
        !self.find_all(&composed(text)).is_empty()
    }
}

/// The text that is searched and quoted: composed, so that two spellings of `é` are one.
pub(crate) fn composed(text: &str) -> Cow<'_, str> {
    match is_nfc_quick(text.chars()) {
        IsNormalized::Yes => Cow::Borrowed(text),
        _ => Cow::Owned(text.nfc().collect()),
    }
}

/// Maps places in the folded text back: one character may fold into several, and a match takes all of the original one.
fn places(text: &str, starts: &[usize], length: usize) -> Vec<Range<usize>> {
    let mut places = Vec::with_capacity(starts.len());
    let mut wanted = starts.iter().copied().peekable();
    let mut open: Option<(usize, usize)> = None;
    let mut folded_at = 0;
    for (at, character) in text.char_indices() {
        let width: usize = std::iter::once(character).default_case_fold().map(char::len_utf8).sum();
        let folded_end = folded_at + width;
        if open.is_none() && wanted.peek().is_some_and(|&start| start < folded_end) {
            open = wanted.next().map(|start| (at, start + length));
        }
        if let Some((begin, end)) = open
            && end <= folded_end
        {
            places.push(begin..at + character.len_utf8());
            open = None;
        }
        folded_at = folded_end;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(query: &str, text: &str, expected: &[&str]) {
        let search = FoldSearch::new(query).expect("a query");
        let found: Vec<&str> = search.find_all(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, expected, "{query:?} in {text:?}");
    }

    #[test]
    fn case_does_not_matter() {
        check("note", "Note NOTE nOtE", &["Note", "NOTE", "nOtE"]);
        check("ÜBER", "Über über", &["Über", "über"]);
    }

    #[test]
    fn one_letter_may_fold_into_two() {
        check("strasse", "die Straße, die STRASSE", &["Straße", "STRASSE"]);
        check("straße", "STRASSE", &["STRASSE"]);
        check("σ", "ΛΟΓΟΣ λόγος", &["Σ", "ς"]);
    }

    #[test]
    fn scripts_without_case_are_found() {
        check("日本", "今日は日本語", &["日本"]);
    }

    #[test]
    fn the_kelvin_sign_is_a_k() {
        check("k", "5 \u{212a}", &["\u{212a}"]);
    }
}
