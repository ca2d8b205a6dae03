//! When values are equal, and which comes first.

use std::cmp::Ordering;

use quillgate_index::FileId;
use quillgate_markdown::fold;

use super::dates::{milliseconds, parse_date, parse_duration};
use super::property::{link_to, parse_link};
use super::text::{number_of, path_of, text_of};
use super::world::World;
use crate::date::Date;
use crate::value::{Link, LinkKind, Value};

/// Pairs of values that are looked at for one comparison; a list may hold itself many times over.
const MOST_COMPARED: usize = 100_000;

impl World<'_> {
    /// Loose, as in JavaScript, where types differ.
    pub(super) fn is_equal(&self, left: &Value, right: &Value) -> bool {
        self.equal_within(left, right, &mut MOST_COMPARED.clone())
    }

    fn equal_within(&self, left: &Value, right: &Value, pairs: &mut usize) -> bool {
        if *pairs == 0 {
            return false;
        }
        *pairs -= 1;
        match (left, right) {
            (Value::Null, Value::Null) => true,
            (Value::Null, _) | (_, Value::Null) => false,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Number(a), Value::Number(b)) => a == b,
            (Value::Text(a), Value::Text(b)) => a == b,
            (Value::Tag(a), Value::Tag(b) | Value::Text(b)) | (Value::Text(b), Value::Tag(a)) => fold(bare(a)) == fold(bare(b)),
            (Value::Date(a), Value::Date(b)) => self.same_date(a, b),
            (Value::Date(date), Value::Text(text)) | (Value::Text(text), Value::Date(date)) => {
                parse_date(text, self.zone()).is_some_and(|other| self.same_date(date, &other))
            }
            (Value::Duration(a), Value::Duration(b)) => milliseconds(a) == milliseconds(b),
            (Value::Duration(duration), Value::Text(text)) | (Value::Text(text), Value::Duration(duration)) => {
                parse_duration(text).is_some_and(|other| milliseconds(duration) == milliseconds(&other))
            }
            (Value::Link(a), Value::Link(b)) => self.same_target(a, b),
            (Value::Link(link), Value::File(file)) | (Value::File(file), Value::Link(link)) => self.target(link) == Some(*file),
            (Value::File(a), Value::File(b)) => a == b,
            (Value::Link(link), Value::Text(text)) | (Value::Text(text), Value::Link(link)) => {
                let other = parse_link(text).unwrap_or_else(|| link_to(text));
                link.display.as_deref() == Some(text) || self.same_target(link, &Link { source: link.source, ..other })
            }
            (Value::File(file), Value::Text(text)) | (Value::Text(text), Value::File(file)) => {
                let link = parse_link(text).unwrap_or_else(|| link_to(text));
                self.target(&link) == Some(*file)
            }
            (Value::List(a), Value::List(b)) => {
                a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| self.equal_within(a, b, pairs))
            }
            // A property that is a list in some notes and one value in others.
            (Value::List(items), other) | (other, Value::List(items)) => {
                matches!(&items[..], [only] if self.equal_within(only, other, pairs))
            }
            (Value::Object(a), Value::Object(b)) => {
                let mut is_same = a.0.len() == b.0.len();
                for (key, value) in &a.0 {
                    is_same = is_same && b.find(key).is_some_and(|other| self.equal_within(value, other, pairs));
                }
                is_same
            }
            (Value::Bool(truth), Value::Text(text)) | (Value::Text(text), Value::Bool(truth)) => {
                matches!((&**text, *truth), ("true", true) | ("false", false))
                    || number_of(text) == Some(f64::from(u8::from(*truth)))
            }
            (Value::Rich(rich), Value::Text(text)) | (Value::Text(text), Value::Rich(rich)) => rich.text == *text,
            (Value::Rich(a), Value::Rich(b)) => a == b,
            (Value::Pattern(a), Value::Pattern(b)) => a.source() == b.source() && a.flags() == b.flags(),
            (a, b) => match (as_number(a), as_number(b)) {
                (Some(a), Some(b)) => a == b,
                _ => false,
            },
        }
    }

    /// A date without a time is the whole day.
    fn same_date(&self, a: &Date, b: &Date) -> bool {
        if a.has_time && b.has_time { a.timestamp(self.zone()) == b.timestamp(self.zone()) } else { a.at.date() == b.at.date() }
    }

    /// The same file, or, where there is none, the same text.
    fn same_target(&self, a: &Link, b: &Link) -> bool {
        if a.kind == LinkKind::External || b.kind == LinkKind::External {
            return a.kind == b.kind && a.path == b.path;
        }
        match (self.target(a), self.target(b)) {
            (Some(a), Some(b)) => a == b,
            (None, None) => fold(&a.path) == fold(&b.path),
            _ => false,
        }
    }

    pub(super) fn target(&self, link: &Link) -> Option<FileId> {
        if link.kind == LinkKind::External {
            return None;
        }
        match link.source {
            Some(source) => self.catalogue.resolve_from(source, &link.path),
            None => self.catalogue.resolve_in(&quillgate_vault::FolderPath::parse("").ok()?, &link.path),
        }
    }

    /// For `<` and its kin; `None` where the two cannot be compared, so that no comparison holds. Nothing is neither more nor less.
    pub(super) fn compare(&self, left: &Value, right: &Value) -> Option<Ordering> {
        match (left, right) {
            (Value::Text(a) | Value::Tag(a), Value::Text(b) | Value::Tag(b)) => Some(a.cmp(b)),
            (Value::Date(a), Value::Date(b)) => Some(a.timestamp(self.zone()).cmp(&b.timestamp(self.zone()))),
            (Value::Date(a), Value::Text(b)) => self.compare(&Value::Date(*a), &Value::Date(parse_date(b, self.zone())?)),
            (Value::Text(a), Value::Date(b)) => self.compare(&Value::Date(parse_date(a, self.zone())?), &Value::Date(*b)),
            (Value::Duration(a), Value::Text(b)) => milliseconds(a).partial_cmp(&milliseconds(&parse_duration(b)?)),
            (Value::Text(a), Value::Duration(b)) => milliseconds(&parse_duration(a)?).partial_cmp(&milliseconds(b)),
            (Value::List(_) | Value::Object(_), _) | (_, Value::List(_) | Value::Object(_)) => None,
            (Value::Link(_) | Value::File(_), _) | (_, Value::Link(_) | Value::File(_)) => {
                Some(text_of(left, self.catalogue).cmp(&text_of(right, self.catalogue)))
            }
            _ => as_number(left)?.partial_cmp(&as_number(right)?),
        }
    }

    pub(super) fn zone(&self) -> &jiff::tz::TimeZone {
        self.settings.now.time_zone()
    }

    /// Worked out once per value that is sorted.
    pub(super) fn sort_key(&self, value: &Value) -> SortKey {
        match value {
            Value::Null => SortKey::Nothing,
            Value::Bool(truth) => SortKey::Bool(*truth),
            Value::Number(number) => SortKey::Number(*number),
            Value::Date(date) => SortKey::Moment(date.timestamp(self.zone()).as_nanosecond()),
            Value::Duration(duration) => SortKey::Duration(milliseconds(duration)),
            Value::Text(text) if text.is_empty() => SortKey::Nothing,
            Value::Text(text) | Value::Tag(text) => SortKey::Text(fold(text).into()),
            // By what is shown of it.
            Value::Link(link) => {
                let shown = link.display.as_deref().unwrap_or_else(|| link.path.rsplit('/').next().unwrap_or(&link.path));
                SortKey::Text(fold(shown).into())
            }
            Value::File(file) => SortKey::Text(fold(path_of(*file, self.catalogue)).into()),
            Value::List(items) if items.is_empty() => SortKey::Nothing,
            Value::List(items) => {
                let of_item = |item: &Value| match item {
                    // Lists in lists are told apart by what they say.
                    Value::List(_) => SortKey::Text(fold(&text_of(item, self.catalogue)).into()),
                    other => self.sort_key(other),
                };
                SortKey::List(items.iter().map(of_item).collect())
            }
            other => SortKey::Text(fold(&text_of(other, self.catalogue)).into()),
        }
    }
}

