//! Runs queries: the pages of the source go through the clauses in written order, on all cores.

use std::sync::Arc;

use quillgate_index::FileId;

use super::answer::{Answer, Shape, Tasks};
use super::dialect::{Dataview, Eval, Here, Resolver};
use super::error::DqlError;
use super::kind::{SortKey, is_equal, is_true, kind, sort_key};
use super::parse_expression::parse_expression;
use super::parse_query::parse_query;
use super::prepare::prepare;
use super::row::{Data, Lazy, Row};
use super::sources::pages_of;
use super::syntax::{Clause, Header, Named, Query};
use super::world::{Asking, World};
use crate::budget::{Budget, BudgetSpent};
use crate::code::Code;
use crate::cores;
use crate::fault::{Fault, SyntaxError};
use crate::value::Value;

/// Answers a query over the pages that the catalogue has.
pub fn run<'c>(text: &str, asking: &'c Asking<'c>, budget: &Budget) -> Result<Answer<'c>, DqlError> {
    let query = parse_query(text)?;
    let mut resolver = Resolver::default();
    let plan = Plan::of(&query, text, asking, &mut resolver)?;
    let world = World::new(asking, resolver.names);
    let files = pages_of(&world, &query.source)?;
    let mut running = Running { world: &world, budget, rows: Vec::new(), groups: Vec::new() };
    running.rows = match query.header {
        Header::Task => running.tasks_of(&files)?,
        _ => files.into_iter().map(|file| Row::of(Data::Page(file))).collect(),
    };
    for (place, step) in plan.steps.iter().enumerate() {
        running.step(step, plan.steps.get(place + 1))?;
    }
    let shape = running.shape(&query.header, &plan)?;
    Ok(Answer { world, kind: query.header.kind(), shape })
}

/// Whether a query can be run: its names of functions exist and its expressions are sound.
pub fn check(query: &Query, text: &str) -> Result<(), SyntaxError> {
    let catalogue = quillgate_index::Catalogue::default();
    let asking = Asking::new(&catalogue, None, jiff::Timestamp::UNIX_EPOCH, jiff::tz::TimeZone::UTC);
    Plan::of(query, text, &asking, &mut Resolver::default()).map(drop)
}

/// The value of one expression, with `this` as the page.
pub fn evaluate<'c>(text: &str, asking: &'c Asking<'c>, budget: &Budget) -> Result<Evaluated<'c>, DqlError> {
    evaluate_in(Row::of(Data::Nothing), text, asking, budget)
}

/// The same with the fields of the page under their plain names too, as a query over that page has them.
pub fn evaluate_field<'c>(text: &str, asking: &'c Asking<'c>, budget: &Budget) -> Result<Evaluated<'c>, DqlError> {
    evaluate_in(Row::of(asking.origin.map_or(Data::Nothing, Data::Page)), text, asking, budget)
}

fn evaluate_in<'c>(row: Row, text: &str, asking: &'c Asking<'c>, budget: &Budget) -> Result<Evaluated<'c>, DqlError> {
    let expr = parse_expression(text)?;
    let mut resolver = Resolver::default();
    let code = prepare(&expr, text, asking.now, &asking.local, &mut resolver)?;
    let world = World::new(asking, resolver.names);
    let steps = budget.steps();
    let value = Eval::new(Here { world: &world, row: &row }, &steps).value(&code)?;
    Ok(Evaluated { world, value })
}

/// A value with what is needed to look at it.
pub struct Evaluated<'c> {
    pub(crate) world: World<'c>,
    pub(crate) value: Value,
}

struct Plan {
    columns: Vec<Code<Dataview>>,
    steps: Vec<Step>,
}

enum Step {
    Where(Code<Dataview>),
    Sort(Vec<(Code<Dataview>, bool)>),
    GroupBy(Arc<str>, Code<Dataview>),
    Flatten(Arc<str>, Code<Dataview>),
    Limit(Code<Dataview>),
}

