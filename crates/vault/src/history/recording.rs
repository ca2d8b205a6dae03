//! A change on its way into the history: what it replaces is kept, then it is announced, then it is said what became of it.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::sync::Arc;

use cap_std::fs::Dir;

use super::record::{FileChange, Image, PastChange};
use super::writer::Writer;
use super::{ChangeId, Store};
use crate::core::Core;
use crate::{Author, ContentHash, Contents, Durability, NotePath, VaultError};

/// The bytes of a file, as far as they are known.
#[derive(Clone, Copy)]
pub(crate) struct Seen<'a> {
    size: u64,
    known: Option<(&'a [u8], ContentHash)>,
}

impl<'a> Seen<'a> {
    pub(crate) fn bytes(bytes: &'a [u8], hash: ContentHash) -> Seen<'a> {
        Seen { size: bytes.len() as u64, known: Some((bytes, hash)) }
    }

    /// `hash` is absent if the file was not read.
    pub(crate) fn of(contents: &'a Contents, hash: Option<ContentHash>) -> Seen<'a> {
        match hash {
            Some(hash) => Seen::bytes(&contents.bytes, hash),
            None => Seen { size: contents.stat.size, known: None },
        }
    }
}

pub(crate) enum Recording {
    /// The vault keeps no history.
    Off,
    /// Nothing is to be recorded yet: a change that is refused leaves nothing.
    Waiting(Waiting),
    Open(Box<Open>),
    /// Nothing can be written. Whether that matters depends on what the change does.
    Failed {
        error: io::Error,
        loses_bytes: bool,
    },
}

pub(crate) struct Waiting {
    store: Arc<Store>,
    durability: Durability,
    author: Option<Arc<Author>>,
    undoes: Vec<ChangeId>,
}

pub(crate) struct Open {
    store: Arc<Store>,
    writer: Arc<Writer>,
    durability: Durability,
    change: PastChange,
    /// Where in `change.files` a file is that was edited, since it may yet be moved.
    edited: HashMap<NotePath, usize>,
    loses_bytes: bool,
}

impl Core {
    pub(crate) fn record(&self, author: Option<&Arc<Author>>, undoes: &[ChangeId]) -> Recording {
        let Some(store) = self.history.clone() else { return Recording::Off };
        Recording::Waiting(Waiting { store, durability: self.durability, author: author.cloned(), undoes: undoes.to_vec() })
    }

    /// What is about to be replaced or deleted. It is read if its bytes go to the history, and then has a hash.
    pub(crate) fn look(
        &self,
        folder: &Dir,
        name: &OsStr,
        path: &NotePath,
    ) -> Result<(Contents, Option<ContentHash>), VaultError> {
        let (file, stat) = self.open_file(folder, name, path)?;
        let mut contents = Contents { path: path.clone(), bytes: Vec::new(), stat };
        let is_kept = self.history.as_ref().is_some_and(|store| stat.size <= store.settings.max_file_bytes);
        if !is_kept || stat.size > self.limits.file_bytes {
            return Ok((contents, None));
        }
        self.read_rest(&file.into_std(), path, stat, &mut contents.bytes)?;
        let hash = contents.hash();
        Ok((contents, Some(hash)))
    }
}

impl Recording {
    pub(crate) fn id(&self) -> Option<ChangeId> {
        match self {
            Recording::Open(open) => Some(open.change.id),
            _ => None,
        }
    }

    pub(crate) fn write(&mut self, path: &NotePath, before: Option<Seen<'_>>, after: Seen<'_>) {
        self.add(before.is_some(), |open| {
            let path = path.clone();
            let Some(before) = before else {
                let after = open.keep(after, None)?;
                open.change.files.push(FileChange::Created { path, after });
                return Ok(());
            };
            let (before, after) = (open.keep(before, None)?, open.keep(after, before.known)?);
            // Nothing was changed by writing what was there.
            if before.hash.is_none() || before.hash != after.hash {
                open.edited.insert(path.clone(), open.change.files.len());
                open.change.files.push(FileChange::Edited { path, before, after });
            }
            Ok(())
        });
    }

    pub(crate) fn delete(&mut self, path: &NotePath, before: Seen<'_>) {
        self.add(true, |open| {
            let before = open.keep(before, None)?;
            open.change.files.push(FileChange::Deleted { path: path.clone(), before });
            Ok(())
        });
    }

    pub(crate) fn rename(&mut self, from: &NotePath, to: &NotePath) {
        self.add(false, |open| {
            let (from, to) = (from.clone(), to.clone());
            let edited = open.edited.get(&from).map(|at| &mut open.change.files[*at]);
            match edited {
                Some(file) => {
                    let FileChange::Edited { before, after, .. } = *file else { return Ok(()) };
                    *file = FileChange::Moved { from, to, rewritten: Some((before, after)) };
                }
                None => open.change.files.push(FileChange::Moved { from, to, rewritten: None }),
            }
            Ok(())
        });
    }

    fn add(&mut self, replaces: bool, add: impl FnOnce(&mut Open) -> io::Result<()>) {
        if let Recording::Waiting(waiting) = self {
            *self = match waiting.begin() {
                Ok(open) => Recording::Open(Box::new(open)),
                Err(error) => Recording::Failed { error, loses_bytes: false },
            };
        }
        match self {
            Recording::Off | Recording::Waiting(_) => {}
            Recording::Failed { loses_bytes, .. } => *loses_bytes |= replaces,
            Recording::Open(open) => {
                open.loses_bytes |= replaces;
                if let Err(error) = add(open) {
                    *self = Recording::Failed { error, loses_bytes: open.loses_bytes };
                }
            }
        }
    }

    /// From here on the files may change.
    pub(crate) fn announce(self) -> Result<Announced, VaultError> {
        let announced = match self {
            Recording::Off | Recording::Waiting(_) => return Ok(Announced(None)),
            Recording::Open(open) if open.change.files.is_empty() => return Ok(Announced(None)),
            Recording::Failed { error, loses_bytes } => Err((error, loses_bytes)),
            Recording::Open(open) => match open.writer.announce(&open.change) {
                Ok(()) => Ok(open),
                Err(error) => Err((error, open.loses_bytes)),
            },
        };
        match announced {
            Ok(open) => {
                open.store.sync_soon(&open.writer, open.durability);
                let Open { store, writer, durability, change, .. } = *open;
                Ok(Announced(Some(UnderWay { store, writer, durability, id: change.id })))
            }
            Err((error, true)) => Err(VaultError::History(error)),
            Err((error, false)) => {
                tracing::warn!(%error, "the history cannot be written; a change that replaces nothing is made without it");
                Ok(Announced(None))
            }
        }
    }
}

impl Waiting {
    fn begin(&self) -> io::Result<Open> {
        let (id, writer) = self.store.begin()?;
        let author = self.author.as_deref().cloned();
        let change = PastChange { id, author, files: Vec::new(), undoes: self.undoes.clone(), is_under_way: true };
        let (store, durability) = (self.store.clone(), self.durability);
        Ok(Open { store, writer, durability, change, edited: HashMap::new(), loses_bytes: false })
    }
}

impl Open {
    fn keep(&self, seen: Seen<'_>, beside: Option<(&[u8], ContentHash)>) -> io::Result<Image> {
        let hash = seen.known.map(|(_, hash)| hash);
        let kept = seen.known.filter(|_| seen.size <= self.store.settings.max_file_bytes);
        if let Some((bytes, hash)) = kept {
            self.writer.keep(bytes, hash, beside)?;
        }
        Ok(Image { size: seen.size, hash, is_kept: kept.is_some() })
    }
}

/// A change that is in the history and whose end is not. Dropped, it was not made.
pub(crate) struct Announced(Option<UnderWay>);

struct UnderWay {
    store: Arc<Store>,
    writer: Arc<Writer>,
    durability: Durability,
    id: ChangeId,
}

impl Announced {
    /// Says what became of it, and returns its name if it was made.
    pub(crate) fn settle(mut self, is_in_effect: bool) -> Option<ChangeId> {
        let under_way = self.0.take()?;
        under_way.settle(is_in_effect);
        is_in_effect.then_some(under_way.id)
    }

    /// It could be neither made nor taken back; the next start sees to it.
    pub(crate) fn leave(mut self) {
        self.0.take().into_iter().for_each(|under_way| under_way.writer.leave_unsettled());
    }
}

impl UnderWay {
    fn settle(&self, is_in_effect: bool) {
        self.writer.settle(self.id, is_in_effect);
        self.store.sync_soon(&self.writer, self.durability);
    }
}

impl Drop for Announced {
    fn drop(&mut self) {
        self.0.take().into_iter().for_each(|under_way| under_way.settle(false));
    }
}
