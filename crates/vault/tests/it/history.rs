//! Every change is in the history, with the bytes it replaced, and is found, shown and read there.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use quillgate_vault::{
    Author, ChangeId, Compared, ContentHash, Durability, Expect, FileChange, Filter, Folders, History, HistorySettings, Image,
    Limits, PastChange, Preview, Side, TrashOption, Undo, Vault, VaultError, unified_diff,
};
use tempfile::TempDir;

use crate::place::{Place, note, open_with, tree};

/// A vault with a clock that hardly moves unless it is told to.
pub(crate) struct Past {
    pub(crate) place: Place,
    pub(crate) vault: Vault,
    settings: HistorySettings,
    time: Arc<AtomicI64>,
}

pub(crate) const START: i64 = 1_800_000_000_000_000;
pub(crate) const DAY: i64 = 24 * 3600 * 1_000_000;

impl Past {
    pub(crate) fn new() -> Past {
        Past::with(HistorySettings::default())
    }

    pub(crate) fn with(settings: HistorySettings) -> Past {
        let place = Place::in_memory();
        place.put(".obsidian/app.json", r#"{"trashOption": "none"}"#);
        let time = Arc::new(AtomicI64::new(START));
        let clock = time.clone();
        let settings = HistorySettings { clock: Arc::new(move || clock.fetch_add(1, Ordering::Relaxed)), ..settings };
        let vault = open(&place, &settings);
        Past { place, vault, settings, time }
    }

    /// As another process has it.
    pub(crate) fn open(&self) -> Vault {
        open(&self.place, &self.settings)
    }

    /// As after the end of the process and another start.
    pub(crate) fn restart(&mut self, meanwhile: impl FnOnce(&Place)) {
        // Any other vault will do for the moment.
        self.vault = Vault::open(&self.place.on_disk(""), None, Limits::default()).unwrap();
        meanwhile(&self.place);
        self.vault = self.open();
    }

    pub(crate) fn pass(&self, microseconds: i64) -> i64 {
        self.time.fetch_add(microseconds, Ordering::Relaxed) + microseconds
    }

    pub(crate) fn history(&self) -> History<'_> {
        self.vault.history().unwrap()
    }

    pub(crate) fn write(&self, path: &str, text: &str) -> ChangeId {
        let change = self.vault.transaction(Folders::Create).write(note(path), text.into(), Expect::Anything);
        change.commit().unwrap().change.unwrap()
    }

    pub(crate) fn rename(&self, from: &str, to: &str) -> ChangeId {
        self.vault.transaction(Folders::Create).rename(note(from), note(to)).commit().unwrap().change.unwrap()
    }

    pub(crate) fn remove(&self, path: &str) -> ChangeId {
        let change = self.vault.transaction(Folders::Create).remove(note(path), Expect::Anything, TrashOption::None);
        change.commit().unwrap().change.unwrap()
    }

    pub(crate) fn all(&self) -> Vec<PastChange> {
        self.history().list(&Filter::default(), None, 10_000).unwrap()
    }

    fn read_at(&self, path: &str, at: i64) -> Option<String> {
        self.history().read_at(&note(path), at).unwrap().map(|bytes| String::from_utf8(bytes).unwrap())
    }
}

fn open(place: &Place, settings: &HistorySettings) -> Vault {
    open_with(place.path(), Limits::default(), settings.clone()).with_durability(Durability::Relaxed)
}

pub(crate) fn author(caller: &str, session: &str, tool: &str, call: &str) -> Author {
    let [caller, session, tool, surface, call] = [caller, session, tool, "engine", call].map(Arc::from);
    Author { caller, session: Some(session), tool, surface, call }
}

fn image(text: &str) -> Image {
    Image { size: text.len() as u64, hash: Some(ContentHash::of(text.as_bytes())), is_kept: true }
}

fn created(path: &str, after: &str) -> FileChange {
    FileChange::Created { path: note(path), after: image(after) }
}

fn edited(path: &str, before: &str, after: &str) -> FileChange {
    FileChange::Edited { path: note(path), before: image(before), after: image(after) }
}

