//! Writes a moment in a format.

use std::fmt::Write;

use jiff::Zoned;

use super::fields::{Field, Length, Unit};
use super::locale::{Half, Locale, Meridiem};
use super::tokens::{Token, tokens};
use super::weeks::ISO;

/// What moment takes for an empty format.
const DEFAULT: &str = "YYYY-MM-DDTHH:mm:ssZ";

/// A format that was taken apart once, to write and read many dates.
#[derive(Debug)]
pub struct Format {
    pub(crate) tokens: Vec<Token>,
    pub(crate) locale: &'static Locale,
    months: &'static [&'static str; 12],
    short_months: &'static [&'static str; 12],
    weekdays: &'static [&'static str; 7],
}

impl Format {
    pub fn new(format: &str, locale: &'static Locale) -> Format {
        let (expanded, tokens) = tokens(if format.is_empty() { DEFAULT } else { format }, locale);
        let weekdays = match &locale.bent_weekdays {
            Some(bent) if Locale::weekday_bends(&expanded) => bent,
            _ => &locale.weekdays,
        };
        let (months, short_months) = (locale.months.for_format(&expanded), locale.short_months.for_format(&expanded));
        Format { tokens, locale, months, short_months, weekdays }
    }

    /// Whether weeks are those of ISO 8601, from Monday, rather than those of the language.
    pub fn counts_iso_weeks(&self) -> bool {
        self.has(|field| {
            use Unit::{IsoWeek, IsoWeekYear, IsoWeekday};
            matches!(
                field,
                Field::Number(IsoWeek | IsoWeekYear | IsoWeekday, _) | Field::TwoDigits(IsoWeekYear) | Field::Ordinal(IsoWeek)
            )
        })
    }

    pub fn has_year(&self) -> bool {
        self.has(|field| {
            use Unit::{EraYear, IsoWeekYear, WeekYear, Year};
            matches!(
                field,
                Field::Number(Year | WeekYear | IsoWeekYear | EraYear, _)
                    | Field::TwoDigits(_)
                    | Field::AnyYear
                    | Field::SignedYear
                    | Field::UnixSeconds
                    | Field::UnixMilliseconds
            )
        })
    }

    fn has(&self, wanted: impl Fn(Field) -> bool) -> bool {
        self.tokens.iter().filter_map(|token| token.field).any(wanted)
    }

    pub fn write(&self, at: &Zoned) -> String {
        let mut text = String::new();
        for token in &self.tokens {
            match token.field {
                Some(field) => self.write_field(&mut text, field, at),
                None => text.push_str(&token.text()),
            }
        }
        text
    }

    fn write_field(&self, text: &mut String, field: Field, at: &Zoned) {
        match field {
            Field::Number(unit, width) => fill(text, self.number(unit, at), width),
            Field::TwoDigits(unit) => fill(text, self.number(unit, at) % 100, 2),
            Field::AnyYear => fill(text, i64::from(at.year()), 4),
            Field::SignedYear => {
                if at.year() >= 0 {
                    text.push('+');
                }
                fill(text, i64::from(at.year()), 6);
            }
            Field::Ordinal(unit) => text.push_str(&(self.locale.ordinal)(self.number(unit, at), unit)),
            Field::MonthName(length) => {
                let names = if length == Length::Long { self.months } else { self.short_months };
                text.push_str(names[at.month() as usize - 1]);
            }
            Field::WeekdayName(length) => {
                let names = match length {
                    Length::Narrow => &self.locale.narrow_weekdays,
                    Length::Short => &self.locale.short_weekdays,
                    Length::Long => self.weekdays,
                };
                text.push_str(names[at.weekday().to_sunday_zero_offset() as usize]);
            }
            Field::Era(length) => {
                let era = self.locale.eras.iter().find(|era| era.has(at.date()));
                text.push_str(era.map_or("", |era| match length {
                    Length::Narrow => era.narrow,
                    Length::Short => era.short,
                    Length::Long => era.name,
                }));
            }
            Field::Clock { half, seconds } => {
                fill(text, self.number(if half { Unit::HourOfHalf } else { Unit::Hour }, at), 1);
                fill(text, i64::from(at.minute()), 2);
                if seconds {
                    fill(text, i64::from(at.second()), 2);
                }
            }
            Field::Meridiem { lower } => text.push_str(self.locale.meridiem.of(at.hour().into(), at.minute().into(), lower)),
            Field::Fraction(digits) => {
                let milliseconds = i64::from(at.millisecond());
                match digits {
                    1 => fill(text, milliseconds / 100, 1),
                    2 => fill(text, milliseconds / 10, 2),
                    _ => fill(text, milliseconds * 10_i64.pow(digits as u32 - 3), digits),
                }
            }
            Field::Offset { colon } => {
                let minutes = (i64::from(at.offset().seconds()) + 30).div_euclid(60);
                text.push(if minutes < 0 { '-' } else { '+' });
                fill(text, minutes.abs() / 60, 2);
                if colon {
                    text.push(':');
                }
                fill(text, minutes.abs() % 60, 2);
            }
            Field::UnixSeconds => fill(text, milliseconds(at).div_euclid(1000), 1),
            Field::UnixMilliseconds => fill(text, milliseconds(at), 1),
            Field::ZoneName => {}
        }
    }

