//! Reads a date that fits a format from its first to its last character.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan, Zoned};

use super::eras::Era;
use super::fields::{Field, Length, Unit};
use super::format::Format;
use super::locale::{Half, Locale, Meridiem, MonthReading};
use super::names;
use super::weeks::{ISO, days_in_year};

/// What was read, as long as it has not been put together.
#[derive(Default)]
struct Parts {
    year: Option<i64>,
    /// From 0.
    month: Option<i64>,
    day: Option<i64>,
    hour: Option<i64>,
    minute: Option<i64>,
    second: Option<i64>,
    millisecond: Option<i64>,
    day_of_year: Option<i64>,
    weeks: Weeks,
    half: Option<Half>,
    /// An hour of 1 to 12 was read.
    half_hour: bool,
    era: Option<&'static Era>,
    offset_minutes: Option<i64>,
    timestamp: Option<Timestamp>,
    /// Whether any field was read at all.
    any: bool,
}

#[derive(Default)]
struct Weeks {
    any: bool,
    year: Option<i64>,
    iso_year: Option<i64>,
    week: Option<i64>,
    iso_week: Option<i64>,
    weekday: Option<i64>,
    local_weekday: Option<i64>,
    iso_weekday: Option<i64>,
}

impl Format {
    /// Reads text that fits the format whole; `now` gives the parts that the format does not have, and the zone.
    pub fn parse_strict(&self, text: &str, now: &Zoned) -> Option<Zoned> {
        self.parts(text)?.together(self.locale, now)
    }

    /// The same of a week: where the format has a month and a day besides the week, they are read and not used.
    pub fn parse_strict_week(&self, text: &str, now: &Zoned) -> Option<Zoned> {
        let mut parts = self.parts(text)?;
        if parts.weeks.any {
            (parts.month, parts.day) = (None, None);
        }
        parts.together(self.locale, now)
    }

    fn parts(&self, text: &str) -> Option<Parts> {
        let mut parts = Parts::default();
        let mut rest = text;
        for token in &self.tokens {
            let length = match token.field {
                Some(field) => {
                    parts.any = true;
                    match parts.read(field, rest, self.locale)? {
                        Read::Taken(length) => length,
                        Read::AsWritten => literal(rest, &token.written)?,
                    }
                }
                // Not a field when a date is written, but moment takes a number for it here.
                None if matches!(token.written.as_str(), "g" | "G") => signed(rest, 1, usize::MAX)?,
                None => literal(rest, &token.text_to_read())?,
            };
            rest = &rest[length..];
        }
        (rest.is_empty() && parts.any).then_some(parts)
    }
}

enum Read {
    Taken(usize),
    /// The field cannot be read: its letters must be there as they are.
    AsWritten,
}

