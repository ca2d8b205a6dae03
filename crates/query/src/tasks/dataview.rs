//! Fields in brackets, as the Dataview plugin has them: `[due:: 2024-01-05]`.

use super::body::{Field, Kind, is_id_character, is_id_list, is_rule_character};
use super::day::Day;
use super::task::{DateField, Priority};

fn key(kind: Kind) -> &'static str {
    match kind {
        Kind::Priority => "priority",
        Kind::Date(DateField::Created) => "created",
        Kind::Date(DateField::Start) => "start",
        Kind::Date(DateField::Scheduled) => "scheduled",
        Kind::Date(DateField::Due) => "due",
        Kind::Date(DateField::Cancelled) => "cancelled",
        Kind::Date(DateField::Done) => "completion",
        Kind::Recurrence => "repeat",
        Kind::OnCompletion => "onCompletion",
        Kind::Id => "id",
        Kind::DependsOn => "dependsOn",
    }
}

/// The field of this kind that the text ends with, and where it begins. A comma may follow it.
pub(super) fn field_at_end(text: &str, kind: Kind) -> Option<(Field<'_>, usize)> {
    let text = text.strip_suffix(',').map_or(text, |before| before.trim_end_matches(' '));
    let (inside, open) = match text.strip_suffix(']') {
        Some(inside) => (inside, '['),
        None => (text.strip_suffix(')')?, '('),
    };
    let start = inside.rfind(open)?;
    let (name, value) = inside[start + 1..].split_once("::")?;
    if name.trim_start_matches(' ') != key(kind) {
        return None;
    }
    let value = value.trim_matches(' ');
    let all = |is_part: fn(char) -> bool| !value.is_empty() && value.chars().all(is_part);
    let field = match kind {
        Kind::Priority => {
            Field::Priority(Priority::ALL.into_iter().find(|priority| priority.name() == value && *priority != Priority::None)?)
        }
        Kind::Date(field) => Field::Date(field, Day::read(value)?),
        Kind::Recurrence => all(is_rule_character).then_some(Field::Recurrence(value))?,
        Kind::OnCompletion => all(|character| character.is_ascii_alphabetic()).then_some(Field::OnCompletion(value))?,
        Kind::Id => all(is_id_character).then_some(Field::Id(value))?,
        Kind::DependsOn => is_id_list(value).then_some(Field::DependsOn(value))?,
    };
    Some((field, start))
}

pub(super) fn add(text: &mut String, kind: Kind, value: &str) {
    // Two spaces: with one, the app hides every other field.
    text.push_str("  [");
    text.push_str(key(kind));
    text.push_str(":: ");
    text.push_str(value);
    text.push(']');
}
