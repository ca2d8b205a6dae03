//! What is kept per note is always what the note's card says, whatever happens meanwhile.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use quillgate_index::{Card, Catalogue, FromCard, Index, PerNote};
use quillgate_vault::{Folders, NotePath, TrashOption};

use crate::place::{Place, note};

#[derive(Debug, PartialEq)]
struct TaskTexts(Vec<String>);

impl FromCard for TaskTexts {
    fn from_card(path: &NotePath, card: &Card) -> Option<TaskTexts> {
        let texts: Vec<String> = card.tasks().map(|task| format!("{path}: {}", task.text)).collect();
        (!texts.is_empty()).then_some(TaskTexts(texts))
    }
}

/// What is kept, and what the cards say.
fn check(catalogue: &Catalogue, kept: &PerNote<TaskTexts>) {
    let told: BTreeMap<_, _> = kept.iter().map(|(id, texts)| (id, &texts.0)).collect();
    assert_eq!(told.len(), kept.len());
    let wanted: BTreeMap<_, _> = catalogue
        .numbered_notes()
        .filter_map(|(id, entry)| Some((id, TaskTexts::from_card(&entry.path, &entry.card())?.0)))
        .collect();
    assert_eq!(told.into_iter().map(|(id, texts)| (id, texts.clone())).collect::<BTreeMap<_, _>>(), wanted);
}

fn check_index(index: &Index) {
    let catalogue = index.catalogue();
    check(&catalogue, &index.per_note(&catalogue));
}

/// Counts the notes it is made of. Of use in one test only.
struct Counted;

static COUNTED: AtomicUsize = AtomicUsize::new(0);

impl FromCard for Counted {
    fn from_card(_: &NotePath, _: &Card) -> Option<Counted> {
        COUNTED.fetch_add(1, Ordering::Relaxed);
        Some(Counted)
    }
}

#[test]
fn only_what_changed_is_worked_out_again() {
    let files: Vec<(String, String)> = (0..300).map(|at| (format!("{at}.md"), format!("- [ ] {at}\n"))).collect();
    let place = Place::new(&files);
    place.put("x.png", "x");
    let run = place.start();
    let counted = || {
        let catalogue = run.index.catalogue();
        let kept = run.index.per_note::<Counted>(&catalogue);
        (COUNTED.swap(0, Ordering::Relaxed), kept.len())
    };
    assert_eq!(counted(), (300, 300));
    assert_eq!(counted(), (0, 300));
    run.write("5.md", "other");
    run.write("y.canvas", "{}");
    assert_eq!(counted(), (1, 300));
    run.vault.remove(&note("6.md"), TrashOption::None).unwrap();
    assert_eq!(counted(), (0, 299));
    run.write("new.md", "under the number of the one that is gone");
    assert_eq!(counted(), (1, 300));
    run.vault.transaction(Folders::Create).rename(note("7.md"), note("in/7.md")).commit().unwrap();
    assert_eq!(counted(), (1, 300));
    run.index.check_everything();
    assert_eq!(counted(), (0, 300), "the same bytes are the same note");
    run.index.rebuild();
    assert_eq!(counted().1, 300);
}

#[test]
fn who_reads_a_table_keeps_it_as_it_was() {
    let place = Place::new(&[("a.md", "- [ ] one\n"), ("b.md", "none\n")]);
    let run = place.start();
    let before = run.index.per_note::<TaskTexts>(&run.index.catalogue());
    let a = run.index.catalogue().find_id(&note("a.md")).unwrap();
    run.write("a.md", "- [ ] two\n");
    run.write("b.md", "- [x] three\n");
    let after = run.index.per_note::<TaskTexts>(&run.index.catalogue());
    assert_eq!((before.len(), before.get(a).unwrap().0[0].as_str()), (1, "a.md: one"));
    assert_eq!((after.len(), after.get(a).unwrap().0[0].as_str()), (2, "a.md: two"));
    check_index(&run.index);
    run.write("a.md", "");
    run.write("b.md", "");
    assert!(run.index.per_note::<TaskTexts>(&run.index.catalogue()).is_empty());
}

#[test]
fn a_table_is_right_after_a_restart_and_after_changes_by_others() {
    let place = Place::new(&[("a.md", "- [ ] one\n"), ("in/b.md", "> - [ ] two\n")]);
    place.age(0);
    let run = place.start();
    check_index(&run.index);
    place.stop(run);
    let run = place.start();
    check_index(&run.index);
    place.put("in/b.md", "- [ ] other\n- [ ] lines\n");
    place.put("c.md", "- [ ] new\n");
    std::fs::remove_file(place.on_disk("a.md")).unwrap();
    run.index.check_everything();
    check_index(&run.index);
}

/// Fails on one note.
struct Fragile;

impl FromCard for Fragile {
    fn from_card(path: &NotePath, _: &Card) -> Option<Fragile> {
        assert_ne!(path.as_str(), "b.md");
        Some(Fragile)
    }
}

#[test]
fn a_note_that_breaks_it_is_left_out() {
    let place = Place::new(&[("a.md", ""), ("b.md", ""), ("c.md", "")]);
    let run = place.start();
    assert_eq!(run.index.per_note::<Fragile>(&run.index.catalogue()).len(), 2);
}

#[test]
fn tables_are_right_while_others_write() {
    let place = Place::new(&(0..200).map(|at| (format!("{at}.md"), "- [ ] first\n")).collect::<Vec<_>>());
    let run = place.start();
    let (over, rounds) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        for writer in 0..2u32 {
            let run = &run;
            let over = &over;
            scope.spawn(move || {
                for step in 0..150u32 {
                    let path = format!("{}.md", (step * 7 + writer * 50) % 120);
                    let exists = run.index.catalogue().find(&note(&path)).is_some();
                    match step % 5 {
                        0 if exists => drop(run.vault.remove(&note(&path), TrashOption::None)),
                        1 => run.write(&format!("new {writer} {step}.md"), "- [ ] new\n"),
                        _ => run.write(&path, &format!("- [ ] step {step}\n- none\n")),
                    }
                }
                over.store(true, Ordering::Relaxed);
            });
        }
        for reader in 0..2 {
            let (index, over, rounds) = (run.index.clone(), &over, &rounds);
            scope.spawn(move || {
                if reader == 1 {
                    index.prepare_per_note::<TaskTexts>();
                }
                while !over.load(Ordering::Relaxed) || rounds.load(Ordering::Relaxed) < 10 {
                    check_index(&index);
                    rounds.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    check_index(&run.index);
}

#[test]
fn what_was_prepared_is_completed_when_asked_for() {
    let place = Place::new(&(0..50).map(|at| (format!("{at}.md"), "- [ ] first\n")).collect::<Vec<_>>());
    let run = place.start();
    run.index.prepare_per_note::<TaskTexts>();
    run.write("3.md", "- [ ] second\n");
    run.vault.remove(&note("4.md"), TrashOption::None).unwrap();
    check_index(&run.index);
    let catalogue = run.index.catalogue();
    let (first, again) = (run.index.per_note::<TaskTexts>(&catalogue), run.index.per_note::<TaskTexts>(&catalogue));
    assert!(Arc::ptr_eq(&first, &again), "nothing has changed");
}
