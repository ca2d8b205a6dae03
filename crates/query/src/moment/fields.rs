//! What a token of a format stands for.

/// A number that a date has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Year,
    WeekYear,
    IsoWeekYear,
    EraYear,
    Quarter,
    Month,
    Day,
    DayOfYear,
    Weekday,
    LocalWeekday,
    IsoWeekday,
    Week,
    IsoWeek,
    Hour,
    /// 1 to 12.
    HourOfHalf,
    /// 1 to 24.
    HourFromOne,
    Minute,
    Second,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    Narrow,
    Short,
    Long,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    /// With zeros in front up to this many digits.
    Number(Unit, usize),
    /// The last two digits of a kind of year.
    TwoDigits(Unit),
    /// `Y`: four digits, and a sign where there are more.
    AnyYear,
    /// `YYYYYY`: six digits and always a sign.
    SignedYear,
    Ordinal(Unit),
    MonthName(Length),
    WeekdayName(Length),
    Era(Length),
    /// `hmm` and its like: hour, minutes and perhaps seconds in one number.
    Clock {
        half: bool,
        seconds: bool,
    },
    Meridiem {
        lower: bool,
    },
    /// So many digits of the second's fraction.
    Fraction(usize),
    Offset {
        colon: bool,
    },
    UnixSeconds,
    UnixMilliseconds,
    /// Always empty for a moment of local time.
    ZoneName,
}

impl Field {
    pub(crate) fn of(token: &str) -> Option<Field> {
        use Length::{Long, Narrow, Short};
        Some(match token {
            "M" => Field::Number(Unit::Month, 1),
            "MM" => Field::Number(Unit::Month, 2),
            "Mo" => Field::Ordinal(Unit::Month),
            "MMM" => Field::MonthName(Short),
            "MMMM" => Field::MonthName(Long),
            "Q" => Field::Number(Unit::Quarter, 1),
            "Qo" => Field::Ordinal(Unit::Quarter),
            "D" => Field::Number(Unit::Day, 1),
            "DD" => Field::Number(Unit::Day, 2),
            "Do" => Field::Ordinal(Unit::Day),
            "DDD" => Field::Number(Unit::DayOfYear, 1),
            "DDDD" => Field::Number(Unit::DayOfYear, 3),
            "DDDo" => Field::Ordinal(Unit::DayOfYear),
            "d" => Field::Number(Unit::Weekday, 1),
            "do" => Field::Ordinal(Unit::Weekday),
            "dd" => Field::WeekdayName(Narrow),
            "ddd" => Field::WeekdayName(Short),
            "dddd" => Field::WeekdayName(Long),
            "e" => Field::Number(Unit::LocalWeekday, 1),
            "E" => Field::Number(Unit::IsoWeekday, 1),
            "w" => Field::Number(Unit::Week, 1),
            "ww" => Field::Number(Unit::Week, 2),
            "wo" => Field::Ordinal(Unit::Week),
            "W" => Field::Number(Unit::IsoWeek, 1),
            "WW" => Field::Number(Unit::IsoWeek, 2),
            "Wo" => Field::Ordinal(Unit::IsoWeek),
            "Y" => Field::AnyYear,
            "YY" => Field::TwoDigits(Unit::Year),
            "YYYY" => Field::Number(Unit::Year, 4),
            "YYYYY" => Field::Number(Unit::Year, 5),
            "YYYYYY" => Field::SignedYear,
            "y" => Field::Number(Unit::EraYear, 1),
            "yy" => Field::Number(Unit::EraYear, 2),
            "yyy" => Field::Number(Unit::EraYear, 3),
            "yyyy" => Field::Number(Unit::EraYear, 4),
            "yo" => Field::Ordinal(Unit::EraYear),
            "N" | "NN" | "NNN" => Field::Era(Short),
            "NNNN" => Field::Era(Long),
            "NNNNN" => Field::Era(Narrow),
            "gg" => Field::TwoDigits(Unit::WeekYear),
            "gggg" => Field::Number(Unit::WeekYear, 4),
            "ggggg" => Field::Number(Unit::WeekYear, 5),
            "GG" => Field::TwoDigits(Unit::IsoWeekYear),
            "GGGG" => Field::Number(Unit::IsoWeekYear, 4),
            "GGGGG" => Field::Number(Unit::IsoWeekYear, 5),
            "H" => Field::Number(Unit::Hour, 1),
            "HH" => Field::Number(Unit::Hour, 2),
            "h" => Field::Number(Unit::HourOfHalf, 1),
            "hh" => Field::Number(Unit::HourOfHalf, 2),
            "k" => Field::Number(Unit::HourFromOne, 1),
            "kk" => Field::Number(Unit::HourFromOne, 2),
            "hmm" => Field::Clock { half: true, seconds: false },
            "hmmss" => Field::Clock { half: true, seconds: true },
            "Hmm" => Field::Clock { half: false, seconds: false },
            "Hmmss" => Field::Clock { half: false, seconds: true },
            "m" => Field::Number(Unit::Minute, 1),
            "mm" => Field::Number(Unit::Minute, 2),
            "s" => Field::Number(Unit::Second, 1),
            "ss" => Field::Number(Unit::Second, 2),
            "a" => Field::Meridiem { lower: true },
            "A" => Field::Meridiem { lower: false },
            "Z" => Field::Offset { colon: true },
            "ZZ" => Field::Offset { colon: false },
            "X" => Field::UnixSeconds,
            "x" => Field::UnixMilliseconds,
            "z" | "zz" => Field::ZoneName,
            fraction if fraction.bytes().all(|byte| byte == b'S') => Field::Fraction(fraction.len()),
            _ => return None,
        })
    }
}
