//! Changes to files: checked first, staged beside their targets, then swapped in.
//!
//! One file: a reader sees the old bytes or the new ones, also after a crash. Several files: preconditions and staging
//! come before the first swap, and a swap that fails takes the earlier ones back.

use std::ffi::OsString;
use std::fs::File;
use std::io;

use cap_std::fs::Dir;
use quillgate_markdown::fold;

use crate::temporary::Temporary;
use crate::vault::open_subfolder;
use crate::{Change, ContentHash, Contents, Durability, NotePath, Stat, Vault, VaultError};

/// What must be true of a file before it is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    Anything,
    Absent,
    Hash(ContentHash),
}

/// Whether the folders on the way to a new file are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folders {
    Create,
    MustExist,
}

#[derive(Clone, Debug)]
pub struct Written {
    pub path: NotePath,
    pub created: bool,
    pub hash: ContentHash,
    pub stat: Stat,
}

enum Step {
    Write { path: NotePath, bytes: Vec<u8>, expect: Expect },
    Rename { from: NotePath, to: NotePath },
}

pub struct Transaction<'v> {
    vault: &'v Vault,
    folders: Folders,
    steps: Vec<Step>,
}

/// A step whose preconditions hold and whose new bytes are on disk, under a temporary name.
struct Staged {
    step: Step,
    folder: Dir,
    name: OsString,
    before: Option<Contents>,
    temporary: Option<Temporary>,
    target: Option<(Dir, OsString)>,
    /// What the file system says right after the swap; a later step may move the file on.
    after: Option<Stat>,
}

impl Vault {
    pub fn transaction(&self, folders: Folders) -> Transaction<'_> {
        Transaction { vault: self, folders, steps: Vec::new() }
    }

    /// Writes one file whole.
    pub fn write(&self, path: &NotePath, bytes: Vec<u8>, expect: Expect, folders: Folders) -> Result<Written, VaultError> {
        let written = self.transaction(folders).write(path.clone(), bytes, expect).commit()?;
        written.into_iter().next().ok_or_else(|| VaultError::NotFound(path.clone()))
    }

    /// Reads a file, lets `change` make the new bytes, and writes them, while nobody else changes it. A file changed from
    /// outside meanwhile is a conflict. `change` may return the old bytes to leave the file alone.
    pub fn update<E: From<VaultError>>(
        &self,
        path: &NotePath,
        change: impl FnOnce(&Contents) -> Result<Vec<u8>, E>,
    ) -> Result<Written, E> {
        let _guards = self.locks.lock([path])?;
        let before = self.read(path)?;
        let hash = before.hash();
        let bytes = change(&before)?;
        if bytes == before.bytes {
            return Ok(Written { path: path.clone(), created: false, hash, stat: before.stat });
        }
        let step = Step::Write { path: path.clone(), bytes, expect: Expect::Hash(hash) };
        let transaction = Transaction { vault: self, folders: Folders::MustExist, steps: vec![step] };
        let written = transaction.commit_locked()?;
        written.into_iter().next().ok_or_else(|| VaultError::NotFound(path.clone()).into())
    }
}

impl Transaction<'_> {
    #[must_use]
    pub fn write(mut self, path: NotePath, bytes: Vec<u8>, expect: Expect) -> Self {
        self.steps.push(Step::Write { path, bytes, expect });
        self
    }

    /// Moves a file to a path where nothing is.
    #[must_use]
    pub fn rename(mut self, from: NotePath, to: NotePath) -> Self {
        self.steps.push(Step::Rename { from, to });
        self
    }

    /// Carries out all steps in order, or none.
    pub fn commit(self) -> Result<Vec<Written>, VaultError> {
        let paths: Vec<NotePath> = self.steps.iter().flat_map(Step::paths).cloned().collect();
        let _guards = self.vault.locks.lock(&paths)?;
        self.commit_locked()
    }

    fn commit_locked(self) -> Result<Vec<Written>, VaultError> {
        let mut made = Vec::new();
        let committed = self.stage_and_swap(&mut made);
        if committed.is_err() {
            // Folders that were made for files that did not come. One that somebody has used since is not empty and stays.
            made.iter().rev().for_each(|(folder, name)| drop(folder.remove_dir(name)));
        }
        committed
    }

    fn stage_and_swap(self, made: &mut Vec<(Dir, String)>) -> Result<Vec<Written>, VaultError> {
        let several = self.steps.len() > 1;
        let mut staged = Vec::with_capacity(self.steps.len());
        for step in self.steps {
            staged.push(stage(self.vault, step, self.folders, several, made)?);
        }
        let durability = self.vault.durability;
        for at in 0..staged.len() {
            if let Err(error) = staged[at].swap() {
                staged[..at].iter_mut().rev().for_each(|done| done.take_back(durability));
                return Err(error);
            }
        }
        for folder in staged.iter().flat_map(Staged::folders) {
            sync_folder(folder, durability);
        }
        Ok(staged.iter().filter_map(|done| done.tell(self.vault)).collect())
    }
}