/// Kinds in the order in which they stand in a column that mixes them.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum SortKey {
    Bool(bool),
    Number(f64),
    Moment(i128),
    Duration(f64),
    Text(Box<str>),
    List(Box<[SortKey]>),
    /// Missing and empty values, which stand last in either direction.
    Nothing,
}

impl SortKey {
    fn kind(&self) -> u8 {
        match self {
            SortKey::Bool(_) => 0,
            SortKey::Number(_) => 1,
            SortKey::Moment(_) => 2,
            SortKey::Duration(_) => 3,
            SortKey::Text(_) => 4,
            SortKey::List(_) => 5,
            SortKey::Nothing => 6,
        }
    }

    pub(super) fn order(&self, other: &SortKey) -> Ordering {
        match (self, other) {
            (SortKey::Bool(a), SortKey::Bool(b)) => a.cmp(b),
            (SortKey::Number(a), SortKey::Number(b)) | (SortKey::Duration(a), SortKey::Duration(b)) => a.total_cmp(b),
            (SortKey::Moment(a), SortKey::Moment(b)) => a.cmp(b),
            (SortKey::Text(a), SortKey::Text(b)) => natural(a, b),
            (SortKey::List(a), SortKey::List(b)) => {
                let unequal = a.iter().zip(b.iter()).map(|(a, b)| a.order(b)).find(|order| order.is_ne());
                unequal.unwrap_or_else(|| a.len().cmp(&b.len()))
            }
            (a, b) => a.kind().cmp(&b.kind()),
        }
    }
}

