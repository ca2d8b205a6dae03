//! What a start makes of a change that was interrupted, and of what it finds in the journal.

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::thread;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use quillgate_vault::{ContentHash, Expect, Filter, Folders, HistorySettings, Limits, Recovery, TrashOption, Vault, VaultError};
use tempfile::TempDir;

use crate::crashes::{Work, start_and_wait};
use crate::killing::{At, Tree, run_to_its_end, run_until_killed, tree_in};
use crate::place::{Place, note, open, tree, within_a_second};

/// A place where a small change was killed, and the vault before it and after it.
struct Interrupted {
    place: Place,
    before: Tree,
    after: Tree,
}

fn interrupted(at: At) -> Interrupted {
    let whole = Place::in_memory();
    Work::Small.prepare(&whole);
    run_to_its_end(whole.path(), Work::Small);
    let place = Place::in_memory();
    Work::Small.prepare(&place);
    let before = tree_in(&place.on_disk(""));
    run_until_killed(place.path(), Work::Small, at);
    Interrupted { place, before, after: tree_in(&whole.on_disk("")) }
}

impl Interrupted {
    fn now(&self) -> Tree {
        tree_in(&self.place.on_disk(""))
    }

    fn record(&self) -> String {
        let found = fs::read_dir(self.place.journal("")).unwrap().next().expect("a record");
        found.unwrap().file_name().into_string().unwrap()
    }

    fn recover(&self) -> Recovery {
        open(self.place.path(), Limits::default()).recovery().clone()
    }
}

/// The first file is swapped in; nothing else is.
const FIRST_SWAPPED: At = At::Named("exchange", 1);
/// Everything is staged, and the journal knows.
const STAGED: At = At::Named("sync record", 1);

#[test]
fn a_change_that_was_announced_is_finished() {
    let interrupted = interrupted(FIRST_SWAPPED);
    assert_ne!(interrupted.now(), interrupted.before);
    assert_eq!(interrupted.recover(), Recovery { finished: 1, ..Recovery::default() });
    assert_eq!(interrupted.now(), interrupted.after);
    assert_eq!(interrupted.recover(), Recovery::default());
}

#[test]
fn a_change_that_was_only_being_staged_leaves_nothing() {
    let interrupted = interrupted(At::Named("sync", 1));
    assert_ne!(interrupted.now(), interrupted.before);
    assert_eq!(interrupted.recover(), Recovery::default());
    assert_eq!(interrupted.now(), interrupted.before);
    assert!(tree(&interrupted.place.journal("")).is_empty());
}

#[test]
fn a_change_whose_staged_files_are_lost_is_taken_back() {
    let interrupted = interrupted(FIRST_SWAPPED);
    // Of the two that remain to be swapped in, the one for the new file.
    let staged =
        tree(&interrupted.place.on_disk("new")).into_keys().find(|path| path.extension().is_some_and(|end| end == "tmp"));
    fs::remove_file(staged.unwrap()).unwrap();
    assert_eq!(interrupted.recover(), Recovery { undone: 1, ..Recovery::default() });
    assert_eq!(interrupted.now(), interrupted.before);
}

#[test]
fn processes_that_start_at_once_do_not_disturb_each_other() {
    let interrupted = interrupted(FIRST_SWAPPED);
    let folder = interrupted.place.path();
    let recoveries: Vec<Recovery> = thread::scope(|scope| {
        let starts: Vec<_> = (0..8).map(|_| scope.spawn(|| open(folder, Limits::default()).recovery().clone())).collect();
        starts.into_iter().map(|start| start.join().unwrap()).collect()
    });
    assert_eq!(recoveries.iter().map(|recovery| recovery.finished).sum::<usize>(), 1, "{recoveries:?}");
    assert_eq!(interrupted.now(), interrupted.after);
}

#[test]
fn a_change_under_way_in_another_process_is_left_alone() {
    let whole = interrupted(STAGED);
    for at in [At::Named("write record", 1), At::Named("create", 1), STAGED, FIRST_SWAPPED, At::Named("rename", 3)] {
        let place = Place::in_memory();
        Work::Small.prepare(&place);
        let mut other = start_and_wait(place.path(), Work::Small, at);
        let seen = tree_in(&place.on_disk(""));
        // Without the locks of paths, which would keep it out as well, after a while.
        let journal = Dir::open_ambient_dir(place.journal(""), ambient_authority()).unwrap();
        let here = open_without_journal(&place).with_journal(journal);
        assert_eq!(here.recovery().left.len(), 1, "{:?}", here.recovery());
        // A walk removes what crashes left, but not what somebody is working with.
        here.walk(&quillgate_vault::FolderPath::ROOT, |_| true).unwrap();
        assert_eq!(tree_in(&place.on_disk("")), seen);
        other.stdin.take().unwrap().write_all(b"go on\n").unwrap();
        assert!(other.wait().unwrap().success());
        assert_eq!(tree_in(&place.on_disk("")), whole.after);
    }
}

