//! The process is killed at every point of a change and of the recovery after it: the vault is as before or as after.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io::{self, BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use quillgate_vault::{ContentHash, Expect, Filter, Folders, Limits, Side, TrashOption, Vault, VaultError, fault};

use crate::place::{Place, note, open, tree};

pub(crate) type Tree = BTreeMap<PathBuf, Vec<u8>>;

const FOLDER: &str = "QUILLGATE_TEST_CRASH_FOLDER";
const WORK: &str = "QUILLGATE_TEST_CRASH_WORK";
const POINT: &str = "QUILLGATE_TEST_CRASH_POINT";
const WAITS: &str = "QUILLGATE_TEST_CRASH_WAITS";
const NEVER: usize = usize::MAX;
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

/// Where a child is stopped: at the so-many-th point of all, or of a name, counted from 0.
pub(crate) enum At {
    Point(usize),
    Named(&'static str, usize),
}

/// Not a test of its own: the process that the others start and stop.
#[test]
fn child() {
    let (Ok(folder), Ok(work), Ok(point)) = (env::var(FOLDER), env::var(WORK), env::var(POINT)) else { return };
    let folder = PathBuf::from(folder);
    let (wanted, number) = point.rsplit_once(' ').unwrap_or(("", &point));
    let (wanted, number) = (wanted.to_owned(), number.parse::<usize>().unwrap());
    let work = *ALL.iter().chain(&ALONE).find(|known| format!("{known:?}") == work).unwrap();
    let vault = (!matches!(work, Work::Open | Work::OpenPlain)).then(|| open(&folder, Limits::default()));
    if matches!(work, Work::Plain | Work::OpenPlain) {
        fault::forget_exchange();
    }
    static PASSED: AtomicUsize = AtomicUsize::new(0);
    static MATCHED: AtomicUsize = AtomicUsize::new(0);
    let obstacle = folder.join("vault/picture.png");
    fault::observe(move |name| {
        if work == Work::Obstructed && name == "exchange" && !obstacle.exists() {
            fs::write(&obstacle, "somebody else's").unwrap();
        }
        PASSED.fetch_add(1, Ordering::Relaxed);
        if (wanted.is_empty() || wanted == name) && MATCHED.fetch_add(1, Ordering::Relaxed) == number {
            stop();
        }
    });
    match vault {
        Some(vault) => {
            let changed = work.change(&vault);
            assert_eq!(changed.is_ok(), work != Work::Obstructed, "{changed:?}");
        }
        None => drop(open(&folder, Limits::default())),
    }
    println!("points passed: {}", PASSED.load(Ordering::Relaxed));
}

/// Ends the process as `kill -9` does, or waits for a word if somebody wants to see it in the middle of its work.
fn stop() {
    if env::var_os(WAITS).is_some() {
        println!("waiting");
        io::stdin().read_line(&mut String::new()).unwrap();
        return;
    }
    rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL).unwrap();
}

fn child_command(folder: &Path, work: Work, at: &At) -> Command {
    let mut child = Command::new(env::current_exe().unwrap());
    child.args(["--exact", "crashes::child", "--nocapture", "--test-threads=1"]);
    let point = match at {
        At::Point(number) => number.to_string(),
        At::Named(name, number) => format!("{name} {number}"),
    };
    child.env(FOLDER, folder).env(WORK, format!("{work:?}")).env(POINT, point);
    child
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

pub(crate) fn run_to_its_end(folder: &Path, work: Work) -> usize {
    let output = child_command(folder, work, &At::Point(NEVER)).output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    let count = shown.lines().find_map(|line| line.split_once("points passed: ")?.1.parse().ok());
    count.unwrap_or_else(|| panic!("{shown}{}", String::from_utf8_lossy(&output.stderr)))
}

pub(crate) fn run_until_killed(folder: &Path, work: Work, at: At) {
    let output = child_command(folder, work, &at).output().unwrap();
    let shown = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.signal(), Some(9), "{work:?}: {shown}{}", String::from_utf8_lossy(&output.stdout));
}

