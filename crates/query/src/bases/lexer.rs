//! Cuts an expression into tokens.

use std::ops::Range;
use std::sync::Arc;

use crate::fault::SyntaxError;
use crate::pattern::Pattern;

#[derive(Clone, Debug)]
pub(super) enum Token {
    Number(f64),
    Text(String),
    Name(String),
    Pattern(Arc<Pattern>),
    /// Operators and brackets.
    Sign(&'static str),
    End,
}

/// Longer ones first.
const SIGNS: [&str; 23] =
    ["&&", "||", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "!", "(", ")", "[", "]", "{", "}", ",", ":", "."];

pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Lexer<'t> {
        Lexer { text, at: 0 }
    }

    /// A slash begins a regular expression where a value is expected, and divides elsewhere.
    pub(super) fn next(&mut self, expects_value: bool) -> Result<(Token, Range<usize>), SyntaxError> {
        self.at += self.rest().len() - self.rest().trim_start().len();
        let start = self.at;
        let token = match self.rest().chars().next() {
            None => Token::End,
            Some('"' | '\'') => self.quoted()?,
            Some('/') if expects_value => self.pattern()?,
            Some(first) if first.is_ascii_digit() => self.number()?,
            Some('.') if expects_value && self.rest()[1..].starts_with(|next: char| next.is_ascii_digit()) => self.number()?,
            Some(first) if is_name_start(first) => self.name(),
            Some(first) => self.sign(first)?,
        };
        Ok((token, start..self.at))
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn error(&self, offset: usize, message: impl Into<String>) -> SyntaxError {
        SyntaxError::at(self.text, offset, message)
    }

    fn name(&mut self) -> Token {
        let length = self.rest().find(|character| !is_name_part(character)).unwrap_or(self.rest().len());
        let name = self.rest()[..length].to_owned();
        self.at += length;
        Token::Name(name)
    }

    fn sign(&mut self, first: char) -> Result<Token, SyntaxError> {
        let found = SIGNS.iter().find(|sign| self.rest().starts_with(**sign));
        let Some(sign) = found else {
            let hint = match first {
                '=' => "write == to compare",
                '&' => "write && for and",
                '|' => "write || for or",
                '`' => "texts stand in \" or ', names without quotes",
                '“' | '”' | '‘' | '’' => "use straight quotes",
                _ => "put texts in quotes, and write note[\"…\"] for a property of such a name",
            };
            return Err(self.error(self.at, format!("{first:?} means nothing here; {hint}")));
        };
        self.at += sign.len();
        Ok(Token::Sign(sign))
    }

    fn number(&mut self) -> Result<Token, SyntaxError> {
        let bytes = self.rest().as_bytes();
        let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let mut end = digits(0);
        // `1.isTruthy()` asks the number 1.
        if bytes.get(end) == Some(&b'.') && digits(end + 1) > 0 {
            end += 1 + digits(end + 1);
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            if bytes.len() > end + 1 + sign && digits(end + 1 + sign) > 0 {
                end += 1 + sign + digits(end + 1 + sign);
            }
        }
        if self.rest()[end..].starts_with(is_name_start) {
            return Err(
                self.error(self.at, "a name does not begin with a digit; write note[\"…\"] for a property of such a name")
            );
        }
        let number = self.rest()[..end].parse().map_err(|_| self.error(self.at, "this is no number"))?;
        self.at += end;
        Ok(Token::Number(number))
    }

    fn quoted(&mut self) -> Result<Token, SyntaxError> {
        let start = self.at;
        let quote = self.rest().chars().next().unwrap_or('"');
        let mut text = String::new();
        let mut characters = self.rest().char_indices().skip(1);
        while let Some((offset, character)) = characters.next() {
            match character {
                '\\' => {
                    let Some((_, escaped)) = characters.next() else { break };
                    match escaped {
                        'n' => text.push('\n'),
                        't' => text.push('\t'),
                        'r' => text.push('\r'),
                        'u' => {
                            let code =
                                self.rest().get(offset + 2..offset + 6).and_then(|digits| u32::from_str_radix(digits, 16).ok());
                            let Some(character) = code.and_then(char::from_u32) else {
                                return Err(self.error(start + offset, "\\u is followed by four hexadecimal digits"));
                            };
                            text.push(character);
                            characters.nth(3);
                        }
                        other => text.push(other),
                    }
                }
                character if character == quote => {
                    self.at += offset + 1;
                    return Ok(Token::Text(text));
                }
                character => text.push(character),
            }
        }
        Err(self.error(start, format!("this text is not closed with {quote}")))
    }

    fn pattern(&mut self) -> Result<Token, SyntaxError> {
        let start = self.at;
        let (mut in_class, mut is_escaped, mut close) = (false, false, None);
        for (offset, character) in self.rest().char_indices().skip(1) {
            match character {
                '\n' => break,
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '[' => in_class = true,
                ']' => in_class = false,
                '/' if !in_class => {
                    close = Some(offset);
                    break;
                }
                _ => {}
            }
        }
        let Some(close) = close.filter(|close| *close > 1) else {
            return Err(self.error(start, "a regular expression stands between two slashes"));
        };
        let after = &self.rest()[close + 1..];
        let flags = &after[..after.find(|character: char| !character.is_ascii_alphabetic()).unwrap_or(after.len())];
        let pattern = Pattern::new(&self.rest()[1..close], flags).map_err(|error| self.error(start, error.to_string()))?;
        self.at += close + 1 + flags.len();
        Ok(Token::Pattern(Arc::new(pattern)))
    }
}

pub(super) fn is_name_start(character: char) -> bool {
    // Properties are named in any language, and with emoji.
    character.is_alphabetic()
        || matches!(character, '_' | '$')
        || (!character.is_ascii() && !character.is_whitespace() && !matches!(character, '“' | '”' | '‘' | '’'))
}

pub(super) fn is_name_part(character: char) -> bool {
    is_name_start(character) || character.is_ascii_digit()
}

/// Whether it can stand in an expression without quotes.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(is_name_start) && text.chars().all(is_name_part) && !matches!(text, "true" | "false" | "null")
}
