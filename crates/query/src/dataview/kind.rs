//! What kind of value something is, what counts as true, and how values compare.

use std::cell::Cell;
use std::cmp::Ordering;

use super::duration::in_milliseconds;
use super::row::{Lazy, materialized};
use super::tree::link_type;
use super::world::World;
use crate::collate::{collate, collation_key, is_same};
use crate::value::{Link, LinkKind, Object, Value};

/// As `typeof` names them; values of different kinds are in the order of these names.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::Text(_) | Value::Tag(_) => "string",
        Value::Date(_) => "date",
        Value::Duration(_) => "duration",
        Value::Link(link) if link.kind == LinkKind::External => "widget",
        Value::Link(_) => "link",
        Value::List(_) => "array",
        Value::Object(_) | Value::File(_) => "object",
        Value::Function(_) if Lazy::of(value).is_some() => "object",
        Value::Function(_) | Value::Pattern(_) => "function",
        Value::Rich(_) => "html",
    }
}

pub(crate) fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(truth) => *truth,
        Value::Number(number) => *number != 0.0,
        Value::Text(text) | Value::Tag(text) => !text.is_empty(),
        Value::Link(link) => !link.path.is_empty(),
        Value::Duration(duration) => in_milliseconds(duration) != 0.0,
        Value::List(items) => !items.is_empty(),
        Value::Object(object) => !object.0.is_empty(),
        Value::Date(date) => date.timestamp(&jiff::tz::TimeZone::UTC) != jiff::Timestamp::UNIX_EPOCH,
        Value::File(_) | Value::Function(_) | Value::Pattern(_) | Value::Rich(_) => true,
    }
}

/// Less, equal or greater. Dates of different zones and lengths in different units are never equal, even if they are as long.
pub(crate) fn compare(world: &World<'_>, left: &Value, right: &Value) -> Ordering {
    compare_within(world, left, right, &Cell::new(MOST_COMPARED))
}

/// Values that hold others many times over have no end; those that are equal so far count as equal.
const MOST_COMPARED: u32 = 100_000;

fn compare_within(world: &World<'_>, left: &Value, right: &Value, left_over: &Cell<u32>) -> Ordering {
    let Some(rest) = left_over.get().checked_sub(1) else { return Ordering::Equal };
    left_over.set(rest);
    let unequal = |order: Ordering, is_equal: bool| if order.is_eq() && !is_equal { Ordering::Greater } else { order };
    match (left, right) {
        (Value::Null, Value::Null) => Ordering::Equal,
        (Value::Null, _) => Ordering::Less,
        (_, Value::Null) => Ordering::Greater,
        (Value::Number(left), Value::Number(right)) => left.partial_cmp(right).unwrap_or(Ordering::Greater),
        (Value::Text(left) | Value::Tag(left), Value::Text(right) | Value::Tag(right)) => collate(left, right),
        (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
        (Value::Date(left), Value::Date(right)) => {
            if left.zone == right.zone && left.at == right.at {
                return Ordering::Equal;
            }
            let order = left.timestamp(&world.local).cmp(&right.timestamp(&world.local));
            unequal(order, left.zone == right.zone)
        }
        (Value::Duration(left), Value::Duration(right)) => {
            let order = in_milliseconds(left).partial_cmp(&in_milliseconds(right)).unwrap_or(Ordering::Greater);
            unequal(order, left.units() == right.units())
        }
        (Value::List(left), Value::List(right)) => {
            let pairs = left.iter().zip(right.iter()).map(|(left, right)| compare_within(world, left, right, left_over));
            pairs.into_iter().find(|order| order.is_ne()).unwrap_or_else(|| left.len().cmp(&right.len()))
        }
        (Value::Link(left), Value::Link(right)) if kind_is_link(left) && kind_is_link(right) => compare_links(world, left, right),
        (Value::File(left), Value::File(right)) => world.catalogue.rank(*left).cmp(&world.catalogue.rank(*right)),
        _ if kind(left) != kind(right) => kind(left).cmp(kind(right)),
        _ => compare_fields(world, left, right, left_over),
    }
}

fn compare_fields(world: &World<'_>, left: &Value, right: &Value, left_over: &Cell<u32>) -> Ordering {
    match (Lazy::of(left), Lazy::of(right)) {
        (Some(Lazy::Item(left, at)), Some(Lazy::Item(right, other))) => {
            (world.catalogue.rank(*left), at).cmp(&(world.catalogue.rank(*right), other))
        }
        _ => match (materialized(world, left), materialized(world, right)) {
            (Some(left), Some(right)) => compare_objects(world, &left, &right, left_over),
            _ => Ordering::Equal,
        },
    }
}

/// The same as comparing, and quicker.
pub(crate) fn is_equal(world: &World<'_>, left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Text(left) | Value::Tag(left), Value::Text(right) | Value::Tag(right)) => is_same(left, right),
        _ => compare(world, left, right).is_eq(),
    }
}