fn deleted(path: &str, before: &str) -> FileChange {
    FileChange::Deleted { path: note(path), before: image(before) }
}

fn moved(from: &str, to: &str) -> FileChange {
    FileChange::Moved { from: note(from), to: note(to), rewritten: None }
}

#[test]
fn every_way_to_change_a_file_is_recorded() {
    let past = Past::new();
    past.place.put("old.md", "from before");
    let vault = past.vault.by(author("ann", "s1", "edit_note", "c1"));
    vault.write(&note("a.md"), b"1".to_vec(), Expect::Absent, Folders::Create).unwrap();
    vault.write(&note("a.md"), b"2".to_vec(), Expect::Hash(ContentHash::of(b"1")), Folders::Create).unwrap();
    vault.write(&note("a.md"), b"3".to_vec(), Expect::Anything, Folders::Create).unwrap();
    vault.update(&note("a.md"), |_| Ok::<_, VaultError>(b"4".to_vec())).unwrap();
    vault.transaction(Folders::Create).rename(note("a.md"), note("b/c.md")).commit().unwrap();
    vault.remove(&note("b/c.md"), TrashOption::Local).unwrap();
    vault.trash(&note("old.md")).unwrap();
    let several = vault.transaction(Folders::Create).write(note("x.md"), b"x".to_vec(), Expect::Absent);
    several.write(note("y.md"), b"y".to_vec(), Expect::Absent).commit().unwrap();
    let several = vault.transaction(Folders::Create).write(note("x.md"), b"x2".to_vec(), Expect::Anything);
    let several = several.rename(note("x.md"), note("z/x.md")).remove(note("y.md"), Expect::Anything, TrashOption::None);
    let change = several.write(note("n.md"), b"n".to_vec(), Expect::Absent).commit().unwrap().change;
    let rewritten = FileChange::Moved { from: note("x.md"), to: note("z/x.md"), rewritten: Some((image("x"), image("x2"))) };
    let recorded: Vec<Vec<FileChange>> = past.all().into_iter().map(|change| change.files).rev().collect();
    assert_eq!(
        recorded,
        [
            vec![created("a.md", "1")],
            vec![edited("a.md", "1", "2")],
            vec![edited("a.md", "2", "3")],
            vec![edited("a.md", "3", "4")],
            vec![moved("a.md", "b/c.md")],
            vec![deleted("b/c.md", "4")],
            vec![deleted("old.md", "from before")],
            vec![created("x.md", "x"), created("y.md", "y")],
            vec![rewritten, deleted("y.md", "y"), created("n.md", "n")],
        ]
    );
    assert_eq!(past.all()[0].id, change.unwrap());
    for change in past.all() {
        assert_eq!(change.author, Some(author("ann", "s1", "edit_note", "c1")));
        assert!(!change.is_under_way && change.undoes.is_empty());
        assert_images(&past.history(), &change);
    }
}

/// The history has every byte that the change replaced or wrote.
#[track_caller]
fn assert_images(history: &History<'_>, change: &PastChange) {
    for (file, side) in change.files.iter().flat_map(|file| [(file, Side::Before), (file, Side::After)]) {
        let bytes = history.image(change.id, file.path(), side).unwrap();
        assert_eq!(bytes.map(|bytes| ContentHash::of(&bytes)), file.image(side).map(|image| image.hash.unwrap()));
    }
}

#[test]
fn a_change_for_nobody_in_particular_is_recorded_too() {
    let past = Past::new();
    let change = past.write("a.md", "1");
    assert_eq!(past.history().find(change).unwrap().author, None);
}

#[test]
fn what_is_written_again_unchanged_is_no_change() {
    let past = Past::new();
    past.write("a.md", "1");
    let again = past.vault.transaction(Folders::Create).write(note("a.md"), b"1".to_vec(), Expect::Anything).commit().unwrap();
    assert_eq!((again.change, again.written.len()), (None, 1));
    past.vault.update(&note("a.md"), |contents| Ok::<_, VaultError>(contents.bytes.clone())).unwrap();
    assert_eq!(past.all().len(), 1);
}

