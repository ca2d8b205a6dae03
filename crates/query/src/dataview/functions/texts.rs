//! Texts made from other texts.

use super::super::arithmetic::spend;
use super::super::dialect::Eval;
use super::super::show::show;
use super::super::utf16::{length_of, part_of};
use super::{NULL, Outcome, some};
use crate::fault::Fault;
use crate::value::Value;

pub(super) fn string(evaluation: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    match arguments {
        [value] => some(show(evaluation.row.world, value)),
        _ => Ok(None),
    }
}

pub(super) fn lower(_: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    match arguments {
        [Value::Text(text)] => some(text.to_lowercase()),
        [Value::Null] => NULL,
        _ => Ok(None),
    }
}

pub(super) fn upper(_: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    match arguments {
        [Value::Text(text)] => some(text.to_uppercase()),
        [Value::Null] => NULL,
        _ => Ok(None),
    }
}

/// Whether an argument is nothing, for functions that then give nothing.
fn any_null(arguments: &[Value]) -> bool {
    arguments.iter().any(Value::is_null)
}

pub(super) fn replace(evaluation: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    match arguments {
        [Value::Text(text), Value::Text(pattern), Value::Text(by)] => {
            let found = if pattern.is_empty() { length_of(text) } else { text.matches(&**pattern).count() };
            spend(evaluation, text.len().saturating_add(found.saturating_mul(by.len())))?;
            if !pattern.is_empty() {
                return some(text.replace(&**pattern, by));
            }
            // Split at nothing, it falls into its characters.
            let characters: Vec<String> = text.chars().map(String::from).collect();
            some(characters.join(by))
        }
        [_, _, _] if any_null(arguments) => NULL,
        _ => Ok(None),
    }
}

pub(super) fn pattern_replace(evaluation: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    match arguments {
        [Value::Text(text), Value::Text(pattern), Value::Text(by)] => {
            let pattern = evaluation.row.world.pattern(pattern, "g")?;
            some(pattern.replace(text, by, evaluation.steps)?)
        }
        [_, _, _] if any_null(arguments) => NULL,
        _ => Ok(None),
    }
}

pub(super) fn split(evaluation: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    let (text, pattern, limit) = match arguments {
        [Value::Text(text), Value::Text(pattern)] => (text, pattern, None),
        [Value::Text(text), Value::Text(pattern), Value::Number(limit)] => (text, pattern, Some(*limit)),
        [_, _] | [_, _, _] if any_null(arguments) => return NULL,
        _ => return Ok(None),
    };
    // A negative limit is none.
    let limit = limit.filter(|limit| *limit >= 0.0).map(|limit| limit as usize);
    spend(evaluation, text.len())?;
    let pattern = evaluation.row.world.pattern(pattern, "")?;
    let parts = pattern.split(text, limit, evaluation.steps)?;
    some(Value::list(parts.into_iter().map(Value::from).collect()))
}

pub(super) fn join(evaluation: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    let world = evaluation.row.world;
    let (items, between) = match arguments {
        [Value::List(items)] | [Value::List(items), Value::Null] => (items, ", "),
        [Value::List(items), Value::Text(between)] => (items, &**between),
        [other] | [other, Value::Text(_)] => return some(show(world, other)),
        _ => return Ok(None),
    };
    let mut text = String::new();
    for (at, item) in items.iter().enumerate() {
        text.push_str(if at > 0 { between } else { "" });
        text.push_str(&show(world, item));
        if text.len() > 1 << 20 {
            break;
        }
    }
    spend(evaluation, text.len())?;
    some(text)
}

pub(super) fn pad_left(evaluation: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    padded(evaluation, arguments, |text, padding| format!("{padding}{text}"))
}

pub(super) fn pad_right(evaluation: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    padded(evaluation, arguments, |text, padding| format!("{text}{padding}"))
}

fn padded(evaluation: &mut Eval<'_, '_>, arguments: &[Value], put: fn(&str, &str) -> String) -> Outcome {
    let (text, length, by) = match arguments {
        [Value::Text(text), Value::Number(length)] => (text, *length, " "),
        [Value::Text(text), Value::Number(length), Value::Text(by)] => (text, *length, &**by),
        [_, _] | [_, _, _] if any_null(arguments) => return NULL,
        _ => return Ok(None),
    };
    let missing = (length.max(0.0) as usize).saturating_sub(length_of(text));
    if missing == 0 || by.is_empty() {
        return some(text.to_string());
    }
    spend(evaluation, missing)?;
    let padding = part_of(&by.repeat(missing / length_of(by) + 1), 0, missing);
    some(put(text, &padding))
}

pub(super) fn substring(_: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    let (text, start, end) = match arguments {
        [Value::Text(text), Value::Number(start)] => (text, *start, f64::INFINITY),
        [Value::Text(text), Value::Number(start), Value::Number(end)] => (text, *start, *end),
        [_, _] | [_, _, _] if any_null(arguments) => return NULL,
        _ => return Ok(None),
    };
    let place = |at: f64| at.max(0.0) as usize;
    // The smaller one is the start, whichever it is.
    let (start, end) = (place(start).min(place(end)), place(start).max(place(end)));
    some(part_of(text, start, end))
}

pub(super) fn truncate(_: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    let (text, length, suffix) = match arguments {
        [Value::Text(text), Value::Number(length)] => (text, *length, "..."),
        [Value::Text(text), Value::Number(length), Value::Text(suffix)] => (text, *length, &**suffix),
        [_, _] | [_, _, _] if any_null(arguments) => return NULL,
        _ => return Ok(None),
    };
    if length.is_nan() {
        return Err(Fault::wrong("truncate(text, length) takes a number"));
    }
    let room = length - length_of(suffix) as f64;
    if length_of(text) as f64 <= room {
        return some(text.to_string());
    }
    some(format!("{}{suffix}", part_of(text, 0, room.max(0.0) as usize)))
}
