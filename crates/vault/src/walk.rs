//! Finding every file of the vault, on several threads.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use cap_std::fs::Dir;
use parking_lot::{Condvar, Mutex};

use crate::core::{open_subfolder, read_entries};
use crate::temporary::{is_temporary, remove_if_stale};
use crate::{EntryKind, FolderPath, NotePath, PathError, Stat, Vault, VaultError};

/// One file met on the way.
#[derive(Clone, Debug)]
pub struct Found {
    pub path: NotePath,
    pub stat: Stat,
}

/// What the walk could not take in.
#[derive(Debug, Default)]
pub struct WalkReport {
    pub folders: Vec<FolderPath>,
    /// Folders that could not be read, and names that no path can spell; each with its reason.
    pub skipped: Vec<(String, String)>,
}

/// A folder to be read. Only its parent is open until then, or a folder of thousands would take as many handles.
struct Waiting {
    parent: Arc<Dir>,
    name: Option<String>,
    path: FolderPath,
    /// Whether it may be read itself, and not only for what is in it.
    is_shown: bool,
}

struct Queue {
    waiting: Mutex<Vec<Waiting>>,
    /// Folders in the queue or being read; the walk ends at zero.
    open: AtomicUsize,
    wake: Condvar,
    stop: AtomicBool,
}

/// What all threads of a walk share.
struct Walk<'v, V> {
    vault: &'v Vault,
    root: &'v FolderPath,
    visit: V,
    queue: Queue,
    report: Mutex<WalkReport>,
    /// Folders that may not be read themselves, but hold something that may.
    revealed: Mutex<HashSet<FolderPath>>,
}

impl Vault {
    /// Calls `visit` for every visible file below `folder`, from several threads at once. Temporary files that a crash left
    /// behind are removed on the way. `visit` returns false to end the walk early.
    pub fn walk(&self, folder: &FolderPath, visit: impl Fn(Found) -> bool + Sync) -> Result<WalkReport, VaultError> {
        self.check_shown(folder)?;
        let start =
            Waiting { parent: Arc::new(self.core.open_folder(folder)?), name: None, path: folder.clone(), is_shown: true };
        let queue = Queue {
            waiting: Mutex::new(vec![start]),
            open: AtomicUsize::new(1),
            wake: Condvar::new(),
            stop: AtomicBool::new(false),
        };
        let walk = Walk { vault: self, root: folder, visit, queue, report: Mutex::default(), revealed: Mutex::default() };
        // One more than cores: now and then one waits for the disk or for another.
        let threads = thread::available_parallelism().map_or(2, |cores| (cores.get() + 1).clamp(2, 8));
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some(folder) = walk.queue.take() {
                        let _finish = FinishOnDrop(&walk.queue);
                        walk.visit_folder(folder);
                    }
                });
            }
        });
        let mut report = walk.report.into_inner();
        report.folders.extend(walk.revealed.into_inner());
        report.folders.sort();
        Ok(report)
    }
}

impl Queue {
    fn take(&self) -> Option<Waiting> {
        let mut waiting = self.waiting.lock();
        loop {
            if self.stop.load(Ordering::Relaxed) || self.open.load(Ordering::Acquire) == 0 {
                return None;
            }
            if let Some(folder) = waiting.pop() {
                return Some(folder);
            }
            self.wake.wait(&mut waiting);
        }
    }

    fn add(&self, folder: Waiting) {
        self.open.fetch_add(1, Ordering::AcqRel);
        self.waiting.lock().push(folder);
        self.wake.notify_one();
    }

    fn finish(&self) {
        if self.open.fetch_sub(1, Ordering::AcqRel) == 1 {
            let _waiting = self.waiting.lock();
            self.wake.notify_all();
        }
    }

    fn end(&self) {
        self.stop.store(true, Ordering::Relaxed);
        let _waiting = self.waiting.lock();
        self.wake.notify_all();
    }
}

/// A `visit` that panics must not leave the other threads waiting for its folder.
struct FinishOnDrop<'q>(&'q Queue);

impl Drop for FinishOnDrop<'_> {
    fn drop(&mut self) {
        self.0.finish();
    }
}

impl<V: Fn(Found) -> bool + Sync> Walk<'_, V> {
    fn visit_folder(&self, folder: Waiting) {
        let Waiting { parent, name, path, is_shown } = folder;
        let opened = match name {
            Some(name) => open_subfolder(&parent, &name).map(Arc::new),
            None => Ok(parent),
        };
        let mut temporaries = Vec::new();
        let read = opened.and_then(|handle| {
            let hidden = |name: &str| temporaries.extend(is_temporary(name).then(|| name.to_owned()));
            read_entries(&handle, hidden).map(|entries| (handle, entries))
        });
        let (handle, entries) = match read {
            Ok(read) => read,
            Err(error) => return self.report.lock().skipped.push((path.to_string(), error.to_string())),
        };
        if !self.vault.access().is_read_only() {
            temporaries.iter().for_each(|name| remove_if_stale(&handle, name, || self.vault.core.has_records()));
        }
        let mut shows_something = is_shown;
        for entry in entries {
            let entry_path = match path.join(&entry.name) {
                Ok(entry_path) => entry_path,
                Err(error) => {
                    self.skip(format!("{path}/{}", entry.name), &error);
                    continue;
                }
            };
            let is_readable = self.vault.access().reads(&entry_path);
            if is_readable && !shows_something {
                shows_something = true;
                self.reveal(&path);
            }
            if entry.kind == EntryKind::Folder {
                self.meet_folder(&handle, entry.name, entry_path.into(), is_readable);
            } else if is_readable && !(self.visit)(Found { path: entry_path, stat: entry.stat }) {
                return self.queue.end();
            }
        }
    }

    fn meet_folder(&self, parent: &Arc<Dir>, name: String, path: FolderPath, is_shown: bool) {
        if is_shown {
            self.report.lock().folders.push(path.clone());
        }
        if self.vault.access().may_read_below(&path) {
            self.queue.add(Waiting { parent: parent.clone(), name: Some(name), path, is_shown });
        }
    }

    /// A name that no path can spell. Only who may read everything hears of it: no rule can be meant for it.
    fn skip(&self, name: String, why: &PathError) {
        if self.vault.access().reads_all() {
            self.report.lock().skipped.push((name, why.to_string()));
        }
    }

    /// A folder that holds something readable is shown, and so are the folders that it lies in.
    fn reveal(&self, folder: &FolderPath) {
        let mut revealed = self.revealed.lock();
        let mut next = Some(folder.clone());
        while let Some(folder) = next.filter(|folder| folder != self.root) {
            if folder.as_entry().is_some_and(|path| self.vault.access().reads(path)) || !revealed.insert(folder.clone()) {
                return;
            }
            next = folder.parent();
        }
    }
}
