//! Splits a format into tokens.

use super::fields::Field;
use super::locale::Locale;

/// A token as it is written, and what it stands for; without a field it is text.
#[derive(Debug)]
pub(crate) struct Token {
    pub written: String,
    pub field: Option<Field>,
}

/// Spellings of tokens that begin alike, the ones to prefer first. `w|` and `W|` are moment's: a slip in its pattern that makes them text.
const SPELLINGS: &[(char, &[&str])] = &[
    ('H', &["Hmmss", "Hmm", "HH", "H"]),
    ('h', &["hmmss", "hmm", "hh", "h"]),
    ('M', &["Mo", "MMMM", "MMM", "MM", "M"]),
    ('D', &["Do", "DDDo", "DDDD", "DDD", "DD", "D"]),
    ('d', &["dddd", "ddd", "dd", "do", "d"]),
    ('w', &["wo", "ww", "w|", "w"]),
    ('W', &["Wo", "WW", "W|", "W"]),
    ('Q', &["Qo", "Q"]),
    ('N', &["NNNNN", "NNNN", "NNN", "NN", "N"]),
    ('Y', &["YYYYYY", "YYYYY", "YYYY", "YY", "Y"]),
    ('y', &["yyyy", "yyy", "yy", "yo", "y"]),
    ('g', &["ggggg", "gggg", "gg", "g"]),
    ('G', &["GGGGG", "GGGG", "GG", "G"]),
    ('k', &["kk", "k"]),
    ('m', &["mm", "m"]),
    ('s', &["ss", "s"]),
    ('S', &["SSSSSSSSS", "SSSSSSSS", "SSSSSSS", "SSSSSS", "SSSSS", "SSSS", "SSS", "SS", "S"]),
    ('z', &["zz", "z"]),
    ('Z', &["ZZ", "Z"]),
];

const LONG_FORMATS: &[&str] = &["LTS", "LT", "LLLL", "LLL", "LL", "L", "llll", "lll", "ll", "l"];

pub(crate) fn tokens(format: &str, locale: &Locale) -> (String, Vec<Token>) {
    let expanded = expand(format, locale);
    let mut tokens = Vec::new();
    let mut rest = expanded.as_str();
    while let Some(length) = token_length(rest) {
        let (written, after) = rest.split_at(length);
        rest = after;
        // A line end is no token, and so is not in the answer.
        if !matches!(written, "\n" | "\r" | "\u{2028}" | "\u{2029}") {
            tokens.push(Token { written: written.to_owned(), field: Field::of(written) });
        }
    }
    (expanded, tokens)
}

/// The format with `L`, `LT` and their like replaced by what the locale has for them.
fn expand(format: &str, locale: &Locale) -> String {
    let mut expanded = String::with_capacity(format.len());
    let mut rest = format;
    while let Some(first) = rest.chars().next() {
        let length = literal_length(rest).unwrap_or_else(|| {
            let escaped = rest.strip_prefix('\\').unwrap_or(rest);
            match LONG_FORMATS.iter().find(|name| escaped.starts_with(**name)) {
                Some(name) => rest.len() - escaped.len() + name.len(),
                None => first.len_utf8(),
            }
        });
        let (written, after) = rest.split_at(length);
        match locale.long_format(written) {
            Some(long) => expanded.push_str(&long),
            None => expanded.push_str(written),
        }
        rest = after;
    }
    expanded
}

fn token_length(rest: &str) -> Option<usize> {
    let first = rest.chars().next()?;
    if let Some(length) = literal_length(rest) {
        return Some(length);
    }
    if first == '\\' {
        let escaped = &rest[1..];
        return Some(match escaped.chars().next() {
            None | Some('\n' | '\r' | '\u{2028}' | '\u{2029}') => 1,
            Some(next) => 1 + plain_length(escaped, next),
        });
    }
    Some(plain_length(rest, first))
}

fn plain_length(rest: &str, first: char) -> usize {
    let spellings = SPELLINGS.iter().find(|(start, _)| *start == first).map_or(&[][..], |(_, spellings)| spellings);
    spellings.iter().find(|spelling| rest.starts_with(**spelling)).map_or(first.len_utf8(), |spelling| spelling.len())
}

/// `[literal]`: up to the last `]` before the next `[`.
fn literal_length(rest: &str) -> Option<usize> {
    let inside = rest.strip_prefix('[')?;
    let end = inside.find('[').unwrap_or(inside.len());
    inside[..end].rfind(']').map(|close| close + 2)
}

impl Token {
    /// What a token without a field adds to a formatted date.
    pub(crate) fn text(&self) -> String {
        let mut characters = self.written.chars();
        let bracketed = characters.any(|character| character == '[') && characters.next().is_some();
        if bracketed {
            let text = self.written.strip_prefix('[').unwrap_or(&self.written);
            return text.strip_suffix(']').unwrap_or(text).to_owned();
        }
        self.written.replace('\\', "")
    }

    /// What a token without a field must be in a text that is read. Differs from [`Token::text`] in literals with `]` in them, as moment does.
    pub(crate) fn text_to_read(&self) -> String {
        let written = self.written.replacen('\\', "", 1);
        let mut text = String::with_capacity(written.len());
        let mut rest = written.as_str();
        while let Some(character) = rest.chars().next() {
            let inside = rest.strip_prefix('[').and_then(|inside| {
                let end = inside.find(['[', ']'])?;
                inside[end..].starts_with(']').then_some(&inside[..end])
            });
            if let Some(inside) = inside {
                text.push_str(inside);
                rest = &rest[inside.len() + 2..];
                continue;
            }
            rest = &rest[character.len_utf8()..];
            match (character, rest.chars().next()) {
                ('\\', Some(escaped)) => {
                    text.push(escaped);
                    rest = &rest[escaped.len_utf8()..];
                }
                _ => text.push(character),
            }
        }
        text
    }
}
