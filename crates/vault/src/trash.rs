//! Deleting as the vault's own setting says: the system's trash, the vault's `.trash`, or for good.

use std::ffi::OsStr;
use std::io;

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;

use crate::core::Core;
use crate::history::{Recording, Seen};
use crate::renaming::rename_new;
use crate::system_trash::move_to_system_trash;
use crate::transaction::check_unchanged;
use crate::{Change, ChangeId, NotePath, Operation, TrashOption, Vault, VaultError, fault};

/// How many numbers are tried to keep names in the trash apart.
pub(crate) const MOST_NAMESAKES: usize = 10_000;

/// Where a deleted file went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trashed {
    System,
    /// Its path below the vault, such as `.trash/Note 1.md`.
    Local(String),
    Gone,
}

impl Vault {
    /// Deletes one file by the vault's `trashOption`.
    pub fn trash(&self, path: &NotePath) -> Result<Trashed, VaultError> {
        self.remove(path, self.app_settings().trash)
    }

    pub fn remove(&self, path: &NotePath, option: TrashOption) -> Result<Trashed, VaultError> {
        self.permit(path, Operation::Delete)?;
        let _guards = self.core.locks.lock([path])?;
        self.check_single_name(path, Operation::Delete)?;
        self.remove_locked(path, option, self.core.record(self.author(), &[])).map(|(trashed, _)| trashed)
    }

    pub(crate) fn remove_locked(
        &self,
        path: &NotePath,
        option: TrashOption,
        mut recording: Recording,
    ) -> Result<(Trashed, Option<ChangeId>), VaultError> {
        let (folder, name) = self.core.open_parent(path)?;
        let (before, hash) = self.core.look(&folder, &name, path)?;
        recording.delete(path, Seen::of(&before, hash));
        let announced = recording.announce()?;
        check_unchanged(&folder, &name, path, Some(before.stat))?;
        let from_io = |error| VaultError::from_io(path, error);
        let trashed = match option {
            TrashOption::System => {
                match move_to_system_trash(&folder, &name, &name.to_string_lossy(), &self.core.path_on_disk(path)?) {
                    Ok(()) => Trashed::System,
                    Err(error) => {
                        tracing::debug!(%error, "no system trash here; using the vault's own");
                        self.core.move_to_local_trash(&folder, &name, &name.to_string_lossy()).map_err(from_io)?
                    }
                }
            }
            TrashOption::Local => self.core.move_to_local_trash(&folder, &name, &name.to_string_lossy()).map_err(from_io)?,
            TrashOption::None => {
                fault::around("remove", || folder.remove_file(&name)).map(|()| Trashed::Gone).map_err(from_io)?
            }
        };
        let change = announced.settle(true);
        self.core.tell(&Change::Removed { path });
        Ok((trashed, change))
    }
}

impl Core {
    /// `called` is what the file is to be called there, if nothing else is.
    pub(crate) fn move_to_local_trash(&self, folder: &Dir, name: &OsStr, called: &str) -> io::Result<Trashed> {
        let made = match fault::around("create folder", || self.root.create_dir(".trash")) {
            Ok(()) => true,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => false,
            Err(error) => return Err(error),
        };
        let moved = self.root.open_dir_nofollow(".trash").and_then(|trash| move_into(&trash, folder, name, called));
        if moved.is_err() && made {
            let _ = self.root.remove_dir(".trash");
        }
        moved
    }
}

/// Finds a free name in the trash and moves the file there.
fn move_into(trash: &Dir, folder: &Dir, name: &OsStr, called: &str) -> io::Result<Trashed> {
    for number in 0..MOST_NAMESAKES {
        let free = numbered(called, number);
        match rename_new(folder, name, trash, &free) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(()) => return Ok(Trashed::Local(format!(".trash/{free}"))),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// `Note.md`, `Note 1.md`, `Note 2.md`, …
pub(crate) fn numbered(name: &str, number: usize) -> String {
    match (number, name.rfind('.')) {
        (0, _) => name.to_owned(),
        (_, Some(dot)) if dot > 0 => format!("{} {number}{}", &name[..dot], &name[dot..]),
        _ => format!("{name} {number}"),
    }
}
