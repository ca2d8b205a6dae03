//! The order of texts as the app has it: marks, then digits, then letters, with accents and case deciding only between equals.
//!
//! Exact for ASCII and for letters with accents; other scripts are in the order of their code points.

use std::cmp::Ordering;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// All of ASCII that is no letter, in order.
const MARKS: &[u8] = b"\t\n\x0b\x0c\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789";

const FIRST_LETTER: u8 = 100;
/// Behind the marks and before the digits.
const OTHER_MARK: u8 = 90;
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
    let mut key = Vec::with_capacity(text.len() + 1);
    if text.is_ascii() {
        key.extend(text.bytes().map(|byte| WEIGHTS[byte as usize]));
        key.push(0);
        if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
            key.push(0);
            key.extend(text.bytes().map(|byte| 1 + u8::from(byte.is_ascii_uppercase())));
        }
        return key.into_boxed_slice();
    }
    let (mut accents, mut cases) = (Vec::new(), Vec::new());
    for character in text.nfd() {
        if is_combining_mark(character) {
            accents.push(2);
            accents.extend(&u32::from(character).to_be_bytes()[1..]);
            continue;
        }
        accents.push(1);
        primary(character, &mut key, &mut accents);
        cases.push(1 + u8::from(character.is_uppercase()));
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
    key.into_boxed_slice()
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

    proptest! {
        #[test]
        fn keys_compare_as_texts_do(left in "[ -~äßé]{0,6}", right in "[ -~äßé]{0,6}") {
            prop_assert_eq!(collate(&left, &right), collation_key(&left).cmp(&collation_key(&right)));
        }
    }
}
