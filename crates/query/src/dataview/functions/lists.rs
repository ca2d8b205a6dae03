//! Lists and objects: making them, and taking them apart.

use std::sync::Arc;

use super::super::arithmetic::spend;
use super::super::dialect::{Eval, field_of};
use super::super::kind::{is_true, kind, sort_key};
use super::super::row::{FieldName, materialized};
use super::super::utf16::{length_of, reversed};
use super::{NULL, Outcome, apply, is_lambda, some};
use crate::fault::Fault;
use crate::value::{Object, Value};

pub(super) fn list(_: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    some(Value::list(arguments.to_vec()))
}

pub(super) fn object(_: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    if !arguments.len().is_multiple_of(2) {
        return Err(Fault::wrong("object(key, value, …) takes a value for every key"));
    }
    let mut object = Object::default();
    for pair in arguments.chunks(2) {
        let Value::Text(key) = &pair[0] else { return Err(Fault::wrong("the keys of object(key, value, …) are texts")) };
        match object.0.iter_mut().find(|(known, _)| known == key) {
            Some((_, value)) => *value = pair[1].clone(),
            None => object.0.push((key.clone(), pair[1].clone())),
        }
    }
    some(Value::Object(Arc::new(object)))
}

pub(super) fn type_of(_: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    match arguments {
        [value] => some(kind(value)),
        _ => Ok(None),
    }
}

pub(super) fn length(evaluation: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    let [value] = arguments else { return Ok(None) };
    some(match value {
        Value::Null => 0.0,
        Value::List(items) => items.len() as f64,
        Value::Text(text) => length_of(text) as f64,
        other => match materialized(evaluation.row.world, other) {
            Some(object) => object.0.len() as f64,
            None => return Ok(None),
        },
    })
}

pub(super) fn extract(evaluation: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    let Some((from, keys)) = arguments.split_first() else {
        return Err(Fault::wrong("extract(object, key, …) takes an object"));
    };
    if let Value::List(items) = from {
        spend(evaluation, items.len())?;
        let one = |item: &Value| extracted(evaluation, item, keys);
        return some(Value::list(items.iter().map(one).collect::<Result<_, _>>()?));
    }
    extracted(evaluation, from, keys).map(Some)
}

fn extracted(evaluation: &mut Eval<'_, '_>, from: &Value, keys: &[Value]) -> Result<Value, Fault> {
    let mut object = Object::default();
    for key in keys {
        let Value::Text(name) = key else { return Err(Fault::wrong("the keys of extract(object, key, …) are texts")) };
        let value = field_of(evaluation, from, &FieldName::new(name.clone(), None))?;
        object.0.retain(|(known, _)| known != name);
        object.0.push((name.clone(), value));
    }
    Ok(Value::Object(Arc::new(object)))
}

pub(super) fn sort(evaluation: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    let (items, by) = match arguments {
        [Value::List(items)] => (items, None),
        [Value::List(items), by] if is_lambda(by) => (items, Some(by)),
        [other] => return some(other.clone()),
        _ => return Ok(None),
    };
    spend(evaluation, items.len())?;
    let mut keyed = Vec::with_capacity(items.len());
    for item in items.iter() {
        let key = match by {
            Some(by) => apply(evaluation, by, std::slice::from_ref(item))?,
            None => item.clone(),
        };
        keyed.push((sort_key(evaluation.row.world, &key), item.clone()));
    }
    keyed.sort_by(|one, other| one.0.cmp(&other.0));
    some(Value::list(keyed.into_iter().map(|(_, item)| item).collect()))
}

pub(super) fn reverse(_: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    match arguments {
        [Value::List(items)] => some(Value::list(items.iter().rev().cloned().collect())),
        [Value::Text(text)] => some(reversed(text)),
        [other] => some(other.clone()),
        _ => Ok(None),
    }
}

pub(super) fn non_null(_: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    let values = match arguments {
        [Value::List(items)] => items,
        several => several,
    };
    some(Value::list(values.iter().filter(|value| !value.is_null()).cloned().collect()))
}

pub(super) fn first_value(_: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    match arguments {
        [Value::List(items)] => some(items.iter().find(|item| !item.is_null()).cloned().unwrap_or(Value::Null)),
        [Value::Null] => NULL,
        _ => Ok(None),
    }
}

pub(super) fn filter(evaluation: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    match arguments {
        [Value::List(items), by] if is_lambda(by) => {
            let mut kept = Vec::new();
            for item in items.iter() {
                if is_true(&apply(evaluation, by, std::slice::from_ref(item))?) {
                    kept.push(item.clone());
                }
            }
            some(Value::list(kept))
        }
        [Value::Null, _] => NULL,
        _ => Ok(None),
    }
}

pub(super) fn map(evaluation: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    match arguments {
        [Value::List(items), by] if is_lambda(by) => {
            let one = |item: &Value| apply(evaluation, by, std::slice::from_ref(item));
            some(Value::list(items.iter().map(one).collect::<Result<_, _>>()?))
        }
        [Value::Null, _] => NULL,
        _ => Ok(None),
    }
}

pub(super) fn flat(evaluation: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    let (items, depth) = match arguments {
        [Value::List(items)] => (items, 1.0),
        [Value::List(items), Value::Number(depth)] => (items, *depth),
        [Value::Null] => return NULL,
        _ => return Ok(None),
    };
    let mut flat = Vec::new();
    flatten(evaluation, items, depth.min(64.0), &mut flat)?;
    some(Value::list(flat))
}

fn flatten(evaluation: &mut Eval<'_, '_>, items: &[Value], depth: f64, into: &mut Vec<Value>) -> Result<(), Fault> {
    for item in items {
        match item {
            Value::List(inner) if depth >= 1.0 => flatten(evaluation, inner, depth - 1.0, into)?,
            other => {
                evaluation.steps.spend(1)?;
                into.push(other.clone());
            }
        }
    }
    spend(evaluation, into.len())
}

pub(super) fn slice(_: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    let (items, start, end) = match arguments {
        [Value::List(items)] => (items, 0.0, f64::INFINITY),
        [Value::List(items), Value::Number(start)] => (items, *start, f64::INFINITY),
        [Value::List(items), Value::Number(start), Value::Number(end)] => (items, *start, *end),
        [Value::Null] => return NULL,
        _ => return Ok(None),
    };
    // Below zero is from the end.
    let place = |at: f64| {
        let from_start = if at < 0.0 { items.len() as f64 + at.trunc() } else { at.trunc() };
        from_start.clamp(0.0, items.len() as f64) as usize
    };
    let (start, end) = (place(start), place(end));
    some(Value::list(items.get(start..end).unwrap_or_default().to_vec()))
}

pub(super) fn unique(evaluation: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    match arguments {
        [Value::List(items)] => {
            spend(evaluation, items.len())?;
            let world = evaluation.row.world;
            let mut seen = std::collections::BTreeSet::new();
            some(Value::list(items.iter().filter(|item| seen.insert(sort_key(world, item))).cloned().collect()))
        }
        [Value::Null] => NULL,
        _ => Ok(None),
    }
}

pub(super) fn default(_: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    match arguments {
        [Value::Null, otherwise] => some(otherwise.clone()),
        [value, _] => some(value.clone()),
        _ => Ok(None),
    }
}

pub(super) fn choice(_: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    match arguments {
        [condition, left, right] => some(if is_true(condition) { left.clone() } else { right.clone() }),
        _ => Ok(None),
    }
}
