//! Dates and lengths of time as Bases reads, adds and shows them.

use jiff::civil::Time;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};

use crate::date::{Date, Duration, Zone};

/// `YYYY-MM-DD` or `YYYY-MM-DDTHH:mm[:ss]`: what makes a property a date.
pub(super) fn parse_date_shape(text: &str) -> Option<Date> {
    let bytes = text.as_bytes();
    let is_shape = match bytes.len() {
        10 => true,
        16 | 19 => bytes[10] == b'T',
        _ => false,
    };
    (is_shape && bytes[..4].iter().all(u8::is_ascii_digit)).then(|| parse_local(text)).flatten()
}

/// What `date()` accepts. A time with an offset is shown on the clock of the person who asks.
pub(super) fn parse_date(text: &str, zone: &TimeZone) -> Option<Date> {
    let text = text.trim();
    if !text.is_ascii() {
        return None;
    }
    if let Some(date) = parse_local(text).or_else(|| parse_digits(text)) {
        return Some(date);
    }
    let timestamp: Timestamp = text.parse().or_else(|_| text.replacen(' ', "T", 1).parse()).ok()?;
    Some(Date::of(timestamp, zone))
}

fn parse_local(text: &str) -> Option<Date> {
    let (day, time) = text.split_at_checked(10)?;
    let day: jiff::civil::Date = strict_day(day)?;
    if time.is_empty() {
        return Some(Date { at: day.at(0, 0, 0, 0), zone: Zone::Local, has_time: false });
    }
    let time = time.strip_prefix([' ', 'T'])?;
    let is_time = time.len() >= 5 && time.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.'));
    let time: Time = is_time.then(|| time.parse().ok()).flatten()?;
    Some(Date { at: day.to_datetime(time), zone: Zone::Local, has_time: true })
}

fn strict_day(text: &str) -> Option<jiff::civil::Date> {
    let bytes = text.as_bytes();
    let is_shape = bytes.len() == 10
        && bytes.iter().enumerate().all(|(at, byte)| if at == 4 || at == 7 { *byte == b'-' } else { byte.is_ascii_digit() });
    is_shape.then(|| text.parse().ok()).flatten()
}

/// `YYYYMMDD` and `YYYYMMDDHHmm[ss]`.
fn parse_digits(text: &str) -> Option<Date> {
    if !matches!(text.len(), 8 | 12 | 14) || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let part = |from: usize, to: usize| text.get(from..to).map_or(Some(0), |digits| digits.parse::<i8>().ok());
    let day = jiff::civil::Date::new(text[..4].parse().ok()?, part(4, 6)?, part(6, 8)?).ok()?;
    let time = Time::new(part(8, 10)?, part(10, 12)?, part(12, 14)?, 0).ok()?;
    Some(Date { at: day.to_datetime(time), zone: Zone::Local, has_time: text.len() > 8 })
}

/// `1M`, `2 days`, `1y 6M`, `-3h`: numbers and units, one or more.
pub(super) fn parse_duration(text: &str) -> Option<Duration> {
    let mut rest = text.trim();
    let mut whole: Option<Duration> = None;
    while !rest.is_empty() {
        let number_end = rest
            .char_indices()
            .find(|&(at, character)| {
                !(character.is_ascii_digit() || character == '.' || (at == 0 && matches!(character, '-' | '+')))
            })
            .map(|(at, _)| at)?;
        let number: f64 =
            rest[..number_end].parse().ok().filter(|_| rest[..number_end].contains(|digit: char| digit.is_ascii_digit()))?;
        rest = rest[number_end..].trim_start();
        let unit_end = rest.find(|character: char| !character.is_ascii_alphabetic()).unwrap_or(rest.len());
        let one = unit(&rest[..unit_end])?;
        whole = Some(whole.unwrap_or_default().zip(&one.map(|count| count * number), |a, b| a + b));
        rest = rest[unit_end..].trim_start_matches([' ', ',']);
    }
    whole
}

/// One of a unit. Large and small letters tell months from minutes.
fn unit(name: &str) -> Option<Duration> {
    let none = Duration::default();
    Some(match name {
        "y" | "year" | "years" => Duration { years: 1.0, ..none },
        "M" | "month" | "months" => Duration { months: 1.0, ..none },
        "w" | "week" | "weeks" => Duration { weeks: 1.0, ..none },
        "d" | "day" | "days" => Duration { days: 1.0, ..none },
        "h" | "hour" | "hours" => Duration { hours: 1.0, ..none },
        "m" | "minute" | "minutes" => Duration { minutes: 1.0, ..none },
        "s" | "second" | "seconds" => Duration { seconds: 1.0, ..none },
        "ms" | "millisecond" | "milliseconds" => Duration { milliseconds: 1.0, ..none },
        _ => return None,
    })
}

