//! Something worked out per note from its card, kept in memory until the note changes.
//!
//! A table is brought up to date when it is asked for, under the reader's own guard: it is exactly as new as the catalogue
//! that the reader sees. Nothing here takes the catalogue's lock while it holds one of its own, so nobody waits in a circle.

mod tables;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use parking_lot::Mutex;
use quillgate_vault::NotePath;

use crate::card::Card;
use crate::catalogue::{Catalogue, FileId};
use crate::sync::Index;
pub(crate) use tables::Tables;

/// Notes that a thread takes at once.
const BLOCK: usize = 64;
/// Notes that are worked out under one guard while a table is prepared.
const CHUNK: usize = 4096;

/// What can be kept per note.
pub trait FromCard: Sized + Send + Sync + 'static {
    /// None where there is nothing to keep. It may depend on nothing but the path and the card.
    fn from_card(path: &NotePath, card: &Card) -> Option<Self>;
}

/// What is kept of all notes, by their numbers in the catalogue that it was asked for with.
pub struct PerNote<T> {
    by_file: Vec<Option<Arc<T>>>,
    len: usize,
}

impl<T> PerNote<T> {
    pub fn get(&self, id: FileId) -> Option<&Arc<T>> {
        self.by_file.get(id.index())?.as_ref()
    }

    /// By number, which is no order that means anything.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &Arc<T>)> {
        (0..).map(FileId).zip(&self.by_file).filter_map(|(id, kept)| Some((id, kept.as_ref()?)))
    }

    /// How many notes have something.
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn put(&mut self, id: FileId, value: Option<Arc<T>>) {
        if self.by_file.len() <= id.index() {
            if value.is_none() {
                return;
            }
            self.by_file.resize(id.index() + 1, None);
        }
        let place = &mut self.by_file[id.index()];
        self.len = self.len + usize::from(value.is_some()) - usize::from(place.is_some());
        *place = value;
    }
}

impl<T> Default for PerNote<T> {
    fn default() -> PerNote<T> {
        PerNote { by_file: Vec::new(), len: 0 }
    }
}

impl<T> Clone for PerNote<T> {
    fn clone(&self) -> PerNote<T> {
        PerNote { by_file: self.by_file.clone(), len: self.len }
    }
}

/// One kind of thing, as of a generation of the catalogue; of none before it is first asked for.
struct Table<T> {
    state: Mutex<(Option<u64>, Arc<PerNote<T>>)>,
}

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table { state: Mutex::default() }
    }
}

impl<T: FromCard> Table<T> {
    fn refreshed(&self, catalogue: &Catalogue) -> Arc<PerNote<T>> {
        let mut state = self.state.lock();
        let (generation, notes) = &mut *state;
        if *generation != Some(catalogue.generation()) {
            let changed = catalogue.changed_since(*generation);
            if !changed.is_empty() {
                let fresh = work_out(catalogue, &changed);
                // Copied only where somebody still reads the table as it was.
                let notes = Arc::make_mut(notes);
                fresh.into_iter().for_each(|(id, value)| notes.put(id, value));
            }
            *generation = Some(catalogue.generation());
        }
        notes.clone()
    }

    /// What was worked out while changes went on: all that changed since `generation` is looked at once more when asked for.
    fn begin_with(&self, generation: u64, notes: PerNote<T>) {
        let mut state = self.state.lock();
        if state.0.is_none() {
            *state = (Some(generation), Arc::new(notes));
        }
    }

    fn is_cold(&self) -> bool {
        self.state.lock().0.is_none()
    }
}

impl Index {
    /// What `T` makes of the notes of this index's catalogue. Only notes that have changed since the last time are looked at.
    pub fn per_note<T: FromCard>(&self, catalogue: &Catalogue) -> Arc<PerNote<T>> {
        self.tables().table::<T>().refreshed(catalogue)
    }

    /// Has `per_note` ready for the first time without keeping changes waiting for long. To be called without a guard.
    pub fn prepare_per_note<T: FromCard>(&self) {
        let table = self.tables().table::<T>();
        if !table.is_cold() {
            return;
        }
        let generation = self.catalogue().generation();
        let (mut notes, mut next) = (PerNote::default(), 0);
        loop {
            let catalogue = self.catalogue();
            let end = catalogue.slots().min(next + CHUNK);
            let chunk: Vec<FileId> = (next..end).filter_map(|at| u32::try_from(at).ok()).map(FileId).collect();
            work_out(&catalogue, &chunk).into_iter().for_each(|(id, value)| notes.put(id, value));
            if end == catalogue.slots() {
                break;
            }
            next = end;
        }
        table.begin_with(generation, notes);
    }
}

/// On all cores, unless there is little to do.
fn work_out<T: FromCard>(catalogue: &Catalogue, ids: &[FileId]) -> Vec<(FileId, Option<Arc<T>>)> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(ids.len()));
    let work = || {
        let mut own = Vec::new();
        while let Some(block) = ids.chunks(BLOCK).nth(next.fetch_add(1, Ordering::Relaxed)) {
            own.extend(block.iter().map(|&id| (id, of_note(catalogue, id))));
        }
        done.lock().append(&mut own);
    };
    let cores = thread::available_parallelism().map_or(2, |cores| cores.get().clamp(1, 8));
    let threads = cores.min(ids.len().div_ceil(BLOCK));
    thread::scope(|scope| {
        // The caller's own thread is one of them.
        (1..threads).for_each(|_| drop(scope.spawn(work)));
        work();
    });
    done.into_inner()
}

fn of_note<T: FromCard>(catalogue: &Catalogue, id: FileId) -> Option<Arc<T>> {
    let entry = catalogue.entry(id).filter(|entry| entry.path.is_note())?;
    let card = entry.card.card()?;
    // As with the parser, one note that cannot be taken is not the end of all others.
    let made = catch_unwind(AssertUnwindSafe(|| T::from_card(&entry.path, &card)));
    let made = made.inspect_err(|_| tracing::warn!(path = %entry.path, "left out of queries: reading it failed"));
    made.ok().flatten().map(Arc::new)
}
