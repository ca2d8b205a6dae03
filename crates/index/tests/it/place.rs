//! A vault with its index, in a folder of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use quillgate_index::{Index, IndexSettings, relinked_move};
use quillgate_vault::{Expect, Folders, Limits, NotePath, Vault};
use tempfile::TempDir;

pub(crate) struct Place {
    pub(crate) folder: TempDir,
}

/// One run of the program on the place.
pub(crate) struct Run {
    pub(crate) vault: Arc<Vault>,
    pub(crate) index: Index,
}

impl Place {
    pub(crate) fn new<P: AsRef<str>, T: AsRef<[u8]>>(files: &[(P, T)]) -> Place {
        let folder = TempDir::new().unwrap();
        fs::create_dir(folder.path().join("vault")).unwrap();
        fs::create_dir(folder.path().join("data")).unwrap();
        let place = Place { folder };
        files.iter().for_each(|(path, text)| drop(place.put(path.as_ref(), text)));
        place
    }

    pub(crate) fn on_disk(&self, path: &str) -> PathBuf {
        self.folder.path().join("vault").join(path)
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.folder.path().join("data/catalogue.log")
    }

    /// Puts a file there as another program would.
    pub(crate) fn put(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.on_disk(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn text(&self, path: &str) -> String {
        fs::read_to_string(self.on_disk(path)).unwrap()
    }

    /// Makes all files look as if they had been written a minute ago, or so many seconds before that.
    pub(crate) fn age(&self, more: u64) {
        age(&self.on_disk(""), SystemTime::now() - Duration::from_secs(60 + more));
    }

    /// A run that keeps its catalogue.
    pub(crate) fn start(&self) -> Run {
        self.start_with(&IndexSettings::default())
    }

    pub(crate) fn start_with(&self, settings: &IndexSettings) -> Run {
        let data = Dir::open_ambient_dir(self.folder.path().join("data"), ambient_authority()).unwrap();
        let vault = Arc::new(Vault::open(&self.on_disk(""), None, Limits::default()).unwrap());
        let run = Run { index: Index::start(vault.clone(), Some(data), settings), vault };
        run.index.wait(|_| true);
        run
    }

    /// Ends a run and waits until its last thread has let go of the store.
    pub(crate) fn stop(&self, run: Run) {
        drop(run);
        for name in ["data/catalogue.lock", "data/text/writer.lock"] {
            if let Ok(lock) = fs::File::open(self.folder.path().join(name)) {
                within_a_second("the store is free", || lock.try_lock().is_ok());
            }
        }
    }

    /// Starts and stops, and says how many files were read for that.
    pub(crate) fn run_once(&self) -> u64 {
        let run = self.start();
        let read = run.index.status().files_read;
        self.stop(run);
        read
    }

    pub(crate) fn start_without_store(&self) -> Run {
        let run = self.start_at_once(None);
        run.index.wait(|_| true);
        run
    }

    pub(crate) fn start_at_once(&self, data: Option<Dir>) -> Run {
        let vault = Arc::new(Vault::open(&self.on_disk(""), None, Limits::default()).unwrap());
        Run { index: Index::start(vault.clone(), data, &IndexSettings::default()), vault }
    }
}

impl Run {
    pub(crate) fn write(&self, path: &str, text: &str) {
        self.vault.write(&note(path), text.into(), Expect::Anything, Folders::Create).unwrap();
    }

    /// Moves a file and its links, as the tools do.
    pub(crate) fn move_file(&self, from: &str, to: &str) -> usize {
        let relinked = relinked_move(&self.vault, &self.index.catalogue(), &note(from), &note(to)).unwrap();
        let links = relinked.iter().map(|file| file.links).sum();
        let mut transaction = self.vault.transaction(Folders::Create);
        for file in relinked {
            transaction = transaction.write(file.path, file.bytes, Expect::Hash(file.before));
        }
        transaction.rename(note(from), note(to)).commit().unwrap();
        links
    }

    pub(crate) fn paths(&self) -> Vec<String> {
        self.index.catalogue().files().map(|entry| entry.path.to_string()).collect()
    }

    pub(crate) fn tags(&self, path: &str) -> Option<Vec<String>> {
        let catalogue = self.index.catalogue();
        catalogue.find(&note(path)).map(|entry| entry.tags.iter().map(ToString::to_string).collect())
    }
}

pub(crate) fn note(path: &str) -> NotePath {
    NotePath::parse(path).unwrap()
}

pub(crate) fn tagged(tag: &str) -> String {
    format!("---\ntags: [{tag}]\n---\ntext\n")
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

fn age(folder: &Path, time: SystemTime) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            age(&path, time);
        } else {
            fs::File::options().append(true).open(&path).unwrap().set_modified(time).unwrap();
        }
    }
}
