//! Tags: what may stand in one and where one begins.

use crate::span::Span;

/// `#tag` in the body of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// Without the `#`.
    pub name: String,
    /// With the `#`.
    pub span: Span,
    pub line: usize,
}

/// Whether the name (without `#`) is one the app accepts as a whole tag.
pub fn is_valid_tag(name: &str) -> bool {
    !name.ends_with('/') && name.chars().all(is_tag_char) && has_non_digit(name)
}

/// The tag name that starts at the beginning of the text, right after a `#`.
pub(crate) fn leading_tag(text: &str) -> Option<&str> {
    let end = text.find(|character| !is_tag_char(character)).unwrap_or(text.len());
    let name = text[..end].trim_end_matches('/');
    has_non_digit(name).then_some(name)
}

fn has_non_digit(name: &str) -> bool {
    name.chars().any(|character| !character.is_ascii_digit())
}

fn is_tag_char(character: char) -> bool {
    match character {
        '_' | '-' | '/' => true,
        character if character.is_ascii() => character.is_ascii_alphanumeric(),
        '\u{2000}'..='\u{206F}' | '\u{2E00}'..='\u{2E7F}' => false,
        character => !character.is_whitespace(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_needs_one_character_that_is_no_digit() {
        assert!(!is_valid_tag("1984"));
        assert!(is_valid_tag("y1984"));
        assert!(is_valid_tag("2024/01"));
        assert!(!is_valid_tag(""));
    }

    #[test]
    fn spaces_commas_and_a_closing_slash_are_refused() {
        for name in ["a b", "a,b", "a/", "#a", "a.b", "a’b"] {
            assert!(!is_valid_tag(name), "{name}");
        }
    }

    #[test]
    fn any_script_and_emoji_are_accepted() {
        for name in ["日本", "a_b-c/d", "🚀", "über"] {
            assert!(is_valid_tag(name), "{name}");
        }
    }

    #[test]
    fn a_leading_tag_ends_at_punctuation_and_drops_slashes() {
        assert_eq!(leading_tag("a/ b"), Some("a"));
        assert_eq!(leading_tag("tag, x"), Some("tag"));
        assert_eq!(leading_tag(" x"), None);
        assert_eq!(leading_tag("12/"), None);
    }
}
