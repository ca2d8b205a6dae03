//! Values of a rule while it runs, and how JavaScript converts and compares them.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::rc::Rc;

use serde_json::{Map, Value};

#[derive(Clone, Debug)]
pub(super) enum Js<'a> {
    Undefined,
    Null,
    Bool(bool),
    Number(f64),
    Text(Text<'a>),
    /// A list of the document.
    Given(&'a Vec<Value>),
    /// A list that the rule has made.
    List(Rc<[Js<'a>]>),
    Map(&'a Map<String, Value>),
    /// What the body of a `reduce` sees: `current` and `accumulator`.
    Step(Rc<(Js<'a>, Js<'a>)>),
}

#[derive(Clone, Debug)]
pub(super) enum Text<'a> {
    Given(&'a str),
    Made(Rc<str>),
}

impl std::ops::Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Text::Given(text) => text,
            Text::Made(text) => text,
        }
    }
}

impl<'a> From<&'a Value> for Js<'a> {
    fn from(value: &'a Value) -> Js<'a> {
        match value {
            Value::Null => Js::Null,
            Value::Bool(truth) => Js::Bool(*truth),
            Value::Number(number) => Js::Number(number.as_f64().unwrap_or(f64::NAN)),
            Value::String(text) => Js::Text(Text::Given(text)),
            Value::Array(items) => Js::Given(items),
            Value::Object(map) => Js::Map(map),
        }
    }
}

impl<'a> Js<'a> {
    pub(super) fn text(text: impl Into<Rc<str>>) -> Js<'a> {
        Js::Text(Text::Made(text.into()))
    }

    /// An empty list is false, which JavaScript itself sees otherwise.
    pub(super) fn is_true(&self) -> bool {
        match self {
            Js::Undefined | Js::Null => false,
            Js::Bool(truth) => *truth,
            Js::Number(number) => *number != 0.0 && !number.is_nan(),
            Js::Text(text) => !text.is_empty(),
            Js::Given(items) => !items.is_empty(),
            Js::List(items) => !items.is_empty(),
            Js::Map(_) | Js::Step(_) => true,
        }
    }

    /// The items of a list; `None` for anything else.
    pub(super) fn items(&self) -> Option<Rc<[Js<'a>]>> {
        match self {
            Js::Given(items) => Some(items.iter().map(Js::from).collect()),
            Js::List(items) => Some(items.clone()),
            _ => None,
        }
    }

    pub(super) fn to_text(&self) -> Cow<'_, str> {
        match self {
            Js::Undefined => "undefined".into(),
            Js::Null => "null".into(),
            Js::Bool(truth) => if *truth { "true" } else { "false" }.into(),
            Js::Number(number) => number_text(*number).into(),
            Js::Text(text) => Cow::Borrowed(text),
            Js::Given(_) | Js::List(_) => join(&self.items().unwrap_or_default(), ",").into(),
            Js::Map(_) | Js::Step(_) => "[object Object]".into(),
        }
    }

    pub(super) fn to_number(&self) -> f64 {
        match self {
            Js::Undefined => f64::NAN,
            Js::Null => 0.0,
            Js::Bool(truth) => f64::from(u8::from(*truth)),
            Js::Number(number) => *number,
            _ => text_number(&self.to_text()),
        }
    }

    /// As `parseFloat` does: the number that the text begins with.
    pub(super) fn parse_number(&self) -> f64 {
        if let Js::Number(number) = self {
            return *number;
        }
        let text = self.to_text();
        let text = text.trim_start_matches(is_blank);
        leading_number(text).unwrap_or(f64::NAN)
    }

    /// `data[key]`; `None` where that is undefined.
    pub(super) fn member(&self, key: &str) -> Option<Js<'a>> {
        match self {
            Js::Map(map) => map.get(key).map(Js::from),
            Js::Given(items) if key == "length" => Some(count(items.len())),
            Js::List(items) if key == "length" => Some(count(items.len())),
            Js::Given(items) => items.get(list_index(key)?).map(Js::from),
            Js::List(items) => items.get(list_index(key)?).cloned(),
            Js::Step(step) if key == "current" => Some(step.0.clone()),
            Js::Step(step) if key == "accumulator" => Some(step.1.clone()),
            Js::Text(text) if key == "length" => Some(count(text.encode_utf16().count())),
            Js::Text(text) => {
                let unit = text.encode_utf16().nth(list_index(key)?)?;
                Some(Js::text(String::from_utf16_lossy(&[unit])))
            }
            Js::Undefined | Js::Null | Js::Bool(_) | Js::Number(_) | Js::Step(_) => None,
        }
    }

    fn is_object(&self) -> bool {
        matches!(self, Js::Given(_) | Js::List(_) | Js::Map(_) | Js::Step(_))
    }

    /// `===`. Lists and maps are equal to themselves only.
    pub(super) fn is_same(&self, other: &Js) -> bool {
        match (self, other) {
            (Js::Undefined, Js::Undefined) | (Js::Null, Js::Null) => true,
            (Js::Bool(a), Js::Bool(b)) => a == b,
            (Js::Number(a), Js::Number(b)) => a == b,
            (Js::Text(a), Js::Text(b)) => **a == **b,
            (Js::Given(a), Js::Given(b)) => std::ptr::eq(*a, *b),
            (Js::List(a), Js::List(b)) => std::ptr::addr_eq(Rc::as_ptr(a), Rc::as_ptr(b)),
            (Js::Map(a), Js::Map(b)) => std::ptr::eq(*a, *b),
            (Js::Step(a), Js::Step(b)) => std::ptr::addr_eq(Rc::as_ptr(a), Rc::as_ptr(b)),
            _ => false,
        }
    }

    /// `==`
    pub(super) fn is_equal(&self, other: &Js) -> bool {
        let is_nothing = |value: &Js| matches!(value, Js::Undefined | Js::Null);
        match (self, other) {
            (a, b) if is_nothing(a) || is_nothing(b) => is_nothing(a) && is_nothing(b),
            (Js::Text(_), Js::Text(_)) => self.is_same(other),
            (a, b) if a.is_object() && b.is_object() => a.is_same(b),
            (a, Js::Text(text)) | (Js::Text(text), a) if a.is_object() => *a.to_text() == **text,
            (a, b) => a.to_number() == b.to_number(),
        }
    }

    /// How `<` and its kin see two values; `None` where all of them are false.
    pub(super) fn order(&self, other: &Js) -> Option<Ordering> {
        let is_text = |value: &Js| matches!(value, Js::Text(_)) || value.is_object();
        if is_text(self) && is_text(other) {
            return Some(compare_units(&self.to_text(), &other.to_text()));
        }
        self.to_number().partial_cmp(&other.to_number())
    }
}

