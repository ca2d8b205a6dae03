//! Dates as people write them in a query: `2024-05-25`, `next monday`, `14 days ago`, `25th May 2023`, and ranges of them.

use jiff::ToSpan;
use jiff::civil::{Date, ISOWeekDate, Weekday, date};

use crate::tasks::Day;

/// Both ends are in it. Days since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DayRange {
    pub from: i32,
    pub to: i32,
}

impl DayRange {
    /// `this week`, `2024-W10`, `2024-01-01 2024-02-01`, or one day.
    pub fn read(text: &str, today: Date) -> Option<DayRange> {
        let text = text.trim().to_lowercase();
        relative(&text, today).or_else(|| numbered(&text)).or_else(|| {
            let found = find_all(&text, today);
            let from = *found.first()?;
            DayRange::of(from, found.get(1).copied().unwrap_or(from))
        })
    }

    /// One day only.
    pub fn read_day(text: &str, today: Date) -> Option<DayRange> {
        let day = *find_all(&text.to_lowercase(), today).first()?;
        DayRange::of(day, day)
    }

    fn of(one: Date, other: Date) -> Option<DayRange> {
        Some(DayRange { from: Day::of(one.min(other)).number()?, to: Day::of(one.max(other)).number()? })
    }
}

fn relative(text: &str, today: Date) -> Option<DayRange> {
    let words: Vec<&str> = text.split(' ').collect();
    words.windows(2).find_map(|pair| {
        let by = match pair[0] {
            "last" => -1,
            "this" => 0,
            "next" => 1,
            _ => return None,
        };
        unit_around(today, pair[1], by)
    })
}

/// The whole week, month, quarter or year that many away.
fn unit_around(today: Date, unit: &str, by: i32) -> Option<DayRange> {
    let first_of_month = today.first_of_month();
    let (first, length) = match unit {
        "week" => {
            let monday = today.checked_sub(i32::from(today.weekday().to_monday_zero_offset()).days()).ok()?;
            (monday.checked_add((by * 7).days()).ok()?, 7.days())
        }
        "month" => (first_of_month.checked_add(by.months()).ok()?, 1.month()),
        "quarter" => {
            let first = first_of_month.checked_sub(i32::from((today.month() - 1) % 3).months()).ok()?;
            (first.checked_add((by * 3).months()).ok()?, 3.months())
        }
        "year" => (date(today.year(), 1, 1).checked_add(by.years()).ok()?, 1.year()),
        _ => return None,
    };
    DayRange::of(first, first.checked_add(length).ok()?.yesterday().ok()?)
}

/// `2024`, `2024-q1`, `2024-05`, `2024-w10`
fn numbered(text: &str) -> Option<DayRange> {
    let year: i16 = text.get(..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()?;
    let rest = &text[4..];
    if rest.is_empty() {
        return unit_around(Date::new(year, 1, 1).ok()?, "year", 0);
    }
    let rest = rest.strip_prefix('-')?;
    let number = |digits: &str, length: usize| -> Option<i8> {
        (digits.len() == length && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| digits.parse().ok())?
    };
    if let Some(quarter) = rest.strip_prefix('q') {
        let quarter = number(quarter, 1).filter(|quarter| (1..=4).contains(quarter))?;
        return unit_around(Date::new(year, quarter * 3, 1).ok()?, "quarter", 0);
    }
    if let Some(week) = rest.strip_prefix('w') {
        let monday = ISOWeekDate::new(year, number(week, 2)?, Weekday::Monday).ok()?.date();
        return unit_around(monday, "week", 0);
    }
    unit_around(Date::new(year, number(rest, 2)?, 1).ok()?, "month", 0)
}

/// All dates in a text, by place; words that belong to none are passed over.
fn find_all(text: &str, today: Date) -> Vec<Date> {
    let words: Vec<&str> = text.split([' ', ',', '\t']).filter(|word| !word.is_empty()).collect();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < words.len() && found.len() < 2 {
        match date_at(&words[at..], today) {
            Some((date, length)) => {
                found.push(date);
                at += length;
            }
            None => at += 1,
        }
    }
    found
}

/// The date that begins here, and how many words it has.
fn date_at(words: &[&str], today: Date) -> Option<(Date, usize)> {
    let first = words[0];
    let plain = match first {
        "today" | "now" | "tonight" => Some(today),
        "tomorrow" | "tmr" | "tmrw" => today.tomorrow().ok(),
        "yesterday" => today.yesterday().ok(),
        _ => calendar_date(first),
    };
    if let Some(date) = plain {
        return Some((date, 1));
    }
    weekday_at(words, today).or_else(|| units_at(words, today)).or_else(|| month_at(words, today))
}

/// `2024-05-25`, `2024/5/25`, `5/25/2024`
fn calendar_date(word: &str) -> Option<Date> {
    let parts: Vec<&str> = word.split(['-', '/', '.']).collect();
    let [first, second, third] = parts[..] else { return None };
    if !parts.iter().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit())) {
        return None;
    }
    let small = |part: &str| (part.len() <= 2).then(|| part.parse::<i8>().ok()).flatten();
    if first.len() == 4 {
        return Date::new(first.parse().ok()?, small(second)?, small(third)?).ok();
    }
    let year = (third.len() == 4).then(|| third.parse().ok()).flatten()?;
    let (month, day) = (small(first)?, small(second)?);
    Date::new(year, month, day).or_else(|_| Date::new(year, day, month)).ok()
}

