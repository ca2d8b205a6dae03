//! The `engine` surface: changes of any kind that land together.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;
use std::thread;

use quillgate_tools::Consent;
use quillgate_vault::ContentHash;
use serde_json::{Value, json};

use crate::asking::{asked, failed, files, paths, refused, unasked, without_effect};
use crate::place::Place;
use crate::random::Random;

fn hash(text: &str) -> String {
    ContentHash::of(text.as_bytes()).to_string()
}

fn place() -> Place {
    Place::new(&[
        ("a.md", "# A\n\none two\n"),
        ("b.md", "see [[a]] and [[c]]\r\n"),
        ("sub/c.md", "---\nstatus: open\n---\n[[../a]]\n"),
        ("pic.png", "\u{0}binary"),
    ])
}

fn apply(changes: Value) -> Value {
    json!({"changes": changes})
}

#[test]
fn changes_of_every_kind_land_together() {
    let place = place();
    let changes = json!([
        {"op": "create", "path": "new/n.md", "content": "links to [[a]]\n", "frontmatter": {"k": [1, 2]}},
        {"op": "edit", "path": "a.md", "old_string": "one two", "new_string": "three", "expected_hash": hash("# A\n\none two\n")},
        {"op": "edit", "path": "a.md", "old_string": "three", "new_string": "four"},
        {"op": "move", "from": "a.md", "to": "moved/A two.md"},
        {"op": "set_property", "path": "sub/c.md", "key": "status", "value": "done"},
        {"op": "set_property", "path": "sub/c.md", "key": "empty", "value": null},
        {"op": "edit", "path": "b.md", "content": "all new [[sub/c]]\n", "expected_hash": hash("see [[a]] and [[c]]\r\n")},
    ]);
    let done = unasked(&place, "apply", apply(changes));
    let new = "---\nk:\n  - 1\n  - 2\n---\nlinks to [[A two]]\n";
    let c = "---\nstatus: done\nempty:\n---\n[[../moved/A two]]\n";
    let changed = json!([
        {"path": "b.md", "op": "edit", "content_hash": hash("all new [[sub/c]]\r\n")},
        {"path": "moved/A two.md", "op": "move", "from": "a.md", "content_hash": hash("# A\n\nfour\n")},
        {"path": "new/n.md", "op": "create", "content_hash": hash(new)},
        {"path": "sub/c.md", "op": "edit", "content_hash": hash(c)},
    ]);
    // The link of b.md was rewritten before the text that held it was replaced.
    assert_eq!(done, json!({"changed": changed, "links_updated": 3, "dry_run": false}));
    assert_eq!((place.text("new/n.md"), place.text("sub/c.md")), (new.to_owned(), c.to_owned()));
    assert_eq!((place.text("b.md"), place.text("moved/A two.md")), ("all new [[sub/c]]\r\n".into(), "# A\n\nfour\n".into()));
    assert_eq!(paths(&place), ["b.md", "moved/A two.md", "new/n.md", "pic.png", "sub/c.md"]);
    assert_eq!(place.answer("get_backlinks", json!({"path": "moved/A two.md"}))["total_count"], 2);
}

#[test]
fn a_dry_run_shows_the_difference_and_makes_none() {
    let place = place();
    let changes = json!([
        {"op": "move", "from": "a.md", "to": "z.md"},
        {"op": "delete", "path": "pic.png"},
        {"op": "edit", "path": "sub/c.md", "content": "x"},
    ]);
    let told = without_effect(&place, "apply", json!({"changes": changes, "dry_run": true}));
    let ops: Vec<String> = told["changed"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| format!("{} {}", line["op"].as_str().unwrap(), line["path"].as_str().unwrap()))
        .collect();
    assert_eq!(ops, ["edit b.md", "delete pic.png", "edit sub/c.md", "move z.md"]);
    assert_eq!((&told["dry_run"], &told["links_updated"]), (&json!(true), &json!(2)));
    let diff = told["diff"].as_str().unwrap();
    assert!(diff.contains("rename from a.md\nrename to z.md") && diff.contains("b.md") && diff.contains("sub/c.md"), "{diff}");
}

