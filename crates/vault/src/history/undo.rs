//! Taking changes back: one transaction that undoes them, newest first, and keeps what was changed since.

use std::collections::{BTreeSet, HashSet};

use super::merge::{Clash, merge};
use super::overlay::{Body, Overlay, UndoOutcome};
use super::record::{FileChange, Image, Side};
use super::shelf::Located;
use super::view::{Filter, History};
use super::{ChangeId, PastChange};
use crate::{Committed, NotePath, Transaction, Vault, VaultError, is_binary};

/// More changes than this are not taken back at once.
const MOST_CHANGES: usize = 10_000;

/// Which changes are to be taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undo {
    Changes(Vec<ChangeId>),
    /// All that fit, such as those of a session, or those since a time.
    All(Filter),
}

/// What to do if some of the files cannot be put back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnConflict {
    /// Nothing is done.
    Refuse,
    /// The other files are put back.
    Skip,
}

/// Why a file cannot be put back.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Obstacle {
    #[error("it was changed since, in the same place")]
    ChangedSince,
    #[error("something else is in its place now")]
    Occupied,
    #[error("it is not there any more")]
    Gone,
    #[error("it was moved to {0} since")]
    MovedTo(NotePath),
    #[error("its earlier bytes are not in the history: it was too large, or they were damaged")]
    NotKept,
    #[error("it was changed since, and is not text that could be merged")]
    NotText,
}

/// A file that cannot be put back, and the change that it would be put back from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoConflict {
    pub change: ChangeId,
    pub path: NotePath,
    pub obstacle: Obstacle,
    /// Both sides of each place that is in dispute.
    pub clashes: Vec<Clash>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoneFile {
    pub path: NotePath,
    pub outcome: UndoOutcome,
}

/// What undoing would do. Nothing has been done.
pub struct UndoPlan {
    /// The changes that would be taken back, newest first.
    pub changes: Vec<ChangeId>,
    pub files: Vec<UndoneFile>,
    /// Files that would be left as they are; or, if that is not wanted, why nothing can be done.
    pub conflicts: Vec<UndoConflict>,
    transaction: Option<Transaction>,
}

impl UndoPlan {
    /// `None` if it is refused because of its conflicts.
    pub fn into_transaction(self) -> Option<Transaction> {
        self.transaction
    }

    /// Undoes it, or says what is in the way.
    pub fn commit(self) -> Result<Result<Committed, Vec<UndoConflict>>, VaultError> {
        match self.transaction {
            Some(transaction) => transaction.commit().map(Ok),
            None => Ok(Err(self.conflicts)),
        }
    }
}

impl Vault {
    /// Plans to take changes back. Several are composed, newest first, so that edits of one file upon another come off in turn.
    pub fn plan_undo(&self, undo: &Undo, on_conflict: OnConflict) -> Result<UndoPlan, VaultError> {
        let history = self.history().ok_or(VaultError::NoHistory)?;
        let changes = history.chosen(undo)?;
        let undone = history.undone_before(&changes)?;
        let (mut skipped, mut conflicts): (HashSet<NotePath>, Vec<UndoConflict>) = (HashSet::new(), Vec::new());
        loop {
            let overlay = Overlay::new(self);
            let mut undoing = Undoing { history: &history, changes: &changes, undone: &undone, overlay, conflicts: Vec::new() };
            undoing.undo_all(&skipped)?;
            let found = std::mem::take(&mut undoing.conflicts);
            if found.is_empty() || on_conflict == OnConflict::Refuse {
                conflicts.extend(found);
                return Ok(undoing.plan(&skipped, conflicts, on_conflict));
            }
            skipped.extend(together(&changes, found.iter().map(|conflict| &conflict.path).cloned().collect()));
            conflicts.extend(found);
        }
    }
}

impl History<'_> {
    /// The changes that are meant, newest first.
    fn chosen(&self, undo: &Undo) -> Result<Vec<Located>, VaultError> {
        let ids: BTreeSet<ChangeId> = match undo {
            Undo::Changes(ids) => ids.iter().copied().collect(),
            Undo::All(filter) => self.list(filter, None, MOST_CHANGES + 1)?.into_iter().map(|change| change.id).collect(),
        };
        if ids.len() > MOST_CHANGES {
            return Err(VaultError::TooManyChanges(MOST_CHANGES));
        }
        ids.into_iter().rev().map(|id| self.locate(id)).collect()
    }

    /// What other changes have taken back of these, and was not brought back since.
    fn undone_before(&self, changes: &[Located]) -> Result<HashSet<(ChangeId, NotePath)>, VaultError> {
        let mut undone = HashSet::new();
        let Some(oldest) = changes.last() else { return Ok(undone) };
        let is_chosen = |id: ChangeId| changes.iter().any(|located| located.change.id == id);
        for undo in self.undos_since(oldest.change.id)?.iter().filter(|undo| !is_chosen(undo.id)) {
            let paths = undo.files.iter().flat_map(FileChange::paths).cloned();
            let paths: Vec<NotePath> = paths.filter(|path| !undone.contains(&(undo.id, path.clone()))).collect();
            for id in &undo.undoes {
                undone.extend(paths.iter().map(|path| (*id, path.clone())));
            }
        }
        Ok(undone)
    }
}

