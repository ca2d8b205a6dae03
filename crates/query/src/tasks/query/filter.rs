//! What a filter of a query asks, and how it is written.

use std::fmt;

use memchr::memmem::Finder;

use super::dates::DayRange;
use crate::Pattern;
use crate::tasks::{DateField, Priority, StatusType};

#[derive(Debug, PartialEq)]
pub enum Filter {
    /// `done`, `not done`
    Finished(bool),
    StatusType {
        kind: StatusType,
        is: bool,
    },
    Recurring(bool),
    Blocking(bool),
    Blocked(bool),
    HasTags(bool),
    HasId(bool),
    HasDependencies(bool),
    /// `exclude sub-items`
    Outermost,
    Priority {
        relation: PriorityRelation,
        priority: Priority,
    },
    HasDate {
        date: DateKey,
        has: bool,
    },
    InvalidDate(DateField),
    Date {
        date: DateKey,
        relation: DateRelation,
        text: Box<str>,
        range: DayRange,
    },
    Text {
        field: TextField,
        negated: bool,
        test: TextTest,
    },
    Not(Box<Filter>),
    And(Box<Filter>, Box<Filter>),
    Or(Box<Filter>, Box<Filter>),
    Xor(Box<Filter>, Box<Filter>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PriorityRelation {
    Is,
    IsNot,
    Above,
    Below,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateKey {
    One(DateField),
    /// Any of start, scheduled and due.
    Happens,
}

impl DateKey {
    pub fn name(self) -> &'static str {
        match self {
            DateKey::One(field) => field.name(),
            DateKey::Happens => "happens",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateRelation {
    On,
    Before,
    After,
    OnOrBefore,
    OnOrAfter,
}

impl DateRelation {
    fn name(self) -> &'static str {
        match self {
            DateRelation::On => "",
            DateRelation::Before => "before ",
            DateRelation::After => "after ",
            DateRelation::OnOrBefore => "on or before ",
            DateRelation::OnOrAfter => "on or after ",
        }
    }

    pub(in crate::tasks) fn holds(self, day: i32, range: DayRange) -> bool {
        match self {
            DateRelation::On => range.from <= day && day <= range.to,
            DateRelation::Before => day < range.from,
            DateRelation::After => day > range.to,
            DateRelation::OnOrBefore => day <= range.to,
            DateRelation::OnOrAfter => day >= range.from,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextField {
    StatusName,
    Description,
    Heading,
    Path,
    Root,
    Folder,
    Filename,
    Tags,
    Recurrence,
    Id,
}

impl TextField {
    pub const ALL: [TextField; 10] = [
        TextField::StatusName,
        TextField::Description,
        TextField::Heading,
        TextField::Path,
        TextField::Root,
        TextField::Folder,
        TextField::Filename,
        TextField::Tags,
        TextField::Recurrence,
        TextField::Id,
    ];

    pub fn name(self) -> &'static str {
        match self {
            TextField::StatusName => "status.name",
            TextField::Description => "description",
            TextField::Heading => "heading",
            TextField::Path => "path",
            TextField::Root => "root",
            TextField::Folder => "folder",
            TextField::Filename => "filename",
            TextField::Tags => "tags",
            TextField::Recurrence => "recurrence",
            TextField::Id => "id",
        }
    }
}

#[derive(Debug)]
pub enum TextTest {
    /// Case does not matter; `folded` looks for the text in lower case.
    Includes {
        text: Box<str>,
        folded: Box<Finder<'static>>,
    },
    Matches(Pattern),
}

impl PartialEq for TextTest {
    fn eq(&self, other: &TextTest) -> bool {
        match (self, other) {
            (TextTest::Includes { text: one, .. }, TextTest::Includes { text: other, .. }) => one == other,
            (TextTest::Matches(one), TextTest::Matches(other)) => one.source() == other.source() && one.flags() == other.flags(),
            _ => false,
        }
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let not = |is: bool| if is { "" } else { "not " };
        let has = |has: bool| if has { "has" } else { "no" };
        match self {
            Filter::Finished(is) => write!(formatter, "{}done", not(*is)),
            Filter::StatusType { kind, is } => write!(formatter, "status.type is {}{}", not(*is), kind.name()),
            Filter::Recurring(is) => write!(formatter, "is {}recurring", not(*is)),
            Filter::Blocking(is) => write!(formatter, "is {}blocking", not(*is)),
            Filter::Blocked(is) => write!(formatter, "is {}blocked", not(*is)),
            Filter::HasTags(is) => write!(formatter, "{} tags", has(*is)),
            Filter::HasId(is) => write!(formatter, "{} id", has(*is)),
            Filter::HasDependencies(is) => write!(formatter, "{} depends on", has(*is)),
            Filter::Outermost => formatter.write_str("exclude sub-items"),
            Filter::Priority { relation, priority } => {
                let relation = match relation {
                    PriorityRelation::Is => "",
                    PriorityRelation::IsNot => "not ",
                    PriorityRelation::Above => "above ",
                    PriorityRelation::Below => "below ",
                };
                write!(formatter, "priority is {relation}{}", priority.name())
            }
            Filter::HasDate { date, has: is } => write!(formatter, "{} {} date", has(*is), date.name()),
            Filter::InvalidDate(field) => write!(formatter, "{} date is invalid", field.name()),
            Filter::Date { date, relation, text, .. } => {
                let name = if *date == DateKey::One(DateField::Start) { "starts" } else { date.name() };
                write!(formatter, "{name} {}{text}", relation.name())
            }
            Filter::Text { field, negated, test } => write_text(formatter, *field, *negated, test),
            Filter::Not(inner) => write!(formatter, "NOT ({inner})"),
            Filter::And(one, other) => write!(formatter, "({one}) AND ({other})"),
            Filter::Or(one, other) => write!(formatter, "({one}) OR ({other})"),
            Filter::Xor(one, other) => write!(formatter, "({one}) XOR ({other})"),
        }
    }
}

fn write_text(formatter: &mut fmt::Formatter<'_>, field: TextField, negated: bool, test: &TextTest) -> fmt::Result {
    let plural = field == TextField::Tags;
    match test {
        TextTest::Includes { text, .. } => {
            let verb = match (plural, negated) {
                (false, false) => "includes",
                (false, true) => "does not include",
                (true, false) => "include",
                (true, true) => "do not include",
            };
            write!(formatter, "{} {verb} {text}", field.name())
        }
        TextTest::Matches(pattern) => {
            let verb = if negated { "regex does not match" } else { "regex matches" };
            write!(formatter, "{} {verb} /{}/{}", field.name(), pattern.source(), pattern.flags())
        }
    }
}
