//! `file.name`, `file.tags` and everything else that a page has without anybody writing it.

use std::sync::Arc;

use jiff::Timestamp;
use quillgate_index::FileId;

use super::column::standing_in;
use super::row::{Lazy, file_link};
use super::world::World;
use crate::date::{Date, Zone};
use crate::value::{Link, Value};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileField {
    Path,
    Folder,
    Name,
    Link,
    Outlinks,
    Inlinks,
    ExactTags,
    Tags,
    Aliases,
    Lists,
    Tasks,
    Created,
    CreatedDay,
    Modified,
    ModifiedDay,
    Size,
    Starred,
    Frontmatter,
    Extension,
    Day,
}

pub(super) const NAMES: [(&str, FileField); 20] = [
    ("path", FileField::Path),
    ("folder", FileField::Folder),
    ("name", FileField::Name),
    ("link", FileField::Link),
    ("outlinks", FileField::Outlinks),
    ("inlinks", FileField::Inlinks),
    ("etags", FileField::ExactTags),
    ("tags", FileField::Tags),
    ("aliases", FileField::Aliases),
    ("lists", FileField::Lists),
    ("tasks", FileField::Tasks),
    ("ctime", FileField::Created),
    ("cday", FileField::CreatedDay),
    ("mtime", FileField::Modified),
    ("mday", FileField::ModifiedDay),
    ("size", FileField::Size),
    ("starred", FileField::Starred),
    ("frontmatter", FileField::Frontmatter),
    ("ext", FileField::Extension),
    ("day", FileField::Day),
];

impl FileField {
    pub(crate) fn find(name: &str) -> Option<FileField> {
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, field)| *field)
    }

    pub(crate) fn names() -> Vec<Arc<str>> {
        NAMES.iter().map(|(name, _)| Arc::from(*name)).collect()
    }

    pub(crate) fn value(self, world: &World<'_>, file: FileId) -> Value {
        let Some(entry) = world.catalogue.entry(file) else { return Value::Null };
        let path = entry.path.as_str();
        match self {
            FileField::Path => Value::from(path),
            FileField::Folder => Value::from(path.rsplit_once('/').map_or("", |(folder, _)| folder)),
            FileField::Name => Value::from(title(path)),
            FileField::Link => file_link(world, file),
            FileField::Outlinks => {
                Value::list(world.page(file).links.iter().map(|link| normalized_link(world, link, file)).collect())
            }
            FileField::Inlinks => {
                Value::list(world.catalogue.sources_of(file).into_iter().map(|source| file_link(world, source)).collect())
            }
            FileField::ExactTags => world.tags().find(file).cloned().unwrap_or_else(|| Value::list(Vec::new())),
            FileField::Tags => expanded_tags(world.tags().find(file).and_then(Value::as_list).unwrap_or_default()),
            FileField::Aliases => Value::list(world.page(file).aliases.iter().cloned().map(Value::Text).collect()),
            FileField::Lists => items(world, file, false),
            FileField::Tasks => items(world, file, true),
            FileField::Created => time(world, entry.created()),
            FileField::CreatedDay => day_of(time(world, entry.created())),
            FileField::Modified => time(world, entry.stat.modified),
            FileField::ModifiedDay => day_of(time(world, entry.stat.modified)),
            FileField::Size => Value::Number(entry.stat.size as f64),
            FileField::Starred => Value::Bool(world.is_starred(file)),
            FileField::Frontmatter => standing_in(Value::Object(world.page(file).frontmatter.clone()), file),
            FileField::Extension => Value::from(path.rsplit_once('.').map_or("", |(_, extension)| extension)),
            FileField::Day => day(world, file, path),
        }
    }
}

/// The name of a file as links show it.
pub(crate) fn title(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".md").unwrap_or(name)
}

/// With the whole path of the file that it means.
pub(crate) fn normalized_link(world: &World<'_>, link: &Link, file: FileId) -> Value {
    let link = Link { source: Some(file), ..link.clone() };
    let path = world.full_path(&link).into();
    Value::Link(Arc::new(Link { path, ..link }))
}

