//! Korean.

use crate::moment::fields::Unit;
use crate::moment::locale::{BASE, Half, Locale, LongFormats, Meridiem, Months, Relative, SUNDAY_WEEKS};

pub(crate) const LOCALE: Locale = Locale {
    name: "ko",
    months: Months::plain(["1월", "2월", "3월", "4월", "5월", "6월", "7월", "8월", "9월", "10월", "11월", "12월"]),
    short_months: Months::plain(["1월", "2월", "3월", "4월", "5월", "6월", "7월", "8월", "9월", "10월", "11월", "12월"]),
    weekdays: ["일요일", "월요일", "화요일", "수요일", "목요일", "금요일", "토요일"],
    short_weekdays: ["일", "월", "화", "수", "목", "금", "토"],
    narrow_weekdays: ["일", "월", "화", "수", "목", "금", "토"],
    weeks: SUNDAY_WEEKS,
    long_formats: LongFormats {
        time: "A h:mm",
        time_with_seconds: "A h:mm:ss",
        dates: ["YYYY.MM.DD.", "YYYY년 MMMM D일", "YYYY년 MMMM D일 A h:mm", "YYYY년 MMMM D일 dddd A h:mm"],
        short_dates: [
            Some("YYYY.MM.DD."),
            Some("YYYY년 MMMM D일"),
            Some("YYYY년 MMMM D일 A h:mm"),
            Some("YYYY년 MMMM D일 dddd A h:mm"),
        ],
    },
    ordinal,
    day_endings: &["일", "월", "주"],
    meridiem: Meridiem::Words {
        of: |hour, _| if hour < 12 { "오전" } else { "오후" },
        words: &[("오전", Half::Before), ("오후", Half::After)],
        any_case: false,
    },
    relative: Relative {
        future: "# 후",
        past: "# 전",
        words: ["몇 초", "1분", "#분", "한 시간", "#시간", "하루", "#일", "한 달", "#달", "일 년", "#년"],
        form: |_| 0,
    },
    ..BASE
};

fn ordinal(number: i64, unit: Unit) -> String {
    match unit {
        Unit::Weekday | Unit::Day | Unit::DayOfYear => format!("{number}일"),
        Unit::Month => format!("{number}월"),
        Unit::Week | Unit::IsoWeek => format!("{number}주"),
        _ => number.to_string(),
    }
}
