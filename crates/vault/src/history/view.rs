//! The history as it is seen through a handle: only changes of files that the handle may read.

use std::ops::ControlFlow;

use parking_lot::MutexGuard;

use super::diff::{Compared, unified_diff};
use super::index::path_key;
use super::record::{FileChange, PastChange, Side};
use super::shelf::{Located, Shelf};
use super::{ChangeId, Damage, Store, Trimmed};
use crate::{Author, NotePath, Operation, Vault, VaultError};

/// Which changes are meant; what is absent does not matter. Times are microseconds since 1970 UTC.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Changes that this path had a part in, under this very name.
    pub path: Option<NotePath>,
    pub caller: Option<String>,
    pub session: Option<String>,
    pub tool: Option<String>,
    pub call: Option<String>,
    /// At this time or later.
    pub since: Option<i64>,
    /// Before this time.
    pub until: Option<i64>,
}

/// What a change did to one file, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDiff {
    pub file: FileChange,
    /// A unified diff; sizes if it is not text; what is known if its bytes were not kept.
    pub text: String,
}

/// The history of a vault through one of its handles.
pub struct History<'v> {
    vault: &'v Vault,
    store: &'v Store,
}

impl Vault {
    /// Absent if the vault keeps none.
    pub fn history(&self) -> Option<History<'_>> {
        self.core.history.as_deref().map(|store| History { vault: self, store })
    }
}

impl Filter {
    fn fits(&self, author: Option<&Author>) -> bool {
        let is = |wanted: &Option<String>, field: fn(&Author) -> Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| author.and_then(field) == Some(wanted))
        };
        is(&self.caller, |author| Some(&author.caller))
            && is(&self.session, |author| author.session.as_deref())
            && is(&self.tool, |author| Some(&author.tool))
            && is(&self.call, |author| Some(&author.call))
    }
}