const DAYS: [&[&str]; 7] = [
    &["sunday", "sun"],
    &["monday", "mon"],
    &["tuesday", "tue"],
    &["wednesday", "wed"],
    &["thursday", "thurs", "thur", "thu"],
    &["friday", "fri"],
    &["saturday", "sat"],
];

/// `monday`, `next monday`, `monday next week`
fn weekday_at(words: &[&str], today: Date) -> Option<(Date, usize)> {
    let modifier = |word: &str| match word {
        "this" => Some(0),
        "last" | "past" => Some(-7),
        "next" => Some(7),
        _ => None,
    };
    let before = modifier(words[0]);
    let at = usize::from(before.is_some());
    let name = words.get(at)?.trim_end_matches('.');
    let wanted = DAYS.iter().position(|forms| forms.contains(&name))? as i32;
    let (by, length) = match (before, &words[at + 1..]) {
        (Some(by), _) => (Some(by), at + 1),
        (None, [word, "week", ..]) if modifier(word).is_some() => (modifier(word), at + 3),
        _ => (None, at + 1),
    };
    let distance = wanted - i32::from(today.weekday().to_sunday_zero_offset());
    let days = match by {
        Some(by) => distance + by,
        // The nearest, of two equally near ones that of this week.
        None if (distance - 7).abs() < distance.abs() => distance - 7,
        None if (distance + 7).abs() < distance.abs() => distance + 7,
        None => distance,
    };
    Some((today.checked_add(days.days()).ok()?, length))
}

/// `in two weeks`, `14 days ago`, `3 months from now`, `next 2 weeks`, `last day`
fn units_at(words: &[&str], today: Date) -> Option<(Date, usize)> {
    let (direction, at) = match words[0] {
        "in" | "within" | "for" | "next" | "+" => (Some(1), 1),
        "last" | "past" | "-" => (Some(-1), 1),
        "this" => (Some(0), 1),
        _ => (None, 0),
    };
    let mut at = at;
    if matches!(words.get(at), Some(&"the")) {
        at += 1;
    }
    let mut span = jiff::Span::new();
    let mut any = false;
    while let Some((count, unit, length)) = count_at(&words[at..], !any && matches!(words[0], "next" | "last" | "past" | "this"))
    {
        span = match unit {
            'd' => span.try_days(i64::from(span.get_days()) + count),
            'w' => span.try_weeks(i64::from(span.get_weeks()) + count),
            'y' => span.try_years(i64::from(span.get_years()) + count),
            _ => span.try_months(i64::from(span.get_months()) + count),
        }
        .ok()?;
        any = true;
        at += length;
        if matches!(words.get(at), Some(&"and")) {
            at += 1;
        }
    }
    if !any {
        return None;
    }
    let (direction, length) = match (direction, &words[at..]) {
        (Some(direction), _) => (direction, at),
        (None, ["ago" | "before" | "earlier", ..]) => (-1, at + 1),
        (None, ["later" | "after" | "out" | "hence", ..]) => (1, at + 1),
        (None, ["from", "now" | "today", ..]) => (1, at + 2),
        _ => return None,
    };
    Some((today.checked_add(span.checked_mul(direction).ok()?).ok()?, length))
}

/// `14 days`; a unit alone means one of it, where that is allowed.
fn count_at(words: &[&str], may_lack_number: bool) -> Option<(i64, char, usize)> {
    let first = *words.first()?;
    if may_lack_number && let Some((unit, of_it)) = unit(first) {
        return Some((of_it, unit, 1));
    }
    let digits = first.trim_end_matches(|character: char| character.is_ascii_alphabetic());
    if !digits.is_empty() && digits.len() < first.len() && digits.len() <= 5 {
        let (unit, of_it) = unit(&first[digits.len()..])?;
        return Some((digits.parse::<i64>().ok()? * of_it, unit, 1));
    }
    const NUMBERS: [&str; 12] =
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    let number = match first {
        "a" | "an" | "the" => 1,
        "couple" => 2,
        "few" => 3,
        "several" => 7,
        _ => match NUMBERS.iter().position(|word| *word == first) {
            Some(place) => place as i64 + 1,
            None if first.len() <= 5 => first.parse::<u16>().ok()?.into(),
            None => return None,
        },
    };
    if first == "a" && matches!(words.get(1), Some(&("couple" | "few"))) {
        return count_at(&words[1..], false).map(|(count, unit, length)| (count, unit, length + 1));
    }
    let at = 1 + usize::from(matches!((first, words.get(1)), ("couple" | "few", Some(&"of"))));
    let (unit, of_it) = unit(words.get(at)?)?;
    Some((number * of_it, unit, at + 1))
}

