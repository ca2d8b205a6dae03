//! The YAML of a base: filters, formulas, properties, summaries and views. Other keys belong to plugins and are left alone.

use quillgate_markdown::{Value as Yaml, YamlEntry, parse_yaml};

use super::names::{NamesOnly, Scope, joined};
use super::parser::parse_expression;
use crate::code::lower;
use crate::expression::Expr;
use crate::fault::SyntaxError;

/// What cannot be read is kept with the reason, so that it spoils only what needs it: a view does without the formulas of another.
#[derive(Clone, Debug)]
pub struct Base {
    pub(super) filters: Result<Option<Filter>, SyntaxError>,
    pub(super) formulas: Vec<NamedSource>,
    /// Names to show for properties, by id.
    pub(super) display_names: Vec<(Box<str>, Box<str>)>,
    pub(super) summaries: Vec<NamedSource>,
    pub(super) views: Vec<View>,
    /// What is written in a way that the app no longer reads; nothing is made of it.
    pub warnings: Vec<String>,
}

pub(super) type NamedSource = (Box<str>, Result<Source, SyntaxError>);

/// An expression and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) text: Box<str>,
    pub(super) expr: Expr,
    /// Line and column of its first character.
    pub(super) at: Option<(usize, usize)>,
}

#[derive(Clone, Debug)]
pub(super) enum Filter {
    Expression(Box<Source>),
    And(Vec<Filter>),
    Or(Vec<Filter>),
    /// None of them.
    Not(Vec<Filter>),
}

#[derive(Clone, Debug)]
pub struct View {
    pub kind: Box<str>,
    pub name: Box<str>,
    pub(super) filters: Option<Filter>,
    pub(super) group_by: Option<Sorting>,
    /// Ids of the columns.
    pub(super) order: Vec<Box<str>>,
    pub(super) sort: Vec<Sorting>,
    pub(super) limit: Option<usize>,
    /// Ids with the names of summaries.
    pub(super) summaries: Vec<(Box<str>, Box<str>)>,
    /// Why it cannot be shown.
    pub(super) problem: Option<SyntaxError>,
}

#[derive(Clone, Debug)]
pub(super) struct Sorting {
    pub(super) property: Box<str>,
    pub(super) is_descending: bool,
}

/// Filters within filters, and things of each kind: more are nobody's.
const DEEPEST: usize = 32;
const MOST: usize = 500;

impl Base {
    /// Reads a base of which parts may be wrong. Errors count lines and columns of the text.
    pub fn parse(text: &str) -> Result<Base, SyntaxError> {
        let body = text.strip_prefix('\u{feff}').unwrap_or(text);
        let entries = parse_yaml(body).map_err(|error| SyntaxError { line: error.line, column: 1, message: error.message })?;
        let mut base = Base {
            filters: Ok(None),
            formulas: Vec::new(),
            display_names: Vec::new(),
            summaries: Vec::new(),
            views: Vec::new(),
            warnings: Vec::new(),
        };
        for entry in &entries {
            let reader = Reader { text: body, from: entry.span.start, to: entry.span.end };
            reader.entry(&mut base, entry)?;
        }
        Ok(base)
    }

    /// Everything that a view could fail on, from top to bottom: what cannot be read, and functions and formulas that are not there.
    pub fn problems(&self) -> Vec<SyntaxError> {
        let mut found = Vec::new();
        let formulas: Vec<Box<str>> = self.formulas.iter().map(|(name, _)| name.clone()).collect();
        match &self.filters {
            Ok(filter) => filter.iter().for_each(|filter| filter.problems(&formulas, &mut found)),
            Err(error) => found.push(error.clone()),
        }
        let named = self.formulas.iter().map(|(_, source)| (source, Scope::Row));
        for (source, scope) in named.chain(self.summaries.iter().map(|(_, source)| (source, Scope::Summary))) {
            match source {
                Ok(source) => found.extend(source.problem(&formulas, scope)),
                Err(error) => found.push(error.clone()),
            }
        }
        for view in &self.views {
            found.extend(view.problem.clone());
            view.filters.iter().for_each(|filter| filter.problems(&formulas, &mut found));
        }
        found.sort_by_key(|error| (error.line, error.column));
        found
    }

