//! Reads and writes what follows the box of a task: the description, and fields that are taken off from the end of the line.

use super::day::Day;
use super::settings::TaskFormat;
use super::task::{DateField, Priority, Task, WrittenRecurrence, ends_tag};
use super::{dataview, emoji};

/// A field that was found at the end of a text.
#[derive(Debug, PartialEq)]
pub(super) enum Field<'a> {
    Priority(Priority),
    Date(DateField, Day),
    Recurrence(&'a str),
    OnCompletion(&'a str),
    Id(&'a str),
    DependsOn(&'a str),
}

/// Kinds in the order in which the plugin tries them, tags between the two parts.
const BEFORE_TAGS: [Kind; 9] = [
    Kind::Priority,
    Kind::Date(DateField::Done),
    Kind::Date(DateField::Cancelled),
    Kind::Date(DateField::Due),
    Kind::Date(DateField::Scheduled),
    Kind::Date(DateField::Start),
    Kind::Date(DateField::Created),
    Kind::Recurrence,
    Kind::OnCompletion,
];
const AFTER_TAGS: [Kind; 2] = [Kind::Id, Kind::DependsOn];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Priority,
    Date(DateField),
    Recurrence,
    OnCompletion,
    Id,
    DependsOn,
}

/// The plugin gives up after so many rounds.
const ROUNDS: usize = 21;

impl Task {
    /// Reads the text behind the box.
    pub fn read(text: &str, format: TaskFormat) -> Task {
        let (mut rest, block_id) = split_block_id(text.trim());
        let mut task = Task { block_id: block_id.map(Into::into), ..Task::default() };
        let mut tags: Vec<&str> = Vec::new();
        for _ in 0..ROUNDS {
            let before = rest;
            for kind in BEFORE_TAGS {
                task.take(&mut rest, kind, format);
            }
            if let Some(start) = last_tag(rest) {
                tags.push(rest[start..].trim());
                rest = rest[..start].trim();
            }
            for kind in AFTER_TAGS {
                task.take(&mut rest, kind, format);
            }
            if rest == before {
                break;
            }
        }
        let mut description = rest.to_owned();
        for tag in tags.iter().rev() {
            description.push(' ');
            description.push_str(tag);
        }
        // Where there is nothing but tags, no space belongs before them.
        task.description = description.trim_start().into();
        task
    }

    fn take(&mut self, rest: &mut &str, kind: Kind, format: TaskFormat) {
        let found = match format {
            TaskFormat::Emoji => emoji::field_at_end(rest, kind),
            TaskFormat::Dataview => dataview::field_at_end(rest, kind),
        };
        let Some((field, start)) = found else { return };
        *rest = rest[..start].trim();
        match field {
            Field::Priority(priority) => self.priority = priority,
            Field::Date(field, day) => self.set_date(field, Some(day)),
            Field::Recurrence(text) => self.recurrence = Some(Box::new(WrittenRecurrence::read(text.trim()))),
            Field::OnCompletion(text) => self.on_completion = Some(text.into()),
            Field::Id(id) => self.id = Some(id.into()),
            Field::DependsOn(ids) => self.depends_on = ids.split(',').map(|id| id.trim().into()).collect(),
        }
    }

    /// The text behind the box, as the plugin writes it.
    pub fn write(&self, format: TaskFormat) -> String {
        self.written(format, false)
    }

    /// Only the signs of fields, without what they say.
    pub fn write_short(&self, format: TaskFormat) -> String {
        self.written(format, true)
    }

    fn written(&self, format: TaskFormat, short: bool) -> String {
        let mut text = self.description.to_string();
        let mut add = |kind: Kind, value: &str| match format {
            TaskFormat::Emoji if short && kind != Kind::Priority => emoji::add_sign(&mut text, kind),
            TaskFormat::Emoji => emoji::add(&mut text, kind, value),
            TaskFormat::Dataview => dataview::add(&mut text, kind, value),
        };
        if let Some(id) = &self.id {
            add(Kind::Id, id);
        }
        if !self.depends_on.is_empty() {
            add(Kind::DependsOn, &self.depends_on.join(","));
        }
        if self.priority != Priority::None {
            add(Kind::Priority, self.priority.name());
        }
        if let Some(written) = &self.recurrence {
            match &written.recurrence {
                Some(recurrence) => add(Kind::Recurrence, &recurrence.written(&written.text)),
                None => add(Kind::Recurrence, &written.text),
            }
        }
        if let Some(action) = &self.on_completion {
            add(Kind::OnCompletion, action);
        }
        for field in DateField::ALL {
            if let Some(day) = self.date(field) {
                add(Kind::Date(field), &day.to_string());
            }
        }
        if let Some(block_id) = &self.block_id {
            text.push_str(" ^");
            text.push_str(block_id);
        }
        text
    }
}

/// ` ^id` at the end.
fn split_block_id(text: &str) -> (&str, Option<&str>) {
    match text.rsplit_once(" ^") {
        Some((before, id)) if !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') => {
            (before.trim(), Some(id))
        }
        _ => (text, None),
    }
}

/// Where a tag at the end begins.
fn last_tag(text: &str) -> Option<usize> {
    let before = text.trim_end_matches(|character| !ends_tag(character));
    if before.len() == text.len() {
        return None;
    }
    let before = before.strip_suffix('#')?;
    before.chars().next_back().is_none_or(char::is_whitespace).then_some(before.len())
}

pub(super) fn is_id_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '-' || character == '_'
}

pub(super) fn is_rule_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || ", !".contains(character)
}

/// `id` or `id, id`, as the plugin accepts it.
pub(super) fn is_id_list(text: &str) -> bool {
    text.split(',').all(|id| {
        let id = id.trim_matches(' ');
        !id.is_empty() && id.chars().all(is_id_character)
    })
}
