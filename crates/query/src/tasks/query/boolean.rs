//! Filters in brackets, joined by AND, OR, XOR and NOT.

use super::filter::Filter;

/// Levels of brackets.
const DEPTH: usize = 50;

/// Filters, operators and brackets of one line.
const TOKENS: usize = 2_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    Open,
    Close,
    Not,
    And,
    Or,
    Xor,
    /// A filter, and where it begins.
    Filter(&'a str, usize),
}

/// What is wrong, and where.
pub(super) type Problem = (usize, String);

const BRACKETS: [(char, char); 4] = [('(', ')'), ('[', ']'), ('{', '}'), ('"', '"')];

/// The brackets of a line that is such a combination.
fn brackets(line: &str) -> Option<(char, char)> {
    let mut rest = line;
    while let Some(behind) = rest.strip_prefix("NOT") {
        rest = behind.trim_start();
    }
    BRACKETS.into_iter().find(|(open, _)| rest.starts_with(*open))
}

/// None if the line is no such combination.
pub(super) fn read(line: &str, leaf: &dyn Fn(&str) -> Result<Filter, String>) -> Option<Result<Filter, Problem>> {
    let (open, close) = brackets(line)?;
    // As the plugin splits; where that makes no sense, by brackets that match.
    let plain = match parse(&tokens(line, open, close, end_at_operator), line.len(), leaf) {
        Err(problem) if open != close => problem,
        read => return Some(read),
    };
    let matched = parse(&tokens(line, open, close, end_at_bracket), line.len(), leaf);
    Some(matched.map_err(|problem| if problem.0 > plain.0 { problem } else { plain }))
}

fn tokens(line: &str, open: char, close: char, end: fn(&str, char, char) -> usize) -> Vec<Token<'_>> {
    let (mut tokens, mut at, mut wants_filter) = (Vec::new(), 0, true);
    while at < line.len() {
        let rest = &line[at..];
        let trimmed = rest.trim_start();
        at += rest.len() - trimmed.len();
        if trimmed.is_empty() {
            break;
        }
        if wants_filter && trimmed.starts_with(open) {
            tokens.push(Token::Open);
            at += open.len_utf8();
        } else if wants_filter && trimmed.strip_prefix("NOT").is_some_and(|rest| rest.trim_start().starts_with(open)) {
            tokens.push(Token::Not);
            at += 3;
        } else if wants_filter {
            let length = end(trimmed, open, close);
            let text = trimmed[..length].trim_end();
            tokens.push(Token::Filter(text, at));
            at += length.max(1);
            wants_filter = false;
        } else if trimmed.starts_with(close) {
            tokens.push(Token::Close);
            at += close.len_utf8();
        } else if let Some((token, length)) = operator(trimmed) {
            tokens.push(token);
            at += length;
            wants_filter = true;
        } else {
            tokens.push(Token::Filter(trimmed, at));
            break;
        }
    }
    tokens
}

fn operator(text: &str) -> Option<(Token<'static>, usize)> {
    [("AND", Token::And), ("XOR", Token::Xor), ("OR", Token::Or)]
        .into_iter()
        .find(|(word, _)| text.starts_with(word))
        .map(|(word, token)| (token, word.len()))
}

/// A filter ends before the brackets in front of the next operator, or at the end of the line.
fn end_at_operator(text: &str, open: char, close: char) -> usize {
    let joins = |rest: &str| {
        let Some((_, length)) = operator(rest) else { return false };
        let rest = rest[length..].trim_start();
        let rest = rest.strip_prefix("NOT").map_or(rest, str::trim_start);
        rest.starts_with(open)
    };
    let end = text
        .char_indices()
        .filter(|(_, character)| *character == close)
        .find(|(at, _)| joins(text[at + close.len_utf8()..].trim_start()));
    let end = end.map_or(text.len(), |(at, _)| at + close.len_utf8());
    text[..end].trim_end_matches([close, ' ']).len()
}

/// A filter ends at the bracket that closes the one before it.
fn end_at_bracket(text: &str, open: char, close: char) -> usize {
    let mut depth = 0usize;
    for (at, character) in text.char_indices() {
        if character == open {
            depth += 1;
        } else if character == close {
            if depth == 0 {
                return at;
            }
            depth -= 1;
        }
    }
    text.len()
}

type Join = fn(Box<Filter>, Box<Filter>) -> Filter;

struct Reader<'a, 'f> {
    tokens: &'a [Token<'a>],
    at: usize,
    length: usize,
    leaf: &'f dyn Fn(&str) -> Result<Filter, String>,
}

fn parse(tokens: &[Token<'_>], length: usize, leaf: &dyn Fn(&str) -> Result<Filter, String>) -> Result<Filter, Problem> {
    if tokens.len() > TOKENS {
        return Err((0, "too many filters in one line; write them on lines of their own".into()));
    }
    let mut reader = Reader { tokens, at: 0, length, leaf };
    let filter = reader.joined(0, 0)?;
    match reader.tokens.get(reader.at) {
        None => Ok(filter),
        Some(_) => Err(reader
            .problem("expected AND, OR, XOR or the end here; every filter stands in brackets of its own: (done) OR (due today)")),
    }
}

impl Reader<'_, '_> {
    fn problem(&self, message: &str) -> Problem {
        let at = self.tokens[self.at.min(self.tokens.len())..].iter().find_map(|token| match token {
            Token::Filter(_, at) => Some(*at),
            _ => None,
        });
        (at.unwrap_or(self.length), message.to_owned())
    }

    /// XOR binds tighter than AND, and AND tighter than OR.
    fn joined(&mut self, least: u8, depth: usize) -> Result<Filter, Problem> {
        let mut left = self.operand(depth)?;
        while let Some(token) = self.tokens.get(self.at).copied() {
            let (strength, join): (u8, Join) = match token {
                Token::Or => (1, Filter::Or),
                Token::And => (2, Filter::And),
                Token::Xor => (3, Filter::Xor),
                _ => break,
            };
            if strength <= least {
                break;
            }
            self.at += 1;
            let right = self.joined(strength, depth + 1)?;
            left = join(Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn operand(&mut self, depth: usize) -> Result<Filter, Problem> {
        if depth > DEPTH {
            return Err(self.problem("too many brackets in brackets"));
        }
        let token = self.tokens.get(self.at).copied();
        self.at += 1;
        match token {
            Some(Token::Not) => Ok(Filter::Not(Box::new(self.operand(depth + 1)?))),
            Some(Token::Open) => {
                let filter = self.joined(0, depth + 1)?;
                if self.tokens.get(self.at) != Some(&Token::Close) {
                    return Err(self.problem("a bracket is not closed"));
                }
                self.at += 1;
                Ok(filter)
            }
            Some(Token::Filter(text, at)) => (self.leaf)(text).map_err(|message| (at, message)),
            _ => Err(self.problem("expected a filter in brackets, such as (not done)")),
        }
    }
}
