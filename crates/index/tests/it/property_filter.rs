//! Filters on properties, one rule at a time.

use quillgate_index::{PropertyFilter, PropertyFilterError, PropertyOperator as Op};
use quillgate_vault::FolderPath;
use serde_json::{Value, json};

use crate::place::{Place, Run, note};

fn vault() -> (Place, Run) {
    let note = |properties: &str| format!("---\n{properties}\n---\n");
    let place = Place::new(&[
        ("a.md", note("rating: 4\nstatus: done\ndue: 2024-05-01\ntags: [x, y]")),
        ("b.md", note("rating: 4.0\nStatus: Done\ndue: 2024-05-01T08:30\ntags: [y]")),
        ("c.md", note("rating: \"4\"\nstatus:\ndue: soon\ntags: z")),
        ("d/e.md", note("rating: 10\nstatus: open\ndue: 2023-12-31T23:00-02:00\nok: true")),
        ("d/f.md", "no properties".into()),
        ("d/g.canvas", "{}".into()),
    ]);
    let run = place.start_without_store();
    (place, run)
}

fn find(run: &Run, filters: &[(&str, Op, Option<Value>)]) -> Vec<String> {
    let filters: Vec<PropertyFilter> =
        filters.iter().map(|(key, op, value)| PropertyFilter::new(key, *op, value.clone()).unwrap()).collect();
    let catalogue = run.index.catalogue();
    let found = catalogue.find_by_properties(&filters, &FolderPath::default(), None, 100);
    assert_eq!(found.total, found.notes.len());
    found.notes.iter().map(|(entry, _)| entry.path.to_string()).collect()
}

#[test]
fn types_never_mix() {
    let (_place, run) = vault();
    assert_eq!(find(&run, &[("rating", Op::Eq, Some(json!(4)))]), ["a.md", "b.md"]);
    assert_eq!(find(&run, &[("rating", Op::Eq, Some(json!("4")))]), ["c.md"]);
    assert_eq!(find(&run, &[("rating", Op::Gt, Some(json!(3)))]), ["a.md", "b.md", "d/e.md"]);
    assert_eq!(find(&run, &[("rating", Op::Lte, Some(json!("5")))]), ["c.md"]);
    assert_eq!(find(&run, &[("ok", Op::Eq, Some(json!(true)))]), ["d/e.md"]);
    assert!(find(&run, &[("ok", Op::Gte, Some(json!(true)))]).is_empty());
}

#[test]
fn names_fold_case_and_values_do_not() {
    let (_place, run) = vault();
    assert_eq!(find(&run, &[("STATUS", Op::Eq, Some(json!("done")))]), ["a.md"]);
    assert_eq!(find(&run, &[("status", Op::In, Some(json!(["Done", "open"])))]), ["b.md", "d/e.md"]);
}

#[test]
fn dates_compare_as_moments() {
    let (_place, run) = vault();
    assert_eq!(find(&run, &[("due", Op::Gt, Some(json!("2024-05-01")))]), ["b.md", "c.md"]);
    assert_eq!(find(&run, &[("due", Op::Eq, Some(json!("2024-05-01T00:00:00Z")))]), ["a.md"]);
    // An hour before midnight, two hours west of UTC, is next year.
    let next_year = [("due", Op::Gte, Some(json!("2024-01-01"))), ("due", Op::Lt, Some(json!("2024-01-02")))];
    assert_eq!(find(&run, &next_year), ["d/e.md"]);
}

#[test]
fn not_equal_holds_without_the_property() {
    let (_place, run) = vault();
    assert_eq!(find(&run, &[("status", Op::Neq, Some(json!("done")))]), ["b.md", "c.md", "d/e.md", "d/f.md"]);
    assert_eq!(find(&run, &[("status", Op::Nin, Some(json!(["done", null])))]), ["b.md", "d/e.md", "d/f.md"]);
    assert_eq!(find(&run, &[("nobody", Op::Neq, Some(json!(1)))]).len(), 5);
    let there = [("status", Op::Neq, Some(json!("done"))), ("status", Op::Exists, None)];
    assert_eq!(find(&run, &there), ["b.md", "c.md", "d/e.md"]);
}

