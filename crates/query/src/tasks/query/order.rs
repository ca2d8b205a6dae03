//! What tasks can be sorted and grouped by.

use std::fmt;

use super::filter::DateKey;
use super::read_filter::begins;
use crate::tasks::DateField;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    Status,
    StatusName,
    StatusType,
    Date(DateKey),
    Description,
    Priority,
    Urgency,
    Recurring,
    Recurrence,
    /// For sorting: the nth tag, from 1.
    Tag(u32),
    Path,
    Root,
    Folder,
    Filename,
    Backlink,
    Heading,
    Id,
    /// Another order every day.
    Random,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    pub by: Property,
    pub reverse: bool,
}

pub(super) const DATES: [DateKey; 7] = [
    DateKey::One(DateField::Due),
    DateKey::One(DateField::Done),
    DateKey::One(DateField::Scheduled),
    DateKey::One(DateField::Start),
    DateKey::One(DateField::Created),
    DateKey::One(DateField::Cancelled),
    DateKey::Happens,
];

pub(super) const SORTABLE: [Property; 12] = [
    Property::Status,
    Property::StatusName,
    Property::StatusType,
    Property::Description,
    Property::Priority,
    Property::Urgency,
    Property::Recurring,
    Property::Path,
    Property::Filename,
    Property::Heading,
    Property::Id,
    Property::Random,
];

pub(super) const GROUPABLE: [Property; 14] = [
    Property::Status,
    Property::StatusName,
    Property::StatusType,
    Property::Priority,
    Property::Urgency,
    Property::Recurring,
    Property::Recurrence,
    Property::Path,
    Property::Root,
    Property::Folder,
    Property::Filename,
    Property::Backlink,
    Property::Heading,
    Property::Id,
];

impl Property {
    pub(super) fn name(self) -> &'static str {
        match self {
            Property::Status => "status",
            Property::StatusName => "status.name",
            Property::StatusType => "status.type",
            Property::Date(date) => date.name(),
            Property::Description => "description",
            Property::Priority => "priority",
            Property::Urgency => "urgency",
            Property::Recurring => "recurring",
            Property::Recurrence => "recurrence",
            Property::Tag(_) => "tag",
            Property::Path => "path",
            Property::Root => "root",
            Property::Folder => "folder",
            Property::Filename => "filename",
            Property::Backlink => "backlink",
            Property::Heading => "heading",
            Property::Id => "id",
            Property::Random => "random",
        }
    }
}

impl Order {
    /// What follows `sort by`.
    pub fn read_sort(text: &str) -> Result<Order, String> {
        let words = words(text);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        if let ["tag" | "tags", rest @ ..] = &words[..] {
            let reverse = rest.contains(&"reverse");
            let number = rest.iter().find(|word| **word != "reverse");
            let number = number.map_or(Ok(1), |number| number.parse::<u32>());
            return match number {
                Ok(number @ 1..=1000) => Ok(Order { by: Property::Tag(number), reverse }),
                _ => Err("write sort by tag, or sort by tag 2 for the second tag".into()),
            };
        }
        read("sort", &words, &SORTABLE, "tag")
    }

    /// What follows `group by`.
    pub fn read_group(text: &str) -> Result<Order, String> {
        let words = words(text);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        if let ["tag" | "tags", rest @ ..] = &words[..]
            && matches!(rest, [] | ["reverse"])
        {
            return Ok(Order { by: Property::Tag(0), reverse: !rest.is_empty() });
        }
        read("group", &words, &GROUPABLE, "tags")
    }

    pub(super) fn write(&self, verb: &str) -> String {
        let mut text = format!("{verb} by {}", self.by.name());
        if self.by == Property::Tag(0) {
            text.push('s');
        }
        if self.reverse {
            text.push_str(" reverse");
        }
        if let Property::Tag(number @ 2..) = self.by {
            text.push_str(&format!(" {number}"));
        }
        text
    }
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_lowercase).collect()
}

fn read(verb: &str, words: &[&str], known: &[Property], extra: &str) -> Result<Order, String> {
    let (name, reverse) = match words {
        [name] => (*name, false),
        [name, "reverse"] => (*name, true),
        _ => ("", false),
    };
    let mut all = known.iter().copied().chain(DATES.into_iter().map(Property::Date));
    if let Some(by) = all.find(|property| property.name() == name) {
        return Ok(Order { by, reverse });
    }
    let mut names: Vec<&str> = known.iter().copied().chain(DATES.into_iter().map(Property::Date)).map(Property::name).collect();
    names.push(extra);
    names.sort_unstable();
    let given = words.join(" ");
    Err(format!(
        "cannot {verb} by {given:?}; {verb} by one of {}, with reverse behind it for the other way round",
        names.join(", ")
    ))
}

/// Parts of the answer that can be hidden or shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Element {
    Tree,
    Tags,
    Id,
    DependsOn,
    Priority,
    RecurrenceRule,
    OnCompletion,
    Date(ElementDate),
    Urgency,
    Backlink,
    EditButton,
    PostponeButton,
    TaskCount,
    Toolbar,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ElementDate {
    Created,
    Start,
    Scheduled,
    Due,
    Cancelled,
    Done,
}

impl Element {
    pub const ALL: [(&'static str, Element); 19] = [
        ("tree", Element::Tree),
        ("tags", Element::Tags),
        ("id", Element::Id),
        ("depends on", Element::DependsOn),
        ("priority", Element::Priority),
        ("recurrence rule", Element::RecurrenceRule),
        ("on completion", Element::OnCompletion),
        ("created date", Element::Date(ElementDate::Created)),
        ("start date", Element::Date(ElementDate::Start)),
        ("scheduled date", Element::Date(ElementDate::Scheduled)),
        ("due date", Element::Date(ElementDate::Due)),
        ("cancelled date", Element::Date(ElementDate::Cancelled)),
        ("done date", Element::Date(ElementDate::Done)),
        ("urgency", Element::Urgency),
        ("backlink", Element::Backlink),
        ("edit button", Element::EditButton),
        ("postpone button", Element::PostponeButton),
        ("task count", Element::TaskCount),
        ("toolbar", Element::Toolbar),
    ];

    pub fn read(text: &str) -> Result<Element, String> {
        let text = words(text).join(" ");
        let found =
            Element::ALL.into_iter().find(|(name, _)| begins(&text, name).is_some_and(|rest| rest.is_empty() || rest == "s"));
        found.map(|(_, element)| element).ok_or_else(|| {
            let names: Vec<&str> = Element::ALL.iter().map(|(name, _)| *name).collect();
            format!("there is no {text:?} to hide or show; there are {}", names.join(", "))
        })
    }

    /// Without a line that says otherwise.
    pub fn is_shown_by_default(self) -> bool {
        !matches!(self, Element::Tree | Element::Urgency)
    }
}

impl fmt::Display for Element {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Element::ALL.iter().find(|(_, element)| element == self).map_or("", |(name, _)| name);
        formatter.write_str(name)
    }
}
