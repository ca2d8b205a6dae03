//! The dates of a task: days, and what is written like a day and is none.

use std::fmt;

use jiff::civil::Date;

/// A day, packed. Impossible days such as 2024-02-30 are kept as they are written; they belong to no range.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Day(i32);

/// Above every day that the calendar has; what follows are the eight digits.
const INVALID: i32 = 1_000_000_000;
const EPOCH: Date = jiff::civil::date(1970, 1, 1);

impl Day {
    /// Reads `YYYY-MM-DD`.
    pub fn read(text: &str) -> Option<Day> {
        let bytes: &[u8; 10] = text.as_bytes().try_into().ok()?;
        let digits =
            bytes.iter().enumerate().all(|(at, byte)| if at == 4 || at == 7 { *byte == b'-' } else { byte.is_ascii_digit() });
        if !digits {
            return None;
        }
        let number =
            |range: std::ops::Range<usize>| bytes[range].iter().fold(0i32, |number, byte| number * 10 + i32::from(byte - b'0'));
        let (year, month, day) = (number(0..4), number(5..7), number(8..10));
        let date = Date::new(year as i16, month as i8, day as i8);
        Some(date.map_or(Day(INVALID + year * 10_000 + month * 100 + day), Day::of))
    }

    pub fn of(date: Date) -> Day {
        Day(date.duration_since(EPOCH).as_hours().div_euclid(24) as i32)
    }

    /// That many days after 1970 began; none outside the calendar.
    pub fn from_number(number: i32) -> Option<Day> {
        date_of(number).map(Day::of)
    }

    /// None where the calendar has no such day.
    pub fn date(self) -> Option<Date> {
        self.number().and_then(date_of)
    }

    /// Days since 1970. None where the calendar has no such day.
    pub fn number(self) -> Option<i32> {
        (self.0 < INVALID).then_some(self.0)
    }

    pub fn is_valid(self) -> bool {
        self.0 < INVALID
    }

    /// Invalid ones first, then by time.
    pub fn order(self) -> i32 {
        if self.is_valid() { self.0 } else { i32::MIN }
    }
}

/// The date that many days after 1970 began; none outside the years -9999 to 9999.
pub(super) fn date_of(number: i32) -> Option<Date> {
    EPOCH.checked_add(jiff::SignedDuration::from_hours(i64::from(number) * 24)).ok()
}

impl fmt::Display for Day {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.date() {
            Some(date) => write!(formatter, "{:04}-{:02}-{:02}", date.year(), date.month(), date.day()),
            None => {
                let digits = self.0.saturating_sub(INVALID).max(0);
                write!(formatter, "{:04}-{:02}-{:02}", digits / 10_000, digits / 100 % 100, digits % 100)
            }
        }
    }
}

impl fmt::Debug for Day {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_read_and_printed_alike_whether_they_exist_or_not() {
        for text in ["2024-02-29", "2024-02-30", "0000-00-00", "9999-12-31", "0001-01-01", "2024-13-01"] {
            let day = Day::read(text).unwrap();
            assert_eq!(day.to_string(), text);
        }
        assert!(Day::read("2024-02-29").unwrap().is_valid());
        assert!(!Day::read("2023-02-29").unwrap().is_valid());
        assert_eq!(Day::read("1970-01-02").unwrap().number(), Some(1));
        assert_eq!(Day::read("1969-12-31").unwrap().number(), Some(-1));
        assert_eq!(Day::read("2024-1-01"), None);
        assert_eq!(Day::read("2024-01-0é"), None);
    }
}
