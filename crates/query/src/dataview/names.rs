//! What counts as a name: identifiers of queries, the keys of fields, the headings of links.

/// Whether a name may start with it.
pub(crate) fn starts_name(character: char) -> bool {
    character.is_alphabetic() || is_emoji(character)
}

pub(crate) fn continues_name(character: char) -> bool {
    starts_name(character) || character.is_ascii_digit() || matches!(character, '_' | '-') || is_joiner(character)
}

pub(crate) fn is_name(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(starts_name) && characters.all(continues_name)
}

/// The key under which a query finds a field: lower case, white space as `-`, marks and formatting dropped.
pub fn canonical_name(key: &str) -> String {
    let mut name = String::with_capacity(key.len());
    let mut in_space = false;
    for character in key.chars() {
        if character.is_whitespace() {
            if !in_space {
                name.push('-');
            }
        } else if continues_name(character) {
            name.extend(character.to_lowercase());
        }
        in_space = character.is_whitespace();
    }
    name
}

/// A heading as a link names it: marks are spaces, and several spaces are one.
pub(crate) fn heading_for_link(heading: &str) -> String {
    let spaced: String = heading.chars().map(|character| if continues_name(character) { character } else { ' ' }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Joins emoji to one, or says how the one before is to be drawn.
fn is_joiner(character: char) -> bool {
    matches!(character, '\u{200D}' | '\u{FE0F}' | '\u{20E3}')
}

pub(crate) fn is_emoji(character: char) -> bool {
    match character {
        '\u{1F000}'..='\u{1FAFF}' => true,
        '\u{A9}' | '\u{AE}' | '\u{203C}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{3030}' | '\u{303D}' | '\u{3297}'
        | '\u{3299}' => true,
        '\u{2194}'..='\u{21AA}' => matches!(character, '\u{2194}'..='\u{2199}' | '\u{21A9}' | '\u{21AA}'),
        '\u{231A}'..='\u{23FA}' => {
            matches!(character, '\u{231A}' | '\u{231B}' | '\u{2328}' | '\u{23CF}' | '\u{23E9}'..='\u{23F3}' | '\u{23F8}'..='\u{23FA}')
        }
        '\u{24C2}' | '\u{25AA}' | '\u{25AB}' | '\u{25B6}' | '\u{25C0}' | '\u{25FB}'..='\u{25FE}' => true,
        '\u{2600}'..='\u{27BF}' => true,
        '\u{2934}' | '\u{2935}' | '\u{2B05}'..='\u{2B07}' | '\u{2B1B}' | '\u{2B1C}' | '\u{2B50}' | '\u{2B55}' => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_by_their_plain_names() {
        let check = |key, expected| assert_eq!(canonical_name(key), expected, "{key}");
        check("Basic Field", "basic-field");
        check("**Rating**", "rating");
        check("Größe (cm)", "größe-cm");
        check("a / b", "a--b");
        check("📅 due", "📅-due");
        check("!?", "");
    }

    #[test]
    fn names_start_with_a_letter_or_an_emoji() {
        for name in ["a", "a-b", "a_1", "über", "📅due", "⏳"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "1a", "_a", "-a", "a b", "a.b", "→"] {
            assert!(!is_name(name), "{name}");
        }
    }

    #[test]
    fn headings_lose_their_marks() {
        assert_eq!(heading_for_link("A: b  (c)"), "A b c");
    }
}
