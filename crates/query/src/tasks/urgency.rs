//! How urgent a task is: a number made of its dates and its priority.

use super::day::Day;
use super::task::Priority;

/// Days since 1970 for today.
pub(super) fn urgency(priority: Priority, start: Option<Day>, scheduled: Option<Day>, due: Option<Day>, today: i32) -> f64 {
    let mut urgency = match priority {
        Priority::Highest => 9.0,
        Priority::High => 6.0,
        Priority::Medium => 3.9,
        Priority::None => 1.95,
        Priority::Low => 0.0,
        Priority::Lowest => -1.8,
    };
    if let Some(due) = due.and_then(Day::number) {
        // From two weeks before to one week after, a fifth to the whole of twelve.
        let overdue = f64::from(today.saturating_sub(due)).clamp(-14.0, 7.0);
        urgency += 12.0 * ((overdue + 14.0) * 0.8 / 21.0 + 0.2);
    }
    if scheduled.and_then(Day::number).is_some_and(|scheduled| scheduled <= today) {
        urgency += 5.0;
    }
    if start.and_then(Day::number).is_some_and(|start| today < start) {
        urgency -= 3.0;
    }
    urgency
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urgency_is_the_plugins_number() {
        let today = Day::read("2024-05-15").unwrap().number().unwrap();
        let due = |text: &str| format!("{:.2}", urgency(Priority::None, None, None, Day::read(text), today));
        assert_eq!(due("2024-05-16"), "10.29", "from the plugin's documentation");
        assert_eq!(due("2024-05-01"), "13.95");
        assert_eq!(due("2024-08-01"), "4.35");
        assert_eq!(due("2024-02-30"), "1.95");
        assert_eq!(urgency(Priority::High, Day::read("2024-05-16"), Day::read("2024-05-15"), None, today), 8.0);
    }
}
