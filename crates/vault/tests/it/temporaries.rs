//! What a crash may leave behind.

use std::fs::{self, OpenOptions};

use crate::place::Place;

const LEFTOVER: &str = ".quillgate-0123456789abcdef.tmp";

#[test]
fn the_next_walk_removes_what_a_crash_left() {
    let place = Place::new();
    let leftovers = [place.put(LEFTOVER, "half a no"), place.put(&format!("deep/er/{LEFTOVER}"), "")];
    place.put("a.md", "a");
    assert_eq!(place.walked(), ["a.md"]);
    assert!(leftovers.iter().all(|path| !path.exists()));
}

#[test]
fn a_temporary_file_in_use_is_kept() {
    let place = Place::new();
    let path = place.put(LEFTOVER, "somebody writes this");
    let file = OpenOptions::new().write(true).open(&path).unwrap();
    file.lock().unwrap();
    place.walked();
    assert!(path.exists());
    file.unlock().unwrap();
    place.walked();
    assert!(!path.exists());
}

#[test]
fn only_our_own_files_are_taken_for_leftovers() {
    let place = Place::new();
    let kept = [place.put(".quillgate-notes.md", "x"), place.put("quillgate-1.tmp", "x"), place.put(".sync.tmp", "x")];
    fs::create_dir(place.on_disk(LEFTOVER)).unwrap();
    std::os::unix::fs::symlink(place.put_outside("secret.md", "x"), place.on_disk(".quillgate-1.tmp")).unwrap();
    place.walked();
    assert!(kept.iter().all(|path| path.exists()));
    assert!(place.on_disk(LEFTOVER).exists() && place.outside("secret.md").exists());
}

#[test]
fn walks_do_not_disturb_writers() {
    let place = Place::new();
    let other = place.second_handle();
    let writing = std::sync::atomic::AtomicBool::new(true);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while writing.load(std::sync::atomic::Ordering::Relaxed) {
                other.walk(&quillgate_vault::FolderPath::ROOT, |_| true).unwrap();
            }
        });
        for round in 0..200 {
            place.write(&format!("{}.md", round % 7), &round.to_string()).unwrap();
        }
        writing.store(false, std::sync::atomic::Ordering::Relaxed);
    });
}
