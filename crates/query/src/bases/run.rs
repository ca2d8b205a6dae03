//! Runs a view of a base: which files it shows, in which order, in which groups.

use std::collections::HashMap;

use quillgate_index::{Catalogue, FileId};
use quillgate_markdown::Value as Yaml;
use thiserror::Error;

use super::compare::SortKey;
use super::dialect::{Bases, Evaluator};
use super::names::Scope;
use super::prepare::{ColumnCode, FilterCode, Preparation};
use super::schema::{Base, Filter, View, filter_of};
use super::summary::{Summaries, SummaryCode};
use super::text::text_of;
use super::world::{Row, Settings, World};
use crate::budget::{Budget, BudgetSpent, Steps};
use crate::cores;
use crate::evaluate::Evaluation;
use crate::fault::{Fault, SyntaxError};
use crate::value::{LinkKind, Value};

#[derive(Clone, Debug, PartialEq, Error)]
pub enum QueryError {
    #[error("{0}")]
    Syntax(#[from] SyntaxError),
    #[error("the base has no view {name:?}; its views are {}", views.join(", "))]
    NoView { name: String, views: Vec<String> },
    #[error("{0}")]
    Spent(#[from] BudgetSpent),
}

/// What is asked of a base.
#[derive(Clone, Copy, Default)]
pub struct Request<'a> {
    /// The first view without one.
    pub view: Option<&'a str>,
    /// Instead of the filters of the base and the view.
    pub filters: Option<&'a Yaml>,
    /// The file that `this` means.
    pub this: Option<FileId>,
}

/// A view that was run: files in their order. Cells are worked out when they are asked for.
pub struct Answer<'c> {
    world: World<'c>,
    pub view: View,
    pub columns: Vec<ShownColumn>,
    pub rows: Vec<FileId>,
    /// Ranges of rows, in order; none where the view does not group.
    pub groups: Vec<Group>,
    pub summaries: Summaries,
    pub warnings: Vec<String>,
}

pub struct ShownColumn {
    /// As the view names it.
    pub id: Box<str>,
    /// What stands above the column.
    pub header: Box<str>,
    code: ColumnCode,
}

pub struct Group {
    pub value: Value,
    /// What is written above the group.
    pub label: String,
    /// How many of the rows, following those of the group before.
    pub count: usize,
    pub summaries: Summaries,
}

/// A value, or why there is none.
pub type Cell = Result<Value, Box<str>>;

/// Below this many files a second thread costs more than it brings.
const FILES_PER_THREAD: usize = 2_000;

/// Runs the view that is asked for.
pub fn run<'c>(
    base: &Base,
    request: &Request<'_>,
    catalogue: &'c Catalogue,
    settings: &'c Settings,
    budget: &Budget,
) -> Result<Answer<'c>, QueryError> {
    let Some(view) = base.view(request.view) else {
        let views = base.views.iter().map(|view| view.name.to_string()).collect();
        return Err(QueryError::NoView { name: request.view.unwrap_or_default().to_owned(), views });
    };
    if let Some(problem) = &view.problem {
        return Err(problem.clone().into());
    }
    let mut preparation = Preparation::new(base, catalogue, settings);
    let filters = match request.filters {
        Some(filters) => filter_of(filters)?.into_iter().collect(),
        None => {
            let of_base = base.filters.as_ref().map_err(Clone::clone)?;
            [of_base, &view.filters].into_iter().flatten().cloned().collect::<Vec<Filter>>()
        }
    };
    let filter = preparation.filter(&Filter::And(filters))?;
    let order = if view.order.is_empty() { vec!["file.name".into()] } else { view.order.clone() };
    let columns = order.into_iter().map(|id| ShownColumn { header: header(base, &id), code: preparation.column(&id), id });
    let columns: Vec<ShownColumn> = columns.collect();
    let sorting = view.group_by.iter().chain(&view.sort);
    let keys: Vec<(ColumnCode, bool)> = sorting.map(|sort| (preparation.column(&sort.property), sort.is_descending)).collect();
    let mut warnings = base.warnings.clone();
    let summaries = summary_codes(base, &view, &mut preparation, &mut warnings)?;
    let world = preparation.finish(request.this, &mut warnings)?;

    let found = Selection { world: &world, filter: &filter, keys: &keys, groups: view.group_by.is_some() }.run(budget)?;
    warnings.extend(found.warning);
    let mut rows = found.rows;
    // The group comes first in the order, but a limit takes the first rows of the view's own order.
    let first = usize::from(view.group_by.is_some());
    rows = {
        let compare = |a: usize, b: usize| order_of(&rows[a].keys[first..], &rows[b].keys[first..], &keys[first..]);
        let order = cores::first_in_order(rows.len(), view.limit.unwrap_or(usize::MAX), compare);
        let mut found: Vec<Option<FoundRow>> = rows.into_iter().map(Some).collect();
        order.into_iter().filter_map(|place| found[place as usize].take()).collect()
    };
    let groups = if first == 1 { grouped(&world, &mut rows, keys[0].1) } else { Vec::new() };
    let rows: Vec<FileId> = rows.into_iter().map(|row| row.file).collect();
    let mut answer = Answer { world, view, columns, rows, groups, summaries: Summaries::new(), warnings };
    answer.summarise(&summaries, budget)?;
    Ok(answer)
}

