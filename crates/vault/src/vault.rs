//! A vault: the handle through which everything is done to it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use cap_std::fs::Dir;
use serde_json::Value;

use crate::core::{Core, Observer, read_entries};
use crate::history::Store;
use crate::settings::{new_notes, plugins, settings_stat};
use crate::shown::hear;
use crate::{
    Access, AppSettings, Author, ContentHash, EntryKind, FolderPath, HistorySettings, NewNotes, NotePath, Period, Recovery, Stat,
    TemplateSettings, VaultError,
};

/// What the vault refuses to handle in one go.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The largest file that is read or written.
    pub file_bytes: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { file_bytes: 64 << 20 }
    }
}

/// What a write survives once it has returned. A reader sees the old bytes or the new ones in either case, also when this
/// process is killed in the middle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// A loss of power: the bytes and the folder are on the disk.
    #[default]
    Full,
    /// The end of the process; the system writes to the disk when it sees fit.
    Relaxed,
}

/// A change made through this handle, told to observers before the call that made it returns.
#[derive(Debug)]
pub enum Change<'a> {
    Written {
        path: &'a NotePath,
        bytes: &'a [u8],
        hash: ContentHash,
        stat: Stat,
    },
    Renamed {
        from: &'a NotePath,
        to: &'a NotePath,
        stat: Stat,
    },
    Removed {
        path: &'a NotePath,
    },
    /// A file was moved here from where the observer's handle does not see.
    Appeared {
        path: &'a NotePath,
    },
}

/// One line of a folder's listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderEntry {
    pub name: String,
    pub kind: EntryKind,
    pub stat: Stat,
}

/// A handle to a vault; cheap to clone. All handles that come from one `open` share the locks, the journal and the observers,
/// and differ in what may be done through them and on whose behalf.
#[derive(Clone)]
pub struct Vault {
    pub(crate) core: Arc<Core>,
    access: Arc<Access>,
    author: Option<Arc<Author>>,
}

impl Vault {
    /// `lock_folder` holds the locks shared with other processes on the same vault.
    pub fn open(root: &Path, lock_folder: Option<Dir>, limits: Limits) -> Result<Vault, VaultError> {
        let core = Arc::new(Core::open(root, lock_folder, limits)?);
        Ok(Vault { core, access: Arc::new(Access::unrestricted()), author: None })
    }

    #[must_use]
    pub fn with_durability(mut self, durability: Durability) -> Vault {
        self.set_up().durability = durability;
        self
    }

    /// `journal` lies outside the vault and makes changes of several files all or nothing also when the process is killed.
    /// What an earlier process has left unfinished is finished or taken back before this returns.
    ///
    /// Any file system will do, also another one than the vault's: no file is moved between them. Without a journal such
    /// changes are all or nothing only as long as the process lives.
    #[must_use]
    pub fn with_journal(mut self, journal: Dir) -> Vault {
        let core = self.set_up();
        core.journal = Some(journal);
        (core.recovery, core.recovered) = core.recover();
        self
    }

    /// From here on every change is recorded in `history`, which lies outside the vault, with the bytes it replaces. Comes
    /// after `with_journal`, which knows what became of changes that were interrupted.
    #[must_use]
    pub fn with_history(mut self, history: Dir, settings: HistorySettings) -> Vault {
        let core = self.set_up();
        core.history = Some(Arc::new(Store::new(history, settings)));
        core.settle_history();
        self
    }

    /// Like `with_journal`, but what an earlier process has left unfinished stays as it is until another start: for a vault
    /// in which nothing may be changed.
    #[must_use]
    pub fn with_journal_unrecovered(mut self, journal: Dir) -> Vault {
        self.set_up().journal = Some(journal);
        self
    }

    fn set_up(&mut self) -> &mut Core {
        Arc::get_mut(&mut self.core).expect("a vault is set up before its handle is cloned")
    }

    /// A handle through which only what `access` allows is done.
    #[must_use]
    pub fn with_access(&self, access: Arc<Access>) -> Vault {
        Vault { access, ..self.clone() }
    }

    /// A handle whose changes are put down to `author`.
    #[must_use]
    pub fn by(&self, author: Author) -> Vault {
        Vault { author: Some(Arc::new(author)), ..self.clone() }
    }

    pub fn access(&self) -> &Arc<Access> {
        &self.access
    }

    pub fn author(&self) -> Option<&Arc<Author>> {
        self.author.as_ref()
    }

    /// What was found in the journal when the vault was opened.
    pub fn recovery(&self) -> &Recovery {
        &self.core.recovery
    }

    /// Where the vault is, for messages and for programs that need a path; never for opening files.
    pub fn root_path(&self) -> &Path {
        &self.core.root_path
    }

    /// Everything changed through any handle of this vault, as far as this one may read it, is told to `observer` before
    /// the change returns.
    pub fn observe(&self, observer: impl Fn(&Change<'_>) + Send + Sync + 'static) {
        let observer: Observer = if self.access.reads_all() {
            Arc::new(observer)
        } else {
            // Of the vault itself it must not keep anything, which would keep it open for good.
            let access = self.access.clone();
            Arc::new(move |change| hear(&access, change, &observer))
        };
        self.core.observers.write().push(observer);
    }

    pub fn app_settings(&self) -> AppSettings {
        AppSettings::read(&self.core.root)
    }

    /// What the file system knows of the file that `app_settings` reads: equal ones mean equal settings.
    pub fn app_settings_stat(&self) -> Option<Stat> {
        settings_stat(&self.core.root)
    }

    /// How notes of a period are made, by Periodic Notes or by the core plugin for daily notes.
    pub fn periodic_notes(&self, period: Period) -> Result<NewNotes, VaultError> {
        new_notes::periodic_notes(&self.core.root, period)
    }

    pub fn template_settings(&self) -> Result<TemplateSettings, VaultError> {
        new_notes::templates(&self.core.root)
    }

    /// The ids of the community plugins that are on; `None` if the vault does not say.
    pub fn community_plugins(&self) -> Result<Option<Vec<String>>, VaultError> {
        plugins::community_plugins(&self.core.root)
    }

    /// What a community plugin keeps for itself; `None` if it keeps nothing.
    pub fn plugin_data(&self, plugin: &str) -> Result<Option<Value>, VaultError> {
        plugins::plugin_data(&self.core.root, plugin)
    }

    /// The types that properties were given, by the app's names for them.
    pub fn property_types(&self) -> Result<BTreeMap<String, String>, VaultError> {
        plugins::property_types(&self.core.root)
    }

    /// What the file system knows of a file or folder.
    pub fn stat(&self, path: &NotePath) -> Result<(EntryKind, Stat), VaultError> {
        if !self.access.reads(path) {
            self.check_shown(&path.clone().into())?;
        }
        let (kind, stat) = self.core.stat(path)?;
        Ok((kind, self.shown_stat(kind, stat)))
    }

    /// The visible files and folders directly inside `folder`, by name. Names that no path can spell are left out.
    pub fn list(&self, folder: &FolderPath) -> Result<Vec<FolderEntry>, VaultError> {
        self.check_shown(folder)?;
        let handle = self.core.open_folder(folder)?;
        let mut entries = read_entries(&handle, |_| {}).map_err(|_| VaultError::FolderNotFound(folder.clone()))?;
        entries.retain(|entry| folder.join(&entry.name).is_ok_and(|path| self.shows(&handle, entry, &path)));
        entries.iter_mut().for_each(|entry| entry.stat = self.shown_stat(entry.kind, entry.stat));
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }
}