impl Plan {
    fn of(query: &Query, text: &str, asking: &Asking<'_>, resolver: &mut Resolver) -> Result<Plan, SyntaxError> {
        let mut code = |expr: &crate::expression::Expr| prepare(expr, text, asking.now, &asking.local, resolver);
        let columns = match &query.header {
            Header::Table { columns, .. } => columns.iter().map(|column| code(&column.expr)).collect::<Result<_, _>>()?,
            Header::List { value, .. } => value.iter().map(&mut code).collect::<Result<_, _>>()?,
            Header::Task => Vec::new(),
            Header::Calendar(field) => vec![code(&field.expr)?],
        };
        let step = |clause: &Clause| {
            Ok(match clause {
                Clause::Where(expr) => Step::Where(code(expr)?),
                Clause::Limit(expr) => Step::Limit(code(expr)?),
                Clause::GroupBy(Named { name, expr }) => Step::GroupBy(Arc::from(&**name), code(expr)?),
                Clause::Flatten(Named { name, expr }) => Step::Flatten(Arc::from(&**name), code(expr)?),
                Clause::Sort(keys) => {
                    let key = |key: &super::syntax::SortKey| Ok((code(&key.expr)?, key.descending));
                    Step::Sort(keys.iter().map(key).collect::<Result<_, SyntaxError>>()?)
                }
            })
        };
        let steps = query.clauses.iter().map(step).collect::<Result<_, SyntaxError>>()?;
        Ok(Plan { columns, steps })
    }
}

struct Running<'w> {
    world: &'w World<'w>,
    budget: &'w Budget,
    rows: Vec<Row>,
    /// What the rows are grouped by, the outermost last.
    groups: Vec<Arc<str>>,
}

/// Fewer rows are not worth a thread.
const ROWS_PER_THREAD: usize = 1024;