impl Parts {
    fn read(&mut self, field: Field, text: &str, locale: &'static Locale) -> Option<Read> {
        let length = match field {
            Field::Number(unit, width) => return self.read_number(unit, width, text),
            Field::TwoDigits(unit) => {
                let length = digits(text, 2, 2)?;
                let number = number(&text[..length]);
                let year = number + if number > 68 { 1900 } else { 2000 };
                match unit {
                    Unit::WeekYear => *self.weeks.set(|weeks| &mut weeks.year) = Some(year),
                    Unit::IsoWeekYear => *self.weeks.set(|weeks| &mut weeks.iso_year) = Some(year),
                    _ => self.year = Some(year),
                }
                length
            }
            Field::AnyYear => {
                let length = signed(text, 1, usize::MAX)?;
                self.year = Some(number(&text[..length]));
                length
            }
            Field::SignedYear => {
                let length = signed(text, 6, 6)?;
                self.year = Some(number(&text[..length]));
                length
            }
            Field::Ordinal(Unit::Day) => {
                let (day, length) = ordinal_day(text, locale)?;
                self.day = Some(day);
                length
            }
            Field::Ordinal(Unit::EraYear) => {
                let (year, length) = era_year(text, locale)?;
                self.year = Some(year);
                length
            }
            Field::Ordinal(_) | Field::ZoneName => return Some(Read::AsWritten),
            Field::MonthName(length) => {
                let (month, length) = month(text, length, locale)?;
                self.month = Some(month as i64);
                length
            }
            Field::WeekdayName(length) => {
                let (weekday, length) = weekday(text, length, locale)?;
                *self.weeks.set(|weeks| &mut weeks.weekday) = Some(weekday as i64);
                length
            }
            Field::Era(length) => {
                let name = |era: &Era| match length {
                    Length::Narrow => era.narrow,
                    Length::Short => era.short,
                    Length::Long => era.name,
                };
                let (era, length) = locale.eras.iter().find_map(|era| Some((era, names::starts_with(text, name(era))?)))?;
                self.era = Some(era);
                length
            }
            Field::Clock { half, seconds } => {
                let length = if seconds { digits(text, 5, 6)? } else { digits(text, 3, 4)? };
                let (clock, second) = if seconds { text[..length].split_at(length - 2) } else { (&text[..length], "") };
                let (hour, minute) = clock.split_at(clock.len() - 2);
                (self.hour, self.minute) = (Some(number(hour)), Some(number(minute)));
                if seconds {
                    self.second = Some(number(second));
                }
                self.half_hour |= half;
                length
            }
            Field::Meridiem { .. } => {
                let (half, length) = locale.meridiem.read(text)?;
                self.half = Some(half);
                length
            }
            Field::Fraction(width) => {
                let length = if width > 3 { digits(text, 1, usize::MAX)? } else { digits(text, width, width)? };
                let fraction: f64 = format!("0.{}", &text[..length]).parse().ok()?;
                self.millisecond = Some((fraction * 1000.0) as i64);
                length
            }
            Field::Offset { .. } => {
                let (minutes, length) = offset(text)?;
                self.offset_minutes = Some(minutes);
                length
            }
            Field::UnixSeconds => {
                let whole = signed(text, 1, usize::MAX)?;
                let fraction =
                    text[whole..].strip_prefix('.').and_then(|fraction| digits(fraction, 1, 3)).map_or(0, |length| length + 1);
                let seconds: f64 = text[..whole + fraction].parse().ok()?;
                self.timestamp = Some(Timestamp::from_millisecond((seconds * 1000.0) as i64).ok()?);
                whole + fraction
            }
            Field::UnixMilliseconds => {
                let length = signed(text, 1, usize::MAX)?;
                self.timestamp = Some(Timestamp::from_millisecond(number(&text[..length])).ok()?);
                length
            }
        };
        Some(Read::Taken(length))
    }

    fn read_number(&mut self, unit: Unit, width: usize, text: &str) -> Option<Read> {
        let length = match (unit, width) {
            (Unit::Year | Unit::WeekYear | Unit::IsoWeekYear, 5) => signed(text, 6, 6)?,
            (Unit::Year | Unit::WeekYear | Unit::IsoWeekYear, _) => digits(text, 4, 4)?,
            (Unit::EraYear, _) => digits(text, 1, usize::MAX)?,
            (Unit::Quarter, _) => digits(text, 1, 1)?,
            (Unit::DayOfYear, 1) => digits(text, 1, 3)?,
            (_, 1) => digits(text, 1, 2)?,
            (_, width) => digits(text, width, width)?,
        };
        let number = number(&text[..length]);
        match unit {
            Unit::Year | Unit::EraYear => self.year = Some(number),
            Unit::Quarter => self.month = Some((number - 1) * 3),
            Unit::Month => self.month = Some(number - 1),
            Unit::Day => self.day = Some(number),
            Unit::DayOfYear => self.day_of_year = Some(number),
            Unit::WeekYear => *self.weeks.set(|weeks| &mut weeks.year) = Some(number),
            Unit::IsoWeekYear => *self.weeks.set(|weeks| &mut weeks.iso_year) = Some(number),
            Unit::Week => *self.weeks.set(|weeks| &mut weeks.week) = Some(number),
            Unit::IsoWeek => *self.weeks.set(|weeks| &mut weeks.iso_week) = Some(number),
            Unit::Weekday => *self.weeks.set(|weeks| &mut weeks.weekday) = Some(number),
            Unit::LocalWeekday => *self.weeks.set(|weeks| &mut weeks.local_weekday) = Some(number),
            Unit::IsoWeekday => *self.weeks.set(|weeks| &mut weeks.iso_weekday) = Some(number),
            Unit::Hour => self.hour = Some(number),
            Unit::HourFromOne => self.hour = Some(if number == 24 { 0 } else { number }),
            Unit::HourOfHalf => {
                self.hour = Some(number);
                self.half_hour = true;
            }
            Unit::Minute => self.minute = Some(number),
            Unit::Second => self.second = Some(number),
        }
        Some(Read::Taken(length))
    }

