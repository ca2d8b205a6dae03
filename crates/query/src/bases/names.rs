//! What the names of an expression stand for: properties, fields, functions and methods.

use std::collections::BTreeSet;

use quillgate_index::Catalogue;

use super::dialect::Bases;
use super::world::{Column, Settings};
use crate::code::Resolve;
use crate::expression::{Expr, ExprKind};
use crate::value::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A property of the row's note; a number of the columns.
    Property(usize),
    /// All properties of the row's note.
    Note,
    File,
    This,
    Formula(usize),
    /// What a summary is made of.
    Values,
}

#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) name: Box<str>,
    pub(super) file: Option<FileField>,
    /// What a note has under this name: `this.status`.
    pub(super) column: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileField {
    Name,
    Basename,
    Path,
    Folder,
    Extension,
    Size,
    Properties,
    Tags,
    Links,
    Embeds,
    Backlinks,
    Created,
    Modified,
    File,
}

pub(super) const FILE_FIELDS: &[(&str, FileField)] = &[
    ("name", FileField::Name),
    ("basename", FileField::Basename),
    ("path", FileField::Path),
    ("folder", FileField::Folder),
    ("ext", FileField::Extension),
    ("size", FileField::Size),
    ("properties", FileField::Properties),
    ("tags", FileField::Tags),
    ("links", FileField::Links),
    ("embeds", FileField::Embeds),
    ("backlinks", FileField::Backlinks),
    ("ctime", FileField::Created),
    ("mtime", FileField::Modified),
    ("file", FileField::File),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    EscapeHtml,
    Date,
    Duration,
    File,
    Html,
    If,
    Image,
    Icon,
    Link,
    List,
    Max,
    Min,
    Now,
    Number,
    Today,
    Random,
}

/// Name, function, fewest and most arguments.
pub(super) const FUNCTIONS: &[(&str, Function, usize, usize)] = &[
    ("escapeHTML", Function::EscapeHtml, 1, 1),
    ("date", Function::Date, 1, 1),
    ("duration", Function::Duration, 1, 1),
    ("file", Function::File, 1, 1),
    ("html", Function::Html, 1, 1),
    ("if", Function::If, 2, 3),
    ("image", Function::Image, 1, 1),
    ("icon", Function::Icon, 1, 1),
    ("link", Function::Link, 1, 2),
    ("list", Function::List, 1, 1),
    ("max", Function::Max, 1, MANY),
    ("min", Function::Min, 1, MANY),
    ("now", Function::Now, 0, 0),
    ("number", Function::Number, 1, 1),
    ("today", Function::Today, 0, 0),
    ("random", Function::Random, 0, 0),
];

const MANY: usize = usize::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    IsTruthy,
    IsType,
    ToString,
    IsEmpty,
    Date,
    Format,
    Time,
    Relative,
    Contains,
    ContainsAll,
    ContainsAny,
    EndsWith,
    StartsWith,
    Lower,
    Replace,
    Repeat,
    Reverse,
    Slice,
    Split,
    Title,
    Trim,
    Abs,
    Ceil,
    Floor,
    Round,
    ToFixed,
    Filter,
    Map,
    Reduce,
    Flat,
    Join,
    Sort,
    Unique,
    Mean,
    Median,
    StandardDeviation,
    Sum,
    Min,
    Max,
    AsFile,
    LinksTo,
    AsLink,
    HasLink,
    HasProperty,
    HasTag,
    InFolder,
    Keys,
    Values,
    Matches,
}

pub(super) const METHODS: &[(&str, Method, usize, usize)] = &[
    ("isTruthy", Method::IsTruthy, 0, 0),
    ("isType", Method::IsType, 1, 1),
    ("toString", Method::ToString, 0, 0),
    ("isEmpty", Method::IsEmpty, 0, 0),
    ("date", Method::Date, 0, 0),
    ("format", Method::Format, 1, 1),
    ("time", Method::Time, 0, 0),
    ("relative", Method::Relative, 0, 0),
    ("contains", Method::Contains, 1, 1),
    ("containsAll", Method::ContainsAll, 1, MANY),
    ("containsAny", Method::ContainsAny, 1, MANY),
    ("endsWith", Method::EndsWith, 1, 1),
    ("startsWith", Method::StartsWith, 1, 1),
    ("lower", Method::Lower, 0, 0),
    ("replace", Method::Replace, 2, 2),
    ("repeat", Method::Repeat, 1, 1),
    ("reverse", Method::Reverse, 0, 0),
    ("slice", Method::Slice, 1, 2),
    ("split", Method::Split, 1, 2),
    ("title", Method::Title, 0, 0),
    ("trim", Method::Trim, 0, 0),
    ("abs", Method::Abs, 0, 0),
    ("ceil", Method::Ceil, 0, 0),
    ("floor", Method::Floor, 0, 0),
    ("round", Method::Round, 0, 1),
    ("toFixed", Method::ToFixed, 0, 1),
    ("filter", Method::Filter, 1, 1),
    ("map", Method::Map, 1, 1),
    ("reduce", Method::Reduce, 1, 2),
    ("flat", Method::Flat, 0, 0),
    ("join", Method::Join, 0, 1),
    ("sort", Method::Sort, 0, 0),
    ("unique", Method::Unique, 0, 0),
    ("mean", Method::Mean, 0, 0),
    ("median", Method::Median, 0, 0),
    ("stddev", Method::StandardDeviation, 0, 0),
    ("sum", Method::Sum, 0, 0),
    ("min", Method::Min, 0, 0),
    ("max", Method::Max, 0, 0),
    ("asFile", Method::AsFile, 0, 0),
    ("linksTo", Method::LinksTo, 1, 1),
    ("asLink", Method::AsLink, 0, 1),
    ("hasLink", Method::HasLink, 1, 1),
    ("hasProperty", Method::HasProperty, 1, 1),
    ("hasTag", Method::HasTag, 1, MANY),
    ("inFolder", Method::InFolder, 1, 1),
    ("keys", Method::Keys, 0, 0),
    ("values", Method::Values, 0, 0),
    ("matches", Method::Matches, 1, 1),
];

