//! Changes to files: checked first, staged beside their targets, then swapped in.
//!
//! One file: a reader sees the old bytes or the new ones, also after a crash; the rename that swaps it in is all it
//! takes. Several files: see `several`.

use std::ffi::OsString;
use std::io;
use std::sync::Arc;

use cap_std::fs::Dir;

use crate::core::{Core, open_subfolder};
use crate::history::{Recording, Seen};
use crate::planned::Handles;
use crate::renaming::{rename_new, sync_folder};
use crate::several::{check_free, commit_several};
use crate::temporary::{Temporary, fresh_name};
use crate::{
    Change, ChangeId, ContentHash, Contents, Durability, NotePath, Operation, Stat, TrashOption, Trashed, Vault, VaultError,
    fault,
};

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

/// What a transaction did.
#[derive(Clone, Debug, Default)]
pub struct Committed {
    pub written: Vec<Written>,
    /// Where deleted files went.
    pub trashed: Vec<(NotePath, Trashed)>,
    /// Its name in the history, if the vault keeps one and anything was changed.
    pub change: Option<ChangeId>,
}

pub(crate) enum Step {
    Write { path: NotePath, bytes: Vec<u8>, expect: Expect },
    Rename { from: NotePath, to: NotePath },
    Remove { path: NotePath, expect: Expect, option: TrashOption },
}

pub struct Transaction {
    pub(crate) vault: Vault,
    folders: Folders,
    pub(crate) steps: Vec<Step>,
    undoes: Vec<ChangeId>,
}

impl Vault {
    pub fn transaction(&self, folders: Folders) -> Transaction {
        Transaction { vault: self.clone(), folders, steps: Vec::new(), undoes: Vec::new() }
    }

    /// Writes one file whole.
    pub fn write(&self, path: &NotePath, bytes: Vec<u8>, expect: Expect, folders: Folders) -> Result<Written, VaultError> {
        let committed = self.transaction(folders).write(path.clone(), bytes, expect).commit()?;
        committed.written.into_iter().next().ok_or_else(|| VaultError::NotFound(path.clone()))
    }

    /// Reads a file, lets `change` make the new bytes, and writes them, while nobody else changes it. A file changed from
    /// outside meanwhile is a conflict. `change` may return the old bytes to leave the file alone.
    pub fn update<E: From<VaultError>>(
        &self,
        path: &NotePath,
        change: impl FnOnce(&Contents) -> Result<Vec<u8>, E>,
    ) -> Result<Written, E> {
        self.permit(path, Operation::Write)?;
        let _guards = self.core.locks.lock([path])?;
        self.check_single_name(path, Operation::Write)?;
        let before = self.core.read(path)?;
        let hash = before.hash();
        let bytes = change(&before)?;
        if bytes == before.bytes {
            return Ok(Written { path: path.clone(), created: false, hash, stat: before.stat });
        }
        let recording = self.core.record(self.author(), &[]);
        Ok(self.write_one(path, &bytes, Expect::Hash(hash), Folders::MustExist, recording)?.0)
    }
}

impl Transaction {
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

    /// Deletes a file, to where `option` says.
    #[must_use]
    pub fn remove(mut self, path: NotePath, expect: Expect, option: TrashOption) -> Self {
        self.steps.push(Step::Remove { path, expect, option });
        self
    }

    /// The history will say of this change that it takes back those.
    #[must_use]
    pub(crate) fn undoing(mut self, changes: Vec<ChangeId>) -> Self {
        self.undoes = changes;
        self
    }

    /// Whether the rules allow all of it; nothing is looked at for that but its paths.
    pub fn permit(&self) -> Result<(), VaultError> {
        self.vault.permit_changes()?;
        self.parts().try_for_each(|(path, operation)| self.vault.permit(path, operation))
    }

    /// What is done to which path, as the rules see it.
    fn parts(&self) -> impl Iterator<Item = (&NotePath, Operation)> {
        self.steps.iter().flat_map(Step::parts)
    }

