//! Japanese.

use crate::moment::eras::{Era, Until, day};
use crate::moment::fields::Unit;
use crate::moment::locale::{BASE, Half, Locale, LongFormats, Meridiem, Months, Relative, SUNDAY_WEEKS};

pub(crate) const LOCALE: Locale = Locale {
    name: "ja",
    months: Months::plain(["1月", "2月", "3月", "4月", "5月", "6月", "7月", "8月", "9月", "10月", "11月", "12月"]),
    short_months: Months::plain(["1月", "2月", "3月", "4月", "5月", "6月", "7月", "8月", "9月", "10月", "11月", "12月"]),
    weekdays: ["日曜日", "月曜日", "火曜日", "水曜日", "木曜日", "金曜日", "土曜日"],
    short_weekdays: ["日", "月", "火", "水", "木", "金", "土"],
    narrow_weekdays: ["日", "月", "火", "水", "木", "金", "土"],
    weeks: SUNDAY_WEEKS,
    long_formats: LongFormats {
        time: "HH:mm",
        time_with_seconds: "HH:mm:ss",
        dates: ["YYYY/MM/DD", "YYYY年M月D日", "YYYY年M月D日 HH:mm", "YYYY年M月D日 dddd HH:mm"],
        short_dates: [Some("YYYY/MM/DD"), Some("YYYY年M月D日"), Some("YYYY年M月D日 HH:mm"), Some("YYYY年M月D日(ddd) HH:mm")],
    },
    ordinal,
    day_endings: &["日"],
    meridiem: Meridiem::Words {
        of: |hour, _| if hour < 12 { "午前" } else { "午後" },
        words: &[("午前", Half::Before), ("午後", Half::After)],
        any_case: false,
    },
    eras: ERAS,
    era_year_ending: Some(("元", "年")),
    relative: Relative {
        future: "#後",
        past: "#前",
        words: ["数秒", "1分", "#分", "1時間", "#時間", "1日", "#日", "1ヶ月", "#ヶ月", "1年", "#年"],
        form: |_| 0,
    },
    ..BASE
};

fn ordinal(number: i64, unit: Unit) -> String {
    match (unit, number) {
        (Unit::EraYear, 1) => "元年".to_owned(),
        (Unit::EraYear, _) => format!("{number}年"),
        (Unit::Weekday | Unit::Day | Unit::DayOfYear, _) => format!("{number}日"),
        _ => number.to_string(),
    }
}

const ERAS: &[Era] = &[
    Era { since: day(2019, 5, 1), until: Until::Forever, first: 1, name: "令和", narrow: "㋿", short: "R" },
    Era { since: day(1989, 1, 8), until: Until::Day(day(2019, 4, 30)), first: 1, name: "平成", narrow: "㍻", short: "H" },
    Era { since: day(1926, 12, 25), until: Until::Day(day(1989, 1, 7)), first: 1, name: "昭和", narrow: "㍼", short: "S" },
    Era { since: day(1912, 7, 30), until: Until::Day(day(1926, 12, 24)), first: 1, name: "大正", narrow: "㍽", short: "T" },
    Era { since: day(1873, 1, 1), until: Until::Day(day(1912, 7, 29)), first: 6, name: "明治", narrow: "㍾", short: "M" },
    Era { since: day(1, 1, 1), until: Until::Day(day(1873, 12, 31)), first: 1, name: "西暦", narrow: "AD", short: "AD" },
    Era { since: day(0, 12, 31), until: Until::Backwards, first: 1, name: "紀元前", narrow: "BC", short: "BC" },
];
