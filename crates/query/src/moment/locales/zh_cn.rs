//! Chinese of the mainland.

use crate::moment::fields::Unit;
use crate::moment::locale::{BASE, Half, Locale, LongFormats, Meridiem, Months, Relative};

pub(crate) const LOCALE: Locale = Locale {
    name: "zh-cn",
    months: Months::plain(["一月", "二月", "三月", "四月", "五月", "六月", "七月", "八月", "九月", "十月", "十一月", "十二月"]),
    short_months: Months::plain(["1月", "2月", "3月", "4月", "5月", "6月", "7月", "8月", "9月", "10月", "11月", "12月"]),
    weekdays: ["星期日", "星期一", "星期二", "星期三", "星期四", "星期五", "星期六"],
    short_weekdays: ["周日", "周一", "周二", "周三", "周四", "周五", "周六"],
    narrow_weekdays: ["日", "一", "二", "三", "四", "五", "六"],
    long_formats: LongFormats {
        time: "HH:mm",
        time_with_seconds: "HH:mm:ss",
        dates: ["YYYY/MM/DD", "YYYY年M月D日", "YYYY年M月D日Ah点mm分", "YYYY年M月D日ddddAh点mm分"],
        short_dates: [Some("YYYY/M/D"), Some("YYYY年M月D日"), Some("YYYY年M月D日 HH:mm"), Some("YYYY年M月D日dddd HH:mm")],
    },
    ordinal,
    day_endings: &["日", "月", "周"],
    meridiem: Meridiem::Words {
        of: part_of_day,
        words: &[
            ("凌晨", Half::StrictBefore),
            ("早上", Half::StrictBefore),
            ("上午", Half::StrictBefore),
            ("中午", Half::Noon),
            ("下午", Half::StrictAfter),
            ("晚上", Half::StrictAfter),
        ],
        any_case: false,
    },
    relative: Relative {
        future: "#后",
        past: "#前",
        words: ["几秒", "1 分钟", "# 分钟", "1 小时", "# 小时", "1 天", "# 天", "1 个月", "# 个月", "1 年", "# 年"],
        form: |_| 0,
    },
    ..BASE
};

fn ordinal(number: i64, unit: Unit) -> String {
    match unit {
        Unit::Weekday | Unit::Day | Unit::DayOfYear => format!("{number}日"),
        Unit::Month => format!("{number}月"),
        Unit::Week | Unit::IsoWeek => format!("{number}周"),
        _ => number.to_string(),
    }
}

/// Six parts of the day.
fn part_of_day(hour: i64, minute: i64) -> &'static str {
    match hour * 100 + minute {
        0..600 => "凌晨",
        600..900 => "早上",
        900..1130 => "上午",
        1130..1230 => "中午",
        1230..1800 => "下午",
        _ => "晚上",
    }
}
