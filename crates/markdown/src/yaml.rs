//! Reads the YAML of a frontmatter block into ordered entries that know their bytes.

mod indentation;

use std::borrow::Cow;
use std::collections::HashSet;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span as Marks, StrInput, Tag};

use self::indentation::Place;
use crate::link::Quote;
use crate::repaired_yaml::Repaired;
use crate::scalar::{number, resolve};
use crate::span::{Span, line_end, line_start, next_line};
use crate::value::Value;
use crate::write_yaml::flow_text;

/// Deeper nesting than any note has; keeps the stack small.
const MAX_DEPTH: usize = 64;
/// How many values anchors may be copied into: an alias must not blow a line up into a gigabyte.
const MAX_COPIES: usize = 10_000;
/// How much that the scanner refuses and the app reads is put right; each costs another reading.
const MAX_REPAIRS: usize = 64;

/// Why a block has no properties.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct YamlError {
    pub line: usize,
    pub message: String,
}

/// One entry of the top-level map.
#[derive(Clone, Debug, PartialEq)]
pub struct YamlEntry {
    pub key: String,
    pub value: Value,
    /// The lines of the entry, with their last line ending.
    pub span: Span,
    pub key_span: Span,
    /// Empty, behind the colon, when nothing is written there.
    pub value_span: Span,
    /// Behind the colon; `None` where a key stands without one.
    pub(crate) after_colon: Option<usize>,
    /// Texts in the value that may hold links.
    pub(crate) texts: Vec<TextScalar>,
}

/// A text inside a value and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextScalar {
    /// Such as `rel.0`.
    pub(crate) path: String,
    pub(crate) span: Span,
    pub(crate) quote: Quote,
}

/// Reads one document whose top level is a map; nothing at all is an empty map.
pub fn parse(text: &str) -> Result<Vec<YamlEntry>, YamlError> {
    if let Some(offset) = find_lone_carriage_return(text) {
        let line = text[..offset].matches('\n').count() + 1;
        let message = "a carriage return stands alone; end lines with a line feed".to_owned();
        return Err(YamlError { line, message });
    }
    let mut repaired = Repaired::of(text);
    for _ in 0..MAX_REPAIRS {
        let result = Reader::of(&repaired).document();
        match &result {
            Err(error) if repaired.repair(error) => {}
            _ => return result,
        }
    }
    Reader::of(&repaired).document()
}

/// To the scanner it ends a line, to the app it does not: spans would come out wrong.
fn find_lone_carriage_return(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'\r', bytes).find(|&offset| bytes.get(offset + 1) != Some(&b'\n'))
}

struct Reader<'a> {
    text: &'a str,
    /// Dashes that stand for a list with nothing in it.
    dashes: &'a [usize],
    parser: Parser<'a, StrInput<'a>>,
    offsets: Offsets,
    anchors: Vec<(usize, Value)>,
    copies: usize,
    texts: Vec<TextScalar>,
    path: String,
    place: Place,
    /// Where the last scalar, alias or flow collection ended.
    last_end: usize,
}

/// The parser counts characters; this turns them into bytes.
struct Offsets(Option<Vec<usize>>);

impl Offsets {
    fn of(text: &str) -> Offsets {
        let count = || text.char_indices().map(|(offset, _)| offset).chain([text.len()]).collect();
        Offsets((!text.is_ascii()).then(count))
    }

    fn byte(&self, mark: Marker, length: usize) -> usize {
        let index = mark.index();
        match &self.0 {
            None => index.min(length),
            Some(offsets) => offsets.get(index).copied().unwrap_or(length),
        }
    }
}

struct Node {
    value: Value,
    layout: Layout,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// Ends where its last byte is: scalars and flow collections.
    Exact,
    /// Ends with the line of its last item.
    Block,
    /// Nothing is written.
    Absent,
}

type Step<'a> = (Event<'a>, Marks);

