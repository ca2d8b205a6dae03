//! Makes the indexed form of a word: folded, without diacritics if so wished, stemmed; recent words are remembered.

use caseless::Caseless;
use tantivy::tokenizer::{Language as StemmerLanguage, RawTokenizer, Stemmer, TokenFilter, TokenStream, Tokenizer};
use unicode_normalization::UnicodeNormalization;

use super::characters::{is_diacritic, is_joiner, plain_letter};
use super::language::{Diacritics, Language, Stemming};

/// Longer words are cut, in notes and in questions alike.
pub(crate) const LONGEST_TERM: usize = 96;
/// Words up to this length are remembered.
const LONGEST_KEPT: usize = 22;
const SLOTS: usize = 8192;

pub(crate) struct TermMaker {
    language: Language,
    stemmer: <Stemmer as TokenFilter>::Tokenizer<RawTokenizer>,
    /// Indexed by the hash of the word; a newcomer takes the place of whoever was there. Empty until the first word.
    recent: Box<[Slot]>,
}

#[derive(Clone, Copy)]
struct Slot {
    word: [u8; LONGEST_KEPT],
    term: [u8; LONGEST_KEPT],
    word_length: u8,
    term_length: u8,
}

const FREE: Slot = Slot { word: [0; LONGEST_KEPT], term: [0; LONGEST_KEPT], word_length: 0, term_length: 0 };

/// tantivy copies a tokenizer for every field of every segment; the memory of words stays behind.
impl Clone for TermMaker {
    fn clone(&self) -> TermMaker {
        TermMaker::new(self.language)
    }
}

impl TermMaker {
    pub(crate) fn new(language: Language) -> TermMaker {
        let stemmer = Stemmer::new(StemmerLanguage::English).transform(RawTokenizer::default());
        TermMaker { language, stemmer, recent: Box::default() }
    }

    pub(crate) fn is_english(&self) -> bool {
        self.language.stemming == Stemming::English
    }

    /// For a word of ASCII letters, digits and apostrophes.
    pub(crate) fn ascii_word_into(&mut self, word: &str, term: &mut String) {
        term.clear();
        if self.language.stemming == Stemming::None || word.len() <= 2 || word.len() > LONGEST_KEPT {
            term.push_str(&word[..word.len().min(LONGEST_TERM)]);
            term.make_ascii_lowercase();
            if word.len() > 2 {
                self.stem(term);
            }
            return;
        }
        let mut lower = [0; LONGEST_KEPT];
        let lower = &mut lower[..word.len()];
        lower.copy_from_slice(word.as_bytes());
        lower.make_ascii_lowercase();
        if self.recent.is_empty() {
            self.recent = vec![FREE; SLOTS].into_boxed_slice();
        }
        let slot = hash(lower) & (SLOTS - 1);
        let known = &self.recent[slot];
        if &known.word[..usize::from(known.word_length)] == lower {
            term.push_str(std::str::from_utf8(&known.term[..usize::from(known.term_length)]).unwrap_or_default());
            return;
        }
        term.push_str(word);
        term.make_ascii_lowercase();
        self.stem(term);
        if term.len() <= LONGEST_KEPT {
            let newcomer = &mut self.recent[slot];
            newcomer.word[..lower.len()].copy_from_slice(lower);
            newcomer.term[..term.len()].copy_from_slice(term.as_bytes());
            (newcomer.word_length, newcomer.term_length) = (lower.len() as u8, term.len() as u8);
        }
    }

    pub(crate) fn word_into(&mut self, word: &str, term: &mut String) {
        self.fold_into(word, term);
        if term.len() > 2 {
            self.stem(term);
        }
    }

    /// Folds without stemming.
    pub(crate) fn fold_into(&self, text: &str, term: &mut String) {
        term.clear();
        if text.is_ascii() {
            term.push_str(&text[..text.len().min(LONGEST_TERM)]);
            term.make_ascii_lowercase();
            return;
        }
        let shown = text.chars().map(|character| if character == '’' { '\'' } else { character });
        let shown = shown.filter(|character| !is_joiner(*character));
        match self.language.diacritics {
            Diacritics::Keep => term.extend(shown.nfkc().default_case_fold().nfc()),
            Diacritics::Ignore => {
                let bare: String = shown.nfkd().default_case_fold().nfd().filter(|character| !is_diacritic(*character)).collect();
                for character in bare.nfc() {
                    match plain_letter(character) {
                        Some(letters) => term.push_str(letters),
                        None => term.push(character),
                    }
                }
            }
        }
        while term.len() > LONGEST_TERM {
            term.pop();
        }
    }

    /// The English rules are for English words: anything with a digit or another letter stays as it is.
    fn stem(&mut self, term: &mut String) {
        let is_english = term.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'\'');
        if self.language.stemming == Stemming::None || !is_english {
            return;
        }
        let mut stream = self.stemmer.token_stream(term);
        if stream.advance() {
            let stem = std::mem::take(&mut stream.token_mut().text);
            drop(stream);
            *term = stem;
        }
    }
}

/// Multiply and rotate over eight bytes at a time: quick, and good enough to spread words over slots.
fn hash(word: &[u8]) -> usize {
    const FACTOR: u64 = 0x517c_c1b7_2722_0a95;
    let mut sum = word.len() as u64;
    for chunk in word.chunks(8) {
        let mut bytes = [0; 8];
        bytes[..chunk.len()].copy_from_slice(chunk);
        sum = (sum.rotate_left(5) ^ u64::from_le_bytes(bytes)).wrapping_mul(FACTOR);
    }
    (sum >> 40) as usize
}
