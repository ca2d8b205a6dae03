//! The catalogue keeps up: with ourselves at once, with others within a second.

use std::fs;
use std::sync::Arc;

use parking_lot::Mutex;
use quillgate_vault::{Folders, TrashOption};

use crate::place::{Place, note, tagged, within_a_second};

#[test]
fn our_own_changes_are_seen_at_once() {
    let place = Place::new(&[("old.md", "old")]);
    let run = place.start_without_store();
    run.write("a/new.md", &tagged("one"));
    assert_eq!(run.tags("a/new.md").unwrap(), ["one"]);
    run.write("a/new.md", &tagged("two"));
    assert_eq!(run.tags("a/new.md").unwrap(), ["two"]);
    run.vault.transaction(Folders::Create).rename(note("a/new.md"), note("b.md")).commit().unwrap();
    assert_eq!((run.tags("a/new.md"), run.tags("b.md").unwrap()), (None, vec!["two".to_owned()]));
    run.vault.remove(&note("b.md"), TrashOption::Local).unwrap();
    assert_eq!(run.paths(), ["old.md"]);
}

#[test]
fn our_own_changes_during_the_first_look_are_kept() {
    let many: Vec<(String, String)> = (0..300).map(|number| (format!("{}/{number}.md", number % 9), tagged("old"))).collect();
    for _ in 0..5 {
        let place = Place::new(&many);
        drop(place.start());
        let data = cap_std::fs::Dir::open_ambient_dir(place.folder.path().join("data"), cap_std::ambient_authority()).unwrap();
        let run = place.start_at_once(Some(data));
        for number in 0..40 {
            let (written, removed, moved) = (number, number + 100, number + 200);
            let path = |number: usize| format!("{}/{number}.md", number % 9);
            run.write(&path(written), &tagged("new"));
            run.vault.remove(&note(&path(removed)), TrashOption::None).unwrap();
            let to = note(&format!("moved/{moved}.md"));
            run.vault.transaction(Folders::Create).rename(note(&path(moved)), to).commit().unwrap();
        }
        let catalogue = run.index.catalogue();
        let new = catalogue.files().filter(|entry| entry.tags.iter().any(|tag| &**tag == "new")).count();
        let moved = catalogue.files().filter(|entry| entry.path.as_str().starts_with("moved/")).count();
        assert_eq!((catalogue.len(), new, moved), (260, 40, 40));
    }
}

#[test]
fn changes_of_others_are_seen_within_a_second() {
    let place = Place::new(&[("a.md", tagged("one")), ("gone/b.md", tagged("b")), ("gone/deep/c.md", tagged("c"))]);
    let run = place.start_without_store();
    place.put("new/deep/d.md", tagged("d"));
    within_a_second("a new file in new folders", || run.tags("new/deep/d.md").is_some_and(|tags| tags == ["d"]));
    place.put("a.md", tagged("two"));
    within_a_second("a changed file", || run.tags("a.md").is_some_and(|tags| tags == ["two"]));
    fs::rename(place.on_disk("a.md"), place.on_disk("renamed.md")).unwrap();
    within_a_second("a renamed file", || run.tags("a.md").is_none() && run.tags("renamed.md").is_some());
    fs::rename(place.on_disk("gone"), place.on_disk("kept")).unwrap();
    within_a_second("a renamed folder", || run.paths() == ["kept/b.md", "kept/deep/c.md", "new/deep/d.md", "renamed.md"]);
    fs::remove_dir_all(place.on_disk("kept")).unwrap();
    within_a_second("a removed folder", || run.paths() == ["new/deep/d.md", "renamed.md"]);
}

#[test]
fn a_change_that_keeps_size_and_time_is_found_by_its_bytes() {
    let place = Place::new(&[("a.md", tagged("one"))]);
    let run = place.start_without_store();
    let path = place.on_disk("a.md");
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    fs::write(&path, tagged("two")).unwrap();
    fs::File::options().append(true).open(&path).unwrap().set_modified(time).unwrap();
    run.index.check_everything();
    assert_eq!(run.tags("a.md").unwrap(), ["two"]);
}

