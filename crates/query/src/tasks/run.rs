//! Answers a query over the tasks of notes, on all cores.

use std::collections::HashSet;
use std::ops::Range;

use jiff::civil::Date;

use super::day::Day;
use super::groups::{TaskGroup, group};
use super::line::is_outermost;
use super::note_tasks::{NoteTask, NoteTasks};
use super::query::statements::{folder, root};
use super::query::{DateKey, Filter, Order, PriorityRelation, Property, Query, TextField, TextTest};
use super::settings::Settings;
use super::status::StatusType;
use super::task::{DateField, Priority};
use super::urgency::urgency;
use crate::collate::natural_key;
use crate::cores;
use crate::{Budget, Fault, Steps};

/// A task that was found.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    pub path: &'a str,
    pub note: &'a NoteTasks,
    pub item: &'a NoteTask,
    /// Scheduled by the note's name.
    pub inferred: Option<Day>,
    /// Which of the notes it is in.
    place: usize,
}

#[derive(Debug)]
pub struct TaskAnswer<'a> {
    /// In the order of the query, within its limit.
    pub rows: Vec<Row<'a>>,
    /// How many there are without the limit.
    pub total: usize,
    /// One without a name if the query does not group.
    pub groups: Vec<TaskGroup>,
}

/// What all threads know.
pub(super) struct World<'a> {
    pub(super) settings: &'a Settings,
    pub(super) today: i32,
    pub(super) day: Date,
    open_ids: HashSet<&'a str>,
    awaited_ids: HashSet<&'a str>,
}

impl<'a> Row<'a> {
    pub fn heading(&self) -> Option<&'a str> {
        self.note.heading(self.item)
    }

    pub fn date(&self, field: DateField) -> Option<Day> {
        self.item.task.date(field).or(if field == DateField::Scheduled { self.inferred } else { None })
    }

    /// The earliest of start, scheduled and due, of those that exist.
    pub fn happens(&self) -> Option<Day> {
        HAPPENS.into_iter().filter_map(|field| self.date(field)).filter(|day| day.is_valid()).min_by_key(|day| day.order())
    }

    pub fn urgency(&self, today: Day) -> f64 {
        let [start, scheduled, due] = HAPPENS.map(|field| self.date(field));
        urgency(self.item.task.priority, start, scheduled, due, today.number().unwrap_or(0))
    }

    pub(super) fn filename(&self) -> &'a str {
        self.path.rsplit('/').next().unwrap_or(self.path)
    }
}

const HAPPENS: [DateField; 3] = [DateField::Start, DateField::Scheduled, DateField::Due];

/// Over the tasks of these notes, in any order.
pub fn run<'a>(
    query: &Query,
    notes: &[&'a NoteTasks],
    settings: &'a Settings,
    today: Date,
    budget: &Budget,
) -> Result<TaskAnswer<'a>, Fault> {
    let needs_ids = query.filters.iter().any(asks_for_others);
    let world = World::new(notes, settings, today, needs_ids);
    let sorting = whole_sorting(&query.sorting);
    let (of_notes, of_tasks) = query.filters.iter().partition(|filter| is_about_notes(filter));
    let wanted = Wanted { of_notes, of_tasks, sorting: &sorting };
    let parts = cores::in_parts(notes.len(), NOTES_PER_THREAD, |places| part(&wanted, notes, places, &world, &budget.steps()));
    let (mut rows, mut keys) = (Vec::new(), Vec::new());
    for part in parts {
        let part = part?;
        rows.extend(part.rows);
        keys.extend(part.keys);
    }
    rank_paths(&rows, notes, &sorting, &mut keys);
    rank_texts(&rows, &sorting, &mut keys, &world);
    let width = sorting.len();
    let key = |row: usize| &keys[row * width..(row + 1) * width];
    let total = rows.len();
    let order = cores::first_in_order(total, query.limit.unwrap_or(total), |one, other| key(one).cmp(key(other)));
    let rows: Vec<Row<'a>> = order.into_iter().map(|row| rows[row as usize]).collect();
    // Without groups their limit says nothing.
    let group_limit = query.group_limit.filter(|_| !query.grouping.is_empty());
    let groups = group(&query.grouping, group_limit, &rows, &world);
    Ok(TaskAnswer { rows, total, groups })
}

/// Below this many notes a second thread costs more than it brings.
const NOTES_PER_THREAD: usize = 256;

/// What a query asks of each task.
struct Wanted<'q> {
    /// The same for all tasks of a note.
    of_notes: Vec<&'q Filter>,
    of_tasks: Vec<&'q Filter>,
    sorting: &'q [Order],
}

struct Part<'a> {
    rows: Vec<Row<'a>>,
    keys: Vec<u64>,
}

