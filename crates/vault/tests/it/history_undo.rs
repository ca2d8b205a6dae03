//! Changes are taken back: whole, merged with what came since, or not at all.

use quillgate_vault::{
    ChangeId, Clash, Expect, Filter, Folders, HistorySettings, NotePath, Obstacle, OnConflict, TrashOption, Undo, UndoConflict,
    UndoOutcome, UndoPlan, VaultError,
};

use crate::history::{Past, author};
use crate::place::{note, tree};

impl Past {
    fn plan(&self, changes: &[ChangeId]) -> UndoPlan {
        self.vault.plan_undo(&Undo::Changes(changes.to_vec()), OnConflict::Refuse).unwrap()
    }

    /// Undoes, and says what became of each file.
    #[track_caller]
    fn undo(&self, changes: &[ChangeId]) -> Vec<(String, UndoOutcome)> {
        let plan = self.plan(changes);
        assert_eq!(plan.conflicts, []);
        let outcomes = outcomes(&plan);
        plan.commit().unwrap().unwrap();
        outcomes
    }

    /// Tries to undo, which leaves everything as it is.
    #[track_caller]
    fn refused(&self, changes: &[ChangeId]) -> Vec<UndoConflict> {
        let before = tree(self.place.path());
        let conflicts = self.plan(changes).commit().unwrap().unwrap_err();
        assert_eq!(tree(self.place.path()), before);
        conflicts
    }

    fn text(&self, path: &str) -> String {
        String::from_utf8(self.place.bytes(path)).unwrap()
    }
}

fn outcomes(plan: &UndoPlan) -> Vec<(String, UndoOutcome)> {
    plan.files.iter().map(|file| (file.path.to_string(), file.outcome.clone())).collect()
}

fn is(path: &str, outcome: UndoOutcome) -> (String, UndoOutcome) {
    (path.to_owned(), outcome)
}

fn path(path: &str) -> NotePath {
    note(path)
}

#[test]
fn an_edit_is_taken_back_and_so_is_taking_it_back() {
    let past = Past::new();
    past.write("a.md", "1");
    let edit = past.write("a.md", "2");
    assert_eq!(past.undo(&[edit]), [is("a.md", UndoOutcome::Restored)]);
    assert_eq!(past.text("a.md"), "1");
    let undo = past.all()[0].clone();
    assert_eq!(undo.undoes, [edit]);
    assert_eq!(past.undo(&[undo.id]), [is("a.md", UndoOutcome::Restored)]);
    assert_eq!(past.text("a.md"), "2");
}

#[test]
fn what_is_undone_already_is_no_change() {
    let past = Past::new();
    past.write("a.md", "1");
    let edit = past.write("a.md", "2");
    past.undo(&[edit]);
    let known = past.all().len();
    let plan = past.plan(&[edit]);
    assert_eq!(outcomes(&plan), [is("a.md", UndoOutcome::AlreadyUndone)]);
    assert_eq!(plan.commit().unwrap().unwrap().change, None);
    assert_eq!(past.all().len(), known);
    // Also when somebody wrote the same again: that is another change. When taking it back is taken back, it is in effect.
    past.place.put("a.md", "2");
    assert_eq!(past.undo(&[edit]), [is("a.md", UndoOutcome::AlreadyUndone)]);
    past.place.put("a.md", "1");
    let undo = past.all()[0].id;
    past.undo(&[undo]);
    assert_eq!(past.undo(&[edit]), [is("a.md", UndoOutcome::Restored)]);
    assert_eq!(past.text("a.md"), "1");
}

#[test]
fn what_was_changed_since_elsewhere_stays() {
    let past = Past::new();
    past.write("a.md", "one\ntwo\nthree\nfour\n");
    let edit = past.write("a.md", "one\n2\nthree\nfour\n");
    past.place.put("a.md", "one\n2\nthree\nfour\nfive by hand\n");
    assert_eq!(past.undo(&[edit]), [is("a.md", UndoOutcome::Merged)]);
    assert_eq!(past.text("a.md"), "one\ntwo\nthree\nfour\nfive by hand\n");
}

