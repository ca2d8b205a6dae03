//! What a query asks besides its row: the catalogue, the page it stands in, the clock and the settings.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use quillgate_index::{Card, Catalogue, FileId};
use quillgate_vault::FolderPath;

use super::column::{FieldColumn, Parsed};
use super::list_items::ListItems;
use super::page::Page;
use super::row::{Data, Row};
use super::settings::Settings;
use crate::fault::Fault;
use crate::pattern::Pattern;
use crate::value::Link;

/// Where and when a query is asked.
pub struct Asking<'c> {
    pub catalogue: &'c Catalogue,
    /// The page that the query stands in, which is `this`.
    pub origin: Option<FileId>,
    pub now: Timestamp,
    pub local: TimeZone,
    pub settings: Settings,
    /// Files that are bookmarked, asked for once and only by queries that need them.
    pub starred: Option<&'c (dyn Fn() -> HashSet<FileId> + Sync)>,
    /// List items that are known already; the others are read from the cards.
    pub items: Option<&'c (dyn Fn(FileId) -> Option<Arc<ListItems>> + Sync)>,
}

impl<'c> Asking<'c> {
    pub fn new(catalogue: &'c Catalogue, origin: Option<FileId>, now: Timestamp, local: TimeZone) -> Asking<'c> {
        Asking { catalogue, origin, now, local, settings: Settings::default(), starred: None, items: None }
    }
}

/// Names that the expressions of a query use, each with a number.
#[derive(Debug, Default)]
pub(crate) struct Names {
    all: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, usize>,
}

impl Names {
    pub(crate) fn number(&mut self, name: &str) -> (Arc<str>, usize) {
        if let Some(&number) = self.numbers.get(name) {
            return (self.all[number].clone(), number);
        }
        let name: Arc<str> = name.into();
        self.all.push(name.clone());
        self.numbers.insert(name.clone(), self.all.len() - 1);
        (name, self.all.len() - 1)
    }
}

pub(crate) struct World<'c> {
    asking: &'c Asking<'c>,
    /// By the numbers of their names.
    columns: Vec<FieldColumn<'c>>,
    tags: Parsed<'c>,
    /// `date` and `day`, which say the day of a page.
    days: [FieldColumn<'c>; 2],
    pages: Box<[OnceLock<Arc<Page>>]>,
    list_items: Box<[OnceLock<Arc<ListItems>>]>,
    starred: OnceLock<HashSet<FileId>>,
    /// Those that were asked for as texts, by flags and source.
    patterns: RwLock<HashMap<String, Arc<Pattern>>>,
}

impl<'c> std::ops::Deref for World<'c> {
    type Target = Asking<'c>;

    fn deref(&self) -> &Asking<'c> {
        self.asking
    }
}

impl<'c> World<'c> {
    pub(crate) fn new(asking: &'c Asking<'c>, names: Names) -> World<'c> {
        World {
            asking,
            columns: names.all.iter().map(|name| FieldColumn::new(asking.catalogue, name)).collect(),
            tags: Parsed::tags(asking.catalogue),
            days: ["date", "day"].map(|name| FieldColumn::new(asking.catalogue, name)),
            patterns: RwLock::default(),
            starred: OnceLock::new(),
            pages: (0..asking.catalogue.slots()).map(|_| OnceLock::new()).collect(),
            list_items: (0..asking.catalogue.slots()).map(|_| OnceLock::new()).collect(),
        }
    }

    /// The page that the query stands in, as a row.
    pub(crate) fn this(&self) -> Row {
        Row::of(self.origin.map_or(Data::Nothing, Data::Page))
    }

    pub(crate) fn column(&self, number: usize) -> Option<&FieldColumn<'c>> {
        self.columns.get(number)
    }

    pub(crate) fn tags(&self) -> &Parsed<'c> {
        &self.tags
    }

    pub(crate) fn day_columns(&self) -> &[FieldColumn<'c>; 2] {
        &self.days
    }

    pub(crate) fn page(&self, file: FileId) -> Arc<Page> {
        let made = || Arc::new(Page::of(&self.card(file)));
        self.pages.get(file.index()).map_or_else(made, |page| page.get_or_init(made).clone())
    }

    pub(crate) fn list_items(&self, file: FileId) -> Arc<ListItems> {
        let made = || {
            let known = self.asking.items.and_then(|items| items(file));
            known.unwrap_or_else(|| Arc::new(ListItems::of(&self.card(file))))
        };
        self.list_items.get(file.index()).map_or_else(made, |items| items.get_or_init(made).clone())
    }

    pub(crate) fn is_starred(&self, file: FileId) -> bool {
        let find = || self.asking.starred.map(|starred| starred()).unwrap_or_default();
        self.starred.get_or_init(find).contains(&file)
    }

    fn card(&self, file: FileId) -> Card {
        self.catalogue.entry(file).map(|entry| entry.card()).unwrap_or_default()
    }

    /// A pattern that was written as a text, made once.
    pub(crate) fn pattern(&self, source: &str, flags: &str) -> Result<Arc<Pattern>, Fault> {
        /// A query that makes up patterns from its rows shall not fill the memory.
        const MOST_KEPT: usize = 256;
        let key = format!("{flags}/{source}");
        if let Some(known) = self.patterns.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(known.clone());
        }
        let pattern = Arc::new(Pattern::new(source, flags).map_err(|error| Fault::wrong(error.to_string()))?);
        let mut patterns = self.patterns.write().unwrap_or_else(PoisonError::into_inner);
        if patterns.len() < MOST_KEPT {
            patterns.insert(key, pattern.clone());
        }
        Ok(pattern)
    }

    /// The file that a link means: from the page it stands in, or else from the page of the query.
    pub(crate) fn target(&self, link: &Link) -> Option<FileId> {
        self.target_of(&link.path, link.source)
    }

    pub(crate) fn target_of(&self, path: &str, source: Option<FileId>) -> Option<FileId> {
        match source.or(self.origin) {
            Some(source) => self.catalogue.resolve_from(source, path),
            None => self.catalogue.resolve_in(&FolderPath::ROOT, path),
        }
    }

    /// The whole path of what a link means; the path as written where it means nothing.
    pub(crate) fn full_path<'a>(&'a self, link: &'a Link) -> &'a str {
        self.target(link).and_then(|file| self.catalogue.entry(file)).map_or(&*link.path, |entry| entry.path.as_str())
    }
}
