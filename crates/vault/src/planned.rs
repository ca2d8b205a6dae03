//! The steps of a change to several files: done, taken back, and tidied up after, by the process that planned them or by
//! a later one.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::sync::Arc;

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;

use crate::core::{Core, name_on_disk};
use crate::journal::{Disposal, Intent, Planned};
use crate::renaming::{Kept, remove_if_there, rename_new, swap_back, swap_in, sync_folder};
use crate::system_trash::move_to_system_trash;
use crate::{FolderPath, NotePath, Trashed, VaultError, fault};

/// The folders that a change touches, each opened once.
pub(crate) struct Handles<'v> {
    pub(crate) core: &'v Core,
    open: HashMap<FolderPath, Arc<Dir>>,
}

impl<'v> Handles<'v> {
    pub(crate) fn new(core: &'v Core) -> Handles<'v> {
        Handles { core, open: HashMap::new() }
    }

    /// The handle of the folder that holds `path`, and the file's name as it is on disk.
    pub(crate) fn parent(&mut self, path: &NotePath) -> Result<(Arc<Dir>, OsString), VaultError> {
        let parent = path.parent();
        if let Some(folder) = self.open.get(&parent) {
            return Ok((folder.clone(), name_on_disk(folder, path.name())));
        }
        let (folder, name) = self.core.open_parent(path)?;
        let folder = Arc::new(folder);
        self.open.insert(parent, folder.clone());
        Ok((folder, name))
    }

    pub(crate) fn sync(&self) {
        self.open.values().for_each(|folder| sync_folder(folder, self.core.durability));
    }
}

impl Planned {
    /// Does the step. What it takes to undo it stays on disk.
    pub(crate) fn forward(&self, handles: &mut Handles<'_>) -> Result<Option<Kept>, VaultError> {
        match self {
            Planned::Put { path, staged, before, .. } => {
                let (folder, name) = handles.parent(path)?;
                let done = match before {
                    Some(_) => swap_in(&folder, &staged.staged(), &staged.aside(), name.as_ref()).map(Some),
                    None => rename_new(&folder, staged.staged(), &folder, &name).map(|()| None),
                };
                done.map_err(|error| VaultError::from_io(path, error))
            }
            Planned::Move { from, to, before, moved, .. } => {
                let (source, name) = handles.parent(from)?;
                if before != moved {
                    // The new bytes must not come after the move on disk, or a restart would not know the file.
                    sync_folder(&source, handles.core.durability);
                }
                let (target, new_name) = handles.parent(to)?;
                rename_file(&source, &name, &target, &new_name, from, to).map(|()| None)
            }
            Planned::Take { path, aside, .. } => {
                let (folder, name) = handles.parent(path)?;
                let taken = fault::around("rename", || folder.rename(&name, &folder, aside.aside()));
                taken.map(|()| None).map_err(|error| VaultError::from_io(path, error))
            }
        }
    }

    pub(crate) fn back(&self, handles: &mut Handles<'_>) -> Result<(), VaultError> {
        match self {
            Planned::Put { path, staged, before, .. } => {
                let (folder, name) = handles.parent(path)?;
                let undone = match before {
                    Some(_) => swap_back(&folder, &staged.staged(), &staged.aside(), name.as_ref()),
                    None => rename_new(&folder, &name, &folder, staged.staged()),
                };
                undone.map_err(|error| VaultError::from_io(path, error))
            }
            Planned::Move { from, spelled, to, .. } => {
                let (target, new_name) = handles.parent(to)?;
                let (source, _) = handles.parent(from)?;
                rename_file(&target, &new_name, &source, spelled.of(from).as_ref(), to, from)
            }
            Planned::Take { path, spelled, aside, .. } => {
                let (folder, _) = handles.parent(path)?;
                rename_new(&folder, aside.aside(), &folder, spelled.of(path)).map_err(|error| VaultError::from_io(path, error))
            }
        }
    }

    /// After the commit: what was kept to undo the step goes, and a deleted file to where deleted files go.
    fn finish(&self, handles: &mut Handles<'_>, trashed: &mut Vec<(NotePath, Trashed)>) -> Result<(), VaultError> {
        let Planned::Take { path, spelled, aside, option, .. } = self else { return self.clear(handles) };
        let Some((folder, _)) = found(handles.parent(path))? else { return Ok(()) };
        let aside = aside.aside();
        if folder.symlink_metadata(&aside).is_err() {
            return Ok(());
        }
        let disposed = dispose(handles.core, &folder, &aside, path, *option);
        let error = match disposed {
            Ok(place) => {
                trashed.push((path.clone(), place));
                return Ok(());
            }
            Err(error) => error,
        };
        tracing::error!(%path, %error, "a file could not be deleted after all; it is put back");
        rename_new(&folder, &aside, &folder, spelled.of(path)).map_err(|error| VaultError::from_io(path, error))
    }