    /// Carries out all steps, or none. A path has one part in it, except that a file may be written and then moved.
    pub fn commit(mut self) -> Result<Committed, VaultError> {
        let paths: Vec<NotePath> = self.parts().map(|(path, _)| path.clone()).collect();
        self.permit()?;
        let _guards = self.vault.core.locks.lock(&paths)?;
        for (path, operation) in self.parts() {
            self.vault.check_single_name(path, operation)?;
            if operation == Operation::Write && self.folders == Folders::MustExist {
                self.vault.check_folder_shown(&path.parent())?;
            }
        }
        let recording = || self.vault.core.record(self.vault.author(), &self.undoes);
        if self.steps.len() > 1 {
            let recording = recording();
            return commit_several(&self.vault.core, self.steps, self.folders, recording);
        }
        let Some(step) = self.steps.pop() else { return Ok(Committed::default()) };
        let recording = recording();
        let mut committed = Committed::default();
        match step {
            Step::Write { path, bytes, expect } => {
                let (written, change) = self.vault.write_one(&path, &bytes, expect, self.folders, recording)?;
                (committed.written, committed.change) = (vec![written], change);
            }
            Step::Rename { from, to } => committed.change = self.vault.rename_one(&from, &to, self.folders, recording)?,
            Step::Remove { path, expect, option } => {
                if expect != Expect::Anything {
                    check_before(&path, expect, self.vault.core.read(&path))?;
                }
                let (trashed, change) = self.vault.remove_locked(&path, option, recording)?;
                (committed.trashed, committed.change) = (vec![(path, trashed)], change);
            }
        }
        Ok(committed)
    }
}

impl Step {
    fn parts(&self) -> impl Iterator<Item = (&NotePath, Operation)> {
        let (first, second) = match self {
            Step::Write { path, .. } => ((path, Operation::Write), None),
            Step::Remove { path, .. } => ((path, Operation::Delete), None),
            Step::Rename { from, to } => ((from, Operation::Delete), Some((to, Operation::Write))),
        };
        std::iter::once(first).chain(second)
    }

    /// The file that the step begins with.
    pub(crate) fn path(&self) -> &NotePath {
        match self {
            Step::Write { path, .. } | Step::Rename { from: path, .. } | Step::Remove { path, .. } => path,
        }
    }
}

/// Folders made on the way, to be removed again if the change fails.
type Made = Vec<(Dir, String)>;

impl Vault {
    fn write_one(
        &self,
        path: &NotePath,
        bytes: &[u8],
        expect: Expect,
        folders: Folders,
        recording: Recording,
    ) -> Result<(Written, Option<ChangeId>), VaultError> {
        let mut made = Made::new();
        self.write_into(path, bytes, expect, folders, recording, &mut made).inspect_err(|_| remove_again(&made))
    }

    fn write_into(
        &self,
        path: &NotePath,
        bytes: &[u8],
        expect: Expect,
        folders: Folders,
        mut recording: Recording,
        made: &mut Made,
    ) -> Result<(Written, Option<ChangeId>), VaultError> {
        let from_io = |error| VaultError::from_io(path, error);
        self.core.check_size(path, bytes.len() as u64)?;
        let (folder, name) = open_target(&self.core, path, folders, made)?;
        let folder = Arc::new(folder);
        let mut known = None;
        let read = match expect {
            Expect::Hash(hash) => self.core.read(path).inspect(|_| known = Some(hash)),
            _ => self.core.look(&folder, &name, path).map(|(contents, hash)| {
                known = hash;
                contents
            }),
        };
        let before = check_before(path, expect, read)?;
        let staged = Temporary::write(folder.clone(), fresh_name(), bytes, before.as_ref(), self.core.durability);
        let mut temporary = staged.map_err(from_io)?;
        let replaces = before.as_ref().map(|before| before.stat);
        let hash = ContentHash::of(bytes);
        recording.write(path, before.as_ref().map(|before| Seen::of(before, known)), Seen::bytes(bytes, hash));
        let announced = recording.announce()?;
        check_unchanged(&folder, &name, path, replaces)?;
        match replaces {
            Some(_) => fault::around("rename", || folder.rename(&temporary.name, &folder, &name)).map_err(from_io)?,
            None => rename_new(&folder, &temporary.name, &folder, &name).map_err(from_io)?,
        }
        let change = announced.settle(true);
        temporary.keep();
        // Of the bytes we wrote, even if somebody has replaced the file since.
        let stat = temporary.stat();
        sync_folder(&folder, self.core.durability);
        let stat = stat.ok_or_else(|| VaultError::NotFound(path.clone()))?;
        self.core.tell(&Change::Written { path, bytes, hash, stat });
        Ok((Written { path: path.clone(), created: before.is_none(), hash, stat }, change))
    }