fn header(base: &Base, id: &str) -> Box<str> {
    let bare = id.strip_prefix("note.").unwrap_or(id);
    let is_id = |other: &str| other == id || other.strip_prefix("note.").unwrap_or(other) == bare;
    let given = base.display_names.iter().find(|(other, _)| is_id(other));
    given.map_or_else(|| id.strip_prefix("formula.").unwrap_or(bare).into(), |(_, name)| name.clone())
}

fn summary_codes(
    base: &Base,
    view: &View,
    preparation: &mut Preparation<'_, '_>,
    warnings: &mut Vec<String>,
) -> Result<Vec<(Box<str>, ColumnCode, SummaryCode)>, SyntaxError> {
    let mut codes = Vec::new();
    for (id, name) in &view.summaries {
        let custom = base.summaries.iter().find(|(other, _)| other == name);
        let code = match (custom, SummaryCode::built_in(name)) {
            (Some((_, source)), _) => {
                let source = source.as_ref().map_err(Clone::clone)?;
                SummaryCode::Custom(Box::new(preparation.code(source, Scope::Summary)?))
            }
            (None, Some(built_in)) => built_in,
            (None, None) => {
                warnings.push(format!("there is no summary {name:?}; define it under summaries: or use Average, Sum, Filled, …"));
                continue;
            }
        };
        codes.push((id.clone(), preparation.column(id), code));
    }
    Ok(codes)
}

struct FoundRow {
    file: FileId,
    keys: Box<[SortKey]>,
    /// What it is grouped by.
    group: Value,
}

struct Found {
    rows: Vec<FoundRow>,
    warning: Option<String>,
}

struct Selection<'a, 'c> {
    world: &'a World<'c>,
    filter: &'a FilterCode,
    keys: &'a [(ColumnCode, bool)],
    groups: bool,
}

/// Files that pass, and those for which the filter has no answer.
#[derive(Default)]
struct Part {
    rows: Vec<FoundRow>,
    failed: usize,
    first_failure: Option<(FileId, Box<str>)>,
}

impl Selection<'_, '_> {
    /// On as many threads as there is work for.
    fn run(&self, budget: &Budget) -> Result<Found, BudgetSpent> {
        let files: Vec<FileId> = self.world.catalogue.numbered().map(|(id, _)| id).collect();
        let parts = cores::in_parts(files.len(), FILES_PER_THREAD, |part| self.part(&files[part], &budget.steps()));
        let mut whole = Part::default();
        for part in parts {
            let part = part?;
            whole.rows.extend(part.rows);
            whole.failed += part.failed;
            whole.first_failure = whole.first_failure.or(part.first_failure);
        }
        let warning = whole.first_failure.map(|(file, message)| {
            let path = super::text::path_of(file, self.world.catalogue);
            format!("the filter has no answer for {} files, which are left out; {path}: {message}", whole.failed)
        });
        Ok(Found { rows: whole.rows, warning })
    }