#[test]
fn an_appended_line_goes_and_later_ones_stay() {
    let past = Past::new();
    past.write("log.md", "# Log\n");
    let first = past.write("log.md", "# Log\n- by mistake\n");
    past.write("log.md", "# Log\n- by mistake\n- later\n");
    past.undo(&[first]);
    assert_eq!(past.text("log.md"), "# Log\n- later\n");
}

#[test]
fn what_was_changed_since_in_the_same_place_is_shown_and_left() {
    let past = Past::new();
    past.write("a.md", "one\ntwo\nthree\n");
    let edit = past.write("a.md", "one\n2\nthree\n");
    past.place.put("a.md", "one\nZWEI\nthree\n");
    let clash = Clash { ours: "ZWEI\n".into(), theirs: "two\n".into() };
    let expected = UndoConflict { change: edit, path: path("a.md"), obstacle: Obstacle::ChangedSince, clashes: vec![clash] };
    assert_eq!(past.refused(&[edit]), [expected]);
}

#[test]
fn pictures_are_restored_but_not_merged() {
    let past = Past::new();
    let write = |bytes: &[u8]| {
        let change = past.vault.transaction(Folders::Create).write(note("a.png"), bytes.to_vec(), Expect::Anything);
        change.commit().unwrap().change.unwrap()
    };
    write(&[0, 1]);
    let second = write(&[0, 2]);
    past.undo(&[second]);
    assert_eq!(past.place.bytes("a.png"), [0, 1]);
    let third = write(&[0, 3]);
    past.place.put("a.png", [0, 4]);
    assert_eq!(past.refused(&[third])[0].obstacle, Obstacle::NotText);
}

#[test]
fn what_was_made_goes_unless_somebody_worked_on_it() {
    let past = Past::new();
    let made = past.write("folder/a.md", "1");
    assert_eq!(past.undo(&[made]), [is("folder/a.md", UndoOutcome::Removed)]);
    assert!(past.place.walked().is_empty());
    let made = past.write("b.md", "1\n");
    past.place.put("b.md", "1\nmore\n");
    let conflicts = past.refused(&[made]);
    assert_eq!((&conflicts[0].obstacle, &*conflicts[0].clashes[0].ours), (&Obstacle::ChangedSince, "1\nmore\n"));
    let made = past.write("c.md", "1");
    past.rename("c.md", "d.md");
    assert_eq!(past.refused(&[made])[0].obstacle, Obstacle::MovedTo(path("d.md")));
    past.remove("d.md");
    past.rename("b.md", "c.md");
    assert_eq!(past.refused(&[made])[0].obstacle, Obstacle::ChangedSince);
}

#[test]
fn what_was_deleted_comes_back_unless_its_place_is_taken() {
    let past = Past::new();
    past.place.put("folder/a.md", "1");
    let deleted = past.remove("folder/a.md");
    std::fs::remove_dir(past.place.on_disk("folder")).unwrap();
    assert_eq!(past.undo(&[deleted]), [is("folder/a.md", UndoOutcome::Recreated)]);
    assert_eq!(past.text("folder/a.md"), "1");
    let deleted = past.remove("folder/a.md");
    past.place.put("folder/a.md", "another");
    let conflict = &past.refused(&[deleted])[0];
    assert_eq!((&conflict.obstacle, &*conflict.clashes[0].theirs), (&Obstacle::Occupied, "1"));
}