fn part<'a>(
    wanted: &Wanted<'_>,
    notes: &[&'a NoteTasks],
    places: Range<usize>,
    world: &World<'a>,
    steps: &Steps<'_>,
) -> Result<Part<'a>, Fault> {
    let mut part = Part { rows: Vec::new(), keys: Vec::new() };
    for place in places {
        let note = notes[place];
        steps.spend(1 + wanted.of_notes.len() as u64)?;
        let Some(item) = note.tasks.first() else { continue };
        let any = Row { path: &note.path, note, item, inferred: None, place };
        if !world.fits_all(&wanted.of_notes, &any, steps)? {
            continue;
        }
        let by_name = world.settings.date_of_name(&note.path, world.day);
        for item in &note.tasks {
            steps.spend(1 + wanted.of_tasks.len() as u64)?;
            let is_undated = item.task.occurrence() == Default::default();
            let inferred = by_name.filter(|_| is_undated);
            let row = Row { path: &note.path, note, item, inferred, place };
            if world.settings.is_task(&item.task) && world.fits_all(&wanted.of_tasks, &row, steps)? {
                part.keys.extend(wanted.sorting.iter().map(|order| world.sort_key(*order, &row)));
                part.rows.push(row);
            }
        }
    }
    Ok(part)
}

/// What the query says, then what the plugin adds.
fn whole_sorting(sorting: &[Order]) -> Vec<Order> {
    let usual = [
        Property::StatusType,
        Property::Urgency,
        Property::Date(DateKey::One(DateField::Due)),
        Property::Priority,
        Property::Path,
    ];
    sorting.iter().copied().chain(usual.map(|by| Order { by, reverse: false })).collect()
}

/// Whether a filter looks at nothing but where a task stands.
fn is_about_notes(filter: &Filter) -> bool {
    match filter {
        Filter::Text { field, .. } => path_part(*field, "").is_some(),
        Filter::Not(inner) => is_about_notes(inner),
        Filter::And(one, other) | Filter::Or(one, other) | Filter::Xor(one, other) => {
            is_about_notes(one) && is_about_notes(other)
        }
        _ => false,
    }
}

fn asks_for_others(filter: &Filter) -> bool {
    match filter {
        Filter::Blocked(_) | Filter::Blocking(_) => true,
        Filter::Not(inner) => asks_for_others(inner),
        Filter::And(one, other) | Filter::Or(one, other) | Filter::Xor(one, other) => {
            asks_for_others(one) || asks_for_others(other)
        }
        _ => false,
    }
}

impl<'a> World<'a> {
    fn new(notes: &[&'a NoteTasks], settings: &'a Settings, today: Date, needs_ids: bool) -> World<'a> {
        let mut world = World {
            settings,
            today: Day::of(today).number().unwrap_or(0),
            day: today,
            open_ids: HashSet::new(),
            awaited_ids: HashSet::new(),
        };
        let items = notes.iter().flat_map(|note| &note.tasks).filter(|_| needs_ids);
        for item in items {
            if !world.kind(item).is_finished() && settings.is_task(&item.task) {
                world.open_ids.extend(item.task.id.as_deref());
                world.awaited_ids.extend(item.task.depends_on.iter().map(|id| &**id));
            }
        }
        world
    }

    pub(super) fn kind(&self, item: &NoteTask) -> StatusType {
        self.settings.statuses.kind(item.status)
    }

