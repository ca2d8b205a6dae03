//! What expressions of this language do: names, fields, indexing and operators.

use std::sync::Arc;

use super::arithmetic::arithmetic;
use super::duration::in_whole;
use super::functions::{self, Function};
use super::kind::{compare, is_equal, is_true, kind};
use super::row::{FieldName, Lazy, Row, page_value};
use super::world::{Names, World};
use crate::code::{Code, Resolve};
use crate::date::{Date, Duration};
use crate::evaluate::{Dialect, Evaluation};
use crate::expression::BinaryOp;
use crate::fault::Fault;
use crate::value::Value;

#[derive(Debug)]
pub(crate) struct Dataview;

/// A row, and everything else that is asked.
pub(crate) struct Here<'r> {
    pub(crate) world: &'r World<'r>,
    pub(crate) row: &'r Row,
}

#[derive(Debug)]
pub(crate) enum Place {
    /// The page that the query stands in.
    This,
    /// All fields of the row.
    Row,
    Field(FieldName),
}

/// There are no methods: what stands before the bracket is a function, or it is an error.
#[derive(Debug)]
pub(crate) enum NoMethod {}

pub(crate) type Eval<'r, 'b> = Evaluation<'r, 'b, Dataview>;

impl Dialect for Dataview {
    type Place = Place;
    type Field = FieldName;
    type Function = &'static Function;
    type Method = NoMethod;
    type Row<'r> = Here<'r>;

    fn place(evaluation: &mut Eval<'_, '_>, place: &Place) -> Result<Value, Fault> {
        let Here { world, row } = evaluation.row;
        Ok(match place {
            Place::Field(field) => row.find(world, field),
            Place::Row => Lazy::Row(Arc::new(row.clone())).value(),
            Place::This => Lazy::Row(Arc::new(world.this())).value(),
        })
    }

    fn field(evaluation: &mut Eval<'_, '_>, on: &Value, field: &FieldName) -> Result<Value, Fault> {
        field_of(evaluation, on, field)
    }

    fn index(evaluation: &mut Eval<'_, '_>, on: &Value, key: &Value) -> Result<Value, Fault> {
        let at = match key {
            Value::Null => return Ok(Value::Null),
            Value::Text(name) | Value::Tag(name) => {
                return field_of(evaluation, on, &FieldName::new(name.clone(), None));
            }
            Value::Number(at) => *at,
            other => return Err(Fault::wrong(format!("only a text or a number can stand in [ ], not {}", kind(other)))),
        };
        match on {
            Value::List(items) => Ok(place_in(at, items.len()).map_or(Value::Null, |at| items[at].clone())),
            Value::Text(text) | Value::Tag(text) => {
                let found = place_in(at, text.len()).and_then(|at| text.chars().nth(at));
                Ok(found.map_or(Value::Null, |character| Value::text(character.to_string())))
            }
            other => match kind(other) {
                kind @ ("object" | "link" | "date" | "duration") => {
                    Err(Fault::wrong(format!("a field of {kind} has a name, not a number")))
                }
                _ => Ok(Value::Null),
            },
        }
    }

    fn call(evaluation: &mut Eval<'_, '_>, function: &&'static Function, arguments: &[Code<Dataview>]) -> Result<Value, Fault> {
        let arguments = evaluation.values(arguments)?;
        functions::call(evaluation, function, &arguments)
    }

    fn method(_: &mut Eval<'_, '_>, _: Value, method: &NoMethod, _: &[Code<Dataview>]) -> Result<Value, Fault> {
        match *method {}
    }

    fn binary(evaluation: &mut Eval<'_, '_>, op: BinaryOp, left: Value, right: Value) -> Result<Value, Fault> {
        binary(evaluation, op, &left, &right)
    }

    fn negate(_: &mut Eval<'_, '_>, _: Value) -> Result<Value, Fault> {
        Err(Fault::wrong("only numbers can have a minus before them; write 0 - x"))
    }

    fn is_true(value: &Value) -> bool {
        is_true(value)
    }

    fn decided(value: Value) -> Value {
        Value::Bool(is_true(&value))
    }
}

