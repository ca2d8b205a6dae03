//! The dates of a task that are marked with a sign, as the Tasks plugin writes them.

use super::scan::Scan;
use crate::date::Date;

const SIGNS: [(&str, &[char]); 5] = [
    ("created", &['➕']),
    ("start", &['🛫']),
    ("scheduled", &['⏳', '⌛']),
    ("due", &['📅', '📆', '🗓', '\u{FE0F}']),
    ("completion", &['✅']),
];

/// The first date behind each sign.
pub(crate) fn task_dates(text: &str) -> impl Iterator<Item = (&'static str, Date)> {
    let has_signs = !text.is_ascii();
    let signs = SIGNS.iter().filter(move |_| has_signs);
    signs.filter_map(move |(key, signs)| {
        let mut behind = text.match_indices(*signs).map(|(at, sign)| text[at + sign.len()..].trim_start());
        behind.find_map(day).map(|date| (*key, date))
    })
}

fn day(text: &str) -> Option<Date> {
    let day = text.get(..10)?;
    let mut scan = Scan::new(day);
    scan.date().filter(|_| scan.is_done())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_stand_before_their_dates() {
        let text = "call ➕ 2024-01-01 🛫2024-01-02 ⏳ 2024-01-03 📅 no 🗓️ 2024-01-04 ✅ 2024-01-05T10:00";
        let found: Vec<String> = task_dates(text).map(|(key, date)| format!("{key} {}", date.at.date())).collect();
        let expected =
            ["created 2024-01-01", "start 2024-01-02", "scheduled 2024-01-03", "due 2024-01-04", "completion 2024-01-05"];
        assert_eq!(found, expected);
        assert_eq!(task_dates("due 2024-01-01").count(), 0);
    }
}
