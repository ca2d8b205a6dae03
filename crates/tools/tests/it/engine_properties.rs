//! The `engine` surface: reading, listing and changing the properties of notes.

use quillgate_vault::ContentHash;
use serde_json::{Value, json};

use crate::place::Place;

const NOTE: &str = "\u{feff}---\r\n# what it is\r\nTitle: \"A: b\" # quoted\r\nauthor:   # who\r\n  # inside\r\n  name: Ada\r\n  born: {year: 1815, at: London}\r\n\r\nlabels: [red,  blue]\r\nempty:\r\n---\r\nbody\r\n";

fn hash(text: &str) -> String {
    ContentHash::of(text.as_bytes()).to_string()
}

/// What the answer says beside hash and time, and the note afterwards.
#[track_caller]
fn update(before: &str, arguments: Value) -> (Value, String) {
    let place = Place::new(&[("n.md", before)]);
    let mut all = json!({"path": "n.md"});
    all.as_object_mut().unwrap().extend(arguments.as_object().unwrap().clone());
    let mut answer = place.answer("update_frontmatter", all);
    let text = place.text("n.md");
    let fields = answer.as_object_mut().unwrap();
    assert_eq!(fields.remove("content_hash"), Some(json!(hash(&text))));
    assert!(fields.remove("updated_at").unwrap().as_str().unwrap().ends_with('Z'));
    assert_eq!(fields.remove("path"), Some(json!("n.md")));
    (answer, text)
}

#[test]
fn properties_are_read_in_their_order_with_their_types() {
    let place =
        Place::new(&[("n.md", NOTE), ("j.md", "---\n{\"a\": [1, 2.5, null]}\n---\n"), ("plain.md", "x"), ("t.txt", NOTE)]);
    let read = |path: &str| place.answer("read_frontmatter", json!({"path": path}));
    let frontmatter = json!({
        "Title": "A: b", "author": {"name": "Ada", "born": {"year": 1815, "at": "London"}}, "labels": ["red", "blue"], "empty": null,
    });
    assert_eq!(read("n.md"), json!({"path": "n.md", "frontmatter": frontmatter, "format": "yaml"}));
    assert_eq!(read("j.md"), json!({"path": "j.md", "frontmatter": {"a": [1, 2.5, null]}, "format": "json"}));
    for path in ["plain.md", "t.txt"] {
        assert_eq!(read(path), json!({"path": path, "frontmatter": {}, "format": "missing"}));
    }
    place.put("broken.md", "---\na: 1\na: 2\n---\n");
    let refused = place.refused("engine", "read_frontmatter", json!({"path": "broken.md"}));
    assert!(refused.code == "invalid_input" && refused.message.contains("line 3"), "{refused:?}");
    let code = |path: &str| place.code("read_frontmatter", json!({"path": path}));
    assert_eq!((code("none.md"), code("../n.md")), ("note_not_found".to_owned(), "path_invalid".to_owned()));
}

#[test]
fn one_property_is_read_and_told_from_one_that_is_not_there() {
    let place = Place::new(&[("n.md", NOTE), ("d.md", "---\na.b: 1\n---\n")]);
    let read = |key: &str, nested: bool| {
        let answer = place.answer("read_property", json!({"path": "n.md", "key": key, "nested": nested}));
        assert_eq!((&answer["path"], &answer["key"]), (&json!("n.md"), &json!(key)));
        (answer["value"].clone(), answer["present"] == true)
    };
    assert_eq!(read("title", false), (json!("A: b"), true));
    assert_eq!(read("empty", false), (json!(null), true));
    assert_eq!(read("none", false), (json!(null), false));
    assert_eq!(read("author.name", false), (json!(null), false));
    assert_eq!(read("author.NAME", true), (json!("Ada"), true));
    assert_eq!(read("author.born.year", true), (json!(1815), true));
    assert_eq!(read("labels.1", true), (json!("blue"), true));
    assert_eq!(read("labels.2", true), (json!(null), false));
    assert_eq!(place.answer("read_property", json!({"path": "d.md", "key": "a.b"}))["value"], 1);
    assert_eq!(place.code("read_property", json!({"path": "n.md", "key": ""})), "invalid_input");
}

