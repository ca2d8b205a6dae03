//! Where the keys and values of a JSON text stand. The text was read as JSON before, so only well-formed ones come here.

use super::places::{Lines, Places, Spot};
use crate::config::schema::join;

pub(super) fn find(text: &str) -> Places {
    let mut scanner = Scanner { text, lines: Lines::of(text), offset: 0, places: Places::default() };
    scanner.value("");
    scanner.places
}

struct Scanner<'a> {
    text: &'a str,
    lines: Lines<'a>,
    offset: usize,
    places: Places,
}

impl Scanner<'_> {
    fn value(&mut self, path: &str) {
        match self.peek() {
            Some(b'{') => self.object(path),
            Some(b'[') => self.list(path),
            Some(b'"') => drop(self.string()),
            _ => self.skip(|byte| !matches!(byte, b',' | b']' | b'}') && !byte.is_ascii_whitespace()),
        }
    }

    fn object(&mut self, path: &str) {
        self.offset += 1;
        while self.peek() == Some(b'"') {
            let key = self.lines.place(self.offset);
            let path = join(path, &self.string());
            self.take(b':');
            self.peek();
            let spot = Spot { key, value: self.lines.place(self.offset), written: None };
            self.places.add(path.clone(), spot);
            self.value(&path);
            self.take(b',');
        }
        self.take(b'}');
    }

    fn list(&mut self, path: &str) {
        self.offset += 1;
        let mut items = 0;
        while self.peek().is_some_and(|byte| byte != b']') {
            let path = format!("{path}[{items}]");
            let place = self.lines.place(self.offset);
            self.places.add(path.clone(), Spot { key: place, value: place, written: None });
            self.value(&path);
            self.take(b',');
            items += 1;
        }
        self.take(b']');
    }

    /// Passes a text, and returns what it says.
    fn string(&mut self) -> String {
        let start = self.offset;
        self.offset += 1;
        while let Some(byte) = self.text.as_bytes().get(self.offset) {
            self.offset += if *byte == b'\\' { 2 } else { 1 };
            if *byte == b'"' {
                break;
            }
        }
        self.text.get(start..self.offset).and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    /// The next byte that is no white space.
    fn peek(&mut self) -> Option<u8> {
        self.skip(|byte| byte.is_ascii_whitespace());
        self.text.as_bytes().get(self.offset).copied()
    }

    fn take(&mut self, expected: u8) {
        if self.peek() == Some(expected) {
            self.offset += 1;
        }
    }

    fn skip(&mut self, is_skipped: impl Fn(u8) -> bool) {
        while self.text.as_bytes().get(self.offset).is_some_and(|byte| is_skipped(*byte)) {
            self.offset += 1;
        }
    }
}
