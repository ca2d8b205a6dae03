//! Dates and lengths of time from texts, and back.

use std::sync::Arc;

use jiff::Timestamp;

use super::super::dialect::Eval;
use super::super::duration::named_day;
use super::super::file_field::{FileField, day_of};
use super::super::format::{format_date, read_date};
use super::super::scan::Scan;
use super::numbers::first_number;
use super::{NULL, Outcome, some};
use crate::date::Date;
use crate::fault::Fault;
use crate::luxon;
use crate::value::{Link, Value};

pub(super) fn date(evaluation: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    match arguments {
        [Value::Null] | [Value::Null, Value::Text(_)] => NULL,
        [Value::Date(date)] => some(Value::Date(*date)),
        [Value::Text(text)] => {
            let world = evaluation.row.world;
            let mut scan = Scan::new(text);
            let named = scan.date_word().filter(|_| scan.is_done()).and_then(|word| named_day(word, world.now, &world.local));
            some(named.or_else(|| whole_date(text)).map_or(Value::Null, Value::Date))
        }
        [Value::Link(link)] => some(date_of_link(evaluation, link)),
        [Value::Text(text), Value::Text(format)] => formatted(evaluation, text, format),
        _ => Ok(None),
    }
}

fn whole_date(text: &str) -> Option<Date> {
    let mut scan = Scan::new(text);
    scan.date().filter(|_| scan.is_done())
}

/// What the link shows, what it names, or the day of the page that it means.
fn date_of_link(evaluation: &Eval<'_, '_>, link: &Link) -> Value {
    let world = evaluation.row.world;
    let written = link.display.as_deref().and_then(whole_date).or_else(|| whole_date(&link.path));
    match written {
        Some(date) => Value::Date(date),
        None => world.target(link).map_or(Value::Null, |file| FileField::Day.value(world, file)),
    }
}

fn formatted(evaluation: &Eval<'_, '_>, text: &str, format: &str) -> Outcome {
    let local = &evaluation.row.world.local;
    if matches!(format, "x" | "X") {
        let Some(number) = first_number(text) else { return Err(Fault::wrong(format!("{text} is no number"))) };
        let milliseconds = number.trunc() * if format == "X" { 1000.0 } else { 1.0 };
        let moment = Timestamp::from_millisecond(milliseconds as i64)
            .map_err(|_| Fault::wrong(format!("{text} lies beyond the dates there are")))?;
        return some(Value::Date(Date::of(moment, local)));
    }
    match read_date(text, format) {
        Some(date) => some(Value::Date(date)),
        None => Err(Fault::wrong(format!("{text} is no date in the format {format}"))),
    }
}

pub(super) fn duration(_: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    match arguments {
        [Value::Text(text)] => {
            let mut scan = Scan::new(text.trim());
            let duration = scan.duration().filter(|_| scan.is_done());
            some(duration.map_or(Value::Null, |duration| Value::Duration(Arc::new(duration))))
        }
        [value @ (Value::Duration(_) | Value::Null)] => some(value.clone()),
        _ => Ok(None),
    }
}

pub(super) fn strip_time(_: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    match arguments {
        [value @ (Value::Date(_) | Value::Null)] => some(day_of(value.clone())),
        _ => Ok(None),
    }
}

pub(super) fn local_time(evaluation: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    let local = &evaluation.row.world.local;
    match arguments {
        [Value::Date(date)] => {
            let moved = Date::of(date.timestamp(local), local);
            some(Value::Date(Date { has_time: date.has_time, ..moved }))
        }
        [Value::Null] => NULL,
        _ => Ok(None),
    }
}

pub(super) fn date_format(evaluation: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    match arguments {
        [Value::Date(date), Value::Text(format)] => some(format_date(date, format, &evaluation.row.world.local)),
        [Value::Null, Value::Text(_)] => NULL,
        _ => Ok(None),
    }
}

pub(super) fn duration_format(_: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    match arguments {
        [Value::Duration(duration), Value::Text(format)] => some(luxon::format_duration(duration, format)),
        [Value::Null, Value::Text(_)] => NULL,
        _ => Ok(None),
    }
}
