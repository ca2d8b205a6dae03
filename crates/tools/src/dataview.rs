//! Dataview's language over the vault of a call: the page it is asked in, the clock, and how long it may take.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use quillgate_index::{FileId, PerNote};
use quillgate_query::dataview::{Asking, DqlError, ListItems, PLUGIN, Settings};
use quillgate_query::{Budget, SyntaxError};
use quillgate_vault::{NotePath, VaultError};

use crate::context::Context;
use crate::engine::bookmarked_files;
use crate::failure::Failure;

/// A query that takes longer is nobody's.
const LONGEST: Duration = Duration::from_secs(10);
/// So many notes are looked at one by one; from then on what is kept of all notes is worth making.
const FEW: usize = 64;

/// What `work` answers under the catalogue's guard, asked in a page.
pub(crate) fn answered<T>(
    context: &Context<'_>,
    page: Option<&NotePath>,
    work: impl FnOnce(&Asking<'_>, &Budget) -> Result<T, DqlError>,
) -> Result<T, Failure> {
    answered_until(context, page, &settings(context), Instant::now() + LONGEST, work)
}

/// The plugin's settings of the vault. A file that cannot be read is the plugin's to mend; queries find the same without it.
pub(crate) fn settings(context: &Context<'_>) -> Settings {
    let data = context.vault().plugin_data(PLUGIN).ok().flatten();
    data.map(|data| Settings::from_json(&data)).unwrap_or_default()
}

/// The same for one of several queries that have an end in common.
pub(crate) fn answered_until<T>(
    context: &Context<'_>,
    page: Option<&NotePath>,
    settings: &Settings,
    until: Instant,
    work: impl FnOnce(&Asking<'_>, &Budget) -> Result<T, DqlError>,
) -> Result<T, Failure> {
    let index = context.index()?;
    let catalogue = context.catalogue()?;
    let missing = |page: &NotePath| Failure::Vault(VaultError::NotFound(page.clone()));
    let origin = page.map(|page| catalogue.find_id(page).ok_or_else(|| missing(page))).transpose()?;
    let (asked, kept): (AtomicUsize, OnceLock<Arc<PerNote<ListItems>>>) = Default::default();
    let items = |file: FileId| {
        if asked.fetch_add(1, Ordering::Relaxed) < FEW {
            return None;
        }
        let all = kept.get_or_init(|| index.per_note::<ListItems>(&catalogue));
        Some(all.get(file).cloned().unwrap_or_default())
    };
    let now = context.now();
    let mut asking = Asking::new(&catalogue, origin, now.timestamp(), now.time_zone().clone());
    asking.items = Some(&items);
    asking.settings = settings.clone();
    let starred = || {
        let paths = bookmarked_files(context).unwrap_or_default();
        let paths = paths.iter().filter_map(|path| NotePath::parse(path).ok());
        paths.filter_map(|path| catalogue.find_id(&path)).collect()
    };
    asking.starred = Some(&starred);
    let budget = Budget::new(Budget::STEPS, Some(until));
    work(&asking, &budget).map_err(Failure::from)
}

impl From<DqlError> for Failure {
    fn from(error: DqlError) -> Failure {
        match error {
            DqlError::Syntax(SyntaxError { line, column, message }) => {
                Failure::Dql { message: format!("line {line}, column {column}: {message}"), place: Some((line, column)) }
            }
            DqlError::Spent(spent) => Failure::Budget(spent.to_string()),
            other => Failure::Dql { message: other.to_string(), place: None },
        }
    }
}