#[test]
fn files_take_each_others_places_and_moves_follow_one_another() {
    let check = |changes: Value, expected: &[(&str, &str)]| {
        let place = Place::new(&[("a.md", "A"), ("b.md", "B"), ("c.md", "C"), ("hub.md", "[[a]] [[b]] [[c]]")]);
        place.answer("apply", apply(changes.clone()));
        let mut found = files(&place);
        found.retain(|path, _| !path.starts_with('.'));
        let expected = expected.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        assert_eq!(found, expected, "{changes}");
    };
    let step = |from: &str, to: &str| json!({"op": "move", "from": from, "to": to});
    let delete = |path: &str| json!({"op": "delete", "path": path});
    let create = |path: &str, content: &str| json!({"op": "create", "path": path, "content": content});
    check(
        json!([step("a.md", "b.md"), step("b.md", "a.md")]),
        &[("a.md", "B"), ("b.md", "A"), ("c.md", "C"), ("hub.md", "[[b]] [[a]] [[c]]")],
    );
    check(
        json!([step("a.md", "d.md"), step("d.md", "e.md")]),
        &[("b.md", "B"), ("c.md", "C"), ("e.md", "A"), ("hub.md", "[[e]] [[b]] [[c]]")],
    );
    check(
        json!([step("a.md", "d.md"), step("c.md", "a.md"), step("a.md", "e.md")]),
        &[("b.md", "B"), ("d.md", "A"), ("e.md", "C"), ("hub.md", "[[d]] [[b]] [[e]]")],
    );
    check(
        json!([step("b.md", "d.md"), step("a.md", "b.md")]),
        &[("b.md", "A"), ("c.md", "C"), ("d.md", "B"), ("hub.md", "[[b]] [[d]] [[c]]")],
    );
    // What is deleted makes room.
    check(json!([delete("b.md"), step("a.md", "b.md")]), &[("b.md", "A"), ("c.md", "C"), ("hub.md", "[[b]] [[b]] [[c]]")]);
    check(
        json!([delete("a.md"), create("a.md", "new")]),
        &[("a.md", "new"), ("b.md", "B"), ("c.md", "C"), ("hub.md", "[[a]] [[b]] [[c]]")],
    );
    check(
        json!([step("a.md", "d.md"), create("a.md", "new")]),
        &[("a.md", "new"), ("b.md", "B"), ("c.md", "C"), ("d.md", "A"), ("hub.md", "[[d]] [[b]] [[c]]")],
    );
    // What comes and goes again leaves nothing.
    check(
        json!([create("x.md", "x"), delete("x.md")]),
        &[("a.md", "A"), ("b.md", "B"), ("c.md", "C"), ("hub.md", "[[a]] [[b]] [[c]]")],
    );
    check(json!([step("a.md", "d.md"), delete("d.md")]), &[("b.md", "B"), ("c.md", "C"), ("hub.md", "[[d]] [[b]] [[c]]")]);
    check(
        json!([step("a.md", "d.md"), step("d.md", "a.md")]),
        &[("a.md", "A"), ("b.md", "B"), ("c.md", "C"), ("hub.md", "[[a]] [[b]] [[c]]")],
    );
}

/// A change that can be made to these files, and is made to them.
fn random_change(random: &mut Random, number: usize, files: &mut BTreeMap<String, String>) -> Option<Value> {
    let names = ["a.md", "b.md", "c.md", "x/a.md", "x/b.md", "y.md"];
    let (one, other) = (names[random.below(names.len())], names[random.below(names.len())]);
    match random.below(8) {
        0 if !files.contains_key(one) => {
            files.insert(one.into(), format!("new {number}"));
            Some(json!({"op": "create", "path": one, "content": format!("new {number}")}))
        }
        1 if files.contains_key(one) => {
            files.insert(one.into(), format!("all {number}"));
            Some(json!({"op": "edit", "path": one, "content": format!("all {number}")}))
        }
        2 if files.contains_key(one) => {
            files.remove(one);
            Some(json!({"op": "delete", "path": one}))
        }
        3 if files.contains_key(one) => {
            let text = files.get_mut(one).unwrap();
            let old = text.clone();
            text.push_str(" more");
            Some(json!({"op": "edit", "path": one, "old_string": old, "new_string": text}))
        }
        4.. if one != other && files.contains_key(one) && !files.contains_key(other) => {
            let text = files.remove(one).unwrap();
            files.insert(other.into(), text);
            Some(json!({"op": "move", "from": one, "to": other}))
        }
        _ => None,
    }
}

