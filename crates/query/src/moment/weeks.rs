//! Weeks of a year, for any first day of the week and any day of January that the first week must have.

use jiff::civil::Date;

/// How weeks are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WeekRule {
    /// The first day of a week; Sunday is 0.
    pub start: i64,
    /// 7 + start - the day of January that is always in the first week.
    pub year_day: i64,
}

pub(crate) const ISO: WeekRule = WeekRule { start: 1, year_day: 4 };

impl WeekRule {
    /// The year and the week that a day belongs to.
    pub(crate) fn week_of(self, date: Date) -> (i64, i64) {
        let year = i64::from(date.year());
        let week = (i64::from(date.day_of_year()) - self.offset(year) - 1).div_euclid(7) + 1;
        if week < 1 {
            (year - 1, week + self.weeks_in(year - 1))
        } else if week > self.weeks_in(year) {
            (year + 1, week - self.weeks_in(year))
        } else {
            (year, week)
        }
    }

    pub(crate) fn weeks_in(self, year: i64) -> i64 {
        (days_in_year(year) - self.offset(year) + self.offset(year + 1)) / 7
    }

    /// The year and the day of the year of a weekday (Sunday is 0) in a week.
    pub(crate) fn day_of_year(self, year: i64, week: i64, weekday: i64) -> (i64, i64) {
        let day = 1 + 7 * (week - 1) + (7 + weekday - self.start) % 7 + self.offset(year);
        if day <= 0 {
            (year - 1, days_in_year(year - 1) + day)
        } else if day > days_in_year(year) {
            (year + 1, day - days_in_year(year))
        } else {
            (year, day)
        }
    }

    /// Days from the first of January to the start of the first week.
    fn offset(self, year: i64) -> i64 {
        let day = 7 + self.start - self.year_day;
        let weekday = (weekday_of_new_year(year) + day - 1).rem_euclid(7);
        day - 1 - (7 + weekday - self.start) % 7
    }
}

pub(crate) fn days_in_year(year: i64) -> i64 {
    if is_leap(year) { 366 } else { 365 }
}

fn is_leap(year: i64) -> bool {
    (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
}

/// Sunday is 0. Worked out, because the year after the last that a date can have is asked for too.
fn weekday_of_new_year(year: i64) -> i64 {
    let before = year - 1;
    (1 + 365 * before + before.div_euclid(4) - before.div_euclid(100) + before.div_euclid(400)).rem_euclid(7)
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    const SUNDAY: WeekRule = WeekRule { start: 0, year_day: 6 };

    #[test]
    fn the_same_sunday_is_in_two_weeks() {
        assert_eq!(SUNDAY.week_of(date(2026, 1, 4)), (2026, 2));
        assert_eq!(ISO.week_of(date(2026, 1, 4)), (2026, 1));
        assert_eq!(ISO.week_of(date(2021, 1, 3)), (2020, 53));
        assert_eq!(SUNDAY.week_of(date(2025, 12, 30)), (2026, 1));
    }

    #[test]
    fn iso_weeks_are_those_of_the_calendar() {
        let mut day = date(1999, 1, 1);
        while day < date(2031, 1, 1) {
            let iso = day.iso_week_date();
            assert_eq!(ISO.week_of(day), (i64::from(iso.year()), i64::from(iso.week())), "{day}");
            let weekday = i64::from(day.weekday().to_sunday_zero_offset());
            let (year, day_of_year) = ISO.day_of_year(i64::from(iso.year()), i64::from(iso.week()), weekday);
            assert_eq!((year, day_of_year), (i64::from(day.year()), i64::from(day.day_of_year())), "{day}");
            day = day.tomorrow().unwrap();
        }
    }
}
