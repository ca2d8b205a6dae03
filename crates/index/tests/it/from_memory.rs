//! What queries read of many notes without opening one: columns, fields and links by file number.

use std::collections::BTreeMap;

use quillgate_index::{Catalogue, PropertyColumn};
use quillgate_vault::{FolderPath, TrashOption};

use crate::place::{Place, note};

/// The JSON of every note that has a value, by path.
fn told(catalogue: &Catalogue, column: Option<PropertyColumn<'_>>) -> BTreeMap<String, String> {
    let Some(column) = column else { return BTreeMap::new() };
    let cells: BTreeMap<String, String> = column
        .cells()
        .map(|(id, number)| {
            assert!((number as usize) < column.len() && column.is_used(number) && column.value_number(id) == Some(number));
            (catalogue.entry(id).unwrap().path.to_string(), column.json_text(number).to_owned())
        })
        .collect();
    let found = catalogue.numbered().filter_map(|(id, entry)| Some((entry.path.to_string(), column.value_number(id)?)));
    let found: BTreeMap<_, _> = found.map(|(path, number)| (path, column.json_text(number).to_owned())).collect();
    assert_eq!(found, cells);
    cells
}

fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(path, json)| ((*path).to_owned(), (*json).to_owned())).collect()
}

#[test]
fn properties_and_tags_are_read_by_number() {
    let place = Place::new(&[
        ("a.md", "---\nStatus: open\nn: [1, 2]\ntags: [x]\n---\n#y #X\n"),
        ("b.md", "---\nstatus: open\n---\n"),
        ("c.md", "no properties"),
        ("d.png", "x"),
    ]);
    let run = place.start();
    let catalogue = run.index.catalogue();
    let status = catalogue.property_column("STATUS").unwrap();
    assert_eq!(told(&catalogue, Some(status)), map(&[("a.md", "\"open\""), ("b.md", "\"open\"")]));
    let number = |path: &str| status.value_number(catalogue.find_id(&note(path)).unwrap());
    assert_eq!((number("a.md"), number("c.md"), number("d.png")), (number("b.md"), None, None));
    assert_eq!((status.json_text(77), status.is_used(77)), ("null", false));
    assert_eq!(told(&catalogue, catalogue.property_column("n")), map(&[("a.md", "[1,2]")]));
    assert!(catalogue.property_column("none").is_none());
    assert_eq!(told(&catalogue, Some(catalogue.tag_column())), map(&[("a.md", "[\"x\",\"y\"]")]));
    let mut names: Vec<String> = catalogue.property_names().map(str::to_lowercase).collect();
    names.sort();
    assert_eq!(names, ["n", "status", "tags"]);
}

#[test]
fn fields_are_found_by_their_key_as_written_and_as_queries_spell_it() {
    let place = Place::new(&[
        ("a.md", "Basic Field:: 1\n\nx (Basic Field:: 2)\n\n- Basic Field:: 0\n- [ ] t [basic-field:: no]\n"),
        ("b.md", "basic-field:: own\n\nBasic Field:: other\n"),
        ("c.md", "---\nbasic-field: 5\n---\n**Basic Field**:: [[x]], \"q\"\n"),
        ("d.md", "plain text\n"),
    ]);
    let run = place.start();
    let check = || {
        let catalogue = run.index.catalogue();
        let written = told(&catalogue, catalogue.field_column("Basic Field"));
        let wanted = [("a.md", r#"["0","1","2"]"#), ("b.md", r#"["other"]"#), ("c.md", r#"["[[x]], \"q\""]"#)];
        assert_eq!(written, map(&wanted));
        let asked = told(&catalogue, catalogue.field_column("basic-field"));
        assert_eq!(asked, map(&[("a.md", r#"["0","1","2"]"#), ("b.md", r#"["own"]"#)]));
        let mut keys: Vec<&str> = catalogue.field_keys().collect();
        keys.sort_unstable();
        assert_eq!(keys, ["Basic Field", "basic-field"]);
    };
    check();
    drop(run);
    // And from what was stored.
    let again = place.start();
    assert_eq!(told(&again.index.catalogue(), again.index.catalogue().field_column("basic-field")).len(), 2);
}

#[test]
fn fields_that_nobody_has_any_more_leave_nothing() {
    let place = Place::new(&[("a.md", "x:: 1\n"), ("b.md", "x:: 1\n")]);
    let run = place.start_without_store();
    let before = run.index.catalogue().column_bytes();
    (0..500).for_each(|number| run.write("a.md", &format!("Key {number}:: somewhat long {number}\n")));
    assert_eq!(run.index.catalogue().field_keys().count(), 3);
    run.vault.remove(&note("b.md"), TrashOption::None).unwrap();
    run.write("a.md", "x:: 2\n");
    let catalogue = run.index.catalogue();
    assert_eq!(told(&catalogue, catalogue.field_column("x")), map(&[("a.md", "[\"2\"]")]));
    assert!(catalogue.column_bytes() < before + 2_000, "{} after {before}", catalogue.column_bytes());
}

#[test]
fn links_are_followed_by_number_both_ways() {
    let place = Place::new(&[
        ("a.md", "---\nup: \"[[b]]\"\n---\n[[b#h|x]] ![[pic.png]]\n\n[[none]] [[#here]] [[in/c]]\n"),
        ("b.md", "[[a]] [[a]]"),
        ("in/a.md", "[[a]]"),
        ("in/c.md", "[[./a]]"),
        ("pic.png", "x"),
    ]);
    let run = place.start();
    let catalogue = run.index.catalogue();
    let id = |path: &str| catalogue.find_id(&note(path)).unwrap();
    let links: Vec<_> = catalogue.links_of(id("a.md")).map(|link| (link.path, link.target, link.line, link.embed)).collect();
    let wanted = [
        ("b", Some(id("b.md")), 2, false),
        ("b", Some(id("b.md")), 4, false),
        ("pic.png", Some(id("pic.png")), 4, true),
        ("none", None, 6, false),
        ("in/c", Some(id("in/c.md")), 6, false),
    ];
    assert_eq!(links, wanted);
    assert_eq!(catalogue.sources_of(id("a.md")), [id("b.md"), id("in/a.md")]);
    assert_eq!(catalogue.sources_of(id("in/a.md")), [id("in/c.md")]);
    assert_eq!(catalogue.sources_of(id("pic.png")), [id("a.md")]);
    assert_eq!(catalogue.resolve_from(id("in/c.md"), "./A"), Some(id("in/a.md")));
    assert_eq!(catalogue.resolve_from(id("in/c.md"), "A"), Some(id("a.md")));
    assert_eq!(catalogue.resolve_from(id("in/c.md"), ""), Some(id("in/c.md")));
    assert_eq!(catalogue.resolve_from(id("b.md"), "../x"), None);
    assert_eq!(catalogue.resolve_in(&FolderPath::ROOT, "a"), Some(id("a.md")));
    assert_eq!(catalogue.resolve_in(&FolderPath::parse("in").unwrap(), "./a"), Some(id("in/a.md")));
    assert_eq!(catalogue.resolve_in(&FolderPath::ROOT, ""), None);
}