/// A unit, and how many of it: a quarter is three months.
fn unit(word: &str) -> Option<(char, i64)> {
    Some(match word {
        "d" | "day" | "days" => ('d', 1),
        "w" | "week" | "weeks" => ('w', 1),
        "fortnight" | "fortnights" => ('w', 2),
        "mo" | "mos" | "month" | "months" => ('m', 1),
        "qtr" | "quarter" | "quarters" => ('m', 3),
        "y" | "yr" | "year" | "years" => ('y', 1),
        _ => return None,
    })
}

const MONTHS: [&[&str]; 12] = [
    &["january", "jan"],
    &["february", "feb"],
    &["march", "mar"],
    &["april", "apr"],
    &["may"],
    &["june", "jun"],
    &["july", "jul"],
    &["august", "aug"],
    &["september", "sep", "sept"],
    &["october", "oct"],
    &["november", "nov"],
    &["december", "dec"],
];

fn month(word: &str) -> Option<i8> {
    let word = word.trim_end_matches('.');
    MONTHS.iter().position(|forms| forms.contains(&word)).map(|place| place as i8 + 1)
}

/// `25th May 2023`, `May 25th, 2023`, `May 2023`, `May`
fn month_at(words: &[&str], today: Date) -> Option<(Date, usize)> {
    let (month, day, at) = if let Some(month) = month(words[0]) {
        match words.get(1).and_then(|word| day_number(word)) {
            Some(day) => (month, day, 2),
            None => (month, 1, 1),
        }
    } else {
        let day = day_number(words[0])?;
        let of = usize::from(words.get(1) == Some(&"of"));
        (month(words.get(1 + of)?)?, day, 2 + of)
    };
    let year = words.get(at).filter(|word| word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit()));
    match year {
        Some(year) => Some((Date::new(year.parse().ok()?, month, day).ok()?, at + 1)),
        None => {
            // The nearest such day.
            let years = [today.year() - 1, today.year(), today.year() + 1];
            let candidates = years.into_iter().filter_map(|year| Date::new(year, month, day).ok());
            let away = |candidate: &Date| candidate.duration_since(today).abs();
            Some((candidates.min_by_key(away)?, at))
        }
    }
}

fn day_number(word: &str) -> Option<i8> {
    let digits = word.trim_end_matches(|character: char| character.is_ascii_alphabetic());
    let ending = &word[digits.len()..];
    let is_day = (1..=2).contains(&digits.len()) && matches!(ending, "" | "st" | "nd" | "rd" | "th");
    is_day.then(|| digits.parse().ok()).flatten().filter(|day| (1..=31).contains(day))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_as_people_write_them() {
        // A Wednesday.
        let today = date(2024, 5, 15);
        for (text, from, to) in [
            ("2024-05-25", "2024-05-25", "2024-05-25"),
            ("today", "2024-05-15", "2024-05-15"),
            ("tomorrow", "2024-05-16", "2024-05-16"),
            ("next monday", "2024-05-20", "2024-05-20"),
            ("last friday", "2024-05-10", "2024-05-10"),
            ("tuesday", "2024-05-14", "2024-05-14"),
            ("14 days ago", "2024-05-01", "2024-05-01"),
            ("in two weeks", "2024-05-29", "2024-05-29"),
            ("14 October", "2024-10-14", "2024-10-14"),
            ("25th May 2023", "2023-05-25", "2023-05-25"),
            ("May 25, 2023", "2023-05-25", "2023-05-25"),
            ("May", "2024-05-01", "2024-05-01"),
            ("3 months from now", "2024-08-15", "2024-08-15"),
            ("2024-02-01 2024-01-01", "2024-01-01", "2024-02-01"),
            ("2024-01-01 2024-02-31", "2024-01-01", "2024-01-01"),
            ("this week", "2024-05-13", "2024-05-19"),
            ("next month", "2024-06-01", "2024-06-30"),
            ("last quarter", "2024-01-01", "2024-03-31"),
            ("next year", "2025-01-01", "2025-12-31"),
            ("2022-W14", "2022-04-04", "2022-04-10"),
            ("2023-10", "2023-10-01", "2023-10-31"),
            ("2021-Q4", "2021-10-01", "2021-12-31"),
            ("2023", "2023-01-01", "2023-12-31"),
            ("a couple of days ago", "2024-05-13", "2024-05-13"),
            ("next 2 weeks", "2024-05-29", "2024-05-29"),
            ("5/25/2024", "2024-05-25", "2024-05-25"),
        ] {
            let range = DayRange::read(text, today).unwrap_or_else(|| panic!("{text}"));
            let day = |number| Day::from_number(number).unwrap().to_string();
            assert_eq!((day(range.from), day(range.to)), (from.to_owned(), to.to_owned()), "{text}");
        }
        for text in ["", "someday", "2024-13", "2024-02-30", "2024-W60", "days", "in"] {
            assert_eq!(DayRange::read(text, today), None, "{text}");
        }
    }
}
