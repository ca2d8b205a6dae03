//! Dutch.

use crate::moment::fields::Unit;
use crate::moment::locale::{BASE, Locale, LongFormats, MonthCase, MonthReading, Months, Relative};

pub(crate) const LOCALE: Locale = Locale {
    name: "nl",
    months: Months::plain([
        "januari",
        "februari",
        "maart",
        "april",
        "mei",
        "juni",
        "juli",
        "augustus",
        "september",
        "oktober",
        "november",
        "december",
    ]),
    short_months: Months {
        names: ["jan.", "feb.", "mrt.", "apr.", "mei", "jun.", "jul.", "aug.", "sep.", "okt.", "nov.", "dec."],
        other: Some((
            MonthCase::BetweenHyphens,
            ["jan", "feb", "mrt", "apr", "mei", "jun", "jul", "aug", "sep", "okt", "nov", "dec"],
        )),
    },
    month_reading: MonthReading::Spelling {
        long: [
            "januari",
            "februari",
            "maart",
            "april",
            "mei",
            "juni",
            "juli",
            "augustus",
            "september",
            "oktober",
            "november",
            "december",
        ],
        short: [
            "jan.|jan", "feb.|feb", "mrt.|mrt", "apr.|apr", "mei", "jun.|jun", "jul.|jul", "aug.|aug", "sep.|sep", "okt.|okt",
            "nov.|nov", "dec.|dec",
        ],
    },
    weekdays: ["zondag", "maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag"],
    short_weekdays: ["zo.", "ma.", "di.", "wo.", "do.", "vr.", "za."],
    narrow_weekdays: ["zo", "ma", "di", "wo", "do", "vr", "za"],
    weekdays_exact: true,
    long_formats: LongFormats {
        time: "HH:mm",
        time_with_seconds: "HH:mm:ss",
        dates: ["DD-MM-YYYY", "D MMMM YYYY", "D MMMM YYYY HH:mm", "dddd D MMMM YYYY HH:mm"],
        short_dates: [None, None, None, None],
    },
    ordinal,
    day_endings: &["ste", "de"],
    relative: Relative {
        future: "over #",
        past: "# geleden",
        words: [
            "een paar seconden",
            "één minuut",
            "# minuten",
            "één uur",
            "# uur",
            "één dag",
            "# dagen",
            "één maand",
            "# maanden",
            "één jaar",
            "# jaar",
        ],
        form: |_| 0,
    },
    ..BASE
};

fn ordinal(number: i64, _: Unit) -> String {
    let ending = if matches!(number, 1 | 8) || number >= 20 { "ste" } else { "de" };
    format!("{number}{ending}")
}
