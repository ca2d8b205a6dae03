//! Polish.

use crate::moment::locale::{BASE, Locale, LongFormats, MonthCase, MonthReading, Months, Relative};

pub(crate) const LOCALE: Locale = Locale {
    name: "pl",
    months: Months {
        names: [
            "styczeń",
            "luty",
            "marzec",
            "kwiecień",
            "maj",
            "czerwiec",
            "lipiec",
            "sierpień",
            "wrzesień",
            "październik",
            "listopad",
            "grudzień",
        ],
        other: Some((
            MonthCase::AfterDayAndBlank,
            [
                "stycznia",
                "lutego",
                "marca",
                "kwietnia",
                "maja",
                "czerwca",
                "lipca",
                "sierpnia",
                "września",
                "października",
                "listopada",
                "grudnia",
            ],
        )),
    },
    short_months: Months::plain(["sty", "lut", "mar", "kwi", "maj", "cze", "lip", "sie", "wrz", "paź", "lis", "gru"]),
    month_reading: MonthReading::WordBeginning([
        "sty", "lut", "mar", "kwi", "maj", "cze", "lip", "sie", "wrz", "paź", "lis", "gru",
    ]),
    weekdays: ["niedziela", "poniedziałek", "wtorek", "środa", "czwartek", "piątek", "sobota"],
    short_weekdays: ["ndz", "pon", "wt", "śr", "czw", "pt", "sob"],
    narrow_weekdays: ["Nd", "Pn", "Wt", "Śr", "Cz", "Pt", "So"],
    long_formats: LongFormats {
        time: "HH:mm",
        time_with_seconds: "HH:mm:ss",
        dates: ["DD.MM.YYYY", "D MMMM YYYY", "D MMMM YYYY HH:mm", "dddd, D MMMM YYYY HH:mm"],
        short_dates: [None, None, None, None],
    },
    ordinal: |number, _| format!("{number}."),
    day_endings: &["."],
    relative: Relative {
        future: "za #",
        past: "# temu",
        words: [
            "kilka sekund",
            "minutę",
            "# minuty|# minut",
            "godzinę",
            "# godziny|# godzin",
            "1 dzień",
            "# dni",
            "miesiąc",
            "# miesiące|# miesięcy",
            "rok",
            "# lata|# lat",
        ],
        form,
    },
    ..BASE
};

/// Few (2 to 4, but 12 to 14 are many), many.
fn form(number: i64) -> usize {
    usize::from(!matches!(number % 10, 2..=4) || number / 10 % 10 == 1)
}
