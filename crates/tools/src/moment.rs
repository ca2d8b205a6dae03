//! Times as people and models write them.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

use crate::failure::{Failure, Issue};

/// Microseconds since 1970 UTC of a time in RFC 3339; of a date and time, a date, or a time of today in the machine's time zone.
pub fn parse_moment(field: &str, text: &str, now: &Zoned) -> Result<i64, Failure> {
    let text = text.trim();
    let local = |civil: DateTime| civil.to_zoned(TimeZone::system()).ok().map(|zoned| zoned.timestamp());
    let parsed = (text.parse::<Timestamp>().ok())
        .or_else(|| text.parse::<DateTime>().ok().filter(|_| text.contains(['T', ' '])).and_then(local))
        .or_else(|| text.parse::<Date>().ok().and_then(|date| local(date.at(0, 0, 0, 0))))
        .or_else(|| text.parse::<Time>().ok().and_then(|time| local(now.date().to_datetime(time))));
    let expected =
        || format!("expected a time such as {} or 14:00, got {text:?}", now.timestamp().strftime("%Y-%m-%dT%H:%M:%SZ"));
    parsed.map(Timestamp::as_microsecond).ok_or_else(|| Failure::InvalidInput(vec![Issue::new(field, expected())]))
}

pub fn shown_time(microseconds: i64) -> String {
    Timestamp::from_microsecond(microseconds).map(|time| time.to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_understood_in_several_ways() {
        let now: Zoned = "2026-11-17T15:00:00[UTC]".parse().expect("a time");
        let parse = |text: &str| parse_moment("since", text, &now).ok();
        assert_eq!(parse("2026-11-17T14:00:00Z"), parse("2026-11-17T15:00:00+01:00"));
        assert!(parse("14:00").is_some() && parse("14:00:30").is_some());
        assert!(parse("2026-11-17").is_some() && parse("2026-11-17 14:00").is_some());
        assert_eq!(parse("2026-11-17 14:00"), parse("2026-11-17T14:00"));
        assert_eq!(parse("yesterday"), None);
        assert_eq!(shown_time(1_500_000), "1970-01-01T00:00:01.5Z");
    }
}