impl Method {
    pub(super) fn name(self) -> &'static str {
        METHODS.iter().find(|(_, method, ..)| *method == self).map_or("", |(name, ..)| name)
    }
}

/// Joins `note.x`, `note["x"]`, `formula.x` and `formula["x"]` into one name each, which no written name can be.
pub(super) fn joined(expr: Expr) -> Expr {
    let each = |items: Vec<Expr>| items.into_iter().map(joined).collect::<Vec<_>>();
    let boxed = |inner: Box<Expr>| Box::new(joined(*inner));
    let kind = match expr.kind {
        ExprKind::Field { on, name } => match prefix(&on) {
            Some(prefix) => ExprKind::Name(format!("{prefix}.{name}").into()),
            None => ExprKind::Field { on: boxed(on), name },
        },
        ExprKind::Index { on, key } => match (prefix(&on), &key.kind) {
            (Some(prefix), ExprKind::Literal(Value::Text(name))) => ExprKind::Name(format!("{prefix}.{name}").into()),
            _ => ExprKind::Index { on: boxed(on), key: boxed(key) },
        },
        ExprKind::Call { name, arguments } => ExprKind::Call { name, arguments: each(arguments) },
        ExprKind::Method { on, name, arguments } => ExprKind::Method { on: boxed(on), name, arguments: each(arguments) },
        ExprKind::Apply { on, arguments } => ExprKind::Apply { on: boxed(on), arguments: each(arguments) },
        ExprKind::Not(inner) => ExprKind::Not(boxed(inner)),
        ExprKind::Negate(inner) => ExprKind::Negate(boxed(inner)),
        ExprKind::Binary { op, left, right } => ExprKind::Binary { op, left: boxed(left), right: boxed(right) },
        ExprKind::List(items) => ExprKind::List(each(items)),
        ExprKind::Object(entries) => ExprKind::Object(entries.into_iter().map(|(key, value)| (key, joined(value))).collect()),
        ExprKind::Lambda { parameters, body } => ExprKind::Lambda { parameters, body: boxed(body) },
        kind @ (ExprKind::Literal(_) | ExprKind::Name(_)) => kind,
    };
    Expr::new(kind, expr.span)
}

fn prefix(on: &Expr) -> Option<&'static str> {
    match &on.kind {
        ExprKind::Name(name) if &**name == "note" => Some("note"),
        ExprKind::Name(name) if &**name == "formula" => Some("formula"),
        _ => None,
    }
}

/// Every name below an expression, after [`joined`].
pub(super) fn each_name(expr: &Expr, found: &mut impl FnMut(&str)) {
    match &expr.kind {
        ExprKind::Name(name) => found(name),
        ExprKind::Literal(_) => {}
        ExprKind::Field { on, .. } => each_name(on, found),
        ExprKind::Index { on, key } => [on, key].into_iter().for_each(|inner| each_name(inner, found)),
        ExprKind::Call { arguments, .. } => arguments.iter().for_each(|inner| each_name(inner, found)),
        ExprKind::Method { on, arguments, .. } | ExprKind::Apply { on, arguments } => {
            each_name(on, found);
            arguments.iter().for_each(|inner| each_name(inner, found));
        }
        ExprKind::Not(inner) | ExprKind::Negate(inner) | ExprKind::Lambda { body: inner, .. } => each_name(inner, found),
        ExprKind::Binary { left, right, .. } => [left, right].into_iter().for_each(|inner| each_name(inner, found)),
        ExprKind::List(items) => items.iter().for_each(|inner| each_name(inner, found)),
        ExprKind::Object(entries) => entries.iter().for_each(|(_, inner)| each_name(inner, found)),
    }
}

/// Where the expression stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    Row,
    /// Has `values` besides.
    Summary,
}

