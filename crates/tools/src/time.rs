//! Times as clients see them.

use jiff::{Timestamp, Zoned};

/// RFC 3339 in UTC, to the second.
pub(crate) fn shown(nanoseconds: i64) -> String {
    let seconds = nanoseconds.div_euclid(1_000_000_000);
    Timestamp::from_second(seconds).map_or_else(|_| "1970-01-01T00:00:00Z".to_owned(), |time| time.to_string())
}

/// The same of a moment that a clock told.
pub(crate) fn told(moment: &Zoned) -> String {
    Timestamp::from_second(moment.timestamp().as_second())
        .map_or_else(|_| moment.timestamp().to_string(), |time| time.to_string())
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_time_is_shown_in_utc_to_the_second() {
        assert_eq!(super::shown(1_770_561_000_123_456_789), "2026-02-08T14:30:00Z");
        assert_eq!(super::shown(-1), "1969-12-31T23:59:59Z");
    }
}
