//! Groups of tasks under headings, level by level.

use std::collections::HashMap;

use super::day::Day;
use super::query::statements::{folder, root, without_extension};
use super::query::{DateKey, Order, Property};
use super::run::{Row, World, priority_name};
use crate::collate::natural_key;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskGroup {
    /// One name for each `group by`, from the outermost.
    pub names: Vec<String>,
    /// Places of its tasks in the answer's rows.
    pub rows: Vec<usize>,
}

/// A name, and what stands hidden before it to put it in order.
type Name = (String, String);

pub(super) fn group<'a>(grouping: &[Order], limit: Option<usize>, rows: &[Row<'a>], world: &World<'a>) -> Vec<TaskGroup> {
    let mut groups: Vec<(Vec<Name>, Vec<usize>)> = vec![(Vec::new(), (0..rows.len()).collect())];
    for order in grouping {
        let mut deeper = Vec::new();
        for (names, members) in groups {
            let mut found: Vec<(Name, Vec<usize>)> = Vec::new();
            let mut places: HashMap<Name, usize> = HashMap::new();
            for row in members {
                for name in group_names(order.by, &rows[row], world) {
                    let place = *places.entry(name.clone()).or_insert(found.len());
                    if place == found.len() {
                        found.push((name, Vec::new()));
                    }
                    found[place].1.push(row);
                }
            }
            // Urgent tasks first, unless the other way round is asked for.
            let reverse = order.reverse != (order.by == Property::Urgency);
            found.sort_by_cached_key(|((hidden, name), _)| natural_key(&format!("{hidden}{name}")));
            if reverse {
                found.reverse();
            }
            deeper.extend(found.into_iter().map(|(name, members)| {
                let mut names = names.clone();
                names.push(name);
                (names, members)
            }));
        }
        groups = deeper;
    }
    let finish = |(names, mut rows): (Vec<Name>, Vec<usize>)| {
        rows.truncate(limit.unwrap_or(usize::MAX));
        TaskGroup { names: names.into_iter().map(|(_, name)| name).collect(), rows }
    };
    groups.into_iter().filter(|(_, rows)| !rows.is_empty()).map(finish).collect()
}

fn group_names<'a>(by: Property, row: &Row<'a>, world: &World<'a>) -> Vec<Name> {
    let plain = |name: &str| vec![(String::new(), name.to_owned())];
    let hidden = |order: usize, name: &str| vec![(format!("{order} "), name.to_owned())];
    match by {
        Property::Status => plain(if row.item.is_unchecked() { "Todo" } else { "Done" }),
        Property::StatusName => plain(&world.settings.statuses.of(row.item.status).name),
        Property::StatusType => {
            let kind = world.kind(row.item);
            hidden(kind as usize, kind.name())
        }
        Property::Date(key) => date_name(key, row),
        Property::Priority => {
            hidden(row.item.task.priority as usize, &format!("{} priority", priority_name(row.item.task.priority)))
        }
        Property::Urgency => {
            let urgency = Day::from_number(world.today).map_or(0.0, |today| row.urgency(today));
            vec![(format!("{:09} ", ((urgency + 100.0) * 1000.0) as u64), format!("{urgency:.2}"))]
        }
        Property::Recurring => plain(if row.item.task.rule().is_some() { "Recurring" } else { "Not Recurring" }),
        Property::Recurrence => plain(&row.item.task.rule().map_or("None".to_owned(), |rule| rule.to_text())),
        Property::Tag(_) => {
            let tags: Vec<Name> = world.tags(row).map(|tag| (String::new(), tag.to_owned())).collect();
            if tags.is_empty() { plain("(No tags)") } else { tags }
        }
        Property::Path => plain(without_extension(row.path)),
        Property::Root => plain(root(row.path)),
        Property::Folder => plain(folder(row.path)),
        Property::Filename => plain(&format!("[[{}]]", without_extension(row.filename()))),
        Property::Backlink => {
            let name = without_extension(row.filename());
            match row.heading() {
                Some(heading) if heading != name => plain(&format!("[[{name}#{heading}|{name} > {heading}]]")),
                _ => plain(&format!("[[{name}]]")),
            }
        }
        Property::Heading => plain(row.heading().unwrap_or("(No heading)")),
        Property::Id => plain(row.item.task.id.as_deref().unwrap_or_default()),
        Property::Description | Property::Random => plain(""),
    }
}

fn date_name(key: DateKey, row: &Row<'_>) -> Vec<Name> {
    let day = match key {
        DateKey::One(field) => row.date(field),
        DateKey::Happens => row.happens(),
    };
    let name = match (day, day.and_then(Day::date)) {
        (None, _) => return vec![(String::new(), format!("No {} date", key.name()))],
        (Some(_), None) => return vec![("%%0%% ".into(), format!("Invalid {} date", key.name()))],
        (Some(day), Some(date)) => format!("{day} {}", date.strftime("%A")),
    };
    vec![(String::new(), name)]
}

impl TaskGroup {
    /// All names as one.
    pub fn key(&self) -> String {
        self.names.join(" / ")
    }
}
