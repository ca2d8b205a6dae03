//! Sequences of three bytes: which of them a text has, and which files can therefore not contain a query.
//!
//! Sequences are taken from the folded text, so one index serves every way to search. They are taken from within words: those
//! with white space in them are in nearly every note, and would double the index.

use std::borrow::Cow;
use std::collections::BTreeSet;

use caseless::Caseless;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};
use tantivy::{DocId, DocSet, SegmentReader, TERMINATED, Term};

use super::common::CommonGrams;
use crate::fold_search::{composed, folded};

/// The most sequences of one query that are looked at: the rarest decide.
const MOST_LISTS: usize = 6;
const LENGTH: usize = 3;

/// Three bytes as one number.
pub(super) type Gram = u32;

/// The sequences of a text, in both ways of writing it; some more than once.
pub(super) fn grams_of(text: &str) -> Vec<Gram> {
    let mut found: Vec<Gram> = grams(folded(text).as_bytes()).collect();
    if let Cow::Owned(composed) = composed(text) {
        found.extend(grams(folded(&composed).as_bytes()));
    }
    found
}

fn grams(bytes: &[u8]) -> impl Iterator<Item = Gram> {
    bytes
        .windows(LENGTH)
        .filter(|gram| !gram.iter().any(|byte| byte.is_ascii_whitespace()))
        .map(|gram| u32::from_be_bytes([0, gram[0], gram[1], gram[2]]))
}

/// How a sequence is written in tantivy's dictionary, which wants text: every byte as the character of its number.
fn write_gram(gram: Gram, text: &mut String) {
    text.clear();
    let [_, bytes @ ..] = gram.to_be_bytes();
    text.extend(bytes.map(char::from));
}

fn term(field: Field, gram: Gram) -> Term {
    let mut text = String::new();
    write_gram(gram, &mut text);
    Term::from_field_text(field, &text)
}

/// Gives each sequence of a text once, but for the common ones.
#[derive(Clone)]
pub(crate) struct GramTokenizer {
    common: CommonGrams,
    /// One bit for each possible sequence.
    met: Vec<u64>,
    found: Vec<Gram>,
    token: Token,
}

impl GramTokenizer {
    pub(crate) fn new(common: CommonGrams) -> GramTokenizer {
        GramTokenizer { common, met: vec![0; 1 << 18], found: Vec::new(), token: Token::default() }
    }

    fn collect(&mut self, folded: &[u8]) {
        for gram in grams(folded) {
            let (word, bit) = (&mut self.met[gram as usize >> 6], 1 << (gram & 63));
            if *word & bit == 0 {
                *word |= bit;
                self.found.push(gram);
            }
        }
    }
}

impl Tokenizer for GramTokenizer {
    type TokenStream<'a> = GramStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> GramStream<'a> {
        self.found.clear();
        self.collect(folded(text).as_bytes());
        // Literal searches see the composed text, expressions the text as it is.
        if let Cow::Owned(composed) = composed(text) {
            self.collect(folded(&composed).as_bytes());
        }
        for &gram in &self.found {
            self.met[gram as usize >> 6] = 0;
        }
        self.found.retain(|gram| !self.common.contains(*gram));
        GramStream { found: &self.found, token: &mut self.token, next: 0 }
    }
}

pub(crate) struct GramStream<'a> {
    found: &'a [Gram],
    token: &'a mut Token,
    next: usize,
}

impl TokenStream for GramStream<'_> {
    fn advance(&mut self) -> bool {
        let Some(&gram) = self.found.get(self.next) else { return false };
        write_gram(gram, &mut self.token.text);
        self.token.position = self.next;
        self.next += 1;
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

/// What a text must have to match. It may have it and still not match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Needed {
    /// Nothing is known: every text may match.
    Anything,
    Grams(BTreeSet<Gram>),
    All(Vec<Needed>),
    AnyOf(Vec<Needed>),
}

impl Needed {
    /// A text that contains `literal`, whatever its case.
    pub(crate) fn for_literal(literal: &str) -> Needed {
        Needed::for_folded(&literal.chars().default_case_fold().collect::<String>())
    }

    pub(crate) fn for_folded(folded: &str) -> Needed {
        let found: BTreeSet<Gram> = grams(folded.as_bytes()).collect();
        if found.is_empty() { Needed::Anything } else { Needed::Grams(found) }
    }

    pub(crate) fn all(parts: Vec<Needed>) -> Needed {
        let mut parts: Vec<Needed> = parts.into_iter().filter(|part| *part != Needed::Anything).collect();
        match parts.len() {
            0 => Needed::Anything,
            1 => parts.remove(0),
            _ => Needed::All(parts),
        }
    }

    pub(crate) fn any_of(parts: Vec<Needed>) -> Needed {
        if parts.contains(&Needed::Anything) { Needed::Anything } else { Needed::AnyOf(parts) }
    }

    /// The documents of a segment that have it, in order; none where every document may.
    pub(crate) fn documents(
        &self,
        segment: &SegmentReader,
        field: Field,
        common: &CommonGrams,
    ) -> tantivy::Result<Option<Vec<DocId>>> {
        match self {
            Needed::Anything => Ok(None),
            Needed::Grams(grams) => {
                let telling: Vec<Gram> = grams.iter().copied().filter(|gram| !common.contains(*gram)).collect();
                if telling.is_empty() { Ok(None) } else { documents_with_all(&telling, segment, field).map(Some) }
            }
            Needed::All(parts) => {
                let mut all: Option<Vec<DocId>> = None;
                for part in parts {
                    let Some(documents) = part.documents(segment, field, common)? else { continue };
                    all = Some(match all {
                        Some(all) => intersection(&all, &documents),
                        None => documents,
                    });
                }
                Ok(all)
            }
            Needed::AnyOf(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    let Some(documents) = part.documents(segment, field, common)? else { return Ok(None) };
                    all.extend(documents);
                }
                all.sort_unstable();
                all.dedup();
                Ok(Some(all))
            }
        }
    }
}

fn documents_with_all(grams: &[Gram], segment: &SegmentReader, field: Field) -> tantivy::Result<Vec<DocId>> {
    let index = segment.inverted_index(field)?;
    let mut lists = Vec::with_capacity(grams.len());
    for &gram in grams {
        match index.get_term_info(&term(field, gram))? {
            Some(list) => lists.push(list),
            None => return Ok(Vec::new()),
        }
    }
    lists.sort_unstable_by_key(|list| list.doc_freq);
    lists.truncate(MOST_LISTS);
    let open = |list| index.read_postings_from_terminfo(list, IndexRecordOption::Basic);
    let mut postings = lists.iter().map(open).collect::<std::io::Result<Vec<_>>>()?;
    let Some((rarest, others)) = postings.split_first_mut() else { return Ok(Vec::new()) };
    let mut documents = Vec::new();
    let mut document = rarest.doc();
    while document != TERMINATED {
        let is_in = |other: &mut tantivy::postings::SegmentPostings| {
            other.doc() == document || (other.doc() < document && other.seek(document) == document)
        };
        if others.iter_mut().all(is_in) {
            documents.push(document);
        }
        document = rarest.advance();
    }
    Ok(documents)
}

fn intersection(a: &[DocId], b: &[DocId]) -> Vec<DocId> {
    a.iter().copied().filter(|document| b.binary_search(document).is_ok()).collect()
}