    fn rename_one(
        &self,
        from: &NotePath,
        to: &NotePath,
        folders: Folders,
        recording: Recording,
    ) -> Result<Option<ChangeId>, VaultError> {
        let mut made = Made::new();
        self.rename_into(from, to, folders, recording, &mut made).inspect_err(|_| remove_again(&made))
    }

    fn rename_into(
        &self,
        from: &NotePath,
        to: &NotePath,
        folders: Folders,
        mut recording: Recording,
        made: &mut Made,
    ) -> Result<Option<ChangeId>, VaultError> {
        let (folder, name) = self.core.open_parent(from)?;
        let before = self.core.open_file(&folder, &name, from)?.1;
        let (target, target_name) = open_target(&self.core, to, folders, made)?;
        check_free(&mut Handles::new(&self.core), from, to, &before)?;
        recording.rename(from, to);
        let announced = recording.announce()?;
        rename_new(&folder, &name, &target, &target_name).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => VaultError::Exists(to.clone()),
            _ => VaultError::from_io(from, error),
        })?;
        let change = announced.settle(true);
        let after = target.symlink_metadata(&target_name).ok().map(|metadata| Stat::of(&metadata));
        sync_folder(&folder, self.core.durability);
        if from.parent() != to.parent() {
            sync_folder(&target, self.core.durability);
        }
        // A file that somebody removed right behind us is left for the watcher to notice.
        if let Some(stat) = after {
            self.core.tell(&Change::Renamed { from, to, stat });
        }
        Ok(change)
    }
}

/// Folders that were made for files that did not come. One that somebody has used since is not empty and stays.
fn remove_again(made: &Made) {
    made.iter().rev().for_each(|(folder, name)| drop(folder.remove_dir(name)));
}

/// What the file held, after checking it against what the caller expects.
pub(crate) fn check_before(
    path: &NotePath,
    expect: Expect,
    read: Result<Contents, VaultError>,
) -> Result<Option<Contents>, VaultError> {
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

/// The last look before a swap: programs that do not take our locks may have been here since staging.
pub(crate) fn check_unchanged(folder: &Dir, name: &OsString, path: &NotePath, expected: Option<Stat>) -> Result<(), VaultError> {
    let now = folder.symlink_metadata(name).ok().map(|metadata| Stat::of(&metadata));
    match (expected, now) {
        (None, None) => Ok(()),
        (None, Some(_)) => Err(VaultError::Exists(path.clone())),
        (Some(before), Some(now)) if before.same_file_as(&now) => Ok(()),
        (Some(_), _) => Err(VaultError::Conflict(path.clone())),
    }
}

fn open_target(core: &Core, path: &NotePath, folders: Folders, made: &mut Made) -> Result<(Dir, OsString), VaultError> {
    match core.open_parent(path) {
        Err(VaultError::NotFound(_)) if folders == Folders::Create => {}
        Err(VaultError::NotFound(_)) => return Err(VaultError::FolderNotFound(path.parent())),
        other => return other,
    }
    let from_io = |error| VaultError::from_io(path, error);
    let mut folder = core.root.try_clone().map_err(from_io)?;
    for segment in path.parent().segments() {
        folder = match open_subfolder(&folder, segment) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let subfolder = make_subfolder(&folder, segment, core.durability).map_err(from_io)?;
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
