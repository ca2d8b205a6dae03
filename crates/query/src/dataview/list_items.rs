//! The items of a page's lists, tasks and others, with their fields and what stands below them.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use quillgate_index::{Card, CardItem, CardLink, FieldPlace, FromCard};
use quillgate_vault::NotePath;

use super::field_value::inline_value;
use super::names::{canonical_name, heading_for_link};
use super::page::link;
use super::scan::Scan;
use super::task_dates::task_dates;
use crate::value::{Link, Value};

/// Worked out once from a card; links in it mean what they mean in the page.
#[derive(Debug, Default)]
pub struct ListItems {
    pub(crate) items: Vec<Item>,
    /// By line.
    places: HashMap<u32, usize>,
}

impl FromCard for ListItems {
    fn from_card(_: &NotePath, card: &Card) -> Option<ListItems> {
        Some(ListItems::of(card)).filter(|items| !items.items.is_empty())
    }
}

/// An item of a list, a task or not.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) symbol: Arc<str>,
    pub(crate) status: Option<char>,
    pub(crate) text: Arc<str>,
    /// From 0, as the app counts.
    pub(crate) line: u32,
    pub(crate) line_count: u32,
    /// The line on which its list starts.
    pub(crate) list: u32,
    pub(crate) parent: Option<u32>,
    pub(crate) children: Vec<usize>,
    pub(crate) block: Option<Arc<str>>,
    /// The heading above it, as a link names it.
    pub(crate) heading: Option<Arc<str>>,
    pub(crate) tags: Vec<Arc<str>>,
    pub(crate) links: Vec<Link>,
    /// As written and as queries know them; several values are a list.
    pub(crate) fields: Vec<(Arc<str>, Value)>,
    /// Whether it and all tasks below it are done.
    pub(crate) fully_completed: bool,
}

impl Item {
    pub(crate) fn is_task(&self) -> bool {
        self.status.is_some()
    }

    pub(crate) fn is_completed(&self) -> bool {
        matches!(self.status, Some('x' | 'X'))
    }

    pub(crate) fn field(&self, name: &str) -> Option<&Value> {
        self.fields.iter().find(|(known, _)| &**known == name).map(|(_, value)| value)
    }
}

impl ListItems {
    pub(crate) fn of(card: &Card) -> ListItems {
        let mut items = ListItems::default();
        items.add_items(card);
        items
    }

    pub(crate) fn item_at(&self, line: u32) -> Option<&Item> {
        self.place_at(line).map(|place| &self.items[place])
    }

    pub(crate) fn place_at(&self, line: u32) -> Option<usize> {
        self.places.get(&line).copied()
    }

    fn add_items(&mut self, card: &Card) {
        let mut fields: HashMap<u32, Vec<(&str, &str)>> = HashMap::new();
        for field in &card.fields {
            if let FieldPlace::Item(line) | FieldPlace::Task(line) = field.place {
                fields.entry(line).or_default().push((&field.key, &field.value));
            }
        }
        let lines = Lines::of(card);
        for found in card.items() {
            let own = fields.remove(&found.line).unwrap_or_default();
            let item = self.item(&lines, &found, &own);
            self.places.insert(item.line, self.items.len());
            self.items.push(item);
        }
        for place in 0..self.items.len() {
            let parent = self.items[place].parent.and_then(|line| self.places.get(&line).copied());
            // Whatever is said of it, an item stands behind the one around it.
            if let Some(parent) = parent.filter(|parent| *parent < place) {
                self.items[parent].children.push(place);
            }
        }
        for place in (0..self.items.len()).rev() {
            let is_open = |child: &usize| !self.items[*child].fully_completed;
            let has_open = self.items[place].children.iter().any(is_open);
            let item = &mut self.items[place];
            item.fully_completed = (!item.is_task() || item.is_completed()) && !has_open;
        }
    }

    fn item(&self, lines: &Lines<'_>, found: &CardItem<'_>, own: &[(&str, &str)]) -> Item {
        let line = found.line.saturating_sub(1);
        let parent = found.parent.map(|parent| parent.saturating_sub(1));
        let mut fields: Vec<(Arc<str>, Vec<Value>)> = Vec::new();
        let mut add = |key: &str, value: Value| match fields.iter_mut().find(|(known, _)| &**known == key) {
            Some((_, values)) => values.push(value),
            None => fields.push((key.into(), vec![value])),
        };
        own.iter().for_each(|(key, value)| add(key, inline_value(value)));
        task_dates(found.text).for_each(|(key, date)| add(key, Value::Date(date)));
        let written: Vec<Arc<str>> = fields.iter().map(|(key, _)| key.clone()).collect();
        for at in 0..written.len() {
            let plain = canonical_name(&written[at]);
            if !plain.is_empty() && !written.iter().any(|known| **known == *plain) {
                let values = fields[at].1.clone();
                fields.push((plain.into(), values));
            }
        }
        let fields = fields.into_iter().map(|(key, values)| (key, one_or_list(values))).collect();
        let own_lines = found.line..found.line.saturating_add(found.lines);
        let links = lines.links.range(own_lines.clone()).flat_map(|(_, links)| links).copied().map(link).collect();
        let block = lines.blocks.range(own_lines).next().map(|(_, id)| Arc::from(*id));
        let heading = lines.headings.range(..=found.line).next_back().map(|(_, heading)| heading);
        Item {
            symbol: found.marker.into(),
            status: found.status,
            text: found.text.into(),
            line,
            line_count: found.lines,
            list: parent.and_then(|parent| self.item_at(parent)).map_or_else(|| self.list_before(line), |parent| parent.list),
            parent,
            children: Vec::new(),
            block,
            heading: heading.cloned(),
            tags: tags_in(found.text),
            links,
            fields,
            fully_completed: false,
        }
    }

    /// Where the list of an item without a parent starts: at itself, unless the item right above belongs to the same list.
    fn list_before(&self, line: u32) -> u32 {
        match self.items.last() {
            Some(last) if last.line + last.line_count >= line => last.list,
            _ => line,
        }
    }
}

/// What stands on which line of a note, so that a long note is looked through once and not for every item.
struct Lines<'c> {
    links: BTreeMap<u32, Vec<&'c CardLink>>,
    blocks: BTreeMap<u32, &'c str>,
    /// As links name them.
    headings: BTreeMap<u32, Arc<str>>,
}

impl<'c> Lines<'c> {
    fn of(card: &'c Card) -> Lines<'c> {
        let mut links: BTreeMap<u32, Vec<&CardLink>> = BTreeMap::new();
        card.links.iter().for_each(|link| links.entry(link.line).or_default().push(link));
        let blocks = card.blocks.iter().rev().map(|(id, line)| (*line, id.as_str())).collect();
        let headings = card.headings.iter().map(|heading| (heading.line, heading_for_link(&heading.text).into())).collect();
        Lines { links, blocks, headings }
    }
}

pub(crate) fn one_or_list(mut values: Vec<Value>) -> Value {
    if values.len() == 1 { values.remove(0) } else { Value::list(values) }
}

/// The tags in a text, each once, with their `#`.
fn tags_in(text: &str) -> Vec<Arc<str>> {
    let mut tags: Vec<Arc<str>> = Vec::new();
    for (at, _) in text.match_indices('#') {
        let found = Scan { text, at }.tag().unwrap_or_default();
        if found.len() > 1 && !tags.iter().any(|known| &**known == found) {
            tags.push(found.into());
        }
    }
    tags
}