#[test]
fn a_change_that_is_refused_leaves_no_trace() {
    let past = Past::new();
    past.place.put("a.md", "1");
    let write = |expect| past.vault.write(&note("a.md"), b"2".to_vec(), expect, Folders::Create);
    assert!(matches!(write(Expect::Absent), Err(VaultError::Exists(_))));
    assert!(matches!(write(Expect::Hash(ContentHash::of(b"0"))), Err(VaultError::Conflict(_))));
    assert!(past.vault.remove(&note("b.md"), TrashOption::None).is_err());
    assert!(past.vault.transaction(Folders::Create).rename(note("b.md"), note("c.md")).commit().is_err());
    assert_eq!(past.all(), []);
    assert_eq!(past.history().size().unwrap(), (0, 0));
}

/// Somebody else writes the file when everything is ready for the swap.
#[cfg(debug_assertions)]
#[test]
fn a_change_that_fails_at_the_last_moment_is_not_in_the_history() {
    use quillgate_vault::fault;

    let past = Past::new();
    let edited = past.place.put("watched by the test of the last moment.md", "1");
    fault::observe({
        let edited = edited.clone();
        move |name| {
            if name == "append history" && fs::read(&edited).is_ok_and(|bytes| bytes == b"1") {
                fs::write(&edited, "written at the last moment").unwrap();
            }
        }
    });
    let path = note("watched by the test of the last moment.md");
    let failed = past.vault.write(&path, b"2".to_vec(), Expect::Anything, Folders::Create);
    assert!(matches!(failed, Err(VaultError::Conflict(_))), "{failed:?}");
    fs::write(&edited, "1").unwrap();
    let failed = past.vault.remove(&path, TrashOption::None);
    assert!(matches!(failed, Err(VaultError::Conflict(_))), "{failed:?}");
    assert_eq!(fs::read(&edited).unwrap(), b"written at the last moment");
    assert_eq!(past.all(), []);
}

#[test]
fn changes_are_found_by_what_is_known_of_them() {
    let past = Past::new();
    let mut made = Vec::new();
    for (number, (caller, session, tool)) in
        [("ann", "s1", "edit"), ("ann", "s1", "move"), ("bob", "s2", "edit"), ("ann", "s3", "edit")].into_iter().enumerate()
    {
        let vault = past.vault.by(author(caller, session, tool, &format!("call {number}")));
        vault.write(&note("a.md"), vec![b'0' + number as u8], Expect::Anything, Folders::Create).unwrap();
        vault.write(&note(&format!("{number}.md")), b"x".to_vec(), Expect::Anything, Folders::Create).unwrap();
        made.push(past.pass(1_000_000));
    }
    let found = |filter: Filter| -> Vec<String> {
        let found = past.history().list(&filter, None, 100).unwrap();
        found.iter().map(|change| change.author.as_ref().unwrap().call[5..].to_owned()).collect()
    };
    let some = |text: &str| Some(text.to_owned());
    let any = Filter::default;
    assert_eq!(found(Filter { caller: some("ann"), ..any() }), ["3", "3", "1", "1", "0", "0"]);
    assert_eq!(found(Filter { session: some("s1"), ..any() }), ["1", "1", "0", "0"]);
    assert_eq!(found(Filter { tool: some("move"), ..any() }), ["1", "1"]);
    assert_eq!(found(Filter { call: some("call 2"), ..any() }), ["2", "2"]);
    assert_eq!(found(Filter { path: Some(note("a.md")), ..any() }), ["3", "2", "1", "0"]);
    assert_eq!(found(Filter { path: Some(note("2.md")), caller: some("ann"), ..any() }), [""; 0]);
    assert_eq!(found(Filter { since: Some(made[1]), ..any() }), ["3", "3", "2", "2"]);
    assert_eq!(found(Filter { since: Some(made[0]), until: Some(made[1]), ..any() }), ["1", "1"]);
    assert_eq!(found(Filter { path: Some(note("A.md")), ..any() }), [""; 0]);
}