#[test]
fn a_touched_file_is_no_news() {
    let place = Place::new(&[("a.md", tagged("one"))]);
    let run = place.start_without_store();
    let told = Arc::new(Mutex::new(Vec::new()));
    let telling = told.clone();
    run.index.observe(move |path| telling.lock().push(path.to_string()));
    place.age(0);
    assert_eq!(run.index.check_everything(), 0);
    let modified = run.index.catalogue().find(&note("a.md")).unwrap().stat.modified;
    assert_eq!(modified, run.vault.stat(&note("a.md")).unwrap().1.modified);
    place.put("b.md", "new");
    within_a_second("news of b.md", || told.lock().contains(&"b.md".to_owned()));
    assert!(!told.lock().contains(&"a.md".to_owned()));
}

#[test]
fn a_broken_note_is_one_line_in_the_report() {
    let place = Place::new(&[("fine.md", tagged("fine").into_bytes()), ("latin.md", b"caf\xe9 [[fine]]".to_vec())]);
    place.put("yaml.md", "---\na: [1\n---\nsee [[fine]]\n");
    place.put("board.canvas", "{ not json");
    place.put("image.png", b"\x89PNG\0\0");
    let run = place.start_without_store();
    let problems = run.index.status().problems;
    let named: Vec<&str> = problems.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(named, ["board.canvas", "latin.md", "yaml.md"]);
    assert_eq!(run.paths().len(), 5);
    assert_eq!(run.tags("fine.md").unwrap(), ["fine"]);
    // Broken frontmatter does not hide the links below it.
    assert_eq!(run.index.catalogue().backlinks(&note("fine.md")).len(), 1);
    place.put("latin.md", "café");
    within_a_second("the repaired note", || run.index.status().problems.len() == 2);
}

#[test]
fn placeholders_are_listed_and_not_read() {
    let place = Place::new(&[(".Cloud.md.icloud", "bplist"), ("b.md", "[[Cloud]]")]);
    let run = place.start_without_store();
    assert_eq!(run.paths(), ["Cloud.md", "b.md"]);
    assert_eq!(run.index.status().files_read, 1);
    assert_eq!(run.index.catalogue().backlinks(&note("Cloud.md")).len(), 1);
    fs::remove_file(place.on_disk(".Cloud.md.icloud")).unwrap();
    place.put("Cloud.md", tagged("arrived"));
    within_a_second("the file that arrived", || run.tags("Cloud.md").is_some_and(|tags| tags == ["arrived"]));
}

#[test]
fn the_status_says_how_far_the_index_is() {
    let place = Place::new(&[("a/b.md", "b"), ("c.png", "c")]);
    let run = place.start_without_store();
    let status = run.index.status();
    assert!(status.ready && status.watch.is_some() && status.first_walk.is_some());
    assert_eq!((status.files, status.files_read), (2, 1));
}

#[test]
fn files_below_a_folder_are_those_and_no_others() {
    let place = Place::new(&["a.md", "a/x.md", "a/b/y.md", "a b/z.md", "a0.md", "a-/w.md", "ab/v.md"].map(|path| (path, "")));
    let run = place.start_without_store();
    let catalogue = run.index.catalogue();
    let below = |folder: &str| -> Vec<String> {
        let folder = quillgate_vault::FolderPath::parse(folder).unwrap();
        catalogue.files_below(&folder).map(|entry| entry.path.to_string()).collect()
    };
    assert_eq!(below("a"), ["a/b/y.md", "a/x.md"]);
    assert_eq!(below("a/b"), ["a/b/y.md"]);
    assert_eq!(below("/").len(), 7);
    assert!(below("missing").is_empty());
}

#[test]
fn the_work_ends_with_the_index() {
    let place = Place::new(&[("a.md", "a")]);
    let run = place.start_without_store();
    let vault = Arc::downgrade(&run.vault);
    drop(run);
    within_a_second("nobody holds the vault any more", || vault.upgrade().is_none());
}