    fn together(mut self, locale: &Locale, now: &Zoned) -> Option<Zoned> {
        if self.half_hour && !self.hour.is_some_and(|hour| (1..=12).contains(&hour)) {
            return None;
        }
        if let Some(half) = self.half {
            let clock = [self.year, self.month, self.day, self.hour, self.minute, self.second, self.millisecond];
            if clock.iter().all(Option::is_none) {
                return None;
            }
            self.hour = half.hour(self.hour).ok()?;
        }
        if let Some(era) = self.era {
            self.year = Some(era.to_year(self.year));
        }
        if let Some(timestamp) = self.timestamp {
            self.check_ranges()?;
            self.check_day()?;
            return Some(timestamp.to_zoned(now.time_zone().clone()));
        }
        // With an offset in the text the day of today is that of Greenwich.
        let today = if self.offset_minutes.is_some() { now.with_time_zone(TimeZone::UTC).date() } else { now.date() };
        if self.weeks.any && self.day.is_none() && self.month.is_none() {
            self.day_of_weeks(locale, now.date())?;
        }
        if let Some(day_of_year) = self.day_of_year {
            let year = self.year.unwrap_or_else(|| today.year().into());
            if day_of_year < 1 || day_of_year > days_in_year(year) {
                return None;
            }
            let date = date(year, 0, 1)?.checked_add((day_of_year - 1).days()).ok()?;
            (self.month, self.day) = (Some(i64::from(date.month()) - 1), Some(date.day().into()));
        }
        let date = self.date(today)?;
        let weekday = i64::from(date.weekday().to_sunday_zero_offset());
        if self.weeks.weekday.is_some_and(|wanted| wanted != weekday) {
            return None;
        }
        self.moment(date, now.time_zone())
    }

    /// What is missing before the first part that was read is today's, what is missing after it the least.
    fn date(&self, today: Date) -> Option<Date> {
        let year = self.year.unwrap_or_else(|| today.year().into());
        let nothing_larger = self.year.is_none();
        let month = self.month.unwrap_or(if nothing_larger { i64::from(today.month()) - 1 } else { 0 });
        let nothing_larger = nothing_larger && self.month.is_none();
        let day = self.day.unwrap_or(if nothing_larger { today.day().into() } else { 1 });
        date(year, month, day)
    }

    fn moment(&self, date: Date, zone: &TimeZone) -> Option<Zoned> {
        self.check_ranges()?;
        let hour = self.hour.unwrap_or(0);
        let (minute, second, millisecond) = (self.minute.unwrap_or(0), self.second.unwrap_or(0), self.millisecond.unwrap_or(0));
        let next_day = hour == 24;
        let hour = if next_day { 0 } else { hour };
        let at = date.at(hour as i8, minute as i8, second as i8, millisecond as i32 * 1_000_000);
        let at = match self.offset_minutes {
            Some(minutes) => {
                let utc = TimeZone::UTC.to_timestamp(at).ok()?;
                utc.checked_sub(SignedDuration::from_mins(minutes)).ok()?.to_zoned(zone.clone())
            }
            None => local(at, zone)?,
        };
        if next_day { at.checked_add(1.day()).ok() } else { Some(at) }
    }