#[test]
fn changes_at_once_come_to_the_same_as_one_after_the_other() {
    let place = Place::new(&[]);
    let (mut random, mut expected) = (Random(7), BTreeMap::new());
    for round in 0..150 {
        let length = 1 + random.below(12);
        let changes: Vec<Value> =
            (0..200).filter_map(|number| random_change(&mut random, number, &mut expected)).take(length).collect();
        place.answer("apply", apply(json!(changes)));
        let mut found = files(&place);
        found.retain(|path, _| !path.starts_with('.'));
        assert_eq!(found, expected, "round {round}: {changes:?}");
    }
}

#[test]
fn deleted_files_go_where_the_vault_puts_them() {
    let place = place();
    let done = place.answer("apply", apply(json!([{"op": "delete", "path": "a.md", "expected_hash": hash("# A\n\none two\n")}])));
    assert_eq!(done["changed"], json!([{"path": "a.md", "op": "delete"}]));
    assert_eq!(place.text(".trash/a.md"), "# A\n\none two\n");
    // A file that two of them would end at: neither does.
    let clash = json!([{"op": "move", "from": "b.md", "to": "x.md"}, {"op": "move", "from": "sub/c.md", "to": "x.md"}]);
    assert_eq!(refused(&place, "apply", apply(clash)), "note_exists");
}

#[test]
fn one_change_that_cannot_be_made_stops_them_all() {
    let place = place();
    let refused = |change: Value| {
        let before = json!({"op": "create", "path": "before.md", "content": "x"});
        refused(&place, "apply", apply(json!([before, change])))
    };
    let edit = |path: &str, old: &str| json!({"op": "edit", "path": path, "old_string": old, "new_string": "x"});
    assert_eq!(refused(json!({"op": "create", "path": "a.md", "content": ""})), "note_exists");
    assert_eq!(refused(json!({"op": "create", "path": "before.md", "content": ""})), "note_exists");
    assert_eq!(refused(edit("sub", "x")), "path_invalid");
    assert_eq!(refused(json!({"op": "create", "path": "bare", "content": ""})), "invalid_input");
    assert_eq!(refused(edit("missing.md", "x")), "note_not_found");
    assert_eq!(refused(edit("a.md", "nowhere")), "invalid_input");
    assert_eq!(refused(edit("a.md", "o")), "invalid_input");
    assert_eq!(refused(edit("a.md", "")), "invalid_input");
    assert_eq!(refused(edit("pic.png", "x")), "invalid_input");
    assert_eq!(refused(edit("../a.md", "x")), "path_invalid");
    assert_eq!(refused(edit(".obsidian/app.json", "x")), "acl_denied");
    assert_eq!(refused(json!({"op": "move", "from": "missing.md", "to": "x.md"})), "note_not_found");
    assert_eq!(refused(json!({"op": "move", "from": "a.md", "to": "b.md"})), "note_exists");
    assert_eq!(refused(json!({"op": "move", "from": "a.md", "to": "bare"})), "invalid_input");
    assert_eq!(refused(json!({"op": "move", "from": "a.md", "to": "C#.md"})), "invalid_input");
    assert_eq!(refused(json!({"op": "delete", "path": "missing.md"})), "note_not_found");
    assert_eq!(refused(json!({"op": "delete", "path": "sub"})), "path_invalid");
    assert_eq!(refused(json!({"op": "delete", "path": "a.md", "expected_hash": hash("other")})), "concurrent_modification");
    let stale = json!({"op": "edit", "path": "a.md", "content": "x", "expected_hash": hash("other")});
    assert_eq!(refused(stale), "concurrent_modification");
    assert_eq!(refused(json!({"op": "set_property", "path": "pic.png", "key": "k", "value": 1})), "invalid_input");
    let place = Place::new(&[("broken.md", "---\na: [\n---\n")]);
    let broken =
        place.refused("engine", "apply", apply(json!([{"op": "set_property", "path": "broken.md", "key": "k", "value": 1}])));
    assert!(broken.message.starts_with("changes[0]: broken.md: the frontmatter is not valid YAML"), "{}", broken.message);
}