impl Running<'_> {
    fn step(&mut self, step: &Step, next: Option<&Step>) -> Result<(), DqlError> {
        match step {
            Step::Where(code) => self.keep(code),
            Step::Sort(keys) => {
                // What the limit leaves out need not be put in order.
                let kept = match next {
                    Some(Step::Limit(code)) => self.amount(code).ok().filter(|amount| *amount >= 0.0),
                    _ => None,
                };
                self.sort(keys, kept.map_or(usize::MAX, |kept| kept as usize))
            }
            Step::GroupBy(name, code) => self.group(name, code),
            Step::Flatten(name, code) => self.flatten(name, code),
            Step::Limit(code) => self.limit(code),
        }
    }

    fn keep(&mut self, code: &Code<Dataview>) -> Result<(), DqlError> {
        let found = self.each(|evaluation| evaluation.value(code).map(|value| is_true(&value)))?;
        let is_kept = succeeded("WHERE", found)?;
        let rows = std::mem::take(&mut self.rows).into_iter().zip(is_kept);
        self.rows = rows.filter(|(_, is_kept)| *is_kept == Some(true)).map(|(row, _)| row).collect();
        Ok(())
    }

    fn sort(&mut self, keys: &[(Code<Dataview>, bool)], kept: usize) -> Result<(), DqlError> {
        let found = self.each(|evaluation| {
            let key = |(code, _): &(Code<Dataview>, bool)| {
                let value = evaluation.value(code)?;
                Ok(sort_key(evaluation.row.world, &value))
            };
            keys.iter().map(key).collect::<Result<Vec<_>, Fault>>()
        })?;
        let found = succeeded("SORT", found)?;
        let rows = std::mem::take(&mut self.rows).into_iter().zip(found);
        let (mut rows, found): (Vec<Row>, Vec<Vec<SortKey>>) = rows.filter_map(|(row, key)| Some((row, key?))).unzip();
        let order = cores::first_in_order(rows.len(), kept, |one, other| {
            let orders = found[one]
                .iter()
                .zip(&found[other])
                .zip(keys)
                .map(|((one, other), (_, descending))| if *descending { other.cmp(one) } else { one.cmp(other) });
            orders.into_iter().find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
        });
        let take = |place: u32| std::mem::replace(&mut rows[place as usize], Row::of(Data::Nothing));
        self.rows = order.into_iter().map(take).collect();
        Ok(())
    }

    fn group(&mut self, name: &Arc<str>, code: &Code<Dataview>) -> Result<(), DqlError> {
        let found = self.each(|evaluation| {
            let value = evaluation.value(code)?;
            Ok((sort_key(evaluation.row.world, &value), value))
        })?;
        let found = succeeded("GROUP BY", found)?;
        let rows = std::mem::take(&mut self.rows).into_iter().zip(found);
        let mut keyed: Vec<(_, Value, Row)> = rows.filter_map(|(row, key)| key.map(|(key, value)| (key, value, row))).collect();
        keyed.sort_by(|one, other| one.0.cmp(&other.0));
        let mut groups: Vec<(Value, Vec<Value>)> = Vec::new();
        for (_, key, row) in keyed {
            let row = Lazy::Row(Arc::new(row)).value();
            match groups.last_mut() {
                Some((known, rows)) if is_equal(self.world, known, &key) => rows.push(row),
                _ => groups.push((key, vec![row])),
            }
        }
        let group = |(key, rows)| Row::of(Data::Group { name: name.clone(), key, rows: Value::list(rows) });
        self.rows = groups.into_iter().map(group).collect();
        self.groups.push(name.clone());
        Ok(())
    }

    fn flatten(&mut self, name: &Arc<str>, code: &Code<Dataview>) -> Result<(), DqlError> {
        let found = self.each(|evaluation| {
            let value = evaluation.value(code)?;
            evaluation.steps.spend(16 * value.as_list().map_or(1, <[Value]>::len) as u64)?;
            Ok(value)
        })?;
        let found = succeeded("FLATTEN", found)?;
        let rows = std::mem::take(&mut self.rows).into_iter().zip(found);
        for (row, value) in rows.filter_map(|(row, value)| Some((row, value?))) {
            let values = match value {
                Value::List(items) => items.to_vec(),
                single => vec![single],
            };
            for value in values {
                let mut copy = row.clone();
                copy.added.retain(|(known, _)| known != name);
                copy.added.push((name.clone(), value));
                self.rows.push(copy);
            }
            if self.rows.len() > MOST_ROWS {
                return Err(DqlError::Unsupported(format!("FLATTEN makes more than {MOST_ROWS} rows; narrow the query first")));
            }
        }
        if self.groups.last() == Some(name) {
            self.groups.pop();
        }
        Ok(())
    }

    fn amount(&self, code: &Code<Dataview>) -> Result<f64, DqlError> {
        let (row, steps) = (Row::of(Data::Nothing), self.budget.steps());
        match Eval::new(Here { world: self.world, row: &row }, &steps).value(code)? {
            Value::Number(amount) => Ok(amount),
            other => Err(DqlError::Limit(kind(&other).to_owned())),
        }
    }

    fn limit(&mut self, code: &Code<Dataview>) -> Result<(), DqlError> {
        let amount = self.amount(code)?;
        // A negative number leaves out so many at the end.
        let kept = if amount < 0.0 { self.rows.len() as f64 + amount } else { amount };
        self.rows.truncate(kept.max(0.0) as usize);
        Ok(())
    }

    fn tasks_of(&self, files: &[FileId]) -> Result<Vec<Row>, DqlError> {
        let found = self.on_all_cores(files, |file, _| {
            let page = self.world.list_items(*file);
            let places = (0..page.items.len()).filter(|&place| page.items[place].is_task());
            Ok(places.map(|place| Row::of(Data::Task(*file, place))).collect::<Vec<_>>())
        })?;
        Ok(found.into_iter().flat_map(Result::unwrap_or_default).collect())
    }

    /// What an evaluation gives for every row.
    fn each<T: Send>(
        &self,
        work: impl Fn(&mut Eval<'_, '_>) -> Result<T, Fault> + Sync,
    ) -> Result<Vec<Result<T, Box<str>>>, BudgetSpent> {
        self.on_all_cores(&self.rows, |row, steps| work(&mut Eval::new(Here { world: self.world, row }, steps)))
    }

    fn on_all_cores<'i, I: Sync, T: Send>(
        &self,
        items: &'i [I],
        work: impl Fn(&'i I, &crate::budget::Steps<'_>) -> Result<T, Fault> + Sync,
    ) -> Result<Vec<Result<T, Box<str>>>, BudgetSpent> {
        let parts = cores::in_parts(items.len(), ROWS_PER_THREAD, |part| {
            let steps = self.budget.steps();
            let one = |item: &'i I| match work(item, &steps) {
                Ok(value) => Ok(Ok(value)),
                Err(Fault::Wrong(message)) => Ok(Err(message)),
                Err(Fault::Spent(spent)) => Err(spent),
            };
            items[part].iter().map(one).collect::<Result<Vec<_>, _>>()
        });
        let mut all = Vec::with_capacity(items.len());
        for part in parts {
            all.extend(part?);
        }
        Ok(all)
    }

    fn shape(self, header: &Header, plan: &Plan) -> Result<Shape, DqlError> {
        if matches!(header, Header::Task) {
            return Ok(Shape::Tasks(tasks(self.rows, self.groups.len())));
        }
        let is_calendar = matches!(header, Header::Calendar(_));
        let found = self.each(|evaluation| {
            let cells = evaluation.values(&plan.columns)?;
            match cells.first().filter(|_| is_calendar) {
                None | Some(Value::Null | Value::Date(_)) => Ok(cells),
                Some(other) => Err(Fault::wrong(format!("CALENDAR takes a date, got {}", kind(other)))),
            }
        })?;
        let id_name = self.groups.last().cloned().unwrap_or_else(|| self.world.settings.file_column.clone());
        // Without a date there is no day to stand on.
        let is_dateless = |cells: &Result<Vec<Value>, Box<str>>| is_calendar && matches!(cells.as_deref(), Ok([Value::Null]));
        let (rows, found): (Vec<Row>, Vec<_>) = self.rows.into_iter().zip(found).filter(|(_, cells)| !is_dateless(cells)).unzip();
        let cells = succeeded("the columns", found)?;
        let rows = rows.into_iter().zip(cells).filter_map(|(row, cells)| Some((row, cells?)));
        Ok(match header {
            Header::Table { columns, with_id } => {
                let id_name = with_id.then(|| id_name.to_string());
                let headers = id_name.into_iter().chain(columns.iter().map(|column| column.name.to_string())).collect();
                Shape::Table { headers, rows: rows.collect(), with_id: *with_id }
            }
            Header::List { value, with_id } => Shape::List {
                rows: rows.map(|(row, mut cells)| (row, cells.pop())).collect(),
                with_id: *with_id || value.is_none(),
            },
            _ => Shape::Calendar(rows.filter_map(|(row, mut cells)| Some((cells.pop()?, row))).collect()),
        })
    }
}

