//! Keeping the catalogue true: stored state first, then a walk, then events; our own writes at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use cap_std::fs::Dir;
use parking_lot::{Condvar, Mutex, RwLock, RwLockReadGuard};
use quillgate_vault::{
    Change, ContentHash, Dirty, EntryKind, FolderPath, Found, NotePath, Stat, Vault, VaultError, Watch, WatchMode, is_binary,
};

use crate::canvas::canvas_card;
use crate::card::Card;
use crate::catalogue::{Catalogue, Entry};
use crate::store::Store;

/// File systems count time in steps of up to two seconds: a file changed that shortly before it was read may have changed
/// again within the same step.
const COARSEST_CLOCK: i64 = 2_000_000_000;
/// Entries taken into the catalogue at once, so that readers are never locked out for long.
const BATCH: usize = 256;

/// The catalogue and what keeps it true. Cheap to clone; the work behind it ends when the last clone is gone.
#[derive(Clone)]
pub struct Index {
    shared: Arc<Shared>,
    _watch: Arc<Mutex<Option<Watch>>>,
}

struct Shared {
    vault: Arc<Vault>,
    catalogue: RwLock<Catalogue>,
    store: Mutex<Option<Store>>,
    /// Paths changed by ourselves before the stored catalogue was loaded, which must not bring their old state back.
    early: Mutex<Option<Vec<NotePath>>>,
    ready: Mutex<bool>,
    became_ready: Condvar,
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

/// How far a wait has come: files known so far.
pub type Progress = usize;

impl Index {
    /// Returns at once; the catalogue is loaded and checked on a thread of its own.
    pub fn start(vault: Arc<Vault>, folder: Option<Dir>) -> Index {
        let shared = Arc::new(Shared {
            vault: vault.clone(),
            catalogue: RwLock::default(),
            store: Mutex::new(folder.map(Store::open)),
            early: Mutex::new(Some(Vec::new())),
            ready: Mutex::new(false),
            became_ready: Condvar::new(),
            status: Mutex::default(),
            files_read: AtomicU64::new(0),
            observers: RwLock::default(),
        });
        let watch = Arc::new(Mutex::new(None));
        let observer = Arc::downgrade(&shared);
        vault.observe(move |change| {
            if let Some(shared) = observer.upgrade() {
                shared.take_own_change(change);
            }
        });
        let (background, watch_slot) = (shared.clone(), Arc::downgrade(&watch));
        thread::spawn(move || {
            background.load();
            let watching = background.watch();
            background.status.lock().watch = Some(watching.mode);
            background.check_everything();
            background.become_ready();
            if let Some(slot) = watch_slot.upgrade() {
                *slot.lock() = Some(watching);
            }
        });
        Index { shared, _watch: watch }
    }

    pub fn vault(&self) -> &Arc<Vault> {
        &self.shared.vault
    }

    /// Calls `observer` with every file that changes or goes, whoever did it, once the first look at the vault is over.
    pub fn observe(&self, observer: impl Fn(&NotePath) + Send + Sync + 'static) {
        self.shared.observers.write().push(Box::new(observer));
    }

    /// The catalogue, once every file of the vault is in it.
    pub fn catalogue(&self) -> RwLockReadGuard<'_, Catalogue> {
        self.wait(|_| true);
        self.shared.catalogue.read()
    }

    /// Whether the catalogue is complete, so that nobody has to wait for it.
    pub fn is_ready(&self) -> bool {
        *self.shared.ready.lock()
    }

    /// Waits until the catalogue is complete, calling `report` a few times a second; false from it gives up.
    pub fn wait(&self, mut report: impl FnMut(Progress) -> bool) -> bool {
        let mut ready = self.shared.ready.lock();
        while !*ready {
            self.shared.became_ready.wait_for(&mut ready, Duration::from_millis(200));
            if !*ready && !report(self.shared.catalogue.read().len()) {
                return false;
            }
        }
        true
    }

    pub fn status(&self) -> IndexStatus {
        let mut status = self.shared.status.lock().clone();
        let catalogue = self.shared.catalogue.read();
        let unread = catalogue.files().filter_map(|entry| Some((entry.path.to_string(), entry.problem.as_deref()?.to_owned())));
        status.problems.extend(unread);
        status.files = catalogue.len();
        status.ready = *self.shared.ready.lock();
        status.files_read = self.shared.files_read.load(Ordering::Relaxed);
        status
    }

    /// Looks at the whole vault now, for changes that no event told of. Returns how many files had changed.
    pub fn check_everything(&self) -> usize {
        self.wait(|_| true);
        self.shared.check_everything()
    }
}

