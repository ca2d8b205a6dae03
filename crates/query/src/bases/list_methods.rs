//! What lists can do.

use super::compare::{as_number, is_tag_within};
use super::dialect::{Bases, Evaluator};
use super::methods::slice_range;
use super::names::Method;
use super::text::{LONGEST_TEXT, text_of};
use super::world::World;
use crate::code::Code;
use crate::evaluate::Dialect;
use crate::fault::Fault;
use crate::value::Value;

/// Values that what `reduce()` makes may hold, counted through all lists in it, and how deep they may lie.
const MOST_VALUES: usize = 100_000;
const DEEPEST: usize = 64;

/// The methods whose argument is evaluated per item, with `value` and `index`, and `acc` for `reduce()`.
pub(super) fn each(
    evaluation: &mut Evaluator<'_, '_>,
    items: &[Value],
    method: Method,
    arguments: &[Code<Bases>],
) -> Result<Value, Fault> {
    let index = |at: usize| Value::Number(at as f64);
    if method == Method::Reduce {
        // As in JavaScript, the first item is where it starts if nothing else is given.
        let (mut result, first) = match arguments.get(1) {
            Some(start) => (evaluation.value(start)?, 0),
            None => (items.first().cloned().unwrap_or(Value::Null), 1),
        };
        for (at, item) in items.iter().enumerate().skip(first) {
            result = evaluation.call_here(&arguments[0], &[result, item.clone(), index(at)])?;
            let mut left = MOST_VALUES;
            if !is_small(&result, DEEPEST, &mut left) {
                return Err(Fault::wrong("the result of reduce() becomes too large"));
            }
            evaluation.steps.spend((MOST_VALUES - left) as u64 / 8)?;
        }
        return Ok(result);
    }
    let mut kept = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let value = evaluation.call_here(&arguments[0], &[item.clone(), index(at)])?;
        match method {
            Method::Filter if Bases::is_true(&value) => kept.push(item.clone()),
            Method::Filter => {}
            _ => kept.push(value),
        }
    }
    Ok(Value::list(kept))
}

/// Lists that hold themselves many times over are small in memory and without end to look at.
fn is_small(value: &Value, depth: usize, left: &mut usize) -> bool {
    let mut each = |items: &mut dyn Iterator<Item = &Value>| {
        for item in items {
            if *left == 0 || depth == 0 {
                return false;
            }
            *left -= 1;
            if !is_small(item, depth - 1, left) {
                return false;
            }
        }
        true
    };
    match value {
        Value::List(items) => each(&mut items.iter()),
        Value::Object(object) => each(&mut object.0.iter().map(|(_, value)| value)),
        _ => true,
    }
}

pub(super) fn call(
    evaluation: &Evaluator<'_, '_>,
    items: &[Value],
    method: Method,
    arguments: &[Value],
) -> Result<Option<Value>, Fault> {
    evaluation.steps.spend(1 + items.len() as u64)?;
    let world = evaluation.row.world;
    let has = |wanted: &Value| items.iter().any(|item| is_item(world, item, wanted));
    Ok(Some(match method {
        Method::Contains => Value::Bool(has(&arguments[0])),
        Method::ContainsAll => Value::Bool(arguments.iter().all(has)),
        Method::ContainsAny => Value::Bool(arguments.iter().any(has)),
        Method::Flat => {
            let mut flat = Vec::new();
            flatten(items, &mut flat, DEEPEST)?;
            Value::list(flat)
        }
        Method::Join => join(world, items, arguments)?,
        Method::Reverse => Value::list(items.iter().rev().cloned().collect()),
        Method::Slice => Value::list(items[slice_range(arguments, items.len())?].to_vec()),
        Method::Sort => {
            let mut keyed: Vec<_> = items.iter().map(|item| (world.sort_key(item), item)).collect();
            keyed.sort_by(|(a, _), (b, _)| a.order(b));
            Value::list(keyed.into_iter().map(|(_, item)| item.clone()).collect())
        }
        Method::Unique => unique(evaluation, items)?,
        Method::Mean | Method::Median | Method::StandardDeviation | Method::Sum | Method::Min | Method::Max => {
            statistic(items, method)
        }
        _ => return Ok(None),
    }))
}

/// A tag also stands for the tags above it: `#a/b` is an `a`.
fn is_item(world: &World<'_>, item: &Value, wanted: &Value) -> bool {
    match (item, wanted) {
        (Value::Tag(tag), Value::Text(wanted) | Value::Tag(wanted)) => is_tag_within(tag, wanted),
        _ => world.is_equal(item, wanted),
    }
}

fn flatten(items: &[Value], flat: &mut Vec<Value>, depth: usize) -> Result<(), Fault> {
    for item in items {
        match item {
            Value::List(inner) if depth > 0 => flatten(inner, flat, depth - 1)?,
            other => flat.push(other.clone()),
        }
        if flat.len() > MOST_VALUES {
            return Err(Fault::wrong("the list becomes too long"));
        }
    }
    Ok(())
}

fn join(world: &World<'_>, items: &[Value], arguments: &[Value]) -> Result<Value, Fault> {
    let separator = arguments.first().map_or_else(|| ",".to_owned(), |value| text_of(value, world.catalogue));
    let mut text = String::new();
    for (at, item) in items.iter().enumerate() {
        text.push_str(if at > 0 { &separator } else { "" });
        text.push_str(&text_of(item, world.catalogue));
        if text.len() > LONGEST_TEXT {
            return Err(Fault::wrong("the text becomes too long"));
        }
    }
    Ok(Value::from(text))
}

/// The first of those that are equal.
fn unique(evaluation: &Evaluator<'_, '_>, items: &[Value]) -> Result<Value, Fault> {
    let mut kept: Vec<Value> = Vec::new();
    for item in items {
        evaluation.steps.spend(1 + kept.len() as u64)?;
        if !kept.iter().any(|other| evaluation.row.world.is_equal(other, item)) {
            kept.push(item.clone());
        }
    }
    Ok(Value::list(kept))
}

/// Of the numbers among the items; nothing where there are none.
fn statistic(items: &[Value], method: Method) -> Value {
    let numbers: Vec<f64> = items.iter().filter(|item| !matches!(item, Value::Text(_))).filter_map(as_number).collect();
    let result = match method {
        Method::Sum => Some(numbers.iter().sum()),
        Method::Mean => mean(&numbers),
        Method::Median => median(numbers),
        Method::StandardDeviation => standard_deviation(&numbers),
        Method::Min => numbers.into_iter().reduce(f64::min),
        _ => numbers.into_iter().reduce(f64::max),
    };
    result.map_or(Value::Null, Value::Number)
}

pub(super) fn mean(numbers: &[f64]) -> Option<f64> {
    (!numbers.is_empty()).then(|| numbers.iter().sum::<f64>() / numbers.len() as f64)
}

pub(super) fn median(mut numbers: Vec<f64>) -> Option<f64> {
    numbers.sort_by(f64::total_cmp);
    let middle = numbers.len() / 2;
    let upper = *numbers.get(middle)?;
    Some(if numbers.len() % 2 == 1 { upper } else { (numbers[middle - 1] + upper) / 2.0 })
}

/// Of the whole population.
pub(super) fn standard_deviation(numbers: &[f64]) -> Option<f64> {
    let mean = mean(numbers)?;
    let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
    Some((squares / numbers.len() as f64).sqrt())
}
