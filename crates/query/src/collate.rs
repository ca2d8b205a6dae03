//! The order of texts as the app has it: marks, then digits, then letters, with accents and case deciding only between equals.
//!
//! Exact for ASCII and for letters with accents; other scripts are in the order of their code points. Dataview takes digits one by one,
//! Tasks takes them as numbers.

use std::cmp::Ordering;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// All of ASCII that is no letter, in order.
const MARKS: &[u8] = b"\t\n\x0b\x0c\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789";

const FIRST_LETTER: u8 = 100;
/// Behind the marks and before the digits.
const OTHER_MARK: u8 = 60;
/// Behind the letters of ASCII.
const OTHER_LETTER: u8 = 200;

const WEIGHTS: [u8; 128] = {
    let mut weights = [1; 128];
    let mut at = 0;
    while at < MARKS.len() {
        let digit = MARKS[at].is_ascii_digit();
        weights[MARKS[at] as usize] = at as u8 + if digit { 50 } else { 2 };
        at += 1;
    }
    let mut letter = b'a';
    while letter <= b'z' {
        weights[letter as usize] = FIRST_LETTER + (letter - b'a');
        weights[letter.to_ascii_uppercase() as usize] = FIRST_LETTER + (letter - b'a');
        letter += 1;
    }
    weights
};

/// Two texts whose keys compare as the texts do. Made once where a text is compared often.
pub(crate) fn collation_key(text: &str) -> Box<[u8]> {
    if !text.is_ascii() {
        return key(text.nfd(), text.len(), Digits::Each).into_boxed_slice();
    }
    let mut key = Vec::with_capacity(text.len() + 1);
    key.extend(text.bytes().map(|byte| WEIGHTS[byte as usize]));
    key.push(0);
    if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        key.push(0);
        key.extend(text.bytes().map(|byte| 1 + u8::from(byte.is_ascii_uppercase())));
    }
    key.into_boxed_slice()
}

