//! The conditions of a query that are not about words: tags, paths, properties, dates.

use quillgate_vault::NotePath;
use unicode_normalization::UnicodeNormalization;

use caseless::Caseless;

use super::dates::{DateRange, find_day};

/// What the filters ask of a note. The catalogue answers from its columns.
pub(crate) trait NoteFacts {
    fn path(&self) -> &NotePath;
    /// Whether `accept` takes one of the tags, of the text or the frontmatter, as written but without `#`.
    fn any_tag(&self, accept: &mut dyn FnMut(&str) -> bool) -> bool;
    /// Whether `accept` takes one of the values of a property, whatever the case of its key. A list gives its items;
    /// an empty list or property is one `Null`; a property that is not there gives nothing.
    fn any_value(&self, key: &str, accept: &mut dyn FnMut(PropertyValue<'_>) -> bool) -> bool;
    /// Nanoseconds since 1970, where the file system knows.
    fn created(&self) -> Option<i64>;
    /// Nanoseconds since 1970.
    fn modified(&self) -> i64;
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PropertyValue<'a> {
    Null,
    Truth(bool),
    Number(f64),
    Text(&'a str),
}

/// All texts are folded.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Filter {
    Everything,
    All(Vec<Filter>),
    Any(Vec<Filter>),
    Not(Box<Filter>),
    Tag(String),
    /// A part of the path; with a `/` at the end, folders only.
    Path(String),
    /// A part of the file's name.
    File(String),
    Property {
        key: String,
        test: Option<(Comparison, String)>,
    },
    Created(DateRange),
    Modified(DateRange),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    Unequal,
    Less,
    AtMost,
    More,
    AtLeast,
}

/// The longer signs first, since `>` begins `>=`.
pub(crate) const COMPARISONS: [(&str, Comparison); 6] = [
    (">=", Comparison::AtLeast),
    ("<=", Comparison::AtMost),
    ("!=", Comparison::Unequal),
    (">", Comparison::More),
    ("<", Comparison::Less),
    ("=", Comparison::Equal),
];

pub(crate) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.nfc().default_case_fold().nfc().collect()
}

impl Filter {
    pub(crate) fn passes(&self, note: &dyn NoteFacts) -> bool {
        match self {
            Filter::Everything => true,
            Filter::All(filters) => filters.iter().all(|filter| filter.passes(note)),
            Filter::Any(filters) => filters.iter().any(|filter| filter.passes(note)),
            Filter::Not(filter) => !filter.passes(note),
            Filter::Tag(wanted) => note.any_tag(&mut |tag| is_tag_or_below(tag, wanted)),
            Filter::Path(wanted) => path_contains(note.path().as_str(), wanted),
            Filter::File(wanted) => fold(note.path().name()).contains(wanted.as_str()),
            Filter::Property { key, test: None } => note.any_value(key, &mut |_| true),
            Filter::Property { key, test: Some((Comparison::Unequal, wanted)) } => {
                !note.any_value(key, &mut |value| holds(value, Comparison::Equal, wanted))
            }
            Filter::Property { key, test: Some((comparison, wanted)) } => {
                note.any_value(key, &mut |value| holds(value, *comparison, wanted))
            }
            Filter::Created(range) => was_created(note, range),
            Filter::Modified(range) => range.contains_moment(note.modified()),
        }
    }

    pub(crate) fn describe(&self) -> String {
        let join = |filters: &[Filter], word| filters.iter().map(Filter::describe).collect::<Vec<_>>().join(word);
        match self {
            Filter::Everything => "any note".to_owned(),
            Filter::All(filters) => join(filters, " and "),
            Filter::Any(filters) => format!("({})", join(filters, " or ")),
            Filter::Not(filter) => format!("not ({})", filter.describe()),
            Filter::Tag(tag) => format!("tag #{tag} or below"),
            Filter::Path(text) if text.ends_with('/') => format!("in a folder \"{text}\""),
            Filter::Path(text) => format!("path contains \"{text}\""),
            Filter::File(text) => format!("file name contains \"{text}\""),
            Filter::Property { key, test: None } => format!("property \"{key}\" is there"),
            Filter::Property { key, test: Some((comparison, value)) } => {
                let sign = COMPARISONS.iter().find(|(_, other)| other == comparison).map_or("", |(sign, _)| sign);
                format!("property \"{key}\" {sign} \"{value}\"")
            }
            Filter::Created(range) => format!("created {}", range.describe()),
            Filter::Modified(range) => format!("modified {}", range.describe()),
        }
    }
}

fn is_tag_or_below(tag: &str, wanted: &str) -> bool {
    let tag = fold(tag);
    tag.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// `a/` is the folder `a` and everything below, wherever it is; `/a/` only at the top.
fn path_contains(path: &str, wanted: &str) -> bool {
    let path = fold(path);
    if let Some(from_top) = wanted.strip_prefix('/') {
        return path.starts_with(from_top);
    }
    if wanted.ends_with('/') {
        return path.starts_with(wanted) || path.contains(&format!("/{wanted}"));
    }
    path.contains(wanted)
}

/// The property `created` is what the writer says; the file's own date changes with every copy.
fn was_created(note: &dyn NoteFacts, range: &DateRange) -> bool {
    let mut written = None;
    note.any_value("created", &mut |value| {
        if let PropertyValue::Text(text) = value {
            written = find_day(text);
        }
        written.is_some()
    });
    match written {
        Some(day) => range.contains_day(day),
        None => note.created().is_some_and(|moment| range.contains_moment(moment)),
    }
}

/// Numbers are compared as numbers, everything else as folded text, in which dates are in order too.
fn holds(value: PropertyValue<'_>, comparison: Comparison, wanted: &str) -> bool {
    let order = match value {
        PropertyValue::Null => return comparison == Comparison::Equal && matches!(wanted, "" | "null"),
        PropertyValue::Truth(truth) => return comparison == Comparison::Equal && wanted == if truth { "true" } else { "false" },
        PropertyValue::Number(number) => wanted.parse().ok().and_then(|wanted: f64| number.partial_cmp(&wanted)),
        PropertyValue::Text(text) => match (text.trim().parse::<f64>(), wanted.parse::<f64>()) {
            (Ok(number), Ok(wanted)) => number.partial_cmp(&wanted),
            _ => Some(fold(inside_link(text)).as_str().cmp(wanted)),
        },
    };
    let Some(order) = order else { return false };
    match comparison {
        Comparison::Equal => order.is_eq(),
        Comparison::Unequal => order.is_ne(),
        Comparison::Less => order.is_lt(),
        Comparison::AtMost => order.is_le(),
        Comparison::More => order.is_gt(),
        Comparison::AtLeast => order.is_ge(),
    }
}

/// `[[Ada]]` is asked for as `Ada`.
fn inside_link(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix("[[").and_then(|text| text.strip_suffix("]]")).unwrap_or(text)
}