impl<'a> Reader<'a> {
    fn of(repaired: &'a Repaired<'_>) -> Reader<'a> {
        let text = &*repaired.text;
        Reader {
            text,
            dashes: &repaired.dashes,
            parser: Parser::new_from_str(text),
            offsets: Offsets::of(text),
            anchors: Vec::new(),
            copies: 0,
            texts: Vec::new(),
            path: String::new(),
            place: Place { column: None, is_flow: false },
            last_end: 0,
        }
    }

    fn document(&mut self) -> Result<Vec<YamlEntry>, YamlError> {
        loop {
            let (event, marks) = self.next()?;
            match event {
                Event::StreamStart | Event::DocumentStart(_) => {}
                Event::StreamEnd | Event::DocumentEnd => return Ok(Vec::new()),
                Event::MappingStart(anchor, _) => {
                    if anchor != 0 {
                        return Err(error_at(marks, "an anchor on the whole block is not supported"));
                    }
                    let entries = self.top_level(marks)?;
                    self.end_of_document()?;
                    return Ok(entries);
                }
                Event::Scalar(text, style, _, tag)
                    if matches!(scalar_value(text.clone(), style, tag.as_deref()), Value::Null) =>
                {
                    self.end_of_document()?;
                    return Ok(Vec::new());
                }
                _ => return Err(error_at(marks, "expected properties written as key: value")),
            }
        }
    }

    fn end_of_document(&mut self) -> Result<(), YamlError> {
        loop {
            let (event, marks) = self.next()?;
            match event {
                Event::StreamEnd => return Ok(()),
                Event::DocumentEnd => {}
                _ => return Err(error_at(marks, "more than one document")),
            }
        }
    }

    fn top_level(&mut self, start: Marks) -> Result<Vec<YamlEntry>, YamlError> {
        let is_flow = self.is_flow(start);
        self.open(start);
        let mut entries: Vec<YamlEntry> = Vec::new();
        let mut keys = Keys::default();
        loop {
            let (event, marks) = self.next()?;
            if event == Event::MappingEnd {
                return Ok(entries);
            }
            let entry = self.entry(event, marks, is_flow)?;
            if !keys.insert(&entry.key) {
                return Err(duplicate(marks, &entry.key));
            }
            // An empty `?` key is marked where the next key stands.
            if let Some(last) = entries.last_mut() {
                last.span.end = last.span.end.min(entry.span.start);
            }
            entries.push(entry);
        }
    }

    fn entry(&mut self, event: Event<'a>, marks: Marks, is_flow: bool) -> Result<YamlEntry, YamlError> {
        self.path.clear();
        self.texts.clear();
        self.enter_block(marks, false)?;
        let key_start = self.byte(marks.start);
        let key = self.key(event, marks, 1)?;
        let key_span = key_start..self.last_end.max(key_start);
        self.path.push_str(&key);
        self.texts.clear();
        let (event, marks) = self.next()?;
        let node = self.node(event, marks, 1)?;
        let after_colon = after_colon(self.text, key_span.end);
        let value_span = self.value_span(node.layout, after_colon.unwrap_or(key_span.end));
        let span = if is_flow {
            key_span.start..value_span.end
        } else {
            line_start(self.text, key_span.start)..next_line(self.text, value_span.end)
        };
        let texts = std::mem::take(&mut self.texts);
        Ok(YamlEntry { key, value: node.value, span, key_span, value_span, after_colon, texts })
    }

    fn value_span(&self, layout: Layout, from: usize) -> Span {
        let end = match layout {
            Layout::Absent => return from..from,
            Layout::Exact => self.last_end,
            Layout::Block => {
                let last_end = self.last_end.max(from);
                let end = line_end(self.text, last_end);
                last_end + trim_blanks(&self.text[last_end..end]).len()
            }
        };
        let start = skip_to_content(self.text, from);
        if start < end { start..end } else { from..from }
    }

    fn node(&mut self, event: Event<'a>, marks: Marks, depth: usize) -> Result<Node, YamlError> {
        if depth > MAX_DEPTH {
            return Err(error_at(marks, "nested too deeply"));
        }
        let layout = if self.is_flow(marks) { Layout::Exact } else { Layout::Block };
        match event {
            Event::Scalar(text, style, anchor, tag) => self.scalar(text, style, anchor, tag, marks),
            Event::SequenceStart(anchor, _) => {
                let outer = self.open(marks);
                let value = Value::List(self.list(depth)?);
                self.close(outer, marks)?;
                self.remember(anchor, &value, marks)?;
                Ok(Node { value, layout })
            }
            Event::MappingStart(anchor, _) => {
                let outer = self.open(marks);
                let value = Value::Map(self.map(depth)?);
                self.close(outer, marks)?;
                self.remember(anchor, &value, marks)?;
                Ok(Node { value, layout })
            }
            Event::Alias(anchor) => {
                self.last_end = self.byte(marks.end);
                let value = self.recall(anchor, marks)?;
                Ok(Node { value, layout: Layout::Exact })
            }
            _ => Err(error_at(marks, "expected a value")),
        }
    }

    fn scalar(
        &mut self,
        text: Cow<'a, str>,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<Cow<'a, Tag>>,
        marks: Marks,
    ) -> Result<Node, YamlError> {
        let absent = text.is_empty() && style == ScalarStyle::Plain && anchor == 0 && tag.is_none();
        let mut span = self.byte(marks.start)..self.byte(marks.end);
        // The end mark takes in a comment behind the closing quote.
        if matches!(style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted) {
            span.end = closing_quote(self.text, span.start).unwrap_or(span.end);
            if !self.place.is_flow {
                self.check_lines(span.clone(), None)?;
            }
        }
        if style == ScalarStyle::Plain && text.starts_with(['|', '>']) {
            return Err(error_at(marks, "a text cannot start with | or > here; put it in quotes"));
        }
        if absent {
            self.last_end = self.last_end.max(span.start);
            return Ok(Node { value: Value::Null, layout: Layout::Absent });
        }
        let written = &self.text[span.clone()];
        self.last_end = span.start + trim_blanks(written).len();
        let value = match self.dashes.contains(&span.start) {
            true => Value::List(vec![Value::Null]),
            false => scalar_value(text, style, tag.as_deref()),
        };
        if let Value::Text(text) = &value
            && (text.contains("[[") || text.contains("]("))
        {
            self.texts.push(TextScalar { path: self.path.clone(), span, quote: quote_of(style) });
        }
        self.remember(anchor, &value, marks)?;
        Ok(Node { value, layout: Layout::Exact })
    }

    fn list(&mut self, depth: usize) -> Result<Vec<Value>, YamlError> {
        let mut items = Vec::new();
        loop {
            let (event, marks) = self.next()?;
            if event == Event::SequenceEnd {
                self.end_flow(marks);
                return Ok(items);
            }
            self.enter_block(marks, true)?;
            let outer = self.enter(&items.len().to_string());
            let item = self.node(event, marks, depth + 1)?;
            self.path.truncate(outer);
            items.push(item.value);
        }
    }

    fn map(&mut self, depth: usize) -> Result<Vec<(String, Value)>, YamlError> {
        let mut entries = Vec::new();
        let mut keys = Keys::default();
        loop {
            let (event, marks) = self.next()?;
            if event == Event::MappingEnd {
                self.end_flow(marks);
                return Ok(entries);
            }
            self.enter_block(marks, false)?;
            let key = self.key(event, marks, depth + 1)?;
            if !keys.insert(&key) {
                return Err(duplicate(marks, &key));
            }
            let outer = self.enter(&key);
            let (event, marks) = self.next()?;
            let value = self.node(event, marks, depth + 1)?.value;
            self.path.truncate(outer);
            entries.push((key, value));
        }
    }

    /// Keys are texts to the app: numbers and even maps are written out.
    fn key(&mut self, event: Event<'a>, marks: Marks, depth: usize) -> Result<String, YamlError> {
        let texts = self.texts.len();
        let node = self.node(event, marks, depth)?;
        self.texts.truncate(texts);
        Ok(match node.value {
            Value::Text(text) => text,
            Value::Null => String::new(),
            Value::Float(number) if !number.is_finite() => javascript_name(number).to_owned(),
            other => flow_text(&other),
        })
    }

    /// Adds one step to the path; returns the length to cut it back to.
    fn enter(&mut self, step: &str) -> usize {
        let outer = self.path.len();
        self.path.push('.');
        self.path.push_str(step);
        outer
    }

    /// A flow collection ends with its bracket; the end mark takes in a comment behind it.
    fn end_flow(&mut self, marks: Marks) {
        let bracket = self.byte(marks.start);
        if self.text[bracket..].starts_with([']', '}']) {
            self.last_end = bracket + 1;
        }
    }

    fn remember(&mut self, anchor: usize, value: &Value, marks: Marks) -> Result<(), YamlError> {
        if anchor == 0 {
            return Ok(());
        }
        self.count_copies(value, marks)?;
        self.anchors.push((anchor, value.clone()));
        Ok(())
    }

    fn recall(&mut self, anchor: usize, marks: Marks) -> Result<Value, YamlError> {
        let found = self.anchors.iter().rev().find(|(id, _)| *id == anchor);
        let Some((_, value)) = found else {
            return Err(error_at(marks, "an alias stands inside its own anchor"));
        };
        let value = value.clone();
        self.count_copies(&value, marks)?;
        Ok(value)
    }

    fn count_copies(&mut self, value: &Value, marks: Marks) -> Result<(), YamlError> {
        self.copies += size(value);
        if self.copies > MAX_COPIES {
            return Err(error_at(marks, "aliases repeat too much"));
        }
        Ok(())
    }

    fn next(&mut self) -> Result<Step<'a>, YamlError> {
        match self.parser.next_event() {
            Some(Ok(step)) => Ok(step),
            Some(Err(error)) => {
                let line = error.marker().line().max(1);
                Err(YamlError { line, message: error.info().to_owned() })
            }
            None => Err(YamlError { line: 1, message: "the block ends too early".to_owned() }),
        }
    }

    fn byte(&self, mark: Marker) -> usize {
        self.offsets.byte(mark, self.text.len())
    }
}

