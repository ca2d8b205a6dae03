//! The list of attacks, against the tests that there are.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Number 117 to 124 and 128 need what only tests can inject, and stand in the `oauth` crate.
#[test]
fn every_attack_of_this_range_has_a_test() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut numbers = BTreeSet::new();
    for folder in [own.join("tests"), own.join("../oauth/tests")] {
        for file in sources(&folder) {
            let text = fs::read_to_string(file).expect("a source");
            let tests = text.lines().zip(text.lines().skip(1)).filter(|(before, _)| before.trim().ends_with("test]"));
            let names = tests.filter_map(|(_, line)| line.trim().trim_start_matches("async ").strip_prefix("fn attack_"));
            numbers.extend(names.filter_map(|name| name.split('_').next()?.parse::<u32>().ok()));
        }
    }
    let missing: Vec<u32> = (70..=138).filter(|number| !numbers.contains(number)).collect();
    assert!(missing.is_empty(), "no test for {missing:?}");
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            found.extend(sources(&entry));
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            found.push(entry);
        }
    }
    found
}
