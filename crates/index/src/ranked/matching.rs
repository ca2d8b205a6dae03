//! What the words of a query ask for, in the terms of the index.

use super::analysis::{Role, Words};
use super::branches::{Group, Text};

/// Words that say nothing when others are there. Those that carry a meaning of their own (`no`, `not`, `will`) are kept.
const STOP_WORDS: [&str; 27] = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "of", "on", "or", "such",
    "that", "the", "their", "these", "this", "to", "was", "with",
];

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Match {
    /// Any of the terms, in any field.
    Terms(Vec<String>),
    /// All of the terms, at these distances from each other, in one field.
    Phrase(Vec<(usize, String)>),
    Group {
        required: Vec<Match>,
        optional: Vec<Match>,
        excluded: Vec<Match>,
    },
    Any(Vec<Match>),
}

impl Match {
    /// `None` when nothing in it is a word, such as `&&`.
    pub(crate) fn of(text: &Text, words: &mut Words) -> Option<Match> {
        match text {
            Text::Word(word) => terms_of([word.as_str()].into_iter(), words),
            Text::Phrase(phrase) => phrase_of(phrase, words),
            Text::Any(texts) => any_of(texts, words),
            Text::Group(group) => group_of(group, words),
        }
    }

    /// The terms a reader wants to see, without the excluded.
    pub(crate) fn for_each_term<'a>(&'a self, see: &mut dyn FnMut(&'a str)) {
        match self {
            Match::Terms(terms) => terms.iter().for_each(|term| see(term)),
            Match::Phrase(terms) => terms.iter().for_each(|(_, term)| see(term)),
            Match::Any(matches) => matches.iter().for_each(|each| each.for_each_term(see)),
            Match::Group { required, optional, .. } => required.iter().chain(optional).for_each(|each| each.for_each_term(see)),
        }
    }
}

fn terms_of<'a>(typed: impl Iterator<Item = &'a str>, words: &mut Words) -> Option<Match> {
    let mut terms: Vec<String> = Vec::new();
    for word in typed {
        for term in asked_terms(word, words) {
            if !terms.contains(&term) {
                terms.push(term);
            }
        }
    }
    if terms.is_empty() { None } else { Some(Match::Terms(terms)) }
}

/// A single character of a script without spaces is asked for only where it stands alone: in `数据库` the pairs say more.
fn asked_terms(word: &str, words: &mut Words) -> Vec<String> {
    let mut terms = Vec::new();
    let mut pair_end = 0;
    let mut alone = false;
    words.for_each(word, |term, role, _, place| {
        if role == Role::Pair {
            if alone {
                terms.pop();
            }
            pair_end = place.end;
        }
        if role == Role::Part && place.end <= pair_end {
            alone = false;
            return;
        }
        alone = role == Role::Part;
        terms.push(term.to_owned());
    });
    terms
}

/// A phrase of one term is that term.
fn phrase_of(phrase: &str, words: &mut Words) -> Option<Match> {
    let mut terms = Vec::new();
    words.for_each(phrase, |term, role, position, _| {
        if role == Role::Part {
            terms.push((position, term.to_owned()));
        }
    });
    if terms.len() == 1 {
        return Some(Match::Terms(terms.into_iter().map(|(_, term)| term).collect()));
    }
    if terms.is_empty() { None } else { Some(Match::Phrase(terms)) }
}

/// What must or must not be there is taken whole: `-foo_bar` excludes no note with `bar` alone.
fn whole(text: &Text, words: &mut Words) -> Option<Match> {
    match text {
        Text::Word(word) => phrase_of(word, words),
        text => Match::of(text, words),
    }
}

fn any_of(texts: &[Text], words: &mut Words) -> Option<Match> {
    let (plain, others) = split(texts);
    let mut matches: Vec<Match> = terms_of(plain.into_iter(), words).into_iter().collect();
    matches.extend(others.into_iter().filter_map(|text| Match::of(text, words)));
    match matches.len() {
        0 => None,
        1 => matches.pop(),
        _ => Some(Match::Any(matches)),
    }
}

fn group_of(group: &Group, words: &mut Words) -> Option<Match> {
    let required: Vec<Match> = group.required.iter().filter_map(|text| whole(text, words)).collect();
    let excluded: Vec<Match> = group.excluded.iter().filter_map(|text| whole(text, words)).collect();
    let (mut plain, others) = split(&group.optional);
    let says_something = |word: &&str| !STOP_WORDS.contains(&word.to_ascii_lowercase().as_str());
    if words.is_english() && (!required.is_empty() || plain.iter().any(says_something)) {
        plain.retain(says_something);
    }
    let mut optional: Vec<Match> = terms_of(plain.into_iter(), words).into_iter().collect();
    optional.extend(others.into_iter().filter_map(|text| Match::of(text, words)));
    match (required.len(), optional.len(), excluded.len()) {
        (0, 0, 0) => None,
        (0, 1, 0) => optional.pop(),
        _ => Some(Match::Group { required, optional, excluded }),
    }
}

/// The plain words, to be made one flat list of terms, and the rest.
fn split(texts: &[Text]) -> (Vec<&str>, Vec<&Text>) {
    let mut plain = Vec::new();
    let mut others = Vec::new();
    let mut waiting: Vec<&Text> = texts.iter().rev().collect();
    while let Some(text) = waiting.pop() {
        match text {
            Text::Word(word) => plain.push(word.as_str()),
            Text::Any(inner) if text.is_only_words() => waiting.extend(inner.iter().rev()),
            Text::Group(inner) if text.is_only_words() => waiting.extend(inner.optional.iter().rev()),
            other => others.push(other),
        }
    }
    (plain, others)
}