fn items(world: &World<'_>, file: FileId, only_tasks: bool) -> Value {
    let page = world.list_items(file);
    let places = (0..page.items.len()).filter(|&place| !only_tasks || page.items[place].is_task());
    Value::list(places.map(|place| Lazy::Item(file, place).value()).collect())
}

/// Every tag with those above it.
fn expanded_tags(tags: &[Value]) -> Value {
    let mut expanded: Vec<Value> = Vec::with_capacity(tags.len());
    for tag in tags.iter().filter_map(Value::as_text) {
        let ends = tag.match_indices('/').map(|(at, _)| at).chain([tag.len()]);
        for part in ends.map(|end| &tag[..end]) {
            if !expanded.iter().any(|known| known.as_text() == Some(part)) {
                expanded.push(Value::from(part));
            }
        }
    }
    Value::list(expanded)
}

fn time(world: &World<'_>, nanoseconds: i64) -> Value {
    let milliseconds = nanoseconds.div_euclid(1_000_000);
    let moment = Timestamp::from_millisecond(milliseconds).unwrap_or_default();
    Value::Date(Date::of(moment, &world.local))
}

pub(crate) fn day_of(value: Value) -> Value {
    let Value::Date(date) = value else { return value };
    Value::Date(Date { at: date.at.date().to_datetime(jiff::civil::Time::midnight()), zone: Zone::Local, has_time: false })
}

/// A date that the page's `date` or `day` says, or its name.
fn day(world: &World<'_>, file: FileId, path: &str) -> Value {
    let first = |value: Value| match value {
        Value::Date(date) => Some(date),
        Value::List(items) => match items.first() {
            Some(Value::Date(date)) => Some(*date),
            _ => None,
        },
        Value::Link(link) => {
            let texts = [Some(&*link.path), link.subpath.as_deref(), link.display.as_deref()];
            texts.into_iter().flatten().find_map(date_in)
        }
        _ => None,
    };
    let said = world.day_columns().iter().find_map(|column| first(column.find(file)));
    said.or_else(|| date_in(title(path))).map_or(Value::Null, Value::Date)
}

/// The first `YYYY-MM-DD` in a text, or else the first `YYYYMMDD`.
pub(crate) fn date_in(text: &str) -> Option<Date> {
    let bytes = text.as_bytes();
    let is_shaped = |window: &[u8], shape: &[u8]| {
        window.iter().zip(shape).all(|(byte, sign)| if *sign == b'0' { byte.is_ascii_digit() } else { byte == sign })
    };
    let find = |shape: &[u8]| bytes.windows(shape.len()).find(|window| is_shaped(window, shape));
    let found = find(b"0000-00-00").or_else(|| find(b"00000000"))?;
    let digits: Vec<i16> = found.iter().filter(|byte| byte.is_ascii_digit()).map(|byte| i16::from(byte - b'0')).collect();
    let number = |range: std::ops::Range<usize>| digits[range].iter().fold(0, |sum, digit| sum * 10 + digit);
    let day = jiff::civil::Date::new(number(0..4), i8::try_from(number(4..6)).ok()?, i8::try_from(number(6..8)).ok()?).ok()?;
    Some(Date { at: day.to_datetime(jiff::civil::Time::midnight()), zone: Zone::Local, has_time: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_their_day() {
        let check = |text, expected: Option<&str>| {
            assert_eq!(date_in(text).map(|date| date.at.date().to_string()).as_deref(), expected, "{text}");
        };
        check("2024-01-31 standup", Some("2024-01-31"));
        check("meeting 20240131", Some("2024-01-31"));
        check("v12345678901", None);
        check("2024-13-01", None);
        check("plan", None);
    }

    #[test]
    fn tags_come_with_those_above_them() {
        let tags = expanded_tags(&[Value::from("#A/b/c"), Value::from("#A/d")]);
        let tags: Vec<&str> = tags.as_list().expect("a list").iter().filter_map(Value::as_text).collect();
        assert_eq!(tags, ["#A", "#A/b", "#A/b/c", "#A/d"]);
    }
}