pub(super) fn join(items: &[Js], separator: &str) -> String {
    let text = |item: &Js| match item {
        Js::Undefined | Js::Null => String::new(),
        other => other.to_text().into_owned(),
    };
    items.iter().map(text).collect::<Vec<_>>().join(separator)
}

fn count(number: usize) -> Js<'static> {
    #[expect(clippy::cast_precision_loss, reason = "no list is that long")]
    Js::Number(number as f64)
}

/// Texts compare by UTF-16 units, which differs from code points above U+FFFF.
fn compare_units(a: &str, b: &str) -> Ordering {
    if a.is_ascii() || b.is_ascii() { a.cmp(b) } else { a.encode_utf16().cmp(b.encode_utf16()) }
}

fn list_index(key: &str) -> Option<usize> {
    let is_plain = key == "0" || (!key.starts_with('0') && key.bytes().all(|byte| byte.is_ascii_digit()));
    if is_plain { key.parse().ok() } else { None }
}

fn number_text(number: f64) -> String {
    if number.is_nan() {
        return "NaN".into();
    }
    if number.is_infinite() {
        return if number > 0.0 { "Infinity" } else { "-Infinity" }.into();
    }
    let size = number.abs();
    if number == 0.0 {
        "0".into()
    } else if (1e-6..1e21).contains(&size) {
        number.to_string()
    } else {
        let text = format!("{number:e}");
        if text.contains("e-") { text } else { text.replace('e', "e+") }
    }
}

fn is_blank(character: char) -> bool {
    (character.is_whitespace() && character != '\u{85}') || character == '\u{feff}'
}

fn text_number(text: &str) -> f64 {
    let text = text.trim_matches(is_blank);
    let radix = |digits: &str, radix: u32| {
        let is_digits = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix));
        let value = |sum: f64, digit: char| sum * f64::from(radix) + f64::from(digit.to_digit(radix).unwrap_or(0));
        if is_digits { digits.chars().fold(0.0, value) } else { f64::NAN }
    };
    match text.as_bytes() {
        [] => 0.0,
        [b'0', b'x' | b'X', ..] => radix(&text[2..], 16),
        [b'0', b'o' | b'O', ..] => radix(&text[2..], 8),
        [b'0', b'b' | b'B', ..] => radix(&text[2..], 2),
        _ => match number_length(text) {
            length if length == text.len() => leading_number(text).unwrap_or(f64::NAN),
            _ => f64::NAN,
        },
    }
}

fn leading_number(text: &str) -> Option<f64> {
    let number = &text[..number_length(text)];
    match number.trim_start_matches(['+', '-']) {
        "" => None,
        "Infinity" => Some(if number.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY }),
        _ => number.parse().ok(),
    }
}

/// How many bytes at the start of a text are a decimal number of JavaScript; 0 without one.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let sign = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    if text[sign..].starts_with("Infinity") {
        return sign + 8;
    }
    let whole = digits(sign);
    let mut end = sign + whole;
    let mut fraction = 0;
    if bytes.get(end) == Some(&b'.') {
        fraction = digits(end + 1);
        if whole + fraction > 0 {
            end += 1 + fraction;
        }
    }
    if whole + fraction == 0 {
        return 0;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let signed = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits((end + 1 + signed).min(bytes.len()));
        if exponent > 0 {
            end += 1 + signed + exponent;
        }
    }
    end
}
