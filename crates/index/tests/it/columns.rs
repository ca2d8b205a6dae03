//! The columns say what the notes say, whatever was written, renamed or removed before.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use quillgate_index::{Catalogue, PropertyFilter, PropertyOperator};
use quillgate_vault::{FolderPath, Folders, TrashOption};
use serde_json::{Map, Value, json};

use crate::place::{Place, note};

/// What the columns say of a property, by path.
fn column(catalogue: &Catalogue, key: &str) -> BTreeMap<String, Value> {
    let exists = PropertyFilter::new(key, PropertyOperator::Exists, None).unwrap();
    let found = catalogue.find_by_properties(&[exists], &FolderPath::default(), None, usize::MAX);
    assert_eq!(found.total, found.notes.len());
    found.notes.into_iter().map(|(entry, mut values)| (entry.path.to_string(), values.remove(key).unwrap())).collect()
}

/// What the notes say of it.
fn told(catalogue: &Catalogue, key: &str) -> BTreeMap<String, Value> {
    let value =
        |map: Map<String, Value>| map.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(key)).map(|(_, value)| value);
    catalogue.notes().filter_map(|entry| Some((entry.path.to_string(), value(entry.card().property_map())?))).collect()
}

#[test]
fn columns_equal_the_notes_after_random_changes() {
    let place = Place::new::<&str, &str>(&[]);
    let run = place.start_without_store();
    let change = (0..30u8, 0..6u8, 0..5u8, 0..40u32);
    let mut runner = TestRunner::new(Config { cases: 40, ..Config::default() });
    let changes = prop::collection::vec(change, 1..60);
    let outcome = runner.run(&changes, |changes| {
        for (name, kind, key, value) in changes {
            let (path, other) = (format!("n{name}.md"), format!("n{}.md", (name + 7) % 30));
            let exists = |path: &str| run.index.catalogue().find(&note(path)).is_some();
            match kind {
                0 if exists(&path) => drop(run.vault.remove(&note(&path), TrashOption::None).unwrap()),
                1 if exists(&path) && !exists(&other) => {
                    run.vault.transaction(Folders::Create).rename(note(&path), note(&other)).commit().unwrap();
                }
                _ => run.write(&path, &format!("---\nk{key}: {value}\nCommon: [a, {value}]\nrare{value}: {{x: y}}\n---\n")),
            }
        }
        let catalogue = run.index.catalogue();
        for key in ["k0", "k1", "k2", "k3", "k4", "common", "rare3"] {
            prop_assert_eq!(column(&catalogue, key), told(&catalogue, key));
        }
        Ok(())
    });
    outcome.unwrap();
}

#[test]
fn values_that_nobody_has_any_more_go_away() {
    let place = Place::new::<&str, &str>(&[]);
    let run = place.start_without_store();
    run.write("a.md", "---\nx: 1\n---\n");
    let before = run.index.catalogue().column_bytes();
    (0..2000).for_each(|number| run.write("a.md", &format!("---\nx: a value that is somewhat long {number}\n---\n")));
    assert!(run.index.catalogue().column_bytes() < before + 20_000);
}

#[test]
fn properties_are_listed_with_their_types_and_values() {
    let first = "---\nStatus: done\ndue: 2024-05-01\nrating: 4\nrefs: [a]\nempty:\n---\n";
    let second = "---\nstatus: done\ndue: 2024-05-01T08:30\nrating: high\nok: true\nmap: {a: 1}\n---\n";
    let place = Place::new(&[("a.md", first), ("b.md", second), ("c.md", "---\nSTATUS: open\n---\n")]);
    let run = place.start_without_store();
    let properties = run.index.catalogue().properties(&FolderPath::ROOT, 5);
    let found: Vec<(String, Vec<&str>, usize)> =
        properties.iter().map(|property| (property.key.to_lowercase(), property.types.clone(), property.notes)).collect();
    let wanted: Vec<(String, Vec<&str>, usize)> = vec![
        ("due".into(), vec!["date", "datetime"], 2),
        ("empty".into(), vec!["empty"], 1),
        ("map".into(), vec!["map"], 1),
        ("ok".into(), vec!["checkbox"], 1),
        ("rating".into(), vec!["text", "number"], 2),
        ("refs".into(), vec!["list"], 1),
        ("status".into(), vec!["text"], 3),
    ];
    assert_eq!(found, wanted);
    assert_eq!(properties[6].samples, [json!("done"), json!("open")]);
    assert_eq!(run.index.catalogue().properties(&FolderPath::ROOT, 1)[6].samples, [json!("done")]);
    assert_eq!(run.index.catalogue().properties(&FolderPath::ROOT, 0)[6].samples, [json!(null); 0]);
}

#[test]
fn properties_of_a_folder_count_its_notes_alone() {
    let place = Place::new(&[
        ("a.md", "---\nx: 1\ny: 1\n---\n"),
        ("in/b.md", "---\nX: two\n---\n"),
        ("in/deep/c.md", "---\nx: two\n---\n"),
        ("in/d.md", "---\nx: 3\n---\n"),
    ]);
    let run = place.start_without_store();
    let folder = FolderPath::parse("in").unwrap();
    let properties = run.index.catalogue().properties(&folder, 5);
    let [only] = &properties[..] else { panic!("{properties:?}") };
    assert_eq!((only.notes, &only.types[..], &only.samples[..]), (3, &["text", "number"][..], &[json!("two"), json!(3)][..]));
}
