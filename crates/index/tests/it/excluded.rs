//! The app's excluded files, as its settings name them.

use crate::place::{Place, note};

#[test]
fn settings_are_read_again_once_they_change() {
    let place = Place::new(&[("a.md", ""), ("old/b.md", "")]);
    let run = place.start();
    let is_excluded = |path: &str| run.index.excluded().contains(&note(path));
    assert!(run.index.excluded().is_empty() && !is_excluded("old/b.md"));
    place.put(".obsidian/app.json", r#"{"userIgnoreFilters": ["old/", 5, "/^x/"]}"#);
    assert!(is_excluded("old/b.md") && is_excluded("x.md") && !is_excluded("a.md"));
    place.put(".obsidian/app.json", r#"{"userIgnoreFilters": ["a"]}"#);
    assert!(!is_excluded("old/b.md") && is_excluded("a.md"));
    place.age(0);
    let (first, again) = (run.index.excluded(), run.index.excluded());
    assert!(std::sync::Arc::ptr_eq(&first, &again), "the same file is not read again");
    place.put(".obsidian/app.json", "not JSON");
    assert!(run.index.excluded().is_empty());
}
