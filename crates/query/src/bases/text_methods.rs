//! What texts can do.

use super::dialect::Evaluator;
use super::methods::{number_argument, slice_range};
use super::names::Method;
use super::text::{LONGEST_TEXT, text_of};
use crate::fault::Fault;
use crate::value::Value;

pub(super) fn call(
    evaluation: &Evaluator<'_, '_>,
    text: &str,
    method: Method,
    arguments: &[Value],
) -> Result<Option<Value>, Fault> {
    evaluation.steps.spend(1 + text.len() as u64 / 64)?;
    let argument = |at: usize| arguments.get(at).map(|value| text_of(value, evaluation.row.world.catalogue)).unwrap_or_default();
    let has = |at: usize| text.contains(&argument(at));
    Ok(Some(match method {
        Method::Contains => Value::Bool(has(0)),
        Method::ContainsAll => Value::Bool((0..arguments.len()).all(has)),
        Method::ContainsAny => Value::Bool((0..arguments.len()).any(has)),
        Method::StartsWith => Value::Bool(text.starts_with(&argument(0))),
        Method::EndsWith => Value::Bool(text.ends_with(&argument(0))),
        Method::Lower => Value::from(text.to_lowercase()),
        Method::Title => Value::from(title(text)),
        Method::Trim => Value::from(text.trim()),
        Method::Reverse => Value::from(text.chars().rev().collect::<String>()),
        Method::Repeat => repeat(text, number_argument(arguments, 0, 0.0)?)?,
        Method::Slice => {
            let characters: Vec<char> = text.chars().collect();
            Value::from(characters[slice_range(arguments, characters.len())?].iter().collect::<String>())
        }
        Method::Replace => match &arguments[0] {
            Value::Pattern(pattern) => Value::from(pattern.replace(text, &argument(1), evaluation.steps)?),
            _ => replace(text, &argument(0), &argument(1))?,
        },
        Method::Split => {
            let limit = number_argument(arguments, 1, f64::INFINITY)?;
            let limit = (limit.is_finite() && limit >= 0.0).then_some(limit as usize);
            let pieces = match &arguments[0] {
                Value::Pattern(pattern) => pattern.split(text, limit, evaluation.steps)?,
                _ => split(text, &argument(0), limit),
            };
            evaluation.steps.spend(pieces.len() as u64)?;
            Value::list(pieces.into_iter().map(Value::from).collect())
        }
        _ => return Ok(None),
    }))
}

/// The first letter of every word; the others stay as they are.
fn title(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_start = true;
    for character in text.chars() {
        if is_start {
            out.extend(character.to_uppercase());
        } else {
            out.push(character);
        }
        is_start = character.is_whitespace();
    }
    out
}

fn repeat(text: &str, count: f64) -> Result<Value, Fault> {
    if count.is_nan() || count < 0.0 {
        return Err(Fault::wrong("a text is repeated zero or more times"));
    }
    if text.len() as f64 * count > LONGEST_TEXT as f64 {
        return Err(Fault::wrong("the text becomes too long"));
    }
    Ok(Value::from(text.repeat(count as usize)))
}

/// Every occurrence; the replacement is plain text.
fn replace(text: &str, from: &str, to: &str) -> Result<Value, Fault> {
    let count = text.matches(from).count();
    if text.len() + count * to.len() > LONGEST_TEXT {
        return Err(Fault::wrong("the text becomes too long"));
    }
    Ok(Value::from(text.replace(from, to)))
}

fn split(text: &str, separator: &str, limit: Option<usize>) -> Vec<String> {
    let limit = limit.unwrap_or(usize::MAX);
    if separator.is_empty() {
        return text.chars().map(String::from).take(limit).collect();
    }
    text.split(separator).map(str::to_owned).take(limit).collect()
}