#[test]
fn a_move_goes_back_and_the_links_with_it() {
    let past = Past::new();
    past.place.put("hub.md", "[[hub]]");
    past.place.put("b.md", "see [[hub]]\n");
    let change = past.vault.transaction(Folders::Create).write(note("hub.md"), b"[[center]]".to_vec(), Expect::Anything);
    let change = change.write(note("b.md"), b"see [[center]]\n".to_vec(), Expect::Anything);
    let change = change.rename(note("hub.md"), note("x/center.md")).commit().unwrap().change.unwrap();
    past.place.put("b.md", "see [[center]]\nmore\n");
    let back = UndoOutcome::MovedBack { from: path("x/center.md") };
    assert_eq!(past.undo(&[change]), [is("b.md", UndoOutcome::Merged), is("hub.md", back)]);
    assert_eq!(past.place.walked(), ["b.md", "hub.md"]);
    assert_eq!((past.text("hub.md"), past.text("b.md")), ("[[hub]]".into(), "see [[hub]]\nmore\n".into()));
    let undo = past.all()[0].id;
    past.undo(&[undo]);
    assert_eq!(past.place.walked(), ["b.md", "x/center.md"]);
    assert_eq!((past.text("x/center.md"), past.text("b.md")), ("[[center]]".into(), "see [[center]]\nmore\n".into()));
}

#[test]
fn a_file_that_was_edited_after_its_move_is_moved_back_as_it_is() {
    let past = Past::new();
    past.place.put("a.md", "1");
    let moved = past.rename("a.md", "b.md");
    past.write("b.md", "2");
    past.undo(&[moved]);
    assert_eq!((past.place.walked(), past.text("a.md")), (vec!["a.md".to_owned()], "2".to_owned()));
}

#[test]
fn a_move_cannot_go_back_to_a_place_that_is_taken() {
    let past = Past::new();
    past.place.put("a.md", "1");
    let moved = past.rename("a.md", "b.md");
    past.place.put("a.md", "new");
    assert_eq!(past.refused(&[moved])[0].obstacle, Obstacle::Occupied);
    past.remove("a.md");
    past.rename("b.md", "c.md");
    assert_eq!(past.refused(&[moved])[0].obstacle, Obstacle::MovedTo(path("c.md")));
    past.remove("c.md");
    assert_eq!(past.refused(&[moved])[0].obstacle, Obstacle::MovedTo(path("c.md")));
}

#[test]
fn a_name_of_another_case_goes_back() {
    let past = Past::new();
    past.place.put("note.md", "1");
    let moved = past.rename("note.md", "Note.md");
    past.undo(&[moved]);
    assert_eq!(past.place.walked(), ["note.md"]);
}

#[test]
fn a_session_is_taken_back_as_a_whole() {
    let past = Past::new();
    past.place.put("a.md", "start\n");
    past.place.put("old.md", "old");
    past.place.put("other.md", "other\n");
    let before = tree(&past.place.on_disk(""));
    let session = past.vault.by(author("ann", "s1", "edit", "c"));
    for number in 0..10 {
        let more = |contents: &quillgate_vault::Contents| {
            Ok::<_, VaultError>([&contents.bytes[..], format!("line {number}\n").as_bytes()].concat())
        };
        session.update(&note("a.md"), more).unwrap();
    }
    session.transaction(Folders::Create).rename(note("a.md"), note("x/b.md")).commit().unwrap();
    session.write(&note("x/b.md"), b"start\nline 0\nand so on\n".to_vec(), Expect::Anything, Folders::Create).unwrap();
    session.transaction(Folders::Create).rename(note("old.md"), note("a.md")).commit().unwrap();
    session.remove(&note("a.md"), TrashOption::None).unwrap();
    session.write(&note("new.md"), b"new".to_vec(), Expect::Anything, Folders::Create).unwrap();
    session.write(&note("new.md"), b"newer".to_vec(), Expect::Anything, Folders::Create).unwrap();
    // Somebody else, meanwhile.
    let other = past.vault.by(author("bob", "s2", "edit", "c"));
    other.write(&note("other.md"), b"other\nof bob\n".to_vec(), Expect::Anything, Folders::Create).unwrap();
    let undo = Undo::All(Filter { session: Some("s1".into()), ..Filter::default() });
    let plan = past.vault.plan_undo(&undo, OnConflict::Refuse).unwrap();
    assert_eq!((plan.changes.len(), plan.conflicts.len()), (16, 0));
    let undone = plan.commit().unwrap().unwrap().change.unwrap();
    let mut expected = before;
    expected.insert(past.place.on_disk("other.md"), b"other\nof bob\n".to_vec());
    let mut now = tree(&past.place.on_disk(""));
    now.remove(&past.place.on_disk("x"));
    assert_eq!(now, expected);
    assert_eq!(past.history().find(undone).unwrap().undoes.len(), 16);
    // Once more changes nothing; and all of it can come back.
    let again = past.vault.plan_undo(&undo, OnConflict::Refuse).unwrap();
    assert_eq!(again.commit().unwrap().unwrap().change, None);
    past.undo(&[undone]);
    assert_eq!((past.text("x/b.md"), past.text("new.md")), ("start\nline 0\nand so on\n".into(), "newer".into()));
    assert_eq!(past.place.walked(), ["new.md", "other.md", "x/b.md"]);
}

