//! The text index: which files can contain a text, kept by tantivy, pulled from the catalogue.
//!
//! A file counts as indexed only while the catalogue's version of it is the one that was committed. Every other file is
//! pending and is searched on disk, so an answer is complete whatever state the index is in.

mod common;
mod document;
mod folder;
mod grams;
mod keeper;
mod required;
mod sketch;
mod snapshot;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use parking_lot::{Condvar, Mutex, RwLock};
use quillgate_vault::NotePath;

pub(crate) use grams::Needed;
pub(crate) use keeper::keep;
pub(crate) use required::needed_by;
pub(crate) use sketch::Sketch;
pub(crate) use snapshot::{Part, Snapshot};

use crate::entry::path_key;
use crate::ranked::Language;
use crate::search::Coverage;
use crate::sync::IndexSettings;

/// Changes that are remembered for answers that were kept.
const REMEMBERED_CHANGES: usize = 4096;

pub(crate) struct TextIndex {
    state: RwLock<State>,
    wake: Mutex<bool>,
    woken: Condvar,
    pub(crate) language: Language,
    /// Whether the index is to be thrown away and built again.
    rebuild: AtomicBool,
    write_failures: AtomicU64,
}

#[derive(Default)]
struct State {
    /// None until the index is open and has been compared with the catalogue: then every file is pending.
    snapshot: Option<Arc<Snapshot>>,
    pending: HashMap<u64, Pending>,
    /// Grows with every change.
    stamp: u64,
    changes: VecDeque<Changed>,
    role: Role,
    /// Whether everything was in the index once, so that only fresh changes are pending.
    is_complete: bool,
    last_commit: Option<SystemTime>,
    bytes_on_disk: u64,
}

#[derive(Clone)]
pub(crate) struct Pending {
    pub(crate) path: NotePath,
    pub(crate) stamp: u64,
    /// Spares searches a look at the file, where there is one.
    sketch: Option<Arc<Sketch>>,
}

#[derive(Clone)]
struct Changed {
    stamp: u64,
    path: NotePath,
}

/// What this process does for the index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// Not decided yet.
    #[default]
    Starting,
    Writer,
    /// Another process writes; this one reads what it wrote.
    Follower,
    /// The configuration says so.
    Off,
}

#[derive(Clone, Debug, Default)]
pub struct TextStatus {
    pub role: Role,
    pub documents: u64,
    pub pending: usize,
    pub segments: usize,
    pub bytes_on_disk: u64,
    pub last_commit: Option<SystemTime>,
    pub write_failures: u64,
}

/// What a search goes by: the committed index and what it does not hold yet.
pub(crate) struct View {
    /// Without one, no file is in the index.
    pub(crate) snapshot: Option<Arc<Snapshot>>,
    pub(crate) pending: Vec<NotePath>,
}

impl TextIndex {
    pub(crate) fn new(settings: &IndexSettings) -> TextIndex {
        let role = if settings.without_text { Role::Off } else { Role::Starting };
        TextIndex {
            state: RwLock::new(State { role, ..State::default() }),
            wake: Mutex::default(),
            woken: Condvar::new(),
            language: settings.language,
            rebuild: AtomicBool::new(false),
            write_failures: AtomicU64::new(0),
        }
    }

