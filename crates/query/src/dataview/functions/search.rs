//! Whether something is in something else.

use super::super::arithmetic::spend;
use super::super::dialect::Eval;
use super::super::kind::{is_equal, is_true};
use super::super::row::materialized;
use super::{NULL, Outcome, apply, is_lambda, some};
use crate::fault::Fault;
use crate::value::Value;

/// Lists in lists in lists.
const DEEPEST: usize = 32;

pub(super) fn contains(evaluation: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    let [whole, part] = arguments else { return Ok(None) };
    some(holds(evaluation, whole, part, &|whole, part| whole.contains(part), 0)?)
}

pub(super) fn contains_in_any_case(evaluation: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    let [whole, part] = arguments else { return Ok(None) };
    let is_in = |whole: &str, part: &str| whole.to_lowercase().contains(&part.to_lowercase());
    some(holds(evaluation, whole, part, &is_in, 0)?)
}

/// Items of lists must be equal, not hold the part.
pub(super) fn contains_exactly(evaluation: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    match arguments {
        [Value::List(items), part] => {
            spend(evaluation, items.len())?;
            let world = evaluation.row.world;
            some(items.iter().any(|item| is_equal(world, part, item)))
        }
        [whole, part] => some(holds(evaluation, whole, part, &|whole, part| whole.contains(part), 0)?),
        _ => Ok(None),
    }
}

type IsIn<'a> = &'a dyn Fn(&str, &str) -> bool;

fn holds(evaluation: &mut Eval<'_, '_>, whole: &Value, part: &Value, is_in: IsIn<'_>, depth: usize) -> Result<bool, Fault> {
    let world = evaluation.row.world;
    match (whole, part) {
        (Value::List(items), part) => {
            if depth == DEEPEST {
                return Err(Fault::wrong("the lists are nested too deeply"));
            }
            spend(evaluation, items.len())?;
            for item in items.iter() {
                if holds(evaluation, item, part, is_in, depth + 1)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        (Value::Text(whole) | Value::Tag(whole), Value::Text(part) | Value::Tag(part)) => Ok(is_in(whole, part)),
        (Value::Object(object), Value::Text(key)) => Ok(object.find(key).is_some()),
        (Value::File(_) | Value::Function(_), Value::Text(key)) => match materialized(world, whole) {
            Some(object) => Ok(object.find(key).is_some()),
            None => Ok(false),
        },
        _ => Ok(is_equal(world, whole, part)),
    }
}

pub(super) fn contains_word(evaluation: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    match arguments {
        [Value::Text(whole), Value::Text(word)] => {
            let escape = |character: char| {
                let needs = ".*+?^${}()|[]\\".contains(character);
                [needs.then_some('\\'), Some(character)].into_iter().flatten()
            };
            let escaped: String = word.chars().flat_map(escape).collect();
            let pattern = evaluation.row.world.pattern(&format!("\\b{escaped}\\b"), "i")?;
            some(pattern.is_match(whole, evaluation.steps)?)
        }
        [Value::Null, _] | [_, Value::Null] => NULL,
        _ => Ok(None),
    }
}

pub(super) fn pattern_test(evaluation: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    match arguments {
        [Value::Text(pattern), Value::Text(text)] => {
            let pattern = evaluation.row.world.pattern(pattern, "")?;
            some(pattern.is_match(text, evaluation.steps)?)
        }
        [Value::Null, _] | [_, Value::Null] => some(false),
        _ => Ok(None),
    }
}

/// The whole text, unless the pattern says where it starts or ends.
pub(super) fn pattern_match(evaluation: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    match arguments {
        [Value::Text(pattern), Value::Text(text)] => {
            let is_anchored = pattern.starts_with('^') || pattern.ends_with('$');
            let whole = if is_anchored { pattern.to_string() } else { format!("^{pattern}$") };
            let pattern = evaluation.row.world.pattern(&whole, "")?;
            some(pattern.is_match(text, evaluation.steps)?)
        }
        [Value::Null, _] | [_, Value::Null] => some(false),
        _ => Ok(None),
    }
}

pub(super) fn starts_with(_: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    two_texts(arguments, |text, start| text.starts_with(start))
}

pub(super) fn ends_with(_: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    two_texts(arguments, |text, end| text.ends_with(end))
}

fn two_texts(arguments: &[Value], test: fn(&str, &str) -> bool) -> Outcome {
    match arguments {
        [Value::Text(text), Value::Text(part)] => some(test(text, part)),
        [Value::Null, _] | [_, Value::Null] => NULL,
        _ => Ok(None),
    }
}

pub(super) fn all(evaluation: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    some(!holds_for_one(evaluation, arguments, false)?)
}

pub(super) fn any(evaluation: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    some(holds_for_one(evaluation, arguments, true)?)
}

pub(super) fn none(evaluation: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    some(!holds_for_one(evaluation, arguments, true)?)
}

/// Whether one of the values, or what a function makes of it, is as true as wanted.
fn holds_for_one(evaluation: &mut Eval<'_, '_>, arguments: &[Value], wanted: bool) -> Result<bool, Fault> {
    match arguments {
        [Value::List(items), by] if is_lambda(by) => {
            for item in items.iter() {
                if is_true(&apply(evaluation, by, std::slice::from_ref(item))?) == wanted {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        [Value::List(items)] => Ok(items.iter().any(|item| is_true(item) == wanted)),
        several => Ok(several.iter().any(|value| is_true(value) == wanted)),
    }
}
