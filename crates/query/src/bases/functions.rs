//! The functions that are called by their bare name.

use std::sync::Arc;

use super::compare::as_number;
use super::dates::{milliseconds, parse_date, parse_duration};
use super::dialect::{Bases, Evaluator, with_article};
use super::names::Function;
use super::property::{link_to, parse_link};
use super::text::{link_text, number_of, path_of, text_of};
use crate::code::Code;
use crate::date::{Date, Duration};
use crate::fault::Fault;
use crate::value::{Link, Rich, RichKind, Value};

pub(super) fn call(evaluation: &mut Evaluator<'_, '_>, function: Function, arguments: &[Code<Bases>]) -> Result<Value, Fault> {
    if function == Function::If {
        let branch = if evaluation.is_true(&arguments[0])? { arguments.get(1) } else { arguments.get(2) };
        return branch.map_or(Ok(Value::Null), |branch| evaluation.value(branch));
    }
    let values = evaluation.values(arguments)?;
    let world = evaluation.row.world;
    let first = values.first().unwrap_or(&Value::Null);
    match function {
        Function::If => Ok(Value::Null),
        Function::EscapeHtml => Ok(Value::from(escape_html(&text_of(first, world.catalogue)))),
        Function::Date => date(evaluation, first),
        Function::Duration => duration(first),
        Function::File => Ok(file(evaluation, first)),
        Function::Html => Ok(rich(RichKind::Html, text_of(first, world.catalogue))),
        Function::Icon => Ok(rich(RichKind::Icon, text_of(first, world.catalogue))),
        Function::Image => Ok(match first {
            Value::Null => Value::Null,
            Value::Link(link) => rich(RichKind::Image, link_text(&Link { embed: true, ..(**link).clone() })),
            Value::File(file) => rich(RichKind::Image, format!("![[{}]]", path_of(*file, world.catalogue))),
            other => rich(RichKind::Image, text_of(other, world.catalogue)),
        }),
        Function::Link => Ok(link(evaluation, first, values.get(1))),
        Function::List => Ok(match first {
            Value::List(_) => first.clone(),
            // Nothing is no element.
            Value::Null => Value::list(Vec::new()),
            other => Value::list(vec![other.clone()]),
        }),
        Function::Max => extreme(&values, f64::max),
        Function::Min => extreme(&values, f64::min),
        Function::Now => Ok(Value::Date(Date::of(world.settings.now.timestamp(), world.zone()))),
        Function::Today => Ok(Value::Date(today(evaluation))),
        Function::Number => number(evaluation, first),
        Function::Random => Ok(Value::Number(random())),
    }
}

fn today(evaluation: &Evaluator<'_, '_>) -> Date {
    let world = evaluation.row.world;
    let now = Date::of(world.settings.now.timestamp(), world.zone());
    Date { at: now.at.date().at(0, 0, 0, 0), has_time: false, ..now }
}

fn date(evaluation: &Evaluator<'_, '_>, value: &Value) -> Result<Value, Fault> {
    let world = evaluation.row.world;
    match value {
        Value::Null | Value::Date(_) => Ok(value.clone()),
        Value::Number(number) => {
            let moment =
                jiff::Timestamp::from_millisecond(*number as i64).map_err(|_| Fault::wrong("the date is too far away"))?;
            Ok(Value::Date(Date::of(moment, world.zone())))
        }
        // A link to a daily note is its day.
        Value::Link(link) => {
            let name = link.path.rsplit('/').next().unwrap_or(&link.path);
            parse_date(name, world.zone()).map(Value::Date).ok_or_else(|| no_date(name))
        }
        other => {
            let text = text_of(other, world.catalogue);
            parse_date(&text, world.zone()).map(Value::Date).ok_or_else(|| no_date(&text))
        }
    }
}

fn no_date(text: &str) -> Fault {
    Fault::wrong(format!("{:?} is no date; write it as YYYY-MM-DD or YYYY-MM-DD HH:mm:ss", shortened(text)))
}