#[test]
fn recovery_waits_for_whoever_is_changing_one_of_the_files() {
    let interrupted = interrupted(STAGED);
    let (place, record) = (&interrupted.place, interrupted.place.journal(&interrupted.record()));
    let record = fs::File::open(record).unwrap();
    let recovery = thread::scope(|scope| {
        let mut recovering = None;
        let updated = place.vault.update(&note("notes/0.md"), |_| {
            recovering = Some(scope.spawn(|| interrupted.recover()));
            within_a_second("recovery has begun", || match record.try_lock() {
                Ok(()) => record.unlock().is_err(),
                Err(_) => true,
            });
            Ok::<_, VaultError>(b"written meanwhile".to_vec())
        });
        updated.unwrap();
        recovering.unwrap().join().unwrap()
    });
    assert_eq!(recovery.kept, [note("notes/0.md")]);
    assert_eq!(place.bytes("notes/0.md"), b"written meanwhile");
}

#[test]
fn a_walk_keeps_what_an_interrupted_change_needs() {
    let interrupted = interrupted(FIRST_SWAPPED);
    // Started before the crash, so it has recovered nothing.
    interrupted.place.walked();
    interrupted.recover();
    assert_eq!(interrupted.now(), interrupted.after);
}

#[test]
fn a_damaged_record_is_set_aside_by_name_and_nothing_is_done() {
    let damages: [fn(&mut Vec<u8>); 4] = [
        |record| record.iter_mut().filter(|byte| **byte == b'm').for_each(|byte| *byte = b'n'),
        |record| *record = b"quillgate journal 2\nwhatever that says\n".to_vec(),
        |record| *record = vec![0; 4096],
        |record| record.extend_from_within(..),
    ];
    for damage in damages {
        let interrupted = interrupted(FIRST_SWAPPED);
        let (name, seen) = (interrupted.record(), interrupted.now());
        let mut record = fs::read(interrupted.place.journal(&name)).unwrap();
        damage(&mut record);
        fs::write(interrupted.place.journal(&name), &record).unwrap();
        let set_aside = name.replace(".journal", ".set-aside");
        assert_eq!(interrupted.recover(), Recovery { set_aside: vec![set_aside.clone()], ..Recovery::default() });
        assert_eq!(interrupted.now(), seen);
        assert_eq!(fs::read(interrupted.place.journal(&set_aside)).unwrap(), record);
        // It is out of the way from now on.
        assert_eq!(interrupted.recover(), Recovery::default());
    }
}

#[test]
fn a_record_that_leads_out_of_the_vault_is_set_aside() {
    let interrupted = interrupted(FIRST_SWAPPED);
    let place = &interrupted.place;
    let secret = place.put_outside("secret.md", "[[hub]] and its links");
    let record = fs::read_to_string(place.journal(&interrupted.record())).unwrap();
    fs::remove_file(place.journal(&interrupted.record())).unwrap();
    let seen = interrupted.now();
    for hostile in ["../outside/secret.md", ".obsidian/app.json"] {
        // With check sums that fit, as somebody would write them who knows the format.
        let lines = record.lines().map(|line| match line.split_once(" {") {
            Some((_, json)) => {
                let json = format!("{{{json}").replace("hub.md", hostile);
                format!("{} {json}\n", &ContentHash::of(json.as_bytes()).to_string()[..16])
            }
            None => format!("{line}\n"),
        });
        fs::write(place.journal("0123.journal"), lines.collect::<String>()).unwrap();
        assert_eq!(interrupted.recover(), Recovery { set_aside: vec!["0123.set-aside".into()], ..Recovery::default() });
        assert_eq!(interrupted.now(), seen);
        assert_eq!(fs::read(&secret).unwrap(), b"[[hub]] and its links");
    }
}

#[test]
fn a_folder_that_became_a_link_is_not_followed() {
    let interrupted = interrupted(STAGED);
    let place = &interrupted.place;
    fs::rename(place.on_disk("notes"), place.outside("notes")).unwrap();
    symlink(place.outside("notes"), place.on_disk("notes")).unwrap();
    let outside = tree(&place.outside(""));
    interrupted.recover();
    assert_eq!(tree(&place.outside("")), outside);
}