#[test]
fn setting_one_key_keeps_every_other_byte() {
    let set = |arguments: Value| update(NOTE, arguments);
    let (answer, text) = set(json!({"key": "title", "value": "new"}));
    assert_eq!(answer, json!({"mode_used": "set", "prev_value": "A: b"}));
    assert_eq!(text, NOTE.replace("\"A: b\"", "new"));
    let (answer, text) = set(json!({"key": "fresh", "value": {"deep": [1, true]}, "mode": "set"}));
    assert_eq!(answer, json!({"mode_used": "set"}));
    let added = "empty:\r\nfresh:\r\n  deep:\r\n    - 1\r\n    - true\r\n---";
    assert_eq!(text, NOTE.replace("empty:\r\n---", added));
    let (answer, text) = set(json!({"key": "author.name", "value": "Grace", "nested": true}));
    assert_eq!((answer["prev_value"].clone(), text), (json!("Ada"), NOTE.replace("Ada", "Grace")));
    let (_, text) = set(json!({"key": "author.born.year", "value": 1816, "nested": true}));
    assert_eq!(text, NOTE.replace("1815", "1816"));
    let (_, text) = set(json!({"key": "author.mail", "value": "x@y", "nested": true}));
    assert_eq!(text, NOTE.replace("London}\r\n", "London}\r\n  mail: x@y\r\n"));
    let (_, text) = set(json!({"key": "author.name", "value": "literal"}));
    assert_eq!(text, NOTE.replace("empty:\r\n", "empty:\r\nauthor.name: literal\r\n"));
    let (answer, text) = set(json!({"key": "empty", "value": null}));
    assert_eq!((answer["prev_value"].clone(), text), (json!(null), NOTE.to_owned()), "nothing changes");
    assert_eq!(update("body", json!({"key": "a", "value": 1})).1, "---\na: 1\n---\nbody");
}

#[test]
fn removing_takes_the_key_and_nothing_else() {
    let remove = |key: &str, nested: bool| update(NOTE, json!({"mode": "remove", "key": key, "nested": nested}));
    let (answer, text) = remove("LABELS", false);
    assert_eq!(answer, json!({"mode_used": "remove", "removed": true, "prev_value": ["red", "blue"]}));
    assert_eq!(text, NOTE.replace("labels: [red,  blue]\r\n", ""));
    let (answer, text) = remove("author.born.at", true);
    assert_eq!((answer["prev_value"].clone(), text), (json!("London"), NOTE.replace(", at: London", "")));
    let (answer, text) = remove("none", false);
    assert_eq!((answer, text), (json!({"mode_used": "remove", "removed": false}), NOTE.to_owned()));
    assert_eq!(remove("author.none", true).0["removed"], false);
    assert_eq!(update("---\na: 1\n---\nbody", json!({"mode": "remove", "key": "a"})).1, "body");
}

#[test]
fn merging_sets_several_keys_and_keeps_the_rest() {
    let (answer, text) = update(NOTE, json!({"mode": "merge", "patch": {"title": "T", "new": 1}}));
    assert_eq!(answer, json!({"mode_used": "merge", "applied": {"title": "T", "new": 1}}));
    assert_eq!(text, NOTE.replace("\"A: b\"", "T").replace("empty:\r\n", "empty:\r\nnew: 1\r\n"));
    let patch = json!({"author": {"name": "Grace", "born": {"year": 1906}}, "labels.0": "green"});
    let (_, text) = update(NOTE, json!({"mode": "merge", "patch": patch, "nested": true}));
    let expected = NOTE.replace("Ada", "Grace").replace("1815", "1906");
    assert_eq!(text, expected.replace("labels: [red,  blue]\r\n", "labels:\r\n  - green\r\n  - blue\r\n"));
    let (_, text) = update("---\na:\n  b: 1\n  c: 2\n---\n", json!({"mode": "merge", "patch": {"a": {"b": 3}}}));
    assert_eq!(text, "---\na:\n  b: 3\n---\n", "without nested a map takes the place of a map");
    let place = Place::new(&[("n.md", NOTE)]);
    assert!(place.asked("update_frontmatter", json!({"path": "n.md", "mode": "merge", "patch": {"a": 1}})).is_none());
}

#[test]
fn replacing_all_properties_asks_and_keeps_what_stays_the_same() {
    let place = Place::new(&[("n.md", NOTE), ("broken.md", "---\na: [\n---\nx\n"), ("plain.md", "x\n")]);
    let arguments = json!({"path": "n.md", "mode": "replace", "frontmatter": {"labels": ["red", "blue"], "title": "T", "z": 1}});
    let asked = place.asked("update_frontmatter", arguments.clone()).unwrap();
    assert_eq!(asked["reasons"], json!(["it replaces all properties of n.md"]));
    assert_eq!(place.text("n.md"), NOTE);
    let answer = place.answer("update_frontmatter", arguments.clone());
    assert_eq!((&answer["mode_used"], &answer["prev_frontmatter"]["author"]["name"]), (&json!("replace"), &json!("Ada")));
    let expected = "\u{feff}---\r\n# what it is\r\nTitle: T # quoted\r\n\r\nlabels: [red,  blue]\r\nz: 1\r\n---\r\nbody\r\n";
    assert_eq!(place.text("n.md"), expected);
    assert!(place.asked("update_frontmatter", arguments).is_none(), "nothing would change");
    let all = |path: &str, frontmatter: Value| {
        place.answer("update_frontmatter", json!({"path": path, "mode": "replace", "frontmatter": frontmatter}));
        place.text(path)
    };
    assert_eq!(all("broken.md", json!({"a": 1})), "---\na: 1\n---\nx\n");
    assert_eq!(all("plain.md", json!({"a": {"b": null}})), "---\na:\n  b:\n---\nx\n");
    assert_eq!(all("plain.md", json!({})), "x\n");
}