fn shortened(text: &str) -> String {
    text.chars().take(60).collect()
}

fn duration(value: &Value) -> Result<Value, Fault> {
    match value {
        Value::Null | Value::Duration(_) => Ok(value.clone()),
        Value::Number(number) => Ok(Value::Duration(Arc::new(Duration::of_milliseconds(*number)))),
        Value::Text(text) => match parse_duration(text) {
            Some(duration) => Ok(Value::Duration(Arc::new(duration))),
            None => Err(Fault::wrong(format!("{:?} is no length of time; write it like 1d or 2 weeks", shortened(text)))),
        },
        other => Err(Fault::wrong(format!("{} is no length of time", with_article(other)))),
    }
}

/// The file that a value names, seen from the row.
pub(super) fn file(evaluation: &Evaluator<'_, '_>, value: &Value) -> Value {
    let world = evaluation.row.world;
    let found = match value {
        Value::File(file) => Some(*file),
        Value::Link(link) => world.target(link),
        Value::Text(text) => {
            let link = parse_link(text).unwrap_or_else(|| link_to(text));
            world.target(&Link { source: evaluation.row.file, ..link })
        }
        _ => None,
    };
    found.map_or(Value::Null, Value::File)
}

fn link(evaluation: &Evaluator<'_, '_>, value: &Value, display: Option<&Value>) -> Value {
    let world = evaluation.row.world;
    let display: Option<Arc<str>> =
        display.filter(|display| !display.is_null()).map(|display| text_of(display, world.catalogue).into());
    let link = match value {
        Value::Null => return Value::Null,
        Value::File(file) => super::dialect::link_to_file(*file, display, world.catalogue),
        Value::Link(link) => Link { display: display.or_else(|| link.display.clone()), ..(**link).clone() },
        other => {
            let text = text_of(other, world.catalogue);
            let link = parse_link(&text).unwrap_or_else(|| link_to(&text));
            Link { display: display.or_else(|| link.display.clone()), source: evaluation.row.file, ..link }
        }
    };
    Value::Link(Arc::new(link))
}

/// What is missing does not count.
fn extreme(values: &[Value], choose: fn(f64, f64) -> f64) -> Result<Value, Fault> {
    let items = match values {
        [Value::List(items)] => items,
        _ => values,
    };
    let mut best: Option<f64> = None;
    for value in items.iter().filter(|value| !value.is_null()) {
        let number = as_number(value).ok_or_else(|| Fault::wrong(format!("{} is no number", with_article(value))))?;
        best = Some(best.map_or(number, |best| choose(best, number)));
    }
    Ok(best.map_or(Value::Null, Value::Number))
}

fn number(evaluation: &Evaluator<'_, '_>, value: &Value) -> Result<Value, Fault> {
    let world = evaluation.row.world;
    match value {
        Value::Null => Ok(Value::Null),
        Value::Date(date) => Ok(Value::Number(date.timestamp(world.zone()).as_millisecond() as f64)),
        Value::Duration(duration) => Ok(Value::Number(milliseconds(duration))),
        Value::Text(text) => match number_of(text).filter(|_| !text.trim().is_empty()) {
            Some(number) => Ok(Value::Number(number)),
            None => Err(Fault::wrong(format!("{:?} is no number", shortened(text)))),
        },
        other => as_number(other).map(Value::Number).ok_or_else(|| Fault::wrong(format!("{} is no number", with_article(other)))),
    }
}

pub(super) fn escape_html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

fn rich(kind: RichKind, text: String) -> Value {
    Value::Rich(Arc::new(Rich { kind, text: text.into() }))
}

/// From 0 to below 1. The standard library's hasher is seeded with randomness of the system, and differs with every instance.
fn random() -> f64 {
    use std::hash::{BuildHasher, RandomState};
    (RandomState::new().hash_one(0_u8) >> 11) as f64 / (1_u64 << 53) as f64
}
