//! The process is killed at every point of a change and of the recovery after it: the vault is as before or as after.

use std::env;
use std::fs;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use quillgate_vault::{Expect, Folders, Limits, TrashOption, Vault, VaultError, fault};

use crate::killing;
use crate::killing::{At, Expected, WAITS, be_killed_in, check, child_command, ordered, run_to_its_end, run_until_killed, share};
use crate::place::{Place, note, open};

/// What a process leaves.
const KEPT: [&str; 3] = ["vault", "journal", "history"];

/// What a child process does until it is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// Fifty files: a renamed note that links to itself, the notes that link to it (`QUILLGATE_CRASH_NOTES` says another number),
    /// new ones, moved ones and deleted ones.
    Large,
    /// One step of each kind.
    Small,
    /// As small, on a file system that cannot exchange two files.
    Plain,
    /// One file alone.
    Edit,
    Create,
    Move,
    Delete,
    Trash,
    /// As small, but the name to which a file is moved is taken when the change is under way.
    Obstructed,
    /// Opens the vault, which recovers it.
    Open,
    OpenPlain,
}

const ALONE: [Work; 5] = [Work::Edit, Work::Create, Work::Move, Work::Delete, Work::Trash];
const ALL: [Work; 6] = [Work::Large, Work::Small, Work::Plain, Work::Obstructed, Work::Open, Work::OpenPlain];

impl Work {
    fn files(self) -> usize {
        match self {
            Work::Large => env::var("QUILLGATE_CRASH_NOTES").map_or(44, |notes| notes.parse().unwrap()),
            _ => 1,
        }
    }

    pub(crate) fn prepare(self, place: &Place) {
        place.put("hub.md", "[[hub]] and its links");
        place.put("folder/case.md", "a name of another case");
        place.put("folder/picture.png", [0, 1, 2]);
        // As macOS may have stored it.
        place.put("folder/Cafe\u{301}.md", "decomposed");
        place.put("trash me.md", "to the trash");
        place.put("gone.md", "for good");
        place.put(".trash/trash me.md", "an earlier one of that name");
        for number in 0..self.files() {
            place.put(&format!("notes/{number}.md"), format!("{number} links to [[hub]]"));
        }
    }

    pub(crate) fn change(self, vault: &Vault) -> Result<(), VaultError> {
        let mut change = vault.transaction(Folders::Create);
        let (hub, trash) = (note("hub.md"), note("trash me.md"));
        match self {
            Work::Edit => return change.write(hub, b"edited".to_vec(), Expect::Anything).commit().map(drop),
            Work::Create => return change.write(note("notes/new.md"), b"new".to_vec(), Expect::Absent).commit().map(drop),
            Work::Move => return change.rename(hub, note("notes/center.md")).commit().map(drop),
            Work::Delete => return change.remove(hub, Expect::Anything, TrashOption::None).commit().map(drop),
            Work::Trash => return change.remove(trash, Expect::Anything, TrashOption::Local).commit().map(drop),
            _ => {}
        }
        for number in 0..self.files() {
            change = change.write(note(&format!("notes/{number}.md")), b"links to [[center]]".to_vec(), Expect::Anything);
        }
        change
            .write(note("hub.md"), b"[[center]] and its links".to_vec(), Expect::Anything)
            .rename(note("hub.md"), note("new/deep/center.md"))
            .write(note("new/index.md"), b"new".to_vec(), Expect::Absent)
            .rename(note("folder/Café.md"), note("Café.md"))
            .rename(note("folder/picture.png"), note("picture.png"))
            .rename(note("folder/case.md"), note("folder/Case.md"))
            .remove(note("trash me.md"), Expect::Anything, TrashOption::Local)
            .remove(note("gone.md"), Expect::Anything, TrashOption::None)
            .commit()
            .map(drop)
    }
}

