//! Eras that years are counted in.

use jiff::civil::Date;

#[derive(Debug)]
pub(crate) struct Era {
    /// The first day, from which years are counted.
    pub since: Date,
    pub until: Until,
    /// The number of the first year.
    pub first: i64,
    pub name: &'static str,
    pub narrow: &'static str,
    pub short: &'static str,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Until {
    Day(Date),
    Forever,
    /// Years are counted backwards and without end.
    Backwards,
}

pub(crate) const WESTERN: &[Era] = &[
    Era { since: day(1, 1, 1), until: Until::Forever, first: 1, name: "Anno Domini", narrow: "AD", short: "AD" },
    Era { since: day(0, 12, 31), until: Until::Backwards, first: 1, name: "Before Christ", narrow: "BC", short: "BC" },
];

pub(crate) const fn day(year: i16, month: i8, day: i8) -> Date {
    Date::constant(year, month, day)
}

impl Era {
    pub(crate) fn has(&self, date: Date) -> bool {
        match self.until {
            Until::Day(until) => self.since <= date && date <= until,
            Until::Forever => self.since <= date,
            Until::Backwards => date <= self.since,
        }
    }

    fn direction(&self) -> i64 {
        if self.until == Until::Backwards { -1 } else { 1 }
    }

    /// The year of the era that a year is.
    pub(crate) fn year_of(&self, year: i64) -> i64 {
        (year - i64::from(self.since.year())) * self.direction() + self.first
    }

    /// The year that a year of the era is; the first one if none is given.
    pub(crate) fn to_year(&self, year: Option<i64>) -> i64 {
        let since = i64::from(self.since.year());
        year.map_or(since, |year| since + year.saturating_sub(self.first).saturating_mul(self.direction()))
    }
}
