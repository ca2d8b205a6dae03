//! A vault in a folder of its own, with something beside it that must stay out of reach.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use quillgate_vault::{Expect, FolderPath, Folders, HistorySettings, Limits, NotePath, Vault, VaultError, Written};
use tempfile::TempDir;

pub(crate) struct Place {
    folder: TempDir,
    pub(crate) vault: Vault,
}

impl Place {
    pub(crate) fn new() -> Place {
        Place::with_limits(Limits::default())
    }

    /// In memory where the system allows it: for tests of what a process leaves when it is killed, which no disk changes.
    pub(crate) fn in_memory() -> Place {
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() };
        Place::at(folder.unwrap(), Limits::default())
    }

    pub(crate) fn with_limits(limits: Limits) -> Place {
        Place::at(TempDir::new().unwrap(), limits)
    }

    fn at(folder: TempDir, limits: Limits) -> Place {
        for name in ["vault", "outside", "locks", "journal", "history"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let vault = open(folder.path(), limits);
        Place { folder, vault }
    }

    /// The folder that holds the vault and what belongs to it.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn journal(&self, path: &str) -> PathBuf {
        self.folder.path().join("journal").join(path)
    }

    /// Another handle on the same vault with its own lock files, as another process has it.
    pub(crate) fn second_handle(&self) -> Vault {
        open(self.folder.path(), Limits::default())
    }

    pub(crate) fn on_disk(&self, path: &str) -> PathBuf {
        self.folder.path().join("vault").join(path)
    }

    pub(crate) fn outside(&self, path: &str) -> PathBuf {
        self.folder.path().join("outside").join(path)
    }

    /// Puts a file there as another program would.
    pub(crate) fn put(&self, path: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        put(&self.on_disk(path), bytes)
    }

    /// Empty files.
    pub(crate) fn put_all(&self, paths: &[&str]) {
        paths.iter().for_each(|path| drop(self.put(path, "")));
    }

    pub(crate) fn put_outside(&self, path: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        put(&self.outside(path), bytes)
    }

    pub(crate) fn bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.on_disk(path)).unwrap()
    }

    pub(crate) fn write(&self, path: &str, text: &str) -> Result<Written, VaultError> {
        self.vault.write(&note(path), text.into(), Expect::Anything, Folders::Create)
    }

    /// All paths the walk meets, sorted.
    pub(crate) fn walked(&self) -> Vec<String> {
        let found = parking_lot::Mutex::new(Vec::new());
        let visit = |file: quillgate_vault::Found| {
            found.lock().push(file.path.to_string());
            true
        };
        self.vault.walk(&FolderPath::ROOT, visit).unwrap();
        let mut found = found.into_inner();
        found.sort();
        found
    }

    /// But for the history, which keeps what was done.
    pub(crate) fn everything(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut all = tree(self.folder.path());
        all.retain(|path, _| !path.starts_with(self.folder.path().join("history")));
        all
    }
}

pub(crate) fn note(path: &str) -> NotePath {
    NotePath::parse(path).unwrap()
}

pub(crate) fn folder(path: &str) -> FolderPath {
    FolderPath::parse(path).unwrap()
}

/// Every file below a folder with its bytes; links as where they point, folders as nothing.
pub(crate) fn tree(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    collect_tree(root, &mut found);
    found
}

fn collect_tree(folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        let bytes = match () {
            () if kind.is_file() => fs::read(&path).unwrap(),
            () if kind.is_symlink() => fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes(),
            () => Vec::new(),
        };
        if kind.is_dir() {
            collect_tree(&path, found);
        }
        found.insert(path, bytes);
    }
}

/// Polls until the condition holds; fails after a second.
#[track_caller]
pub(crate) fn within_a_second(what: &str, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < Duration::from_secs(1), "not within a second: {what}");
        std::thread::yield_now();
    }
}

/// The vault in such a folder as a process opens it that starts now.
pub(crate) fn open(folder: &Path, limits: Limits) -> Vault {
    open_with(folder, limits, HistorySettings::default())
}

pub(crate) fn open_with(folder: &Path, limits: Limits, settings: HistorySettings) -> Vault {
    let [locks, journal, history] =
        ["locks", "journal", "history"].map(|name| Dir::open_ambient_dir(folder.join(name), ambient_authority()).unwrap());
    let vault = Vault::open(&folder.join("vault"), Some(locks), limits).unwrap();
    vault.with_journal(journal).with_history(history, settings)
}

fn put(path: &Path, bytes: impl AsRef<[u8]>) -> PathBuf {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
    path.to_owned()
}
