//! Arithmetic of times and lengths of time as the plugin's library does it: a year has 365 days, a month 30, and each unit is kept.

use jiff::civil::{Date as Day, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::date::{Date, Duration, Zone};

/// Milliseconds of a unit, from years to milliseconds.
const MILLISECONDS: [f64; 8] = [31_536e6, 2_592e6, 604_800e3, 86_400e3, 3_600e3, 60e3, 1e3, 1.0];

/// How many of one unit another has; a year has 52 weeks although it has 365 days.
fn in_unit(of: usize, unit: usize) -> f64 {
    match (of, unit) {
        (0, 1) => 12.0,
        (0, 2) => 52.0,
        (1, 2) => 4.0,
        _ => MILLISECONDS[of] / MILLISECONDS[unit],
    }
}

pub(crate) fn in_milliseconds(duration: &Duration) -> f64 {
    // The smallest unit first, as the sum of fractions depends on the order.
    (0..8).rev().map(|unit| duration.units()[unit] * MILLISECONDS[unit]).sum()
}

/// The whole length in one unit, from 0 for years to 7 for milliseconds.
pub(crate) fn in_whole(duration: &Duration, unit: usize) -> f64 {
    let mut wanted = [false; 8];
    wanted[unit] = true;
    shifted(duration, wanted).units()[unit]
}

/// All units brought into their usual ranges.
pub(crate) fn normalized(duration: &Duration) -> Duration {
    let mut units = shifted(duration, [true; 8]).units();
    balance(&mut units, [true; 8]);
    Duration::from_units(units)
}

/// The same length in the wanted units only; what is left over is a fraction of the smallest.
pub(crate) fn shifted(duration: &Duration, wanted: [bool; 8]) -> Duration {
    let (given, mut built, mut waiting) = (duration.units(), [0.0; 8], [0.0; 8]);
    let Some(last) = (0..8).rev().find(|&unit| wanted[unit]) else { return *duration };
    for unit in 0..8 {
        if !wanted[unit] {
            waiting[unit] = given[unit];
            continue;
        }
        let mut own = 0.0;
        for (larger, amount) in waiting.iter_mut().enumerate().take(unit) {
            own += in_unit(larger, unit) * std::mem::take(amount);
        }
        own += given[unit];
        built[unit] = own.trunc();
        waiting[unit] = (own * 1000.0 - own.trunc() * 1000.0) / 1000.0;
    }
    for unit in (0..8).filter(|&unit| waiting[unit] != 0.0) {
        built[last] += if unit == last { waiting[unit] } else { waiting[unit] / in_unit(last, unit) };
    }
    balance(&mut built, wanted);
    Duration::from_units(built)
}

fn balance(units: &mut [f64; 8], wanted: [bool; 8]) {
    let factor = if in_milliseconds(&Duration::from_units(*units)) < 0.0 { -1.0 } else { 1.0 };
    let used: Vec<usize> = (0..8).filter(|&unit| wanted[unit]).collect();
    for pair in used.windows(2).rev() {
        let (larger, smaller) = (pair[0], pair[1]);
        let size = in_unit(larger, smaller);
        let carried = (units[smaller] * factor / size).floor();
        units[larger] += carried * factor;
        units[smaller] -= carried * size * factor;
    }
    for pair in used.windows(2) {
        let (larger, smaller) = (pair[0], pair[1]);
        let fraction = units[larger] % 1.0;
        units[larger] -= fraction;
        units[smaller] += fraction * in_unit(larger, smaller);
    }
}

/// `1 day, 5 hours`
pub(crate) fn human(duration: &Duration) -> String {
    let names = ["year", "month", "week", "day", "hour", "minute", "second", "millisecond"];
    let units = names.into_iter().zip(normalized(duration).units()).filter(|(_, amount)| *amount != 0.0);
    let units: Vec<String> = units
        .map(|(name, amount)| {
            let rounded = (amount * 1000.0).round() / 1000.0;
            format!("{} {name}{}", grouped(rounded), if rounded == 1.0 { "" } else { "s" })
        })
        .collect();
    units.join(", ")
}

/// `1,234.5`
pub(crate) fn grouped(number: f64) -> String {
    let text = number.to_string();
    let (whole, fraction) = text.split_once('.').map_or((text.as_str(), None), |(whole, fraction)| (whole, Some(fraction)));
    let (sign, digits) = whole.strip_prefix('-').map_or(("", whole), |digits| ("-", digits));
    let mut grouped = String::from(sign);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    fraction.map_or(grouped.clone(), |fraction| format!("{grouped}.{fraction}"))
}

/// The date that is so much later, or earlier for a negative length; nothing past the years that can be said.
pub(crate) fn later(date: &Date, by: &Duration, local: &TimeZone) -> Option<Date> {
    let whole = |number: f64| (number.is_finite() && number.abs() < 1e8).then(|| number.trunc() as i64);
    let month = i64::from(date.at.year()) * 12 + i64::from(date.at.month()) - 1 + whole(by.years)? * 12 + whole(by.months)?;
    let (year, month) = (i16::try_from(month.div_euclid(12)).ok()?, i8::try_from(month.rem_euclid(12) + 1).ok()?);
    let first = Day::new(year, month, 1).ok()?;
    let days = i64::from(date.at.day().min(first.days_in_month())) - 1 + whole(by.days)? + whole(by.weeks)? * 7;
    let day = first.checked_add(SignedDuration::from_hours(24 * days)).ok()?;
    let at = day.to_datetime(date.at.time());
    let rest = in_milliseconds(&Duration {
        years: by.years.fract(),
        months: by.months.fract(),
        weeks: by.weeks.fract(),
        days: by.days.fract(),
        ..*by
    });
    let moved = Date { at, ..*date };
    if rest == 0.0 {
        return Some(moved);
    }
    let moment = moved.timestamp(local).checked_add(milliseconds(rest)?).ok()?;
    Some(at_moment(moment, date.zone, local))
}

pub(crate) fn milliseconds(number: f64) -> Option<SignedDuration> {
    (number.is_finite() && number.abs() < 1e15).then(|| SignedDuration::from_micros((number * 1000.0).round() as i64))
}

pub(crate) fn at_moment(moment: Timestamp, zone: Zone, local: &TimeZone) -> Date {
    match zone {
        Zone::Local => Date::of(moment, local),
        Zone::Fixed(offset) => Date { at: offset.to_datetime(moment), zone, has_time: true },
    }
}

/// From the second to the first, in years, months, days and smaller.
pub(crate) fn between(later_one: &Date, earlier_one: &Date, local: &TimeZone) -> Duration {
    let (first, second) = (earlier_one.timestamp(local), later_one.timestamp(local));
    if first > second {
        return between(earlier_one, later_one, local).map(|unit| -unit);
    }
    let (mut cursor, mut found) = (*earlier_one, [0.0; 8]);
    for unit in [0, 1, 3] {
        found[unit] = match unit {
            0 => f64::from(later_one.at.year() - cursor.at.year()),
            1 => f64::from(
                i32::from(later_one.at.year() - cursor.at.year()) * 12 + i32::from(later_one.at.month() - cursor.at.month()),
            ),
            _ => whole_days(cursor.at, later_one.at),
        };
        // What overshoots is taken back; twice where two zones disagree about the day.
        for _ in 0..3 {
            let Some(reached) = later(earlier_one, &Duration::from_units(found), local) else { break };
            if reached.timestamp(local) <= second {
                cursor = reached;
                break;
            }
            found[unit] -= 1.0;
        }
    }
    let rest = second.duration_since(cursor.timestamp(local)).as_micros() as f64 / 1000.0;
    let rest = shifted(&Duration::of_milliseconds(rest), [false, false, false, false, true, true, true, true]);
    rest.zip(&Duration::from_units(found), |one, other| one + other)
}

fn whole_days(from: DateTime, to: DateTime) -> f64 {
    from.date().duration_until(to.date()).as_hours() as f64 / 24.0
}

/// `today`, `sow` and the like.
pub(crate) fn named_day(word: &str, now: Timestamp, local: &TimeZone) -> Option<Date> {
    let now = local.to_datetime(now);
    let today = now.date();
    let day = |day: Day, at: Time, has_time| Some(Date { at: day.to_datetime(at), zone: Zone::Local, has_time });
    let last_moment = Time::new(23, 59, 59, 999_000_000).ok()?;
    let start = |at: Day| day(at, Time::midnight(), false);
    let end = |at: Day| day(at, last_moment, true);
    let monday = || today.checked_sub(SignedDuration::from_hours(24 * i64::from(today.weekday().to_monday_zero_offset()))).ok();
    match word {
        "now" => Some(Date { at: now, zone: Zone::Local, has_time: true }),
        "today" => start(today),
        "yesterday" => start(today.yesterday().ok()?),
        "tomorrow" => start(today.tomorrow().ok()?),
        "sow" | "start-of-week" => start(monday()?),
        "eow" | "end-of-week" => end(monday()?.checked_add(SignedDuration::from_hours(24 * 6)).ok()?),
        "som" | "start-of-month" => start(today.first_of_month()),
        "eom" | "end-of-month" => end(today.last_of_month()),
        "soy" | "start-of-year" => start(today.first_of_year()),
        "eoy" | "end-of-year" => end(today.last_of_year()),
        _ => None,
    }
}
