//! Which days of a year are in weeks of certain numbers, as rrule.js counts them: ISO weeks, with its own idea of the turn of the year.

pub(super) struct WeekNumbers {
    /// By day of the year, and a week more.
    days: Vec<bool>,
}

impl WeekNumbers {
    /// `first_weekday` is that of the first of January, from Monday which is 0.
    pub(super) fn new(year: i16, first_weekday: u8, wanted: &[i64]) -> WeekNumbers {
        let length = days_in(year);
        let first_weekday = i64::from(first_weekday);
        let mut numbers = WeekNumbers { days: vec![false; length as usize + 7] };
        // The first Monday, and where the first week begins: at the new year if most of that week is in it.
        let first_monday = (7 - first_weekday) % 7;
        let begins_before = first_monday >= 4;
        let (first_week, counted) =
            if begins_before { (0, length + first_weekday) } else { (first_monday, length - first_monday) };
        let weeks = counted.div_euclid(7) + counted.rem_euclid(7) / 4;
        let start_of = |number: i64| {
            let start = first_week + (number - 1) * 7;
            if begins_before && number > 1 { start - (7 - first_monday) } else { start }
        };
        let mark = |numbers: &mut WeekNumbers, start: i64| {
            for day in start..start + 7 {
                if let Some(marked) = usize::try_from(day).ok().and_then(|day| numbers.days.get_mut(day)) {
                    *marked = true;
                }
                if (day + 1 + first_weekday).rem_euclid(7) == 0 {
                    break;
                }
            }
        };
        for number in wanted.iter().filter(|number| (1..=weeks).contains(number)) {
            mark(&mut numbers, start_of(*number));
        }
        if wanted.contains(&1) {
            let next = start_of(weeks + 1);
            if next < length {
                mark(&mut numbers, next);
            }
        }
        if first_week > 0 && wanted.contains(&last_of_previous(year, length, first_week)) {
            numbers.days[..first_week as usize].fill(true);
        }
        numbers
    }

    pub(super) fn has(&self, day_of_year: i32) -> bool {
        usize::try_from(day_of_year).ok().and_then(|day| self.days.get(day)).copied().unwrap_or(false)
    }
}

/// The number of the last week of the year before.
fn last_of_previous(year: i16, length: i64, first_week: i64) -> i64 {
    let previous = days_in(year - 1);
    let first_weekday =
        jiff::civil::Date::new(year - 1, 1, 1).map_or(0, |date| i64::from(date.weekday().to_monday_zero_offset()));
    let first_monday = (7 - first_weekday) % 7;
    let counted = if first_monday >= 4 { previous + first_weekday } else { length - first_week };
    52 + counted.rem_euclid(7) / 4
}

fn days_in(year: i16) -> i64 {
    jiff::civil::Date::new(year, 1, 1).map_or(365, |date| i64::from(date.days_in_year()))
}
