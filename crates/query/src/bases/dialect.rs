//! Bases as a dialect of the shared evaluator.

use std::sync::Arc;

use quillgate_index::FileId;

use super::compare::as_number;
use super::dates::milliseconds;
use super::names::{Field, FileField, Function, Method, Place};
use super::text::path_of;
use super::world::Row;
use crate::code::Code;
use crate::date::Date;
use crate::evaluate::{Dialect, Evaluation};
use crate::expression::BinaryOp;
use crate::fault::Fault;
use crate::value::{Link, LinkKind, RichKind, Value};

#[derive(Debug)]
pub(super) struct Bases;

pub(super) type Evaluator<'r, 'b> = Evaluation<'r, 'b, Bases>;

/// Items of a list that an expression may make.
const LONGEST_LIST: usize = 1_000_000;

impl Dialect for Bases {
    type Place = Place;
    type Field = Field;
    type Function = Function;
    type Method = Method;
    type Row<'r> = Row<'r>;

    fn place(evaluation: &mut Evaluator<'_, '_>, place: &Place) -> Result<Value, Fault> {
        let world = evaluation.row.world;
        Ok(match (place, evaluation.row.file) {
            (Place::This, _) => world.this.map_or(Value::Null, Value::File),
            (Place::Values, _) => evaluation.row.values.clone(),
            (Place::Formula(formula), _) => return self::formula(evaluation, *formula),
            (_, None) => Value::Null,
            (Place::File, Some(file)) => Value::File(file),
            (Place::Property(column), Some(file)) => world.columns[*column].value(file),
            (Place::Note, Some(file)) => Value::Object(Arc::new(world.properties(file))),
        })
    }

    fn field(evaluation: &mut Evaluator<'_, '_>, on: &Value, field: &Field) -> Result<Value, Fault> {
        let unknown = || Fault::wrong(format!("{} has no field {:?}", with_article(on), field.name));
        match on {
            Value::Null => Ok(Value::Null),
            Value::File(file) => file_field(evaluation, *file, field).ok_or_else(unknown),
            Value::Link(link) => match evaluation.row.world.target(link) {
                Some(file) => file_field(evaluation, file, field).ok_or_else(unknown),
                None => Ok(Value::Null),
            },
            Value::Object(object) => Ok(match object.find(&field.name) {
                Some(value) => value.clone(),
                None if &*field.name == "length" => Value::Number(object.0.len() as f64),
                None => Value::Null,
            }),
            Value::Date(date) => date_field(date, &field.name).ok_or_else(unknown),
            Value::Duration(duration) => {
                let size = match &*field.name {
                    "days" => 86_400_000.0,
                    "hours" => 3_600_000.0,
                    "minutes" => 60_000.0,
                    "seconds" => 1000.0,
                    "milliseconds" => 1.0,
                    _ => return Err(unknown()),
                };
                Ok(Value::Number(milliseconds(duration) / size))
            }
            Value::List(items) if &*field.name == "length" => Ok(Value::Number(items.len() as f64)),
            Value::Text(text) | Value::Tag(text) if &*field.name == "length" => {
                Ok(Value::Number(text.encode_utf16().count() as f64))
            }
            _ => Err(unknown()),
        }
    }

    fn index(evaluation: &mut Evaluator<'_, '_>, on: &Value, key: &Value) -> Result<Value, Fault> {
        let world = evaluation.row.world;
        match (on, key) {
            (Value::Null, _) => Ok(Value::Null),
            (Value::List(items), key) => match as_number(key) {
                Some(at) if at >= 0.0 && at.fract() == 0.0 => Ok(items.get(at as usize).cloned().unwrap_or(Value::Null)),
                Some(_) => Ok(Value::Null),
                None => Err(Fault::wrong(format!("an item of a list is named by a number, not by {}", with_article(key)))),
            },
            (Value::Text(text), Value::Number(at)) if *at >= 0.0 => {
                Ok(text.chars().nth(*at as usize).map_or(Value::Null, |character| Value::from(character.to_string())))
            }
            (Value::Object(object), key) => {
                let key = super::text::text_of(key, world.catalogue);
                Ok(object.find(&key).cloned().unwrap_or(Value::Null))
            }
            (Value::File(file), Value::Text(name)) => {
                let properties = world.properties(*file);
                let folded = quillgate_markdown::fold(name);
                let found = properties.0.iter().find(|(key, _)| quillgate_markdown::fold(key) == folded);
                Ok(found.map_or(Value::Null, |(_, value)| value.clone()))
            }
            _ => Err(Fault::wrong(format!("{} has no parts to name in brackets", with_article(on)))),
        }
    }

