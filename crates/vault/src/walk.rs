//! Finding every file of the vault, on several threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use cap_std::fs::Dir;
use parking_lot::{Condvar, Mutex};

use crate::transaction::{is_temporary, remove_if_stale};
use crate::vault::{FolderEntry, open_subfolder, read_entries};
use crate::{EntryKind, FolderPath, NotePath, Stat, Vault, VaultError};

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

struct Queue {
    waiting: Mutex<Vec<(Dir, FolderPath)>>,
    /// Folders in the queue or being read; the walk ends at zero.
    open: AtomicUsize,
    wake: Condvar,
    stop: AtomicBool,
}

impl Vault {
    /// Calls `visit` for every visible file below `folder`, from several threads at once. Temporary files that a crash left
    /// behind are removed on the way. `visit` returns false to end the walk early.
    pub fn walk(&self, folder: &FolderPath, visit: impl Fn(Found) -> bool + Sync) -> Result<WalkReport, VaultError> {
        let root = self.open_folder(folder)?;
        let queue = Queue {
            waiting: Mutex::new(vec![(root, folder.clone())]),
            open: AtomicUsize::new(1),
            wake: Condvar::new(),
            stop: AtomicBool::new(false),
        };
        let report = Mutex::new(WalkReport::default());
        let threads = thread::available_parallelism().map_or(2, |cores| cores.get().clamp(2, 8));
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some((handle, path)) = queue.take() {
                        visit_folder(&handle, &path, &queue, &visit, &report);
                        queue.finish();
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
    fn take(&self) -> Option<(Dir, FolderPath)> {
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

    fn add(&self, folder: Dir, path: FolderPath) {
        self.open.fetch_add(1, Ordering::AcqRel);
        self.waiting.lock().push((folder, path));
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

fn visit_folder(
    handle: &Dir,
    path: &FolderPath,
    queue: &Queue,
    visit: &(impl Fn(Found) -> bool + Sync),
    report: &Mutex<WalkReport>,
) {
    sweep_temporaries(handle);
    let entries = match read_entries(handle) {
        Ok(entries) => entries,
        Err(error) => return report.lock().skipped.push((path.to_string(), error.to_string())),
    };
    for FolderEntry { name, kind, stat } in entries {
        let entry_path = match path.join(&name) {
            Ok(entry_path) => entry_path,
            Err(error) => {
                report.lock().skipped.push((format!("{path}/{name}"), error.to_string()));
                continue;
            }
        };
        if kind == EntryKind::Folder {
            match open_subfolder(handle, &name) {
                Ok(subfolder) => {
                    report.lock().folders.push(entry_path.clone().into());
                    queue.add(subfolder, entry_path.into());
                }
                Err(error) => report.lock().skipped.push((entry_path.to_string(), error.to_string())),
            }
        } else if !visit(Found { path: entry_path, stat }) {
            return queue.end();
        }
    }
}

fn sweep_temporaries(folder: &Dir) {
    let Ok(entries) = folder.entries() else { return };
    for entry in entries.filter_map(Result::ok) {
        if let Some(name) = entry.file_name().to_str().filter(|name| is_temporary(name)) {
            remove_if_stale(folder, name);
        }
    }
}
