//! What the character in a task's brackets means.

use serde_json::Value;

use super::settings::SettingsError;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StatusType {
    InProgress,
    Todo,
    OnHold,
    Done,
    Cancelled,
    NonTask,
}

impl StatusType {
    pub const ALL: [StatusType; 6] = [
        StatusType::InProgress,
        StatusType::Todo,
        StatusType::OnHold,
        StatusType::Done,
        StatusType::Cancelled,
        StatusType::NonTask,
    ];

    pub fn name(self) -> &'static str {
        match self {
            StatusType::InProgress => "IN_PROGRESS",
            StatusType::Todo => "TODO",
            StatusType::OnHold => "ON_HOLD",
            StatusType::Done => "DONE",
            StatusType::Cancelled => "CANCELLED",
            StatusType::NonTask => "NON_TASK",
        }
    }

    /// Case does not matter.
    pub fn find(name: &str) -> Option<StatusType> {
        StatusType::ALL.into_iter().find(|status| status.name().eq_ignore_ascii_case(name))
    }

    /// Nothing is left to do.
    pub fn is_finished(self) -> bool {
        matches!(self, StatusType::Done | StatusType::Cancelled | StatusType::NonTask)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    pub symbol: char,
    pub name: Box<str>,
    /// What a click turns it into.
    pub next: char,
    pub kind: StatusType,
}

/// The statuses of a vault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statuses {
    known: Vec<Status>,
}

impl Default for Statuses {
    fn default() -> Statuses {
        let status = |symbol, name: &str, next, kind| Status { symbol, name: name.into(), next, kind };
        Statuses {
            known: vec![
                status(' ', "Todo", 'x', StatusType::Todo),
                status('x', "Done", ' ', StatusType::Done),
                status('/', "In Progress", 'x', StatusType::InProgress),
                status('-', "Cancelled", ' ', StatusType::Cancelled),
                status('h', "On Hold", ' ', StatusType::OnHold),
            ],
        }
    }
}

impl Statuses {
    /// `statusSettings` of the plugin's settings: core statuses first, then custom ones; of two with one symbol the first counts.
    pub(super) fn from_settings(settings: &Value) -> Result<Statuses, SettingsError> {
        let mut statuses = Statuses { known: Vec::new() };
        for (list, fallback) in [("coreStatuses", true), ("customStatuses", false)] {
            match settings.get(list) {
                None | Some(Value::Null) if fallback => {
                    let defaults = Statuses::default().known;
                    defaults.into_iter().take(2).for_each(|status| statuses.add(status));
                }
                None | Some(Value::Null) => {}
                Some(Value::Array(items)) => {
                    for (number, item) in items.iter().enumerate() {
                        if let Some(status) = read(item, &format!("statusSettings.{list}[{number}]"))? {
                            statuses.add(status);
                        }
                    }
                }
                Some(_) => return Err(SettingsError::wrong(&format!("statusSettings.{list}"), "a list")),
            }
        }
        Ok(statuses)
    }

    fn add(&mut self, status: Status) {
        if self.known.iter().all(|known| known.symbol != status.symbol) {
            self.known.push(status);
        }
    }

    pub fn all(&self) -> &[Status] {
        &self.known
    }

    /// A symbol that nobody described is something to do; a capital X is done.
    pub fn of(&self, symbol: char) -> Status {
        if let Some(status) = self.known.iter().find(|status| status.symbol == symbol) {
            return status.clone();
        }
        let (name, next, kind) = match symbol {
            'x' | 'X' => ("Done", ' ', StatusType::Done),
            _ => ("Unknown", 'x', StatusType::Todo),
        };
        Status { symbol, name: name.into(), next, kind }
    }

    pub fn kind(&self, symbol: char) -> StatusType {
        match self.known.iter().find(|status| status.symbol == symbol) {
            Some(status) => status.kind,
            None if symbol == 'X' || symbol == 'x' => StatusType::Done,
            None => StatusType::Todo,
        }
    }