    fn call(evaluation: &mut Evaluator<'_, '_>, function: &Function, arguments: &[Code<Bases>]) -> Result<Value, Fault> {
        super::functions::call(evaluation, *function, arguments)
    }

    fn method(evaluation: &mut Evaluator<'_, '_>, on: Value, method: &Method, arguments: &[Code<Bases>]) -> Result<Value, Fault> {
        super::methods::call(evaluation, on, *method, arguments)
    }

    fn binary(evaluation: &mut Evaluator<'_, '_>, op: BinaryOp, left: Value, right: Value) -> Result<Value, Fault> {
        let world = evaluation.row.world;
        let ordered = |holds: fn(std::cmp::Ordering) -> bool| Ok(Value::Bool(world.compare(&left, &right).is_some_and(holds)));
        match op {
            BinaryOp::Equal => Ok(Value::Bool(world.is_equal(&left, &right))),
            BinaryOp::NotEqual => Ok(Value::Bool(!world.is_equal(&left, &right))),
            BinaryOp::Less => ordered(std::cmp::Ordering::is_lt),
            BinaryOp::LessOrEqual => ordered(std::cmp::Ordering::is_le),
            BinaryOp::Greater => ordered(std::cmp::Ordering::is_gt),
            BinaryOp::GreaterOrEqual => ordered(std::cmp::Ordering::is_ge),
            _ => {
                let made = size(&left) + size(&right);
                if made > LONGEST_LIST {
                    return Err(Fault::wrong("the list becomes too long"));
                }
                evaluation.steps.spend(made as u64)?;
                world.arithmetic(op, &left, &right)
            }
        }
    }

    fn negate(_: &mut Evaluator<'_, '_>, value: Value) -> Result<Value, Fault> {
        match &value {
            Value::Null => Ok(Value::Null),
            Value::Duration(duration) => Ok(Value::Duration(Arc::new(duration.map(|unit| -unit)))),
            other => match as_number(other) {
                Some(number) => Ok(Value::Number(-number)),
                None => Err(Fault::wrong(format!("{} has no negative", with_article(other)))),
            },
        }
    }

    fn is_true(value: &Value) -> bool {
        match value {
            Value::Null => false,
            Value::Bool(truth) => *truth,
            Value::Number(number) => *number != 0.0 && !number.is_nan(),
            Value::Text(text) | Value::Tag(text) => !text.is_empty(),
            Value::List(items) => !items.is_empty(),
            Value::Object(object) => !object.0.is_empty(),
            _ => true,
        }
    }

    fn decided(value: Value) -> Value {
        value
    }
}

fn size(value: &Value) -> usize {
    match value {
        Value::List(items) => items.len(),
        Value::Text(text) => text.len() / 64,
        _ => 0,
    }
}

/// Worked out once per row.
fn formula(evaluation: &mut Evaluator<'_, '_>, formula: usize) -> Result<Value, Fault> {
    let world = evaluation.row.world;
    let formulas = &world.formulas;
    evaluation.row.cells.resize(formulas.len(), None);
    if let Some(known) = &evaluation.row.cells[formula] {
        return known.clone();
    }
    let value = match &formulas[formula].code {
        Ok(code) => evaluation.value_alone(code),
        Err(cycle) => Err(Fault::Wrong(cycle.clone())),
    };
    evaluation.row.cells[formula] = Some(value.clone());
    value
}

