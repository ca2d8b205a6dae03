//! Adding, subtracting, multiplying and dividing.

use std::sync::Arc;

use super::compare::as_number;
use super::dates::{add, between, milliseconds, parse_duration};
use super::text::{LONGEST_TEXT, text_of};
use super::world::World;
use crate::date::{Date, Duration};
use crate::expression::BinaryOp;
use crate::fault::Fault;
use crate::value::Value;

impl World<'_> {
    pub(super) fn arithmetic(&self, op: BinaryOp, left: &Value, right: &Value) -> Result<Value, Fault> {
        match (op, left, right) {
            (BinaryOp::Add, Value::List(a), Value::List(b)) => Ok(Value::list(a.iter().chain(b.iter()).cloned().collect())),
            (BinaryOp::Add | BinaryOp::Subtract, Value::Date(date), Value::Duration(duration)) => {
                shifted(self, date, op, duration)
            }
            (BinaryOp::Add | BinaryOp::Subtract, Value::Date(date), Value::Text(text)) => match (parse_duration(text), op) {
                (Some(duration), _) => shifted(self, date, op, &duration),
                (None, BinaryOp::Add) => self.joined(left, right),
                (None, _) => Err(Fault::wrong(format!("{text:?} is no length of time; write one like \"1d\" or \"2 weeks\""))),
            },
            (BinaryOp::Subtract, Value::Date(later), Value::Date(earlier)) => {
                Ok(Value::Duration(Arc::new(between(later, earlier, self.zone()))))
            }
            (BinaryOp::Add, Value::Duration(duration), Value::Date(date)) => shifted(self, date, op, duration),
            (BinaryOp::Add | BinaryOp::Subtract, Value::Duration(a), Value::Duration(b)) => Ok(sum(a, op, b)),
            (BinaryOp::Add | BinaryOp::Subtract, Value::Duration(a), Value::Text(text)) if parse_duration(text).is_some() => {
                Ok(sum(a, op, &parse_duration(text).unwrap_or_default()))
            }
            (BinaryOp::Multiply, Value::Duration(duration), Value::Number(by)) => {
                Ok(duration_value(duration.map(|unit| unit * by)))
            }
            (BinaryOp::Divide, Value::Duration(duration), Value::Number(by)) => {
                Ok(duration_value(duration.map(|unit| unit / by)))
            }
            (BinaryOp::Divide, Value::Duration(a), Value::Duration(b)) => Ok(Value::Number(milliseconds(a) / milliseconds(b))),
            (BinaryOp::Multiply, Value::Number(_), Value::Duration(_)) => {
                Err(Fault::wrong("a length of time is multiplied from the right; write duration * number"))
            }
            (BinaryOp::Add, a, b) if is_text(a) || is_text(b) => self.joined(a, b),
            // What is missing makes the result missing: no price has no tax.
            (_, Value::Null, _) | (_, _, Value::Null) => Ok(Value::Null),
            _ => numbers(op, left, right),
        }
    }

    fn joined(&self, left: &Value, right: &Value) -> Result<Value, Fault> {
        let text = text_of(left, self.catalogue) + &text_of(right, self.catalogue);
        if text.len() > LONGEST_TEXT {
            return Err(Fault::wrong("the text becomes too long"));
        }
        Ok(Value::from(text))
    }
}

fn is_text(value: &Value) -> bool {
    matches!(value, Value::Text(_) | Value::Tag(_) | Value::Link(_) | Value::File(_) | Value::Rich(_))
}

fn numbers(op: BinaryOp, left: &Value, right: &Value) -> Result<Value, Fault> {
    let number = |value: &Value| {
        let what = match op {
            BinaryOp::Add => "added",
            BinaryOp::Subtract => "subtracted",
            BinaryOp::Multiply => "multiplied",
            _ => "divided",
        };
        as_number(value).ok_or_else(|| Fault::wrong(format!("{} cannot be {what}", super::dialect::with_article(value))))
    };
    let (a, b) = (number(left)?, number(right)?);
    Ok(Value::Number(match op {
        BinaryOp::Add => a + b,
        BinaryOp::Subtract => a - b,
        BinaryOp::Multiply => a * b,
        BinaryOp::Divide => a / b,
        _ => a % b,
    }))
}

fn shifted(world: &World<'_>, date: &Date, op: BinaryOp, by: &Duration) -> Result<Value, Fault> {
    let by = if op == BinaryOp::Subtract { by.map(|unit| -unit) } else { *by };
    add(date, &by, world.zone()).map(Value::Date).ok_or_else(|| Fault::wrong("the date is too far away"))
}

fn sum(a: &Duration, op: BinaryOp, b: &Duration) -> Value {
    let sign = if op == BinaryOp::Subtract { -1.0 } else { 1.0 };
    duration_value(a.zip(b, |a, b| a + sign * b))
}

fn duration_value(duration: Duration) -> Value {
    Value::Duration(Arc::new(duration))
}