/// Not a test of its own: the process that the others start and stop.
#[test]
fn child() {
    let Some((folder, work)) = ordered() else { return };
    let work = *ALL.iter().chain(&ALONE).find(|known| format!("{known:?}") == work).unwrap();
    let vault = (!matches!(work, Work::Open | Work::OpenPlain)).then(|| open(&folder, Limits::default()));
    if matches!(work, Work::Plain | Work::OpenPlain) {
        fault::forget_exchange();
    }
    let obstacle = folder.join("vault/picture.png");
    let obstruct = move |name: &str| {
        if work == Work::Obstructed && name == "exchange" && !obstacle.exists() {
            fs::write(&obstacle, "somebody else's").unwrap();
        }
    };
    let change = || match vault {
        Some(vault) => {
            let changed = work.change(&vault);
            assert_eq!(changed.is_ok(), work != Work::Obstructed, "{changed:?}");
        }
        None => drop(open(&folder, Limits::default())),
    };
    be_killed_in(change, obstruct);
}

/// Starts a child that waits at the given point until it is written to.
pub(crate) fn start_and_wait(folder: &Path, work: Work, at: At) -> Child {
    let mut command = child_command(folder, work, &at);
    let mut child = command.env(WAITS, "1").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut shown = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.ends_with("waiting\n") {
        assert_ne!(shown.read_line(&mut line).unwrap(), 0, "it ended before that point: {line}");
    }
    // What it says to the end must not break its pipe.
    thread::spawn(move || io::copy(&mut shown, &mut io::sink()));
    child
}

fn expected(work: Work) -> Expected {
    let mut expected = killing::expected(work, |place| work.prepare(place));
    if work == Work::Obstructed {
        let mut obstructed = expected.before.clone();
        obstructed.insert("picture.png".into(), b"somebody else's".to_vec());
        assert_eq!(expected.made, obstructed, "a change that fails takes back what it did");
        let small = self::expected(Work::Small);
        (expected.made, expected.recorded) = (small.made, small.recorded);
        expected.allowed.extend(small.allowed);
    }
    expected
}

fn kill_at_every_point(work: Work) {
    killing::kill_at_every_point(work, &expected(work), |place| work.prepare(place));
}

#[test]
fn a_change_of_fifty_files_that_is_killed_at_any_point_is_done_or_not() {
    kill_at_every_point(Work::Large);
}

#[test]
fn so_is_a_change_of_one_file() {
    ALONE.into_iter().for_each(kill_at_every_point);
}

#[test]
fn so_is_one_where_files_cannot_be_exchanged() {
    kill_at_every_point(Work::Plain);
}

#[test]
fn so_is_one_that_fails_and_is_killed_while_it_is_taken_back() {
    kill_at_every_point(Work::Obstructed);
}

/// The state after an even number of points is the state after the next one too: one ends a call, the other begins one.
fn kill_recovery_at_every_point(work: Work, recovery: Work) {
    let expected = expected(work);
    let kills = AtomicUsize::new(0);
    let states = expected.points.div_ceil(2);
    share(states, |place, state| {
        let place = place.insert(Place::in_memory());
        work.prepare(place);
        run_until_killed(place.path(), work, At::Point((2 * state + 1).min(expected.points - 1)));
        let interrupted = place.outside("");
        KEPT.iter().for_each(|name| copy(&place.path().join(name), &interrupted.join(name)));
        let points = run_to_its_end(place.path(), recovery);
        check(place, &expected, &format!("{work:?} killed in state {state}"));
        for point in 0..points {
            for name in KEPT {
                fs::remove_dir_all(place.path().join(name)).unwrap();
                copy(&interrupted.join(name), &place.path().join(name));
            }
            run_until_killed(place.path(), recovery, At::Point(point));
            check(place, &expected, &format!("{work:?} killed in state {state}, its recovery at {point}"));
        }
        kills.fetch_add(points, Ordering::Relaxed);
    });
    let kills = kills.load(Ordering::Relaxed);
    println!("{work:?}: recovery from each of {states} states killed at every point, {kills} in all");
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to.join(entry.file_name())),
            false => drop(fs::copy(entry.path(), to.join(entry.file_name())).unwrap()),
        }
    }
}

#[test]
fn recovery_that_is_killed_at_any_point_is_taken_up_again() {
    kill_recovery_at_every_point(Work::Small, Work::Open);
}

#[test]
fn so_is_recovery_where_files_cannot_be_exchanged() {
    kill_recovery_at_every_point(Work::Plain, Work::OpenPlain);
}

#[test]
fn so_is_recovery_that_takes_back() {
    kill_recovery_at_every_point(Work::Obstructed, Work::Open);
}
