//! The `engine` surface: bases are read, created, changed and queried.

use quillgate_vault::ContentHash;
use serde_json::{Value, json};

use crate::place::Place;

const BASE: &str = "# books\nfilters: file.hasTag(\"book\")\nformulas:\n  double: price * 2 # twice\nplugin: {keep:   1}\nviews:\n  - type: table\n    name: All\n    order: [file.name, price, formula.double, this.file.name]\n    sort: [{property: price, direction: DESC}]\n    summaries: {price: Sum}\n  - type: table\n    name: By status\n    groupBy: {property: status}\n    order: [file.basename]\n    summaries: {price: Max}\n";

fn place() -> Place {
    Place::new(&[
        ("Books.base", BASE),
        ("a.md", "---\ntags: [book]\nprice: 5\nstatus: open\n---\n"),
        ("b.md", "---\ntags: [book/sf]\nprice: 7\nstatus: done\n---\n"),
        ("c.md", "#book\n"),
        ("Archive/d.md", "---\ntags: [book]\nprice: much\n---\n"),
        ("e.md", "---\nprice: 1\n---\n"),
        ("pic.png", "x"),
    ])
}

#[test]
fn a_base_is_read_as_data() {
    let place = place();
    let answer = place.answer("read_base", json!({"path": "Books.base"}));
    assert_eq!(answer["path"], "Books.base");
    assert_eq!(answer["base"]["filters"], "file.hasTag(\"book\")");
    assert_eq!(answer["base"]["plugin"], json!({"keep": 1}));
    assert_eq!(answer["base"]["views"][0]["order"][1], "price");
    assert_eq!(answer["problem"], Value::Null);
    place.put("odd.base", "formulas:\n  x: 1 +\ndisplay: {}\n");
    let answer = place.answer("read_base", json!({"path": "odd.base"}));
    assert_eq!(answer["problem"], "line 2, column 9: a value is expected, and there is the end");
    assert_eq!(answer["base"]["formulas"], json!({"x": "1 +"}));
    place.put("odd.base", "views:\n  - name: V\n    filters: status.upper()\n");
    let answer = place.answer("read_base", json!({"path": "odd.base"}));
    assert!(answer["problem"].as_str().unwrap().starts_with("line 3, column 14: there is no method upper"), "{answer}");
}

#[test]
fn a_broken_formula_is_mended_by_an_update() {
    let place = place();
    place.put("odd.base", "formulas:\n  x: 1 +\nviews:\n  - name: V\n    order: [formula.x]\n");
    assert_eq!(place.code("query_base", json!({"path": "odd.base"})), "bases_syntax_error");
    place.answer("update_base", json!({"path": "odd.base", "patch": {"formulas": {"x": "1 + 1"}}}));
    assert_eq!(place.answer("query_base", json!({"path": "odd.base"}))["items"][0]["columns"]["formula.x"], 2);
}

#[test]
fn what_is_no_base_is_refused() {
    let place = place();
    place.put("broken.base", "views: [\n");
    for tool in ["read_base", "query_base"] {
        let code = |path: &str| place.code(tool, json!({"path": path}));
        assert_eq!(code("missing.base"), "note_not_found");
        assert_eq!(code("a.md"), "invalid_input");
        assert_eq!(code("../x.base"), "path_invalid");
        assert_eq!(code("broken.base"), "bases_syntax_error");
    }
    assert_eq!(
        place.code("update_base", json!({"path": "broken.base", "patch": {"formulas": {"a": "1"}}})),
        "bases_syntax_error"
    );
    assert_eq!(place.text("broken.base"), "views: [\n");
}

#[test]
fn a_view_is_computed() {
    let place = place();
    let answer = place.answer("query_base", json!({"path": "Books.base"}));
    let error = json!({"error": "a string cannot be multiplied"});
    let row = |path: &str, name: &str, price: Value, double: Value| json!({"note_path": path, "columns": {"file.name": name, "price": price, "formula.double": double, "this.file.name": null}});
    let expected = json!({
        "items": [
            row("Archive/d.md", "d.md", json!("much"), error),
            row("b.md", "b.md", json!(7), json!(14)),
            row("a.md", "a.md", json!(5), json!(10)),
            row("c.md", "c.md", json!(null), json!(null)),
        ],
        "total_count": 4,
        "view_used": "All",
        "summaries": {"price": 12},
    });
    assert_eq!(answer, expected);
}