/// Rows that FLATTEN may make.
const MOST_ROWS: usize = 2_000_000;

/// Rows that failed are left out; if all did, that is an error.
fn succeeded<T>(clause: &'static str, found: Vec<Result<T, Box<str>>>) -> Result<Vec<Option<T>>, DqlError> {
    if !found.is_empty() && found.iter().all(Result::is_err) {
        let mut messages: Vec<String> = found.into_iter().filter_map(Result::err).map(String::from).collect();
        messages.dedup();
        messages.truncate(3);
        return Err(DqlError::EveryRowFailed { clause, messages });
    }
    Ok(found.into_iter().map(Result::ok).collect())
}

/// Tasks by what they are grouped by, the outermost first.
fn tasks(rows: Vec<Row>, depth: usize) -> Tasks {
    if depth == 0 {
        return Tasks::Items(rows);
    }
    let group = |row: Row| {
        let Data::Group { key, rows, .. } = row.data else { return None };
        let rows = rows.as_list().unwrap_or_default().iter().filter_map(|row| match Lazy::of(row) {
            Some(Lazy::Row(row)) => Some(Row::clone(row)),
            _ => None,
        });
        Some((key, tasks(rows.collect(), depth - 1)))
    };
    Tasks::Groups(rows.into_iter().filter_map(group).collect())
}
