//! Finding a text whatever its case, by full Unicode folding, with the places in the original.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use caseless::Caseless;
use memchr::memmem;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

pub(crate) struct FoldSearch {
    folded: String,
    /// For a query in ASCII: finds it in everything but text with one of `FOLD_TO_ASCII`.
    ascii: Option<AhoCorasick>,
}

/// The characters beyond ASCII whose folding contains ASCII letters.
const FOLD_TO_ASCII: &str = "ßİŉſǰẖẗẘẙẚẞ\u{212a}ﬀﬁﬂﬃﬄﬅﬆ";

static IN_TEXT: LazyLock<AhoCorasick> =
    LazyLock::new(|| AhoCorasick::new(FOLD_TO_ASCII.chars().map(String::from)).expect("a few short patterns"));

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
        match &self.ascii {
            Some(ascii) if text.is_ascii() || !IN_TEXT.is_match(text) => {
                return ascii.find_iter(text).map(|found| found.range()).collect();
            }
            None if text.is_ascii() => return Vec::new(),
            _ => {}
        }
        let folded = folded(text);
        let starts: Vec<usize> = memmem::find_iter(folded.as_bytes(), self.folded.as_bytes()).collect();
        if starts.is_empty() {
            return Vec::new();
        }
        places(text, &starts, self.folded.len())
    }

    /// The places of all matches, also of those that overlap.
    pub(crate) fn find_overlapping(&self, text: &str) -> Vec<Range<usize>> {
        match &self.ascii {
            Some(ascii) if text.is_ascii() || !IN_TEXT.is_match(text) => {
                return ascii.find_overlapping_iter(text).map(|found| found.range()).collect();
            }
            None if text.is_ascii() => return Vec::new(),
            _ => {}
        }
        let folded = folded(text);
        let characters = folded_places(text);
        let character_at = |folded_at: usize| characters.partition_point(|(start, _)| *start <= folded_at) - 1;
        let (mut found, mut from) = (Vec::new(), 0);
        while let Some(at) = memmem::find(&folded.as_bytes()[from..], self.folded.as_bytes()) {
            let (first, last) = (character_at(from + at), character_at(from + at + self.folded.len() - 1));
            let end = characters.get(last + 1).map_or(text.len(), |(_, at)| *at);
            found.push(characters[first].1..end);
            from += at + 1;
        }
        found
    }

    pub(crate) fn is_in(&self, text: &str) -> bool {
        !self.find_all(&composed(text)).is_empty()
    }
}

pub(crate) fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_ascii() {
            folded.push(character.to_ascii_lowercase());
        } else {
            folded.extend(std::iter::once(character).default_case_fold());
        }
    }
    folded
}

/// The text that is searched and quoted: composed, so that two spellings of `é` are one. Nothing below U+0300 can be composed
/// any further, which spares most text the look-ups.
pub(crate) fn composed(text: &str) -> Cow<'_, str> {
    match is_nfc_quick(text.chars().filter(|character| *character >= '\u{300}')) {
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
        let width = folded_width(character);
        let folded_end = folded_at + width;
        // A match that begins inside a character already taken has no place of its own.
        while open.is_none() && wanted.next_if(|&start| start < folded_at).is_some() {}
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

/// Where each character begins, in the folded text and in the text.
fn folded_places(text: &str) -> Vec<(usize, usize)> {
    let mut folded_at = 0;
    let place = |(at, character)| {
        let start = folded_at;
        folded_at += folded_width(character);
        (start, at)
    };
    text.char_indices().map(place).collect()
}

fn folded_width(character: char) -> usize {
    if character.is_ascii() {
        return 1;
    }
    std::iter::once(character).default_case_fold().map(char::len_utf8).sum()
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
    fn two_matches_in_one_letter_are_one() {
        check("s", "Maße sind", &["ß", "s"]);
        check("f", "o\u{fb00} a", &["\u{fb00}"]);
    }

    #[test]
    fn scripts_without_case_are_found() {
        check("日本", "今日は日本語", &["日本"]);
    }

    #[test]
    fn the_list_of_what_folds_into_ascii_is_complete() {
        let beyond =
            ('\u{80}'..=char::MAX).filter(|character| std::iter::once(*character).default_case_fold().any(|c| c.is_ascii()));
        assert_eq!(beyond.collect::<String>(), FOLD_TO_ASCII);
    }

    #[test]
    fn the_kelvin_sign_is_a_k() {
        check("k", "5 \u{212a}", &["\u{212a}"]);
    }
}
