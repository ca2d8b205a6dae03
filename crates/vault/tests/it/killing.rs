//! A process that is killed at a point of its work, and what a restart makes of what it left. Other crates' tests use it too.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fmt::Debug;
use std::fs;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use quillgate_vault::{ContentHash, FileDiff, Filter, FolderPath, Limits, Side, Vault, fault};

use super::place::{Place, open, tree};

pub(crate) type Tree = BTreeMap<PathBuf, Vec<u8>>;

const FOLDER: &str = "QUILLGATE_TEST_CRASH_FOLDER";
const WORK: &str = "QUILLGATE_TEST_CRASH_WORK";
const POINT: &str = "QUILLGATE_TEST_CRASH_POINT";
pub(crate) const WAITS: &str = "QUILLGATE_TEST_CRASH_WAITS";
const NEVER: usize = usize::MAX;

static PASSED: AtomicUsize = AtomicUsize::new(0);

/// Where a child is stopped: at the so-many-th point of all, or of a name, counted from 0.
pub(crate) enum At {
    Point(usize),
    Named(&'static str, usize),
}

/// The test `crashes::child` of the same binary, in a process of its own.
pub(crate) fn child_command(folder: &Path, work: impl Debug, at: &At) -> Command {
    let mut child = Command::new(env::current_exe().unwrap());
    child.args(["--exact", "crashes::child", "--nocapture", "--test-threads=1"]);
    let point = match at {
        At::Point(number) => number.to_string(),
        At::Named(name, number) => format!("{name} {number}"),
    };
    child.env(FOLDER, folder).env(WORK, format!("{work:?}")).env(POINT, point);
    child
}

/// In a child: where it works and at what.
pub(crate) fn ordered() -> Option<(PathBuf, String)> {
    Some((env::var_os(FOLDER)?.into(), env::var(WORK).ok()?))
}

/// In a child: does the work on this thread, and is killed where that was ordered. `at_each` is told of every point before.
pub(crate) fn be_killed_in(work: impl FnOnce(), at_each: impl Fn(&str) + Send + Sync + 'static) {
    let point = env::var(POINT).unwrap();
    let (wanted, number) = point.rsplit_once(' ').unwrap_or(("", &point));
    let (wanted, number) = (wanted.to_owned(), number.parse::<usize>().unwrap());
    let matched = AtomicUsize::new(0);
    // What is done now and then by other threads comes at another point in every run.
    let working = thread::current().id();
    fault::observe(move |name| {
        if thread::current().id() != working {
            return;
        }
        at_each(name);
        PASSED.fetch_add(1, Ordering::Relaxed);
        if (wanted.is_empty() || wanted == name) && matched.fetch_add(1, Ordering::Relaxed) == number {
            stop();
        }
    });
    work();
    println!("points passed: {}", PASSED.load(Ordering::Relaxed));
}

/// Ends the process as `kill -9` does, or waits for a word if somebody wants to see it in the middle of its work.
fn stop() {
    if env::var_os(WAITS).is_none() {
        fault::kill_process();
    }
    println!("waiting");
    io::stdin().read_line(&mut String::new()).unwrap();
}

pub(crate) fn run_to_its_end(folder: &Path, work: impl Debug) -> usize {
    let output = child_command(folder, work, &At::Point(NEVER)).output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    let count = shown.lines().find_map(|line| line.split_once("points passed: ")?.1.parse().ok());
    count.unwrap_or_else(|| panic!("{shown}{}", String::from_utf8_lossy(&output.stderr)))
}

pub(crate) fn run_until_killed(folder: &Path, work: impl Debug, at: At) {
    let output = child_command(folder, &work, &at).output().unwrap();
    let shown = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.signal(), Some(9), "{work:?}: {shown}{}", String::from_utf8_lossy(&output.stdout));
}

/// What there is below a folder, by names that do not depend on where the folder is.
pub(crate) fn tree_in(folder: &Path) -> Tree {
    tree(folder).into_iter().map(|(path, bytes)| (path.strip_prefix(folder).unwrap().to_owned(), bytes)).collect()
}

/// The states in which a change may leave the vault, and the number of points it passes.
pub(crate) struct Expected {
    pub(crate) before: Tree,
    pub(crate) allowed: Vec<Tree>,
    /// Of these the one in which the change was made, and what the history says of it then.
    pub(crate) made: Tree,
    pub(crate) recorded: Vec<FileDiff>,
    pub(crate) points: usize,
}

