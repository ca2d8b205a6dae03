//! What all handles of a vault share: the open directory, its locks and its journal. Nothing here asks who is calling.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use cap_fs_ext::{DirExt, FollowSymlinks, MetadataExt, OpenOptionsFollowExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, OpenOptions};
use parking_lot::RwLock;

use crate::beneath::{Purpose, open_beneath, open_folder_beneath};
use crate::history::{ChangeId, Store};
use crate::journal::records;
use crate::locks::Locks;
use crate::path::{is_hidden, nfc};
use crate::stat::{kind_of, placeholder_target};
use crate::{Change, Durability, EntryKind, FolderEntry, FolderPath, Limits, NotePath, Recovery, Stat, VaultError};

pub(crate) type Observer = Arc<dyn Fn(&Change<'_>) + Send + Sync>;

pub(crate) struct Core {
    pub(crate) root: Dir,
    pub(crate) root_path: PathBuf,
    pub(crate) locks: Locks,
    pub(crate) limits: Limits,
    pub(crate) durability: Durability,
    pub(crate) journal: Option<Dir>,
    pub(crate) recovery: Recovery,
    /// Changes of the history that recovery from the journal has finished (`true`), taken back, or has to leave for now.
    pub(crate) recovered: HashMap<ChangeId, Option<bool>>,
    pub(crate) history: Option<Arc<Store>>,
    pub(crate) observers: RwLock<Vec<Observer>>,
    pub(crate) folds_case: OnceLock<bool>,
}

impl Core {
    pub(crate) fn open(root: &Path, lock_folder: Option<Dir>, limits: Limits) -> Result<Core, VaultError> {
        let no_vault = |source| VaultError::NoVault { path: root.display().to_string(), source };
        let handle = Dir::open_ambient_dir(root, ambient_authority()).map_err(no_vault)?;
        #[expect(clippy::disallowed_methods, reason = "the root itself, so that paths in change events can be matched with it")]
        let root_path = std::fs::canonicalize(root).map_err(no_vault)?;
        Ok(Core {
            root: handle,
            root_path,
            locks: Locks::new(lock_folder),
            limits,
            durability: Durability::default(),
            journal: None,
            recovery: Recovery::default(),
            recovered: HashMap::new(),
            history: None,
            observers: RwLock::default(),
            folds_case: OnceLock::new(),
        })
    }

    /// Whether changes of several files are under way, or were interrupted and are waiting for the next start.
    pub(crate) fn has_records(&self) -> bool {
        self.journal.as_ref().is_some_and(|journal| records(journal).map_or(true, |records| !records.is_empty()))
    }

    pub(crate) fn tell(&self, change: &Change<'_>) {
        let (Change::Written { path, .. }
        | Change::Renamed { from: path, .. }
        | Change::Removed { path }
        | Change::Appeared { path }) = change;
        if path.is_control() {
            return;
        }
        for observer in self.observers.read().iter() {
            observer(change);
        }
    }

    /// What the file system knows of a file or folder.
    pub(crate) fn stat(&self, path: &NotePath) -> Result<(EntryKind, Stat), VaultError> {
        if let Some((_, kind @ (EntryKind::File | EntryKind::Folder), stat)) = open_beneath(&self.root, path, Purpose::Look) {
            return Ok((kind, stat));
        }
        let (folder, name) = self.open_parent(path)?;
        let metadata = folder.symlink_metadata(&name).map_err(|error| self.missing(&folder, path, error))?;
        match kind_of(&metadata) {
            EntryKind::Other if metadata.is_symlink() => Err(VaultError::Link(path.clone())),
            EntryKind::Other => Err(VaultError::NotRegular(path.clone())),
            kind => Ok((kind, Stat::of(&metadata))),
        }
    }

    pub(crate) fn open_folder(&self, folder: &FolderPath) -> Result<Dir, VaultError> {
        let missing = |_| VaultError::FolderNotFound(folder.clone());
        let mut handle = self.root.try_clone().map_err(missing)?;
        for segment in folder.segments() {
            handle = open_subfolder(&handle, segment).map_err(missing)?;
        }
        Ok(handle)
    }

    /// Where a file is for programs that need a path: every name as it is spelled on disk.
    pub(crate) fn path_on_disk(&self, path: &NotePath) -> Result<PathBuf, VaultError> {
        let mut on_disk = self.root_path.clone();
        let mut handle = self.root.try_clone().map_err(|error| VaultError::from_io(path, error))?;
        for segment in path.parent().segments() {
            on_disk.push(name_on_disk(&handle, segment));
            handle = open_subfolder(&handle, segment).map_err(|error| VaultError::from_io(path, error))?;
        }
        on_disk.push(name_on_disk(&handle, path.name()));
        Ok(on_disk)
    }

    /// The handle of the folder that holds `path`, and the file's name as it is on disk.
    pub(crate) fn open_parent(&self, path: &NotePath) -> Result<(Dir, OsString), VaultError> {
        let shortcut = path.as_str().rsplit_once('/').and_then(|(folder, name)| {
            let folder = open_folder_beneath(&self.root, folder)?;
            let name = name_on_disk(&folder, name);
            Some((folder, name))
        });
        if let Some(opened) = shortcut {
            return Ok(opened);
        }
        let mut segments = path.segments().peekable();
        let mut handle: Option<Dir> = None;
        while let Some(segment) = segments.next() {
            let here = handle.as_ref().unwrap_or(&self.root);
            if segments.peek().is_none() {
                let name = name_on_disk(here, segment);
                let handle = match handle {
                    Some(handle) => handle,
                    None => self.root.try_clone().map_err(|error| VaultError::from_io(path, error))?,
                };
                return Ok((handle, name));
            }
            handle = Some(open_subfolder(here, segment).map_err(|error| self.behind_link(here, segment, path, error))?);
        }
        Err(VaultError::NotFound(path.clone()))
    }

    pub(crate) fn open_file(&self, folder: &Dir, name: &OsStr, path: &NotePath) -> Result<(File, Stat), VaultError> {
        let file = folder
            .open_with(name, unfollowed(OpenOptions::new().read(true)))
            .map_err(|error| self.missing(folder, path, error))?;
        let metadata = file.metadata().map_err(|error| VaultError::from_io(path, error))?;
        match kind_of(&metadata) {
            EntryKind::File => {}
            EntryKind::Folder => return Err(VaultError::IsFolder(path.clone())),
            EntryKind::Other => return Err(VaultError::NotRegular(path.clone())),
        }
        let stat = Stat::of(&metadata);
        if stat.offline {
            return Err(VaultError::Offline(path.clone()));
        }
        Ok((file, stat))
    }

    /// Whether the file is known by more than one name.
    pub(crate) fn has_other_names(&self, path: &NotePath) -> bool {
        let found = self.open_parent(path).map(|(folder, name)| folder.symlink_metadata(&name));
        found.is_ok_and(|found| found.is_ok_and(|metadata| metadata.is_file() && MetadataExt::nlink(&metadata) > 1))
    }

    pub(crate) fn check_size(&self, path: &NotePath, size: u64) -> Result<(), VaultError> {
        let limit = self.limits.file_bytes;
        if size > limit {
            return Err(VaultError::TooLarge { path: path.clone(), size, limit });
        }
        Ok(())
    }

    /// A file that is not there may have a placeholder that stands for it.
    fn missing(&self, folder: &Dir, path: &NotePath, error: io::Error) -> VaultError {
        let is_missing = error.kind() == io::ErrorKind::NotFound;
        if is_missing && folder.symlink_metadata(format!(".{}.icloud", path.name())).is_ok() {
            return VaultError::Offline(path.clone());
        }
        VaultError::from_io(path, error)
    }

    fn behind_link(&self, folder: &Dir, segment: &str, path: &NotePath, error: io::Error) -> VaultError {
        let is_link = folder.symlink_metadata(segment).is_ok_and(|metadata| metadata.is_symlink());
        if is_link { VaultError::Link(path.clone()) } else { VaultError::from_io(path, error) }
    }
}

/// Links are refused, and a pipe or device must not block the caller before it is recognised.
pub(crate) fn unfollowed(options: &mut OpenOptions) -> &OpenOptions {
    options.follow(FollowSymlinks::No);
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    options
}

pub(crate) fn open_subfolder(folder: &Dir, segment: &str) -> io::Result<Dir> {
    folder.open_dir_nofollow(name_on_disk(folder, segment))
}

/// Names are NFC here, but macOS may have stored them decomposed: look for the spelling on disk when the plain one is not there.
pub(crate) fn name_on_disk(folder: &Dir, segment: &str) -> OsString {
    if segment.is_ascii() || folder.symlink_metadata(segment).is_ok() {
        return segment.into();
    }
    let spelled_otherwise = || {
        folder
            .entries()
            .ok()?
            .filter_map(Result::ok)
            .map(|entry| entry.file_name())
            .find(|name| name.to_str().is_some_and(|name| &*nfc(name) == segment))
    };
    spelled_otherwise().unwrap_or_else(|| segment.into())
}

/// The visible entries of a folder, placeholders under the name of the file they stand for, symbolic links left out. The names
/// of hidden ones go to `hidden`.
pub(crate) fn read_entries(folder: &Dir, mut hidden: impl FnMut(&str)) -> io::Result<Vec<FolderEntry>> {
    let mut entries = Vec::new();
    for entry in folder.entries()? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let placeholder = placeholder_target(&name).filter(|target| !is_hidden(target));
        if is_hidden(&name) && placeholder.is_none() {
            hidden(&name);
            continue;
        }
        // A file that vanished between the listing and the look at it is simply not there.
        let Ok(metadata) = entry.metadata() else { continue };
        let kind = kind_of(&metadata);
        let is_real = placeholder.is_none_or(|target| kind == EntryKind::File && folder.symlink_metadata(target).is_err());
        if kind == EntryKind::Other || !is_real {
            continue;
        }
        let mut stat = Stat::of(&metadata);
        stat.offline |= placeholder.is_some();
        entries.push(FolderEntry { name: nfc(placeholder.unwrap_or(&name)).to_string(), kind, stat });
    }
    Ok(entries)
}