    fn check_ranges(&self) -> Option<()> {
        let within = |part: Option<i64>, most: i64| part.is_none_or(|part| (0..=most).contains(&part));
        let midnight = [self.minute, self.second, self.millisecond].iter().all(|part| part.unwrap_or(0) == 0);
        let fits = within(self.month, 11)
            && within(self.hour, 24)
            && (self.hour != Some(24) || midnight)
            && within(self.minute, 59)
            && within(self.second, 59)
            && within(self.millisecond, 999);
        fits.then_some(())
    }

    /// A day that is not used must be one all the same.
    fn check_day(&self) -> Option<()> {
        match (self.year, self.month, self.day) {
            // The calendar is the same every 400 years, and the year may be one that no date has.
            (Some(year), Some(month), Some(day)) => date(2000 + year.rem_euclid(400), month, day).map(drop),
            (_, _, Some(day)) => (day >= 1).then_some(()),
            _ => Some(()),
        }
    }

    fn day_of_weeks(&mut self, locale: &Locale, today: Date) -> Option<()> {
        let weeks = &self.weeks;
        let iso = weeks.iso_year.is_some() || weeks.iso_week.is_some() || weeks.iso_weekday.is_some();
        let rule = if iso { ISO } else { locale.weeks };
        let (current_year, current_week) = rule.week_of(today);
        let (year, week, weekday) = if iso {
            let weekday = weeks.iso_weekday.unwrap_or(1);
            (weeks.iso_year, weeks.iso_week.unwrap_or(1), (1..=7).contains(&weekday).then_some(weekday)?)
        } else {
            let weekday = match (weeks.weekday, weeks.local_weekday) {
                (Some(weekday), _) => (0..=6).contains(&weekday).then_some(weekday)?,
                (None, Some(local)) => (0..=6).contains(&local).then_some(local + rule.start)?,
                (None, None) => rule.start,
            };
            (weeks.year, weeks.week.unwrap_or(current_week), weekday)
        };
        let year = year.or(self.year).unwrap_or(current_year);
        if week < 1 || week > rule.weeks_in(year) {
            return None;
        }
        let (year, day) = rule.day_of_year(year, week, weekday);
        (self.year, self.day_of_year) = (Some(year), Some(day));
        Some(())
    }
}

impl Weeks {
    fn set(&mut self, part: impl FnOnce(&mut Weeks) -> &mut Option<i64>) -> &mut Option<i64> {
        self.any = true;
        part(self)
    }
}

impl Meridiem {
    fn read(&self, text: &str) -> Option<(Half, usize)> {
        match self {
            Meridiem::Latin => {
                let half = match text.chars().next()? {
                    'a' | 'A' => Half::Before,
                    'p' | 'P' => Half::After,
                    _ => return None,
                };
                let rest = &text[1..];
                let rest = rest.strip_prefix('.').unwrap_or(rest);
                let rest = rest.strip_prefix(['m', 'M']).unwrap_or(rest);
                let rest = rest.strip_prefix('.').unwrap_or(rest);
                Some((half, text.len() - rest.len()))
            }
            Meridiem::Words { words, any_case, .. } => words.iter().find_map(|(word, half)| {
                if text.starts_with(word) {
                    return Some((*half, word.len()));
                }
                // Found in any case, but after noon only as it is written in the table.
                let length = any_case.then(|| names::starts_with(text, word)).flatten()?;
                Some((Half::Before, length))
            }),
        }
    }
}

