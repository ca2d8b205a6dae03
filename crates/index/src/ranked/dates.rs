//! Days as people write them in a query: `2024`, `2024-05`, `>=2024-05-01`, `2024-01..2024-03`, `today`, `7d`.

use jiff::civil::Date;
use jiff::{Span, Zoned};

use super::QueryError;

/// From the first day on, before the last; both as days and as moments.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DateRange {
    from: Option<Date>,
    before: Option<Date>,
    /// Nanoseconds since 1970, in the time zone of the question.
    moments: (i64, i64),
}

impl DateRange {
    pub(crate) fn contains_moment(&self, nanoseconds: i64) -> bool {
        self.moments.0 <= nanoseconds && nanoseconds < self.moments.1
    }

    pub(crate) fn contains_day(&self, day: Date) -> bool {
        self.from.is_none_or(|from| from <= day) && self.before.is_none_or(|before| day < before)
    }

    pub(crate) fn parse(text: &str, now: &Zoned) -> Result<DateRange, QueryError> {
        let bad = || QueryError::Date(text.to_owned());
        let days = |part: &str| find_days(part.trim(), now).ok_or_else(bad);
        let (from, before) = if let Some((first, last)) = text.split_once("..") {
            let from = if first.trim().is_empty() { None } else { Some(days(first)?.0) };
            let before = if last.trim().is_empty() { None } else { Some(days(last)?.1) };
            (from, before)
        } else if let Some(day) = text.strip_prefix(">=") {
            (Some(days(day)?.0), None)
        } else if let Some(day) = text.strip_prefix("<=") {
            (None, Some(days(day)?.1))
        } else if let Some(day) = text.strip_prefix('>') {
            (Some(days(day)?.1), None)
        } else if let Some(day) = text.strip_prefix('<') {
            (None, Some(days(day)?.0))
        } else {
            let (from, before) = days(text.strip_prefix('=').unwrap_or(text))?;
            (Some(from), Some(before))
        };
        if from.is_none() && before.is_none() {
            return Err(bad());
        }
        let moment = |day: Option<Date>, otherwise| day.and_then(|day| start_of(day, now)).unwrap_or(otherwise);
        Ok(DateRange { from, before, moments: (moment(from, i64::MIN), moment(before, i64::MAX)) })
    }

    pub(crate) fn describe(&self) -> String {
        match (self.from, self.before.and_then(|before| before.yesterday().ok())) {
            (Some(from), Some(last)) if from == last => format!("on {from}"),
            (Some(from), Some(last)) => format!("{from} to {last}"),
            (Some(from), None) => format!("from {from} on"),
            (None, Some(last)) => format!("until {last}"),
            (None, None) => "any day".to_owned(),
        }
    }
}

/// The day a property names, as YAML writes dates: `2024-05-01`, with or without a time.
pub(crate) fn find_day(text: &str) -> Option<Date> {
    let text = text.trim();
    let day = text.get(..10)?;
    let is_alone = !text[10..].starts_with(|next: char| next.is_alphanumeric() && next != 'T');
    day.parse().ok().filter(|_| is_alone)
}

/// The first day that is meant, and the day behind the last.
fn find_days(text: &str, now: &Zoned) -> Option<(Date, Date)> {
    let today = now.date();
    match text.to_ascii_lowercase().as_str() {
        "today" => return Some((today, today.tomorrow().ok()?)),
        "yesterday" => return Some((today.yesterday().ok()?, today)),
        _ => {}
    }
    if let Some(span) = find_span(text) {
        return Some((today.checked_sub(span).ok()?, today.tomorrow().ok()?));
    }
    let numbers: Vec<&str> = text.split('-').collect();
    let all_digits = numbers.iter().all(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()));
    if !all_digits || numbers[0].len() != 4 || numbers[1..].iter().any(|number| number.len() > 2) {
        return None;
    }
    let number = |at: usize| numbers.get(at).map_or(Some(1), |text| text.parse::<i8>().ok());
    let first = Date::new(numbers[0].parse().ok()?, number(1)?, number(2)?).ok()?;
    let length = match numbers.len() {
        1 => Span::new().years(1),
        2 => Span::new().months(1),
        3 => Span::new().days(1),
        _ => return None,
    };
    Some((first, first.checked_add(length).ok()?))
}

/// `7d`, `2w`, `3m`, `1y`, also as `last7d`.
fn find_span(text: &str) -> Option<Span> {
    let text = text.strip_prefix("last").unwrap_or(text).trim_start_matches([':', ' ']);
    let unit = text.chars().last()?;
    let count: i32 = text[..text.len() - unit.len_utf8()].parse().ok().filter(|count| (0..=9999).contains(count))?;
    match unit {
        'd' => Some(Span::new().days(count)),
        'w' => Some(Span::new().weeks(count)),
        'm' => Some(Span::new().months(count)),
        'y' => Some(Span::new().years(count)),
        _ => None,
    }
}

fn start_of(day: Date, now: &Zoned) -> Option<i64> {
    let start = day.to_zoned(now.time_zone().clone()).ok()?;
    i64::try_from(start.timestamp().as_nanosecond()).ok()
}
