//! A file that is not a good state is refused; nothing is ever opened empty in its place.

use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, MetadataExt, Permissions, PermissionsExt};
use quillgate_state::{Location, State, StateError};
use tempfile::TempDir;

use crate::place::{NOW, client, connect, user};

struct Folder {
    place: TempDir,
    dir: Dir,
}

impl Folder {
    fn new() -> Folder {
        let place = tempfile::tempdir().unwrap();
        let dir = Dir::open_ambient_dir(place.path(), ambient_authority()).unwrap();
        Folder { place, dir }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    async fn open(&self, name: &str) -> Result<State, StateError> {
        State::open(&Location::Sqlite(self.path(name))).await
    }

    /// A state with somebody in it, closed.
    async fn fill(&self) {
        let state = self.open("state.db").await.unwrap();
        state.put_user(&user("anna")).await.unwrap();
        for number in 0..500 {
            state.add_client(&client(&number.to_string(), NOW)).await.unwrap();
        }
        drop(state);
        self.settle("PRAGMA wal_checkpoint(TRUNCATE)");
    }

    /// Runs SQL with other hands than ours.
    fn settle(&self, sql: &str) {
        connect(&self.path("state.db")).execute_batch(sql).unwrap();
    }

    async fn refuses(&self, words: &str) {
        let before = self.dir.read("state.db").ok();
        let error = self.open("state.db").await.unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
        assert_eq!(self.dir.read("state.db").ok(), before, "it was changed");
    }

    fn mode(&self, name: impl AsRef<Path>) -> u32 {
        self.dir.metadata(name).unwrap().mode() & 0o777
    }
}

#[tokio::test]
async fn files_and_folders_are_for_nobody_else() {
    let folder = Folder::new();
    let state = folder.open("a/b/state.db").await.unwrap();
    state.put_user(&user("anna")).await.unwrap();
    assert_eq!([folder.mode("a"), folder.mode("a/b")], [0o700; 2]);
    let names: Vec<_> = folder.dir.read_dir("a/b").unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(names.len() <= 3, "nothing is left over: {names:?}");
    for name in names {
        assert_eq!(folder.mode(Path::new("a/b").join(&name)), 0o600, "{name:?}");
    }
}

#[tokio::test]
async fn a_file_that_others_can_read_is_taken_from_them() {
    let folder = Folder::new();
    folder.fill().await;
    folder.dir.set_permissions("state.db", Permissions::from_mode(0o644)).unwrap();
    let state = folder.open("state.db").await.unwrap();
    assert_eq!(folder.mode("state.db"), 0o600);
    assert!(state.find_user("anna").await.unwrap().is_some());
}

#[tokio::test]
async fn garbled_files_are_refused() {
    let folder = Folder::new();
    folder.fill().await;
    let good = folder.dir.read("state.db").unwrap();
    let mut middle = good.clone();
    middle[8192..12288].fill(0xa5);
    let mut head = good.clone();
    head[..100].fill(b'x');
    let truncated = good[..good.len() / 2].to_vec();
    for bytes in [middle, head, truncated, b"this is my diary".to_vec(), vec![0; 8192]] {
        folder.dir.write("state.db", bytes).unwrap();
        folder.refuses("it is damaged or no SQLite file; restore a backup").await;
    }
    folder.dir.write("state.db", good).unwrap();
    assert_eq!(folder.open("state.db").await.unwrap().count_clients().await.unwrap(), 500);
}

#[tokio::test]
async fn an_empty_file_is_refused() {
    let folder = Folder::new();
    folder.dir.write("state.db", "").unwrap();
    folder.refuses("the file is empty").await;
}

#[tokio::test]
async fn links_and_folders_are_refused() {
    let folder = Folder::new();
    folder.open("real.db").await.unwrap();
    folder.dir.symlink("real.db", "state.db").unwrap();
    folder.refuses("it is a symbolic link").await;
    folder.dir.remove_file("state.db").unwrap();
    folder.dir.symlink("nowhere.db", "state.db").unwrap();
    folder.refuses("it is a symbolic link").await;
    folder.dir.remove_file("state.db").unwrap();
    folder.dir.create_dir("state.db").unwrap();
    folder.refuses("it is not a file").await;
}

/// The operator may keep the data folder elsewhere.
#[tokio::test]
async fn the_folder_may_be_reached_through_a_link() {
    let folder = Folder::new();
    folder.dir.create_dir("real").unwrap();
    folder.dir.symlink("real", "data").unwrap();
    folder.open("data/state.db").await.unwrap().put_user(&user("anna")).await.unwrap();
    assert!(folder.open("real/state.db").await.unwrap().find_user("anna").await.unwrap().is_some());
}

#[tokio::test]
async fn the_database_of_another_program_is_refused() {
    let folder = Folder::new();
    folder.settle("CREATE TABLE users (name TEXT)");
    folder.refuses("it is the database of another program").await;
}

#[tokio::test]
async fn a_newer_version_is_refused() {
    let folder = Folder::new();
    folder.fill().await;
    folder.settle("UPDATE quillgate_version SET version = 99");
    folder.refuses("was written by a newer version (its schema is 99, this program knows").await;
}

/// SQLite would mix what stands in the log into a new file.
#[tokio::test]
async fn a_log_without_its_file_is_refused() {
    let folder = Folder::new();
    folder.dir.write("state.db-wal", "left over").unwrap();
    folder.refuses("the file is gone, but its -wal is there").await;
}
