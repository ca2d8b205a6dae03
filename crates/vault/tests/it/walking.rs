//! Finding every file.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::place::{Place, folder};

#[test]
fn a_walk_finds_everything_once_and_nothing_hidden() {
    let place = Place::new();
    let mut expected = Vec::new();
    for number in 0..600 {
        let path = format!("{}/{}/Note {number}.md", number % 7, number % 13);
        place.put(&path, "");
        expected.push(path);
    }
    for hidden in [".obsidian/app.json", ".git/config", "1/.hidden/a.md", ".trash/b.md", "2/.dot.md"] {
        place.put(hidden, "");
    }
    expected.sort();
    assert_eq!(place.walked(), expected);
}

#[test]
fn a_walk_of_a_folder_stays_in_it() {
    let place = Place::new();
    place.put_all(&["a/x.md", "a/b/y.md", "ab/z.md"]);
    let found = AtomicUsize::new(0);
    let report = place.vault.walk(&folder("a"), |_| found.fetch_add(1, Ordering::Relaxed) < 9).unwrap();
    assert_eq!(found.into_inner(), 2);
    assert_eq!(report.folders, [folder("a/b")]);
    assert!(place.vault.walk(&folder("missing"), |_| true).is_err());
}

#[test]
fn a_walk_ends_early_when_it_is_no_longer_wanted() {
    let place = Place::new();
    (0..200).for_each(|number| drop(place.put(&format!("{number}/a.md"), "")));
    let seen = AtomicUsize::new(0);
    place.vault.walk(&folder("/"), |_| seen.fetch_add(1, Ordering::Relaxed) < 3).unwrap();
    assert!(seen.into_inner() < 100);
}

/// A handle for every folder that waits would exhaust what the system allows.
#[test]
fn a_folder_with_thousands_of_folders_needs_few_handles() {
    let place = Place::new();
    let count = 1500;
    (0..count).for_each(|number| drop(place.put(&format!("{number}/a.md"), "")));
    let most = AtomicUsize::new(0);
    place
        .vault
        .walk(&folder("/"), |_| {
            most.fetch_max(std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count), Ordering::Relaxed);
            true
        })
        .unwrap();
    assert!(most.load(Ordering::Relaxed) < 500, "{most:?} handles were open");
    assert_eq!(place.walked().len(), count);
}

#[test]
fn a_visitor_that_panics_does_not_hang_the_walk() {
    let place = Place::new();
    place.put_all(&["a/x.md", "b/y.md", "c/z.md"]);
    let vault = std::panic::AssertUnwindSafe(&place.vault);
    let outcome = std::panic::catch_unwind(|| drop(vault.walk(&folder("/"), |_| panic!("a broken visitor"))));
    assert!(outcome.is_err());
}
