//! Bounds on values that are made step by step.

use super::row::Lazy;
use crate::fault::Fault;
use crate::value::Value;

/// Deeper ones would need too much stack when they are looked at or let go.
const DEEPEST: usize = 64;
const LARGEST: usize = 1 << 20;

pub(crate) fn check_size(value: &Value) -> Result<(), Fault> {
    let mut left = LARGEST;
    if fits(value, 0, &mut left) { Ok(()) } else { Err(Fault::wrong("the value grows too large or is nested too deeply")) }
}

fn fits(value: &Value, depth: usize, left: &mut usize) -> bool {
    let Some(rest) = left.checked_sub(1).filter(|_| depth < DEEPEST) else { return false };
    *left = rest;
    match value {
        Value::List(items) => items.iter().all(|item| fits(item, depth + 1, left)),
        Value::Object(object) => object.0.iter().all(|(_, value)| fits(value, depth + 1, left)),
        // What a lambda holds cannot be seen from here.
        Value::Function(_) => Lazy::of(value).is_some(),
        _ => true,
    }
}