pub(super) struct Names<'a, 'c> {
    pub(super) catalogue: &'c Catalogue,
    pub(super) settings: &'a Settings,
    pub(super) columns: &'a mut Vec<Column<'c>>,
    pub(super) formulas: &'a [Box<str>],
    /// Formulas that were asked for.
    pub(super) used: &'a mut BTreeSet<usize>,
    pub(super) scope: Scope,
}

impl Names<'_, '_> {
    pub(super) fn column(&mut self, name: &str) -> usize {
        let known = self.columns.iter().position(|column| *column.name == *name);
        known.unwrap_or_else(|| {
            self.columns.push(Column::new(self.catalogue, name, &self.settings.types));
            self.columns.len() - 1
        })
    }
}

fn find_formula(formulas: &[Box<str>], name: &str) -> Result<usize, String> {
    let known = formulas.iter().position(|formula| **formula == *name);
    known.ok_or_else(|| match formulas {
        [] => format!("there is no formula {name:?}; the base has none"),
        formulas => format!("there is no formula {name:?}; there are {}", formulas.join(", ")),
    })
}

impl Resolve<Bases> for Names<'_, '_> {
    fn place(&mut self, name: &str) -> Result<Place, String> {
        Ok(match name {
            "file" => Place::File,
            "this" => Place::This,
            "note" => Place::Note,
            "values" if self.scope == Scope::Summary => Place::Values,
            "formula" => return Err(BARE_FORMULA.into()),
            _ => match name.split_once('.') {
                Some(("formula", name)) => {
                    let formula = find_formula(self.formulas, name)?;
                    self.used.insert(formula);
                    Place::Formula(formula)
                }
                Some(("note", name)) => Place::Property(self.column(name)),
                _ => Place::Property(self.column(name)),
            },
        })
    }

    fn field(&mut self, name: &str) -> Result<Field, String> {
        let file = FILE_FIELDS.iter().find(|(field, _)| *field == name).map(|(_, field)| *field);
        Ok(Field { name: name.into(), file, column: self.column(name) })
    }

    fn function(&mut self, name: &str, arguments: usize) -> Result<Function, String> {
        find(FUNCTIONS, name, arguments, "function")
    }

    fn method(&mut self, name: &str, arguments: usize) -> Result<Method, String> {
        find(METHODS, name, arguments, "method")
    }

    fn implied(&self, name: &str, argument: usize) -> &'static [&'static str] {
        implied(name, argument)
    }
}

const BARE_FORMULA: &str = "formula is followed by the name of one, such as formula.total";

fn implied(name: &str, argument: usize) -> &'static [&'static str] {
    match (name, argument) {
        ("filter" | "map", 0) => &["value", "index"],
        ("reduce", 0) => &["acc", "value", "index"],
        _ => &[],
    }
}

/// Finds out whether all names mean something, without a vault to look into.
pub(super) struct NamesOnly<'a> {
    pub(super) formulas: &'a [Box<str>],
    pub(super) scope: Scope,
}

impl Resolve<Bases> for NamesOnly<'_> {
    fn place(&mut self, name: &str) -> Result<Place, String> {
        match name.split_once('.') {
            Some(("formula", name)) => find_formula(self.formulas, name).map(Place::Formula),
            None if name == "formula" => Err(BARE_FORMULA.into()),
            None if name == "values" && self.scope == Scope::Summary => Ok(Place::Values),
            _ => Ok(Place::Note),
        }
    }

    fn field(&mut self, name: &str) -> Result<Field, String> {
        Ok(Field { name: name.into(), file: None, column: 0 })
    }

    fn function(&mut self, name: &str, arguments: usize) -> Result<Function, String> {
        find(FUNCTIONS, name, arguments, "function")
    }

    fn method(&mut self, name: &str, arguments: usize) -> Result<Method, String> {
        find(METHODS, name, arguments, "method")
    }

    fn implied(&self, name: &str, argument: usize) -> &'static [&'static str] {
        implied(name, argument)
    }
}

fn find<T: Copy>(table: &[(&str, T, usize, usize)], name: &str, arguments: usize, what: &str) -> Result<T, String> {
    let Some((_, found, least, most)) = table.iter().find(|(known, ..)| *known == name) else {
        return Err(unknown(table, name, what));
    };
    if (*least..=*most).contains(&arguments) {
        return Ok(*found);
    }
    let wanted = match (*least, *most) {
        (least, MANY) => format!("{least} or more"),
        (least, most) if least == most => least.to_string(),
        (least, most) => format!("{least} to {most}"),
    };
    Err(format!("{name}() takes {wanted} arguments, and there are {arguments}"))
}

/// Names of before 1.9.2 had underscores and no capitals.
fn unknown<T>(table: &[(&str, T, usize, usize)], name: &str, what: &str) -> String {
    let plain = |text: &str| text.replace('_', "").to_lowercase();
    match table.iter().find(|(known, ..)| plain(known) == plain(name)) {
        Some((known, ..)) => format!("there is no {what} {name}; write {known}"),
        None => {
            let all: Vec<&str> = table.iter().map(|(known, ..)| *known).collect();
            format!("there is no {what} {name}; there are {}", all.join(", "))
        }
    }
}
