//! Changing a base.

use quillgate_markdown::Value as Yaml;

use crate::bases::{BasePatch, update};

const BASE: &str = "# my base\nfilters: # all books\n  and:\n    - file.hasTag(\"book\")\nformulas:\n  # with tax\n  total: price * 1.2 # gross\n  old: '1'\nplugin: {keep: [1,   2]}\nviews:\n  # the first\n  - type: table\n    name: All # everything\n    order: [file.name,   price]\n    columnSize:\n      note.price: 100 # px\n  # the second\n  - name: Cards\n    type: cards\n    limit: 5\n";

fn text(text: &str) -> Yaml {
    Yaml::Text(text.to_owned())
}

fn entry(key: &str, value: Yaml) -> (String, Yaml) {
    (key.to_owned(), value)
}

fn view(name: &str, key: &str, value: Yaml) -> BasePatch {
    BasePatch { update_views: vec![(name.to_owned(), vec![entry(key, value)])], ..BasePatch::default() }
}

#[track_caller]
fn check(patch: &BasePatch, from: &str, to: &str) {
    assert!(BASE.contains(from), "{from}");
    assert_eq!(update(BASE, patch).unwrap(), BASE.replacen(from, to, 1));
    let windows = BASE.replace('\n', "\r\n");
    assert_eq!(update(&windows, patch).unwrap(), BASE.replacen(from, to, 1).replace('\n', "\r\n"));
    let marked = format!("\u{feff}{BASE}");
    assert_eq!(update(&marked, patch).unwrap(), format!("\u{feff}{}", BASE.replacen(from, to, 1)));
}

#[test]
fn nothing_to_change_changes_nothing() {
    for text in [BASE, "", "a: 1", "# only a comment", "\u{feff}a: 1\r\n"] {
        assert_eq!(update(text, &BasePatch::default()).unwrap(), text);
    }
}

#[test]
fn formulas_and_properties_are_set_and_taken_away() {
    let formulas = |name: &str, value: Yaml| BasePatch { formulas: vec![entry(name, value)], ..BasePatch::default() };
    check(&formulas("total", text("price * 2")), "price * 1.2 #", "price * 2 #");
    check(&formulas("new", text("now()")), "  old: '1'\n", "  old: '1'\n  new: now()\n");
    check(&formulas("old", Yaml::Null), "  old: '1'\n", "");
    check(&formulas("absent", Yaml::Null), "", "");
    let name = Yaml::Map(vec![entry("displayName", text("Price"))]);
    let properties = BasePatch { properties: vec![entry("note.price", name)], ..BasePatch::default() };
    let after = update(BASE, &properties).unwrap();
    assert_eq!(after, format!("{BASE}properties:\n  note.price:\n    displayName: Price\n"));
    assert_eq!(update("", &properties).unwrap(), "properties:\n  note.price:\n    displayName: Price\n");
}

#[test]
fn filters_are_replaced_and_taken_away() {
    let filters = |filters: Yaml| BasePatch { filters: Some(filters), ..BasePatch::default() };
    let old = "filters: # all books\n  and:\n    - file.hasTag(\"book\")\n";
    check(&filters(text("a == 1")), old, "filters: a == 1 # all books\n");
    check(&filters(Yaml::Null), old, "");
}

#[test]
fn a_view_is_changed_where_it_stands() {
    check(&view("Cards", "limit", Yaml::Integer(9)), "limit: 5", "limit: 9");
    check(&view("Cards", "limit", Yaml::Null), "    limit: 5\n", "");
    check(&view("Cards", "name", text("Pictures")), "name: Cards", "name: Pictures");
    check(&view("All", "type", text("list")), "type: table", "type: list");
    check(&view("All", "type", Yaml::Null), "  - type: table\n    name", "  - name");
    check(&view("All", "order", Yaml::List(vec![text("a")])), " [file.name,   price]\n", "\n      - a\n");
    let sort = Yaml::List(vec![Yaml::Map(vec![entry("property", text("x"))])]);
    check(&view("Cards", "sort", sort), "limit: 5\n", "limit: 5\n    sort:\n      - property: x\n");
    let flow = "views: [{type: table, name: A}]\n";
    assert_eq!(
        update(flow, &view("A", "limit", Yaml::Integer(1))).unwrap(),
        "views:\n  - type: table\n    name: A\n    limit: 1\n"
    );
}