#[test]
fn an_empty_property_exists() {
    let (_place, run) = vault();
    assert_eq!(find(&run, &[("status", Op::Eq, Some(Value::Null))]), ["c.md"]);
    assert_eq!(find(&run, &[("status", Op::Absent, None)]), ["d/f.md"]);
    assert_eq!(find(&run, &[("nobody", Op::Absent, None)]).len(), 5);
    assert!(find(&run, &[("nobody", Op::Exists, None)]).is_empty());
}

#[test]
fn contains_looks_into_lists_and_texts() {
    let (_place, run) = vault();
    assert_eq!(find(&run, &[("tags", Op::Contains, Some(json!("y")))]), ["a.md", "b.md"]);
    assert_eq!(find(&run, &[("tags", Op::Contains, Some(json!(["x", "y"])))]), ["a.md"]);
    assert_eq!(find(&run, &[("tags", Op::Eq, Some(json!(["x", "y"])))]), ["a.md"]);
    assert_eq!(find(&run, &[("status", Op::Contains, Some(json!("one")))]), ["a.md", "b.md"]);
}

#[test]
fn pages_follow_each_other_below_a_folder() {
    let files: Vec<(String, String)> =
        (0..90).map(|number| (format!("{}/{number:02}.md", number % 3), format!("---\nn: {}\n---\n", number % 2))).collect();
    let place = Place::new(&files);
    let run = place.start_without_store();
    let catalogue = run.index.catalogue();
    for (value, folder, total) in [(json!([0]), "", 45), (json!([0, 1]), "1", 30), (json!([1]), "2", 15)] {
        let filter = [PropertyFilter::new("n", Op::In, Some(value)).unwrap()];
        let folder = FolderPath::parse(folder).unwrap();
        let whole = catalogue.find_by_properties(&filter, &folder, None, 1000);
        let paths: Vec<String> = whole.notes.iter().map(|(entry, _)| entry.path.to_string()).collect();
        assert!(paths.is_sorted() && !whole.more && paths.len() == total);
        let (mut read, mut after) = (Vec::new(), None);
        loop {
            let page = catalogue.find_by_properties(&filter, &folder, after.as_ref(), 7);
            assert_eq!(page.total, total);
            read.extend(page.notes.iter().map(|(entry, _)| entry.path.to_string()));
            if !page.more {
                break;
            }
            after = page.notes.last().map(|(entry, _)| entry.path.clone());
        }
        assert_eq!(read, paths);
    }
}

#[test]
fn a_page_shows_the_values_that_were_asked_for() {
    let (_place, run) = vault();
    let filter =
        [PropertyFilter::new("Rating", Op::Gt, Some(json!(4))).unwrap(), PropertyFilter::new("x", Op::Absent, None).unwrap()];
    let catalogue = run.index.catalogue();
    let found = catalogue.find_by_properties(&filter, &FolderPath::parse("d").unwrap(), Some(&note("c.md")), 9);
    assert_eq!(Value::Object(found.notes[0].1.clone()), json!({"Rating": 10}));
}

#[test]
fn filters_that_say_nothing_are_refused() {
    let refused = |op, value| PropertyFilter::new("k", op, value).unwrap_err();
    assert_eq!(refused(Op::Eq, None), PropertyFilterError::NoValue("k".into()));
    assert_eq!(refused(Op::In, Some(json!("a"))), PropertyFilterError::NoList("k".into(), "in"));
    assert_eq!(refused(Op::Exists, Some(json!(1))), PropertyFilterError::NeedlessValue("k".into()));
    assert_eq!(PropertyFilter::new("", Op::Exists, None).unwrap_err(), PropertyFilterError::NoKey);
}