#[test]
fn pages_follow_each_other_while_changes_come() {
    let past = Past::new();
    let made: Vec<ChangeId> = (0..25).map(|number| past.write("a.md", &number.to_string())).collect();
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let page = past.history().list(&Filter::default(), after, 4).unwrap();
        let Some(last) = page.last() else { break };
        after = Some(last.id);
        seen.extend(page.into_iter().map(|change| change.id));
        past.write("b.md", &seen.len().to_string());
    }
    seen.reverse();
    assert_eq!(seen, made);
}

#[test]
fn a_change_is_shown_as_text() {
    let past = Past::new();
    past.write("a.md", "one\ntwo\nthree\n");
    past.place.put("picture.png", [0, 1, 2]);
    let change = past.vault.transaction(Folders::Create);
    let change = change.write(note("a.md"), b"one\n2\nthree\n".to_vec(), Expect::Anything).rename(note("a.md"), note("b.md"));
    let change = change.write(note("picture.png"), vec![0, 1, 2, 3], Expect::Anything);
    let change = change.write(note("new.md"), b"new".to_vec(), Expect::Anything).commit().unwrap().change.unwrap();
    let diff = past.history().diff(change, 10_000).unwrap();
    let texts: Vec<&str> = diff.iter().map(|diff| diff.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "rename from a.md\nrename to b.md\n--- a/a.md\n+++ b/b.md\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
            "--- a/picture.png\n+++ b/picture.png\nnot text: 3 bytes before, 4 bytes after\n",
            "--- /dev/null\n+++ b/new.md\n@@ -0,0 +1 @@\n+new\n\\ No newline at end of file\n",
        ]
    );
    let removed = past.remove("new.md");
    assert!(past.history().diff(removed, 100).unwrap()[0].text.contains("+++ /dev/null\n"));
    let unknown: ChangeId = "0123456789abcdefghjk".parse().unwrap();
    assert!(matches!(past.history().diff(unknown, 100), Err(VaultError::NoChange(change)) if change == unknown));
}

#[test]
fn a_change_that_is_only_proposed_is_shown_too() {
    let past = Past::new();
    past.place.put("a.md", "one\n");
    past.place.put("b.md", "b\n");
    past.place.put("c.md", "c\n");
    let change = past.vault.transaction(Folders::Create).write(note("a.md"), b"two\n".to_vec(), Expect::Anything);
    let change = change.rename(note("a.md"), note("x.md")).rename(note("b.md"), note("y.md"));
    let change = change.remove(note("c.md"), Expect::Anything, TrashOption::None);
    let change = change.write(note("new.md"), b"new\n".to_vec(), Expect::Absent);
    let shown = |preview: &Preview| {
        let (before, after) = (preview.before.as_deref(), preview.after.as_deref());
        unified_diff(&Compared { path: &preview.path, moved_to: preview.to.as_ref(), before, after }, 1000)
    };
    let texts: Vec<String> = change.preview().unwrap().iter().map(shown).collect();
    assert_eq!(
        texts,
        [
            "rename from a.md\nrename to x.md\n--- a/a.md\n+++ b/x.md\n@@ -1 +1 @@\n-one\n+two\n",
            "rename from b.md\nrename to y.md\n",
            "--- a/c.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-c\n",
            "--- /dev/null\n+++ b/new.md\n@@ -0,0 +1 @@\n+new\n",
        ]
    );
    assert_eq!(past.all(), []);
}

#[test]
fn a_file_is_read_as_it_was() {
    let past = Past::new();
    past.place.put("old.md", "never changed");
    // Between any two changes.
    let moment = || (past.pass(100), past.pass(100)).0;
    let mut times = vec![moment()];
    let mut then = |_: ChangeId| times.push(moment());
    then(past.write("a.md", "1"));
    then(past.write("a.md", "2"));
    then(past.rename("a.md", "b.md"));
    then(past.write("b.md", "3"));
    then(past.write("a.md", "another"));
    then(past.remove("b.md"));
    let read = |path: &str| times.iter().map(|at| past.read_at(path, *at).unwrap_or_default()).collect::<Vec<String>>();
    assert_eq!(read("a.md"), ["", "1", "2", "", "", "another", "another"]);
    assert_eq!(read("b.md"), ["", "", "", "2", "3", "3", ""]);
    assert_eq!(read("old.md"), ["never changed"; 7]);
    assert_eq!(read("none.md"), [""; 7]);
    // At the very moment of a change it has been made.
    assert_eq!(past.read_at("a.md", past.all().last().unwrap().at()), Some("1".to_owned()));
    past.place.put("a.md", "by another program");
    assert_eq!(past.read_at("a.md", past.pass(10)), Some("by another program".to_owned()));
}