    fn part(&self, files: &[FileId], steps: &Steps<'_>) -> Result<Part, BudgetSpent> {
        let mut part = Part::default();
        let excluded = &self.world.settings.excluded;
        for &file in files {
            steps.spend(1)?;
            let is_excluded = || self.world.catalogue.entry(file).is_some_and(|entry| excluded.contains(&entry.path));
            if !excluded.is_empty() && is_excluded() {
                continue;
            }
            let mut evaluation = Evaluation::<Bases>::new(Row::new(self.world, Some(file)), steps);
            match known(passes(&mut evaluation, self.filter))? {
                Ok(true) => part.rows.push(self.row(&mut evaluation, file)?),
                Ok(false) => {}
                Err(message) => {
                    part.failed += 1;
                    part.first_failure.get_or_insert((file, message));
                }
            }
        }
        Ok(part)
    }

    fn row(&self, evaluation: &mut Evaluator<'_, '_>, file: FileId) -> Result<FoundRow, BudgetSpent> {
        let mut group = Value::Null;
        let mut keys = Vec::with_capacity(self.keys.len());
        for (at, (code, _)) in self.keys.iter().enumerate() {
            let value = cell(evaluation, code)?.unwrap_or(Value::Null);
            keys.push(self.world.sort_key(&value));
            if at == 0 && self.groups {
                group = value;
            }
        }
        Ok(FoundRow { file, keys: keys.into(), group })
    }
}

/// What ends the query is told from what spoils one value.
fn known<T>(result: Result<T, Fault>) -> Result<Result<T, Box<str>>, BudgetSpent> {
    match result {
        Ok(value) => Ok(Ok(value)),
        Err(Fault::Wrong(message)) => Ok(Err(message)),
        Err(Fault::Spent(spent)) => Err(spent),
    }
}

fn cell(evaluation: &mut Evaluator<'_, '_>, code: &ColumnCode) -> Result<Cell, BudgetSpent> {
    match code {
        Ok(code) => known(evaluation.value(code)),
        Err(message) => Ok(Err(message.clone())),
    }
}

