//! How far a moment is from now, in words.

use jiff::{ToSpan, Zoned};

use super::locale::Locale;

/// Days of a month on the average of 400 years.
const DAYS_OF_MONTH: f64 = 146_097.0 / 4800.0;
const DAY: f64 = 86_400_000.0;

/// `in 3 days`, `a month ago`.
pub fn from_now(at: &Zoned, now: &Zoned, locale: &Locale) -> String {
    let (earlier, later) = if now < at { (now, at) } else { (at, now) };
    let (months, milliseconds) = difference(earlier, later);
    let (number, place) = number_and_unit(months, milliseconds);
    let relative = &locale.relative;
    let mut forms = relative.words[place].split('|');
    let first = forms.next().unwrap_or_default();
    let form = (relative.form)(number).checked_sub(1).and_then(|later| forms.nth(later)).unwrap_or(first);
    let text = form.replacen('#', &number.to_string(), 1);
    let frame = if now < at { relative.future } else { relative.past };
    frame.replacen('#', &text, 1)
}

/// Whole months of the calendar, and the milliseconds that are left.
fn difference(earlier: &Zoned, later: &Zoned) -> (f64, f64) {
    let years = i32::from(later.year()) - i32::from(earlier.year());
    let mut months = i32::from(later.month()) - i32::from(earlier.month()) + years * 12;
    let ahead = |months: i32| earlier.checked_add(months.months()).unwrap_or_else(|_| later.clone());
    if ahead(months) > *later {
        months -= 1;
    }
    let rest = later.timestamp().as_millisecond() - ahead(months).timestamp().as_millisecond();
    (months.into(), rest as f64)
}

/// A number and the place of its words.
fn number_and_unit(months: f64, milliseconds: f64) -> (i64, usize) {
    let whole_days = (months * DAYS_OF_MONTH).round();
    let with_part_months = months + milliseconds / DAY / DAYS_OF_MONTH;
    let round = |number: f64| (number + 0.5).floor() as i64;
    let seconds = round(whole_days * 86_400.0 + milliseconds / 1000.0);
    let minutes = round(whole_days * 1440.0 + milliseconds / 60_000.0);
    let hours = round(whole_days * 24.0 + milliseconds / 3_600_000.0);
    let days = round(whole_days + milliseconds / DAY);
    let (months, years) = (round(with_part_months), round(with_part_months / 12.0));
    match () {
        () if seconds < 45 => (seconds.max(1), 0),
        () if minutes <= 1 => (1, 1),
        () if minutes < 45 => (minutes, 2),
        () if hours <= 1 => (1, 3),
        () if hours < 22 => (hours, 4),
        () if days <= 1 => (1, 5),
        () if days < 26 => (days, 6),
        () if months <= 1 => (1, 7),
        () if months < 11 => (months, 8),
        () if years <= 1 => (1, 9),
        () => (years, 10),
    }
}