    pub fn views(&self) -> &[View] {
        &self.views
    }

    /// The view of this name, or the first. A base without views shows a table of files.
    pub(super) fn view(&self, name: Option<&str>) -> Option<View> {
        match name {
            Some(name) => self.views.iter().find(|view| *view.name == *name).cloned(),
            None => Some(self.views.first().cloned().unwrap_or_else(|| View::new("table".into(), "Table".into()))),
        }
    }
}

impl View {
    pub fn is_grouped(&self) -> bool {
        self.group_by.is_some()
    }

    fn new(kind: Box<str>, name: Box<str>) -> View {
        View {
            kind,
            name,
            filters: None,
            group_by: None,
            order: Vec::new(),
            sort: Vec::new(),
            limit: None,
            summaries: Vec::new(),
            problem: None,
        }
    }
}

impl Source {
    fn problem(&self, formulas: &[Box<str>], scope: Scope) -> Option<SyntaxError> {
        lower(&self.expr, &self.text, &mut NamesOnly { formulas, scope }).err().map(|error| moved(error, self.at))
    }
}

impl Filter {
    fn problems(&self, formulas: &[Box<str>], found: &mut Vec<SyntaxError>) {
        match self {
            Filter::Expression(source) => found.extend(source.problem(formulas, Scope::Row)),
            Filter::And(filters) | Filter::Or(filters) | Filter::Not(filters) => {
                filters.iter().for_each(|filter| filter.problems(formulas, found));
            }
        }
    }
}

/// A filter given as data rather than in a file: a text, or a map with `and`, `or` or `not`.
pub(super) fn filter_of(value: &Yaml) -> Result<Option<Filter>, SyntaxError> {
    Reader { text: "", from: 0, to: 0 }.filter(value, DEEPEST)
}

/// Reads one entry of the top level; the parser knows only where that stands, so what is inside is looked for there.
struct Reader<'t> {
    text: &'t str,
    from: usize,
    to: usize,
}