/// A list of no filters keeps everything.
fn passes(evaluation: &mut Evaluator<'_, '_>, filter: &FilterCode) -> Result<bool, Fault> {
    match filter {
        FilterCode::Expression(code) => evaluation.is_true(code),
        FilterCode::And(filters) => {
            for filter in filters {
                if !passes(evaluation, filter)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        FilterCode::Or(filters) => {
            for filter in filters {
                if passes(evaluation, filter)? {
                    return Ok(true);
                }
            }
            Ok(filters.is_empty())
        }
        FilterCode::Not(filters) => {
            for filter in filters {
                if passes(evaluation, filter)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
    }
}

/// Missing values stand last in either direction.
fn order_of(a: &[SortKey], b: &[SortKey], keys: &[(ColumnCode, bool)]) -> std::cmp::Ordering {
    let each = a.iter().zip(b).zip(keys).map(|((a, b), (_, is_descending))| directed(a, b, *is_descending));
    each.into_iter().find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
}

fn directed(a: &SortKey, b: &SortKey, is_descending: bool) -> std::cmp::Ordering {
    let order = a.order(b);
    let is_missing = *a == SortKey::Nothing || *b == SortKey::Nothing;
    if is_descending && !is_missing { order.reverse() } else { order }
}

/// Brings the rows of a group together, groups in their order and rows in theirs. A list is one value: its row stands in one group.
fn grouped(world: &World<'_>, rows: &mut Vec<FoundRow>, is_descending: bool) -> Vec<Group> {
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut found: Vec<(SortKey, Value, Vec<FoundRow>)> = Vec::new();
    for row in rows.drain(..) {
        let next = found.len();
        let number = *numbers.entry(group_name(world, &row.group)).or_insert(next);
        if number == next {
            found.push((row.keys[0].clone(), row.group.clone(), Vec::new()));
        }
        found[number].2.push(row);
    }
    found.sort_by(|(a, ..), (b, ..)| directed(a, b, is_descending));
    let mut groups = Vec::new();
    for (_, value, members) in found {
        let label = if super::methods::is_empty(&value) { "None".to_owned() } else { label(world, &value) };
        groups.push(Group { value, label, count: members.len(), summaries: Summaries::new() });
        rows.extend(members);
    }
    groups
}

fn label(world: &World<'_>, value: &Value) -> String {
    match value {
        Value::Link(link) => {
            link.display.as_deref().unwrap_or_else(|| link.path.rsplit('/').next().unwrap_or(&link.path)).to_owned()
        }
        Value::List(items) => items.iter().map(|item| label(world, item)).collect::<Vec<_>>().join(", "),
        other => text_of(other, world.catalogue),
    }
}

/// Links to one file are one group, however they are written.
fn group_name(world: &World<'_>, value: &Value) -> String {
    match value {
        Value::Link(link) if link.kind != LinkKind::External => match world.target(link) {
            Some(file) => super::text::path_of(file, world.catalogue).to_owned(),
            None => quillgate_markdown::fold(&link.path),
        },
        Value::Tag(tag) => quillgate_markdown::fold(tag),
        Value::List(items) if !items.iter().any(|item| matches!(item, Value::List(_))) => {
            items.iter().map(|item| group_name(world, item)).collect::<Vec<_>>().join("\n")
        }
        other => text_of(other, world.catalogue),
    }
}

impl<'c> Answer<'c> {
    pub fn catalogue(&self) -> &'c Catalogue {
        self.world.catalogue
    }

    /// The cells of those rows of the range that there are, one per column.
    pub fn cells(&self, rows: std::ops::Range<usize>, budget: &Budget) -> Result<Vec<Vec<Cell>>, QueryError> {
        let steps = budget.steps();
        let (start, end) = (rows.start.min(self.rows.len()), rows.end.min(self.rows.len()));
        let rows = self.rows[start..end.max(start)].iter();
        let row = |&file: &FileId| {
            let mut evaluation = Evaluation::<Bases>::new(Row::new(&self.world, Some(file)), &steps);
            self.columns.iter().map(|column| cell(&mut evaluation, &column.code)).collect::<Result<Vec<Cell>, BudgetSpent>>()
        };
        Ok(rows.map(row).collect::<Result<_, _>>()?)
    }

    /// Of all rows of the view, and of each group.
    fn summarise(&mut self, codes: &[(Box<str>, ColumnCode, SummaryCode)], budget: &Budget) -> Result<(), BudgetSpent> {
        for (id, column, code) in codes {
            let values = self.values(column, budget)?;
            let whole = code.value(&self.world, &values, &budget.steps())?;
            self.summaries.push((id.clone(), whole));
            let mut start = 0;
            for group in &mut self.groups {
                let end = start + group.count;
                let value = code.value(&self.world, &values[start..end], &budget.steps())?;
                group.summaries.push((id.clone(), value));
                start = end;
            }
        }
        Ok(())
    }

    /// A column of all rows. A cell that went wrong counts as empty.
    fn values(&self, column: &ColumnCode, budget: &Budget) -> Result<Vec<Value>, BudgetSpent> {
        let parts = cores::in_parts(self.rows.len(), FILES_PER_THREAD, |part| {
            let steps = budget.steps();
            let value = |&file: &FileId| {
                let mut evaluation = Evaluation::<Bases>::new(Row::new(&self.world, Some(file)), &steps);
                Ok(cell(&mut evaluation, column)?.unwrap_or(Value::Null))
            };
            self.rows[part].iter().map(value).collect::<Result<Vec<Value>, BudgetSpent>>()
        });
        let mut values = Vec::with_capacity(self.rows.len());
        for part in parts {
            values.extend(part?);
        }
        Ok(values)
    }
}