fn kind_is_link(link: &Link) -> bool {
    link.kind != LinkKind::External
}

fn compare_links(world: &World<'_>, left: &Link, right: &Link) -> Ordering {
    let by_path = || match (world.target(left), world.target(right)) {
        (Some(left), Some(right)) if left == right => Ordering::Equal,
        _ => collate(world.full_path(left), world.full_path(right)),
    };
    by_path()
        .then_with(|| link_type(left.kind).cmp(link_type(right.kind)))
        .then_with(|| collate(left.subpath.as_deref().unwrap_or(""), right.subpath.as_deref().unwrap_or("")))
}

fn compare_objects(world: &World<'_>, left: &Object, right: &Object, left_over: &Cell<u32>) -> Ordering {
    let sorted = |object: &Object| {
        let mut entries = object.0.clone();
        entries.sort_by(|one, other| one.0.cmp(&other.0));
        entries
    };
    let (left, right) = (sorted(left), sorted(right));
    let mut keys = left.iter().zip(&right).map(|(left, right)| collate(&left.0, &right.0));
    let by_keys = keys.find(|order| order.is_ne()).unwrap_or_else(|| left.len().cmp(&right.len()));
    by_keys.then_with(|| {
        let mut pairs = left.iter().zip(&right).map(|(left, right)| compare_within(world, &left.1, &right.1, left_over));
        pairs.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    })
}

/// What a value is sorted by, worked out once per row. Unlike [`compare`] it is an order in which every two values have a place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SortKey {
    Null,
    List(Vec<SortKey>),
    Bool(bool),
    /// Nanoseconds.
    Date(i128),
    Duration(Number),
    Function,
    Html,
    Link(Box<[u8]>, &'static str, Box<[u8]>),
    Number(Number),
    /// All names, then what they stand for.
    Object(Vec<Box<[u8]>>, Vec<SortKey>),
    Text(Box<[u8]>),
    Widget,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Number(f64);

impl PartialEq for Number {
    fn eq(&self, other: &Number) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Number {}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Number) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Number) -> Ordering {
        self.0.partial_cmp(&other.0).unwrap_or_else(|| self.0.is_nan().cmp(&other.0.is_nan()))
    }
}

/// Objects in objects in objects; deeper ones are as good as each other.
const DEEPEST: usize = 16;

pub(crate) fn sort_key(world: &World<'_>, value: &Value) -> SortKey {
    key_within(world, value, 0, &Cell::new(MOST_COMPARED))
}

fn key_within(world: &World<'_>, value: &Value, depth: usize, left_over: &Cell<u32>) -> SortKey {
    left_over.set(left_over.get().saturating_sub(1));
    if depth == DEEPEST || left_over.get() == 0 {
        return SortKey::Widget;
    }
    match value {
        Value::Null => SortKey::Null,
        Value::Bool(truth) => SortKey::Bool(*truth),
        Value::Number(number) => SortKey::Number(Number(*number)),
        Value::Text(text) | Value::Tag(text) => SortKey::Text(collation_key(text)),
        Value::Date(date) => SortKey::Date(date.timestamp(&world.local).as_nanosecond()),
        Value::Duration(duration) => SortKey::Duration(Number(in_milliseconds(duration))),
        Value::List(items) => SortKey::List(items.iter().map(|item| key_within(world, item, depth + 1, left_over)).collect()),
        Value::Link(link) if kind_is_link(link) => {
            let subpath = collation_key(link.subpath.as_deref().unwrap_or(""));
            SortKey::Link(collation_key(world.full_path(link)), link_type(link.kind), subpath)
        }
        Value::Link(_) => SortKey::Widget,
        Value::Rich(_) => SortKey::Html,
        Value::Pattern(_) => SortKey::Function,
        Value::Object(_) | Value::File(_) | Value::Function(_) => match materialized(world, value) {
            Some(mut object) => {
                object.0.sort_by(|one, other| one.0.cmp(&other.0));
                let names = object.0.iter().map(|(name, _)| collation_key(name)).collect();
                let values = object.0.iter().map(|(_, value)| key_within(world, value, depth + 1, left_over)).collect();
                SortKey::Object(names, values)
            }
            None => SortKey::Function,
        },
    }
}
