//! What the rest of the program asks of the index.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use cap_std::fs::Dir;
use parking_lot::{Condvar, Mutex, RwLock, RwLockReadGuard};
use quillgate_vault::{FolderPath, NotePath, Vault};

use super::{Index, IndexSettings, IndexStatus, KeptSearches, Progress, Shared, Taken, Work};
use crate::catalogue::Catalogue;
use crate::excluded::ExcludedAsOf;
use crate::per_note::Tables;
use crate::search::Coverage;
use crate::store::Store;
use crate::text::{TextIndex, TextStatus, keep};

impl Index {
    /// Returns at once; the catalogue is loaded and checked on a thread of its own.
    pub fn start(vault: Arc<Vault>, folder: Option<Dir>, settings: &IndexSettings) -> Index {
        let store = folder.as_ref().and_then(|folder| folder.try_clone().ok()).map(Store::open);
        let shared = Arc::new(Shared {
            vault: vault.clone(),
            catalogue: RwLock::default(),
            text: Arc::new(TextIndex::new(settings)),
            kept: KeptSearches::default(),
            tables: Arc::default(),
            excluded: Mutex::default(),
            folder,
            store: Mutex::new(store),
            early: Mutex::new(Some(Vec::new())),
            checking: Mutex::default(),
            removed: Mutex::default(),
            ready: Mutex::new(false),
            became_ready: Condvar::new(),
            ended: AtomicBool::new(false),
            status: Mutex::default(),
            files_read: AtomicU64::new(0),
            observers: RwLock::default(),
        });
        let observer = Arc::downgrade(&shared);
        vault.observe(move |change| {
            if let Some(shared) = observer.upgrade() {
                shared.take_own_change(change);
            }
        });
        let work = Arc::new(Work { shared: shared.clone(), watch: Mutex::default() });
        let slot = Arc::downgrade(&work);
        let kept = Arc::downgrade(&shared);
        thread::spawn(move || keep(&kept));
        thread::spawn(move || shared.begin(&slot));
        Index { work }
    }

    pub fn vault(&self) -> &Arc<Vault> {
        &self.work.shared.vault
    }

    pub(crate) fn text(&self) -> &TextIndex {
        &self.work.shared.text
    }

    pub(crate) fn kept(&self) -> &KeptSearches {
        &self.work.shared.kept
    }

    pub(crate) fn tables(&self) -> &Arc<Tables> {
        &self.work.shared.tables
    }

    pub(crate) fn excluded_files(&self) -> &Mutex<Option<ExcludedAsOf>> {
        &self.work.shared.excluded
    }

    /// How much of the vault the text index holds. Searches look at the rest on disk.
    pub fn coverage(&self) -> Coverage {
        self.text().coverage(self.is_ready())
    }

    /// Notes that are known so far; does not wait.
    pub fn note_count(&self) -> usize {
        usize::try_from(self.catalogue_so_far().columns().notes().len()).unwrap_or(usize::MAX)
    }

    pub fn text_status(&self) -> TextStatus {
        self.text().status()
    }

    /// Reads every file again, whatever is known of it, and has the text index built again in the background; searches go on
    /// meanwhile.
    pub fn rebuild(&self) {
        self.wait(|_| true);
        self.work.shared.catalogue.write().distrust();
        self.work.shared.check_everything();
        self.text().begin_anew();
    }

    /// Waits until every file is in the text index, calling `report` a few times a second with how many are not; false from
    /// it gives up.
    pub fn wait_for_text(&self, mut report: impl FnMut(usize) -> bool) {
        loop {
            let Coverage { ready, pending } = self.coverage();
            if self.text().is_off() || ready && pending == 0 || !report(pending) {
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// The catalogue as far as it is known; complete once the index is ready.
    pub(crate) fn catalogue_so_far(&self) -> RwLockReadGuard<'_, Catalogue> {
        self.work.shared.catalogue.read()
    }

    /// Calls `observer` with every file that changes or goes, whoever did it, once the first look at the vault is over.
    pub fn observe(&self, observer: impl Fn(&NotePath) + Send + Sync + 'static) {
        self.work.shared.observers.write().push(Box::new(observer));
    }

    /// The catalogue, once every file of the vault is in it. Whoever holds it keeps changes waiting: let go of it before
    /// reading files.
    pub fn catalogue(&self) -> RwLockReadGuard<'_, Catalogue> {
        self.wait(|_| true);
        self.work.shared.catalogue.read()
    }

    /// The catalogue when no look at the vault is under way: for changes that must not miss a file, such as moves.
    pub fn settled_catalogue(&self) -> RwLockReadGuard<'_, Catalogue> {
        self.wait(|_| true);
        let _checking = self.work.shared.checking.lock();
        self.work.shared.catalogue.read()
    }

    pub fn is_ready(&self) -> bool {
        *self.work.shared.ready.lock()
    }

    /// Waits until the catalogue is complete, calling `report` a few times a second; false from it gives up.
    pub fn wait(&self, mut report: impl FnMut(Progress) -> bool) -> bool {
        let shared = &self.work.shared;
        let mut ready = shared.ready.lock();
        while !*ready {
            shared.became_ready.wait_for(&mut ready, Duration::from_millis(200));
            if !*ready && !report(shared.catalogue.read().len()) {
                return false;
            }
        }
        true
    }

    pub fn status(&self) -> IndexStatus {
        let shared = &self.work.shared;
        let mut status = shared.status.lock().clone();
        let catalogue = shared.catalogue.read();
        let unread = catalogue.files().filter_map(|entry| Some((entry.path.to_string(), entry.problem.as_deref()?.to_owned())));
        status.problems.extend(unread);
        status.files = catalogue.len();
        drop(catalogue);
        status.ready = *shared.ready.lock();
        status.files_read = shared.files_read.load(Ordering::Relaxed);
        status
    }

    /// Looks at the whole vault now, for changes that no event told of. Returns how many files had changed.
    pub fn check_everything(&self) -> usize {
        self.wait(|_| true);
        self.work.shared.check_everything()
    }

    /// Looks at all files below a folder now, and waits until what changed is in the text index, calling `report` with the
    /// files done and in all; false from it gives up.
    pub fn check_folder(&self, folder: &FolderPath, mut report: impl FnMut(usize, usize) -> bool) -> Taken {
        self.wait(|_| true);
        let shared = &self.work.shared;
        let checking = shared.checking.lock();
        let taken = shared.check_folder(folder);
        drop(checking);
        let files = self.catalogue().files_below(folder).count();
        self.wait_for_text(|pending| report(files.saturating_sub(pending), files));
        report(files, files);
        taken
    }
}
