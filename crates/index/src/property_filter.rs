//! Notes found by the values of their properties.
//!
//! All filters must hold. Types never mix: a number is compared with a number, a text with a text, a checkbox with a
//! checkbox; `4` and `"4"` are different. Two texts that are both ISO dates or date-times (`2024-05-01`, `2024-05-01T08:30`,
//! with seconds, fractions, a blank for the `T`, `Z` or an offset) compare as moments: a date alone is its midnight, a time
//! without an offset counts as UTC. Other texts compare letter by letter, case included.
//!
//! - `eq`: the whole value is equal; a list equals only a list with the same items in the same order.
//! - `in`: `eq` with one of the given values.
//! - `neq`, `nin`: exactly where `eq`, `in` do not hold, so also where the note has no such property, as in the app.
//! - `gt`, `gte`, `lt`, `lte`: numbers, dates and texts only, both sides of one type; else they do not hold.
//! - `contains`: a list has an item that is equal, or a text has this part. A list of values asks for all of them.
//! - `exists`, `absent`: whether the note has the property at all; an empty one exists, and equals `null`.

use std::cmp::Ordering;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use quillgate_vault::{FolderPath, NotePath};
use roaring::RoaringBitmap;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::catalogue::{Catalogue, FileId};
use crate::columns::{Column, Columns, PropertySummary};
use crate::entry::Entry;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PropertyOperator {
    Eq,
    Neq,
    Gt,
    Gte,
    Lt,
    Lte,
    In,
    Nin,
    Contains,
    Exists,
    Absent,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PropertyFilter {
    key: String,
    operator: PropertyOperator,
    value: Value,
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PropertyFilterError {
    #[error("the filter on \"{0}\" has no value; give one, or use exists or absent")]
    NoValue(String),
    #[error("the filter on \"{0}\" compares with {1}; give a list of values")]
    NoList(String, &'static str),
    #[error("the filter on \"{0}\" is exists or absent; leave its value out")]
    NeedlessValue(String),
    #[error("a filter has an empty key; give the name of a property")]
    NoKey,
}

/// A page of the notes for which all filters hold.
pub struct PropertyMatches<'a> {
    /// With the values of the properties that were asked for, as far as the note has them.
    pub notes: Vec<(&'a Entry, Map<String, Value>)>,
    pub total: usize,
    pub more: bool,
}

impl PropertyFilter {
    pub fn new(key: &str, operator: PropertyOperator, value: Option<Value>) -> Result<PropertyFilter, PropertyFilterError> {
        use PropertyOperator::{Absent, Exists, In, Nin};
        let key = key.to_owned();
        let problem = match (operator, &value) {
            _ if key.is_empty() => PropertyFilterError::NoKey,
            (Exists | Absent, Some(_)) => PropertyFilterError::NeedlessValue(key),
            (Exists | Absent, None) | (In | Nin, Some(Value::Array(_))) => {
                return Ok(PropertyFilter { key, operator, value: value.unwrap_or_default() });
            }
            (In, _) => PropertyFilterError::NoList(key, "in"),
            (Nin, _) => PropertyFilterError::NoList(key, "nin"),
            (_, None) => PropertyFilterError::NoValue(key),
            (_, Some(_)) => return Ok(PropertyFilter { key, operator, value: value.unwrap_or_default() }),
        };
        Err(problem)
    }

    fn holds(&self, found: &Value) -> bool {
        use PropertyOperator as Op;
        let order = || compare(found, &self.value);
        match self.operator {
            Op::Eq => equal(found, &self.value),
            Op::Neq => !equal(found, &self.value),
            Op::Gt => order() == Some(Ordering::Greater),
            Op::Gte => order().is_some_and(Ordering::is_ge),
            Op::Lt => order() == Some(Ordering::Less),
            Op::Lte => order().is_some_and(Ordering::is_le),
            Op::In => self.is_among(found),
            Op::Nin => !self.is_among(found),
            Op::Contains => contains(found, &self.value),
            Op::Exists => true,
            Op::Absent => false,
        }
    }

    fn holds_without(&self) -> bool {
        matches!(self.operator, PropertyOperator::Neq | PropertyOperator::Nin | PropertyOperator::Absent)
    }

    fn is_among(&self, found: &Value) -> bool {
        self.value.as_array().is_some_and(|values| values.iter().any(|value| equal(found, value)))
    }

    fn notes(&self, columns: &Columns) -> RoaringBitmap {
        let Some(column) = columns.find(&self.key) else {
            return if self.holds_without() { columns.notes().clone() } else { RoaringBitmap::new() };
        };
        let verdicts = self.verdicts(column);
        let wanted = !self.holds_without();
        let cells = column.cells.iter().filter(|&(_, value)| verdicts[value as usize] == wanted).map(|(file, _)| file);
        let chosen: RoaringBitmap = RoaringBitmap::from_sorted_iter(cells).unwrap_or_default();
        if wanted { chosen } else { columns.notes() - chosen }
    }

    /// Whether the filter holds, by number of the value.
    fn verdicts(&self, column: &Column) -> Vec<bool> {
        let mut verdicts = vec![false; column.values.len()];
        for value in column.used_values() {
            verdicts[value as usize] = self.holds(&column.json(value));
        }
        verdicts
    }
}

impl Catalogue {
    /// The notes below `folder` for which all filters hold, by path: `limit` of them behind `after`.
    pub fn find_by_properties(
        &self,
        filters: &[PropertyFilter],
        folder: &FolderPath,
        after: Option<&NotePath>,
        limit: usize,
    ) -> PropertyMatches<'_> {
        let columns = self.columns();
        let sets = filters.iter().map(|filter| filter.notes(columns));
        let found = sets.reduce(|all, set| all & set).unwrap_or_else(|| columns.notes().clone());
        let page = self.page_of(&found, folder, after, limit);
        let notes = page.notes.into_iter().map(|(id, entry)| (entry, values(columns, filters, id))).collect();
        PropertyMatches { notes, total: page.total, more: page.more }
    }

    /// Every property that a note below the folder has, by name, each with its most used values.
    pub fn properties(&self, folder: &FolderPath, samples: usize) -> Vec<PropertySummary> {
        if folder.is_root() {
            return self.columns().properties(None, samples);
        }
        let files: RoaringBitmap = self.numbered_below(folder).map(|(id, _)| id.0).collect();
        self.columns().properties(Some(&files), samples)
    }

    /// What the columns of properties and tags take in memory, about.
    pub fn column_bytes(&self) -> usize {
        self.columns().heap_bytes()
    }
}

fn values(columns: &Columns, filters: &[PropertyFilter], id: FileId) -> Map<String, Value> {
    let value = |filter: &PropertyFilter| {
        let column = columns.find(&filter.key)?;
        Some((filter.key.clone(), column.json(column.cells.find(id.0)?)))
    };
    filters.iter().filter_map(value).collect()
}

fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        (Value::Number(_) | Value::String(_), _) => compare(a, b) == Some(Ordering::Equal),
        _ => a == b,
    }
}

fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => match (a.as_i64(), b.as_i64()) {
            (Some(a), Some(b)) => Some(a.cmp(&b)),
            _ => a.as_f64()?.partial_cmp(&b.as_f64()?),
        },
        (Value::String(a), Value::String(b)) => Some(match (moment(a), moment(b)) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ => a.cmp(b),
        }),
        _ => None,
    }
}

fn contains(found: &Value, wanted: &Value) -> bool {
    if let Value::Array(wanted) = wanted {
        return wanted.iter().all(|wanted| contains(found, wanted));
    }
    match (found, wanted) {
        (Value::Array(items), wanted) => items.iter().any(|item| equal(item, wanted)),
        (Value::String(text), Value::String(part)) => text.contains(part.as_str()),
        _ => false,
    }
}

/// The moment that an ISO date or date-time means.
fn moment(text: &str) -> Option<Timestamp> {
    // Most texts are no dates: a look at two bytes spares the parser.
    let bytes = text.as_bytes();
    if bytes.len() < 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    if bytes.len() == 10 {
        return text.parse::<Date>().ok()?.to_zoned(TimeZone::UTC).ok().map(|date| date.timestamp());
    }
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Some(moment);
    }
    text.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok().map(|time| time.timestamp())
}
