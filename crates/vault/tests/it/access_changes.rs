//! Changes through restricted handles: what is refused, and who hears of what is done.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use parking_lot::Mutex;
use quillgate_vault::{
    Author, Change, Contents, Dirty, Expect, Folders, Limits, Operation, RulesSource, TrashOption, Vault, VaultError,
};

use crate::access::{access, globs};
use crate::place::{Place, folder, note, tree, within_a_second};

fn restricted(place: &Place, source: &RulesSource) -> Vault {
    place.vault.with_access(access(source, &[]))
}

fn reading(paths: &[&str]) -> RulesSource {
    RulesSource { read_paths: globs(paths), ..RulesSource::default() }
}

fn read_only() -> RulesSource {
    RulesSource { read_only: true, ..RulesSource::default() }
}

fn keep(contents: &Contents) -> Result<Vec<u8>, VaultError> {
    Ok(contents.bytes.clone())
}

#[track_caller]
fn check_forbidden<T: std::fmt::Debug>(outcome: Result<T, VaultError>, expected: &str, operation: Operation) {
    match outcome {
        Err(VaultError::Forbidden { path, operation: refused }) => assert_eq!((path.as_str(), refused), (expected, operation)),
        other => panic!("{operation} {expected} should be forbidden: {other:?}"),
    }
}

#[test]
fn what_is_refused_says_nothing_about_what_is_there() {
    let place = Place::new();
    place.put("Private/there.md", "secret");
    place.put("Public/a.md", "a");
    let vault = restricted(&place, &reading(&["Public"]));
    for path in ["Private/there.md", "Private/missing.md", "Private/there.md/below", "Private", "Nowhere"] {
        check_forbidden(vault.read(&note(path)), path, Operation::Read);
        check_forbidden(vault.read_text(&note(path)), path, Operation::Read);
        check_forbidden(vault.stat(&note(path)), path, Operation::Read);
        check_forbidden(vault.list(&folder(path)), path, Operation::Read);
        check_forbidden(vault.walk(&folder(path), |_| true).map(drop), path, Operation::Read);
        check_forbidden(vault.update(&note(path), keep), path, Operation::Write);
        check_forbidden(vault.remove(&note(path), TrashOption::Local), path, Operation::Delete);
        check_forbidden(vault.trash(&note(path)), path, Operation::Delete);
        for expect in [Expect::Absent, Expect::Anything] {
            check_forbidden(vault.write(&note(path), Vec::new(), expect, Folders::Create), path, Operation::Write);
        }
        let there = vault.transaction(Folders::Create).rename(note("Public/a.md"), note(path));
        check_forbidden(there.permit(), path, Operation::Write);
        check_forbidden(there.commit(), path, Operation::Write);
        let back = vault.transaction(Folders::Create).rename(note(path), note("Public/b.md"));
        check_forbidden(back.commit(), path, Operation::Delete);
    }
    assert_eq!(place.walked(), ["Private/there.md", "Public/a.md"]);
}

#[test]
fn a_change_of_several_files_is_refused_before_any_is_touched() {
    let place = Place::new();
    place.put("a.md", "links to x");
    place.put("Locked/b.md", "links to x too");
    place.put("x.md", "x");
    let source = RulesSource { write_paths: globs(&["*"]), ..RulesSource::default() };
    let vault = restricted(&place, &source);
    let before = place.everything();
    let change = vault.transaction(Folders::Create).rename(note("x.md"), note("y.md"));
    let change = change.write(note("a.md"), b"links to y".to_vec(), Expect::Anything);
    let change = change.write(note("Locked/b.md"), b"links to y too".to_vec(), Expect::Anything);
    check_forbidden(change.commit(), "Locked/b.md", Operation::Write);
    assert_eq!(place.everything(), before);
}

#[test]
fn under_read_only_nothing_changes_whatever_is_tried() {
    let place = Place::new();
    place.put("a.md", "a");
    place.put("b/c.md", "c");
    place.put(".quillgate-0123456789abcdef.tmp", "left by a crash");
    let vault = restricted(&place, &read_only());
    let before = (tree(&place.on_disk("")), modified(&place));
    let refused = |outcome: Result<(), VaultError>| assert!(matches!(outcome, Err(VaultError::ReadOnlyMode)), "{outcome:?}");
    for path in ["a.md", "b/c.md", "new/d.md"].map(note) {
        for expect in [Expect::Anything, Expect::Absent] {
            refused(vault.write(&path, b"x".to_vec(), expect, Folders::Create).map(drop));
        }
        refused(vault.update(&path, keep).map(drop));
        refused(vault.trash(&path).map(drop));
        for option in [TrashOption::System, TrashOption::Local, TrashOption::None] {
            refused(vault.remove(&path, option).map(drop));
        }
        refused(vault.transaction(Folders::Create).rename(path.clone(), note("z.md")).commit().map(drop));
        refused(vault.transaction(Folders::Create).permit());
        refused(vault.transaction(Folders::Create).commit().map(drop));
        let several = vault.transaction(Folders::Create).write(note("q.md"), Vec::new(), Expect::Anything);
        refused(several.remove(path, Expect::Anything, TrashOption::None).commit().map(drop));
    }
    vault.walk(&folder(""), |found| vault.read(&found.path).is_ok()).unwrap();
    vault.list(&folder("b")).unwrap();
    assert_eq!((tree(&place.on_disk("")), modified(&place)), before);
    assert_eq!(vault.read(&note("a.md")).unwrap().bytes, b"a");
}