/// The paths that belong together with these, because a file was moved between them.
fn together(changes: &[Located], mut paths: HashSet<NotePath>) -> HashSet<NotePath> {
    loop {
        let before = paths.len();
        for file in changes.iter().flat_map(|located| &located.change.files) {
            if file.paths().any(|path| paths.contains(path)) {
                paths.extend(file.paths().cloned());
            }
        }
        if paths.len() == before {
            return paths;
        }
    }
}

struct Undoing<'a> {
    history: &'a History<'a>,
    changes: &'a [Located],
    /// Files of changes that have been put back already.
    undone: &'a HashSet<(ChangeId, NotePath)>,
    overlay: Overlay<'a>,
    conflicts: Vec<UndoConflict>,
}

/// Why a file stays as it is.
enum Stuck {
    Conflict(Obstacle, Vec<Clash>),
    Failed(VaultError),
}

impl From<VaultError> for Stuck {
    fn from(error: VaultError) -> Stuck {
        match error {
            VaultError::NotKept(_) => Stuck::Conflict(Obstacle::NotKept, Vec::new()),
            error => Stuck::Failed(error),
        }
    }
}

fn stuck(obstacle: Obstacle, ours: Option<&Body>, theirs: &[u8]) -> Stuck {
    let ours = ours.and_then(Body::bytes).unwrap_or_default();
    let clash = (!is_binary(ours) && !is_binary(theirs)).then(|| Clash::new(ours, theirs));
    Stuck::Conflict(obstacle, clash.into_iter().collect())
}

