//! Dates by patterns in Luxon's tokens, in English.

use jiff::civil::{Date as Day, Time};
use jiff::tz::TimeZone;

use crate::date::{Date, Zone};
use crate::luxon;

const MONTHS: [&str; 12] =
    ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
const DAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// Equal letters together are a token; what stands in single quotes, and every other sign, is itself.
fn tokens(pattern: &str) -> Vec<(bool, String)> {
    let mut tokens: Vec<(bool, String)> = Vec::new();
    let (mut current, mut previous, mut is_quoted) = (String::new(), None, false);
    for character in pattern.chars() {
        if character == '\'' {
            if !current.is_empty() {
                tokens.push((is_quoted, std::mem::take(&mut current)));
            }
            (previous, is_quoted) = (None, !is_quoted);
        } else if is_quoted || Some(character) == previous {
            current.push(character);
        } else {
            if !current.is_empty() {
                tokens.push((false, std::mem::take(&mut current)));
            }
            current.push(character);
            previous = Some(character);
        }
    }
    if !current.is_empty() {
        tokens.push((is_quoted, current));
    }
    tokens
}

/// A date where the clock of its own zone shows it.
pub(crate) fn format_date(date: &Date, pattern: &str, local: &TimeZone) -> String {
    let zone = match date.zone {
        Zone::Local => local.clone(),
        Zone::Fixed(offset) => offset.to_time_zone(),
    };
    luxon::format(&date.timestamp(local).to_zoned(zone), pattern)
}

/// What a text read by the numeric tokens and the names of months says.
pub(crate) fn read_date(text: &str, pattern: &str) -> Option<Date> {
    let mut reading = Reading { rest: text, ..Reading::default() };
    for (is_literal, token) in tokens(pattern) {
        if is_literal || reading.token(&token).is_none() {
            reading.rest = reading.rest.strip_prefix(&*token)?;
        } else if reading.failed {
            return None;
        }
    }
    reading.date().filter(|_| reading.rest.is_empty())
}

#[derive(Default)]
struct Reading<'t> {
    rest: &'t str,
    failed: bool,
    year: Option<i16>,
    month: Option<i8>,
    day: Option<i8>,
    hour: Option<i8>,
    minute: i8,
    second: i8,
    millisecond: i32,
    is_afternoon: Option<bool>,
    has_time: bool,
}

impl Reading<'_> {
    /// Nothing for what is no token.
    fn token(&mut self, token: &str) -> Option<()> {
        match token {
            "yyyy" => self.year = self.number(4, 4),
            "y" => self.year = self.number(1, 6),
            "yy" => self.year = self.number(2, 2).map(|year: i16| if year > 60 { 1900 + year } else { 2000 + year }),
            "M" | "L" => self.month = self.number(1, 2),
            "MM" | "LL" => self.month = self.number(2, 2),
            "MMM" | "LLL" => self.month = self.name(&MONTHS.map(|name| &name[..3])),
            "MMMM" | "LLLL" => self.month = self.name(&MONTHS),
            "d" => self.day = self.number(1, 2),
            "dd" => self.day = self.number(2, 2),
            "EEE" | "ccc" => drop(self.name(&DAYS.map(|name| &name[..3]))),
            "EEEE" | "cccc" => drop(self.name(&DAYS)),
            "H" | "h" => self.hour = self.number(1, 2),
            "HH" | "hh" => self.hour = self.number(2, 2),
            "m" => self.minute = self.number(1, 2).unwrap_or(0),
            "mm" => self.minute = self.number(2, 2).unwrap_or(0),
            "s" => self.second = self.number(1, 2).unwrap_or(0),
            "ss" => self.second = self.number(2, 2).unwrap_or(0),
            "SSS" => self.millisecond = self.number(3, 3).unwrap_or(0),
            "a" => self.is_afternoon = self.name(&["am", "pm"]).map(|half| half == 2),
            _ => return None,
        }
        self.has_time |= "HhmsSa".contains(token.chars().next().unwrap_or(' '));
        Some(())
    }

    fn number<N: std::str::FromStr>(&mut self, least: usize, most: usize) -> Option<N> {
        let digits = self.rest.bytes().take(most).take_while(u8::is_ascii_digit).count();
        let number = self.rest[..digits].parse().ok().filter(|_| digits >= least);
        self.failed |= number.is_none();
        self.rest = &self.rest[digits..];
        number
    }

    /// The place of a name, from one, whatever its case.
    fn name(&mut self, names: &[&str]) -> Option<i8> {
        let is_next = |name: &&str| self.rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
        let found = names.iter().position(is_next);
        self.failed |= found.is_none();
        self.rest = &self.rest[found.map_or(0, |at| names[at].len())..];
        found.and_then(|at| i8::try_from(at + 1).ok())
    }

    fn date(&self) -> Option<Date> {
        let day = Day::new(self.year?, self.month.unwrap_or(1), self.day.unwrap_or(1)).ok()?;
        let hour = match (self.hour.unwrap_or(0), self.is_afternoon) {
            (hour, None) => hour,
            (hour, Some(false)) => hour % 12,
            (hour, Some(true)) => hour % 12 + 12,
        };
        let time = Time::new(hour, self.minute, self.second, self.millisecond * 1_000_000).ok()?;
        Some(Date { at: day.to_datetime(time), zone: Zone::Local, has_time: self.has_time })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataview::scan::Scan;

    fn date(text: &str) -> Date {
        Scan::new(text).date().expect(text)
    }

    #[test]
    fn dates_are_written_by_tokens() {
        let check = |text: &str, pattern: &str, expected: &str| {
            assert_eq!(format_date(&date(text), pattern, &TimeZone::UTC), expected, "{pattern}");
        };
        check("2024-11-18", "MMMM dd, yyyy", "November 18, 2024");
        check("2024-01-04T15:05:09.007", "h:mm a - MMM d, yy", "3:05 PM - Jan 4, 24");
        check("2024-01-04T00:05:09.007", "HH:mm:ss.SSS hh", "00:05:09.007 12");
        check("2024-01-04", "cccc, EEE E 'of' WW kkkk q ooo", "Thursday, Thu 4 of 01 2024 1 004");
        check("2021-08-04T10:30:05+05:30", "Z ZZ ZZZ z", "+5:30 +05:30 +0530 UTC+5:30");
        check("2024-01-04", "D | DDDD", "1/4/2024 | Thursday, January 4, 2024");
        check("1970-01-02", "X x", "86400 86400000");
    }

    #[test]
    fn dates_are_read_by_tokens() {
        let check = |text: &str, pattern: &str, expected: Option<&str>| {
            let read = read_date(text, pattern).map(|date| date.at.to_string());
            assert_eq!(read.as_deref(), expected, "{text} {pattern}");
        };
        check("12/31/2022", "MM/dd/yyyy", Some("2022-12-31T00:00:00"));
        check("210313", "yyMMdd", Some("2021-03-13T00:00:00"));
        check("4 January 2024, 3:05 pm", "d MMMM yyyy, h:mm a", Some("2024-01-04T15:05:00"));
        check("2024-02-30", "yyyy-MM-dd", None);
        check("x", "yyyy", None);
    }
}
