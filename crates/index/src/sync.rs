//! Keeping the catalogue true: stored state first, then a walk, then events; our own writes at once.

mod handle;

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use cap_std::fs::Dir;
use parking_lot::{Condvar, Mutex, RwLock};
use quillgate_vault::{
    Change, ContentHash, Dirty, EntryKind, FolderPath, Found, NotePath, Stat, Vault, VaultError, Watch, WatchMode,
};

use crate::anywhere::Places;
use crate::catalogue::{Catalogue, FileId};
use crate::counts::Counted;
use crate::entry::{Entry, is_parsed, is_settled, now};
use crate::excluded::ExcludedAsOf;
use crate::kept_answers::KeptAnswers;
use crate::per_note::Tables;
use crate::ranked::Language;
use crate::store::Store;
use crate::text::{Sketch, TextIndex};

/// Entries taken into the catalogue at once, so that readers are never locked out for long.
const BATCH: usize = 256;

/// The catalogue and what keeps it true. Cheap to clone; the work behind it ends when the last clone is gone.
#[derive(Clone)]
pub struct Index {
    work: Arc<Work>,
}

struct Work {
    shared: Arc<Shared>,
    watch: Mutex<Option<Watch>>,
}

impl Drop for Work {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::Relaxed);
        self.shared.text.wake();
    }
}

pub(crate) struct Shared {
    pub(crate) vault: Arc<Vault>,
    pub(crate) catalogue: RwLock<Catalogue>,
    pub(crate) text: Arc<TextIndex>,
    kept: KeptSearches,
    tables: Arc<Tables>,
    excluded: Mutex<Option<ExcludedAsOf>>,
    /// Where everything stored is kept.
    folder: Option<Dir>,
    store: Mutex<Option<Store>>,
    /// Paths changed by ourselves before the stored catalogue was loaded, which must not bring their old state back.
    early: Mutex<Option<Vec<NotePath>>>,
    /// Walks and events are looked into one after the other, so that a look never undoes a later one.
    checking: Mutex<()>,
    /// When files went while a walk is under way, which may have looked at them before.
    removed: Mutex<Option<HashMap<NotePath, i64>>>,
    ready: Mutex<bool>,
    became_ready: Condvar,
    pub(crate) ended: AtomicBool,
    status: Mutex<IndexStatus>,
    files_read: AtomicU64,
    observers: RwLock<Vec<Observer>>,
}

type Observer = Box<dyn Fn(&NotePath) + Send + Sync>;

#[derive(Clone, Debug, Default)]
pub struct IndexStatus {
    pub ready: bool,
    pub watch: Option<WatchMode>,
    pub files: usize,
    /// What could not be taken in, and why.
    pub problems: Vec<(String, String)>,
    pub first_walk: Option<Duration>,
    /// Files whose bytes were read since the start; after a good restart, few.
    pub files_read: u64,
}

/// What a look at the files brought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// New or different.
    pub upserted: usize,
    pub deleted: usize,
    pub unchanged: usize,
}

impl Taken {
    fn changed(self) -> usize {
        self.upserted + self.deleted
    }
}

/// Searches whose answers are kept.
#[derive(Default)]
pub(crate) struct KeptSearches {
    pub(crate) literal: KeptAnswers<Counted>,
    pub(crate) anywhere: KeptAnswers<Places>,
}

/// What the operator can set.
#[derive(Clone, Debug, Default)]
pub struct IndexSettings {
    /// Searches read all files; nothing but the catalogue is kept.
    pub without_text: bool,
    pub language: Language,
}

/// How far a wait has come: files known so far.
pub type Progress = usize;

/// What a look at a file brought.
enum Look {
    Same(FileId),
    /// The same bytes, but the file system says something new of them or vouches for them only now.
    Touched(Stat, i64),
    /// With a sketch of its text, where that is of use.
    Changed(Entry, Option<Sketch>),
    Gone,
}

