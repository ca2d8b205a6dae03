//! Formats dates and lengths of time as luxon does in English, for Dataview's `dateformat` and `durationformat`.

mod durations;
mod zones;

pub use durations::{format_duration, human, normalized};

use std::fmt::Write;

use jiff::Zoned;
use jiff::tz::TimeZone;

const MONTHS: [&str; 12] =
    ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
const WEEKDAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// A date as text, in luxon's tokens.
pub fn format(at: &Zoned, format: &str) -> String {
    let mut text = String::new();
    for part in parts(format) {
        match part {
            Part::Literal(literal) => text.push_str(&literal),
            Part::Token(token) => write_token(&mut text, &token, at),
        }
    }
    text
}

enum Part {
    Literal(String),
    /// One character as often as it is repeated.
    Token(String),
}

/// Text between two `'` is literal.
fn parts(format: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut current = String::new();
    let mut literal = false;
    for character in format.chars() {
        let ends = character == '\'' || (!literal && !current.is_empty() && !current.starts_with(character));
        if ends && !current.is_empty() {
            let whole = std::mem::take(&mut current);
            parts.push(if literal { Part::Literal(whole) } else { Part::Token(whole) });
        }
        match character {
            '\'' => literal = !literal,
            _ => current.push(character),
        }
    }
    if !current.is_empty() {
        parts.push(if literal { Part::Literal(current) } else { Part::Token(current) });
    }
    parts
}

fn write_token(text: &mut String, token: &str, at: &Zoned) {
    let milliseconds = i64::from(at.millisecond());
    let (year, week_year) = (i64::from(at.year()), i64::from(at.date().iso_week_date().year()));
    let half_hour = (i64::from(at.hour()) + 11) % 12 + 1;
    let (month, weekday) = (MONTHS[at.month() as usize - 1], WEEKDAYS[at.weekday().to_sunday_zero_offset() as usize]);
    let timestamp = at.timestamp().as_nanosecond().div_euclid(1_000_000) as i64;
    let number = match token {
        "S" => (milliseconds, 0),
        "u" | "SSS" => (milliseconds, 3),
        "uu" => (milliseconds / 10, 2),
        "uuu" => (milliseconds / 100, 0),
        "s" | "ss" => (at.second().into(), token.len()),
        "m" | "mm" => (at.minute().into(), token.len()),
        "h" | "hh" => (half_hour, token.len()),
        "H" | "HH" => (at.hour().into(), token.len()),
        "d" | "dd" => (at.day().into(), token.len()),
        "c" | "E" => (at.weekday().to_monday_one_offset().into(), 0),
        "L" | "LL" | "M" | "MM" => (at.month().into(), token.len()),
        "y" | "yyyy" | "yyyyyy" => (year, token.len()),
        "yy" => (year % 100, 2),
        "kk" => (week_year % 100, 2),
        "kkkk" => (week_year, 4),
        "W" | "WW" => (at.date().iso_week_date().week().into(), token.len()),
        "o" | "ooo" => (at.day_of_year().into(), token.len()),
        "q" | "qq" => ((i64::from(at.month()) + 2) / 3, token.len()),
        "X" => (timestamp.div_euclid(1000), 0),
        "x" => (timestamp, 0),
        _ => return text.push_str(&name(token, at, month, weekday)),
    };
    pad(text, number.0, number.1);
}

fn name(token: &str, at: &Zoned, month: &str, weekday: &str) -> String {
    let era = |common: &str, before: &str| if at.year() < 0 { before.to_owned() } else { common.to_owned() };
    match token {
        "a" => meridiem(at).to_owned(),
        "ccc" | "EEE" => weekday[..3].to_owned(),
        "cccc" | "EEEE" => weekday.to_owned(),
        "ccccc" | "EEEEE" => weekday[..1].to_owned(),
        "LLL" | "MMM" => month[..3].to_owned(),
        "LLLL" | "MMMM" => month.to_owned(),
        "LLLLL" | "MMMMM" => month[..1].to_owned(),
        "G" => era("AD", "BC"),
        "GG" => era("Anno Domini", "Before Christ"),
        "GGGGG" => era("A", "B"),
        "Z" => zones::narrow_offset(at),
        "ZZ" => zones::offset(at, ":"),
        "ZZZ" => zones::offset(at, ""),
        "ZZZZ" => zones::name(at, zones::short_name),
        "ZZZZZ" => zones::name(at, zones::long_name),
        "z" => zones::zone(at),
        _ => whole_format(token, at).unwrap_or_else(|| token.to_owned()),
    }
}

/// Tokens that stand for a whole date or time as the language writes it.
fn whole_format(token: &str, at: &Zoned) -> Option<String> {
    let letter = token.chars().next()?;
    let length = token.len();
    if length > 4 {
        return None;
    }
    let date_of = |at: &Zoned| {
        let (month, day, year) = (MONTHS[at.month() as usize - 1], at.day(), at.year());
        match length {
            1 => format!("{}/{day}/{year}", at.month()),
            2 => format!("{} {day}, {year}", &month[..3]),
            3 => format!("{month} {day}, {year}"),
            _ => format!("{}, {month} {day}, {year}", WEEKDAYS[at.weekday().to_sunday_zero_offset() as usize]),
        }
    };
    let named = length > 2 && letter != 'D';
    let shown = if named { zones::shown_with_name(at) } else { at.clone() };
    let zone = match (named, length) {
        (false, _) => String::new(),
        (true, 3) => format!(" {}", zones::short_name(&shown)),
        (true, _) => format!(" {}", zones::long_name(&shown)),
    };
    let joint = if length > 2 { " at " } else { ", " };
    Some(match letter {
        'D' => date_of(at),
        't' => format!("{}{zone}", clock(&shown, length > 1)),
        'T' => format!("{}{zone}", day_clock(&shown, length > 1)),
        'f' => format!("{}{joint}{}{zone}", date_of(&shown), clock(&shown, false)),
        'F' => format!("{}{joint}{}{zone}", date_of(&shown), clock(&shown, true)),
        _ => return None,
    })
}

fn clock(at: &Zoned, seconds: bool) -> String {
    let (hour, minute, meridiem) = ((i64::from(at.hour()) + 11) % 12 + 1, at.minute(), meridiem(at));
    match seconds {
        true => format!("{hour}:{minute:02}:{:02} {meridiem}", at.second()),
        false => format!("{hour}:{minute:02} {meridiem}"),
    }
}

fn day_clock(at: &Zoned, seconds: bool) -> String {
    match seconds {
        true => format!("{:02}:{:02}:{:02}", at.hour(), at.minute(), at.second()),
        false => format!("{:02}:{:02}", at.hour(), at.minute()),
    }
}

fn meridiem(at: &Zoned) -> &'static str {
    if at.hour() < 12 { "AM" } else { "PM" }
}

fn pad(text: &mut String, number: i64, width: usize) {
    let sign = if number < 0 { "-" } else { "" };
    // Writing to a string cannot fail.
    let _ = write!(text, "{sign}{:0width$}", number.unsigned_abs());
}

fn utc(at: &Zoned) -> Zoned {
    at.with_time_zone(TimeZone::UTC)
}
