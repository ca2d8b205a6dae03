//! Folds names so that two spellings of one name compare equal.

use unicode_normalization::UnicodeNormalization;

/// The key by which names are compared: canonical composition and full case folding.
///
/// Lower-casing is not enough: a capital sigma lower-cases differently at the end of a word.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let decomposed: String = text.nfd().collect();
    caseless::default_case_fold_str(&decomposed).nfc().collect()
}

#[cfg(test)]
mod tests {
    use super::fold;

    #[test]
    fn final_sigma_equals_capital_sigma() {
        assert_eq!(fold("ΛΟΓΟΣ"), fold("λογος"));
    }

    #[test]
    fn composed_and_decomposed_names_are_one() {
        assert_eq!(fold("Cafe\u{301}"), fold("CAFÉ"));
    }

    #[test]
    fn sharp_s_equals_double_s() {
        assert_eq!(fold("Straße"), fold("STRASSE"));
    }
}
