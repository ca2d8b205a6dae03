//! Finds names of months and weekdays at the start of a text, in any case.

/// The whole word that the text begins with: digits, if any, and then letters of any script but the Arabic ones.
pub(crate) fn word(text: &str) -> Option<&str> {
    let digits = text.bytes().take(256).take_while(u8::is_ascii_digit).count();
    let letters: usize = text[digits..].chars().take(256).take_while(|letter| is_letter(*letter)).map(char::len_utf8).sum();
    (letters > 0).then(|| &text[..digits + letters])
}

fn is_letter(character: char) -> bool {
    matches!(character, '\'' | 'a'..='z' | 'A'..='Z' | '\u{a0}'..='\u{5ff}' | '\u{700}'..='\u{d7ff}' | '\u{f900}'..='\u{fdcf}'
        | '\u{fdf0}'..='\u{ff07}' | '\u{ff10}'..='\u{ffef}')
}

/// The length of the start of the text that is the name in some case.
pub(crate) fn starts_with(text: &str, name: &str) -> Option<usize> {
    let mut rest = text.chars();
    for wanted in name.chars() {
        if fold(rest.next()?) != fold(wanted) {
            return None;
        }
    }
    Some(text.len() - rest.as_str().len())
}

pub(crate) fn same(text: &str, name: &str) -> bool {
    starts_with(text, name) == Some(text.len())
}

/// As patterns compare letters: by the upper-case form, if that is one letter and does not turn into an ASCII one.
fn fold(letter: char) -> char {
    let mut upper = letter.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(upper), None) if letter.is_ascii() || !upper.is_ascii() => upper,
        _ => letter,
    }
}

/// The place of the name that is the longest start of the text, and its length there. A name may have several spellings, separated by `|`.
pub(crate) fn longest(text: &str, names: &[&str]) -> Option<(usize, usize)> {
    let mut best: Option<(usize, usize)> = None;
    for (place, spellings) in names.iter().enumerate() {
        for spelling in spellings.split('|') {
            if let Some(length) = starts_with(text, spelling)
                && best.is_none_or(|(_, longest)| length > longest)
            {
                best = Some((place, length));
            }
        }
    }
    best
}
