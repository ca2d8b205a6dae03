//! When a rule happens next: period by period as rrule.js goes, so that odd rules have the same odd answers.
//!
//! Our own, and not a crate: the crates there are bring a second library of dates and zones for what is here a page of whole days.

use super::rule::{Frequency, NthDay, Rule};
use super::weeks::WeekNumbers;
use crate::tasks::day::{Day, date_of};

/// Minutes since 1970.
type Minute = i64;

const DAY: Minute = 1440;

/// Periods that are looked at before a rule is taken to have ended: those of eight thousand years, day by day.
const PERIODS: u32 = 3_000_000;

/// The parts of a rule that say which days it means, with what its beginning adds.
struct Days<'a> {
    rule: &'a Rule,
    months: Vec<u8>,
    month_days: Vec<i32>,
    weekdays: Vec<u8>,
    nth_weekdays: Vec<(u8, i32)>,
}

impl<'a> Days<'a> {
    fn new(rule: &'a Rule, start: i32) -> Option<Days<'a>> {
        let date = date_of(start)?;
        let counts_days = rule.frequency <= Frequency::Monthly;
        let (nth, each): (Vec<NthDay>, Vec<NthDay>) = rule.weekdays.iter().partition(|weekday| weekday.nth != 0 && counts_days);
        let mut days = Days {
            rule,
            months: rule.months.clone(),
            month_days: rule.month_days.clone(),
            weekdays: each.iter().map(|weekday| weekday.day).collect(),
            nth_weekdays: nth.iter().map(|weekday| (weekday.day, weekday.nth)).collect(),
        };
        if rule.weeks.is_empty() && rule.month_days.is_empty() && rule.weekdays.is_empty() {
            match rule.frequency {
                Frequency::Yearly => {
                    if days.months.is_empty() {
                        days.months = vec![date.month().unsigned_abs()];
                    }
                    days.month_days = vec![i32::from(date.day())];
                }
                Frequency::Monthly => days.month_days = vec![i32::from(date.day())],
                Frequency::Weekly => days.weekdays = vec![weekday(start)],
                _ => {}
            }
        }
        Some(days)
    }

    /// Whether the rule means this day. `year` is that of the period, which the first days of the next one may belong to.
    fn has(&self, day: i32, year: &Year) -> bool {
        let Some(date) = date_of(day) else { return false };
        let month_day = i32::from(date.day());
        let from_end = month_day - i32::from(date.days_in_month()) - 1;
        (self.months.is_empty() || self.months.contains(&date.month().unsigned_abs()))
            && (self.rule.weeks.is_empty() || year.weeks.as_ref().is_some_and(|weeks| weeks.has(day - year.first)))
            && (self.weekdays.is_empty() || self.weekdays.contains(&weekday(day)))
            && (self.nth_weekdays.is_empty() || self.is_nth(day, date, year))
            && (self.month_days.is_empty() || self.month_days.iter().any(|wanted| *wanted == month_day || *wanted == from_end))
    }

    /// Whether this is the nth of its weekday in its month, or in the year.
    fn is_nth(&self, day: i32, date: jiff::civil::Date, year: &Year) -> bool {
        let in_month = self.rule.frequency == Frequency::Monthly || !self.rule.months.is_empty();
        let (first, length) = match in_month {
            true => (day - i32::from(date.day()) + 1, i32::from(date.days_in_month())),
            false => (year.first, year.length),
        };
        let from_start = (day - first) / 7 + 1;
        let from_end = -((first + length - 1 - day) / 7 + 1);
        self.nth_weekdays.iter().any(|(wanted, nth)| *wanted == weekday(day) && (*nth == from_start || *nth == from_end))
    }
}

struct Year {
    number: i16,
    /// Its first day.
    first: i32,
    length: i32,
    weeks: Option<WeekNumbers>,
}

impl Year {
    fn new(number: i16, rule: &Rule) -> Option<Year> {
        let date = jiff::civil::Date::new(number, 1, 1).ok()?;
        let first = Day::of(date).number()?;
        let weeks = (!rule.weeks.is_empty()).then(|| WeekNumbers::new(number, weekday(first), &rule.weeks));
        Some(Year { number, first, length: i32::from(date.days_in_year()), weeks })
    }
}

pub(super) fn weekday(day: i32) -> u8 {
    // The first of January 1970 was a Thursday.
    (day + 3).rem_euclid(7) as u8
}

/// The first day later than `after` on which a rule that begins at midnight of `start` happens.
pub(super) fn next_after(rule: &Rule, start: i32, after: Minute) -> Option<i32> {
    let days = Days::new(rule, start)?;
    let begin = Minute::from(start) * DAY;
    let until = rule.until.map(|day| Minute::from(day) * DAY);
    let mut left = rule.count;
    let mut walk = Walk::new(rule, start)?;
    for _ in 0..PERIODS {
        let (first, end) = walk.period()?;
        let mut last_was_out = false;
        for day in first..end {
            last_was_out = !days.has(day, &walk.year);
            if last_was_out {
                continue;
            }
            for minute in walk.minutes() {
                let moment = Minute::from(day) * DAY + minute;
                if until.is_some_and(|until| moment > until) {
                    return None;
                }
                if moment < begin {
                    continue;
                }
                if moment > after {
                    return i32::try_from(moment.div_euclid(DAY)).ok().filter(|day| date_of(*day).is_some());
                }
                if let Some(left) = &mut left {
                    *left -= 1;
                    if *left == 0 {
                        return None;
                    }
                }
            }
        }
        walk.go_on(last_was_out)?;
    }
    None
}

/// Where the expansion is.
struct Walk<'a> {
    rule: &'a Rule,
    year: Year,
    day: i32,
    /// Minutes of the day; only rules by the hour or minute move it.
    minute: Minute,
}

