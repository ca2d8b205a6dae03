//! The order of names for people: case last, numbers by value, signs before digits before letters.

use std::iter::Peekable;
use std::str::Chars;

/// Signs in the order in which most languages sort them; others follow.
const SIGNS: &str = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$";

/// Bytes that sort as the text does.
pub(super) fn key(text: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(text.len() * 2 + 2);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character.is_ascii_digit() {
            number(&mut key, character, &mut characters);
        } else if character.is_whitespace() {
            key.push(2);
        } else if let Some(place) = SIGNS.find(character) {
            key.extend([3, place as u8]);
        } else {
            key.push(if character.is_alphabetic() { 6 } else { 4 });
            for lower in character.to_lowercase() {
                key.extend(lower.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
    }
    key.push(0);
    // Small letters before capitals, where all else is the same.
    key.extend(text.chars().map(|character| u8::from(character.is_uppercase())));
    key
}

/// The number of digits, then the digits, without zeros before them.
fn number(key: &mut Vec<u8>, first: char, characters: &mut Peekable<Chars<'_>>) {
    let mut digits = String::from(first);
    while let Some(digit) = characters.next_if(char::is_ascii_digit) {
        digits.push(digit);
    }
    let digits = digits.trim_start_matches('0');
    key.extend([5, u8::try_from(digits.len()).unwrap_or(u8::MAX)]);
    key.extend(digits.as_bytes());
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_sort_as_people_expect() {
        let mut names = ["b", "a10", "a2", "A2", "_x", "B", "a 1", "10", "9", "ä"];
        names.sort_by_key(|name| super::key(name));
        assert_eq!(names, ["_x", "9", "10", "a 1", "a2", "A2", "a10", "b", "B", "ä"]);
    }
}