    /// Called before the catalogue learns of a change and again after, so that no search can fall in between.
    pub(crate) fn changed<'a>(&self, paths: impl IntoIterator<Item = &'a NotePath>) {
        let mut state = self.state.write();
        for path in paths {
            state.stamp += 1;
            let stamp = state.stamp;
            if state.role != Role::Off {
                state.pending.insert(path_key(path), Pending { path: path.clone(), stamp, sketch: None });
            }
            state.changes.push_back(Changed { stamp, path: path.clone() });
            if state.changes.len() > REMEMBERED_CHANGES {
                state.changes.pop_front();
            }
        }
        drop(state);
        self.wake();
    }

    /// Whether so much is still to be indexed that sketches pay.
    pub(crate) fn wants_sketches(&self) -> bool {
        let state = self.state.read();
        !state.is_complete && state.role != Role::Off
    }

    /// Adds sketches to what is pending. They must be of the bytes that the catalogue has of those files, and whoever calls
    /// this must keep it from changing meanwhile: every change takes the sketch away again.
    pub(crate) fn add_sketches(&self, sketches: impl Iterator<Item = (NotePath, Sketch)>) {
        let mut state = self.state.write();
        for (path, sketch) in sketches {
            if let Some(pending) = state.pending.get_mut(&path_key(&path)) {
                pending.sketch = Some(Arc::new(sketch));
            }
        }
    }

    pub(crate) fn view(&self) -> View {
        self.view_for(&Needed::Anything)
    }

    /// Of what is pending, only files that may have what is needed.
    pub(crate) fn view_for(&self, needed: &Needed) -> View {
        let state = self.state.read();
        let may_match = |pending: &&Pending| pending.sketch.as_ref().is_none_or(|sketch| sketch.may_have(needed));
        let pending = state.pending.values().filter(may_match).map(|pending| pending.path.clone()).collect();
        View { snapshot: state.snapshot.clone(), pending }
    }

    /// Stands in while the index is not open.
    pub(crate) fn empty_snapshot(&self) -> Arc<Snapshot> {
        Arc::new(Snapshot::empty(self.language).expect("an index in memory can always be made"))
    }

    pub(crate) fn stamp(&self) -> u64 {
        self.state.read().stamp
    }

    /// The paths that changed since then; none when that is no longer known.
    pub(crate) fn changes_since(&self, stamp: u64) -> Option<Vec<NotePath>> {
        let state = self.state.read();
        let oldest = state.changes.front().map_or(state.stamp, |change| change.stamp - 1);
        if stamp < oldest {
            return None;
        }
        Some(state.changes.iter().rev().take_while(|change| change.stamp > stamp).map(|change| change.path.clone()).collect())
    }

    pub(crate) fn is_off(&self) -> bool {
        self.state.read().role == Role::Off
    }

    /// Files that are not in the index yet; none while nobody knows.
    fn pending(&self) -> Option<usize> {
        let state = self.state.read();
        state.snapshot.is_some().then_some(state.pending.len())
    }

    /// Some of what is pending, the rest stays for later.
    fn take_batch(&self, most: usize) -> Vec<(u64, Pending)> {
        self.state.read().pending.iter().take(most).map(|(key, pending)| (*key, pending.clone())).collect()
    }

    pub(crate) fn coverage(&self, is_catalogue_ready: bool) -> Coverage {
        let state = self.state.read();
        let ready = is_catalogue_ready && (state.is_complete || state.role == Role::Off);
        Coverage { ready, pending: state.pending.len() }
    }

    pub(crate) fn status(&self) -> TextStatus {
        let state = self.state.read();
        TextStatus {
            role: state.role,
            documents: state.snapshot.as_ref().map_or(0, |snapshot| snapshot.searcher.num_docs()),
            pending: state.pending.len(),
            segments: state.snapshot.as_ref().map_or(0, |snapshot| snapshot.searcher.segment_readers().len()),
            bytes_on_disk: state.bytes_on_disk,
            last_commit: state.last_commit,
            write_failures: self.write_failures.load(Ordering::Relaxed),
        }
    }

    /// Has the index thrown away and built again.
    pub(crate) fn begin_anew(&self) {
        let mut state = self.state.write();
        self.rebuild.store(true, Ordering::Relaxed);
        state.snapshot = None;
        state.is_complete = false;
        drop(state);
        self.wake();
    }

    pub(crate) fn wake(&self) {
        *self.wake.lock() = true;
        self.woken.notify_all();
    }

    /// Waits until something changes, at most `limit`.
    fn sleep(&self, limit: Duration) {
        let mut wake = self.wake.lock();
        if !*wake {
            self.woken.wait_for(&mut wake, limit);
        }
        *wake = false;
    }

    /// Notes that nothing is pending, unless the index is on its way out.
    fn note_completeness(&self, state: &mut State) {
        state.is_complete |= state.pending.is_empty() && !self.rebuild.load(Ordering::Relaxed);
    }

    /// Notes a failure and says how many there have been, up to as many as make a difference.
    fn failed(&self) -> u32 {
        const MOST: u64 = 300;
        let mut state = self.state.write();
        state.snapshot = None;
        state.is_complete = false;
        let failures = self.write_failures.fetch_add(1, Ordering::Relaxed) + 1;
        u32::try_from(failures.min(MOST)).unwrap_or(u32::MAX)
    }
}
