//! What a handle shows of the vault: files that may be read, and folders that may be read or hold something that is shown.
//!
//! Architecture invariant: what is answered about a path depends on the rules and on what may be read, never on a file that
//! may not be read. So a path that may not be read is refused whether or not anything is there.

use cap_std::fs::Dir;

use crate::access::Denial;
use crate::core::{open_subfolder, read_entries};
use crate::{Access, Change, Dirty, EntryKind, FolderEntry, FolderPath, NotePath, Operation, Stat, Vault, VaultError};

impl Vault {
    /// Whether `operation` is allowed on a path through this handle, whether or not anything is there.
    pub fn permit(&self, path: &NotePath, operation: Operation) -> Result<(), VaultError> {
        self.access().permits(path, operation).map_err(|denial| match denial {
            Denial::ReadOnly => VaultError::ReadOnlyMode,
            _ => VaultError::Forbidden { path: path.clone(), operation },
        })
    }

    /// Whether anything may be changed at all.
    pub(crate) fn permit_changes(&self) -> Result<(), VaultError> {
        if self.access().is_read_only() { Err(VaultError::ReadOnlyMode) } else { Ok(()) }
    }

    /// Refuses a folder that is not shown. The vault itself always is.
    pub(crate) fn check_shown(&self, folder: &FolderPath) -> Result<(), VaultError> {
        let Some(path) = folder.as_entry() else { return Ok(()) };
        let refused = self.permit(path, Operation::Read);
        if refused.is_err() && self.access().may_read_below(folder) {
            let holds_something = self.core.open_folder(folder).is_ok_and(|handle| self.shows_something_in(&handle, folder));
            return if holds_something { Ok(()) } else { refused };
        }
        refused
    }

    /// A folder that is not shown counts as missing, even if it is there for what may not be read.
    pub(crate) fn check_folder_shown(&self, folder: &FolderPath) -> Result<(), VaultError> {
        if self.access().reads_all() {
            return Ok(());
        }
        self.check_shown(folder).map_err(|_| VaultError::FolderNotFound(folder.clone()))
    }

    /// Whether an entry of the open folder is shown.
    pub(crate) fn shows(&self, folder: &Dir, entry: &FolderEntry, path: &NotePath) -> bool {
        if self.access().reads(path) {
            return true;
        }
        let inside = FolderPath::from(path.clone());
        entry.kind == EntryKind::Folder
            && self.access().may_read_below(&inside)
            && open_subfolder(folder, &entry.name).is_ok_and(|handle| self.shows_something_in(&handle, &inside))
    }

    fn shows_something_in(&self, handle: &Dir, folder: &FolderPath) -> bool {
        let entries = read_entries(handle, |_| {}).unwrap_or_default();
        // Files first: a look at one is cheaper than at a folder.
        let (folders, files): (Vec<_>, Vec<_>) = entries.into_iter().partition(|entry| entry.kind == EntryKind::Folder);
        let is_shown = |entry: &FolderEntry| folder.join(&entry.name).is_ok_and(|path| self.shows(handle, entry, &path));
        files.iter().chain(&folders).any(is_shown)
    }

    /// A folder's own size and time tell when something in it comes or goes, also when that may not be read.
    pub(crate) fn shown_stat(&self, kind: EntryKind, stat: Stat) -> Stat {
        if kind != EntryKind::Folder || self.access().reads_all() {
            return stat;
        }
        Stat { size: 0, modified: stat.created.unwrap_or_default(), ..stat }
    }

    /// A file that is also known by another name is refused where a list restricts what may be done to it: the list may not
    /// cover the other name.
    pub(crate) fn check_single_name(&self, path: &NotePath, operation: Operation) -> Result<(), VaultError> {
        if self.access().wants_single_names(operation) && self.core.has_other_names(path) {
            return Err(VaultError::HardLinked { path: path.clone(), operation });
        }
        Ok(())
    }

    /// The part of a piece of news that is for this handle.
    pub(crate) fn news(&self, dirty: Dirty) -> Option<Dirty> {
        if self.access().reads_all() {
            return Some(dirty);
        }
        let Dirty::Paths(mut paths) = dirty else { return Some(dirty) };
        paths.retain(|path| self.is_news(path));
        (!paths.is_empty()).then_some(Dirty::Paths(paths))
    }

    /// A folder that may not be read may have taken with it what may.
    fn is_news(&self, path: &NotePath) -> bool {
        let is_file = || matches!(self.core.stat(path), Ok((EntryKind::File, _)));
        self.access().reads(path) || self.access().may_read_below(&path.clone().into()) && !is_file()
    }
}

/// What an observer hears of a change made through any handle.
pub(crate) fn hear(access: &Access, change: &Change<'_>, observer: &dyn Fn(&Change<'_>)) {
    match *change {
        Change::Renamed { from, to, .. } => match (access.reads(from), access.reads(to)) {
            (true, true) => observer(change),
            (true, false) => observer(&Change::Removed { path: from }),
            (false, true) => observer(&Change::Appeared { path: to }),
            (false, false) => {}
        },
        Change::Written { path, .. } | Change::Removed { path } | Change::Appeared { path } => {
            if access.reads(path) {
                observer(change);
            }
        }
    }
}