pub(crate) fn binary(evaluation: &mut Eval<'_, '_>, op: BinaryOp, left: &Value, right: &Value) -> Result<Value, Fault> {
    let world = evaluation.row.world;
    let truth = match op {
        BinaryOp::Equal => is_equal(world, left, right),
        BinaryOp::NotEqual => !is_equal(world, left, right),
        BinaryOp::Less => compare(world, left, right).is_lt(),
        BinaryOp::LessOrEqual => compare(world, left, right).is_le(),
        BinaryOp::Greater => compare(world, left, right).is_gt(),
        BinaryOp::GreaterOrEqual => compare(world, left, right).is_ge(),
        BinaryOp::And => is_true(left) && is_true(right),
        BinaryOp::Or => is_true(left) || is_true(right),
        _ => return arithmetic(evaluation, op, left, right),
    };
    Ok(Value::Bool(truth))
}

fn place_in(at: f64, length: usize) -> Option<usize> {
    (at >= 0.0 && at < length as f64 && at.fract() == 0.0).then_some(at as usize)
}

/// `on.name` or `on["name"]`. A list gives what each of its items has.
pub(crate) fn field_of(evaluation: &mut Eval<'_, '_>, on: &Value, field: &FieldName) -> Result<Value, Fault> {
    let world = evaluation.row.world;
    match on {
        Value::Null => Ok(Value::Null),
        Value::Object(object) => Ok(object.find(&field.name).cloned().unwrap_or(Value::Null)),
        Value::File(file) => Ok(field.of_file.map_or(Value::Null, |of_file| of_file.value(world, *file))),
        Value::Link(link) if kind(on) == "link" => {
            Ok(world.target(link).map_or(Value::Null, |file| page_value(world, file, field)))
        }
        Value::List(items) => {
            evaluation.steps.spend(items.len() as u64)?;
            let mut values = Vec::with_capacity(items.len());
            for item in items.iter() {
                match field_of(evaluation, item, field) {
                    Ok(value) => values.push(value),
                    Err(Fault::Wrong(_)) => {}
                    Err(spent) => return Err(spent),
                }
            }
            Ok(Value::list(values))
        }
        Value::Text(_) | Value::Tag(_) => Err(Fault::wrong("a text has no fields; text[0] gives its first character")),
        Value::Date(date) => Ok(date_field(date, &field.name)),
        Value::Duration(duration) => Ok(duration_field(duration, &field.name)),
        Value::Function(_) => Ok(Lazy::of(on).map_or(Value::Null, |lazy| lazy.find(world, field))),
        Value::Bool(_) | Value::Number(_) | Value::Pattern(_) | Value::Rich(_) | Value::Link(_) => Ok(Value::Null),
    }
}

fn date_field(date: &Date, name: &str) -> Value {
    let (day, time) = (date.at.date(), date.at.time());
    Value::Number(match name {
        "year" => f64::from(day.year()),
        "month" => f64::from(day.month()),
        "weekyear" => f64::from(day.iso_week_date().week()),
        "week" => f64::from(day.day() / 7 + 1),
        "weekday" => f64::from(day.weekday().to_monday_one_offset()),
        "day" => f64::from(day.day()),
        "hour" => f64::from(time.hour()),
        "minute" => f64::from(time.minute()),
        "second" => f64::from(time.second()),
        "millisecond" => f64::from(time.millisecond()),
        _ => return Value::Null,
    })
}

fn duration_field(duration: &Duration, name: &str) -> Value {
    let unit = match name {
        "year" | "years" => 0,
        "month" | "months" => 1,
        "week" | "weeks" => 2,
        "day" | "days" => 3,
        "hour" | "hours" => 4,
        "minute" | "minutes" => 5,
        "second" | "seconds" => 6,
        "millisecond" | "milliseconds" => 7,
        _ => return Value::Null,
    };
    Value::Number(in_whole(duration, unit))
}

/// Gives numbers to the names of a query's expressions.
#[derive(Default)]
pub(crate) struct Resolver {
    pub(crate) names: Names,
}

impl Resolver {
    fn name(&mut self, name: &str) -> FieldName {
        let (name, number) = self.names.number(name);
        FieldName::new(name, Some(number))
    }
}

impl Resolve<Dataview> for Resolver {
    fn place(&mut self, name: &str) -> Result<Place, String> {
        Ok(match name {
            "this" => Place::This,
            "row" => Place::Row,
            name => Place::Field(self.name(name)),
        })
    }

    fn field(&mut self, name: &str) -> Result<FieldName, String> {
        Ok(self.name(name))
    }

    fn function(&mut self, name: &str, _: usize) -> Result<&'static Function, String> {
        functions::find(name).ok_or_else(|| functions::unknown(name))
    }

    fn method(&mut self, name: &str, _: usize) -> Result<NoMethod, String> {
        Err(format!("{name} is called as {name}(…), not behind a dot"))
    }
}