fn scalar_value(text: Cow<'_, str>, style: ScalarStyle, tag: Option<&Tag>) -> Value {
    let suffix = tag.map(|tag| tag.is_yaml_core_schema().then_some(tag.suffix.as_str()));
    let converted = match suffix {
        None if style == ScalarStyle::Plain => Some(resolve(&text)),
        Some(Some("int" | "float")) => number(&text),
        Some(Some("bool" | "null")) => Some(resolve(&text)),
        _ => None,
    };
    converted.unwrap_or_else(|| Value::Text(text.into_owned()))
}

fn javascript_name(number: f64) -> &'static str {
    match number {
        f64::INFINITY => "Infinity",
        f64::NEG_INFINITY => "-Infinity",
        _ => "NaN",
    }
}

fn quote_of(style: ScalarStyle) -> Quote {
    match style {
        ScalarStyle::SingleQuoted => Quote::Single,
        ScalarStyle::DoubleQuoted => Quote::Double,
        _ => Quote::None,
    }
}

fn size(value: &Value) -> usize {
    match value {
        Value::List(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Map(entries) => 1 + entries.iter().map(|(_, value)| size(value)).sum::<usize>(),
        Value::Text(text) => 1 + text.len() / 64,
        _ => 1,
    }
}

/// Behind the colon that follows a key, over line endings for `? key`.
fn after_colon(text: &str, key_end: usize) -> Option<usize> {
    let colon = skip_to_content(text, key_end);
    text[colon..].starts_with(':').then_some(colon + 1)
}

/// Behind the quote that closes the one at `start`.
fn closing_quote(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let quote = *bytes.get(start).filter(|quote| matches!(quote, b'"' | b'\''))?;
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if quote == b'"' => at += 1,
            b'\'' if quote == b'\'' && bytes.get(at + 1) == Some(&b'\'') => at += 1,
            byte if byte == quote => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}

/// Without what YAML takes for white space: a no-break space is text.
fn trim_blanks(text: &str) -> &str {
    text.trim_end_matches([' ', '\t', '\r', '\n'])
}

/// Steps over blanks, line endings and comments.
fn skip_to_content(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let mut index = from;
    while let Some(&byte) = bytes.get(index) {
        let comment = byte == b'#' && (index == 0 || bytes[index - 1].is_ascii_whitespace());
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => index += 1,
            _ if comment => index = next_line(text, index),
            _ => break,
        }
    }
    index
}

fn error_at(marks: Marks, message: &str) -> YamlError {
    YamlError { line: marks.start.line().max(1), message: message.to_owned() }
}

fn duplicate(marks: Marks, key: &str) -> YamlError {
    error_at(marks, &format!("the key \"{key}\" stands twice"))
}

/// Finds repeated keys; hashing pays off only in large maps.
#[derive(Default)]
struct Keys {
    few: Vec<String>,
    many: HashSet<String>,
}

impl Keys {
    /// False when the key is there already.
    fn insert(&mut self, key: &str) -> bool {
        if self.few.iter().any(|known| known == key) {
            return false;
        }
        if self.few.len() < 16 {
            self.few.push(key.to_owned());
            return true;
        }
        self.many.insert(key.to_owned())
    }
}