impl Shared {
    fn load(&self) {
        let mut loaded = Catalogue::default();
        if let Some(store) = self.store.lock().as_mut() {
            let loaded = std::cell::RefCell::new(&mut loaded);
            store.load(|entry| loaded.borrow_mut().upsert(entry), |path| drop(loaded.borrow_mut().remove(path)));
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
        *catalogue = loaded;
    }

    fn watch(self: &Arc<Self>) -> Watch {
        let weak = Arc::downgrade(self);
        self.vault.watch(move |dirty| {
            let Some(shared) = weak.upgrade() else { return false };
            match dirty {
                Dirty::Everything => shared.check_everything() > 0,
                Dirty::Paths(paths) => paths.iter().filter(|path| shared.check_path(path)).count() > 0,
            }
        })
    }

    fn become_ready(&self) {
        *self.ready.lock() = true;
        self.became_ready.notify_all();
    }

    /// Walks the vault, reads what is new or different, forgets what is gone. Returns how many files that were.
    fn check_everything(&self) -> usize {
        let started = Instant::now();
        let changed = self.check_folder(&FolderPath::ROOT);
        let mut status = self.status.lock();
        status.first_walk.get_or_insert_with(|| started.elapsed());
        changed
    }

    fn check_folder(&self, folder: &FolderPath) -> usize {
        let began = now();
        let seen = Mutex::new(Vec::new());
        let pending = Mutex::new(Vec::new());
        let changed = AtomicU64::new(0);
        let walked = self.vault.walk(folder, |found| {
            if let Some(entry) = self.look_at(&found) {
                changed.fetch_add(1, Ordering::Relaxed);
                let mut batch = pending.lock();
                batch.push(entry);
                if batch.len() >= BATCH {
                    self.take_in(std::mem::take(&mut *batch));
                }
            }
            seen.lock().push(found.path);
            true
        });
        self.take_in(pending.into_inner());
        match walked {
            Ok(report) if folder.is_root() => self.status.lock().problems = report.skipped,
            Ok(_) => {}
            // The vault itself cannot be read just now: better an old catalogue than an empty one.
            Err(error) if folder.is_root() => {
                tracing::warn!(%error, "the vault cannot be read");
                return 0;
            }
            Err(_) => {}
        }
        let gone = self.forget_unseen(folder, seen.into_inner(), began);
        self.tidy_store();
        changed.into_inner() as usize + gone
    }

    /// Files that the walk did not meet are gone, unless they were written while it ran.
    fn forget_unseen(&self, folder: &FolderPath, mut seen: Vec<NotePath>, began: i64) -> usize {
        seen.sort_unstable();
        let catalogue = self.catalogue.read();
        let unseen =
            catalogue.files_below(folder).filter(|entry| seen.binary_search(&entry.path).is_err() && entry.read_at < began);
        let gone: Vec<NotePath> = unseen.map(|entry| entry.path.clone()).collect();
        drop(catalogue);
        self.forget(&gone);
        gone.len()
    }

    /// One path that an event named: a file, a folder, or something that is gone. Returns whether it had changed.
    fn check_path(&self, path: &NotePath) -> bool {
        match self.vault.stat(path) {
            Ok((EntryKind::File, stat)) => {
                let entry = self.look_at(&Found { path: path.clone(), stat });
                let changed = entry.is_some();
                self.take_in(entry.into_iter().collect());
                changed
            }
            Ok(_) => self.check_folder(&FolderPath::from(path.clone())) > 0,
            Err(VaultError::NotFound(_) | VaultError::Link(_)) => {
                let folder = FolderPath::from(path.clone());
                let catalogue = self.catalogue.read();
                let mut gone: Vec<NotePath> = catalogue.files_below(&folder).map(|entry| entry.path.clone()).collect();
                gone.extend(catalogue.find(path).map(|entry| entry.path.clone()));
                drop(catalogue);
                self.forget(&gone);
                !gone.is_empty()
            }
            Err(error) => {
                tracing::debug!(%error, "a changed path cannot be looked at");
                false
            }
        }
    }

    /// The new entry of a file, unless the catalogue's is still good.
    fn look_at(&self, found: &Found) -> Option<Entry> {
        let known = self.catalogue.read().find(&found.path).map(|entry| (entry.stat, entry.hash, entry.read_at));
        if let Some((stat, hash, read_at)) = known {
            let is_settled = hash.is_none() || stat.modified < read_at - COARSEST_CLOCK;
            if stat == found.stat && is_settled {
                return None;
            }
            if !is_parsed(&found.path) || found.stat.offline {
                return (stat != found.stat).then(|| unparsed(found, None));
            }
        }
        let read_at = now();
        let entry = if is_parsed(&found.path) && !found.stat.offline { self.read_entry(found) } else { unparsed(found, None) };
        if let (Some((stat, Some(hash), _)), Some(new_hash)) = (known, entry.hash)
            && hash == new_hash
        {
            self.catalogue.write().touch(&found.path, found.stat, read_at);
            return (stat != found.stat).then_some(entry);
        }
        Some(entry)
    }

    fn read_entry(&self, found: &Found) -> Entry {
        self.files_read.fetch_add(1, Ordering::Relaxed);
        let read_at = now();
        match self.vault.read(&found.path) {
            Ok(contents) => parsed(&found.path, &contents.bytes, contents.hash(), contents.stat, read_at),
            Err(error) => unparsed(found, Some(error.to_string())),
        }
    }

    fn take_in(&self, entries: Vec<Entry>) {
        if entries.is_empty() {
            return;
        }
        if let Some(store) = self.store.lock().as_mut() {
            entries.iter().for_each(|entry| store.put(entry));
            store.flush();
        }
        let paths: Vec<NotePath> = entries.iter().map(|entry| entry.path.clone()).collect();
        let mut catalogue = self.catalogue.write();
        for entry in entries {
            // One of our own writes may have overtaken the look at the file.
            let is_older = catalogue.find(&entry.path).is_some_and(|known| known.read_at > entry.read_at);
            if !is_older {
                catalogue.upsert(entry);
            }
        }
        drop(catalogue);
        self.tell(&paths);
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
            paths.iter().for_each(|path| store.delete(path));
            store.flush();
        }
        let mut catalogue = self.catalogue.write();
        for path in paths {
            catalogue.remove(path);
        }
        drop(catalogue);
        self.tell(paths);
    }