/// For a sentence about a value: `a string`, `an object`.
pub(super) fn with_article(value: &Value) -> String {
    let name = type_name(value);
    let article = if name.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
    format!("{article} {name}")
}

/// The word that `isType()` takes.
pub(super) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::Text(_) => "string",
        Value::Date(_) => "date",
        Value::Duration(_) => "duration",
        Value::Link(link) if link.kind == LinkKind::External => "url",
        Value::Link(_) => "link",
        Value::File(_) => "file",
        Value::Tag(_) => "tag",
        Value::List(_) => "list",
        Value::Object(_) => "object",
        Value::Pattern(_) => "regexp",
        Value::Function(_) => "function",
        Value::Rich(rich) => match rich.kind {
            RichKind::Html => "html",
            RichKind::Icon => "icon",
            RichKind::Image => "image",
            RichKind::Url => "url",
        },
    }
}

fn date_field(date: &Date, name: &str) -> Option<Value> {
    let at = date.at;
    Some(Value::Number(match name {
        "year" => f64::from(at.year()),
        "month" => f64::from(at.month()),
        "day" => f64::from(at.day()),
        "hour" => f64::from(at.hour()),
        "minute" => f64::from(at.minute()),
        "second" => f64::from(at.second()),
        "millisecond" => f64::from(at.millisecond()),
        _ => return None,
    }))
}

/// What a file has by itself, else what its note has: the app has `this.file.name` and `this.status`.
fn file_field(evaluation: &Evaluator<'_, '_>, file: FileId, field: &Field) -> Option<Value> {
    let world = evaluation.row.world;
    let Some(kind) = field.file else {
        let value = world.columns[field.column].value(file);
        let is_row = evaluation.row.file == Some(file) && world.this != Some(file);
        return if value.is_null() && is_row { None } else { Some(value) };
    };
    let entry = world.catalogue.entry(file)?;
    let moment = |nanoseconds: i64| match jiff::Timestamp::from_nanosecond(i128::from(nanoseconds)) {
        Ok(moment) => Value::Date(Date::of(moment, world.zone())),
        Err(_) => Value::Null,
    };
    Some(match kind {
        FileField::Name => Value::from(entry.path.name()),
        FileField::Basename => Value::from(entry.path.basename()),
        FileField::Path => Value::from(entry.path.as_str()),
        FileField::Folder => Value::from(entry.path.parent().as_str()),
        FileField::Extension => Value::from(entry.path.extension()),
        FileField::Size => Value::Number(entry.stat.size as f64),
        FileField::Properties => Value::Object(Arc::new(world.properties(file))),
        FileField::Tags => world.tags(file),
        FileField::Links | FileField::Embeds => {
            let links = world.catalogue.links_of(file).filter(|link| link.embed || kind == FileField::Links);
            let value = |link: quillgate_index::LinkedFile<'_>| {
                let to = super::property::link_to(link.path);
                Value::Link(Arc::new(Link { embed: link.embed, source: Some(file), ..to }))
            };
            Value::list(links.map(value).collect())
        }
        FileField::Backlinks => {
            let sources = world.catalogue.sources_of(file).into_iter();
            Value::list(sources.map(|source| Value::Link(Arc::new(link_to_file(source, None, world.catalogue)))).collect())
        }
        // Where the file system keeps no time of creation, the last change is the best there is.
        FileField::Created => moment(entry.stat.created.unwrap_or(entry.stat.modified)),
        FileField::Modified => moment(entry.stat.modified),
        FileField::File => Value::File(file),
    })
}

/// By its whole path, which means the same file wherever it stands.
pub(super) fn link_to_file(file: FileId, display: Option<Arc<str>>, catalogue: &quillgate_index::Catalogue) -> Link {
    let path = path_of(file, catalogue);
    let path = path.strip_suffix(".md").unwrap_or(path).into();
    Link { path, subpath: None, display, embed: false, kind: LinkKind::File, source: Some(file) }
}