#[test]
fn fields_that_are_missing_or_mean_nothing_are_all_named() {
    let place = place();
    let issues = |change: Value| {
        let body = failed(&place, Consent::Standing, "apply", apply(json!([change])));
        assert_eq!(body["code"], "invalid_input", "{body}");
        let issues = body["details"]["issues"].as_array().unwrap();
        issues.iter().map(|issue| issue["field"].as_str().unwrap().replace("changes[0].", "")).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(issues(json!({"op": "create"})), "path content");
    assert_eq!(issues(json!({"op": "create", "path": "x.md", "content": "", "to": "y.md", "value": null})), "to value");
    assert_eq!(issues(json!({"op": "edit", "path": "a.md"})), "old_string");
    assert_eq!(issues(json!({"op": "edit", "path": "a.md", "old_string": "x"})), "new_string");
    assert_eq!(issues(json!({"op": "edit", "path": "a.md", "new_string": "x"})), "old_string");
    assert_eq!(issues(json!({"op": "edit", "path": "a.md", "old_string": "x", "new_string": "y", "content": "z"})), "content");
    assert_eq!(issues(json!({"op": "move", "path": "a.md", "to": "b.md"})), "path from");
    assert_eq!(issues(json!({"op": "delete", "content": "x"})), "content path");
    assert_eq!(issues(json!({"op": "set_property", "path": "a.md"})), "key value");
    assert_eq!(issues(json!({"op": "rename", "from": "a.md"})), "op");
    assert_eq!(issues(json!({"op": "delete", "path": "a.md", "expected_hash": "abc"})), "expected_hash");
    let many = vec![json!({"op": "delete", "path": "a.md"}); 501];
    assert_eq!(refused(&place, "apply", apply(json!(many))), "invalid_input");
    assert_eq!(refused(&place, "apply", apply(json!([]))), "invalid_input");
}

#[test]
fn a_human_is_asked_about_deletions_blind_replacements_and_many_files() {
    let place = place();
    let reasons = |changes: Value| asked(&place, "apply", apply(changes))["reasons"].clone();
    assert_eq!(reasons(json!([{"op": "delete", "path": "a.md"}])), json!(["deletes a.md"]));
    assert_eq!(reasons(json!([{"op": "edit", "path": "a.md", "content": "x"}])), json!(["replaces all of a.md"]));
    let create = |count: usize| {
        (0..count).map(|at| json!({"op": "create", "path": format!("n{at}.md"), "content": ""})).collect::<Vec<_>>()
    };
    assert_eq!(reasons(json!(create(51))), json!(["touches 51 files"]));
    unasked(&place, "apply", apply(json!(create(50))));
    // Its own new file may be replaced, and so may an empty one.
    unasked(
        &place,
        "apply",
        apply(json!([{"op": "create", "path": "x.md", "content": "x"}, {"op": "edit", "path": "x.md", "content": "y"}])),
    );
    unasked(&place, "apply", apply(json!([{"op": "edit", "path": "n0.md", "content": "y"}])));
    unasked(&place, "apply", apply(json!([{"op": "edit", "path": "a.md", "old_string": "two", "new_string": "2"}])));
    unasked(&place, "apply", apply(json!([{"op": "move", "from": "a.md", "to": "far/away.md"}])));
    // What was agreed to is this change to these bytes.
    let changes = apply(json!([{"op": "delete", "path": "b.md"}]));
    let agreed = asked(&place, "apply", changes.clone());
    assert_eq!(agreed["files"][0]["change"], "delete");
    assert_eq!(failed(&place, Consent::Given("another".into()), "apply", changes)["code"], "elicit_required");
}

#[test]
fn calls_that_race_for_the_same_notes_all_land() {
    let place = Arc::new(Place::new(&[("log.md", "start\n"), ("other.md", "start\n")]));
    let calls = (0..8).map(|number| {
        let place = place.clone();
        thread::spawn(move || {
            let edit = |path: &str| json!({"op": "edit", "path": path, "old_string": "start\n", "new_string": format!("start\n{number}\n")});
            place.answer("apply", apply(json!([edit("log.md"), edit("other.md")])));
        })
    });
    calls.collect::<Vec<_>>().into_iter().for_each(|call| call.join().unwrap());
    let text = place.text("log.md");
    assert_eq!(text.lines().count(), 9, "{text}");
    assert_eq!(text, place.text("other.md"), "both files saw the calls in the same order");
    assert!(
        fs::read_dir(place.on_disk("")).unwrap().all(|entry| !entry.unwrap().file_name().to_string_lossy().contains("quillgate"))
    );
}