const DAY: f64 = 86_400_000.0;

/// Milliseconds, with years and months of their mean length.
pub(super) fn milliseconds(duration: &Duration) -> f64 {
    let [years, months, weeks, days, hours, minutes, seconds, milliseconds] = duration.units();
    let days = years * 365.2425 + months * 30.436_875 + weeks * 7.0 + days;
    days * DAY + hours * 3_600_000.0 + minutes * 60_000.0 + seconds * 1000.0 + milliseconds
}

/// `None` beyond the years that a date can have. A month later is the same day of the next month, or its last.
pub(super) fn add(date: &Date, duration: &Duration, zone: &TimeZone) -> Option<Date> {
    let [years, months, weeks, days, hours, minutes, seconds, millis] = duration.units();
    // Parts of years, months and days count as what they are made of.
    let whole_months = (years * 12.0 + months).trunc();
    let month_rest = (years * 12.0 + months).fract() * 30.436_875;
    let all_days = weeks * 7.0 + days + month_rest;
    let clock = all_days.fract() * DAY + hours * 3_600_000.0 + minutes * 60_000.0 + seconds * 1000.0 + millis;
    if !(whole_months.abs() < 240_000.0 && all_days.abs() < 7_300_000.0 && clock.abs() < 6.0e14) {
        return None;
    }
    let calendar = Span::new().try_months(whole_months as i64).ok()?.try_days(all_days.trunc() as i64).ok()?;
    let at = date.at.checked_add(calendar).ok()?;
    let moved = Date { at, ..*date };
    if clock == 0.0 {
        return Some(moved);
    }
    let nanoseconds = (clock * 1e6).round() as i128;
    let timestamp = Timestamp::from_nanosecond(moved.timestamp(zone).as_nanosecond() + nanoseconds).ok()?;
    let at = match moved.zone {
        Zone::Local => zone.to_datetime(timestamp),
        Zone::Fixed(offset) => offset.to_datetime(timestamp),
    };
    Some(Date { at, zone: moved.zone, has_time: true })
}

pub(super) fn between(later: &Date, earlier: &Date, zone: &TimeZone) -> Duration {
    let nanoseconds = later.timestamp(zone).as_nanosecond() - earlier.timestamp(zone).as_nanosecond();
    Duration::of_milliseconds((nanoseconds / 1_000_000) as f64)
}

/// `2025-01-01` or `2025-01-01 04:03:00`.
pub(super) fn date_text(date: &Date) -> String {
    if date.has_time { date.at.strftime("%Y-%m-%d %H:%M:%S").to_string() } else { date.at.strftime("%Y-%m-%d").to_string() }
}

/// As ISO 8601 writes it; a clock on the wall has no offset.
pub(super) fn date_json(date: &Date) -> String {
    let text = date_text(date);
    match date.zone {
        Zone::Fixed(offset) if date.has_time => format!("{}{offset}", text.replacen(' ', "T", 1)),
        _ => text.replacen(' ', "T", 1),
    }
}

/// `1 year 2 days`, as it was written; a bare number of milliseconds in days, hours, minutes and seconds.
pub(super) fn duration_text(duration: &Duration) -> String {
    let units = duration.units();
    let is_bare = units[..7].iter().all(|unit| *unit == 0.0);
    let units = if is_bare { split(duration.milliseconds) } else { units };
    let names = ["year", "month", "week", "day", "hour", "minute", "second", "millisecond"];
    let parts = units.iter().zip(names).filter(|(count, _)| **count != 0.0);
    let parts: Vec<String> = parts
        .map(|(count, name)| format!("{} {name}{}", super::text::number_text(*count), if count.abs() == 1.0 { "" } else { "s" }))
        .collect();
    if parts.is_empty() { "0 seconds".to_owned() } else { parts.join(" ") }
}

fn split(milliseconds: f64) -> [f64; 8] {
    let days = (milliseconds / DAY).trunc();
    let mut rest = milliseconds - days * DAY;
    let mut take = |size: f64| {
        let count = (rest / size).trunc();
        rest -= count * size;
        count
    };
    let (hours, minutes, seconds) = (take(3_600_000.0), take(60_000.0), take(1000.0));
    [0.0, 0.0, 0.0, days, hours, minutes, seconds, rest]
}