impl Shared {
    /// The folder of the text index, if anything is stored at all.
    pub(crate) fn text_folder(&self) -> Option<Dir> {
        let folder = self.folder.as_ref()?;
        folder.create_dir_all("text").and_then(|()| folder.open_dir("text")).ok()
    }

    /// Returns when the catalogue is complete, or nobody needs it any more.
    pub(crate) fn wait_until_ready(&self) {
        let mut ready = self.ready.lock();
        while !*ready && !self.ended.load(Ordering::Relaxed) {
            self.became_ready.wait_for(&mut ready, Duration::from_millis(200));
        }
    }

    fn begin(self: &Arc<Self>, slot: &Weak<Work>) {
        // Events wait until there is a catalogue to compare with.
        let checking = self.checking.lock();
        let watching = thread::scope(|scope| {
            scope.spawn(|| self.load());
            self.watch()
        });
        drop(checking);
        self.status.lock().watch = Some(watching.mode);
        self.check_everything();
        *self.ready.lock() = true;
        self.became_ready.notify_all();
        self.report_problems();
        if let Some(work) = slot.upgrade() {
            *work.watch.lock() = Some(watching);
        }
    }

    /// One line each, so that nobody has to wonder why a note is not found.
    fn report_problems(&self) {
        for (path, why) in &self.status.lock().problems {
            tracing::warn!(path, why, "left out of the catalogue");
        }
        for entry in self.catalogue.read().files() {
            // Why, the log must not say: it can quote the note.
            if entry.problem.is_some() {
                tracing::warn!(path = %entry.path, "taken in only in part");
            }
        }
    }

    fn load(&self) {
        let mut loaded = Catalogue::default();
        if let Some(store) = self.store.lock().as_mut() {
            loaded = store.load();
            if let Err(error) = store.start_writing() {
                tracing::warn!(%error, "the catalogue cannot be stored; the next start reads the vault anew");
            }
        }
        // What we changed since the start is newer than what was stored.
        let mut catalogue = self.catalogue.write();
        for path in self.early.lock().take().unwrap_or_default() {
            match catalogue.remove(&path) {
                Some(entry) => loaded.upsert(entry),
                None => drop(loaded.remove(&path)),
            }
        }
        loaded.follow(&catalogue);
        *catalogue = loaded;
    }

    fn watch(self: &Arc<Self>) -> Watch {
        let weak = Arc::downgrade(self);
        self.vault.watch(move |dirty| {
            let Some(shared) = weak.upgrade() else { return false };
            match dirty {
                Dirty::Everything => shared.check_everything() > 0,
                Dirty::Paths(paths) => shared.check_paths(&paths) > 0,
            }
        })
    }

    /// Walks the vault, reads what is new or different, forgets what is gone. Returns how many files that were.
    fn check_everything(&self) -> usize {
        let _checking = self.checking.lock();
        let started = Instant::now();
        let changed = self.check_folder(&FolderPath::ROOT).changed();
        let mut status = self.status.lock();
        status.first_walk.get_or_insert_with(|| started.elapsed());
        changed
    }

    fn check_paths(&self, paths: &BTreeSet<NotePath>) -> usize {
        let _checking = self.checking.lock();
        paths.iter().map(|path| self.check_path(path)).sum()
    }

    fn check_folder(&self, folder: &FolderPath) -> Taken {
        *self.removed.lock() = Some(HashMap::new());
        let taken = self.walk_folder(folder);
        *self.removed.lock() = None;
        self.tidy_store();
        taken
    }

