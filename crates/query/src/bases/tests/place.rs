//! A vault with its index, and questions to it.
#![allow(clippy::disallowed_methods, reason = "tests make their vaults with the standard library")]

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use jiff::Zoned;
use quillgate_index::{Excluded, Index, IndexSettings};
use quillgate_markdown::Value as Yaml;
use quillgate_vault::{Limits, NotePath, Vault};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::Budget;
use crate::bases::{Base, PropertyTypes, QueryError, Request, Settings, cell_json, render_base, run};
use crate::moment::Locale;

pub(super) struct Place {
    _folder: TempDir,
    index: Index,
    pub(super) settings: Settings,
}

impl Place {
    pub(super) fn new(files: &[(&str, &str)]) -> Place {
        let folder = TempDir::new().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let vault = Arc::new(Vault::open(folder.path(), None, Limits::default()).unwrap());
        let index = Index::start(vault, None, &IndexSettings::default());
        index.wait(|_| true);
        let now: Zoned = "2026-03-15T12:30:00+01:00[+01:00]".parse().unwrap();
        let settings = Settings { now, types: PropertyTypes::default(), excluded: Arc::default(), locale: Locale::english() };
        Place { _folder: folder, index, settings }
    }

    pub(super) fn with_types(mut self, types: &[(&str, &str)]) -> Place {
        let types: BTreeMap<String, String> = types.iter().map(|(name, kind)| ((*name).into(), (*kind).into())).collect();
        self.settings.types = PropertyTypes::new(&types);
        self
    }

    pub(super) fn excluding(mut self, filters: &[&str]) -> Place {
        self.settings.excluded = Arc::new(Excluded::new(filters.iter().copied()));
        self
    }

    /// A view of a base: paths with cells, groups and summaries.
    pub(super) fn ask(&self, base: &str, view: Option<&str>, this: Option<&str>) -> Result<Value, QueryError> {
        self.ask_within(base, view, this, &Budget::new(Budget::STEPS, None))
    }

    pub(super) fn ask_within(
        &self,
        base: &str,
        view: Option<&str>,
        this: Option<&str>,
        budget: &Budget,
    ) -> Result<Value, QueryError> {
        let base = Base::parse(base)?;
        let catalogue = self.index.catalogue();
        let this = this.and_then(|path| catalogue.find_id(&NotePath::parse(path).unwrap()));
        let request = Request { view, this, filters: None };
        let answer = run(&base, &request, &catalogue, &self.settings, budget)?;
        let cells = answer.cells(0..answer.rows.len() + 1, budget)?;
        assert!(answer.cells(usize::MAX - 1..usize::MAX, budget)?.is_empty());
        let summaries = |summaries: &[(Box<str>, crate::bases::Cell)]| -> serde_json::Map<String, Value> {
            summaries.iter().map(|(id, cell)| (id.to_string(), cell_json(cell, &answer))).collect()
        };
        let rows = answer.rows.iter().zip(&cells).map(|(file, cells)| {
            let path = catalogue.entry(*file).unwrap().path.to_string();
            json!([path, cells.iter().map(|cell| cell_json(cell, &answer)).collect::<Vec<_>>()])
        });
        let groups = answer.groups.iter().map(|group| json!([group.label, group.count, summaries(&group.summaries)]));
        Ok(json!({
            "view": &*answer.view.name,
            "rows": rows.collect::<Vec<_>>(),
            "groups": groups.collect::<Vec<_>>(),
            "summaries": summaries(&answer.summaries),
            "warnings": answer.warnings.clone(),
        }))
    }

    pub(super) fn markdown(&self, base: &str, most_rows: usize) -> String {
        let budget = Budget::new(Budget::STEPS, None);
        let catalogue = self.index.catalogue();
        render_base(base, &Request::default(), &catalogue, &self.settings, most_rows, &budget).unwrap()
    }

    /// What an expression is worth for a file.
    pub(super) fn value(&self, expression: &str, file: &str, this: Option<&str>) -> Value {
        let answer = self.try_value(expression, file, this).unwrap_or_else(|error| panic!("{expression}: {error}"));
        answer["rows"][0][1][0].clone()
    }

    pub(super) fn try_value(&self, expression: &str, file: &str, this: Option<&str>) -> Result<Value, QueryError> {
        let text = |text: &str| Yaml::Text(text.to_owned());
        let map = |key: &str, value: Yaml| Yaml::Map(vec![(key.to_owned(), value)]);
        let base = quillgate_markdown::to_yaml(&[
            ("filters".to_owned(), text(&format!("file.path == {file:?}"))),
            ("formulas".to_owned(), map("x", text(expression))),
            ("views".to_owned(), Yaml::List(vec![map("order", Yaml::List(vec![text("formula.x")]))])),
        ]);
        self.ask(&base, None, this)
    }
}
