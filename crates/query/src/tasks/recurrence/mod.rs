//! Tasks that come again: rules in words, and the dates of the next occurrence.

mod expand;
mod read;
mod rule;
mod weeks;
mod words;
mod write;

pub use rule::{Frequency, NthDay, Rule};

use super::day::{Day, date_of};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recurrence {
    pub rule: Rule,
    /// Counts from the day on which the task is done.
    pub when_done: bool,
}

/// The dates of a task that move with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Occurrence {
    pub start: Option<Day>,
    pub scheduled: Option<Day>,
    pub due: Option<Day>,
}

/// Days by which the plugin's search for a shorter month may go back before we give up.
const DAYS_BACK: usize = 5_000;

impl Recurrence {
    /// Reads a rule, with or without `when done`. None if it cannot be understood.
    pub fn read(text: &str) -> Option<Recurrence> {
        if text.is_empty() || !text.chars().all(|character| character.is_ascii_alphanumeric() || ", !".contains(character)) {
            return None;
        }
        let split = text.len().checked_sub(" when done".len()).filter(|split| text[*split..].eq_ignore_ascii_case(" when done"));
        let (rule, when_done) = match split {
            Some(split) if split > 0 => (&text[..split], true),
            _ => (text, false),
        };
        Some(Recurrence { rule: Rule::read(rule.trim())?, when_done })
    }

    /// The rule as the plugin shows it and searches in it.
    pub fn to_text(&self) -> String {
        let mut text = self.rule.to_text();
        if self.when_done {
            text.push_str(" when done");
        }
        text
    }

    /// The rule as it goes into a note: as the plugin writes it, unless that would be another rule. `as_read` is then kept.
    pub fn written(&self, as_read: &str) -> String {
        let text = self.to_text();
        if Recurrence::read(&text).as_ref() == Some(self) { text } else { as_read.to_owned() }
    }

    /// The dates of the next task; none if the rule has come to its end. A task without dates has none in its next occurrence either.
    pub fn next(&self, dates: Occurrence, today: Day, remove_scheduled: bool) -> Option<Occurrence> {
        let reference = dates.reference(remove_scheduled);
        let from = match reference {
            Some(reference) if !self.when_done => reference,
            _ => today,
        };
        // An impossible date cannot be counted from.
        let next = self.next_reference(from.number()?)?;
        let Some(reference) = reference.and_then(Day::number) else { return Some(Occurrence::default()) };
        let shifted = |day: Option<Day>| -> Option<Day> {
            let day = day?;
            let Some(number) = day.number() else { return Some(day) };
            Day::from_number(next.checked_add(number - reference)?)
        };
        let keeps_scheduled = !remove_scheduled || (dates.start.is_none() && dates.due.is_none());
        Some(Occurrence {
            start: shifted(dates.start),
            scheduled: if keeps_scheduled { shifted(dates.scheduled) } else { None },
            due: shifted(dates.due),
        })
    }

    /// The next day after one. A rule by month or year without a day means the last day of a month that is too short.
    pub fn next_reference(&self, from: i32) -> Option<i32> {
        let end_of_day = |day: i32| i64::from(day) * 1440 + 1439;
        let mut next = expand::next_after(&self.rule, from, end_of_day(from))?;
        let mut after = from;
        for _ in 0..DAYS_BACK {
            if !self.skips_too_much(after, next) {
                return Some(next);
            }
            after -= 1;
            next = expand::next_after(&self.rule, after, i64::from(after) * 1440)?;
        }
        None
    }

    fn skips_too_much(&self, after: i32, next: i32) -> bool {
        let (Some(after), Some(next)) = (date_of(after), date_of(next)) else { return false };
        let years = i64::from(next.year()) - i64::from(after.year());
        let months = years * 12 + i64::from(next.month()) - i64::from(after.month());
        let rule = &self.rule;
        // The plugin looks for `month` and `year` in the rule's text, where `every January` has neither.
        let says_unit = rule.months.is_empty() || rule.interval != 1;
        let names_days = !rule.month_days.is_empty() || !rule.weekdays.is_empty();
        match rule.frequency {
            Frequency::Monthly => says_unit && !names_days && months > rule.interval,
            Frequency::Yearly => says_unit && years > rule.interval,
            _ => false,
        }
    }
}

impl Occurrence {
    /// The date that the rule is counted from.
    pub fn reference(&self, remove_scheduled: bool) -> Option<Day> {
        let (second, third) = if remove_scheduled { (self.start, self.scheduled) } else { (self.scheduled, self.start) };
        self.due.or(second).or(third)
    }
}

#[cfg(test)]
mod tests;
