//! How paths are spelled to be compared with rules: so that two spellings of one file are never judged apart.

use std::borrow::Cow;

use quillgate_markdown::fold;
use unicode_normalization::UnicodeNormalization;

use crate::path::{is_ignorable, nfc};

/// A path or a glob as it is compared: NFC, and where the file system folds case, folded and without what it passes over.
pub(crate) fn spelled(text: &str, folds_case: bool) -> Cow<'_, str> {
    if !folds_case {
        return if text.is_ascii() { Cow::Borrowed(text) } else { Cow::Owned(nfc(text).to_string()) };
    }
    let seen: String = text.nfd().filter(|character| !is_ignorable(*character)).collect();
    Cow::Owned(fold(&seen))
}

/// One name of a path. Systems that fold case may also drop dots and blanks at the end of a name.
pub(crate) fn spelled_name(name: &str, folds_case: bool) -> Cow<'_, str> {
    let spelled = spelled(name, folds_case);
    if !folds_case {
        return spelled;
    }
    match spelled.trim_end_matches(['.', ' ']) {
        "" => spelled,
        trimmed if trimmed.len() == spelled.len() => spelled,
        trimmed => Cow::Owned(trimmed.to_owned()),
    }
}

pub(crate) fn spelled_path(path: &str, folds_case: bool) -> Cow<'_, str> {
    if !folds_case {
        return spelled(path, folds_case);
    }
    let names: Vec<Cow<'_, str>> = path.split('/').map(|name| spelled_name(name, folds_case)).collect();
    Cow::Owned(names.join("/"))
}

/// Whether a file system may take the name for another one: `PRIVAT~1` is what FAT and NTFS also call `Private Letters`,
/// and on Windows `a.md::$DATA` is `a.md`.
pub(crate) fn is_alias(name: &str) -> bool {
    let (base, extension) = name.split_once('.').unwrap_or((name, ""));
    let is_numbered = base
        .rsplit_once('~')
        .is_some_and(|(stem, number)| !stem.is_empty() && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()));
    let is_short = base.chars().count() <= 8 && extension.chars().count() <= 3;
    is_numbered && is_short || cfg!(windows) && name.contains(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_one_file_is_the_same_where_case_is_folded() {
        for other in
            ["PRIVATE/Über.md", "private/u\u{308}ber.md", "Pri\u{200b}vate/Über.md", "Private./Über.md ", "private /ÜBER.MD"]
        {
            assert_eq!(spelled_path(other, true), spelled_path("Private/Über.md", true), "{other:?}");
        }
    }

    #[test]
    fn elsewhere_only_the_composition_is_left_out_of_account() {
        assert_eq!(spelled_path("U\u{308}ber", false), "Über");
        assert_eq!(spelled_path("Private.", false), "Private.");
        assert_ne!(spelled_path("private", false), spelled_path("Private", false));
    }

    #[test]
    fn short_names_are_recognised() {
        for alias in ["PRIVAT~1", "obsid~12", "NOTE~2.MD"] {
            assert!(is_alias(alias), "{alias}");
        }
        for plain in ["~1", "a~b", "a long name~1", "backup~", "note~1.markdown", "1"] {
            assert!(!is_alias(plain), "{plain}");
        }
    }
}
