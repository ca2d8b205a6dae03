//! Makes a base ready for a query: names found, formulas in place, circles among them noticed.

use std::collections::BTreeSet;

use quillgate_index::{Catalogue, FileId};

use super::dialect::Bases;
use super::names::{Names, Scope, each_name};
use super::schema::{Base, Filter, Source, moved};
use super::world::{Column, Formula, Settings, World};
use crate::code::{Code, Resolve, lower};
use crate::fault::SyntaxError;

/// A filter whose names are found.
pub(super) enum FilterCode {
    Expression(Box<Code<Bases>>),
    And(Vec<FilterCode>),
    Or(Vec<FilterCode>),
    Not(Vec<FilterCode>),
}

/// Something to show, to sort or to group by; a message where its id names nothing.
pub(super) type ColumnCode = Result<Code<Bases>, Box<str>>;

pub(super) struct Preparation<'b, 'c> {
    base: &'b Base,
    catalogue: &'c Catalogue,
    settings: &'c Settings,
    columns: Vec<Column<'c>>,
    formulas: Vec<Box<str>>,
    /// Those that the view needs, as far as is known.
    used: BTreeSet<usize>,
}

impl<'b, 'c> Preparation<'b, 'c> {
    pub(super) fn new(base: &'b Base, catalogue: &'c Catalogue, settings: &'c Settings) -> Preparation<'b, 'c> {
        let formulas = base.formulas.iter().map(|(name, _)| name.clone()).collect();
        Preparation { base, catalogue, settings, columns: Vec::new(), formulas, used: BTreeSet::new() }
    }

    fn names(&mut self, scope: Scope) -> Names<'_, 'c> {
        let (columns, used) = (&mut self.columns, &mut self.used);
        Names { catalogue: self.catalogue, settings: self.settings, columns, formulas: &self.formulas, used, scope }
    }

    pub(super) fn code(&mut self, source: &Source, scope: Scope) -> Result<Code<Bases>, SyntaxError> {
        lower(&source.expr, &source.text, &mut self.names(scope)).map_err(|error| moved(error, source.at))
    }

    pub(super) fn filter(&mut self, filter: &Filter) -> Result<FilterCode, SyntaxError> {
        Ok(match filter {
            Filter::Expression(source) => FilterCode::Expression(Box::new(self.code(source, Scope::Row)?)),
            Filter::And(filters) => FilterCode::And(self.filters(filters)?),
            Filter::Or(filters) => FilterCode::Or(self.filters(filters)?),
            Filter::Not(filters) => FilterCode::Not(self.filters(filters)?),
        })
    }

    fn filters(&mut self, filters: &[Filter]) -> Result<Vec<FilterCode>, SyntaxError> {
        filters.iter().map(|filter| self.filter(filter)).collect()
    }

    /// `note.x`, `file.x`, `formula.x` or `x`.
    pub(super) fn column(&mut self, id: &str) -> ColumnCode {
        let mut names = self.names(Scope::Row);
        match id.split_once('.') {
            Some(("file", field)) => {
                let field = names.field(field)?;
                if field.file.is_none() {
                    return Err(format!("a file has no field {:?}", field.name).into());
                }
                let file = Box::new(Code::Place(super::names::Place::File));
                Ok(Code::Field { on: file, field })
            }
            Some(("note" | "formula", _)) => Ok(Code::Place(names.place(id)?)),
            _ if matches!(id, "file" | "this" | "note") => Ok(Code::Place(names.place(id)?)),
            _ => Ok(Code::Place(names.place(&format!("note.{id}"))?)),
        }
    }

    /// A formula that cannot be read is no matter where the view does without it; a warning says so.
    pub(super) fn finish(mut self, this: Option<FileId>, warnings: &mut Vec<String>) -> Result<World<'c>, SyntaxError> {
        let needed = self.needed();
        let mut formulas = Vec::new();
        for (at, (name, source)) in self.base.formulas.iter().enumerate() {
            let code = source.as_ref().map_err(Clone::clone).and_then(|source| self.code(source, Scope::Row));
            let code = match (code, self.circle(at)) {
                (Err(error), _) if needed.contains(&at) => return Err(error),
                (Err(error), _) => {
                    warnings.push(format!("formula.{name}, which this view does not use, cannot be read: {error}"));
                    Err(error.to_string().into())
                }
                (Ok(_), Some(circle)) => Err(circle.into()),
                (Ok(code), None) => Ok(code),
            };
            formulas.push(Formula { code });
        }
        let tags = Column::of_tags(self.catalogue);
        let mut names: Vec<&str> = self.catalogue.property_names().collect();
        names.sort_unstable();
        let property = |name: &str| {
            Some((name.into(), self.catalogue.property_column(name)?, self.settings.types.find(&quillgate_markdown::fold(name))))
        };
        let properties = names.into_iter().filter_map(property).collect();
        Ok(World { catalogue: self.catalogue, settings: self.settings, this, columns: self.columns, tags, formulas, properties })
    }

    /// The formulas that the view names, and those that they name.
    fn needed(&self) -> BTreeSet<usize> {
        let mut needed = BTreeSet::new();
        let mut open: Vec<usize> = self.used.iter().copied().collect();
        while let Some(formula) = open.pop() {
            if needed.insert(formula) {
                open.extend(self.needs(formula));
            }
        }
        needed
    }

    /// Why a formula has no value: the way from it back to itself.
    fn circle(&self, start: usize) -> Option<String> {
        let mut way = vec![start];
        let mut seen = vec![false; self.formulas.len()];
        if !self.leads_to(start, start, &mut way, &mut seen) {
            return None;
        }
        let names: Vec<String> = way.iter().map(|at| format!("formula.{}", self.formulas[*at])).collect();
        Some(format!("the formula needs itself: {}", names.join(" → ")))
    }

    fn leads_to(&self, from: usize, to: usize, way: &mut Vec<usize>, seen: &mut [bool]) -> bool {
        for next in self.needs(from) {
            if next == to {
                way.push(next);
                return true;
            }
            if !seen[next] {
                seen[next] = true;
                way.push(next);
                if self.leads_to(next, to, way, seen) {
                    return true;
                }
                way.pop();
            }
        }
        false
    }

    /// The formulas that a formula names.
    fn needs(&self, formula: usize) -> Vec<usize> {
        let mut found = Vec::new();
        let Ok(source) = &self.base.formulas[formula].1 else { return found };
        each_name(&source.expr, &mut |name| {
            let name = name.strip_prefix("formula.");
            found.extend(name.and_then(|name| self.formulas.iter().position(|known| **known == *name)));
        });
        found
    }
}