    /// After the step was taken back, or was never done: what was staged goes. A deleted file whose place somebody took
    /// meanwhile is kept in the vault's trash.
    pub(crate) fn clear(&self, handles: &mut Handles<'_>) -> Result<(), VaultError> {
        match self {
            Planned::Put { path, staged, .. } => {
                let Some((folder, _)) = found(handles.parent(path))? else { return Ok(()) };
                let removed = [staged.staged(), staged.aside()].iter().try_for_each(|name| remove_if_there(&folder, name));
                removed.map_err(|error| VaultError::from_io(path, error))
            }
            Planned::Move { .. } => Ok(()),
            Planned::Take { path, aside, .. } => {
                let Some((folder, _)) = found(handles.parent(path))? else { return Ok(()) };
                if folder.symlink_metadata(aside.aside()).is_err() {
                    return Ok(());
                }
                let kept = handles.core.move_to_local_trash(&folder, aside.aside().as_ref(), path.name());
                kept.map(drop).map_err(|error| VaultError::from_io(path, error))
            }
        }
    }
}

impl Intent {
    /// Makes the folders that are missing. One that somebody made meanwhile is as good.
    pub(crate) fn make_folders(&self, handles: &mut Handles<'_>) -> Result<(), VaultError> {
        for path in &self.folders {
            let (parent, name) = handles.parent(path)?;
            match fault::around("create folder", || parent.create_dir(&name)) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(VaultError::from_io(path, error)),
                _ => sync_folder(&parent, handles.core.durability),
            }
        }
        Ok(())
    }

    /// Removes what staging left.
    pub(crate) fn clear(&self, handles: &mut Handles<'_>) -> Result<(), VaultError> {
        for (path, name) in &self.staged {
            let Some((folder, _)) = found(handles.parent(path))? else { continue };
            remove_if_there(&folder, &name.staged()).map_err(|error| VaultError::from_io(path, error))?;
        }
        self.remove_folders(handles);
        Ok(())
    }

    /// Removes folders that were made for files that did not come. One that somebody has used since is not empty and stays.
    pub(crate) fn remove_folders(&self, handles: &mut Handles<'_>) {
        for path in self.folders.iter().rev() {
            if let Ok((parent, name)) = handles.parent(path) {
                let _ = fault::around("remove folder", || parent.remove_dir(&name));
            }
        }
    }
}

/// Tidies up after the commit. Deleted files are safely in the trash before their record goes: it alone knows them.
pub(crate) fn finish_all<'a>(
    handles: &mut Handles<'_>,
    steps: impl IntoIterator<Item = &'a Planned>,
    trashed: &mut Vec<(NotePath, Trashed)>,
) -> Result<(), VaultError> {
    let mut deletes = false;
    for step in steps {
        step.finish(handles, trashed)?;
        deletes |= matches!(step, Planned::Take { .. });
    }
    if deletes {
        handles.sync();
        if let Ok(trash) = handles.core.root.open_dir_nofollow(".trash") {
            sync_folder(&trash, handles.core.durability);
        }
    }
    Ok(())
}

/// Nothing can be left in a folder that is not there.
pub(crate) fn found<T>(looked: Result<T, VaultError>) -> Result<Option<T>, VaultError> {
    match looked {
        Err(VaultError::NotFound(_)) => Ok(None),
        other => other.map(Some),
    }
}

fn rename_file(
    source: &Dir,
    name: &OsStr,
    target: &Dir,
    new_name: &OsStr,
    from: &NotePath,
    to: &NotePath,
) -> Result<(), VaultError> {
    rename_new(source, name, target, new_name).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => VaultError::Exists(to.clone()),
        _ => VaultError::from_io(from, error),
    })
}

fn dispose(core: &Core, folder: &Dir, aside: &str, path: &NotePath, option: Disposal) -> io::Result<Trashed> {
    if option == Disposal::None {
        return fault::around("remove", || folder.remove_file(aside)).map(|()| Trashed::Gone);
    }
    // Where the system's trash takes only a path, it would keep the file under its hidden name.
    let has_handles = cfg!(all(unix, not(target_vendor = "apple")));
    if option == Disposal::System && has_handles {
        let original = core.path_on_disk(path).map_err(io::Error::other)?;
        match move_to_system_trash(folder, aside.as_ref(), path.name(), &original) {
            Ok(()) => return Ok(Trashed::System),
            Err(error) => tracing::debug!(%error, "no system trash here; using the vault's own"),
        }
    }
    core.move_to_local_trash(folder, aside.as_ref(), path.name())
}