/// Does the work undisturbed.
pub(crate) fn expected(work: impl Debug, prepare: impl Fn(&Place)) -> Expected {
    let place = Place::in_memory();
    prepare(&place);
    let before = tree_in(&place.on_disk(""));
    let points = run_to_its_end(place.path(), work);
    let made = tree_in(&place.on_disk(""));
    assert_ne!(made, before);
    assert!(tree(&place.journal("")).is_empty());
    let recorded = recorded_with_all_bytes(&open(place.path(), Limits::default()));
    Expected { allowed: vec![before.clone(), made.clone()], before, made, recorded, points }
}

/// What the latest change did, of which the history has every byte.
fn recorded_with_all_bytes(vault: &Vault) -> Vec<FileDiff> {
    let history = vault.history().unwrap();
    let latest = history.list(&Filter::default(), None, 1).unwrap();
    let Some(change) = latest.first() else { return Vec::new() };
    for (file, side) in change.files.iter().flat_map(|file| [(file, Side::Before), (file, Side::After)]) {
        let bytes = history.image(change.id, file.path(), side).unwrap();
        assert_eq!(bytes.map(|bytes| ContentHash::of(&bytes)), file.image(side).map(|image| image.hash.unwrap()));
    }
    history.diff(change.id, MOST_OF_A_DIFF).unwrap()
}

/// More than any of these files has.
const MOST_OF_A_DIFF: usize = 100_000;

/// Starts again after a kill. Returns what the vault is then: one of the states that are allowed.
#[track_caller]
pub(crate) fn check(place: &Place, expected: &Expected, what: &str) -> Tree {
    let vault = open(place.path(), Limits::default());
    let recovery = vault.recovery();
    assert!(recovery.set_aside.is_empty() && recovery.left.is_empty(), "{what}: {recovery:?}");
    // Which removes what was staged.
    vault.walk(&FolderPath::ROOT, |_| true).unwrap();
    let now = tree_in(&place.on_disk(""));
    if !expected.allowed.contains(&now) {
        let differs = |from: &Tree| {
            let keys = from.keys().chain(now.keys()).filter(|key| from.get(*key) != now.get(*key));
            keys.cloned().collect::<BTreeSet<_>>()
        };
        let differences: Vec<_> = expected.allowed.iter().map(differs).collect();
        panic!("{what}: the vault is between; it differs in {differences:?}; {recovery:?}");
    }
    assert!(tree(&place.journal("")).is_empty(), "{what}: {:?}", tree(&place.journal("")));
    check_history(&vault, expected, now == expected.made, what);
    now
}

/// The history says of the change whether it was made, and has every byte that it replaced: a difference is made of the bytes
/// of both sides, which are hashed when they are read.
#[track_caller]
fn check_history(vault: &Vault, expected: &Expected, was_made: bool, what: &str) {
    let history = vault.history().unwrap();
    let changes = history.list(&Filter::default(), None, 10).unwrap();
    assert_eq!(changes.len(), usize::from(was_made), "{what}: {changes:?}");
    assert_eq!(history.damage().unwrap(), [], "{what}");
    for change in &changes {
        assert!(!change.is_under_way, "{what}");
        assert_eq!(history.diff(change.id, MOST_OF_A_DIFF).unwrap(), expected.recorded, "{what}");
    }
}

/// Shares the numbers below `count` among threads, each with a place of its own.
pub(crate) fn share(count: usize, each: impl Fn(&mut Option<Place>, usize) + Sync) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut place = None;
                loop {
                    match next.fetch_add(1, Ordering::Relaxed) {
                        number if number < count => each(&mut place, number),
                        _ => break,
                    }
                }
            });
        }
    });
}

pub(crate) fn kill_at_every_point(work: impl Debug + Sync, expected: &Expected, prepare: impl Fn(&Place) + Sync) {
    let unchanged = AtomicUsize::new(0);
    share(expected.points, |reusable, point| {
        let place = reusable.take().unwrap_or_else(|| {
            let place = Place::in_memory();
            prepare(&place);
            place
        });
        run_until_killed(place.path(), &work, At::Point(point));
        let now = check(&place, expected, &format!("{work:?} killed at {point}"));
        if now == expected.before {
            unchanged.fetch_add(1, Ordering::Relaxed);
            // A history that is there already is passed at fewer points.
            tree(&place.path().join("history")).into_keys().for_each(|path| fs::remove_file(path).unwrap());
            *reusable = Some(place);
        }
    });
    let (points, unchanged) = (expected.points, unchanged.into_inner());
    println!("{work:?}: killed at each of {points} points; the vault was as before after {unchanged} of them");
    assert!(0 < unchanged && unchanged < points);
}