#[test]
fn what_does_not_fit_is_refused_and_nothing_changes() {
    let place = Place::new(&[
        ("n.md", NOTE),
        ("broken.md", "---\na: [\n---\n"),
        ("anchor.md", "---\na: &x 1\nb: *x\n---\n"),
        ("c.canvas", "{}"),
    ]);
    let refused = |arguments: Value| place.refused("engine", "update_frontmatter", arguments);
    for (arguments, told) in [
        (json!({"path": "n.md"}), "key is required with mode set"),
        (json!({"path": "n.md", "mode": "merge"}), "patch is required"),
        (json!({"path": "n.md", "mode": "replace", "patch": {}}), "patch does not go with mode replace"),
        (json!({"path": "n.md", "mode": "remove", "key": "a", "value": 1}), "value does not go with mode remove"),
        (json!({"path": "n.md", "mode": "delete", "key": "a"}), "expected one of"),
        (json!({"path": "n.md", "mode": "merge", "patch": [1]}), "expected an object"),
        (json!({"path": "n.md", "key": "title.x", "value": 1, "nested": true}), "\"Title\" has no place for \"x\""),
        (json!({"path": "n.md", "key": "a..b", "value": 1, "nested": true}), "needs a name"),
        (json!({"path": "broken.md", "key": "a", "value": 1}), "not valid YAML"),
        (json!({"path": "anchor.md", "key": "a", "value": 2}), "without touching others"),
        (json!({"path": "c.canvas", "key": "a", "value": 2}), "not a Markdown note"),
    ] {
        let refused = refused(arguments);
        assert!(refused.code == "invalid_input" && refused.message.contains(told), "{told}: {refused:?}");
    }
    assert_eq!(refused(json!({"path": "none.md", "key": "a", "value": 1})).code, "note_not_found");
    let stale = json!({"path": "n.md", "key": "a", "value": 1, "expected_hash": hash("other")});
    assert_eq!(refused(stale).code, "concurrent_modification");
    assert_eq!(place.text("n.md"), NOTE);
    let known = json!({"path": "n.md", "key": "a", "value": 1, "expected_hash": hash(NOTE), "idempotency_key": "k"});
    assert_eq!(place.answer("update_frontmatter", known)["mode_used"], "set");
}

#[test]
fn properties_of_the_vault_are_listed_with_types_counts_and_values() {
    let place = Place::new(&[
        ("a.md", "---\nStatus: done\ndue: 2026-01-05\n---\n"),
        ("sub/b.md", "---\nstatus: open\nrating: 4\n---\n"),
        ("sub/c.md", "---\nstatus: open\nrating: high\n---\n"),
    ]);
    let list = |arguments: Value| place.answer("list_properties", arguments);
    let line = |key: &str, types: Value, count: usize, values: Value| json!({"key": key, "types": types, "note_count": count, "sample_values": values});
    let all = list(json!({}));
    let due = line("due", json!(["date"]), 1, json!(["2026-01-05"]));
    let rating = line("rating", json!(["text", "number"]), 2, json!(["high", 4]));
    assert_eq!((&all["items"][0], &all["items"][1], &all["total_count"]), (&due, &rating, &json!(3)));
    assert_eq!((&all["items"][2]["note_count"], &all["items"][2]["sample_values"]), (&json!(3), &json!(["open", "done"])));
    let sub = list(json!({"root": "sub", "sample_size": 1}));
    assert_eq!((&sub["total_count"], &sub["items"][1]["sample_values"]), (&json!(2), &json!(["open"])));
    assert_eq!(list(json!({"sample_size": 0}))["items"][0]["sample_values"], json!([]));
    let first = list(json!({"limit": 2}));
    let rest = list(json!({"limit": 2, "cursor": first["cursor"]}));
    assert_eq!(
        (first["items"].as_array().unwrap().len(), &rest["items"][0]["note_count"], rest.get("cursor")),
        (2, &json!(3), None)
    );
    assert_eq!(place.code("list_properties", json!({"root": "none"})), "note_not_found");
    assert_eq!(place.code("list_properties", json!({"sample_size": 51})), "invalid_input");
}
