//! Swedish.

use crate::moment::fields::Unit;
use crate::moment::locale::{BASE, Locale, LongFormats, Months, Relative};

pub(crate) const LOCALE: Locale = Locale {
    name: "sv",
    months: Months::plain([
        "januari",
        "februari",
        "mars",
        "april",
        "maj",
        "juni",
        "juli",
        "augusti",
        "september",
        "oktober",
        "november",
        "december",
    ]),
    short_months: Months::plain(["jan", "feb", "mar", "apr", "maj", "jun", "jul", "aug", "sep", "okt", "nov", "dec"]),
    weekdays: ["söndag", "måndag", "tisdag", "onsdag", "torsdag", "fredag", "lördag"],
    short_weekdays: ["sön", "mån", "tis", "ons", "tor", "fre", "lör"],
    narrow_weekdays: ["sö", "må", "ti", "on", "to", "fr", "lö"],
    long_formats: LongFormats {
        time: "HH:mm",
        time_with_seconds: "HH:mm:ss",
        dates: ["YYYY-MM-DD", "D MMMM YYYY", "D MMMM YYYY [kl.] HH:mm", "dddd D MMMM YYYY [kl.] HH:mm"],
        short_dates: [None, None, Some("D MMM YYYY HH:mm"), Some("ddd D MMM YYYY HH:mm")],
    },
    ordinal,
    day_endings: &[":e", ":a"],
    relative: Relative {
        future: "om #",
        past: "för # sedan",
        words: [
            "några sekunder",
            "en minut",
            "# minuter",
            "en timme",
            "# timmar",
            "en dag",
            "# dagar",
            "en månad",
            "# månader",
            "ett år",
            "# år",
        ],
        form: |_| 0,
    },
    ..BASE
};

fn ordinal(number: i64, _: Unit) -> String {
    let ending = if matches!(number % 10, 1 | 2) && number % 100 / 10 != 1 { ":a" } else { ":e" };
    format!("{number}{ending}")
}