impl Undoing<'_> {
    fn undo_all(&mut self, skipped: &HashSet<NotePath>) -> Result<(), VaultError> {
        for located in self.changes {
            for file in located.change.files.iter().rev().filter(|file| is_wanted(file, skipped)) {
                match self.undo_file(located, file) {
                    Ok(()) => {}
                    Err(Stuck::Failed(error)) => return Err(error),
                    Err(Stuck::Conflict(obstacle, clashes)) => {
                        let (change, path) = (located.change.id, file.path().clone());
                        self.conflicts.push(UndoConflict { change, path, obstacle, clashes });
                    }
                }
            }
        }
        Ok(())
    }

    fn undo_file(&mut self, located: &Located, file: &FileChange) -> Result<(), Stuck> {
        if file.paths().any(|path| self.undone.contains(&(located.change.id, path.clone()))) {
            self.overlay.at(file.path())?;
            return Ok(());
        }
        match file {
            FileChange::Created { path, after } => self.uncreate(&located.change, path, after),
            FileChange::Edited { path, before, after } => self.unedit(located, file, path, before, after),
            FileChange::Deleted { path, before } => self.undelete(located, file, path, before),
            FileChange::Moved { from, to, rewritten } => {
                self.unmove(located, from, to)?;
                rewritten.map_or(Ok(()), |(before, after)| self.unedit(located, file, from, &before, &after))
            }
        }
    }

    fn uncreate(&mut self, change: &PastChange, path: &NotePath, after: &Image) -> Result<(), Stuck> {
        match self.overlay.at(path)? {
            None => match self.moved_since(change.id, path)? {
                Some(to) => Err(Stuck::Conflict(Obstacle::MovedTo(to), Vec::new())),
                None => Ok(()),
            },
            Some(now) if now.hash().is_some() && now.hash() == after.hash => Ok(self.overlay.remove(path)?),
            Some(now) => Err(stuck(Obstacle::ChangedSince, Some(&now), b"")),
        }
    }

    fn undelete(&mut self, located: &Located, file: &FileChange, path: &NotePath, before: &Image) -> Result<(), Stuck> {
        let now = self.overlay.at(path)?;
        if now.as_ref().is_some_and(|now| now.hash().is_some() && now.hash() == before.hash) {
            return Ok(());
        }
        let bytes = self.history.bytes(located, file, Side::Before)?.unwrap_or_default();
        match now {
            None => Ok(self.overlay.create(path, bytes)?),
            Some(now) => Err(stuck(Obstacle::Occupied, Some(&now), &bytes)),
        }
    }

    /// `path` is where the file is by now: one that was moved has been moved back.
    fn unedit(
        &mut self,
        located: &Located,
        file: &FileChange,
        path: &NotePath,
        before: &Image,
        after: &Image,
    ) -> Result<(), Stuck> {
        let now = self.overlay.at(path)?;
        if now.as_ref().is_some_and(|now| now.hash().is_some() && now.hash() == before.hash) {
            return Ok(());
        }
        let old = self.history.bytes(located, file, Side::Before)?.unwrap_or_default();
        let Some(now) = now else {
            let moved_to = self.moved_since(located.change.id, path)?;
            return Err(stuck(moved_to.map_or(Obstacle::Gone, Obstacle::MovedTo), None, &old));
        };
        if now.hash().is_some() && now.hash() == after.hash {
            return Ok(self.overlay.put(path, old, false)?);
        }
        let new = self.history.bytes(located, file, Side::After)?.unwrap_or_default();
        let Some(ours) = now.bytes().filter(|ours| ![ours, &*old, &*new].into_iter().any(is_binary)) else {
            return Err(Stuck::Conflict(Obstacle::NotText, Vec::new()));
        };
        match merge(&new, ours, &old) {
            Ok(merged) => Ok(self.overlay.put(path, merged, true)?),
            Err(clashes) => Err(Stuck::Conflict(Obstacle::ChangedSince, clashes)),
        }
    }

    fn unmove(&mut self, located: &Located, from: &NotePath, to: &NotePath) -> Result<(), Stuck> {
        // What is there first: where case does not count, both may be the same file.
        let (there, here) = (self.overlay.at(to)?, self.overlay.at(from)?);
        match (there, here) {
            (Some(_), None) => Ok(self.overlay.rename(to, from)?),
            (None, Some(_)) => Ok(()),
            (Some(there), Some(here)) => Err(stuck(Obstacle::Occupied, Some(&here), there.bytes().unwrap_or_default())),
            (None, None) => {
                let moved_to = self.moved_since(located.change.id, to)?;
                Err(Stuck::Conflict(moved_to.map_or(Obstacle::Gone, Obstacle::MovedTo), Vec::new()))
            }
        }
    }

    /// Where the file went that was at `path` after a change, if another change that stays has moved it.
    fn moved_since(&self, change: ChangeId, path: &NotePath) -> Result<Option<NotePath>, VaultError> {
        let filter = Filter { path: Some(path.clone()), since: Some(change.at()), ..Filter::default() };
        let later = self.history.list(&filter, None, MOST_CHANGES)?;
        let is_undone = |id: ChangeId| self.changes.iter().any(|located| located.change.id == id);
        let first = later.iter().rev().filter(|later| later.id > change && !is_undone(later.id));
        let mut parts = first.flat_map(|later| &later.files).filter(|file| file.path() == path);
        let left = parts.find(|file| matches!(file, FileChange::Moved { .. } | FileChange::Deleted { .. }));
        Ok(left.and_then(FileChange::moved_to).cloned())
    }

    fn plan(self, skipped: &HashSet<NotePath>, mut conflicts: Vec<UndoConflict>, on_conflict: OnConflict) -> UndoPlan {
        let in_dispute = together(self.changes, conflicts.iter().map(|conflict| conflict.path.clone()).collect());
        let outcomes = self.overlay.outcomes().into_iter().filter(|(path, _)| !in_dispute.contains(path));
        let files = outcomes.map(|(path, outcome)| UndoneFile { path, outcome }).collect();
        let has_part = |located: &&Located| located.change.files.iter().any(|file| is_wanted(file, skipped));
        let changes: Vec<ChangeId> = self.changes.iter().filter(has_part).map(|located| located.change.id).collect();
        let transaction = match self.overlay.transaction() {
            Ok(_) if !conflicts.is_empty() && on_conflict == OnConflict::Refuse => None,
            Ok(transaction) => Some(transaction.undoing(changes.clone())),
            Err(path) => {
                let change = changes.first().copied().unwrap_or(ChangeId::FIRST);
                conflicts.push(UndoConflict { change, path, obstacle: Obstacle::NotKept, clashes: Vec::new() });
                None
            }
        };
        UndoPlan { changes, files, conflicts, transaction }
    }
}

fn is_wanted(file: &FileChange, skipped: &HashSet<NotePath>) -> bool {
    !file.paths().any(|path| skipped.contains(path))
}
