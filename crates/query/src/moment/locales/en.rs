//! English of America.

use crate::moment::fields::Unit;
use crate::moment::locale::{BASE, Locale, LongFormats, Months, Relative, SUNDAY_WEEKS};

pub(crate) const LOCALE: Locale = Locale {
    name: "en",
    months: Months::plain([
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ]),
    short_months: Months::plain(["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]),
    weekdays: ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"],
    short_weekdays: ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"],
    narrow_weekdays: ["Su", "Mo", "Tu", "We", "Th", "Fr", "Sa"],
    weeks: SUNDAY_WEEKS,
    long_formats: LongFormats {
        time: "h:mm A",
        time_with_seconds: "h:mm:ss A",
        dates: ["MM/DD/YYYY", "MMMM D, YYYY", "MMMM D, YYYY h:mm A", "dddd, MMMM D, YYYY h:mm A"],
        short_dates: [None, None, None, None],
    },
    ordinal: english,
    day_endings: &["th", "st", "nd", "rd"],
    relative: Relative {
        future: "in #",
        past: "# ago",
        words: [
            "a few seconds",
            "a minute",
            "# minutes",
            "an hour",
            "# hours",
            "a day",
            "# days",
            "a month",
            "# months",
            "a year",
            "# years",
        ],
        form: |_| 0,
    },
    ..BASE
};

/// 1st, 2nd, 3rd, 4th; 11th to 13th.
fn english(number: i64, _: Unit) -> String {
    let ending = match (number % 10, number % 100 / 10) {
        (_, 1) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}