/// What there is below a folder, by names that do not depend on where the folder is.
pub(crate) fn tree_in(folder: &Path) -> Tree {
    tree(folder).into_iter().map(|(path, bytes)| (path.strip_prefix(folder).unwrap().to_owned(), bytes)).collect()
}

/// The states in which a change may leave the vault, and the number of points it passes.
struct Expected {
    before: Tree,
    allowed: Vec<Tree>,
    /// Of these the one in which the change was made.
    made: Tree,
    points: usize,
}

fn expected(work: Work) -> Expected {
    let place = Place::in_memory();
    work.prepare(&place);
    let before = tree_in(&place.on_disk(""));
    let mut allowed = vec![before.clone()];
    let points = run_to_its_end(place.path(), work);
    let left = tree_in(&place.on_disk(""));
    let mut made = left.clone();
    if work == Work::Obstructed {
        let mut obstructed = before.clone();
        obstructed.insert("picture.png".into(), b"somebody else's".to_vec());
        assert_eq!(left, obstructed, "a change that fails takes back what it did");
        let small = expected(Work::Small);
        made = small.made;
        allowed.extend(small.allowed);
    }
    assert_ne!(left, before);
    allowed.push(left);
    assert!(tree(&place.journal("")).is_empty());
    Expected { before, allowed, made, points }
}

#[track_caller]
fn check(place: &Place, expected: &Expected, what: &str) {
    let vault = open(place.path(), Limits::default());
    let recovery = vault.recovery();
    assert!(recovery.set_aside.is_empty() && recovery.left.is_empty(), "{what}: {recovery:?}");
    // Which removes what was staged.
    vault.walk(&quillgate_vault::FolderPath::ROOT, |_| true).unwrap();
    let now = tree_in(&place.on_disk(""));
    if !expected.allowed.contains(&now) {
        let differs = |from: &Tree| {
            let keys = from.keys().chain(now.keys()).filter(|key| from.get(*key) != now.get(*key));
            keys.cloned().collect::<std::collections::BTreeSet<_>>()
        };
        let differences: Vec<_> = expected.allowed.iter().map(differs).collect();
        panic!("{what}: the vault is between; it differs in {differences:?}; {recovery:?}");
    }
    assert!(tree(&place.journal("")).is_empty(), "{what}: {:?}", tree(&place.journal("")));
    check_history(&vault, now == expected.made, what);
}

/// The history says of the change whether it was made, and has every byte that it replaced.
#[track_caller]
fn check_history(vault: &Vault, was_made: bool, what: &str) {
    let history = vault.history().unwrap();
    let changes = history.list(&Filter::default(), None, 10).unwrap();
    assert_eq!(changes.len(), usize::from(was_made), "{what}: {changes:?}");
    assert_eq!(history.damage().unwrap(), [], "{what}");
    for change in &changes {
        assert!(!change.is_under_way, "{what}");
        for (file, side) in change.files.iter().flat_map(|file| [(file, Side::Before), (file, Side::After)]) {
            let bytes = history.image(change.id, file.path(), side).unwrap();
            assert_eq!(bytes.map(|bytes| ContentHash::of(&bytes)), file.image(side).map(|image| image.hash.unwrap()), "{what}");
        }
    }
}

/// Shares the numbers below `count` among threads, each with a place of its own.
fn share(count: usize, each: impl Fn(&mut Option<Place>, usize) + Sync) {
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

fn kill_at_every_point(work: Work) {
    let expected = expected(work);
    let unchanged = AtomicUsize::new(0);
    share(expected.points, |place, point| {
        // A history that is there already is passed at fewer points.
        let place = place.insert(Place::in_memory());
        work.prepare(place);
        run_until_killed(place.path(), work, At::Point(point));
        check(place, &expected, &format!("{work:?} killed at {point}"));
        if tree_in(&place.on_disk("")) == expected.before {
            unchanged.fetch_add(1, Ordering::Relaxed);
        }
    });
    let (points, unchanged) = (expected.points, unchanged.into_inner());
    println!("{work:?}: killed at each of {points} points; the vault was as before after {unchanged} of them");
    assert!(0 < unchanged && unchanged < points);
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
