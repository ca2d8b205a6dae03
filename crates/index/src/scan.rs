//! Reading many files on all cores, results in the order of the files.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use parking_lot::Mutex;
use quillgate_vault::{NotePath, Vault};

/// Files that a thread takes at once: enough to keep the threads from meeting at every file, few enough to end together.
const BLOCK: usize = 16;
/// Files that are looked at before the first question whether that is enough; each time twice as many, up to the last.
const FIRST_CHUNK: usize = 256;
const LARGEST_CHUNK: usize = 16 << 10;

/// Calls `look` with the bytes of every text file and keeps what it returns. Files that vanish or cannot be read are passed
/// over. A false from `go_on` ends the scan early.
pub(crate) fn scan<T: Send>(
    vault: &Vault,
    paths: &[NotePath],
    go_on: &(impl Fn() -> bool + Sync),
    look: impl Fn(&NotePath, &[u8]) -> Option<T> + Sync,
) -> Vec<(usize, T)> {
    scan_until(vault, paths, go_on, look, |_| false)
}

/// Like `scan`, but ends once `is_enough` says so of all that was found up to some file, in order. It is asked ever more
/// rarely, so a few files more than needed are read, and their results are returned too.
pub(crate) fn scan_until<T: Send>(
    vault: &Vault,
    paths: &[NotePath],
    go_on: &(impl Fn() -> bool + Sync),
    look: impl Fn(&NotePath, &[u8]) -> Option<T> + Sync,
    mut is_enough: impl FnMut(&[(usize, T)]) -> bool,
) -> Vec<(usize, T)> {
    let mut found = Vec::new();
    let (mut start, mut length) = (0, FIRST_CHUNK);
    let stop = AtomicBool::new(false);
    while start < paths.len() && !stop.load(Ordering::Relaxed) && !is_enough(&found) {
        let end = paths.len().min(start + length);
        found.append(&mut scan_chunk(vault, paths, start..end, go_on, &look, &stop));
        (start, length) = (end, LARGEST_CHUNK.min(length * 2));
    }
    found
}

fn scan_chunk<T: Send>(
    vault: &Vault,
    paths: &[NotePath],
    chunk: Range<usize>,
    go_on: &(impl Fn() -> bool + Sync),
    look: &(impl Fn(&NotePath, &[u8]) -> Option<T> + Sync),
    stop: &AtomicBool,
) -> Vec<(usize, T)> {
    let next = AtomicUsize::new(chunk.start);
    let found = Mutex::new(Vec::new());
    let work = || {
        let (mut bytes, mut own) = (Vec::new(), Vec::new());
        while let Some(block) = take(&next, chunk.end) {
            if !go_on() {
                stop.store(true, Ordering::Relaxed);
            }
            if stop.load(Ordering::Relaxed) {
                break;
            }
            for at in block {
                if vault.read_text_into(&paths[at], &mut bytes).is_ok() {
                    own.extend(look(&paths[at], &bytes).map(|result| (at, result)));
                }
            }
        }
        found.lock().append(&mut own);
    };
    let cores = thread::available_parallelism().map_or(2, |cores| cores.get().clamp(1, 8));
    let threads = cores.min(chunk.len().div_ceil(BLOCK));
    thread::scope(|scope| {
        // The caller's own thread is one of them.
        (1..threads).for_each(|_| drop(scope.spawn(work)));
        work();
    });
    let mut found = found.into_inner();
    found.sort_unstable_by_key(|(at, _)| *at);
    found
}

fn take(next: &AtomicUsize, end: usize) -> Option<Range<usize>> {
    let start = next.fetch_add(BLOCK, Ordering::Relaxed);
    (start < end).then(|| start..end.min(start + BLOCK))
}
