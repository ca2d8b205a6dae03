//! The line ending a file uses, and text brought to it.

use std::borrow::Cow;

/// A way to end a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eol {
    Lf,
    CrLf,
}

impl Eol {
    /// The ending most lines of the text have; `Lf` when it has none.
    pub fn dominant(text: &str) -> Eol {
        let bytes = text.as_bytes();
        let (mut crlf, mut lf) = (0usize, 0usize);
        for newline in memchr::memchr_iter(b'\n', bytes) {
            if newline > 0 && bytes[newline - 1] == b'\r' {
                crlf += 1;
            } else {
                lf += 1;
            }
        }
        if crlf > lf { Eol::CrLf } else { Eol::Lf }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Eol::Lf => "\n",
            Eol::CrLf => "\r\n",
        }
    }

    /// The text with every line ending in this style.
    pub fn convert(self, text: &str) -> Cow<'_, str> {
        let unified = normalise(text);
        match self {
            Eol::Lf => unified,
            Eol::CrLf if unified.contains('\n') => Cow::Owned(unified.replace('\n', "\r\n")),
            Eol::CrLf => unified,
        }
    }
}

/// The text with `\r\n` written as `\n`.
pub(crate) fn normalise(text: &str) -> Cow<'_, str> {
    if memchr::memchr(b'\r', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace("\r\n", "\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_majority_decides() {
        assert_eq!(Eol::dominant("a\r\nb\r\nc\n"), Eol::CrLf);
        assert_eq!(Eol::dominant("a\nb"), Eol::Lf);
        assert_eq!(Eol::dominant(""), Eol::Lf);
    }

    #[test]
    fn converting_does_not_double_what_is_there() {
        assert_eq!(Eol::CrLf.convert("a\r\nb\nc"), "a\r\nb\r\nc");
        assert_eq!(Eol::Lf.convert("a\r\nb\nc"), "a\nb\nc");
    }
}