impl Step {
    fn paths(&self) -> Vec<&NotePath> {
        match self {
            Step::Write { path, .. } => vec![path],
            Step::Rename { from, to } => vec![from, to],
        }
    }

    /// The file that the step begins with.
    fn path(&self) -> &NotePath {
        match self {
            Step::Write { path, .. } | Step::Rename { from: path, .. } => path,
        }
    }
}

fn stage(
    vault: &Vault,
    step: Step,
    folders: Folders,
    several: bool,
    made: &mut Vec<(Dir, String)>,
) -> Result<Staged, VaultError> {
    match &step {
        Step::Write { path, bytes, expect } => {
            vault.check_size(path, bytes.len() as u64)?;
            let (folder, name) = open_target(vault, path, folders, made)?;
            let look = || Ok(Contents { path: path.clone(), bytes: Vec::new(), stat: vault.open_file(&folder, &name, path)?.1 });
            let needs_bytes = matches!(expect, Expect::Hash(_)) || several;
            let before = check_before(path, *expect, if needs_bytes { vault.read(path) } else { look() })?;
            let temporary = Temporary::write(&folder, bytes, before.as_ref(), vault.durability)
                .map_err(|error| VaultError::from_io(path, error))?;
            Ok(Staged { folder, name, before, temporary: Some(temporary), target: None, after: None, step })
        }
        Step::Rename { from, to } => {
            let (folder, name) = vault.open_parent(from)?;
            let before = vault.open_file(&folder, &name, from)?.1;
            let (target, target_name) = open_target(vault, to, folders, made)?;
            // Only another spelling of its own name may find the file itself at the new path.
            let is_respelled = fold(from.as_str()) == fold(to.as_str());
            let found = target.symlink_metadata(&target_name);
            let occupied = found.is_ok_and(|found| !is_respelled || Stat::of(&found).inode != before.inode);
            if occupied {
                return Err(VaultError::Exists(to.clone()));
            }
            Ok(Staged { folder, name, before: None, temporary: None, target: Some((target, target_name)), after: None, step })
        }
    }
}

/// What the file held, after checking it against what the caller expects. The bytes are needed only to compare or to take
/// a change back; otherwise the look at the file is enough.
fn check_before(path: &NotePath, expect: Expect, read: Result<Contents, VaultError>) -> Result<Option<Contents>, VaultError> {
    let before = match read {
        Ok(contents) => Some(contents),
        Err(VaultError::NotFound(_)) => None,
        Err(error) => return Err(error),
    };
    match (expect, &before) {
        (Expect::Absent, Some(_)) => Err(VaultError::Exists(path.clone())),
        (Expect::Hash(_), None) => Err(VaultError::Conflict(path.clone())),
        (Expect::Hash(hash), Some(contents)) if contents.hash() != hash => Err(VaultError::Conflict(path.clone())),
        _ => Ok(before),
    }
}

impl Staged {
    fn swap(&mut self) -> Result<(), VaultError> {
        let path = self.step.path().clone();
        let from_io = |error| VaultError::from_io(&path, error);
        match (&mut self.temporary, &self.target) {
            (Some(temporary), _) => {
                let replaces = self.before.as_ref().map(|before| before.stat);
                check_unchanged(&self.folder, &self.name, &path, replaces)?;
                match replaces {
                    Some(_) => self.folder.rename(&temporary.name, &self.folder, &self.name).map_err(from_io)?,
                    None => rename_new(&self.folder, &temporary.name, &self.folder, &self.name).map_err(from_io)?,
                }
                temporary.keep();
                // Of the bytes we wrote, even if somebody has replaced the file since.
                self.after = temporary.stat();
            }
            (None, Some((target, target_name))) => {
                match rename_new(&self.folder, &self.name, target, target_name) {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                        return Err(VaultError::Exists(self.last_path().clone()));
                    }
                    other => other.map_err(from_io)?,
                }
                self.after = target.symlink_metadata(target_name).ok().map(|metadata| Stat::of(&metadata));
            }
            (None, None) => {}
        }
        Ok(())
    }

    fn last_path(&self) -> &NotePath {
        match &self.step {
            Step::Write { path, .. } => path,
            Step::Rename { to, .. } => to,
        }
    }

    /// Puts the old state back after a later step failed. Failing here too leaves the new bytes, which is logged.
    fn take_back(&mut self, durability: Durability) {
        let (folder, name) = self.target.as_ref().map_or((&self.folder, &self.name), |(folder, name)| (folder, name));
        let now = folder.symlink_metadata(name).ok().map(|metadata| Stat::of(&metadata));
        let is_ours = matches!((self.after, now), (Some(after), Some(now)) if after.same_file_as(&now));
        if !is_ours {
            tracing::warn!(path = %self.step.path(), "not taken back, because somebody has changed it since");
            return;
        }
        let undone = match (&self.before, &self.target) {
            (_, Some((target, target_name))) => rename_new(target, target_name, &self.folder, &self.name),
            (Some(before), None) => {
                let written = Temporary::write(&self.folder, &before.bytes, Some(before), durability);
                written.and_then(|mut temporary| {
                    self.folder.rename(&temporary.name, &self.folder, &self.name)?;
                    temporary.keep();
                    Ok(())
                })
            }
            (None, None) => self.folder.remove_file(&self.name),
        };
        if let Err(error) = undone {
            tracing::error!(path = %self.step.path(), %error, "a change could not be taken back");
        }
    }

    fn folders(&self) -> impl Iterator<Item = &Dir> {
        std::iter::once(&self.folder).chain(self.target.as_ref().map(|(folder, _)| folder))
    }

    /// Tells the observers. A file that somebody removed right behind us is left for the watcher to notice.
    fn tell(&self, vault: &Vault) -> Option<Written> {
        let path = self.last_path();
        let stat = self.after?;
        match &self.step {
            Step::Write { bytes, .. } => {
                let hash = ContentHash::of(bytes);
                vault.tell(&Change::Written { path, bytes, hash, stat });
                Some(Written { path: path.clone(), created: self.before.is_none(), hash, stat })
            }
            Step::Rename { from, to } => {
                vault.tell(&Change::Renamed { from, to, stat });
                None
            }
        }
    }
}

