//! What becomes of a task when its status changes.

use super::day::Day;
use super::line::TaskLine;
use super::settings::Settings;
use super::status::StatusType;
use super::task::DateField;

/// The lines that take the place of one, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    pub lines: Vec<TaskLine>,
    /// Which of them is the task itself; none if it goes away when it is done.
    pub own: Option<usize>,
    /// Which of them is its next occurrence.
    pub next: Option<usize>,
}

impl TaskLine {
    /// With another status, as the plugin changes it: dates come and go, and a recurring task that is done has its next one beside it.
    /// `inferred` is what the note's name says about when the task is scheduled.
    pub fn with_status(&self, status: char, settings: &Settings, today: Day, inferred: Option<Day>) -> Changed {
        let (before, after) = (settings.statuses.kind(self.status), settings.statuses.kind(status));
        let mut own = TaskLine { status, ..self.clone() };
        if status == self.status {
            return Changed { lines: vec![own], own: Some(0), next: None };
        }
        let now = |wanted: bool| wanted.then_some(today);
        own.task.set_date(
            DateField::Done,
            match (before, after) {
                (StatusType::Done, StatusType::Done) => self.task.date(DateField::Done),
                (_, StatusType::Done) => now(settings.set_done_date),
                _ => None,
            },
        );
        own.task.set_date(
            DateField::Cancelled,
            match (before, after) {
                (StatusType::Cancelled, StatusType::Cancelled) => self.task.date(DateField::Cancelled),
                (_, StatusType::Cancelled) => now(settings.set_cancelled_date),
                _ => None,
            },
        );
        let newly_done = after == StatusType::Done && before != StatusType::Done;
        let next = if newly_done { self.next_occurrence(status, settings, today, inferred) } else { None };
        let goes_away = newly_done && self.task.is_deleted_when_done();
        let mut lines: Vec<(bool, TaskLine)> = next.into_iter().map(|line| (false, line)).collect();
        if !goes_away {
            lines.push((true, own));
        }
        if settings.recurrence_on_next_line {
            lines.reverse();
        }
        let place = |own: bool| lines.iter().position(|(is_own, _)| *is_own == own);
        let (own, next) = (place(true), place(false));
        Changed { lines: lines.into_iter().map(|(_, line)| line).collect(), own, next }
    }

    fn next_occurrence(&self, status: char, settings: &Settings, today: Day, inferred: Option<Day>) -> Option<TaskLine> {
        let mut dates = self.task.occurrence();
        let is_inferred = dates == Default::default() && inferred.is_some();
        if is_inferred {
            dates.scheduled = inferred;
        }
        let next = self.task.rule()?.next(dates, today, settings.remove_scheduled_date_on_recurrence)?;
        let mut line = self.clone();
        line.status = settings.statuses.after_recurrence(status);
        line.task.set_date(DateField::Start, next.start);
        line.task.set_date(DateField::Scheduled, next.scheduled);
        line.task.set_date(DateField::Due, next.due);
        line.task.set_date(DateField::Done, None);
        line.task.set_date(DateField::Cancelled, None);
        line.task.set_date(DateField::Created, settings.set_created_date.then_some(today));
        // An id belongs to one task, and so does what it waits for.
        line.task.id = None;
        line.task.depends_on = Box::default();
        line.task.block_id = None;
        Some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::TaskFormat;

    fn changed(line: &str, status: char, settings: &Settings) -> Vec<String> {
        let line = TaskLine::read(line, TaskFormat::Emoji).unwrap();
        let changed = line.with_status(status, settings, Day::read("2024-03-15").unwrap(), None);
        changed.lines.iter().map(|line| line.write(TaskFormat::Emoji)).collect()
    }

    #[test]
    fn a_task_gets_and_loses_its_dates() {
        let settings = Settings::default();
        assert_eq!(changed("\t* [ ] A #x ^id", 'x', &settings), ["\t* [x] A #x ✅ 2024-03-15 ^id"]);
        assert_eq!(changed("- [x] A ✅ 2024-03-01", ' ', &settings), ["- [ ] A"]);
        assert_eq!(changed("- [x] A ✅ 2024-03-01", 'X', &settings), ["- [X] A ✅ 2024-03-01"]);
        assert_eq!(changed("- [ ] A", '-', &settings), ["- [-] A ❌ 2024-03-15"]);
        assert_eq!(changed("- [-] A ❌ 2024-03-01", 'x', &settings), ["- [x] A ✅ 2024-03-15"]);
        let plain = Settings { set_done_date: false, set_cancelled_date: false, ..Settings::default() };
        assert_eq!(changed("- [ ] A", 'x', &plain), ["- [x] A"]);
    }

    #[test]
    fn a_recurring_task_has_its_next_one_beside_it() {
        let settings = Settings::default();
        let line = "> - [/] A 🆔 abc ⛔ b 🔼 🔁 every month ➕ 2024-01-01 🛫 2024-01-30 📅 2024-01-31 ^id";
        assert_eq!(
            changed(line, 'x', &settings),
            [
                "> - [ ] A 🔼 🔁 every month 🛫 2024-02-28 📅 2024-02-29",
                "> - [x] A 🆔 abc ⛔ b 🔼 🔁 every month ➕ 2024-01-01 🛫 2024-01-30 📅 2024-01-31 ✅ 2024-03-15 ^id",
            ]
        );
        let below = Settings { recurrence_on_next_line: true, set_created_date: true, ..Settings::default() };
        assert_eq!(
            changed("- [ ] A 🔁 every day when done", 'x', &below),
            ["- [x] A 🔁 every day when done ✅ 2024-03-15", "- [ ] A 🔁 every day when done ➕ 2024-03-15",]
        );
        assert_eq!(
            changed("- [ ] A 🔁 every day 🏁 delete 📅 2024-03-14", 'x', &settings),
            ["- [ ] A 🔁 every day 🏁 delete 📅 2024-03-15"]
        );
        assert!(changed("- [ ] A 🏁 delete", 'x', &settings).is_empty());
        assert_eq!(changed("- [x] A 🔁 every day 📅 2024-03-14 ✅ 2024-03-14", 'x', &settings).len(), 1);
    }
}