#[test]
fn a_file_that_somebody_changed_meanwhile_is_kept_and_reported() {
    // Before it was swapped in, and after.
    for (at, changed) in [(STAGED, "hub.md"), (STAGED, "notes/0.md"), (FIRST_SWAPPED, "notes/0.md")] {
        let interrupted = interrupted(at);
        interrupted.place.put(changed, "edited by somebody");
        let recovery = interrupted.recover();
        assert!(recovery.kept.contains(&note(changed)), "{recovery:?}");
        assert_eq!(interrupted.place.bytes(changed), b"edited by somebody");
        // Everything else is as before or as after.
        let rest = |mut tree: Tree| {
            tree.remove(Path::new(changed));
            tree
        };
        let now = rest(interrupted.now());
        assert!(
            [&interrupted.before, &interrupted.after].iter().any(|state| rest((*state).clone()) == now),
            "{changed}: {now:?}"
        );
        assert!(tree(&interrupted.place.journal("")).is_empty());
    }
}

/// Between the last look at a file and its exchange for the new one, another program may write it.
#[test]
fn what_was_written_in_the_last_instant_is_not_lost() {
    let interrupted = interrupted(FIRST_SWAPPED);
    let place = &interrupted.place;
    let displaced = tree(&place.on_disk("notes")).into_keys().find(|path| path.extension().is_some_and(|end| end == "tmp"));
    fs::write(displaced.unwrap(), "written in the last instant").unwrap();
    assert_eq!(interrupted.recover().kept, [note("notes/0.md")]);
    assert_eq!(place.bytes("notes/0.md"), b"written in the last instant");
    assert_eq!(tree(&place.on_disk("notes")).len(), 1);
}

#[test]
fn a_name_that_was_taken_meanwhile_takes_the_change_back() {
    let interrupted = interrupted(FIRST_SWAPPED);
    interrupted.place.put("picture.png", "another picture");
    let recovery = interrupted.recover();
    assert_eq!((recovery.undone, recovery.kept), (1, vec![note("folder/picture.png")]));
    let mut expected = interrupted.before.clone();
    expected.insert("picture.png".into(), b"another picture".to_vec());
    assert_eq!(interrupted.now(), expected);
}

#[test]
fn a_deleted_file_that_cannot_come_back_is_in_the_trash() {
    // Everything is swapped; the change is not committed yet.
    let interrupted = interrupted(At::Named("write record", 4));
    let place = &interrupted.place;
    place.put("gone.md", "a new one");
    // Somebody has moved two files back and put others in their place, so that the change cannot be finished.
    for (from, to) in [("picture.png", "folder/picture.png"), ("Café.md", "folder/Cafe\u{301}.md")] {
        fs::rename(place.on_disk(from), place.on_disk(to)).unwrap();
        place.put(from, "another one");
    }
    assert_eq!(interrupted.recover().undone, 1);
    assert_eq!((place.bytes("gone.md"), place.bytes(".trash/gone.md")), (b"a new one".to_vec(), b"for good".to_vec()));
    assert_eq!((place.bytes("trash me.md"), place.bytes("picture.png")), (b"to the trash".to_vec(), b"another one".to_vec()));
    assert_eq!(place.bytes("hub.md"), interrupted.before[Path::new("hub.md")]);
    assert!(!interrupted.now().keys().any(|path| path.to_string_lossy().contains(".quillgate-")));
}

#[test]
fn the_journal_may_lie_on_another_file_system_than_the_vault() {
    let elsewhere = TempDir::new().unwrap();
    let place = Place::in_memory();
    Work::Small.prepare(&place);
    fs::remove_dir(place.journal("")).unwrap();
    symlink(elsewhere.path(), place.path().join("journal")).unwrap();
    run_until_killed(place.path(), Work::Small, FIRST_SWAPPED);
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 1);
    assert_eq!(open(place.path(), Limits::default()).recovery().finished, 1);
    assert_eq!(tree_in(&place.on_disk("")), interrupted(STAGED).after);
}

/// A start that may change nothing leaves the change open in the history too; the next one settles it.
#[test]
fn what_is_not_recovered_yet_stays_open_in_the_history() {
    let interrupted = interrupted(FIRST_SWAPPED);
    let place = &interrupted.place;
    let folder = |name: &str| Dir::open_ambient_dir(place.path().join(name), ambient_authority()).unwrap();
    let open = |vault: Vault| vault.with_history(folder("history"), HistorySettings::default());
    let listed = |vault: &Vault| {
        let changes = vault.history().unwrap().list(&Filter::default(), None, 10).unwrap();
        changes.iter().map(|change| change.is_under_way).collect::<Vec<bool>>()
    };
    assert_eq!(listed(&open(open_without_journal(place).with_journal_unrecovered(folder("journal")))), [true]);
    let vault = open(open_without_journal(place).with_journal(folder("journal")));
    assert_eq!((vault.recovery().finished, listed(&vault)), (1, vec![false]));
}

