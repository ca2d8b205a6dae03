//! JSON read for the places of its values, so that an edit can leave every other byte alone.

use crate::span::{Lines, Span};

/// Deeper nesting than any program writes would only exhaust the stack.
const DEEPEST: usize = 128;

/// A value and the bytes that it stands on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonNode {
    pub span: Span,
    pub kind: JsonKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JsonKind {
    Null,
    Bool(bool),
    /// Its spelling is the text of the span.
    Number,
    /// What it says, with its escapes resolved.
    String(String),
    Array(Vec<JsonNode>),
    Object(Vec<JsonMember>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonMember {
    pub key: String,
    /// With its quotes.
    pub key_span: Span,
    pub value: JsonNode,
}

/// What is wrong with a text that is no JSON, and where: lines and columns from 1, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} (line {line}, column {column})")]
pub struct JsonError {
    pub line: usize,
    pub column: usize,
    pub message: String,
}

impl JsonNode {
    /// A member of an object. Of several with the same name the last one counts, as in the app.
    pub fn get(&self, key: &str) -> Option<&JsonNode> {
        self.members().iter().rev().find(|member| member.key == key).map(|member| &member.value)
    }

    pub fn as_str(&self) -> Option<&str> {
        match &self.kind {
            JsonKind::String(text) => Some(text),
            _ => None,
        }
    }

    /// The items of an array; of anything else none.
    pub fn items(&self) -> &[JsonNode] {
        match &self.kind {
            JsonKind::Array(items) => items,
            _ => &[],
        }
    }

    /// The members of an object; of anything else none.
    pub fn members(&self) -> &[JsonMember] {
        match &self.kind {
            JsonKind::Object(members) => members,
            _ => &[],
        }
    }

    pub fn is_object(&self) -> bool {
        matches!(self.kind, JsonKind::Object(_))
    }

    pub fn is_array(&self) -> bool {
        matches!(self.kind, JsonKind::Array(_))
    }

    /// What kind of value it is, in words.
    pub fn kind_name(&self) -> &'static str {
        match self.kind {
            JsonKind::Null => "null",
            JsonKind::Bool(_) => "a truth value",
            JsonKind::Number => "a number",
            JsonKind::String(_) => "a text",
            JsonKind::Array(_) => "a list",
            JsonKind::Object(_) => "an object",
        }
    }
}

/// Reads one JSON value with nothing but white space around it. A byte order mark before it is skipped.
pub fn parse_json(text: &str) -> Result<JsonNode, JsonError> {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut reader = Reader { text, at: start };
    let parsed = reader.document();
    parsed.map_err(|(at, message)| {
        let line = Lines::of(text).line_at(at);
        let line_start = text[..at].rfind('\n').map_or(start, |newline| newline + 1);
        JsonError { line, column: text[line_start..at].chars().count() + 1, message }
    })
}

type Problem = (usize, String);

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn document(&mut self) -> Result<JsonNode, Problem> {
        let node = self.value(0)?;
        self.skip_space();
        match self.peek() {
            None => Ok(node),
            Some(_) => self.fail("there is something after the end of the JSON"),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn fail<T>(&self, message: &str) -> Result<T, Problem> {
        let found = match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            Some(found) => format!("{message}, found {found:?}"),
            None => format!("{message}, found the end of the text"),
        };
        Err((self.at, found))
    }

    fn value(&mut self, depth: usize) -> Result<JsonNode, Problem> {
        self.skip_space();
        if depth > DEEPEST {
            return Err((self.at, format!("values are nested deeper than {DEEPEST}")));
        }
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => JsonKind::Object(self.object(depth)?),
            Some(b'[') => JsonKind::Array(self.array(depth)?),
            Some(b'"') => JsonKind::String(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => self.word()?,
        };
        Ok(JsonNode { span: start..self.at, kind })
    }

    fn word(&mut self) -> Result<JsonKind, Problem> {
        let words = [("null", JsonKind::Null), ("true", JsonKind::Bool(true)), ("false", JsonKind::Bool(false))];
        for (word, kind) in words {
            if self.text[self.at..].starts_with(word) {
                self.at += word.len();
                return Ok(kind);
            }
        }
        self.fail("expected a JSON value")
    }

    fn number(&mut self) -> Result<JsonKind, Problem> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek() {
            Some(b'0') => self.at += 1,
            _ => self.digits()?,
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(JsonKind::Number)
    }

    fn digits(&mut self) -> Result<(), Problem> {
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return self.fail("expected a digit");
        }
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        Ok(())
    }

    fn array(&mut self, depth: usize) -> Result<Vec<JsonNode>, Problem> {
        self.at += 1;
        let mut items = Vec::new();
        self.skip_space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(items);
        }
        loop {
            items.push(self.value(depth + 1)?);
            if self.ends(b']', "expected , or ] in a list")? {
                return Ok(items);
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Vec<JsonMember>, Problem> {
        self.at += 1;
        let mut members = Vec::new();
        self.skip_space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(members);
        }
        loop {
            self.skip_space();
            if self.peek() != Some(b'"') {
                return self.fail("expected the name of a member in double quotes");
            }
            let start = self.at;
            let key = self.string()?;
            let key_span = start..self.at;
            self.skip_space();
            if self.peek() != Some(b':') {
                return self.fail("expected : after the name of a member");
            }
            self.at += 1;
            members.push(JsonMember { key, key_span, value: self.value(depth + 1)? });
            if self.ends(b'}', "expected , or } in an object")? {
                return Ok(members);
            }
        }
    }

    /// After a child: whether the container closes here, or goes on behind a comma.
    fn ends(&mut self, close: u8, expected: &str) -> Result<bool, Problem> {
        self.skip_space();
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                Ok(false)
            }
            Some(byte) if byte == close => {
                self.at += 1;
                Ok(true)
            }
            _ => self.fail(expected),
        }
    }

    fn string(&mut self) -> Result<String, Problem> {
        let start = self.at;
        self.at += 1;
        let mut read = String::new();
        loop {
            let rest = &self.text[self.at..];
            let plain = rest.bytes().take_while(|byte| !matches!(byte, b'"' | b'\\' | 0..=0x1f)).count();
            read.push_str(&rest[..plain]);
            self.at += plain;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(read);
                }
                Some(b'\\') => {
                    self.at += 1;
                    read.push(self.escaped()?);
                }
                Some(_) => return self.fail("control characters must be escaped in a text"),
                None => return Err((start, "a text is not closed".to_owned())),
            }
        }
    }

    fn escaped(&mut self) -> Result<char, Problem> {
        let plain = match self.peek() {
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.escaped_unit();
            }
            _ => return self.fail("unknown escape in a text"),
        };
        self.at += 1;
        Ok(plain)
    }

    /// A lone half of a surrogate pair is no character; it is read as the one that stands for what cannot be read.
    fn escaped_unit(&mut self) -> Result<char, Problem> {
        let first = self.four_digits()?;
        if (0xd800..0xdc00).contains(&first) && self.text[self.at..].starts_with("\\u") {
            let before = self.at;
            self.at += 2;
            let second = self.four_digits()?;
            if (0xdc00..0xe000).contains(&second) {
                let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = before;
        }
        Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn four_digits(&mut self) -> Result<u32, Problem> {
        let digits = self.text.get(self.at..self.at + 4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
            Some(code) => {
                self.at += 4;
                Ok(code)
            }
            None => self.fail("expected four hexadecimal digits after \\u"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_know_their_places() {
        let text = "\u{feff} {\"a\": [1, -2.50e+3, \"x\\u00e4\\ud83d\\ude00\\n\"], \"b\": {}, \"a\": null}\n";
        let root = parse_json(text).expect("JSON");
        assert_eq!(root.members().len(), 3);
        let list = &root.members()[0].value;
        assert_eq!(&text[list.items()[1].span.clone()], "-2.50e+3");
        assert_eq!(list.items()[2].as_str(), Some("xä😀\n"));
        assert_eq!(root.get("a").map(|node| node.kind.clone()), Some(JsonKind::Null), "the last of several counts");
        assert_eq!(&text[root.members()[1].key_span.clone()], "\"b\"");
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (text, place, words) in [
            ("", (1, 1), "expected a JSON value, found the end"),
            ("{\"a\": 1,}", (1, 9), "expected the name of a member"),
            ("{\n\t\"ä\" 1}", (2, 6), "expected : after"),
            ("[1 2]", (1, 4), "expected , or ] in a list, found '2'"),
            ("[01]", (1, 3), "expected , or ]"),
            ("[1.]", (1, 4), "expected a digit"),
            ("\"a\nb\"", (1, 3), "must be escaped"),
            ("\"abc", (1, 1), "not closed"),
            ("\"\\x\"", (1, 3), "unknown escape"),
            ("\"\\u12\"", (1, 4), "four hexadecimal digits"),
            ("{} {}", (1, 4), "after the end"),
            ("nul", (1, 1), "expected a JSON value"),
        ] {
            let error = parse_json(text).expect_err(text);
            assert_eq!((error.line, error.column), place, "{text:?}: {error}");
            assert!(error.message.contains(words), "{text:?}: {error}");
        }
        assert!(parse_json(&"[".repeat(100_000)).expect_err("too deep").message.contains("deeper"));
    }
}
