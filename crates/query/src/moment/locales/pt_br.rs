//! Portuguese of Brazil.

use crate::moment::locale::{BASE, Locale, LongFormats, Months, Relative, SUNDAY_WEEKS};

pub(crate) const LOCALE: Locale = Locale {
    name: "pt-br",
    months: Months::plain([
        "janeiro",
        "fevereiro",
        "março",
        "abril",
        "maio",
        "junho",
        "julho",
        "agosto",
        "setembro",
        "outubro",
        "novembro",
        "dezembro",
    ]),
    short_months: Months::plain(["jan", "fev", "mar", "abr", "mai", "jun", "jul", "ago", "set", "out", "nov", "dez"]),
    weekdays: ["domingo", "segunda-feira", "terça-feira", "quarta-feira", "quinta-feira", "sexta-feira", "sábado"],
    short_weekdays: ["dom", "seg", "ter", "qua", "qui", "sex", "sáb"],
    narrow_weekdays: ["do", "2ª", "3ª", "4ª", "5ª", "6ª", "sá"],
    weekdays_exact: true,
    weeks: SUNDAY_WEEKS,
    long_formats: LongFormats {
        time: "HH:mm",
        time_with_seconds: "HH:mm:ss",
        dates: [
            "DD/MM/YYYY",
            "D [de] MMMM [de] YYYY",
            "D [de] MMMM [de] YYYY [às] HH:mm",
            "dddd, D [de] MMMM [de] YYYY [às] HH:mm",
        ],
        short_dates: [None, None, None, None],
    },
    ordinal: |number, _| format!("{number}º"),
    day_endings: &["º"],
    relative: Relative {
        future: "em #",
        past: "há #",
        words: [
            "poucos segundos",
            "um minuto",
            "# minutos",
            "uma hora",
            "# horas",
            "um dia",
            "# dias",
            "um mês",
            "# meses",
            "um ano",
            "# anos",
        ],
        form: |_| 0,
    },
    ..BASE
};
