//! What a language adds to formats: names, the first day of the week, ordinals, long formats and relative time.

use super::eras::{Era, WESTERN};
use super::fields::Unit;
use super::locales;
use super::tokens::tokens;
use super::weeks::WeekRule;

/// The rules of one language; see [`Locale::find`].
#[derive(Debug)]
pub struct Locale {
    pub(crate) name: &'static str,
    pub(crate) months: Months,
    pub(crate) short_months: Months,
    pub(crate) month_reading: MonthReading,
    /// From Sunday.
    pub(crate) weekdays: [&'static str; 7],
    /// Of a day somewhere "on" it, where the language bends the name; chosen by [`Locale::weekday_bends`].
    pub(crate) bent_weekdays: Option<[&'static str; 7]>,
    pub(crate) short_weekdays: [&'static str; 7],
    pub(crate) narrow_weekdays: [&'static str; 7],
    /// Whether a weekday is one of the names, and not a whole word that is one.
    pub(crate) weekdays_exact: bool,
    pub(crate) weeks: WeekRule,
    pub(crate) long_formats: LongFormats,
    pub(crate) ordinal: fn(i64, Unit) -> String,
    /// What may follow the number of `Do` in a text; the empty one last.
    pub(crate) day_endings: &'static [&'static str],
    pub(crate) meridiem: Meridiem,
    pub(crate) eras: &'static [Era],
    /// Whether the first year of an era has a word of its own, and every year an ending.
    pub(crate) era_year_ending: Option<(&'static str, &'static str)>,
    pub(crate) relative: Relative,
}

/// Names of months.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Months {
    pub names: [&'static str; 12],
    /// Other names that are used when the whole format asks for them.
    pub other: Option<(MonthCase, [&'static str; 12])>,
}

/// When a format asks for the other names of months.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MonthCase {
    /// A day of the month stands before the month, with blanks or literals between them.
    AfterDay,
    /// `D MMMM` as it stands.
    AfterDayAndBlank,
    /// `-MMM-` as it stands.
    BetweenHyphens,
}

/// How names of months are found in a text.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MonthReading {
    /// A whole word that is the name, a dot left out.
    Word,
    /// A whole word that begins so.
    WordBeginning([&'static str; 12]),
    /// The longest spelling that the text begins with; spellings of a month are separated by `|`.
    Spelling { long: [&'static str; 12], short: [&'static str; 12] },
}

#[derive(Debug)]
pub(crate) struct LongFormats {
    pub time: &'static str,
    pub time_with_seconds: &'static str,
    /// `L`, `LL`, `LLL`, `LLLL`.
    pub dates: [&'static str; 4],
    /// `l`, `ll`, `lll`, `llll` where they are not the ones above made shorter.
    pub short_dates: [Option<&'static str>; 4],
}

/// The halves of the day.
#[derive(Debug)]
pub(crate) enum Meridiem {
    /// `am` and `pm`; read with dots and without the `m` too.
    Latin,
    /// A word for every part of the day.
    Words {
        of: fn(hour: i64, minute: i64) -> &'static str,
        /// Each with whether it is after noon.
        words: &'static [(&'static str, Half)],
        /// Whether the words may be in any case.
        any_case: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Half {
    Before,
    After,
    /// Chinese: twelve is taken off first, and always added again.
    StrictBefore,
    StrictAfter,
    /// Chinese noon: 11 and 12 are as they are, smaller hours are after noon.
    Noon,
}

#[derive(Debug)]
pub(crate) struct Relative {
    pub future: &'static str,
    pub past: &'static str,
    /// A few seconds, a minute, minutes, an hour, hours, a day, days, a month, months, a year, years; `#` is the number. Forms that depend on
    /// the number are separated by `|`.
    pub words: [&'static str; 11],
    /// Which of the forms a number takes.
    pub form: fn(i64) -> usize,
}

impl Locale {
    /// By the name that moment and the app have for it: `en`, `pt-br`, `zh-cn`. Case and `_` do not matter; a region without rules of its own
    /// has those of its language.
    pub fn find(name: &str) -> Option<&'static Locale> {
        let name = name.to_lowercase().replace('_', "-");
        // What the app calls a language, where moment does not.
        let name = match name.as_str() {
            "zh" => "zh-cn",
            "pt" => "pt-br",
            name => name,
        };
        let exactly = |wanted: &str| locales::ALL.iter().copied().find(|locale| locale.name == wanted);
        exactly(name).or_else(|| exactly(name.split('-').next()?))
    }

    pub fn english() -> &'static Locale {
        &locales::EN
    }

    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The names of all languages.
    pub fn all() -> impl Iterator<Item = &'static Locale> {
        locales::ALL.iter().copied()
    }

    /// The first day of a week; Sunday is 0.
    pub fn first_weekday(&self) -> i8 {
        self.weeks.start as i8
    }

    pub(crate) fn long_format(&self, name: &str) -> Option<String> {
        let formats = &self.long_formats;
        let place = name.len().wrapping_sub(1);
        match name {
            "LT" => Some(formats.time.to_owned()),
            "LTS" => Some(formats.time_with_seconds.to_owned()),
            "L" | "LL" | "LLL" | "LLLL" => Some(formats.dates[place].to_owned()),
            "l" | "ll" | "lll" | "llll" => Some(match formats.short_dates[place] {
                Some(short) => short.to_owned(),
                None => self.shortened(formats.dates[place]),
            }),
            _ => None,
        }
    }

    fn shortened(&self, format: &str) -> String {
        let (_, tokens) = tokens(format, self);
        tokens
            .iter()
            .map(|token| match token.written.as_str() {
                long @ ("MMMM" | "MM" | "DD" | "dddd") => &long[1..],
                other => other,
            })
            .collect()
    }

    /// Russian: the accusative after `[В]` and a few more words.
    pub(crate) fn weekday_bends(format: &str) -> bool {
        format.match_indices('[').any(|(open, _)| {
            let mut rest = &format[open + 1..];
            rest = rest.strip_prefix(' ').unwrap_or(rest);
            let Some(after) = rest.strip_prefix(['В', 'в']) else { return false };
            rest = after.strip_prefix(' ').unwrap_or(after);
            rest = ["прошлую", "следующую", "эту"].iter().find_map(|word| rest.strip_prefix(word)).unwrap_or(rest);
            rest = rest.strip_prefix(' ').unwrap_or(rest);
            let Some(after) = rest.strip_prefix(']') else { return false };
            after.strip_prefix(' ').unwrap_or(after).starts_with("dddd")
        })
    }
}

impl Months {
    pub(crate) const fn plain(names: [&'static str; 12]) -> Months {
        Months { names, other: None }
    }

    pub(crate) fn for_format(&self, format: &str) -> &[&'static str; 12] {
        match &self.other {
            Some((case, names)) if case.asked_for_by(format) => names,
            _ => &self.names,
        }
    }
}

impl MonthCase {
    fn asked_for_by(self, format: &str) -> bool {
        match self {
            MonthCase::AfterDayAndBlank => format.contains("D MMMM"),
            MonthCase::BetweenHyphens => format.contains("-MMM-"),
            MonthCase::AfterDay => format.match_indices('D').any(|(at, _)| month_follows(&format[at + 1..])),
        }
    }
}

/// Whether blanks and literals, at least one, and then a month's name follow a `D`.
fn month_follows(rest: &str) -> bool {
    let mut between = rest.strip_prefix(['o', 'D']).unwrap_or(rest);
    let mut any = false;
    loop {
        if any && between.starts_with("MMM") {
            return true;
        }
        if let Some(inside) = between.strip_prefix('[') {
            let Some(end) = inside.find(['[', ']']) else { return false };
            let Some(after) = inside[end..].strip_prefix(']') else { return false };
            between = after;
        } else {
            let Some(after) = between.strip_prefix(char::is_whitespace) else { return false };
            between = after;
        }
        any = true;
    }
}

/// What is the same in most languages, for tables to start from.
pub(crate) const BASE: Locale = Locale {
    name: "",
    months: Months::plain([""; 12]),
    short_months: Months::plain([""; 12]),
    month_reading: MonthReading::Word,
    weekdays: [""; 7],
    bent_weekdays: None,
    short_weekdays: [""; 7],
    narrow_weekdays: [""; 7],
    weekdays_exact: false,
    weeks: WeekRule { start: 1, year_day: 4 },
    long_formats: LongFormats { time: "HH:mm", time_with_seconds: "HH:mm:ss", dates: [""; 4], short_dates: [None; 4] },
    ordinal: |number, _| number.to_string(),
    day_endings: &[""],
    meridiem: Meridiem::Latin,
    eras: WESTERN,
    era_year_ending: None,
    relative: Relative { future: "", past: "", words: [""; 11], form: |_| 0 },
};

/// Weeks that begin on Sunday, the first one with the first of January.
pub(crate) const SUNDAY_WEEKS: WeekRule = WeekRule { start: 0, year_day: 6 };
