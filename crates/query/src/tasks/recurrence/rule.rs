//! A recurrence rule.

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Frequency {
    Yearly,
    Monthly,
    Weekly,
    Daily,
    Hourly,
    Minutely,
}

/// A day of the week, from Monday which is 0; `nth` counts such days in the month or year, from its end if negative, and 0 means each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NthDay {
    pub day: u8,
    pub nth: i32,
}

/// Lists are in written order; an empty one says nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    pub frequency: Frequency,
    pub interval: i64,
    pub weekdays: Vec<NthDay>,
    /// From the end of the month if negative.
    pub month_days: Vec<i32>,
    pub months: Vec<u8>,
    pub weeks: Vec<i64>,
    pub hours: Vec<i64>,
    /// Days since 1970.
    pub until: Option<i32>,
    pub count: Option<i64>,
}

impl Rule {
    pub(super) fn new(frequency: Frequency, interval: Option<i64>) -> Rule {
        Rule {
            frequency,
            interval: interval.unwrap_or(1),
            weekdays: Vec::new(),
            month_days: Vec::new(),
            months: Vec::new(),
            weeks: Vec::new(),
            hours: Vec::new(),
            until: None,
            count: None,
        }
    }
}
