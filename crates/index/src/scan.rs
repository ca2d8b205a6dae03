//! Reading many files on all cores, results in the order of the files.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use parking_lot::Mutex;
use quillgate_vault::{NotePath, Vault};

/// Calls `look` with the bytes of every text file and keeps what it returns. Files that vanish or cannot be read are passed
/// over. A false from `go_on` ends the scan early.
pub(crate) fn scan<T: Send>(
    vault: &Vault,
    paths: &[NotePath],
    go_on: &(impl Fn() -> bool + Sync),
    look: impl Fn(&NotePath, &[u8]) -> Option<T> + Sync,
) -> Vec<(usize, T)> {
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let found = Mutex::new(Vec::new());
    let threads = thread::available_parallelism().map_or(2, |cores| cores.get().clamp(1, 8)).min(paths.len().max(1));
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((at, path)) = take(&next, paths) {
                    if at % 64 == 0 && !go_on() {
                        stop.store(true, Ordering::Relaxed);
                    }
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    let Ok(contents) = vault.read_text(path) else { continue };
                    if let Some(result) = look(path, &contents.bytes) {
                        found.lock().push((at, result));
                    }
                }
            });
        }
    });
    let mut found = found.into_inner();
    found.sort_by_key(|(at, _)| *at);
    found
}

fn take<'a>(next: &AtomicUsize, paths: &'a [NotePath]) -> Option<(usize, &'a NotePath)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    Some((at, paths.get(at)?))
}