fn open_without_journal(place: &Place) -> Vault {
    Vault::open(&place.on_disk(""), None, Limits::default()).unwrap()
}

#[test]
fn without_a_journal_a_change_is_all_or_nothing_as_long_as_the_process_lives() {
    let place = Place::new();
    Work::Small.prepare(&place);
    let after = interrupted(STAGED).after;
    Work::Small.change(&open_without_journal(&place)).unwrap();
    assert_eq!(tree_in(&place.on_disk("")), after);
}

#[test]
fn a_journal_that_cannot_be_written_costs_safety_and_not_the_service() {
    let place = Place::new();
    Work::Small.prepare(&place);
    let gone = TempDir::new().unwrap();
    let journal = Dir::open_ambient_dir(gone.path(), ambient_authority()).unwrap();
    drop(gone);
    let vault = open_without_journal(&place).with_journal(journal);
    Work::Small.change(&vault).unwrap();
    assert_eq!(tree_in(&place.on_disk("")), interrupted(STAGED).after);
}

#[test]
fn a_change_of_one_file_leaves_the_journal_alone() {
    let place = Place::new();
    place.put("a.md", "a");
    // Any record that came would stay: nothing can be removed from a folder that is not there.
    fs::remove_dir(place.journal("")).unwrap();
    place.write("a.md", "b").unwrap();
    place.vault.transaction(Folders::Create).rename(note("a.md"), note("b/c.md")).commit().unwrap();
    place.vault.transaction(Folders::Create).remove(note("b/c.md"), Expect::Anything, TrashOption::None).commit().unwrap();
    assert!(place.walked().is_empty());
}

#[test]
fn deleting_is_part_of_a_change() {
    let place = Place::new();
    let put = || ["a.md", "b.md", "c.md"].map(|path| place.put(path, path));
    put();
    place.put(".trash/a.md", "earlier");
    let delete = |expect: Expect| {
        let change = place.vault.transaction(Folders::MustExist).remove(note("a.md"), Expect::Anything, TrashOption::Local);
        change.remove(note("b.md"), expect, TrashOption::None).rename(note("c.md"), note("d.md")).commit()
    };
    let before = tree(&place.on_disk(""));
    let conflict = delete(Expect::Hash(ContentHash::of(b"something else")));
    assert!(matches!(conflict, Err(VaultError::Conflict(path)) if path.as_str() == "b.md"));
    assert_eq!(tree(&place.on_disk("")), before);
    delete(Expect::Hash(ContentHash::of(b"b.md"))).unwrap();
    assert_eq!(place.walked(), ["d.md"]);
    assert_eq!(place.bytes(".trash/a 1.md"), b"a.md");
    assert!(matches!(delete(Expect::Anything), Err(VaultError::NotFound(_))));
}

#[test]
fn a_path_has_one_part_in_a_change() {
    let place = Place::new();
    place.put("a.md", "a");
    place.put("b.md", "b");
    let before = tree(&place.on_disk(""));
    let change = || place.vault.transaction(Folders::Create);
    let write = |path: &str| change().write(note(path), b"x".to_vec(), Expect::Anything);
    assert!(write("a.md").write(note("a.md"), b"y".to_vec(), Expect::Anything).commit().is_err());
    assert!(write("a.md").remove(note("a.md"), Expect::Anything, TrashOption::None).commit().is_err());
    assert!(write("c.md").rename(note("a.md"), note("c.md")).commit().is_err());
    assert!(change().rename(note("a.md"), note("c.md")).rename(note("a.md"), note("d.md")).commit().is_err());
    assert!(change().rename(note("a.md"), note("c.md")).rename(note("b.md"), note("c.md")).commit().is_err());
    assert_eq!(tree(&place.on_disk("")), before);
}

#[test]
fn a_name_of_another_case_and_new_bytes_are_one_change() {
    let place = Place::new();
    place.put("note.md", "[[note]]");
    let change = place.vault.transaction(Folders::Create).write(note("note.md"), b"[[Note]]".to_vec(), Expect::Anything);
    change.rename(note("note.md"), note("Note.md")).commit().unwrap();
    assert_eq!(place.walked(), ["Note.md"]);
    assert_eq!(place.bytes("Note.md"), b"[[Note]]");
}