    fn tidy_store(&self) {
        let mut store = self.store.lock();
        let Some(store) = store.as_mut().filter(|store| store.is_mostly_stale()) else { return };
        if let Err(error) = store.rewrite(self.catalogue.read().files()) {
            tracing::warn!(%error, "the stored catalogue could not be written anew");
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
                let found = Found { path: (*path).clone(), stat: *stat };
                let entry = if is_parsed(path) { parsed(path, bytes, *hash, *stat, now()) } else { unparsed(&found, None) };
                self.take_in(vec![entry]);
            }
            Change::Renamed { from, to, stat } => {
                note_early(from);
                note_early(to);
                let moved = self.catalogue.read().find(from).cloned();
                let found = Found { path: (*to).clone(), stat: *stat };
                let entry = match moved {
                    Some(entry) => Entry { path: (*to).clone(), stat: *stat, read_at: now(), ..entry },
                    None => self.read_entry(&found),
                };
                self.forget(&[(*from).clone()]);
                self.take_in(vec![entry]);
            }
            Change::Removed { path } => {
                note_early(path);
                self.forget(&[(*path).clone()]);
            }
        }
    }
}

/// Notes and canvases are read; of all other files only their names and sizes are kept.
fn is_parsed(path: &NotePath) -> bool {
    path.is_note() || is_canvas(path)
}

fn is_canvas(path: &NotePath) -> bool {
    path.extension().eq_ignore_ascii_case("canvas")
}

fn parsed(path: &NotePath, bytes: &[u8], hash: ContentHash, stat: Stat, read_at: i64) -> Entry {
    let text = if is_binary(bytes) { None } else { std::str::from_utf8(bytes).ok() };
    let Some(text) = text else {
        let problem = Some("not UTF-8 text".into());
        return Entry {
            path: path.clone(),
            stat,
            hash: Some(hash),
            tags: Box::default(),
            problem,
            read_at,
            card: Box::default(),
        };
    };
    let card = if is_canvas(path) { canvas_card(text) } else { Card::of(text) };
    Entry {
        path: path.clone(),
        stat,
        hash: Some(hash),
        tags: card.property_tags.iter().map(|tag| Arc::from(tag.as_str())).collect(),
        problem: card.problem.as_deref().map(Into::into),
        read_at,
        card: card.encode(),
    }
}

fn unparsed(found: &Found, problem: Option<String>) -> Entry {
    Entry {
        path: found.path.clone(),
        stat: found.stat,
        hash: None,
        tags: Box::default(),
        problem: problem.map(Into::into),
        read_at: now(),
        card: Box::default(),
    }
}

fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| i64::try_from(since.as_nanos()).unwrap_or(i64::MAX))
}
