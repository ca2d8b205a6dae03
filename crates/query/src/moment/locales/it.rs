//! Italian.

use crate::moment::locale::{BASE, Locale, LongFormats, Months, Relative};

pub(crate) const LOCALE: Locale = Locale {
    name: "it",
    months: Months::plain([
        "gennaio",
        "febbraio",
        "marzo",
        "aprile",
        "maggio",
        "giugno",
        "luglio",
        "agosto",
        "settembre",
        "ottobre",
        "novembre",
        "dicembre",
    ]),
    short_months: Months::plain(["gen", "feb", "mar", "apr", "mag", "giu", "lug", "ago", "set", "ott", "nov", "dic"]),
    weekdays: ["domenica", "lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato"],
    short_weekdays: ["dom", "lun", "mar", "mer", "gio", "ven", "sab"],
    narrow_weekdays: ["do", "lu", "ma", "me", "gi", "ve", "sa"],
    long_formats: LongFormats {
        time: "HH:mm",
        time_with_seconds: "HH:mm:ss",
        dates: ["DD/MM/YYYY", "D MMMM YYYY", "D MMMM YYYY HH:mm", "dddd D MMMM YYYY HH:mm"],
        short_dates: [None, None, None, None],
    },
    ordinal: |number, _| format!("{number}º"),
    day_endings: &["º"],
    relative: Relative {
        future: "tra #",
        past: "# fa",
        words: [
            "alcuni secondi",
            "un minuto",
            "# minuti",
            "un'ora",
            "# ore",
            "un giorno",
            "# giorni",
            "un mese",
            "# mesi",
            "un anno",
            "# anni",
        ],
        form: |_| 0,
    },
    ..BASE
};
