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
    /// By the rules that their callers satisfy.
    ready: HashMap<Box<[bool]>, View>,
    uses: u64,
}

/// A vault as some callers may use it. Those who may read the same share an index, whatever else they may do.
#[derive(Clone)]
pub(crate) struct View {
    pub(crate) workspace: Arc<Workspace>,
    pub(crate) changes: Changes,
    class: AccessClass,
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
        let mut entries = config.vaults();
        let default = config.default_vault().map(|vault| vault.id);
        entries.sort_by_key(|entry| Some(&entry.id) != default.as_ref());
        let served: Vec<Arc<Served>> = entries.into_iter().map(open).collect::<anyhow::Result<_>>()?;
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
    pub(crate) fn open(config: &Config, data: &std::path::Path, entry: VaultEntry) -> anyhow::Result<Served> {
        let folders = data_folder::for_vault(data, &entry.path)?;
        let limits = Limits { file_bytes: config.limits.max_file_bytes };
        let vault = Vault::open(&entry.path, folders.locks, limits)?.with_durability(config.write.durability.into());
        let rules = Rules::compile(&entry.acl.rules(), vault.folds_case())?;
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
            writers: Semaphore::new(config.throttle.clone().unwrap_or_default().max_concurrent_writes_per_vault.max(1)),
        })
    }

    /// The vault as somebody sees it who holds these scopes.
    pub(crate) fn view(&self, holds: impl Fn(&str) -> bool) -> View {
        let access = Access::of(self.rules.read().clone(), holds);
        let rights = access.rights();
        let mut views = self.views.lock();
        views.uses += 1;
        let now = views.uses;
        if let Some(view) = views.ready.get_mut(&rights) {
            view.last_use = now;
            return view.clone();
        }
        views.make_room();
        let class = access.class();
        let vault = Arc::new(self.whole.with_access(Arc::new(access)));
        let kin = views.ready.values().find(|view| view.class == class);
        let index = kin.map_or_else(|| self.start_index(&vault, class), |kin| kin.workspace.index.clone());
        let (id, name, settings) = (self.id.clone(), self.name.clone(), self.settings.clone());
        let workspace = Arc::new(Workspace { id, name, vault, index, settings });
        let view = View { changes: Changes::of(&workspace), workspace, class, last_use: now };
        views.ready.insert(rights, view.clone());
        view
    }

    /// What one class may read must not be in the files of another: each has its own.
    fn start_index(&self, vault: &Arc<Vault>, class: AccessClass) -> Index {
        let name = if class == AccessClass::ALL { "catalogue".to_owned() } else { format!("catalogue-{class}") };
        let folder = self.data.as_ref().and_then(|data| data_folder::subfolder(data, &name));
        Index::start(vault.clone(), folder, &self.index)
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
        let oldest = self.ready.iter().min_by_key(|(_, view)| view.last_use).map(|(rights, _)| rights.clone());
        if let Some(oldest) = oldest {
            self.ready.remove(&oldest);
        }
    }
}

fn history_settings(config: &Config) -> HistorySettings {
    let retention = &config.observability.retention;
    HistorySettings {
        max_age: std::time::Duration::from_secs(u64::from(retention.history_days) * 86_400),
        max_bytes: retention.history_max_bytes,
        ..HistorySettings::default()
    }
}