#[test]
fn files_in_dispute_are_left_out_if_asked() {
    let past = Past::new();
    for name in ["a.md", "b.md", "c.md"] {
        past.place.put(name, "1\n");
    }
    let first = past.write("b.md", "2\n");
    let change = past.vault.transaction(Folders::Create).write(note("a.md"), b"2\n".to_vec(), Expect::Anything);
    let change = change.write(note("b.md"), b"3\n".to_vec(), Expect::Anything).rename(note("b.md"), note("d.md"));
    let second = change.write(note("c.md"), b"2\n".to_vec(), Expect::Anything).commit().unwrap().change.unwrap();
    past.place.put("d.md", "by hand\n");
    assert_eq!(past.refused(&[first, second]).len(), 2);
    let plan = past.vault.plan_undo(&Undo::Changes(vec![first, second]), OnConflict::Skip).unwrap();
    assert_eq!(outcomes(&plan), [is("a.md", UndoOutcome::Restored), is("c.md", UndoOutcome::Restored)]);
    // Of the first nothing is left.
    assert_eq!(plan.changes, [second]);
    assert_eq!(plan.conflicts[0].path, path("b.md"));
    let undone = plan.commit().unwrap().unwrap().change.unwrap();
    assert_eq!(past.history().find(undone).unwrap().undoes, [second]);
    assert_eq!((past.text("a.md"), past.text("c.md"), past.text("d.md")), ("1\n".into(), "1\n".into(), "by hand\n".into()));
}

#[test]
fn what_was_too_large_to_be_kept_is_in_dispute() {
    let past = Past::with(HistorySettings { max_file_bytes: 10, ..HistorySettings::default() });
    past.place.put("a.md", "a text that is too large");
    let edit = past.write("a.md", "small");
    assert_eq!(past.refused(&[edit])[0].obstacle, Obstacle::NotKept);
    let deleted = past.remove("a.md");
    past.undo(&[deleted]);
    assert_eq!(past.text("a.md"), "small");
}

#[test]
fn a_change_that_is_not_there_cannot_be_undone() {
    let past = Past::new();
    let unknown: ChangeId = "0123456789abcdefghjk".parse().unwrap();
    let plan = past.vault.plan_undo(&Undo::Changes(vec![unknown]), OnConflict::Refuse);
    assert!(matches!(plan, Err(VaultError::NoChange(change)) if change == unknown));
    let plan = past.vault.plan_undo(&Undo::All(Filter::default()), OnConflict::Refuse).unwrap();
    assert!(plan.changes.is_empty() && plan.commit().unwrap().unwrap().change.is_none());
}

#[test]
fn what_is_changed_between_plan_and_commit_is_a_conflict() {
    let past = Past::new();
    past.write("a.md", "1");
    let edit = past.write("a.md", "2");
    let plan = past.plan(&[edit]);
    past.place.put("a.md", "3");
    assert!(matches!(plan.commit(), Err(VaultError::Conflict(_))));
    assert_eq!(past.text("a.md"), "3");
}
