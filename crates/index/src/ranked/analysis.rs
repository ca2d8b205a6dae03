//! Cuts text into the terms that are indexed and asked for: folded, stemmed words, and characters of scripts without spaces.

use std::ops::Range;

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use super::characters::{Class, class_of, continues_word};
use super::language::Language;
use super::terms::TermMaker;

/// One tokenizer does all the work, since 400 MB of notes go through it.
#[derive(Clone)]
pub(crate) struct Words {
    maker: TermMaker,
    token: Token,
}

/// What a token is to its text: the parts follow each other, the others repeat what is there for a better match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A word, or one character of a script without spaces.
    Part,
    /// The whole of `QZX-2000` or `foo_bar`, at the place of its first part.
    Compound,
    /// Two characters of a script without spaces, at the place of the first.
    Pair,
}

impl Words {
    pub(crate) fn new(language: Language) -> Words {
        Words { maker: TermMaker::new(language), token: Token::default() }
    }

    pub(crate) fn is_english(&self) -> bool {
        self.maker.is_english()
    }

    /// Calls `see` with every term, its role, its position and its place in the text.
    pub(crate) fn for_each(&mut self, text: &str, mut see: impl FnMut(&str, Role, usize, Range<usize>)) {
        let mut stream = self.token_stream(text);
        while let Some(role) = stream.next_term() {
            let token = &*stream.token;
            see(&token.text, role, token.position, token.offset_from..token.offset_to);
        }
    }
}

impl Tokenizer for Words {
    type TokenStream<'a> = WordStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream<'a> {
        self.token.reset();
        WordStream {
            text,
            at: 0,
            position: 0,
            waiting: Waiting::Nothing,
            compound_end: 0,
            maker: &mut self.maker,
            token: &mut self.token,
        }
    }
}

pub(crate) struct WordStream<'a> {
    text: &'a str,
    at: usize,
    /// Of the next part.
    position: usize,
    waiting: Waiting,
    /// Parts before this offset belong to a compound that has been told.
    compound_end: usize,
    maker: &'a mut TermMaker,
    token: &'a mut Token,
}

/// A token that is due at the position of the part before it.
enum Waiting {
    Nothing,
    Compound(Range<usize>),
    Pair(Range<usize>),
}

impl TokenStream for WordStream<'_> {
    fn advance(&mut self) -> bool {
        self.next_term().is_some()
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

impl WordStream<'_> {
    fn next_term(&mut self) -> Option<Role> {
        match std::mem::replace(&mut self.waiting, Waiting::Nothing) {
            Waiting::Nothing => {}
            Waiting::Compound(place) => {
                self.maker.fold_into(&self.text[place.clone()], &mut self.token.text);
                self.place(place);
                return Some(Role::Compound);
            }
            Waiting::Pair(place) => {
                self.maker.fold_into(&self.text[place.clone()], &mut self.token.text);
                self.place(place);
                return Some(Role::Pair);
            }
        }
        loop {
            let place = match self.find_start()? {
                Class::Letter => self.take_word(),
                _ => self.take_character(),
            };
            if self.token.text.is_empty() {
                continue;
            }
            self.token.position = self.position;
            self.position += 1;
            self.place(place);
            return Some(Role::Part);
        }
    }

    fn place(&mut self, place: Range<usize>) {
        self.token.offset_from = place.start;
        self.token.offset_to = place.end;
    }

    /// Goes to the next character that starts a term.
    fn find_start(&mut self) -> Option<Class> {
        let bytes = self.text.as_bytes();
        loop {
            let byte = *bytes.get(self.at)?;
            if byte.is_ascii_alphanumeric() {
                return Some(Class::Letter);
            }
            if byte < 0x80 {
                self.at += 1;
                continue;
            }
            let character = self.text[self.at..].chars().next()?;
            match class_of(character) {
                Class::Other | Class::Mark => self.at += character.len_utf8(),
                class => return Some(class),
            }
        }
    }

    fn take_word(&mut self) -> Range<usize> {
        let start = self.at;
        let (end, only_ascii) = word_end(self.text, start);
        let (end, stem) = with_apostrophe(self.text, start, end);
        self.at = end;
        let word = &self.text[start..stem];
        if only_ascii && word.is_ascii() {
            self.maker.ascii_word_into(word, &mut self.token.text);
        } else {
            self.maker.word_into(word, &mut self.token.text);
        }
        if start >= self.compound_end
            && let Some(compound) = find_compound(self.text, start, end)
        {
            self.compound_end = compound.end;
            self.waiting = Waiting::Compound(compound);
        }
        start..end
    }

    fn take_character(&mut self) -> Range<usize> {
        let start = self.at;
        self.at = character_end(self.text, start);
        self.maker.fold_into(&self.text[start..self.at], &mut self.token.text);
        let follows = self.text[self.at..].chars().next().is_some_and(|next| class_of(next) == Class::Unspaced);
        if follows {
            self.waiting = Waiting::Pair(start..character_end(self.text, self.at));
        }
        start..self.at
    }
}

/// Where the word ends, and whether it was ASCII all along.
fn word_end(text: &str, start: usize) -> (usize, bool) {
    let bytes = text.as_bytes();
    let mut at = start;
    while at < bytes.len() && bytes[at].is_ascii_alphanumeric() {
        at += 1;
    }
    if at == bytes.len() || bytes[at] < 0x80 {
        return (at, true);
    }
    let ascii_end = at;
    for (offset, character) in text[ascii_end..].char_indices() {
        if !continues_word(character) {
            return (ascii_end + offset, offset == 0);
        }
    }
    (text.len(), false)
}

/// `don't` is a word, `l'avion` are two: what stands behind the apostrophe must be one or two letters. The second number
/// leaves out the `'s` of `John's`.
fn with_apostrophe(text: &str, start: usize, end: usize) -> (usize, usize) {
    let rest = &text[end..];
    let Some(mark) = rest.chars().next().filter(|mark| matches!(mark, '\'' | '’')) else {
        return (end, end);
    };
    let suffix_start = end + mark.len_utf8();
    let (suffix_end, ascii) = word_end(text, suffix_start);
    let suffix = &text[suffix_start..suffix_end];
    let is_suffix = ascii && matches!(suffix.len(), 1 | 2) && suffix.bytes().all(|byte| byte.is_ascii_alphabetic());
    if !is_suffix || suffix_end == start {
        return (end, end);
    }
    (suffix_end, if suffix.eq_ignore_ascii_case("s") { end } else { suffix_end })
}

/// One character with the marks on it.
fn character_end(text: &str, start: usize) -> usize {
    let mut characters = text[start..].char_indices().skip(1);
    characters.find(|(_, next)| class_of(*next) != Class::Mark).map_or(text.len(), |(offset, _)| start + offset)
}

/// Parts joined by `-`, `_` or `.` are also one term when they look like a name somebody made up: with a digit or an
/// underscore. `well-known` is just two words.
fn find_compound(text: &str, start: usize, first_end: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mut end = first_end;
    let mut made_up = false;
    while let Some(joint) = bytes.get(end).filter(|joint| matches!(joint, b'-' | b'_' | b'.'))
        && text[end + 1..].chars().next().is_some_and(|next| class_of(next) == Class::Letter)
    {
        made_up |= *joint == b'_';
        end = word_end(text, end + 1).0;
    }
    if end == first_end || end - start > super::terms::LONGEST_TERM {
        return None;
    }
    let has_digit = || bytes[start..end].iter().any(u8::is_ascii_digit);
    (made_up || has_digit()).then_some(start..end)
}
