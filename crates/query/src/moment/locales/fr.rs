//! French.

use crate::moment::fields::Unit;
use crate::moment::locale::{BASE, Locale, LongFormats, MonthReading, Months, Relative};

pub(crate) const LOCALE: Locale = Locale {
    name: "fr",
    months: Months::plain([
        "janvier",
        "février",
        "mars",
        "avril",
        "mai",
        "juin",
        "juillet",
        "août",
        "septembre",
        "octobre",
        "novembre",
        "décembre",
    ]),
    short_months: Months::plain([
        "janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.", "nov.", "déc.",
    ]),
    month_reading: MonthReading::Spelling {
        long: [
            "janvier",
            "février",
            "mars",
            "avril",
            "mai",
            "juin",
            "juillet",
            "août",
            "septembre",
            "octobre",
            "novembre",
            "décembre",
        ],
        short: [
            "janv.|janv",
            "févr.|févr",
            "mars",
            "avr.|avr",
            "mai",
            "juin",
            "juil.|juil",
            "août",
            "sept.|sept",
            "oct.|oct",
            "nov.|nov",
            "déc.|déc",
        ],
    },
    weekdays: ["dimanche", "lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi"],
    short_weekdays: ["dim.", "lun.", "mar.", "mer.", "jeu.", "ven.", "sam."],
    narrow_weekdays: ["di", "lu", "ma", "me", "je", "ve", "sa"],
    weekdays_exact: true,
    long_formats: LongFormats {
        time: "HH:mm",
        time_with_seconds: "HH:mm:ss",
        dates: ["DD/MM/YYYY", "D MMMM YYYY", "D MMMM YYYY HH:mm", "dddd D MMMM YYYY HH:mm"],
        short_dates: [None, None, None, None],
    },
    ordinal,
    day_endings: &["er", ""],
    relative: Relative {
        future: "dans #",
        past: "il y a #",
        words: [
            "quelques secondes",
            "une minute",
            "# minutes",
            "une heure",
            "# heures",
            "un jour",
            "# jours",
            "un mois",
            "# mois",
            "un an",
            "# ans",
        ],
        form: |_| 0,
    },
    ..BASE
};

/// Days of a month have an ending only on the first; weeks are feminine.
fn ordinal(number: i64, unit: Unit) -> String {
    let ending = match (unit, number) {
        (Unit::Week | Unit::IsoWeek, 1) => "re",
        (_, 1) => "er",
        (Unit::Day, _) => "",
        _ => "e",
    };
    format!("{number}{ending}")
}