/// The last look before a swap: programs that do not take our locks may have been here since staging.
fn check_unchanged(folder: &Dir, name: &OsString, path: &NotePath, expected: Option<Stat>) -> Result<(), VaultError> {
    let now = folder.symlink_metadata(name).ok().map(|metadata| Stat::of(&metadata));
    match (expected, now) {
        (None, None) => Ok(()),
        (None, Some(_)) => Err(VaultError::Exists(path.clone())),
        (Some(before), Some(now)) if before.same_file_as(&now) => Ok(()),
        (Some(_), _) => Err(VaultError::Conflict(path.clone())),
    }
}

fn open_target(
    vault: &Vault,
    path: &NotePath,
    folders: Folders,
    made: &mut Vec<(Dir, String)>,
) -> Result<(Dir, OsString), VaultError> {
    match vault.open_parent(path) {
        Err(VaultError::NotFound(_)) if folders == Folders::Create => {}
        Err(VaultError::NotFound(_)) => return Err(VaultError::FolderNotFound(path.parent())),
        other => return other,
    }
    let from_io = |error| VaultError::from_io(path, error);
    let mut folder = vault.root.try_clone().map_err(from_io)?;
    for segment in path.parent().segments() {
        folder = match open_subfolder(&folder, segment) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let subfolder = make_subfolder(&folder, segment, vault.durability).map_err(from_io)?;
                made.push((folder, segment.to_owned()));
                subfolder
            }
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Err(VaultError::NotFolder(path.parent())),
            other => other.map_err(from_io)?,
        };
    }
    Ok((folder, path.name().into()))
}

fn make_subfolder(folder: &Dir, segment: &str, durability: Durability) -> io::Result<Dir> {
    match folder.create_dir(segment) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => sync_folder(folder, durability),
    }
    open_subfolder(folder, segment)
}

/// Makes a rename durable. Some network file systems cannot sync a folder; the rename itself has happened.
fn sync_folder(folder: &Dir, durability: Durability) {
    if durability == Durability::Relaxed {
        return;
    }
    if let Err(error) = open_to_sync(folder).and_then(|handle| handle.sync_all()) {
        tracing::debug!(%error, "a folder could not be synced");
    }
}

/// Our handles are good only for what lies in the folder (`O_PATH`): the folder itself has to be opened to be synced.
#[cfg(unix)]
fn open_to_sync(folder: &Dir) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, openat};
    Ok(openat(folder, ".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?.into())
}

#[cfg(not(unix))]
fn open_to_sync(folder: &Dir) -> io::Result<File> {
    folder.try_clone().map(Dir::into_std_file)
}

/// Renames onto a name where nothing may be, without a moment in which another program's file could be lost.
pub(crate) fn rename_new(
    from: &Dir,
    name: impl AsRef<std::path::Path>,
    to: &Dir,
    new_name: impl AsRef<std::path::Path>,
) -> io::Result<()> {
    let (name, new_name) = (name.as_ref(), new_name.as_ref());
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    {
        use rustix::fs::{RenameFlags, renameat_with};
        use rustix::io::Errno;
        match renameat_with(from, name, to, new_name, RenameFlags::NOREPLACE) {
            Ok(()) => return Ok(()),
            // Not every file system can; and EXIST is also the answer to a mere change of case.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP | Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
    }
    if let Ok(found) = to.symlink_metadata(new_name) {
        let moved = from.symlink_metadata(name)?;
        if Stat::of(&found).inode != Stat::of(&moved).inode || Stat::of(&moved).inode == 0 {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
    }
    from.rename(name, to, new_name)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_folder_can_be_synced() {
        let place = tempfile::tempdir().expect("a folder");
        let folder = Dir::open_ambient_dir(place.path(), cap_std::ambient_authority()).expect("a handle");
        open_to_sync(&folder).and_then(|handle| handle.sync_all()).expect("a folder on a local disk can be synced");
    }
}