/// The same with numbers by their worth, so that `Note 2` comes before `Note 10`.
pub(crate) fn natural_key(text: &str) -> Vec<u8> {
    if text.is_ascii() { key(text.chars(), text.len(), Digits::Numbers) } else { key(text.nfd(), text.len(), Digits::Numbers) }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Digits {
    Each,
    Numbers,
}

/// What counts most, then accents, then case. `characters` are decomposed.
fn key(characters: impl Iterator<Item = char>, length: usize, digits: Digits) -> Vec<u8> {
    let mut key = Vec::with_capacity(2 * length + 2);
    let (mut accents, mut cases) = (Vec::with_capacity(length), Vec::with_capacity(length));
    let mut characters = characters.peekable();
    while let Some(character) = characters.next() {
        if is_combining_mark(character) {
            accents.push(2);
            accents.extend(&u32::from(character).to_be_bytes()[1..]);
            continue;
        }
        accents.push(1);
        cases.push(1 + u8::from(character.is_uppercase()));
        if digits == Digits::Numbers && character.is_ascii_digit() {
            number(&mut key, character, std::iter::from_fn(|| characters.next_if(char::is_ascii_digit)));
        } else {
            primary(character, &mut key, &mut accents);
        }
    }
    key.push(0);
    let has_accents = accents.iter().any(|&accent| accent != 1);
    if has_accents {
        key.extend(accents);
    }
    if cases.contains(&2) {
        key.push(0);
        key.extend(cases);
    }
    key
}

/// How many digits there are, then the digits, without zeros before them.
fn number(key: &mut Vec<u8>, first: char, rest: impl Iterator<Item = char>) {
    key.push(WEIGHTS[usize::from(b'0')]);
    let length_at = key.len();
    key.push(0);
    for digit in std::iter::once(first).chain(rest) {
        if digit != '0' || key.len() > length_at + 1 {
            key.push(digit as u8);
        }
    }
    // More than zero, which ends a text.
    key[length_at] = u8::try_from(key.len() - length_at).unwrap_or(u8::MAX);
}

fn primary(character: char, key: &mut Vec<u8>, accents: &mut Vec<u8>) {
    let (base, is_other) = match character {
        'ß' | 'ẞ' => ("ss", true),
        'æ' | 'Æ' => ("ae", true),
        'œ' | 'Œ' => ("oe", true),
        'ø' | 'Ø' => ("o", true),
        'đ' | 'Đ' => ("d", true),
        'ł' | 'Ł' => ("l", true),
        _ => ("", false),
    };
    if is_other {
        key.extend(base.bytes().map(|byte| WEIGHTS[byte as usize]));
        accents.push(3);
    } else if character.is_ascii() {
        key.push(WEIGHTS[character as usize]);
    } else {
        let lower = character.to_lowercase().next().unwrap_or(character);
        key.push(if character.is_alphanumeric() { OTHER_LETTER } else { OTHER_MARK });
        key.extend(&u32::from(lower).to_be_bytes()[1..]);
    }
}

pub(crate) fn collate(left: &str, right: &str) -> Ordering {
    if left == right {
        return Ordering::Equal;
    }
    if !left.is_ascii() || !right.is_ascii() {
        return collation_key(left).cmp(&collation_key(right));
    }
    let weights = |text: &str| text.bytes().map(|byte| WEIGHTS[byte as usize]).collect::<Vec<_>>();
    let mut pairs = left.bytes().zip(right.bytes());
    let decided =
        pairs.find_map(|(one, other)| Some(WEIGHTS[one as usize].cmp(&WEIGHTS[other as usize])).filter(|order| order.is_ne()));
    let by_case = || {
        let mut pairs = left.bytes().zip(right.bytes());
        pairs.find_map(|(one, other)| {
            Some(one.is_ascii_uppercase().cmp(&other.is_ascii_uppercase())).filter(|order| order.is_ne())
        })
    };
    let by_length = left.len().cmp(&right.len());
    decided.unwrap_or(by_length).then_with(|| by_case().unwrap_or_else(|| weights(left).cmp(&weights(right))))
}

/// Whether two texts are the same in the order, which means the same letters, accents and case however they are encoded.
pub(crate) fn is_same(left: &str, right: &str) -> bool {
    left == right || (!left.is_ascii() && !right.is_ascii() && left.nfc().eq(right.nfc()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn marks_digits_and_letters_follow_each_other() {
        let expected = "_ - , ; : ! ? . ' \" ( ) [ ] { } @ * / \\ & # % ` ^ + < = > | ~ $ 0 1 9 a A æ b é f o ø z α а あ 中";
        let mut texts: Vec<&str> = expected.split(' ').rev().collect();
        texts.sort_by(|left, right| collate(left, right));
        assert_eq!(texts.join(" "), expected);
    }

    #[test]
    fn case_and_accents_decide_between_equals() {
        let expected = ["a", "A", "ä", "Ä", "a b", "a_b", "a-b", "aa", "ab", "aB", "Ab", "b", "B"];
        let mut texts = expected.to_vec();
        texts.reverse();
        texts.sort_by(|left, right| collate(left, right));
        assert_eq!(texts, expected);
    }

    #[test]
    fn numbers_sort_by_their_worth_where_they_are_asked_for() {
        let expected = ["_x", "…", "9", "10", "ä", "a 1", "a2", "A2", "a02 b", "a10", "a10 1", "b", "B"];
        let mut names = expected.to_vec();
        names.reverse();
        names.sort_by_key(|name| natural_key(name));
        assert_eq!(names, expected);
        let long = "1".repeat(300);
        assert!(natural_key("2") < natural_key(&long) && natural_key(&long) < natural_key(&format!("{long}2")));
    }

    proptest! {
        #[test]
        fn without_digits_both_orders_are_the_same(left in "[ -/:-~äßéあ]{0,6}", right in "[ -/:-~äßéあ]{0,6}") {
            prop_assert_eq!(collation_key(&left).cmp(&collation_key(&right)), natural_key(&left).cmp(&natural_key(&right)));
        }

        #[test]
        fn keys_compare_as_texts_do(left in "[ -~äßé]{0,6}", right in "[ -~äßé]{0,6}") {
            prop_assert_eq!(collate(&left, &right), collation_key(&left).cmp(&collation_key(&right)));
        }
    }
}
