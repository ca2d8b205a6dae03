//! The `engine` surface: bookmarks of the app.

use quillgate_tools::Consent;
use serde_json::{Value, json};

use crate::asking::{failed, refused, unasked, without_effect};
use crate::place::Place;

const FILE: &str = ".obsidian/bookmarks.json";
const BOOKMARKS: &str = "{\n  \"items\": [\n    {\n      \"type\": \"file\",\n      \"ctime\": 1700000000000,\n      \"path\": \"note.md\",\n      \"future\": 1.50\n    },\n    {\n      \"type\": \"group\",\n      \"ctime\": 1700000000001,\n      \"items\": [\n        {\n          \"type\": \"file\",\n          \"ctime\": 1700000000002,\n          \"path\": \"note.md\",\n          \"subpath\": \"#Plan\",\n          \"title\": \"The plan\"\n        },\n        {\n          \"type\": \"search\",\n          \"ctime\": 1700000000003,\n          \"query\": \"tag:#work\"\n        }\n      ],\n      \"title\": \"Work\"\n    }\n  ],\n  \"other\": true\n}";

fn place() -> Place {
    Place::new(&[("note.md", "# Plan\n"), ("sub/other.md", ""), (FILE, BOOKMARKS)])
}

fn listed(place: &Place, arguments: Value) -> Vec<String> {
    let page = without_effect(place, "list_bookmarks", arguments);
    let text = |item: &Value, key: &str| item[key].as_str().unwrap_or("-").to_owned();
    let items = page["items"].as_array().unwrap().iter();
    items.map(|item| ["type", "title", "target", "group"].map(|key| text(item, key)).join(" | ")).collect()
}

#[test]
fn bookmarks_are_listed_with_their_groups() {
    let place = place();
    let all =
        ["file | note.md | note.md | -", "heading | The plan | note.md#Plan | Work", "search | tag:#work | tag:#work | Work"];
    assert_eq!(listed(&place, json!({})), all);
    assert_eq!(listed(&place, json!({"group": "work"})), all[1..]);
    let first = without_effect(&place, "list_bookmarks", json!({"limit": 1}));
    assert_eq!((&first["total_count"], &first["items"][0]["created_at"]), (&json!(3), &json!("2023-11-14T22:13:20Z")));
    assert_eq!(listed(&place, json!({"limit": 1, "cursor": first["cursor"]})), all[1..2]);
    let body = failed(&place, Consent::Standing, "list_bookmarks", json!({"group": "Home"}));
    assert!(body["message"].as_str().unwrap().contains("there are Work"), "{body}");
    assert_eq!(listed(&Place::new(&[("note.md", "")]), json!({})), Vec::<String>::new());
}

#[test]
fn a_bookmark_is_added_and_removed_and_nothing_else_changes() {
    let place = place();
    let added = unasked(
        &place,
        "add_bookmark",
        json!({"type": "heading", "target": "sub/other.md#Log", "title": "Log", "group": "Work"}),
    );
    let text = place.text(FILE);
    let ctime = text.split("\"ctime\": ").nth(5).unwrap().split(',').next().unwrap().to_owned();
    let new = format!(
        "\"query\": \"tag:#work\"\n        }},\n        {{\n          \"type\": \"file\",\n          \"ctime\": {ctime},\n          \"path\": \"sub/other.md\",\n          \"subpath\": \"#Log\",\n          \"title\": \"Log\"\n        }}"
    );
    assert_eq!(text, BOOKMARKS.replace("\"query\": \"tag:#work\"\n        }", &new));
    assert_eq!(listed(&place, json!({}))[3], "heading | Log | sub/other.md#Log | Work");
    let again = without_effect(&place, "add_bookmark", json!({"type": "heading", "target": "sub/other.md#Log", "group": "Work"}));
    assert_eq!(again["id"], added["id"]);
    let removed = unasked(&place, "remove_bookmark", json!({"id": added["id"]}));
    assert_eq!(removed, json!({"id": added["id"], "removed": true}));
    assert_eq!(place.text(FILE), BOOKMARKS);
    assert_eq!(without_effect(&place, "remove_bookmark", json!({"id": added["id"]}))["removed"], false);
}

#[test]
fn a_missing_file_and_missing_groups_are_made() {
    let place = Place::new(&[("note.md", ""), ("sub/other.md", "")]);
    for (kind, target, group) in [
        ("url", "https://x.example", "A/B"),
        ("file", "note.md", "A"),
        ("folder", "sub", ""),
        ("search", "q", ""),
        ("graph", "all", ""),
        ("block", "note.md#^b", "A/B"),
    ] {
        unasked(&place, "add_bookmark", json!({"type": kind, "target": target, "group": group}));
    }
    assert_eq!(
        listed(&place, json!({})),
        [
            "url | https://x.example | https://x.example | A/B",
            "block | note.md#^b | note.md#^b | A/B",
            "file | note.md | note.md | A",
            "folder | sub | sub | -",
            "search | q | q | -",
            "graph | all | all | -",
        ]
    );
    let history = place.answer("history_list", json!({"limit": 1}));
    assert!(history.to_string().contains(FILE), "{history}");
}

#[test]
fn what_cannot_be_read_is_left_alone() {
    for broken in ["{\"items\": [\n  {,]}", "[]", "{\"items\": 5}", "not json"] {
        let place = Place::new(&[("note.md", ""), (FILE, broken)]);
        assert_eq!(refused(&place, "list_bookmarks", json!({})), "invalid_input");
        assert_eq!(refused(&place, "add_bookmark", json!({"type": "file", "target": "note.md"})), "invalid_input");
        assert_eq!(refused(&place, "remove_bookmark", json!({"id": "x"})), "invalid_input");
    }
    let place = place();
    for (kind, target, code) in [
        ("file", "gone.md", "note_not_found"),
        ("file", ".obsidian/app.json", "acl_denied"),
        ("file", "../x.md", "path_invalid"),
        ("heading", "note.md", "invalid_input"),
        ("heading", "note.md#^b", "invalid_input"),
        ("block", "note.md#Plan", "invalid_input"),
        ("folder", "note.md", "invalid_input"),
        ("file", "sub", "invalid_input"),
        ("url", "nowhere", "invalid_input"),
        ("picture", "note.md", "invalid_input"),
    ] {
        assert_eq!(refused(&place, "add_bookmark", json!({"type": kind, "target": target})), code, "{kind} {target}");
    }
}
