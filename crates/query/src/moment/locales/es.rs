//! Spanish.

use crate::moment::locale::{BASE, Locale, LongFormats, MonthCase, MonthReading, Months, Relative};

pub(crate) const LOCALE: Locale = Locale {
    name: "es",
    months: Months::plain([
        "enero",
        "febrero",
        "marzo",
        "abril",
        "mayo",
        "junio",
        "julio",
        "agosto",
        "septiembre",
        "octubre",
        "noviembre",
        "diciembre",
    ]),
    short_months: Months {
        names: ["ene.", "feb.", "mar.", "abr.", "may.", "jun.", "jul.", "ago.", "sep.", "oct.", "nov.", "dic."],
        other: Some((
            MonthCase::BetweenHyphens,
            ["ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic"],
        )),
    },
    month_reading: MonthReading::Spelling {
        long: [
            "enero",
            "febrero",
            "marzo",
            "abril",
            "mayo",
            "junio",
            "julio",
            "agosto",
            "septiembre",
            "octubre",
            "noviembre",
            "diciembre",
        ],
        short: [
            "ene.|ene", "feb.|feb", "mar.|mar", "abr.|abr", "may.|may", "jun.|jun", "jul.|jul", "ago.|ago", "sep.|sep",
            "oct.|oct", "nov.|nov", "dic.|dic",
        ],
    },
    weekdays: ["domingo", "lunes", "martes", "miércoles", "jueves", "viernes", "sábado"],
    short_weekdays: ["dom.", "lun.", "mar.", "mié.", "jue.", "vie.", "sáb."],
    narrow_weekdays: ["do", "lu", "ma", "mi", "ju", "vi", "sá"],
    weekdays_exact: true,
    long_formats: LongFormats {
        time: "H:mm",
        time_with_seconds: "H:mm:ss",
        dates: ["DD/MM/YYYY", "D [de] MMMM [de] YYYY", "D [de] MMMM [de] YYYY H:mm", "dddd, D [de] MMMM [de] YYYY H:mm"],
        short_dates: [None, None, None, None],
    },
    ordinal: |number, _| format!("{number}º"),
    day_endings: &["º"],
    relative: Relative {
        future: "en #",
        past: "hace #",
        words: [
            "unos segundos",
            "un minuto",
            "# minutos",
            "una hora",
            "# horas",
            "un día",
            "# días",
            "un mes",
            "# meses",
            "un año",
            "# años",
        ],
        form: |_| 0,
    },
    ..BASE
};