fn modified(place: &Place) -> Vec<std::time::SystemTime> {
    tree(&place.on_disk("")).keys().map(|path| fs::metadata(path).unwrap().modified().unwrap()).collect()
}

#[test]
fn a_vault_can_be_opened_without_taking_up_what_was_interrupted() {
    let place = Place::new();
    place.put("a.md", "a");
    let left = "quillgate journal 1\n";
    fs::write(place.journal("0123.journal"), left).unwrap();
    let journal = || Dir::open_ambient_dir(place.journal(""), ambient_authority()).unwrap();
    let open = || Vault::open(&place.on_disk(""), None, Limits::default()).unwrap();
    let vault = open().with_journal_unrecovered(journal());
    assert_eq!(fs::read_to_string(place.journal("0123.journal")).unwrap(), left);
    assert_eq!(vault.recovery(), &quillgate_vault::Recovery::default());
    drop(open().with_journal(journal()));
    assert!(tree(&place.journal("")).is_empty(), "the ordinary way does take it up");
}

#[cfg(unix)]
#[test]
fn a_file_with_a_second_name_is_not_changed_where_a_list_is_set() {
    let place = Place::new();
    place.put("Secret/a.md", "secret");
    place.put("Inbox/plain.md", "plain");
    fs::hard_link(place.on_disk("Secret/a.md"), place.on_disk("Inbox/b.md")).unwrap();
    let (linked, plain) = (note("Inbox/b.md"), note("Inbox/plain.md"));
    let write = |vault: &Vault, path| vault.write(path, b"new".to_vec(), Expect::Anything, Folders::Create).map(drop);
    let is_linked = |outcome: Result<(), VaultError>, expected| {
        let is_it = matches!(&outcome, Err(VaultError::HardLinked { operation, .. }) if *operation == expected);
        assert!(is_it, "{outcome:?}");
    };

    let writing = restricted(&place, &RulesSource { write_paths: globs(&["Inbox"]), ..RulesSource::default() });
    is_linked(write(&writing, &linked), Operation::Write);
    is_linked(writing.update(&linked, keep).map(drop), Operation::Write);
    let several = writing.transaction(Folders::Create).write(linked.clone(), Vec::new(), Expect::Anything);
    is_linked(several.write(plain.clone(), Vec::new(), Expect::Anything).commit().map(drop), Operation::Write);
    write(&writing, &plain).unwrap();

    let deleting = restricted(&place, &RulesSource { delete_paths: globs(&["Inbox"]), ..RulesSource::default() });
    is_linked(deleting.remove(&linked, TrashOption::None).map(drop), Operation::Delete);
    is_linked(
        deleting.transaction(Folders::Create).rename(linked.clone(), note("Inbox/c.md")).commit().map(drop),
        Operation::Delete,
    );
    deleting.remove(&plain, TrashOption::None).unwrap();
    assert_eq!(place.bytes("Inbox/b.md"), b"secret");

    write(&place.vault, &linked).unwrap();
    assert_eq!(place.bytes("Secret/a.md"), b"secret", "a file is replaced, not written into");
}

#[test]
fn folders_are_shown_for_what_is_in_them_and_count_only_that() {
    let place = Place::new();
    place.put_all(&["a/Secret/x.md", "a/Open/y.md", "a/z.md", "b/Secret/deep/x.md", "c/Open/only.key"]);
    let source = RulesSource { read_paths: globs(&["*/Open/*.md"]), ..RulesSource::default() };
    let vault = restricted(&place, &source);
    let names = |path: &str| -> Vec<String> { vault.list(&folder(path)).unwrap().into_iter().map(|entry| entry.name).collect() };
    assert_eq!(names(""), ["a"]);
    assert_eq!(names("a"), ["Open"]);
    assert_eq!(names("a/Open"), ["y.md"]);
    check_forbidden(vault.list(&folder("b")), "b", Operation::Read);
    check_forbidden(vault.list(&folder("c/Open")), "c/Open", Operation::Read);
}