impl<'a> Walk<'a> {
    fn new(rule: &'a Rule, start: i32) -> Option<Walk<'a>> {
        Some(Walk { rule, year: Year::new(date_of(start)?.year(), rule)?, day: start, minute: 0 })
    }

    /// First day, and the day after the last.
    fn period(&self) -> Option<(i32, i32)> {
        Some(match self.rule.frequency {
            Frequency::Yearly => (self.year.first, self.year.first + self.year.length),
            Frequency::Monthly => {
                let date = date_of(self.day)?;
                let first = self.day - i32::from(date.day()) + 1;
                (first, first + i32::from(date.days_in_month()))
            }
            Frequency::Weekly => (self.day, self.day + 7 - i32::from(weekday(self.day))),
            _ => (self.day, self.day + 1),
        })
    }

    fn minutes(&self) -> Vec<Minute> {
        match self.rule.frequency {
            Frequency::Hourly | Frequency::Minutely => vec![self.minute],
            _ if self.rule.hours.is_empty() => vec![0],
            _ => self.rule.hours.iter().map(|hour| hour * 60).collect(),
        }
    }

    /// To the next period; none at the end of the calendar.
    fn go_on(&mut self, last_was_out: bool) -> Option<()> {
        let interval = self.rule.interval;
        let day = match self.rule.frequency {
            Frequency::Yearly => {
                let year = i16::try_from(i64::from(self.year.number) + interval).ok()?;
                Day::of(jiff::civil::Date::new(year, 1, 1).ok()?).number()?
            }
            Frequency::Monthly => {
                let date = date_of(self.day)?;
                let months = i64::from(date.year()) * 12 + i64::from(date.month()) - 1 + interval;
                let year = i16::try_from(months.div_euclid(12)).ok()?;
                Day::of(jiff::civil::Date::new(year, months.rem_euclid(12) as i8 + 1, 1).ok()?).number()?
            }
            Frequency::Weekly => i32::try_from(i64::from(self.day) - i64::from(weekday(self.day)) + interval * 7).ok()?,
            Frequency::Daily => i32::try_from(i64::from(self.day) + interval).ok()?,
            Frequency::Hourly => self.step(interval * 60, last_was_out)?,
            Frequency::Minutely => self.step(interval, last_was_out)?,
        };
        self.day = day;
        let year = date_of(day)?.year();
        if year != self.year.number {
            self.year = Year::new(year, self.rule)?;
        }
        Some(())
    }

    /// By minutes. From a day that the rule does not mean, over all its other times at once.
    fn step(&mut self, minutes: Minute, last_was_out: bool) -> Option<i32> {
        let last = if minutes % 60 == 0 && self.rule.frequency == Frequency::Hourly { DAY - 60 } else { DAY - 1 };
        let skipped = if last_was_out { (last - self.minute).div_euclid(minutes) * minutes } else { 0 };
        let total = self.minute + skipped + minutes;
        self.minute = total.rem_euclid(DAY);
        i32::try_from(i64::from(self.day) + total.div_euclid(DAY)).ok()
    }
}
