//! What kind of character stands in a text, as far as words are concerned.

use unicode_normalization::char::is_combining_mark;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// A letter or digit of a script that puts spaces between words.
    Letter,
    /// A character of a script without spaces, or of Korean, whose particles stick to the words.
    Unspaced,
    /// Belongs to the character before it.
    Mark,
    Other,
}

pub(crate) fn class_of(character: char) -> Class {
    if character.is_ascii() {
        return if character.is_ascii_alphanumeric() { Class::Letter } else { Class::Other };
    }
    if character >= '\u{e00}' && is_unspaced(character) {
        return if is_combining_mark(character) { Class::Mark } else { Class::Unspaced };
    }
    if is_combining_mark(character) || is_joiner(character) {
        Class::Mark
    } else if character.is_alphanumeric() {
        Class::Letter
    } else {
        Class::Other
    }
}

pub(crate) fn continues_word(character: char) -> bool {
    matches!(class_of(character), Class::Letter | Class::Mark)
}

/// Marks that are accents; those of other scripts are vowels or change the letter.
pub(crate) fn is_diacritic(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}')
}

/// Invisible characters inside words: soft hyphen, joiners, variation selectors.
pub(crate) fn is_joiner(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200c}' | '\u{200d}' | '\u{2060}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}

/// Letters with a stroke and the like, which Unicode does not take apart.
pub(crate) fn plain_letter(character: char) -> Option<&'static str> {
    Some(match character {
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'đ' | 'ð' => "d",
        'ħ' => "h",
        'ı' => "i",
        'ł' => "l",
        'ŧ' => "t",
        'þ' => "th",
        _ => return None,
    })
}

fn is_unspaced(character: char) -> bool {
    matches!(character,
        // Thai, Lao, Myanmar, Khmer
        '\u{e01}'..='\u{e4e}' | '\u{e81}'..='\u{ece}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17d3}'
        // Hangul
        | '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{a960}'..='\u{a97f}' | '\u{ac00}'..='\u{d7ff}'
        // iteration marks, kana, bopomofo, Han
        | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{3029}' | '\u{3031}'..='\u{3035}' | '\u{3041}'..='\u{309f}'
        | '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{312f}' | '\u{31a0}'..='\u{31bf}' | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9f}'
        | '\u{20000}'..='\u{3ffff}')
}
