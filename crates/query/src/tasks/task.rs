//! A task: what its line says, without the list marker and the box before it.

use super::day::Day;
use super::recurrence::{Occurrence, Recurrence};

/// In the order in which the plugin sorts: none stands between medium and low.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Priority {
    Highest,
    High,
    Medium,
    #[default]
    None,
    Low,
    Lowest,
}

impl Priority {
    pub const ALL: [Priority; 6] =
        [Priority::Highest, Priority::High, Priority::Medium, Priority::None, Priority::Low, Priority::Lowest];

    pub fn name(self) -> &'static str {
        match self {
            Priority::Highest => "highest",
            Priority::High => "high",
            Priority::Medium => "medium",
            Priority::None => "none",
            Priority::Low => "low",
            Priority::Lowest => "lowest",
        }
    }

    pub fn find(name: &str) -> Option<Priority> {
        Priority::ALL.into_iter().find(|priority| priority.name().eq_ignore_ascii_case(name))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DateField {
    Created,
    Start,
    Scheduled,
    Due,
    Cancelled,
    Done,
}

impl DateField {
    /// In the order in which they are written.
    pub const ALL: [DateField; 6] =
        [DateField::Created, DateField::Start, DateField::Scheduled, DateField::Due, DateField::Cancelled, DateField::Done];

    pub fn name(self) -> &'static str {
        match self {
            DateField::Created => "created",
            DateField::Start => "start",
            DateField::Scheduled => "scheduled",
            DateField::Due => "due",
            DateField::Cancelled => "cancelled",
            DateField::Done => "done",
        }
    }
}

/// A rule as it stands in the note, understood or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenRecurrence {
    pub text: Box<str>,
    pub recurrence: Option<Recurrence>,
}

impl WrittenRecurrence {
    pub fn read(text: &str) -> WrittenRecurrence {
        WrittenRecurrence { text: text.into(), recurrence: Recurrence::read(text) }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Task {
    /// With its tags.
    pub description: Box<str>,
    pub priority: Priority,
    pub(super) dates: [Option<Day>; 6],
    pub recurrence: Option<Box<WrittenRecurrence>>,
    /// What happens to the line when the task is done: `delete`, `keep`, or what else somebody wrote.
    pub on_completion: Option<Box<str>>,
    pub id: Option<Box<str>>,
    pub depends_on: Box<[Box<str>]>,
    /// Without `^`.
    pub block_id: Option<Box<str>>,
}

impl Task {
    pub fn date(&self, field: DateField) -> Option<Day> {
        self.dates[field as usize]
    }

    pub fn set_date(&mut self, field: DateField, day: Option<Day>) {
        self.dates[field as usize] = day;
    }

    /// Every tag of the description, with `#`.
    pub fn tags(&self) -> impl Iterator<Item = &str> {
        tags(&self.description)
    }

    /// The rule, if it can be understood.
    pub fn rule(&self) -> Option<&Recurrence> {
        self.recurrence.as_ref()?.recurrence.as_ref()
    }

    pub fn occurrence(&self) -> Occurrence {
        Occurrence {
            start: self.date(DateField::Start),
            scheduled: self.date(DateField::Scheduled),
            due: self.date(DateField::Due),
        }
    }

    /// Whether the line goes away when the task is done.
    pub fn is_deleted_when_done(&self) -> bool {
        self.on_completion.as_deref().is_some_and(|action| action.eq_ignore_ascii_case("delete"))
    }
}

/// What cannot stand in a tag.
pub(super) fn ends_tag(character: char) -> bool {
    " !@#$%^&*(),.?\":{}|<>".contains(character)
}

pub(super) fn tags(text: &str) -> impl Iterator<Item = &str> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(found) = text[at..].find('#').map(|found| at + found) {
            let is_free = text[..found].chars().next_back().is_none_or(char::is_whitespace);
            let length = text[found + 1..].find(ends_tag).unwrap_or(text.len() - found - 1);
            at = found + 1 + length;
            if is_free && length > 0 {
                return Some(text[found..at].trim_end());
            }
        }
        None
    })
}