impl History<'_> {
    /// Whether this handle may know of the file.
    fn is_visible(&self, path: &NotePath) -> bool {
        self.vault.access().reads(path)
    }

    /// Without the files that may not be seen; `None` if nothing is left. A file that was moved between a place that may be
    /// seen and one that may not is left out.
    fn visible(&self, mut change: PastChange) -> Option<PastChange> {
        change.files.retain(|file| file.paths().all(|path| self.is_visible(path)));
        (!change.files.is_empty()).then_some(change)
    }

    fn shelf(&self) -> Result<MutexGuard<'_, Shelf>, VaultError> {
        let mut shelf = self.store.shelf.lock();
        shelf.refresh().map_err(VaultError::HistoryUnreadable)?;
        Ok(shelf)
    }

    /// The changes that fit, newest first: those before `after`, or the latest. The last one's name leads to the next page.
    pub fn list(&self, filter: &Filter, after: Option<ChangeId>, limit: usize) -> Result<Vec<PastChange>, VaultError> {
        filter.path.as_ref().map_or(Ok(()), |path| self.vault.permit(path, Operation::Read))?;
        let start = filter.since.map_or(ChangeId::FIRST, ChangeId::first_at);
        let end = after.unwrap_or(ChangeId::LAST).min(filter.until.map_or(ChangeId::LAST, ChangeId::first_at));
        let key = filter.path.as_ref().map(path_key);
        let mut found = Vec::new();
        if limit == 0 || start >= end {
            return Ok(found);
        }
        let looks_wanted = |paths: &[u64]| key.is_none_or(|key| paths.contains(&key));
        self.shelf()?.walk_back(
            start..end,
            |at| looks_wanted(&at.paths),
            |located| {
                let Some(change) = Some(located.change).filter(|change| filter.fits(change.author.as_ref())) else {
                    return ControlFlow::Continue(());
                };
                let has_path = |change: &PastChange| {
                    let is_it = |path: &NotePath| filter.path.as_ref().is_none_or(|wanted| wanted == path);
                    change.files.iter().flat_map(FileChange::paths).any(is_it)
                };
                found.extend(self.visible(change).filter(has_path));
                if found.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            },
        );
        Ok(found)
    }

    /// The changes after `id` that took others back, newest first.
    pub(crate) fn undos_since(&self, id: ChangeId) -> Result<Vec<PastChange>, VaultError> {
        let mut found = Vec::new();
        self.shelf()?.walk_back(
            id.next()..ChangeId::LAST,
            |at| at.is_undo,
            |located| {
                found.extend(self.visible(located.change));
                ControlFlow::Continue(())
            },
        );
        Ok(found)
    }

    pub fn find(&self, change: ChangeId) -> Result<PastChange, VaultError> {
        self.locate(change).map(|located| located.change)
    }

    pub(crate) fn locate(&self, change: ChangeId) -> Result<Located, VaultError> {
        let located = self.shelf()?.find(change);
        let seen = located.and_then(|located| {
            let segment = located.segment;
            self.visible(located.change).map(|change| Located { change, segment })
        });
        seen.ok_or(VaultError::NoChange(change))
    }

    /// The bytes of a file of a change on one of its sides; `None` if there was no file, or if it was only moved.
    pub fn image(&self, change: ChangeId, path: &NotePath, side: Side) -> Result<Option<Vec<u8>>, VaultError> {
        let located = self.locate(change)?;
        let file = located.change.files.iter().find(|file| file.paths().any(|found| found == path));
        let file = file.ok_or_else(|| VaultError::NotFound(path.clone()))?;
        self.bytes(&located, file, side)
    }

    pub(crate) fn bytes(&self, located: &Located, file: &FileChange, side: Side) -> Result<Option<Vec<u8>>, VaultError> {
        let Some(image) = file.image(side) else { return Ok(None) };
        let not_kept = || VaultError::NotKept(file.path().clone());
        let hash = image.hash.filter(|_| image.is_kept).ok_or_else(not_kept)?;
        let read = self.store.shelf.lock().contents(located.segment, hash);
        read.map(Some).map_err(|error| {
            tracing::warn!(%error, change = %located.change.id, path = %file.path(), "bytes cannot be read from the history");
            not_kept()
        })
    }

    /// What a change did, file by file, each as text of about `most` bytes at the most.
    pub fn diff(&self, change: ChangeId, most: usize) -> Result<Vec<FileDiff>, VaultError> {
        let located = self.locate(change)?;
        let texts = located.change.files.iter().map(|file| {
            let sides = [Side::Before, Side::After].map(|side| self.bytes(&located, file, side));
            let text = match &sides {
                [Ok(before), Ok(after)] => {
                    let (path, moved_to) = (file.path(), file.moved_to());
                    unified_diff(&Compared { path, moved_to, before: before.as_deref(), after: after.as_deref() }, most)
                }
                _ => "its bytes are not in the history: the file was too large, or its record is damaged\n".to_owned(),
            };
            FileDiff { file: file.clone(), text }
        });
        Ok(texts.collect())
    }

    /// The file that was at this path at that time, or `None` if there was none. What other programs changed since the last
    /// change before that time counts as there already.
    pub fn read_at(&self, path: &NotePath, at: i64) -> Result<Option<Vec<u8>>, VaultError> {
        self.vault.permit(path, Operation::Read)?;
        self.read_after(path, ChangeId::first_at(at.saturating_add(1)))
    }

    /// The file as it was before the changes from `from` on: the first of them that it had a part in knows.
    fn read_after(&self, path: &NotePath, from: ChangeId) -> Result<Option<Vec<u8>>, VaultError> {
        let (key, mut first) = (path_key(path), None);
        self.shelf()?.walk_back(
            from..ChangeId::LAST,
            |at| at.paths.contains(&key),
            |located| {
                let segment = located.segment;
                if let Some(change) = self.visible(located.change)
                    && let Some(file) = change.files.iter().find(|file| file.paths().any(|found| found == path)).cloned()
                {
                    first = Some((Located { change, segment }, file));
                }
                ControlFlow::Continue(())
            },
        );
        let Some((located, file)) = first else { return self.read_now(path) };
        match &file {
            FileChange::Moved { to, .. } if to == path && file.path() != path => Ok(None),
            FileChange::Moved { to, rewritten: None, .. } => self.read_after(to, located.change.id.next()),
            _ => self.bytes(&located, &file, Side::Before),
        }
    }

    fn read_now(&self, path: &NotePath) -> Result<Option<Vec<u8>>, VaultError> {
        match self.vault.read(path) {
            Ok(contents) => Ok(Some(contents.bytes)),
            Err(VaultError::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Reads all of the history and says what cannot be read.
    pub fn damage(&self) -> Result<Vec<Damage>, VaultError> {
        self.store.shelf.lock().damage().map_err(VaultError::HistoryUnreadable)
    }

    /// How many segments it has, and how many bytes.
    pub fn size(&self) -> Result<(usize, u64), VaultError> {
        self.store.size().map_err(VaultError::HistoryUnreadable)
    }

    /// Removes what is too old, or too much.
    pub fn trim(&self) -> Result<Trimmed, VaultError> {
        self.store.trim().map_err(VaultError::History)
    }
}
