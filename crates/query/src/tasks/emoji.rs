//! Fields that begin with an emoji: `📅 2024-01-05`.

use super::body::{Field, Kind, is_id_character, is_id_list, is_rule_character};
use super::day::Day;
use super::task::{DateField, Priority};

/// Some keyboards and fonts put it behind an emoji.
const VARIANT: char = '\u{FE0F}';

const PRIORITIES: [(char, Priority); 5] = [
    ('🔺', Priority::Highest),
    ('⏫', Priority::High),
    ('🔼', Priority::Medium),
    ('🔽', Priority::Low),
    ('⏬', Priority::Lowest),
];

/// The first is what is written.
fn symbols(kind: Kind) -> &'static [char] {
    match kind {
        Kind::Priority => &['🔺', '⏫', '🔼', '🔽', '⏬'],
        Kind::Date(DateField::Created) => &['➕'],
        Kind::Date(DateField::Start) => &['🛫'],
        Kind::Date(DateField::Scheduled) => &['⏳', '⌛'],
        Kind::Date(DateField::Due) => &['📅', '📆', '🗓'],
        Kind::Date(DateField::Cancelled) => &['❌'],
        Kind::Date(DateField::Done) => &['✅'],
        Kind::Recurrence => &['🔁'],
        Kind::OnCompletion => &['🏁'],
        Kind::Id => &['🆔'],
        Kind::DependsOn => &['⛔'],
    }
}

/// The field of this kind that the text ends with, and where it begins.
pub(super) fn field_at_end(text: &str, kind: Kind) -> Option<(Field<'_>, usize)> {
    match kind {
        Kind::Priority => {
            let text = text.strip_suffix(VARIANT).unwrap_or(text);
            let last = text.chars().next_back()?;
            let (_, priority) = PRIORITIES.into_iter().find(|(symbol, _)| *symbol == last)?;
            Some((Field::Priority(priority), text.len() - last.len_utf8()))
        }
        Kind::Date(field) => {
            let value = text.get(text.len().checked_sub(10)?..)?;
            let day = Day::read(value)?;
            Some((Field::Date(field, day), symbol_before(&text[..text.len() - 10], kind)?))
        }
        Kind::Recurrence => value(text, kind, is_rule_character).map(|(value, start)| (Field::Recurrence(value), start)),
        Kind::OnCompletion => value(text, kind, |character| character.is_ascii_alphabetic())
            .map(|(value, start)| (Field::OnCompletion(value), start)),
        Kind::Id => value(text, kind, is_id_character).map(|(value, start)| (Field::Id(value), start)),
        Kind::DependsOn => {
            let (value, start) =
                value(text, kind, |character| is_id_character(character) || character == ' ' || character == ',')?;
            is_id_list(value).then_some((Field::DependsOn(value), start))
        }
    }
}

/// The longest text of such characters at the end, if the symbol stands before it.
fn value(text: &str, kind: Kind, is_part: fn(char) -> bool) -> Option<(&str, usize)> {
    let before = text.trim_end_matches(is_part);
    let start = symbol_before(before, kind)?;
    let value = text[before.len()..].trim_start_matches(' ');
    (!value.is_empty()).then_some((value, start))
}

fn symbol_before(text: &str, kind: Kind) -> Option<usize> {
    let text = text.trim_end_matches(' ');
    let text = text.strip_suffix(VARIANT).unwrap_or(text);
    let last = text.chars().next_back()?;
    symbols(kind).contains(&last).then(|| text.len() - last.len_utf8())
}

pub(super) fn add(text: &mut String, kind: Kind, value: &str) {
    text.push(' ');
    if kind == Kind::Priority {
        let symbol = PRIORITIES.into_iter().find(|(_, priority)| priority.name() == value);
        text.extend(symbol.map(|(symbol, _)| symbol));
        return;
    }
    text.push(symbols(kind)[0]);
    text.push(' ');
    text.push_str(value);
}

pub(super) fn add_sign(text: &mut String, kind: Kind) {
    text.push(' ');
    text.push(symbols(kind)[0]);
}