fn month(text: &str, length: Length, locale: &Locale) -> Option<(usize, usize)> {
    let names = if length == Length::Long { &locale.months.names } else { &locale.short_months.names };
    match &locale.month_reading {
        MonthReading::Word => {
            let word = names::word(text)?;
            let month = names.iter().position(|name| names::same(word, &name.replacen('.', "", 1)))?;
            Some((month, word.len()))
        }
        MonthReading::WordBeginning(beginnings) => {
            let word = names::word(text)?;
            let month = beginnings.iter().position(|beginning| names::starts_with(word, beginning).is_some())?;
            Some((month, word.len()))
        }
        MonthReading::Spelling { long, short } => names::longest(text, if length == Length::Long { long } else { short }),
    }
}

fn weekday(text: &str, length: Length, locale: &Locale) -> Option<(usize, usize)> {
    let names = match length {
        Length::Narrow => &locale.narrow_weekdays,
        Length::Short => &locale.short_weekdays,
        Length::Long => &locale.weekdays,
    };
    if locale.weekdays_exact {
        return names::longest(text, names);
    }
    let word = names::word(text)?;
    Some((names.iter().position(|name| names::same(word, name))?, word.len()))
}

fn ordinal_day(text: &str, locale: &Locale) -> Option<(i64, usize)> {
    for length in [2, 1] {
        if digits(text, length, length).is_some()
            && let Some(ending) = locale.day_endings.iter().find(|ending| text[length..].starts_with(**ending))
        {
            return Some((number(&text[..length]), length + ending.len()));
        }
    }
    None
}

fn era_year(text: &str, locale: &Locale) -> Option<(i64, usize)> {
    let Some((first, ending)) = locale.era_year_ending else {
        let length = digits(text, 1, usize::MAX)?;
        return Some((number(&text[..length]), length));
    };
    let (year, length) = match text.starts_with(first) {
        true => (1, first.len()),
        false => {
            let length = digits(text, 1, usize::MAX)?;
            (number(&text[..length]), length)
        }
    };
    text[length..].starts_with(ending).then_some((year, length + ending.len()))
}

fn offset(text: &str) -> Option<(i64, usize)> {
    let sign = match text.chars().next()? {
        'Z' | 'z' => return Some((0, 1)),
        '+' => 1,
        '-' => -1,
        _ => return None,
    };
    digits(&text[1..], 2, 2)?;
    let colon = usize::from(text[3..].starts_with(':'));
    let minutes = digits(&text[3 + colon..], 2, 2).map(|_| number(&text[3 + colon..5 + colon]));
    let hours = number(&text[1..3]);
    Some((sign * (hours * 60 + minutes.unwrap_or(0)), if minutes.is_some() { 5 + colon } else { 3 }))
}

/// Nothing is never found: a format with an empty literal fits no text.
fn literal(text: &str, wanted: &str) -> Option<usize> {
    (!wanted.is_empty() && text.starts_with(wanted)).then_some(wanted.len())
}

/// How many digits the text begins with, as many as may be.
fn digits(text: &str, least: usize, most: usize) -> Option<usize> {
    let count = text.bytes().take(most).take_while(u8::is_ascii_digit).count();
    (count >= least).then_some(count)
}

fn signed(text: &str, least: usize, most: usize) -> Option<usize> {
    let sign = usize::from(text.starts_with(['+', '-']));
    digits(&text[sign..], least, most).map(|digits| sign + digits)
}

/// Of text that is digits, with a sign or without; what is too large is larger than all that dates have.
fn number(text: &str) -> i64 {
    text.parse().unwrap_or(if text.starts_with('-') { -1_000_000_000_000 } else { 1_000_000_000_000 })
}

/// The month from 0.
fn date(year: i64, month: i64, day: i64) -> Option<Date> {
    Date::new(year.try_into().ok()?, i8::try_from(month).ok()?.checked_add(1)?, day.try_into().ok()?).ok()
}

/// As a clock there shows it; in the hour that the clock skips, an hour later.
fn local(at: DateTime, zone: &TimeZone) -> Option<Zoned> {
    zone.to_ambiguous_zoned(at).compatible().ok()
}