    /// The usual symbol if it is of this type, else the first that is described as of it.
    pub fn find_symbol(&self, kind: StatusType) -> Option<char> {
        let usual = match kind {
            StatusType::Todo => ' ',
            StatusType::Done => 'x',
            StatusType::InProgress => '/',
            StatusType::Cancelled => '-',
            StatusType::OnHold => 'h',
            StatusType::NonTask => 'Q',
        };
        if self.kind(usual) == kind {
            return Some(usual);
        }
        self.known.iter().find(|status| status.kind == kind).map(|status| status.symbol)
    }

    /// What the next task of a recurring one has, once this one is `done`: the first status on its way that is to do, else the
    /// first in progress, else an empty box.
    pub fn after_recurrence(&self, done: char) -> char {
        let next = |status: &Status| Some(self.of(status.next));
        let way: Vec<Status> = std::iter::successors(next(&self.of(done)), next).take(self.known.len().max(1)).collect();
        let first = |kind: StatusType| way.iter().find(|status| status.kind == kind);
        first(StatusType::Todo).or_else(|| first(StatusType::InProgress)).map_or(' ', |status| status.symbol)
    }
}

fn read(item: &Value, place: &str) -> Result<Option<Status>, SettingsError> {
    let text = |key: &str| match item.get(key) {
        Some(Value::String(text)) => Ok(text.as_str()),
        _ => Err(SettingsError::wrong(&format!("{place}.{key}"), "a text")),
    };
    let (symbol, next, name) = (text("symbol")?, text("nextStatusSymbol")?, text("name")?);
    // The plugin's settings page makes such entries for the user to fill in, and passes over them.
    let Some(symbol) = only_character(symbol) else { return Ok(None) };
    let kind = match item.get("type") {
        None | Some(Value::Null) => default_kind(symbol),
        Some(Value::String(kind)) => StatusType::find(kind).unwrap_or(StatusType::Todo),
        Some(_) => return Err(SettingsError::wrong(&format!("{place}.type"), "a text")),
    };
    Ok(Some(Status { symbol, name: name.into(), next: only_character(next).unwrap_or(' '), kind }))
}

fn only_character(text: &str) -> Option<char> {
    let mut characters = text.chars();
    let first = characters.next()?;
    characters.next().is_none().then_some(first)
}

fn default_kind(symbol: char) -> StatusType {
    match symbol {
        'x' | 'X' => StatusType::Done,
        '/' => StatusType::InProgress,
        '-' => StatusType::Cancelled,
        _ => StatusType::Todo,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statuses(chain: &[(char, char, StatusType)]) -> Statuses {
        let status = |(symbol, next, kind): &(char, char, StatusType)| Status {
            symbol: *symbol,
            name: "".into(),
            next: *next,
            kind: *kind,
        };
        Statuses { known: chain.iter().map(status).collect() }
    }

    #[test]
    fn the_next_task_is_to_do_if_any_status_on_the_way_is() {
        use StatusType::{Cancelled, Done, InProgress, Todo};
        let way = statuses(&[('x', '/', Done), ('/', '-', InProgress), ('-', '!', Cancelled), ('!', 'x', Todo)]);
        assert_eq!(way.after_recurrence('x'), '!', "in progress comes first, and to do is better");
        let started = statuses(&[('x', '-', Done), ('-', '/', Cancelled), ('/', 'x', InProgress)]);
        assert_eq!(started.after_recurrence('x'), '/');
        let ended = statuses(&[('x', '-', Done), ('-', 'x', Cancelled)]);
        assert_eq!(ended.after_recurrence('x'), ' ');
        assert_eq!(Statuses::default().after_recurrence('x'), ' ');
        assert_eq!(Statuses::default().find_symbol(StatusType::OnHold), Some('h'));
        assert_eq!(ended.find_symbol(StatusType::OnHold), None);
        assert_eq!(ended.find_symbol(StatusType::Todo), Some(' '));
    }
}
