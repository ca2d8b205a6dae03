//! What dates can do.

use jiff::Zoned;

use super::dialect::Evaluator;
use super::names::Method;
use super::text::text_of;
use crate::date::{Date, Zone};
use crate::fault::Fault;
use crate::moment;
use crate::value::Value;

/// Formats are short; a longer one is no format.
const LONGEST_FORMAT: usize = 1000;

pub(super) fn call(
    evaluation: &Evaluator<'_, '_>,
    date: &Date,
    method: Method,
    arguments: &[Value],
) -> Result<Option<Value>, Fault> {
    let world = evaluation.row.world;
    Ok(Some(match method {
        Method::Date => Value::Date(Date { at: date.at.date().at(0, 0, 0, 0), zone: date.zone, has_time: false }),
        Method::Time => Value::from(date.at.strftime("%H:%M:%S").to_string()),
        Method::Format => {
            let format = text_of(&arguments[0], world.catalogue);
            if format.len() > LONGEST_FORMAT {
                return Err(Fault::wrong(format!("a format has at most {LONGEST_FORMAT} bytes")));
            }
            Value::from(moment::format(&zoned(evaluation, date), &format, world.settings.locale))
        }
        Method::Relative => Value::from(moment::from_now(&zoned(evaluation, date), &world.settings.now, world.settings.locale)),
        _ => return Ok(None),
    }))
}

fn zoned(evaluation: &Evaluator<'_, '_>, date: &Date) -> Zoned {
    let zone = match date.zone {
        Zone::Local => evaluation.row.world.zone().clone(),
        Zone::Fixed(offset) => offset.to_time_zone(),
    };
    date.timestamp(&zone).to_zoned(zone)
}