    fn walk_folder(&self, folder: &FolderPath) -> Taken {
        let began = now();
        let seen = Mutex::new(Vec::new());
        let pending = Mutex::new(Vec::new());
        let (changed, touched) = (AtomicU64::new(0), AtomicU64::new(0));
        let walked = self.vault.walk(folder, |found| {
            match self.look_at(&found) {
                Look::Same(id) => seen.lock().push(id),
                Look::Touched(stat, read_at) => {
                    touched.fetch_add(1, Ordering::Relaxed);
                    self.touch(&found.path, stat, read_at);
                }
                Look::Changed(entry, sketch) => {
                    changed.fetch_add(1, Ordering::Relaxed);
                    let full = {
                        let mut batch = pending.lock();
                        batch.push((entry, sketch));
                        (batch.len() >= BATCH).then(|| std::mem::take(&mut *batch))
                    };
                    // The others go on reading meanwhile.
                    self.take_in_sketched(full.unwrap_or_default());
                }
                Look::Gone => {}
            }
            !self.ended.load(Ordering::Relaxed)
        });
        self.take_in_sketched(pending.into_inner());
        if self.ended.load(Ordering::Relaxed) {
            return Taken::default();
        }
        let skipped = match walked {
            Ok(report) => report.skipped,
            // The vault itself cannot be read just now: better an old catalogue than an empty one.
            Err(error) if folder.is_root() => {
                tracing::warn!(%error, "the vault cannot be read");
                return Taken::default();
            }
            Err(_) => Vec::new(),
        };
        let (seen, upserted) = (seen.into_inner(), changed.into_inner() as usize);
        let deleted = self.forget_unseen(folder, &seen, &skipped, began);
        if folder.is_root() {
            self.status.lock().problems = skipped;
        }
        Taken { upserted, deleted, unchanged: seen.len() + touched.into_inner() as usize }
    }

    /// Files that the walk did not meet as they were are gone, unless they were read while it ran or lie in a folder that
    /// could not be read just now.
    fn forget_unseen(&self, folder: &FolderPath, seen: &[FileId], skipped: &[(String, String)], began: i64) -> usize {
        let unread: Vec<FolderPath> = skipped.iter().filter_map(|(path, _)| FolderPath::parse(path).ok()).collect();
        let catalogue = self.catalogue.read();
        let mut is_seen = vec![false; catalogue.slots()];
        // A number may have been given to another file since, but that one was read after the walk began.
        seen.iter().for_each(|id| is_seen[id.0 as usize] = true);
        let is_gone = |(id, entry): &(FileId, &Entry)| {
            let is_unseen = !is_seen[id.0 as usize] && entry.read_at < began;
            is_unseen && !unread.iter().any(|folder| folder.contains(&entry.path))
        };
        let gone = catalogue.numbered_below(folder).filter(is_gone);
        let gone: Vec<NotePath> = gone.map(|(_, entry)| entry.path.clone()).collect();
        drop(catalogue);
        self.forget(&gone);
        gone.len()
    }

    /// One path that an event named: a file, a folder, or something that is gone. Returns how many files had changed.
    fn check_path(&self, path: &NotePath) -> usize {
        let as_folder = FolderPath::from(path.clone());
        match self.vault.stat(path) {
            Ok((EntryKind::File, stat)) => match self.look_at(&Found { path: path.clone(), stat }) {
                Look::Same(_) => 0,
                Look::Touched(stat, read_at) => {
                    self.touch(path, stat, read_at);
                    0
                }
                Look::Changed(entry, _) => {
                    self.take_in(vec![entry]);
                    1
                }
                Look::Gone => self.forget_all(path, &as_folder),
            },
            Ok(_) => self.check_folder(&as_folder).changed(),
            // A placeholder stands for it now; its folder tells.
            Err(VaultError::Offline(_)) => self.check_folder(&path.parent()).changed(),
            // A folder that is shown for what is in it is refused once nothing is left.
            Err(VaultError::NotFound(_) | VaultError::Link(_) | VaultError::NotRegular(_) | VaultError::Forbidden { .. }) => {
                self.forget_all(path, &as_folder)
            }
            Err(error) => {
                tracing::debug!(%error, "a changed path cannot be looked at");
                0
            }
        }
    }

    fn forget_all(&self, path: &NotePath, as_folder: &FolderPath) -> usize {
        let catalogue = self.catalogue.read();
        let mut gone: Vec<NotePath> = catalogue.files_below(as_folder).map(|entry| entry.path.clone()).collect();
        gone.extend(catalogue.find(path).map(|entry| entry.path.clone()));
        drop(catalogue);
        self.forget(&gone);
        gone.len()
    }