/// Texts with numbers in them in the order of the numbers: "Note 2" before "Note 10", as the app lists files.
pub(super) fn natural(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a.as_bytes(), b.as_bytes());
    loop {
        let same = left.iter().zip(right).take_while(|(a, b)| a == b && !a.is_ascii_digit()).count();
        (left, right) = (&left[same..], &right[same..]);
        match (left.first(), right.first()) {
            (Some(x), Some(y)) if x.is_ascii_digit() && y.is_ascii_digit() => {
                let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
                let (x, rest_left) = left.split_at(digits(left));
                let (y, rest_right) = right.split_at(digits(right));
                let plain = |number: &[u8]| number.iter().position(|digit| *digit != b'0').unwrap_or(number.len());
                let (x, y) = (&x[plain(x)..], &y[plain(y)..]);
                let order = x.len().cmp(&y.len()).then_with(|| x.cmp(y));
                if order.is_ne() {
                    return order;
                }
                (left, right) = (rest_left, rest_right);
            }
            _ => return left.cmp(right).then_with(|| a.cmp(b)),
        }
    }
}

fn bare(tag: &str) -> &str {
    tag.strip_prefix('#').unwrap_or(tag)
}

/// Whether a tag is the wanted one or below it, whatever the case.
pub(super) fn is_tag_within(tag: &str, wanted: &str) -> bool {
    let (tag, wanted) = (bare(tag), bare(wanted));
    let starts = |tag: &str, wanted: &str| {
        tag.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || (rest.starts_with('/') && !wanted.is_empty()))
    };
    if tag.is_ascii() && wanted.is_ascii() {
        let Some((start, rest)) = tag.split_at_checked(wanted.len()) else { return false };
        return start.eq_ignore_ascii_case(wanted) && !wanted.is_empty() && (rest.is_empty() || rest.starts_with('/'));
    }
    starts(&fold(tag), &fold(wanted))
}

/// What counts as a number where one is needed.
pub(super) fn as_number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => Some(*number),
        Value::Bool(truth) => Some(f64::from(u8::from(*truth))),
        Value::Text(text) => number_of(text),
        Value::Duration(duration) => Some(milliseconds(duration)),
        _ => None,
    }
}