    pub(super) fn tags<'t>(&self, row: &Row<'t>) -> impl Iterator<Item = &'t str> {
        let filter = self.settings.global_filter.clone();
        row.item.task.tags().filter(move |tag| **tag != *filter)
    }

    /// The description without the global filter.
    pub(super) fn description(&self, row: &Row<'a>) -> std::borrow::Cow<'a, str> {
        let filter = &*self.settings.global_filter;
        if filter.is_empty() {
            return (&*row.item.task.description).into();
        }
        row.item.task.description.replacen(filter, "", 1).trim().to_owned().into()
    }

    fn fits_all(&self, filters: &[&Filter], row: &Row<'a>, steps: &Steps<'_>) -> Result<bool, Fault> {
        for filter in filters {
            if !self.fits(filter, row, steps)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn fits(&self, filter: &Filter, row: &Row<'a>, steps: &Steps<'_>) -> Result<bool, Fault> {
        let task = &row.item.task;
        Ok(match filter {
            Filter::Finished(is) => self.kind(row.item).is_finished() == *is,
            Filter::StatusType { kind, is } => (self.kind(row.item) == *kind) == *is,
            Filter::Recurring(is) => task.rule().is_some() == *is,
            Filter::Blocking(is) => self.is_blocking(row) == *is,
            Filter::Blocked(is) => self.is_blocked(row) == *is,
            Filter::HasTags(has) => self.tags(row).next().is_some() == *has,
            Filter::HasId(has) => task.id.is_some() == *has,
            Filter::HasDependencies(has) => task.depends_on.is_empty() != *has,
            Filter::Outermost => is_outermost(&row.item.indentation),
            Filter::Priority { relation, priority } => match relation {
                PriorityRelation::Is => task.priority == *priority,
                PriorityRelation::IsNot => task.priority != *priority,
                PriorityRelation::Above => task.priority < *priority,
                PriorityRelation::Below => task.priority > *priority,
            },
            Filter::HasDate { date, has } => match date {
                DateKey::One(field) => row.date(*field).is_some() == *has,
                DateKey::Happens => HAPPENS.into_iter().any(|field| row.date(field).is_some()) == *has,
            },
            Filter::InvalidDate(field) => row.date(*field).is_some_and(|day| !day.is_valid()),
            Filter::Date { date, relation, range, .. } => {
                let holds = |day: Day| day.number().is_some_and(|day| relation.holds(day, *range));
                match date {
                    // A task without a start can be started.
                    DateKey::One(DateField::Start) => row.date(DateField::Start).is_none_or(holds),
                    DateKey::One(field) => row.date(*field).is_some_and(holds),
                    DateKey::Happens => HAPPENS.into_iter().filter_map(|field| row.date(field)).any(holds),
                }
            }
            Filter::Text { field, negated, test } => {
                steps.spend(4)?;
                self.text_fits(*field, test, row, steps)? != *negated
            }
            Filter::Not(inner) => !self.fits(inner, row, steps)?,
            Filter::And(one, other) => self.fits(one, row, steps)? && self.fits(other, row, steps)?,
            Filter::Or(one, other) => self.fits(one, row, steps)? || self.fits(other, row, steps)?,
            Filter::Xor(one, other) => self.fits(one, row, steps)? != self.fits(other, row, steps)?,
        })
    }

    fn text_fits(&self, field: TextField, test: &TextTest, row: &Row<'a>, steps: &Steps<'_>) -> Result<bool, Fault> {
        // Paths are kept in lower case too.
        if let TextTest::Includes { folded, .. } = test
            && let Some(text) = path_part(field, &row.note.folded_path)
        {
            return Ok(folded.find(text.as_bytes()).is_some());
        }
        let holds = |text: &str| match test {
            TextTest::Includes { folded, .. } => Ok(folded.find(text.to_lowercase().as_bytes()).is_some()),
            TextTest::Matches(pattern) => pattern.is_match(text, steps),
        };
        match field {
            TextField::StatusName => holds(&self.settings.statuses.of(row.item.status).name),
            TextField::Description => holds(&self.description(row)),
            TextField::Heading => holds(row.heading().unwrap_or_default()),
            TextField::Recurrence => holds(&row.item.task.rule().map(|rule| rule.to_text()).unwrap_or_default()),
            TextField::Id => holds(row.item.task.id.as_deref().unwrap_or_default()),
            TextField::Tags => {
                for tag in self.tags(row) {
                    if holds(tag)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            TextField::Path | TextField::Root | TextField::Folder | TextField::Filename => {
                holds(path_part(field, row.path).unwrap_or_default())
            }
        }
    }

    fn is_blocked(&self, row: &Row<'_>) -> bool {
        !self.kind(row.item).is_finished() && row.item.task.depends_on.iter().any(|id| self.open_ids.contains(&**id))
    }

    fn is_blocking(&self, row: &Row<'_>) -> bool {
        !self.kind(row.item).is_finished() && row.item.task.id.as_deref().is_some_and(|id| self.awaited_ids.contains(id))
    }

    /// A number that sorts as the property does; texts get theirs later.
    fn sort_key(&self, order: Order, row: &Row<'_>) -> u64 {
        let signed = |number: i64| (number as u64) ^ (1 << 63);
        let date = |day: Option<Day>| day.map_or(u64::MAX, |day| signed(i64::from(day.order())));
        let key = match order.by {
            Property::Status => u64::from(!row.item.is_unchecked()),
            Property::StatusType => self.kind(row.item) as u64,
            Property::Date(DateKey::One(field)) => date(row.date(field)),
            Property::Date(DateKey::Happens) => date(row.happens()),
            Property::Priority => row.item.task.priority as u64,
            Property::Urgency => {
                let [start, scheduled, due] = HAPPENS.map(|field| row.date(field));
                // Urgent ones first. All urgencies lie within a hundred.
                !(((urgency(row.item.task.priority, start, scheduled, due, self.today) + 100.0) * 1e6).round() as u64)
            }
            Property::Recurring => u64::from(row.item.task.rule().is_none()),
            Property::Random => self.random(row),
            _ => 0,
        };
        if order.reverse { !key } else { key }
    }

    /// The plugin's number for a description and a day.
    fn random(&self, row: &Row<'_>) -> u64 {
        let text = format!("{} {}", self.day, row.item.task.description);
        let mut hash = 9i32;
        for unit in text.encode_utf16() {
            hash = (hash ^ i32::from(unit)).wrapping_mul(387_420_489);
        }
        let hash = hash ^ ((hash as u32) >> 9) as i32;
        (i64::from(hash) as u64) ^ (1 << 63)
    }

    /// What a text property sorts by; nothing sorts last, except as said.
    fn sort_text(&self, by: Property, row: &Row<'a>) -> Option<Vec<u8>> {
        match by {
            Property::StatusName => Some(natural_key(&self.settings.statuses.of(row.item.status).name)),
            Property::Description => Some(natural_key(&visible(&self.description(row)))),
            Property::Filename => Some(natural_key(row.filename())),
            // Tasks without a heading come first.
            Property::Heading => Some(row.heading().map_or(Vec::new(), natural_key)),
            Property::Id => Some(row.item.task.id.as_deref().map_or(Vec::new(), natural_key)),
            Property::Tag(number) => self.tags(row).nth(number.saturating_sub(1) as usize).map(natural_key),
            _ => None,
        }
    }
}

fn is_text(by: Property) -> bool {
    matches!(
        by,
        Property::StatusName | Property::Description | Property::Filename | Property::Heading | Property::Id | Property::Tag(_)
    )
}

/// Gives paths the number of their place among those that were found.
fn rank_paths(rows: &[Row<'_>], notes: &[&NoteTasks], sorting: &[Order], keys: &mut [u64]) {
    let mut found: Vec<usize> = rows.iter().map(|row| row.place).collect();
    found.dedup();
    cores::sort(&mut found, |one, other| notes[*one].path_key.cmp(&notes[*other].path_key));
    let mut ranks = vec![0u64; notes.len()];
    for (rank, place) in (0..).zip(found) {
        ranks[place] = rank;
    }
    for (column, order) in sorting.iter().enumerate().filter(|(_, order)| order.by == Property::Path) {
        for (row, found) in rows.iter().enumerate() {
            let rank = ranks[found.place];
            keys[row * sorting.len() + column] = if order.reverse { !rank } else { rank };
        }
    }
}

/// Gives texts the number of their place among all.
fn rank_texts<'a>(rows: &[Row<'a>], sorting: &[Order], keys: &mut [u64], world: &World<'a>) {
    for (column, order) in sorting.iter().enumerate().filter(|(_, order)| is_text(order.by)) {
        let mut texts: Vec<(bool, Option<Vec<u8>>, usize)> = rows
            .iter()
            .enumerate()
            .map(|(place, row)| world.sort_text(order.by, row).map_or((true, None, place), |text| (false, Some(text), place)))
            .collect();
        cores::sort(&mut texts, Ord::cmp);
        let mut rank = 0u64;
        for at in 0..texts.len() {
            if at > 0 && texts[at].1 != texts[at - 1].1 {
                rank += 1;
            }
            keys[texts[at].2 * sorting.len() + column] = if order.reverse { !rank } else { rank };
        }
    }
}

pub(super) fn path_part(field: TextField, path: &str) -> Option<&str> {
    Some(match field {
        TextField::Path => path,
        TextField::Root => root(path),
        TextField::Folder => folder(path),
        TextField::Filename => path.rsplit('/').next().unwrap_or(path),
        _ => return None,
    })
}

/// A description without the marks that it begins with: links, bold, italics and highlights.
fn visible(description: &str) -> String {
    let mut text = description.to_owned();
    if let Some(inside) = text.strip_prefix("[[").or_else(|| text.strip_prefix('['))
        && let Some((link, rest)) = inside.split_once(']')
    {
        let shown = link.split_once('|').map_or(link, |(_, shown)| shown);
        text = format!("{shown}{}", rest.strip_prefix(']').unwrap_or(rest));
    }
    for mark in ["**", "*", "==", "__", "_"] {
        let inside = text.strip_prefix(mark).and_then(|inside| inside.split_once(mark));
        if let Some((inside, rest)) =
            inside.filter(|(inside, _)| !inside.is_empty() && !inside.contains(mark.chars().next().unwrap_or(' ')))
        {
            text = format!("{inside}{rest}");
        }
    }
    text
}

/// What the plugin calls a priority where people read it.
pub(super) fn priority_name(priority: Priority) -> &'static str {
    match priority {
        Priority::Highest => "Highest",
        Priority::High => "High",
        Priority::Medium => "Medium",
        Priority::None => "Normal",
        Priority::Low => "Low",
        Priority::Lowest => "Lowest",
    }
}

#[cfg(test)]
mod tests;