#[test]
fn a_folder_that_is_not_shown_counts_as_missing() {
    let place = Place::new();
    place.put("Drafts/hidden.key", "secret");
    let vault = restricted(&place, &reading(&["*/*.md"]));
    for path in ["Drafts/a.md", "Nowhere/a.md"].map(note) {
        let written = vault.write(&path, Vec::new(), Expect::Absent, Folders::MustExist);
        assert!(matches!(&written, Err(VaultError::FolderNotFound(folder)) if *folder == path.parent()), "{written:?}");
        vault.write(&path, Vec::new(), Expect::Absent, Folders::Create).unwrap();
    }
}

/// The time of a folder changes when something in it comes or goes.
#[test]
fn a_folder_does_not_tell_that_something_hidden_came() {
    let place = Place::new();
    place.put("a/x.md", "x");
    let vault = restricted(&place, &RulesSource { rules: vec![("**/*.key".into(), vec!["k".into()])], ..RulesSource::default() });
    let look = || (vault.stat(&note("a")).unwrap(), vault.list(&folder("")).unwrap());
    let before = look();
    let on_disk = place.vault.stat(&note("a")).unwrap();
    (0..200).for_each(|number| drop(place.put(&format!("a/{number}.key"), "secret")));
    assert_ne!(place.vault.stat(&note("a")).unwrap(), on_disk, "or this shows nothing");
    assert_eq!(look(), before);
}

type Heard = Arc<Mutex<Vec<String>>>;

fn heard_by(vault: &Vault) -> Heard {
    let heard = Heard::default();
    let hearing = heard.clone();
    vault.observe(move |change| {
        hearing.lock().push(match change {
            Change::Written { path, .. } => format!("wrote {path}"),
            Change::Renamed { from, to, .. } => format!("moved {from} {to}"),
            Change::Removed { path } => format!("removed {path}"),
            Change::Appeared { path } => format!("appeared {path}"),
        });
    });
    heard
}

#[test]
fn observers_hear_of_what_other_handles_do_as_far_as_they_may_read() {
    let place = Place::new();
    let (all, public) = (heard_by(&place.vault), heard_by(&restricted(&place, &reading(&["Public"]))));
    let private = restricted(&place, &reading(&["Private", "Public"])).by(Author {
        caller: "somebody".into(),
        session: None,
        tool: "test".into(),
        surface: "vault".into(),
        call: "1".into(),
    });
    assert_eq!(private.author().map(|author| &*author.caller), Some("somebody"));
    let move_file =
        |from: &str, to: &str| drop(private.transaction(Folders::Create).rename(note(from), note(to)).commit().unwrap());
    private.write(&note("Private/a.md"), Vec::new(), Expect::Absent, Folders::Create).unwrap();
    private.write(&note("Public/b.md"), Vec::new(), Expect::Absent, Folders::Create).unwrap();
    move_file("Private/a.md", "Private/c.md");
    move_file("Private/c.md", "Public/c.md");
    move_file("Public/b.md", "Public/d.md");
    move_file("Public/d.md", "Private/d.md");
    private.remove(&note("Private/d.md"), TrashOption::None).unwrap();
    private.remove(&note("Public/c.md"), TrashOption::None).unwrap();
    assert_eq!(
        *public.lock(),
        [
            "wrote Public/b.md",
            "appeared Public/c.md",
            "moved Public/b.md Public/d.md",
            "removed Public/d.md",
            "removed Public/c.md"
        ]
    );
    assert_eq!(all.lock().len(), 8);
}

#[test]
fn news_from_outside_is_told_as_far_as_it_may_be_read() {
    let place = Place::new();
    place.put("Private/a.md", "a");
    place.put("Public/in/b.md", "b");
    let vault = restricted(&place, &reading(&["Public/**/*.md"]));
    let told = Arc::new(Mutex::new(BTreeSet::new()));
    let telling = told.clone();
    let _watch = vault.watch(move |dirty| {
        if let Dirty::Paths(paths) = dirty {
            telling.lock().extend(paths.iter().map(ToString::to_string));
        }
        true
    });
    place.put("Private/new.md", "new");
    place.put("Public/in/picture.png", "new");
    place.put("Public/in/c.md", "c");
    within_a_second("a readable file", || told.lock().contains("Public/in/c.md"));
    assert_eq!(told.lock().iter().map(String::as_str).collect::<Vec<_>>(), ["Public/in/c.md"]);
    // A folder that leaves takes with it what was seen, and the news can only name the folder.
    told.lock().clear();
    fs::rename(place.on_disk("Public/in"), place.on_disk("Private/in")).unwrap();
    within_a_second("the folder that left", || told.lock().contains("Public/in"));
    fs::rename(place.on_disk("Private/a.md"), place.on_disk("Public/a.md")).unwrap();
    within_a_second("the file that came", || told.lock().contains("Public/a.md"));
    assert!(told.lock().iter().all(|path| !path.starts_with("Private")), "{told:?}");
}