    fn look_at(&self, found: &Found) -> Look {
        let Found { path, stat } = found;
        let known = self.catalogue.read().find_numbered(path).map(|(id, entry)| (id, Known::of(entry)));
        let same = known.as_ref().filter(|(_, known)| known.stat == *stat);
        if !is_parsed(path) || stat.offline {
            let same = same.filter(|(_, known)| known.hash.is_none());
            return same.map_or_else(|| Look::Changed(Entry::unparsed(path, *stat, None), None), |(id, _)| Look::Same(*id));
        }
        if let Some((id, _)) = same.filter(|(_, known)| known.is_settled()) {
            return Look::Same(*id);
        }
        let read_at = now();
        let contents = match self.vault.read(path) {
            Ok(contents) => contents,
            Err(VaultError::NotFound(_) | VaultError::Link(_)) => return Look::Gone,
            Err(error) => {
                let problem = error.to_string();
                let same = same.filter(|(_, known)| known.problem.as_deref() == Some(&problem)).map(|(id, _)| *id);
                return same.map_or_else(|| Look::Changed(Entry::unparsed(path, *stat, Some(problem)), None), Look::Same);
            }
        };
        self.files_read.fetch_add(1, Ordering::Relaxed);
        let hash = contents.hash();
        if known.is_some_and(|(_, known)| known.hash == Some(hash) && known.is_readable) {
            return Look::Touched(contents.stat, read_at);
        }
        let sketch = self.text.wants_sketches().then(|| Sketch::of(path.as_str(), &String::from_utf8_lossy(&contents.bytes)));
        Look::Changed(Entry::parsed(path, &contents.bytes, hash, contents.stat, read_at), sketch)
    }

    /// Notes that the bytes are the same. Stored once that is certain, so that the next start need not read them again.
    fn touch(&self, path: &NotePath, stat: Stat, read_at: i64) {
        let mut catalogue = self.catalogue.write();
        catalogue.touch(path, stat, read_at);
        let settled = catalogue.find(path).filter(|entry| Known::of(entry).is_settled()).cloned();
        drop(catalogue);
        if let (Some(entry), Some(store)) = (settled, self.store.lock().as_mut()) {
            store.touch(&entry);
        }
    }

    /// Searches need not open the files that their sketches rule out.
    fn take_in_sketched(&self, batch: Vec<(Entry, Option<Sketch>)>) {
        let mut sketches = Vec::new();
        let mut entries = Vec::with_capacity(batch.len());
        for (entry, sketch) in batch {
            sketches.extend(sketch.map(|sketch| (entry.path.clone(), entry.version(), sketch)));
            entries.push(entry);
        }
        self.take_in(entries);
        let catalogue = self.catalogue.read();
        // A file that has changed since is another one.
        sketches.retain(|(path, version, _)| catalogue.find(path).is_some_and(|entry| entry.version() == *version));
        self.text.add_sketches(sketches.into_iter().map(|(path, _, sketch)| (path, sketch)));
    }

    fn take_in(&self, entries: Vec<Entry>) {
        if entries.is_empty() {
            return;
        }
        let stored = self.store.lock().as_mut().and_then(|store| store.put(&entries));
        let mut stored = stored.unwrap_or_default().into_iter();
        // Searches must find the change on disk from the moment the index no longer vouches for the file.
        self.text.changed(entries.iter().map(|entry| &entry.path));
        let mut taken = Vec::with_capacity(entries.len());
        let mut catalogue = self.catalogue.write();
        for entry in entries {
            let stored = stored.next();
            if !self.is_overtaken(&catalogue, &entry) {
                taken.push(entry.path.clone());
                catalogue.upsert_stored(entry, stored);
            }
        }
        drop(catalogue);
        self.text.changed(&taken);
        self.tell(&taken);
    }

