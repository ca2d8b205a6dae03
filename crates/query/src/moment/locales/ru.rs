//! Russian.

use crate::moment::fields::Unit;
use crate::moment::locale::{BASE, Half, Locale, LongFormats, Meridiem, MonthCase, MonthReading, Months, Relative};

pub(crate) const LOCALE: Locale = Locale {
    name: "ru",
    months: Months {
        names: [
            "январь",
            "февраль",
            "март",
            "апрель",
            "май",
            "июнь",
            "июль",
            "август",
            "сентябрь",
            "октябрь",
            "ноябрь",
            "декабрь",
        ],
        other: Some((
            MonthCase::AfterDay,
            [
                "января",
                "февраля",
                "марта",
                "апреля",
                "мая",
                "июня",
                "июля",
                "августа",
                "сентября",
                "октября",
                "ноября",
                "декабря",
            ],
        )),
    },
    short_months: Months {
        names: ["янв.", "февр.", "март", "апр.", "май", "июнь", "июль", "авг.", "сент.", "окт.", "нояб.", "дек."],
        other: Some((
            MonthCase::AfterDay,
            ["янв.", "февр.", "мар.", "апр.", "мая", "июня", "июля", "авг.", "сент.", "окт.", "нояб.", "дек."],
        )),
    },
    month_reading: MonthReading::Spelling {
        long: [
            "январь|января",
            "февраль|февраля",
            "март|марта",
            "апрель|апреля",
            "май|мая",
            "июнь|июня",
            "июль|июля",
            "август|августа",
            "сентябрь|сентября",
            "октябрь|октября",
            "ноябрь|ноября",
            "декабрь|декабря",
        ],
        short: [
            "янв.",
            "февр.|фев.",
            "март|мар.",
            "апр.",
            "май|мая",
            "июнь|июня|июн.",
            "июль|июля|июл.",
            "авг.",
            "сент.|сен.",
            "окт.",
            "нояб.|ноя.",
            "дек.",
        ],
    },
    weekdays: ["воскресенье", "понедельник", "вторник", "среда", "четверг", "пятница", "суббота"],
    short_weekdays: ["вс", "пн", "вт", "ср", "чт", "пт", "сб"],
    narrow_weekdays: ["вс", "пн", "вт", "ср", "чт", "пт", "сб"],
    long_formats: LongFormats {
        time: "H:mm",
        time_with_seconds: "H:mm:ss",
        dates: ["DD.MM.YYYY", "D MMMM YYYY г.", "D MMMM YYYY г., H:mm", "dddd, D MMMM YYYY г., H:mm"],
        short_dates: [None, None, None, None],
    },
    ordinal,
    day_endings: &["-й", "-го", "-я"],
    bent_weekdays: Some(["воскресенье", "понедельник", "вторник", "среду", "четверг", "пятницу", "субботу"]),
    meridiem: Meridiem::Words {
        of: |hour, _| match hour {
            0..4 => "ночи",
            4..12 => "утра",
            12..17 => "дня",
            _ => "вечера",
        },
        words: &[("ночи", Half::Before), ("утра", Half::Before), ("дня", Half::After), ("вечера", Half::After)],
        any_case: true,
    },
    relative: Relative {
        future: "через #",
        past: "# назад",
        words: [
            "несколько секунд",
            "минуту",
            "# минуту|# минуты|# минут",
            "час",
            "# час|# часа|# часов",
            "день",
            "# день|# дня|# дней",
            "месяц",
            "# месяц|# месяца|# месяцев",
            "год",
            "# год|# года|# лет",
        ],
        form,
    },
    ..BASE
};

fn ordinal(number: i64, unit: Unit) -> String {
    match unit {
        Unit::Month | Unit::Weekday | Unit::DayOfYear => format!("{number}-й"),
        Unit::Day => format!("{number}-го"),
        Unit::Week | Unit::IsoWeek => format!("{number}-я"),
        _ => number.to_string(),
    }
}

/// One, few (2 to 4), many; 11 to 14 are many.
fn form(number: i64) -> usize {
    match (number % 10, number % 100) {
        (_, 11..=14) => 2,
        (1, _) => 0,
        (2..=4, _) => 1,
        _ => 2,
    }
}