#[test]
fn groups_have_labels_counts_and_summaries() {
    let answer = place().answer("query_base", json!({"path": "Books.base", "view": "By status", "limit": 3}));
    assert_eq!(answer["view_used"], "By status");
    let groups = json!([
        {"label": "done", "value": "done", "count": 1, "summaries": {"price": 7}},
        {"label": "open", "value": "open", "count": 1, "summaries": {"price": 5}},
        {"label": "None", "value": null, "count": 2, "summaries": {"price": null}},
    ]);
    assert_eq!(answer["groups"], groups);
    let placed: Vec<Value> =
        answer["items"].as_array().unwrap().iter().map(|row| json!([row["note_path"], row["group"]])).collect();
    assert_eq!(placed, [json!(["b.md", "done"]), json!(["a.md", "open"]), json!(["Archive/d.md", "None"])]);
}

#[test]
fn pages_follow_each_other_while_files_go() {
    let place = place();
    let first = place.answer("query_base", json!({"path": "Books.base", "limit": 2}));
    let paths = |answer: &Value| -> Vec<String> {
        answer["items"].as_array().unwrap().iter().map(|row| row["note_path"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(paths(&first), ["Archive/d.md", "b.md"]);
    let next = |arguments: Value| {
        let mut all = json!({"path": "Books.base", "limit": 2, "cursor": first["cursor"]});
        all.as_object_mut().unwrap().extend(arguments.as_object().unwrap().clone());
        all
    };
    let second = place.answer("query_base", next(json!({})));
    assert_eq!((paths(&second), &second["cursor"]), (vec!["a.md".to_owned(), "c.md".to_owned()], &Value::Null));
    assert_eq!(place.code("query_base", next(json!({"view": "By status"}))), "invalid_input", "another question");
    // A file before the place goes: nothing is shown twice, nothing is left out.
    place.answer(
        "write_note",
        json!({"path": "Archive/d.md", "content": "gone", "mode": "overwrite", "expected_hash": hash(&place, "Archive/d.md")}),
    );
    assert_eq!(paths(&place.answer("query_base", next(json!({})))), ["a.md", "c.md"]);
}

fn hash(place: &Place, path: &str) -> String {
    ContentHash::of(place.text(path).as_bytes()).to_string()
}

#[test]
fn filters_this_and_views_are_the_callers_to_choose() {
    let place = place();
    let count = |arguments: Value| {
        let mut all = json!({"path": "Books.base"});
        all.as_object_mut().unwrap().extend(arguments.as_object().unwrap().clone());
        place.answer("query_base", all)["total_count"].clone()
    };
    assert_eq!(count(json!({"override_filters": "price < 6"})), 2);
    assert_eq!(count(json!({"override_filters": {"and": ["file.ext == 'md'", {"not": ["price < 6", "price > 6"]}]}})), 2);
    assert_eq!(count(json!({"override_filters": "file == this"})), 1, "the base itself");
    assert_eq!(count(json!({"override_filters": "price == this.price", "this_path": "b.md"})), 1);
    let refused = |arguments: Value| {
        let mut all = json!({"path": "Books.base"});
        all.as_object_mut().unwrap().extend(arguments.as_object().unwrap().clone());
        place.refused("engine", "query_base", all)
    };
    assert_eq!(place.code("query_base", json!({"path": "Books.base", "this_path": "none.md"})), "note_not_found");
    assert_eq!(place.code("query_base", json!({"path": "Books.base", "override_filters": "price ="})), "bases_syntax_error");
    assert_eq!(place.code("query_base", json!({"path": "Books.base", "override_filters": {"xor": []}})), "bases_syntax_error");
    assert!(refused(json!({"view": "Nope"})).message.contains("its views are All, By status"));
}

#[test]
fn the_settings_of_the_vault_count() {
    let place = place();
    place.put(".obsidian/app.json", r#"{"userIgnoreFilters": ["Archive/"]}"#);
    place.put(".obsidian/types.json", "{");
    let answer = place.answer("query_base", json!({"path": "Books.base"}));
    assert_eq!(answer["total_count"], 3);
    assert!(answer["warnings"][0].as_str().unwrap().starts_with("the types of properties are taken from the values"), "{answer}");
}

#[test]
fn a_base_is_created_once() {
    let place = place();
    let base = json!({"filters": {"and": ["file.ext == \"md\""]}, "views": [{"type": "table", "name": "T"}], "own": {"k": [1]}});
    let arguments = json!({"path": "new/x.base", "base": base});
    let answer = place.answer("create_base", arguments.clone());
    let text = "filters:\n  and:\n    - file.ext == \"md\"\nviews:\n  - type: table\n    name: T\nown:\n  k:\n    - 1\n";
    assert_eq!(place.text("new/x.base"), text);
    assert_eq!(answer["content_hash"], ContentHash::of(text.as_bytes()).to_string());
    assert_eq!(place.answer("query_base", json!({"path": "new/x.base"}))["total_count"], 5);
    assert_eq!(place.code("create_base", arguments), "note_exists");
    let replace = json!({"path": "new/x.base", "base": {}, "overwrite": true});
    assert!(place.asked("create_base", replace.clone()).is_some(), "a human is asked");
    place.answer("create_base", replace);
    assert_eq!(place.text("new/x.base"), "");
    for filters in ["a =", "file.has_tag(\"x\")", "title.upper() == \"X\"", "formula.none > 1"] {
        assert_eq!(
            place.code("create_base", json!({"path": "y.base", "base": {"filters": filters}})),
            "invalid_input",
            "{filters}"
        );
    }
    assert_eq!(place.code("create_base", json!({"path": "y.md", "base": {}})), "invalid_input");
    assert_eq!(place.code("create_base", json!({"path": "deep/y.base", "base": {}, "create_dirs": false})), "note_not_found");
}

#[test]
fn a_base_is_changed_and_keeps_the_rest() {
    let place = place();
    let patch = json!({
        "formulas": {"double": "price * 3", "new": "now()"},
        "update_views": {"All": {"limit": 2}},
        "add_views": [{"type": "list", "name": "L"}],
        "properties": {"price": {"displayName": "Price"}},
    });
    let arguments = json!({"path": "Books.base", "patch": patch});
    assert!(place.asked("update_base", arguments.clone()).is_none());
    place.put("Books.base", BASE);
    let answer = place.answer("update_base", arguments);
    let applied = json!({"views_added": 1, "views_removed": 0, "views_updated": 1, "filters_changed": false});
    assert_eq!(answer["applied"], applied);
    let expected = BASE
        .replace("price * 2 #", "price * 3 #")
        .replace("# twice\n", "# twice\n  new: now()\n")
        .replace("{price: Sum}\n", "{price: Sum}\n    limit: 2\n")
        + "  - type: list\n    name: L\nproperties:\n  price:\n    displayName: Price\n";
    assert_eq!(place.text("Books.base"), expected);
    assert_eq!(answer["content_hash"], ContentHash::of(expected.as_bytes()).to_string());
    let filters = json!({"path": "Books.base", "patch": {"filters": null, "remove_views": ["L"]}});
    assert!(place.asked("update_base", filters.clone()).is_some(), "other files are shown");
    assert_eq!(place.answer("update_base", filters)["applied"]["filters_changed"], true);
    assert!(!place.text("Books.base").contains("filters:"));
}

#[test]
fn a_patch_that_does_not_fit_changes_nothing() {
    let place = place();
    for patch in [
        json!({"remove_views": ["Nope"]}),
        json!({"update_views": {"Nope": {}}}),
        json!({"update_views": {"All": 5}}),
        json!({"add_views": [{"name": "All"}]}),
        json!({"formulas": {"x": "1 +"}}),
        json!({"update_views": {"All": {"limit": "many"}}}),
        json!({"unknown": 1}),
    ] {
        assert_eq!(place.code("update_base", json!({"path": "Books.base", "patch": patch})), "invalid_input", "{patch}");
    }
    let stale = json!({"path": "Books.base", "patch": {"formulas": {"x": "1"}}, "expected_hash": "0".repeat(64)});
    assert_eq!(place.code("update_base", stale), "concurrent_modification");
    assert_eq!(place.text("Books.base"), BASE);
}