#[test]
fn views_come_and_go() {
    let remove = |name: &str| BasePatch { remove_views: vec![name.to_owned()], ..BasePatch::default() };
    check(&remove("Cards"), "  - name: Cards\n    type: cards\n    limit: 5\n", "");
    let added = Yaml::Map(vec![entry("type", text("list")), entry("name", text("New"))]);
    let add = BasePatch { add_views: vec![added.clone()], ..BasePatch::default() };
    check(&add, "    limit: 5\n", "    limit: 5\n  - type: list\n    name: New\n");
    assert_eq!(update("", &add).unwrap(), "views:\n  - type: list\n    name: New\n");
    let same = Yaml::Map(vec![entry("name", text("Cards"))]);
    let message = |patch: &BasePatch| update(BASE, patch).unwrap_err().to_string();
    let taken = BasePatch { add_views: vec![same.clone()], ..BasePatch::default() };
    assert_eq!(message(&taken), "the base has a view \"Cards\" already; change it under update_views, or choose another name");
    let swapped = BasePatch { add_views: vec![same], ..remove("Cards") };
    let after = update(BASE, &swapped).unwrap();
    assert!(after.contains("  - name: Cards\n") && !after.contains("limit"), "{after}");
    assert_eq!(message(&remove("No")), "the base has no view \"No\"; its views are All, Cards");
}

#[test]
fn what_would_break_the_base_is_refused() {
    let message = |text: &str, patch: &BasePatch| update(text, patch).unwrap_err().to_string();
    let broken = BasePatch { formulas: vec![entry("x", text("1 +"))], ..BasePatch::default() };
    assert_eq!(
        message("a: 1\n", &broken),
        "the changed base would not be one: line 3, column 9: a value is expected, and there is the end"
    );
    assert!(message("a: [\n", &BasePatch::default()).starts_with("line "));
    assert!(message("---\na: 1\n", &broken).contains("divides YAML"));
}

#[test]
fn what_is_broken_is_mended_piece_by_piece() {
    let base = "formulas:\n  a: 1 +\n  b: 2 +\nviews:\n  - name: V\n    limit: many\n";
    let formula = |name: &str, value: &str| BasePatch { formulas: vec![entry(name, text(value))], ..BasePatch::default() };
    let once = update(base, &formula("a", "1")).unwrap();
    assert_eq!(once, base.replace("1 +", "\"1\""));
    assert_eq!(update(&once, &view("V", "limit", Yaml::Integer(3))).unwrap(), once.replace("many", "3"));
    assert!(update(base, &formula("c", "3 +")).unwrap_err().to_string().contains("would not be one"), "one more is too many");
    assert!(update(BASE, &formula("c", "price.upper()")).unwrap_err().to_string().contains("there is no method upper"));
}

#[test]
fn views_are_known_by_the_names_that_are_shown() {
    let base = "views:\n  - type: table\n  - type: cards\n    name: 2024\n  - type: table\n";
    let removed = |names: &[&str]| {
        let remove_views = names.iter().map(ToString::to_string).collect();
        update(base, &BasePatch { remove_views, ..BasePatch::default() })
    };
    assert_eq!(removed(&["View 1"]).unwrap(), "views:\n  - type: cards\n    name: 2024\n  - type: table\n");
    assert_eq!(removed(&["2024", "View 3"]).unwrap(), "views:\n  - type: table\n");
    let taken = update(base, &view("View 1", "name", text("2024"))).unwrap_err().to_string();
    assert!(taken.contains("has a view \"2024\" already"), "{taken}");
}