impl Reader<'_> {
    fn error(&self, needle: &str, message: impl Into<String>) -> SyntaxError {
        let offset = self.text.get(self.from..self.to).and_then(|part| part.find(needle)).map_or(self.from, |at| self.from + at);
        SyntaxError::at(self.text, offset, message)
    }

    fn entry(&self, base: &mut Base, entry: &YamlEntry) -> Result<(), SyntaxError> {
        match entry.key.as_str() {
            "filters" => base.filters = self.filter(&entry.value, DEEPEST),
            "formulas" => base.formulas = self.expressions("formulas", &entry.value)?,
            "summaries" => base.summaries = self.expressions("summaries", &entry.value)?,
            "properties" => {
                for (id, settings) in self.map("properties", &entry.value)? {
                    if let Yaml::Map(settings) = settings
                        && let Some(name) = settings.iter().find(|(key, _)| key == "displayName").and_then(|(_, name)| word(name))
                    {
                        base.display_names.push((id.as_str().into(), name.into()));
                    }
                }
            }
            "views" => {
                for (number, value) in self.list("views", &entry.value)?.iter().enumerate() {
                    let mut view = View::new("table".into(), view_name(value, number).into());
                    view.problem = self.view(value, &mut view, &mut base.warnings).err();
                    base.views.push(view);
                }
            }
            "display" => {
                base.warnings.push("display: is of an early version and not read; use properties: with displayName".into())
            }
            _ => {}
        }
        Ok(())
    }

    fn map<'v>(&self, key: &str, value: &'v Yaml) -> Result<&'v [(String, Yaml)], SyntaxError> {
        match value {
            Yaml::Map(entries) if entries.len() > MOST => Err(self.error(key, format!("{key} has more than {MOST} entries"))),
            Yaml::Map(entries) => Ok(entries),
            Yaml::Null => Ok(&[]),
            _ => Err(self.error(key, format!("{key} is a map of names, each with its own value"))),
        }
    }

    fn list<'v>(&self, key: &str, value: &'v Yaml) -> Result<&'v [Yaml], SyntaxError> {
        match value {
            Yaml::List(items) if items.len() > MOST => Err(self.error(key, format!("{key} has more than {MOST} entries"))),
            Yaml::List(items) => Ok(items),
            Yaml::Null => Ok(&[]),
            _ => Err(self.error(key, format!("{key} is a list"))),
        }
    }

    fn expressions(&self, key: &str, value: &Yaml) -> Result<Vec<NamedSource>, SyntaxError> {
        let entries = self.map(key, value)?.iter();
        Ok(entries.map(|(name, value)| (name.as_str().into(), self.source(value, name))).collect())
    }

    fn source(&self, value: &Yaml, near: &str) -> Result<Source, SyntaxError> {
        let text = match value {
            Yaml::Text(text) => text.clone(),
            Yaml::Bool(truth) => truth.to_string(),
            Yaml::Integer(number) => number.to_string(),
            Yaml::Float(number) => number.to_string(),
            _ => return Err(self.error(near, "an expression is expected, written as a text")),
        };
        let at = self.find(&text, near);
        let expr = parse_expression(&text).map_err(|error| moved(error, at))?;
        Ok(Source { text: text.into(), expr: joined(expr), at })
    }

    /// Quotes and escapes may hide it; then the name it stands under is near enough.
    fn find(&self, text: &str, near: &str) -> Option<(usize, usize)> {
        let part = self.text.get(self.from..self.to)?;
        let is_apart = |at: usize, length: usize| {
            let before = part[..at].chars().next_back();
            let after = part[at + length..].chars().next();
            before.is_none_or(|before| " \t\n\"'[{,".contains(before))
                && after.is_none_or(|after| " \t\r\n\"':]},".contains(after))
        };
        let find_apart = |wanted: &str, from: usize| {
            let mut places = part[from..].match_indices(wanted).map(|(at, _)| from + at);
            places.find(|at| !wanted.is_empty() && is_apart(*at, wanted.len()))
        };
        let first_line = text.lines().next().unwrap_or(text);
        let name = find_apart(near, 0);
        let behind = name.map_or(0, |name| name + near.len());
        let offset = find_apart(text, behind).or_else(|| find_apart(first_line, behind)).or(name).unwrap_or(0);
        let place = SyntaxError::at(self.text, self.from + offset, "");
        (!self.text.is_empty()).then_some((place.line, place.column))
    }

    fn filter(&self, value: &Yaml, depth: usize) -> Result<Option<Filter>, SyntaxError> {
        if depth == 0 {
            return Err(self.error("filters", "filters are nested too deeply"));
        }
        let entries = match value {
            Yaml::Null => return Ok(None),
            Yaml::Text(text) if text.trim().is_empty() => return Ok(None),
            Yaml::Map(entries) => entries,
            Yaml::List(_) => {
                return Err(self.error("filters", "a list of filters stands under and:, or: or not:"));
            }
            other => return Ok(Some(Filter::Expression(Box::new(self.source(other, "filters")?)))),
        };
        let [(key, items)] = &entries[..] else {
            let keys: Vec<&str> = entries.iter().map(|(key, _)| key.as_str()).collect();
            let message = format!("a filter has exactly one of and, or and not; this one has {}", keys.join(", "));
            return Err(self.error(keys.get(1).copied().unwrap_or("filters"), message));
        };
        let items = self.list(key, items)?.iter().filter_map(|item| self.filter(item, depth - 1).transpose());
        let items = items.collect::<Result<Vec<_>, _>>()?;
        match key.as_str() {
            "and" => Ok(Some(Filter::And(items))),
            "or" => Ok(Some(Filter::Or(items))),
            "not" => Ok(Some(Filter::Not(items))),
            other => Err(self.error(other, format!("a filter has one of and, or and not, and no {other}"))),
        }
    }

    fn view(&self, value: &Yaml, view: &mut View, warnings: &mut Vec<String>) -> Result<(), SyntaxError> {
        let Yaml::Map(entries) = value else {
            return Err(self.error("views", "a view is a map with type and name"));
        };
        let mut early = |key: &str, instead: &str| {
            warnings.push(format!("{key}: of the view {:?} is of an early version and not read; use {instead}:", view.name));
        };
        for (key, value) in entries {
            match key.as_str() {
                "type" => view.kind = value.as_text().unwrap_or("table").into(),
                "filters" => view.filters = self.filter(value, DEEPEST)?,
                "groupBy" if !matches!(value, Yaml::Null) => view.group_by = Some(self.sorting("groupBy", value)?),
                "order" => view.order = self.list("order", value)?.iter().filter_map(Yaml::as_text).map(Into::into).collect(),
                "sort" => {
                    let is_early =
                        |value: &&Yaml| matches!(value, Yaml::Map(entries) if entries.iter().any(|(key, _)| key == "column"));
                    let (old, sort): (Vec<&Yaml>, Vec<&Yaml>) = self.list("sort", value)?.iter().partition(is_early);
                    old.first().into_iter().for_each(|_| early("column", "property"));
                    view.sort = sort.into_iter().map(|value| self.sorting("sort", value)).collect::<Result<_, _>>()?;
                }
                "limit" => view.limit = self.limit(value)?,
                "summaries" => {
                    let summaries = self.map("summaries", value)?.iter();
                    view.summaries =
                        summaries.filter_map(|(id, name)| Some((id.as_str().into(), name.as_text()?.into()))).collect();
                }
                "group_by" => early("group_by", "groupBy"),
                _ => {}
            }
        }
        Ok(())
    }

    fn limit(&self, value: &Yaml) -> Result<Option<usize>, SyntaxError> {
        match value {
            Yaml::Null => Ok(None),
            Yaml::Integer(limit) if *limit >= 0 => Ok(usize::try_from(*limit).ok()),
            _ => Err(self.error("limit", "limit is a whole number")),
        }
    }

    fn sorting(&self, key: &str, value: &Yaml) -> Result<Sorting, SyntaxError> {
        let find = |name: &str| match value {
            Yaml::Map(entries) => entries.iter().find(|(other, _)| other == name).map(|(_, value)| value),
            _ => None,
        };
        let Some(property) = find("property").and_then(Yaml::as_text) else {
            return Err(self.error(key, format!("{key} names its property:, and direction: ASC or DESC")));
        };
        let is_descending = match find("direction") {
            None | Some(Yaml::Null) => false,
            Some(Yaml::Text(direction)) if direction.eq_ignore_ascii_case("asc") => false,
            Some(Yaml::Text(direction)) if direction.eq_ignore_ascii_case("desc") => true,
            Some(_) => return Err(self.error("direction", "direction is ASC or DESC")),
        };
        Ok(Sorting { property: property.into(), is_descending })
    }
}

/// What a view is called: by its name, which YAML may take for a number, or by its place.
pub(super) fn view_name(view: &Yaml, number: usize) -> String {
    let name = match view {
        Yaml::Map(entries) => entries.iter().find(|(key, _)| key == "name").and_then(|(_, name)| word(name)),
        _ => None,
    };
    name.unwrap_or_else(|| format!("View {}", number + 1))
}

/// A name that may look like something else to YAML.
fn word(value: &Yaml) -> Option<String> {
    match value {
        Yaml::Text(text) => Some(text.clone()),
        Yaml::Integer(number) => Some(number.to_string()),
        Yaml::Float(number) => Some(number.to_string()),
        Yaml::Bool(truth) => Some(truth.to_string()),
        _ => None,
    }
}

/// An error in an expression, at its place in the file.
pub(super) fn moved(error: SyntaxError, at: Option<(usize, usize)>) -> SyntaxError {
    let Some((line, column)) = at else { return error };
    let column = if error.line == 1 { column + error.column - 1 } else { error.column };
    SyntaxError { line: line + error.line - 1, column, message: error.message }
}
