//! `+`, `-`, `*`, `/` and `%` on numbers, texts, dates, lengths of time, lists and objects.

use std::sync::Arc;

use super::dialect::Eval;
use super::duration::{between, later, normalized};
use super::kind::kind;
use super::row::materialized;
use super::show::show;
use super::tree::sign;
use crate::date::Duration;
use crate::expression::BinaryOp;
use crate::fault::Fault;
use crate::value::{Object, Value};

/// The longest text or list that one operator makes.
const LONGEST: usize = 1 << 20;

pub(crate) fn arithmetic(evaluation: &mut Eval<'_, '_>, op: BinaryOp, left: &Value, right: &Value) -> Result<Value, Fault> {
    let world = evaluation.row.world;
    let value = match (op, left, right) {
        (_, Value::Number(left), Value::Number(right)) => number(op, *left, *right),
        (_, Value::Null, Value::Null) => Some(Value::Null),
        (BinaryOp::Add, Value::Text(text) | Value::Tag(text), other) => Some(joined_text(evaluation, text, &show(world, other))?),
        (BinaryOp::Add, other, Value::Text(text) | Value::Tag(text)) => Some(joined_text(evaluation, &show(world, other), text)?),
        (BinaryOp::Multiply, Value::Text(text), Value::Number(times))
        | (BinaryOp::Multiply, Value::Number(times), Value::Text(text)) => Some(repeated(evaluation, text, *times)?),
        (BinaryOp::Add | BinaryOp::Subtract, Value::Date(_), Value::Null) => Some(Value::Null),
        (BinaryOp::Add | BinaryOp::Subtract, Value::Null, Value::Date(_)) => Some(Value::Null),
        (BinaryOp::Subtract, Value::Date(left), Value::Date(right)) => {
            Some(length(&normalized(&between(left, right, &world.local))))
        }
        (BinaryOp::Add, Value::Date(date), Value::Duration(by)) | (BinaryOp::Add, Value::Duration(by), Value::Date(date)) => {
            Some(later(date, by, &world.local).map_or(Value::Null, Value::Date))
        }
        (BinaryOp::Subtract, Value::Date(date), Value::Duration(by)) => {
            Some(later(date, &by.map(|unit| -unit), &world.local).map_or(Value::Null, Value::Date))
        }
        (BinaryOp::Add, Value::Duration(left), Value::Duration(right)) => {
            Some(length(&normalized(&left.zip(right, |a, b| a + b))))
        }
        (BinaryOp::Subtract, Value::Duration(left), Value::Duration(right)) => {
            Some(length(&normalized(&left.zip(right, |a, b| a - b))))
        }
        (BinaryOp::Multiply, Value::Duration(duration), Value::Number(by))
        | (BinaryOp::Multiply, Value::Number(by), Value::Duration(duration)) => {
            Some(length(&normalized(&duration.map(|unit| unit * by))))
        }
        (BinaryOp::Divide, Value::Duration(duration), Value::Number(by)) => {
            Some(length(&normalized(&duration.map(|unit| unit / by))))
        }
        (BinaryOp::Add, Value::List(left), Value::List(right)) => {
            spend(evaluation, left.len() + right.len())?;
            Some(Value::list(left.iter().chain(right.iter()).cloned().collect()))
        }
        (BinaryOp::Add, left, right) => match (materialized(world, left), materialized(world, right)) {
            (Some(left), Some(right)) => Some(joined(left, right)),
            _ => None,
        },
        _ => None,
    };
    value.ok_or_else(|| Fault::wrong(format!("{} {} {} cannot be worked out", kind(left), sign(op), kind(right))))
}

fn number(op: BinaryOp, left: f64, right: f64) -> Option<Value> {
    Some(Value::Number(match op {
        BinaryOp::Add => left + right,
        BinaryOp::Subtract => left - right,
        BinaryOp::Multiply => left * right,
        BinaryOp::Divide => left / right,
        BinaryOp::Remainder => left % right,
        _ => return None,
    }))
}

fn length(duration: &Duration) -> Value {
    Value::Duration(Arc::new(*duration))
}

fn joined(mut left: Object, right: Object) -> Value {
    for (key, value) in right.0 {
        match left.0.iter_mut().find(|(known, _)| *known == key) {
            Some(entry) => entry.1 = value,
            None => left.0.push((key, value)),
        }
    }
    Value::Object(Arc::new(left))
}

fn joined_text(evaluation: &mut Eval<'_, '_>, left: &str, right: &str) -> Result<Value, Fault> {
    spend(evaluation, left.len() + right.len())?;
    Ok(Value::text(format!("{left}{right}")))
}

/// To be called before something of this size is made.
pub(crate) fn spend(evaluation: &mut Eval<'_, '_>, size: usize) -> Result<(), Fault> {
    if size > LONGEST {
        return Err(Fault::wrong("the value would be too large; a text or list has at most 1048576 characters or items"));
    }
    Ok(evaluation.steps.spend(size as u64)?)
}

pub(crate) fn repeated(evaluation: &mut Eval<'_, '_>, text: &str, times: f64) -> Result<Value, Fault> {
    if times.is_nan() || times < 1.0 {
        return Ok(Value::from(""));
    }
    // What is too large for the cast is too large for a text.
    spend(evaluation, (times * text.len() as f64) as usize)?;
    Ok(Value::text(text.repeat(times as usize)))
}
