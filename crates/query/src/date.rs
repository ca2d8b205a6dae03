//! Points in time and lengths of time, as the query languages have them.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};

/// A date, or a date and a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Date {
    /// What a clock on the wall shows there.
    pub at: DateTime,
    pub zone: Zone,
    /// Whether a time was given; without one `at` is midnight.
    pub has_time: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zone {
    /// That of the person who asks.
    Local,
    /// As written with the time.
    Fixed(Offset),
}

impl Date {
    /// The moment, given the zone of the person who asks.
    pub fn timestamp(&self, local: &TimeZone) -> Timestamp {
        let zoned = match self.zone {
            Zone::Local => local.to_ambiguous_zoned(self.at).compatible().map(|zoned| zoned.timestamp()),
            Zone::Fixed(offset) => offset.to_timestamp(self.at),
        };
        // The ends of what a timestamp can say are ten thousand years away; the nearer one is as good as the answer.
        zoned.unwrap_or(if self.at.year() > 0 { Timestamp::MAX } else { Timestamp::MIN })
    }

    /// A moment as the clock of the person who asks shows it.
    pub fn of(moment: Timestamp, local: &TimeZone) -> Date {
        Date { at: local.to_datetime(moment), zone: Zone::Local, has_time: true }
    }
}

/// A length of time, unit by unit as it was written: a month is no number of days.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Duration {
    pub years: f64,
    pub months: f64,
    pub weeks: f64,
    pub days: f64,
    pub hours: f64,
    pub minutes: f64,
    pub seconds: f64,
    pub milliseconds: f64,
}

impl Duration {
    pub fn of_milliseconds(milliseconds: f64) -> Duration {
        Duration { milliseconds, ..Duration::default() }
    }

    /// Units from the largest to the smallest.
    pub fn units(&self) -> [f64; 8] {
        [self.years, self.months, self.weeks, self.days, self.hours, self.minutes, self.seconds, self.milliseconds]
    }

    pub fn from_units([years, months, weeks, days, hours, minutes, seconds, milliseconds]: [f64; 8]) -> Duration {
        Duration { years, months, weeks, days, hours, minutes, seconds, milliseconds }
    }

    /// Every unit changed alike, such as multiplied.
    pub fn map(&self, change: impl Fn(f64) -> f64) -> Duration {
        Duration::from_units(self.units().map(change))
    }

    /// Two lengths unit by unit, such as added.
    pub fn zip(&self, other: &Duration, join: impl Fn(f64, f64) -> f64) -> Duration {
        let (mine, theirs) = (self.units(), other.units());
        Duration::from_units(std::array::from_fn(|unit| join(mine[unit], theirs[unit])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_depends_on_the_zone_only_where_none_was_given() {
        let (berlin, utc) = (TimeZone::fixed(jiff::tz::offset(1)), TimeZone::UTC);
        let at = jiff::civil::date(2026, 1, 4).at(9, 0, 0, 0);
        let local = Date { at, zone: Zone::Local, has_time: true };
        let fixed = Date { zone: Zone::Fixed(jiff::tz::offset(1)), ..local };
        assert_eq!(local.timestamp(&berlin), fixed.timestamp(&utc));
        assert_ne!(local.timestamp(&utc), fixed.timestamp(&utc));
        assert_eq!(Date::of(fixed.timestamp(&utc), &berlin).at, at);
    }
}
