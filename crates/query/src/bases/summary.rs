//! Summaries: one value made of a column.

use super::compare::SortKey;
use super::dialect::Bases;
use super::list_methods::{mean, median, standard_deviation};
use super::methods::is_empty;
use super::run::Cell;
use super::text::text_of;
use super::world::{Row, World};
use crate::budget::{BudgetSpent, Steps};
use crate::code::Code;
use crate::date::{Date, Duration};
use crate::evaluate::Evaluation;
use crate::fault::Fault;
use crate::value::Value;

/// By the id of the column.
pub type Summaries = Vec<(Box<str>, Cell)>;

pub(super) enum SummaryCode {
    BuiltIn(BuiltIn),
    Custom(Box<Code<Bases>>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BuiltIn {
    Average,
    Min,
    Max,
    Sum,
    Range,
    Median,
    StandardDeviation,
    Earliest,
    Latest,
    Checked,
    Unchecked,
    Empty,
    Filled,
    Unique,
}

pub(super) const BUILT_IN: &[(&str, BuiltIn)] = &[
    ("Average", BuiltIn::Average),
    ("Min", BuiltIn::Min),
    ("Max", BuiltIn::Max),
    ("Sum", BuiltIn::Sum),
    ("Range", BuiltIn::Range),
    ("Median", BuiltIn::Median),
    ("Stddev", BuiltIn::StandardDeviation),
    ("Earliest", BuiltIn::Earliest),
    ("Latest", BuiltIn::Latest),
    ("Checked", BuiltIn::Checked),
    ("Unchecked", BuiltIn::Unchecked),
    ("Empty", BuiltIn::Empty),
    ("Filled", BuiltIn::Filled),
    ("Unique", BuiltIn::Unique),
];

impl SummaryCode {
    pub(super) fn built_in(name: &str) -> Option<SummaryCode> {
        BUILT_IN.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, kind)| SummaryCode::BuiltIn(*kind))
    }

    pub(super) fn value(&self, world: &World<'_>, values: &[Value], steps: &Steps<'_>) -> Result<Cell, BudgetSpent> {
        steps.spend(values.len() as u64)?;
        let code = match self {
            SummaryCode::BuiltIn(kind) => return Ok(Ok(kind.value(world, values))),
            SummaryCode::Custom(code) => code,
        };
        let row = Row { values: Value::list(values.to_vec()), ..Row::new(world, None) };
        match Evaluation::<Bases>::new(row, steps).value(code) {
            Ok(value) => Ok(Ok(value)),
            Err(Fault::Wrong(message)) => Ok(Err(message)),
            Err(Fault::Spent(spent)) => Err(spent),
        }
    }
}

impl BuiltIn {
    fn value(self, world: &World<'_>, values: &[Value]) -> Value {
        let numbers = || values.iter().filter_map(number).collect::<Vec<f64>>();
        let count = |holds: &dyn Fn(&Value) -> bool| Value::Number(values.iter().filter(|value| holds(value)).count() as f64);
        let some = |number: Option<f64>| number.map_or(Value::Null, Value::Number);
        match self {
            BuiltIn::Average => some(mean(&numbers())),
            BuiltIn::Min => some(numbers().into_iter().reduce(f64::min)),
            BuiltIn::Max => some(numbers().into_iter().reduce(f64::max)),
            BuiltIn::Sum => some(numbers().into_iter().reduce(|a, b| a + b)),
            BuiltIn::Median => some(median(numbers())),
            BuiltIn::StandardDeviation => some(standard_deviation(&numbers())),
            BuiltIn::Range => range(world, values),
            BuiltIn::Earliest => dates(world, values).first().map_or(Value::Null, |date| Value::Date(*date)),
            BuiltIn::Latest => dates(world, values).last().map_or(Value::Null, |date| Value::Date(*date)),
            BuiltIn::Checked => count(&|value| matches!(value, Value::Bool(true))),
            BuiltIn::Unchecked => count(&|value| matches!(value, Value::Bool(false))),
            BuiltIn::Empty => count(&is_empty),
            BuiltIn::Filled => count(&|value| !is_empty(value)),
            BuiltIn::Unique => unique(world, values),
        }
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => Some(*number),
        Value::Duration(duration) => Some(super::dates::milliseconds(duration)),
        _ => None,
    }
}

fn dates(world: &World<'_>, values: &[Value]) -> Vec<Date> {
    let mut dates: Vec<Date> = values
        .iter()
        .filter_map(|value| match value {
            Value::Date(date) => Some(*date),
            _ => None,
        })
        .collect();
    dates.sort_by_key(|date| date.timestamp(world.zone()));
    dates
}

/// From the smallest to the largest: a number, or for dates a length of time.
fn range(world: &World<'_>, values: &[Value]) -> Value {
    let numbers: Vec<f64> = values.iter().filter_map(number).collect();
    let least = numbers.iter().copied().reduce(f64::min);
    let most = numbers.iter().copied().reduce(f64::max);
    if let (Some(least), Some(most)) = (least, most) {
        return Value::Number(most - least);
    }
    let dates = dates(world, values);
    match (dates.first(), dates.last()) {
        (Some(first), Some(last)) => {
            let length: Duration = super::dates::between(last, first, world.zone());
            Value::Duration(length.into())
        }
        _ => Value::Null,
    }
}

fn unique(world: &World<'_>, values: &[Value]) -> Value {
    let mut keys: Vec<String> = values
        .iter()
        .filter(|value| !is_empty(value))
        .map(|value| match world.sort_key(value) {
            SortKey::Text(text) => text.into(),
            _ => text_of(value, world.catalogue),
        })
        .collect();
    keys.sort_unstable();
    keys.dedup();
    Value::Number(keys.len() as f64)
}