#[test]
fn of_large_files_the_size_is_kept() {
    let past = Past::with(HistorySettings { max_file_bytes: 1000, ..HistorySettings::default() });
    past.place.put("large.bin", vec![7; 1001]);
    let write = |bytes: Vec<u8>| {
        let change = past.vault.transaction(Folders::Create).write(note("large.bin"), bytes, Expect::Anything);
        change.commit().unwrap().change.unwrap()
    };
    let (first, second) = (write(vec![8; 2000]), write(vec![9; 1000]));
    let third = past.remove("large.bin");
    let history = past.history();
    let large = |size, hash| Image { size, hash, is_kept: false };
    let FileChange::Edited { before, after, .. } = history.find(first).unwrap().files[0].clone() else { panic!("an edit") };
    assert_eq!((before, after), (large(1001, None), large(2000, Some(ContentHash::of(&[8; 2000])))));
    assert!(matches!(history.image(first, &note("large.bin"), Side::After), Err(VaultError::NotKept(_))));
    assert!(matches!(history.image(second, &note("large.bin"), Side::Before), Err(VaultError::NotKept(_))));
    assert_eq!(history.image(third, &note("large.bin"), Side::Before).unwrap(), Some(vec![9; 1000]));
    assert!(history.diff(first, 1000).unwrap()[0].text.contains("too large"));
    assert!(history.size().unwrap().1 < 1500);
}

#[test]
fn without_room_for_the_history_nothing_is_lost() {
    let place = Place::in_memory();
    let (gone, vault) = (TempDir::new().unwrap(), Vault::open(&place.on_disk(""), None, Limits::default()).unwrap());
    let folder = Dir::open_ambient_dir(gone.path(), ambient_authority()).unwrap();
    drop(gone);
    let vault = vault.with_history(folder, HistorySettings::default());
    place.put("a.md", "kept");
    let before = tree(&place.on_disk(""));
    let write = |path: &str| vault.write(&note(path), b"new".to_vec(), Expect::Anything, Folders::Create);
    assert!(matches!(write("a.md"), Err(VaultError::History(_))));
    assert!(matches!(vault.remove(&note("a.md"), TrashOption::None), Err(VaultError::History(_))));
    let several = vault.transaction(Folders::Create).write(note("new.md"), b"new".to_vec(), Expect::Absent);
    let several = several.write(note("a.md"), b"new".to_vec(), Expect::Anything).commit();
    assert!(matches!(several, Err(VaultError::History(_))));
    assert_eq!(tree(&place.on_disk("")), before);
    // What replaces nothing can go on.
    write("b.md").unwrap();
    vault.transaction(Folders::Create).rename(note("b.md"), note("c.md")).commit().unwrap();
    assert_eq!((place.bytes("a.md"), place.bytes("c.md")), (b"kept".to_vec(), b"new".to_vec()));
}

#[test]
fn a_vault_without_a_history_has_none() {
    let place = Place::in_memory();
    let vault = Vault::open(&place.on_disk(""), None, Limits::default()).unwrap();
    let written = vault.transaction(Folders::Create).write(note("a.md"), b"1".to_vec(), Expect::Anything).commit().unwrap();
    assert!(written.change.is_none() && vault.history().is_none());
    let undo = Undo::All(Filter::default());
    assert!(matches!(vault.plan_undo(&undo, quillgate_vault::OnConflict::Refuse), Err(VaultError::NoHistory)));
}
