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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use cap_std::ambient_authority;
    use cap_std::fs::Dir;
    use quillgate_vault::Limits;

    use super::*;

    /// A vault of numbered notes, every tenth of which is missing although its path is asked for.
    fn numbered(count: usize) -> (tempfile::TempDir, Vault, Vec<NotePath>) {
        let folder = tempfile::tempdir().expect("a folder");
        let handle = Dir::open_ambient_dir(folder.path(), ambient_authority()).expect("a handle");
        let names: Vec<String> = (0..count).map(|number| format!("{number:05}.md")).collect();
        for (number, name) in names.iter().enumerate().filter(|(number, _)| number % 10 != 9) {
            handle.write(name, "x".repeat(number % 7)).expect("a note");
        }
        let vault = Vault::open(folder.path(), None, Limits::default()).expect("a vault");
        let paths = names.iter().map(|name| NotePath::parse(name).expect("a path")).collect();
        (folder, vault, paths)
    }

    #[test]
    fn every_file_is_seen_once_in_order_with_its_own_bytes() {
        let (_folder, vault, paths) = numbered(1500);
        let found = scan(&vault, &paths, &|| true, |_, bytes| Some(bytes.len()));
        let expected: Vec<(usize, usize)> = (0..1500).filter(|at| at % 10 != 9).map(|at| (at, at % 7)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_scan_that_has_enough_is_complete_up_to_where_it_ended() {
        let (_folder, vault, paths) = numbered(1500);
        let looked_at = Mutex::new(BTreeSet::new());
        let look = |path: &NotePath, bytes: &[u8]| {
            looked_at.lock().insert(path.clone());
            (bytes.len() == 3).then_some(())
        };
        let found = scan_until(&vault, &paths, &|| true, look, |found| found.len() >= 5);
        let found: Vec<usize> = found.into_iter().map(|(at, ())| at).collect();
        let expected: Vec<usize> = (0..FIRST_CHUNK).filter(|at| at % 7 == 3 && at % 10 != 9).collect();
        assert_eq!(found, expected);
        assert!(looked_at.into_inner().len() <= FIRST_CHUNK);
    }

    #[test]
    fn a_scan_that_is_told_to_stop_stops() {
        let (_folder, vault, paths) = numbered(300);
        assert!(scan(&vault, &paths, &|| false, |_, _| Some(())).is_empty());
    }
}
