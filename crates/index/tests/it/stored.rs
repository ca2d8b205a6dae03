//! The stored catalogue: it saves reading, and never decides what is true.

use std::fs;

use proptest::prelude::*;

use crate::place::{Place, note, tagged};

fn vault() -> Place {
    let place = Place::new(&[("a.md", tagged("a")), ("b/c.md", tagged("c")), ("d.canvas", String::new())]);
    place.put("image.png", b"\x89PNG\0");
    place.age(0);
    place
}

#[track_caller]
fn check_answers(place: &Place) {
    let run = place.start();
    assert_eq!(run.paths(), ["a.md", "b/c.md", "d.canvas", "image.png"]);
    assert_eq!((run.tags("a.md").unwrap(), run.tags("b/c.md").unwrap()), (vec!["a".to_owned()], vec!["c".to_owned()]));
    place.stop(run);
}

#[test]
fn a_restart_reads_nothing_that_has_not_changed() {
    let place = vault();
    assert_eq!(place.run_once(), 3);
    assert_eq!(place.run_once(), 0);
    check_answers(&place);
}

#[test]
fn a_restart_reads_what_has_changed_and_only_that() {
    let place = vault();
    place.run_once();
    place.put("a.md", tagged("changed"));
    fs::remove_file(place.on_disk("b/c.md")).unwrap();
    place.put("new.md", tagged("new"));
    let run = place.start();
    assert_eq!(run.index.status().files_read, 2);
    assert_eq!(run.paths(), ["a.md", "d.canvas", "image.png", "new.md"]);
    assert_eq!(run.tags("a.md").unwrap(), ["changed"]);
}

#[test]
fn a_file_written_just_before_a_restart_is_read_again_but_once() {
    let place = vault();
    let run = place.start();
    run.write("own.md", &tagged("own"));
    place.stop(run);
    // As if a minute had passed since: only now is it certain that nothing came after.
    assert_eq!(place.run_once(), 1);
    place.age(5);
    assert_eq!(place.run_once(), 4, "times have changed, so bytes are compared");
    assert_eq!(place.run_once(), 0);
}

#[test]
fn changes_are_stored_as_they_happen() {
    let place = vault();
    let run = place.start();
    run.write("own.md", "own");
    run.vault.remove(&note("a.md"), quillgate_vault::TrashOption::None).unwrap();
    place.stop(run);
    place.age(0);
    let run = place.start();
    assert_eq!(run.paths(), ["b/c.md", "d.canvas", "image.png", "own.md"]);
}

#[test]
fn another_format_means_reading_everything_anew() {
    let place = vault();
    place.run_once();
    let mut log = fs::read(place.log()).unwrap();
    log[14] ^= 1;
    fs::write(place.log(), log).unwrap();
    assert_eq!(place.run_once(), 3);
    assert_eq!(place.run_once(), 0);
}

#[test]
fn a_log_that_cannot_be_opened_does_no_harm() {
    let place = vault();
    fs::create_dir(place.log()).unwrap();
    check_answers(&place);
    check_answers(&place);
}

#[test]
fn two_programs_on_one_vault_both_answer() {
    let place = vault();
    let (first, second) = (place.start(), place.start());
    first.write("one.md", &tagged("one"));
    second.write("two.md", &tagged("two"));
    for run in [&first, &second] {
        crate::place::within_a_second("each sees the other's note", || {
            run.tags("one.md").is_some_and(|tags| tags == ["one"]) && run.tags("two.md").is_some_and(|tags| tags == ["two"])
        });
    }
    place.stop(first);
    place.stop(second);
    place.age(0);
    place.run_once();
    let run = place.start();
    assert_eq!(run.index.status().files_read, 0);
    assert_eq!(run.paths().len(), 6);
}

#[test]
fn a_log_full_of_old_records_is_written_anew() {
    let place = vault();
    let heading = format!("# {}\n", "long ".repeat(40_000));
    let mut lengths = Vec::new();
    for round in 0..3 {
        let run = place.start();
        (0..12).for_each(|write| run.write("long.md", &format!("{heading}{round} {write} [[a]]\n")));
        run.index.check_everything();
        lengths.push(fs::metadata(place.log()).unwrap().len());
        place.stop(run);
    }
    assert!(lengths.iter().all(|length| *length < 6 << 20), "{lengths:?}");
    assert!(lengths.windows(2).any(|pair| pair[1] < pair[0]), "it was never written anew: {lengths:?}");
    let run = place.start();
    assert_eq!(run.index.catalogue().outgoing(&note("long.md")).len(), 1);
    assert_eq!(run.paths().len(), 5);
}

#[test]
fn a_card_damaged_under_way_is_mended_by_the_next_look() {
    let place = vault();
    place.put("a.md", "---\ntags: [a]\n---\n# Heading\n");
    place.age(0);
    place.run_once();
    let run = place.start();
    let headings = || run.index.catalogue().find(&note("a.md")).unwrap().card().headings.len();
    assert_eq!(headings(), 1);
    let length = fs::metadata(place.log()).unwrap().len();
    fs::write(place.log(), vec![0; length as usize]).unwrap();
    assert_eq!(headings(), 0);
    assert!(run.index.check_everything() > 0);
    assert_eq!(headings(), 1);
}

#[test]
fn cards_are_found_after_the_log_was_written_anew() {
    let place = vault();
    let heading = format!("# {}\n", "long ".repeat(40_000));
    let run = place.start();
    run.write("first.md", "# First\n");
    (0..40).for_each(|write| run.write("long.md", &format!("{heading}{write} [[a]]\n")));
    run.index.check_everything();
    assert!(fs::metadata(place.log()).unwrap().len() < 6 << 20);
    run.write("second.md", "# Second\n");
    for (path, heading) in [("first.md", "First"), ("second.md", "Second")] {
        let card = run.index.catalogue().find(&note(path)).unwrap().card();
        assert_eq!(card.headings[0].text, heading);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn damage_to_the_log_never_shows(cut in 0.0..1.0f64, flips in prop::collection::vec((0.0..1.0f64, any::<u8>()), 0..4)) {
        let place = vault();
        place.run_once();
        let mut log = fs::read(place.log()).unwrap();
        log.truncate((log.len() as f64 * (0.5 + cut)) as usize);
        for (at, byte) in flips {
            let at = (log.len() as f64 * at) as usize;
            log[at] = byte;
        }
        fs::write(place.log(), log).unwrap();
        check_answers(&place);
        prop_assert_eq!(place.run_once(), 0);
    }

    #[test]
    fn garbage_instead_of_a_log_never_shows(garbage in prop::collection::vec(any::<u8>(), 0..300), with_header in any::<bool>()) {
        let place = vault();
        let mut log = if with_header { b"quillgate-cat-3\n".to_vec() } else { Vec::new() };
        log.extend(garbage);
        fs::write(place.log(), log).unwrap();
        check_answers(&place);
    }
}
