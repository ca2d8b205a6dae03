//! What a query found, as JSON and as Markdown.

use std::collections::HashSet;

use quillgate_index::FileId;
use serde_json::{Value as Json, json};

use super::execute::Evaluated;
use super::kind::kind;
use super::list_items::Item;
use super::row::{Data, Lazy, Row};
use super::to_json::to_json;
use super::world::World;
use crate::value::Value;

pub struct Answer<'c> {
    pub(crate) world: World<'c>,
    pub(crate) kind: &'static str,
    pub(crate) shape: Shape,
}

pub(crate) enum Shape {
    /// The first header is that of the files, if they are shown.
    Table {
        headers: Vec<String>,
        rows: Vec<(Row, Vec<Value>)>,
        with_id: bool,
    },
    List {
        rows: Vec<(Row, Option<Value>)>,
        with_id: bool,
    },
    Tasks(Tasks),
    Calendar(Vec<(Value, Row)>),
}

pub(crate) enum Tasks {
    Items(Vec<Row>),
    Groups(Vec<(Value, Tasks)>),
}

impl Answer<'_> {
    /// `table`, `list`, `task` or `calendar`
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    pub fn headers(&self) -> Option<Vec<String>> {
        match &self.shape {
            Shape::Table { headers, .. } => Some(headers.clone()),
            Shape::List { .. } => None,
            Shape::Tasks(Tasks::Items(_)) => Some(vec!["Task".to_owned()]),
            Shape::Tasks(Tasks::Groups(_)) => Some(vec!["Group".to_owned(), "Task".to_owned()]),
            Shape::Calendar(_) => Some(vec!["Date".to_owned(), "File".to_owned()]),
        }
    }

    pub fn len(&self) -> usize {
        match &self.shape {
            Shape::Table { rows, .. } => rows.len(),
            Shape::List { rows, .. } => rows.len(),
            Shape::Tasks(tasks) => tasks.len(),
            Shape::Calendar(days) => days.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Every row as JSON values, one for each header.
    pub fn rows(&self) -> Vec<Vec<Json>> {
        let world = &self.world;
        match &self.shape {
            Shape::Table { rows, with_id, .. } => {
                let row = |(row, cells): &(Row, Vec<Value>)| {
                    let id = with_id.then(|| to_json(world, &row.id(world)));
                    id.into_iter().chain(cells.iter().map(|cell| to_json(world, cell))).collect()
                };
                rows.iter().map(row).collect()
            }
            Shape::List { rows, with_id } => {
                let row = |(row, value): &(Row, Option<Value>)| {
                    let id = with_id.then(|| to_json(world, &row.id(world)));
                    id.into_iter().chain(value.iter().map(|value| to_json(world, value))).collect()
                };
                rows.iter().map(row).collect()
            }
            Shape::Tasks(tasks) => {
                let mut rows = Vec::new();
                tasks.each(&mut Vec::new(), &mut |groups, row| {
                    let groups: Vec<Json> = groups.iter().map(|key| to_json(world, key)).collect();
                    let group = match groups.len() {
                        0 => None,
                        1 => groups.into_iter().next(),
                        _ => Some(Json::Array(groups)),
                    };
                    rows.push(group.into_iter().chain([task_json(world, row)]).collect());
                });
                rows
            }
            Shape::Calendar(days) => {
                days.iter().map(|(date, row)| vec![to_json(world, date), to_json(world, &row.id(world))]).collect()
            }
        }
    }

    /// The notes behind the rows, each once, in the order of the rows.
    pub fn note_paths(&self) -> Vec<String> {
        let mut found = Found { seen: HashSet::new(), files: Vec::new() };
        match &self.shape {
            Shape::Table { rows, .. } => rows.iter().for_each(|(row, _)| found.add(row)),
            Shape::List { rows, .. } => rows.iter().for_each(|(row, _)| found.add(row)),
            Shape::Calendar(days) => days.iter().for_each(|(_, row)| found.add(row)),
            Shape::Tasks(tasks) => tasks.each(&mut Vec::new(), &mut |_, row| found.add(row)),
        }
        let entries = found.files.into_iter().filter_map(|file| self.world.catalogue.entry(file));
        entries.map(|entry| entry.path.to_string()).collect()
    }
}

impl Evaluated<'_> {
    pub fn json(&self) -> Json {
        to_json(&self.world, &self.value)
    }

    /// As `typeof` names it.
    pub fn kind(&self) -> &'static str {
        kind(&self.value)
    }

    /// As the plugin shows it in a text.
    pub fn shown(&self) -> String {
        super::show::show(&self.world, &self.value)
    }
}

struct Found {
    seen: HashSet<FileId>,
    files: Vec<FileId>,
}

impl Found {
    fn add(&mut self, row: &Row) {
        match (&row.data, row.file()) {
            (_, Some(file)) if self.seen.insert(file) => self.files.push(file),
            (Data::Group { rows, .. }, None) => {
                for row in rows.as_list().unwrap_or_default() {
                    if let Some(Lazy::Row(row)) = Lazy::of(row) {
                        self.add(row);
                    }
                }
            }
            _ => {}
        }
    }
}

impl Tasks {
    fn len(&self) -> usize {
        match self {
            Tasks::Items(rows) => rows.len(),
            Tasks::Groups(groups) => groups.iter().map(|(_, tasks)| tasks.len()).sum(),
        }
    }

    /// Calls `visit` with every task and what it is grouped by, the outermost first.
    pub(crate) fn each<'t>(&'t self, groups: &mut Vec<&'t Value>, visit: &mut impl FnMut(&[&'t Value], &'t Row)) {
        match self {
            Tasks::Items(rows) => rows.iter().for_each(|row| visit(groups, row)),
            Tasks::Groups(inner) => {
                for (key, tasks) in inner {
                    groups.push(key);
                    tasks.each(groups, visit);
                    groups.pop();
                }
            }
        }
    }
}

fn task_json(world: &World<'_>, row: &Row) -> Json {
    let Data::Task(file, place) = row.data else { return Json::Null };
    let page = world.list_items(file);
    page.items.get(place).map_or(Json::Null, |item| item_json(world, file, item, &page.items, 0))
}

/// Items below items; deeper ones are left out.
const DEEPEST: usize = 32;

fn item_json(world: &World<'_>, file: FileId, item: &Item, all: &[Item], depth: usize) -> Json {
    let path = world.catalogue.entry(file).map_or("", |entry| entry.path.as_str());
    let mut task = json!({"task": item.is_task(), "text": &*item.text, "path": path, "line": item.line + 1});
    let mut put = |key: &str, value: Json| {
        if let Some(task) = task.as_object_mut() {
            task.insert(key.to_owned(), value);
        }
    };
    if let Some(status) = item.status {
        put("status", status.to_string().into());
        put("completed", item.is_completed().into());
        put("fully_completed", item.fully_completed.into());
    }
    if let Some(heading) = &item.heading {
        put("section", (&**heading).into());
    }
    if !item.tags.is_empty() {
        put("tags", item.tags.iter().map(|tag| Json::from(&**tag)).collect());
    }
    if !item.fields.is_empty() {
        let fields = item.fields.iter().map(|(key, value)| (key.to_string(), to_json(world, value)));
        put("fields", Json::Object(fields.collect()));
    }
    if !item.children.is_empty() && depth < DEEPEST {
        let children = item.children.iter().filter_map(|&child| all.get(child));
        put("children", children.map(|child| item_json(world, file, child, all, depth + 1)).collect());
    }
    task
}