    fn number(&self, unit: Unit, at: &Zoned) -> i64 {
        let weekday = i64::from(at.weekday().to_sunday_zero_offset());
        match unit {
            Unit::Year => at.year().into(),
            Unit::WeekYear => self.locale.weeks.week_of(at.date()).0,
            Unit::IsoWeekYear => ISO.week_of(at.date()).0,
            Unit::EraYear => {
                let year = i64::from(at.year());
                self.locale.eras.iter().find(|era| era.has(at.date())).map_or(year, |era| era.year_of(year))
            }
            Unit::Quarter => (i64::from(at.month()) + 2) / 3,
            Unit::Month => at.month().into(),
            Unit::Day => at.day().into(),
            Unit::DayOfYear => at.day_of_year().into(),
            Unit::Weekday => weekday,
            Unit::LocalWeekday => (weekday + 7 - self.locale.weeks.start) % 7,
            Unit::IsoWeekday => at.weekday().to_monday_one_offset().into(),
            Unit::Week => self.locale.weeks.week_of(at.date()).1,
            Unit::IsoWeek => ISO.week_of(at.date()).1,
            Unit::Hour => at.hour().into(),
            Unit::HourOfHalf => (i64::from(at.hour()) + 11) % 12 + 1,
            Unit::HourFromOne => (i64::from(at.hour()) + 23) % 24 + 1,
            Unit::Minute => at.minute().into(),
            Unit::Second => at.second().into(),
        }
    }
}

impl Meridiem {
    fn of(&self, hour: i64, minute: i64, lower: bool) -> &'static str {
        match self {
            Meridiem::Latin => match (hour > 11, lower) {
                (false, true) => "am",
                (false, false) => "AM",
                (true, true) => "pm",
                (true, false) => "PM",
            },
            Meridiem::Words { of, .. } => of(hour, minute),
        }
    }
}

impl Half {
    /// The hour of the day, given the number that was read beside the word; `None` if there must be one.
    pub(crate) fn hour(self, hour: Option<i64>) -> Result<Option<i64>, ()> {
        let zero_for_twelve = hour.map(|hour| if hour == 12 { 0 } else { hour });
        match self {
            Half::Before => Ok(zero_for_twelve),
            Half::After => Ok(hour.map(|hour| if hour < 12 { hour + 12 } else { hour })),
            Half::StrictBefore => Ok(zero_for_twelve),
            Half::StrictAfter => zero_for_twelve.map(|hour| Some(hour + 12)).ok_or(()),
            Half::Noon => zero_for_twelve.map(|hour| Some(if hour >= 11 { hour } else { hour + 12 })).ok_or(()),
        }
    }
}

fn milliseconds(at: &Zoned) -> i64 {
    at.timestamp().as_nanosecond().div_euclid(1_000_000) as i64
}

fn fill(text: &mut String, number: i64, width: usize) {
    let sign = if number < 0 { "-" } else { "" };
    // Writing to a string cannot fail.
    let _ = write!(text, "{sign}{:0width$}", number.unsigned_abs());
}
