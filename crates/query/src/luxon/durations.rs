//! Lengths of time: spread over the units that a format asks for, or said in words.

use super::{Part, pad, parts};
use crate::Duration;

/// The letters of units and their names, from the largest.
const UNITS: [(char, &str); 8] = [
    ('y', "year"),
    ('M', "month"),
    ('w', "week"),
    ('d', "day"),
    ('h', "hour"),
    ('m', "minute"),
    ('s', "second"),
    ('S', "millisecond"),
];

/// A length as text: every unit that the format has is filled from all that the length has.
pub fn format_duration(duration: &Duration, format: &str) -> String {
    let parts = parts(format);
    let unit_of = |token: &str| UNITS.iter().position(|(letter, _)| token.starts_with(*letter));
    let mut wanted = [false; 8];
    for part in &parts {
        if let Part::Token(token) = part
            && let Some(unit) = unit_of(token)
        {
            wanted[unit] = true;
        }
    }
    let values = shift(duration.units(), wanted);
    let mut text = String::new();
    for part in parts {
        match part {
            Part::Literal(literal) => text.push_str(&literal),
            Part::Token(token) => match unit_of(&token) {
                Some(unit) => pad(&mut text, values[unit].floor() as i64, token.chars().count()),
                None => text.push_str(&token),
            },
        }
    }
    text
}

/// With every unit as full as it goes: 90 minutes are an hour and 30 minutes. A month has 30 days here, and a year 365.
pub fn normalized(duration: &Duration) -> Duration {
    let mut values = shift(duration.units(), [true; 8]);
    normalize(&mut values, [true; 8]);
    Duration::from_units(values)
}

/// `1 year, 2 days`: the units that are not nothing, as they are.
pub fn human(duration: &Duration) -> String {
    let units = duration.units().into_iter().zip(UNITS).filter(|(value, _)| *value != 0.0);
    let said: Vec<String> = units
        .map(|(value, (_, name))| {
            let number = (value * 1000.0).round() / 1000.0;
            let ending = if number.abs() == 1.0 { "" } else { "s" };
            format!("{number} {name}{ending}")
        })
        .collect();
    said.join(", ")
}

/// How many of the smaller unit the larger has. A year is 52 weeks and a month 4, though they have more days.
fn ratio(larger: usize, smaller: usize) -> f64 {
    const MILLISECONDS: [f64; 8] =
        [31_536_000_000.0, 2_592_000_000.0, 604_800_000.0, 86_400_000.0, 3_600_000.0, 60_000.0, 1000.0, 1.0];
    match (larger, smaller) {
        (0, 1) => 12.0,
        (0, 2) => 52.0,
        (1, 2) => 4.0,
        _ => MILLISECONDS[larger] / MILLISECONDS[smaller],
    }
}

/// Moves what fits from a smaller unit up to a larger one, and returns what stays and what the larger one has.
fn carry(smaller: usize, less: f64, larger: usize, more: f64) -> (f64, f64) {
    let ratio = ratio(larger, smaller);
    let raw = less / ratio;
    let sign = |number: f64| if number == 0.0 { 0.0 } else { number.signum() };
    let borrow = sign(raw) != sign(more) && more != 0.0 && raw.abs() <= 1.0;
    let moved = match borrow {
        true if raw < 0.0 => raw.floor(),
        true => raw.ceil(),
        false => raw.trunc(),
    };
    (less - moved * ratio, more + moved)
}

fn shift(mut values: [f64; 8], wanted: [bool; 8]) -> [f64; 8] {
    let Some(last) = wanted.iter().rposition(|wanted| *wanted) else { return values };
    let (mut built, mut left) = ([0.0; 8], [0.0; 8]);
    for unit in 0..8 {
        if !wanted[unit] {
            left[unit] = values[unit];
            continue;
        }
        let mut own = 0.0;
        for (larger, left) in left[..unit].iter_mut().enumerate() {
            own += ratio(larger, unit) * std::mem::take(left);
        }
        own += values[unit];
        built[unit] = own.trunc();
        left[unit] = (own * 1000.0 - own.trunc() * 1000.0) / 1000.0;
        for (smaller, value) in values.iter_mut().enumerate().skip(unit + 1) {
            (*value, built[unit]) = carry(smaller, *value, unit, built[unit]);
        }
    }
    for (unit, left) in left.into_iter().enumerate().filter(|(_, left)| *left != 0.0) {
        built[last] += if unit == last { left } else { left / ratio(last, unit) };
    }
    normalize(&mut built, wanted);
    built
}

/// Carries from each unit to the next larger one that there is, from the smallest on.
fn normalize(values: &mut [f64; 8], there: [bool; 8]) {
    let mut previous: Option<usize> = None;
    for unit in (0..8).rev().filter(|unit| there[*unit]) {
        if let Some(smaller) = previous {
            (values[smaller], values[unit]) = carry(smaller, values[smaller], unit, values[unit]);
        }
        previous = Some(unit);
    }
}
