//! The vaults that are served, each as its callers may see it.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::Context as _;
use cap_std::fs::Dir;
use parking_lot::{Mutex, RwLock};
use quillgate_index::{Index, IndexSettings};
use quillgate_tools::{Settings, Workspace};
use quillgate_vault::{Access, AccessClass, HistorySettings, Limits, Rules, Vault};
use tokio::sync::Semaphore;

use crate::config::{Config, VaultEntry};
use crate::data_folder;
use crate::mcp::Changes;

/// Views of one vault that are kept ready at once. A view is a whole index, so callers of many kinds share the time.
const MOST_VIEWS: usize = 16;

/// All vaults, the default one first.
pub(crate) struct Vaults(Vec<Arc<Served>>);

/// One vault.
pub(crate) struct Served {
    pub(crate) id: String,
    pub(crate) name: String,
    /// Sees and may do everything; what callers get is made from it.
    whole: Vault,
    data: Option<Dir>,
    index: IndexSettings,
    settings: Settings,
    rules: RwLock<Arc<Rules>>,
    views: Mutex<Views>,
    /// Changes that may be made at once.
    pub(crate) writers: Semaphore,
}

#[derive(Default)]
struct Views {
    ready: HashMap<AccessClass, View>,
    uses: u64,
}

/// A vault as one class of callers sees it.
#[derive(Clone)]
pub(crate) struct View {
    pub(crate) workspace: Arc<Workspace>,
    pub(crate) changes: Changes,
    last_use: u64,
}

impl Vaults {
    /// Opens all vaults and starts reading them in the background.
    pub(crate) fn open(config: &Config) -> anyhow::Result<Vaults> {
        let data = data_folder::path(config.data_dir.as_deref())?;
        let open = |entry: VaultEntry| {
            let id = entry.id.clone();
            Served::open(config, &data, entry).map(Arc::new).with_context(|| format!("the vault {id:?} cannot be served"))
        };
        let served: Vec<Arc<Served>> = config.vaults()?.into_iter().map(open).collect::<anyhow::Result<_>>()?;
        // Most callers may do everything, and the first of them should not wait.
        served.iter().for_each(|vault| drop(vault.view(|_| true)));
        Ok(Vaults(served))
    }

    pub(crate) fn all(&self) -> &[Arc<Served>] {
        &self.0
    }

    /// The vault of this id, or the default one.
    pub(crate) fn find(&self, id: Option<&str>) -> Option<&Arc<Served>> {
        match id {
            Some(id) => self.0.iter().find(|vault| vault.id == id),
            None => self.0.first(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Served {
    fn open(config: &Config, data: &std::path::Path, entry: VaultEntry) -> anyhow::Result<Served> {
        let folders = data_folder::for_vault(data, &entry.path)?;
        let limits = Limits { file_bytes: config.limits.max_file_bytes };
        let vault = Vault::open(&entry.path, folders.locks, limits)?.with_durability(config.write.durability.into());
        let rules = Rules::compile(&entry.acl, vault.folds_case())?;
        // Where nothing may be changed, nothing is finished or taken back either.
        let vault = match folders.journal.filter(|_| !rules.is_read_only()) {
            Some(journal) => vault.with_journal(journal),
            None => vault,
        };
        let vault = match folders.history.filter(|_| config.history.enabled && !rules.is_read_only()) {
            Some(history) => vault.with_history(history, history_settings(config)),
            None => vault,
        };
        Ok(Served {
            id: entry.id,
            name: entry.name,
            whole: vault,
            data: folders.root,
            index: config.search.index_settings(),
            settings: config.tool_settings(),
            rules: RwLock::new(Arc::new(rules)),
            views: Mutex::default(),
            writers: Semaphore::new(config.concurrent_writes().max(1)),
        })
    }

    /// The vault as somebody sees it who holds these scopes.
    pub(crate) fn view(&self, holds: impl Fn(&str) -> bool) -> View {
        let access = Access::of(self.rules.read().clone(), holds);
        let class = access.class();
        let mut views = self.views.lock();
        views.uses += 1;
        let now = views.uses;
        if let Some(view) = views.ready.get_mut(&class) {
            view.last_use = now;
            return view.clone();
        }
        views.make_room();
        let view = self.make_view(access, &class, now);
        views.ready.insert(class, view.clone());
        view
    }

    fn make_view(&self, access: Access, class: &AccessClass, now: u64) -> View {
        let vault = Arc::new(self.whole.with_access(Arc::new(access)));
        // What one class may read must not be in the files of another: each has its own.
        let folder = self.data.as_ref().and_then(|data| data_folder::subfolder(data, &catalogue_folder(class)));
        let index = Index::start(vault.clone(), folder, &self.index);
        let workspace =
            Arc::new(Workspace { id: self.id.clone(), name: self.name.clone(), vault, index, settings: self.settings.clone() });
        View { changes: Changes::of(&workspace), workspace, last_use: now }
    }

    pub(crate) fn rules(&self) -> Arc<Rules> {
        self.rules.read().clone()
    }

    /// Rules that hold from the next call on; views by the old ones are forgotten.
    pub(crate) fn set_rules(&self, rules: Rules) {
        *self.rules.write() = Arc::new(rules);
        self.views.lock().ready.clear();
    }

    /// The handle that sees everything, for the operator's own commands.
    pub(crate) fn whole(&self) -> &Vault {
        &self.whole
    }
}

impl Views {
    fn make_room(&mut self) {
        if self.ready.len() < MOST_VIEWS {
            return;
        }
        let oldest = self.ready.iter().min_by_key(|(_, view)| view.last_use).map(|(class, _)| class.clone());
        if let Some(oldest) = oldest {
            self.ready.remove(&oldest);
        }
    }
}

fn catalogue_folder(class: &AccessClass) -> String {
    if class.is_unrestricted() { "catalogue".to_owned() } else { format!("catalogue-{class}") }
}

fn history_settings(config: &Config) -> HistorySettings {
    let retention = &config.observability.retention;
    HistorySettings {
        max_age: std::time::Duration::from_secs(retention.history_days * 86_400),
        max_bytes: retention.history_max_bytes,
        ..HistorySettings::default()
    }
}
