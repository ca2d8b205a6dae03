//! One change at a time per path, among the threads of this process and the other processes on this vault.

use std::fs::{File, TryLockError};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::thread;
use std::time::{Duration, Instant};

use cap_std::fs::{Dir, OpenOptions};
use parking_lot::{Mutex, MutexGuard};
use quillgate_markdown::fold;

use crate::{NotePath, VaultError};

const SHARDS: usize = 256;
/// How long a change waits for another one of the same file.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// Paths share 256 locks by their hash. Each is a mutex around a lock file, because `flock` belongs to the open file and
/// does not keep the threads of one process apart.
pub(crate) struct Locks {
    folder: Option<Dir>,
    shards: Vec<Mutex<Option<File>>>,
}

pub(crate) struct Guard<'a> {
    shard: MutexGuard<'a, Option<File>>,
}

impl Locks {
    /// Without a folder (a data directory that cannot be written) only this process is kept in order.
    pub(crate) fn new(folder: Option<Dir>) -> Locks {
        Locks { folder, shards: (0..SHARDS).map(|_| Mutex::new(None)).collect() }
    }

    /// Takes the locks of all paths, in an order that cannot deadlock.
    pub(crate) fn lock<'a>(&'a self, paths: impl IntoIterator<Item = &'a NotePath>) -> Result<Vec<Guard<'a>>, VaultError> {
        let mut shards: Vec<usize> = paths.into_iter().map(shard_of).collect();
        shards.sort_unstable();
        shards.dedup();
        shards.into_iter().map(|shard| self.lock_shard(shard)).collect()
    }

    fn lock_shard(&self, number: usize) -> Result<Guard<'_>, VaultError> {
        let Some(mut shard) = self.shards[number].try_lock_for(LONGEST_WAIT) else {
            return Err(VaultError::Busy);
        };
        if shard.is_none() {
            *shard = self.folder.as_ref().and_then(|folder| open_lock_file(folder, number));
        }
        if let Some(file) = shard.as_ref() {
            lock_file(file)?;
        }
        Ok(Guard { shard })
    }
}

/// A program that was stopped while it held a lock must not stop everybody else for good.
fn lock_file(file: &File) -> Result<(), VaultError> {
    let started = Instant::now();
    let mut pause = Duration::from_micros(200);
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if started.elapsed() > LONGEST_WAIT => return Err(VaultError::Busy),
            Err(TryLockError::WouldBlock) => thread::sleep(pause),
            Err(TryLockError::Error(error)) => {
                tracing::warn!(%error, "cannot lock against other processes; only this one is kept in order");
                return Ok(());
            }
        }
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if let Some(Err(error)) = self.shard.as_ref().map(File::unlock) {
            tracing::warn!(%error, "cannot release a lock");
        }
    }
}

fn open_lock_file(folder: &Dir, number: usize) -> Option<File> {
    let name = format!("{number:02x}");
    match folder.open_with(&name, OpenOptions::new().create(true).append(true)) {
        Ok(file) => Some(file.into_std()),
        Err(error) => {
            tracing::warn!(%error, "cannot open a lock file");
            None
        }
    }
}

/// Folded, so that two spellings of one file on a case-insensitive file system share a lock.
fn shard_of(path: &NotePath) -> usize {
    let mut hasher = DefaultHasher::new();
    fold(path.as_str()).hash(&mut hasher);
    (hasher.finish() as usize) % SHARDS
}