    /// One of our own changes may have come between the look at a file and taking it in.
    fn is_overtaken(&self, catalogue: &Catalogue, entry: &Entry) -> bool {
        let known = catalogue.find(&entry.path).map(|known| known.read_at);
        let removed = self.removed.lock().as_ref().and_then(|removed| removed.get(&entry.path).copied());
        known.max(removed).is_some_and(|newer| newer > entry.read_at)
    }

    fn tell(&self, paths: &[NotePath]) {
        let observers = self.observers.read();
        if observers.is_empty() || !*self.ready.lock() {
            return;
        }
        for path in paths {
            observers.iter().for_each(|observer| observer(path));
        }
    }

    fn forget(&self, paths: &[NotePath]) {
        if paths.is_empty() {
            return;
        }
        if let Some(store) = self.store.lock().as_mut() {
            store.delete(paths);
        }
        if let Some(removed) = self.removed.lock().as_mut() {
            removed.extend(paths.iter().map(|path| (path.clone(), now())));
        }
        self.text.changed(paths);
        let mut catalogue = self.catalogue.write();
        for path in paths {
            catalogue.remove(path);
        }
        drop(catalogue);
        self.text.changed(paths);
        self.tell(paths);
    }

    fn tidy_store(&self) {
        let mut store = self.store.lock();
        let Some(store) = store.as_mut() else { return };
        let tidied = store.tidy(&self.catalogue.read());
        let moved = tidied.unwrap_or_else(|error| {
            tracing::warn!(%error, "the stored catalogue could not be written anew");
            Vec::new()
        });
        if !moved.is_empty() {
            let mut catalogue = self.catalogue.write();
            moved.into_iter().for_each(|card| catalogue.move_card(&card.path, &card.from, card.to));
        }
    }

    /// The caller of a write reads it back: this runs before the write returns.
    fn take_own_change(&self, change: &Change<'_>) {
        let note_early = |path: &NotePath| {
            if let Some(early) = self.early.lock().as_mut() {
                early.push(path.clone());
            }
        };
        match change {
            Change::Written { path, bytes, hash, stat } => {
                note_early(path);
                let is_parsed = is_parsed(path);
                let entry =
                    if is_parsed { Entry::parsed(path, bytes, *hash, *stat, now()) } else { Entry::unparsed(path, *stat, None) };
                self.take_in(vec![entry]);
            }
            Change::Renamed { from, to, stat } => {
                note_early(from);
                note_early(to);
                let moved = self.catalogue.read().find(from).cloned();
                // A name of another kind, or one not met yet, has to be read.
                let moved = moved.filter(|entry| {
                    is_parsed(from) == is_parsed(to) && from.is_note() == to.is_note() && entry.card.encoded().is_some()
                });
                self.forget(&[(*from).clone()]);
                match moved {
                    Some(entry) => self.take_in(vec![Entry { path: (*to).clone(), stat: *stat, read_at: now(), ..entry }]),
                    None => drop(self.check_path(to)),
                }
            }
            Change::Removed { path } => {
                note_early(path);
                self.forget(&[(*path).clone()]);
            }
            Change::Appeared { path } => {
                note_early(path);
                self.check_path(path);
            }
        }
    }
}

/// What decides whether a file has to be read again.
struct Known {
    stat: Stat,
    hash: Option<ContentHash>,
    problem: Option<Box<str>>,
    read_at: i64,
    /// Whether what is stored of it has not been damaged.
    is_readable: bool,
}

impl Known {
    fn of(entry: &Entry) -> Known {
        Known {
            stat: entry.stat,
            hash: entry.hash,
            problem: entry.problem.clone(),
            read_at: entry.read_at,
            is_readable: entry.card.is_readable(),
        }
    }

    /// Whether an unchanged look of the file means unchanged bytes. A file that could not be read is tried again.
    fn is_settled(&self) -> bool {
        self.is_readable && self.hash.is_some() && is_settled(&self.stat, self.read_at)
    }
}
