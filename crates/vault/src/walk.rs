//! Finding every file of the vault, on several threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use cap_std::fs::Dir;
use parking_lot::{Condvar, Mutex};

use crate::core::{Core, open_subfolder, read_entries};
use crate::temporary::{is_temporary, remove_if_stale};
use crate::{EntryKind, FolderEntry, FolderPath, NotePath, Stat, Vault, VaultError};

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
}

struct Queue {
    waiting: Mutex<Vec<Waiting>>,
    /// Folders in the queue or being read; the walk ends at zero.
    open: AtomicUsize,
    wake: Condvar,
    stop: AtomicBool,
}

impl Vault {
    /// Calls `visit` for every visible file below `folder`, from several threads at once. Temporary files that a crash left
    /// behind are removed on the way. `visit` returns false to end the walk early.
    pub fn walk(&self, folder: &FolderPath, visit: impl Fn(Found) -> bool + Sync) -> Result<WalkReport, VaultError> {
        let root = Waiting { parent: Arc::new(self.core.open_folder(folder)?), name: None, path: folder.clone() };
        let queue = Queue {
            waiting: Mutex::new(vec![root]),
            open: AtomicUsize::new(1),
            wake: Condvar::new(),
            stop: AtomicBool::new(false),
        };
        let report = Mutex::new(WalkReport::default());
        // One more than cores: now and then one waits for the disk or for another.
        let threads = thread::available_parallelism().map_or(2, |cores| (cores.get() + 1).clamp(2, 8));
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some(folder) = queue.take() {
                        let _finish = FinishOnDrop(&queue);
                        visit_folder(&self.core, folder, &queue, &visit, &report);
                    }
                });
            }
        });
        let mut report = report.into_inner();
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

fn visit_folder(
    core: &Core,
    folder: Waiting,
    queue: &Queue,
    visit: &(impl Fn(Found) -> bool + Sync),
    report: &Mutex<WalkReport>,
) {
    let Waiting { parent, name, path } = folder;
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
        Err(error) => return report.lock().skipped.push((path.to_string(), error.to_string())),
    };
    temporaries.iter().for_each(|name| remove_if_stale(&handle, name, || core.has_records()));
    for FolderEntry { name, kind, stat } in entries {
        let entry_path = match path.join(&name) {
            Ok(entry_path) => entry_path,
            Err(error) => {
                report.lock().skipped.push((format!("{path}/{name}"), error.to_string()));
                continue;
            }
        };
        if kind == EntryKind::Folder {
            report.lock().folders.push(entry_path.clone().into());
            queue.add(Waiting { parent: handle.clone(), name: Some(name), path: entry_path.into() });
        } else if !visit(Found { path: entry_path, stat }) {
            return queue.end();
        }
    }
}
