//! The `engine` surface: workspaces of the app.

use quillgate_tools::Consent;
use serde_json::{Value, json};

use crate::asking::{asked, failed, refused, unasked, without_effect};
use crate::place::Place;

const SAVED: &str = ".obsidian/workspaces.json";
const CURRENT: &str = ".obsidian/workspace.json";
const WORKSPACES: &str = "{\n  \"workspaces\": {\n    \"Writing\": {\n      \"main\": {\n        \"id\": \"aa\",\n        \"size\": 1.50\n      },\n      \"active\": \"aa\",\n      \"mtime\": \"2024-01-05T10:00:00+02:00\"\n    },\n    \"Reading\": {\n      \"main\": {\n        \"id\": \"bb\"\n      },\n      \"active\": \"bb\"\n    }\n  },\n  \"active\": \"Writing\"\n}";
const LAYOUT: &str = "{\n  \"main\": {\n    \"id\": \"cc\"\n  },\n  \"left\": {\n    \"id\": \"dd\"\n  },\n  \"active\": \"cc\",\n  \"lastOpenFiles\": [\n    \"note.md\"\n  ]\n}";

fn place() -> Place {
    Place::new(&[("note.md", ""), (SAVED, WORKSPACES), (CURRENT, LAYOUT)])
}

fn json_of(place: &Place, path: &str) -> Value {
    serde_json::from_str(&place.text(path)).unwrap()
}

#[test]
fn workspaces_are_listed() {
    let listed = without_effect(&place(), "list_workspaces", json!({}));
    let first = json!({"name": "Writing", "active": true, "modified_at": "2024-01-05T08:00:00Z"});
    assert_eq!((&listed["workspaces"][0], &listed["workspaces"][1]["name"]), (&first, &json!("Reading")));
    let none = without_effect(&Place::new(&[("note.md", "")]), "list_workspaces", json!({}));
    assert_eq!(none, json!({"workspaces": []}));
}

#[test]
fn opening_a_workspace_makes_its_layout_the_present_one() {
    let place = place();
    let opened = unasked(&place, "open_workspace", json!({"name": "Reading"}));
    assert_eq!((&opened["name"], &opened["prior_workspace"]), (&json!("Reading"), &json!("Writing")));
    assert_eq!(place.text(SAVED), WORKSPACES.replace("\"active\": \"Writing\"", "\"active\": \"Reading\""));
    let expected = LAYOUT.replace("\"id\": \"cc\"", "\"id\": \"bb\"").replace("\"active\": \"cc\"", "\"active\": \"bb\"");
    assert_eq!(place.text(CURRENT), expected);
    unasked(&place, "open_workspace", json!({"name": "Writing", "save_current_first": true}));
    let saved = json_of(&place, SAVED);
    assert_eq!((&saved["workspaces"]["Reading"]["left"], &saved["active"]), (&json!({"id": "dd"}), &json!("Writing")));
    assert_eq!(saved["workspaces"]["Reading"].get("lastOpenFiles"), None);
    assert!(place.text(CURRENT).contains("\"size\": 1.50"), "numbers keep their spelling");
    let body = failed(&place, Consent::Standing, "open_workspace", json!({"name": "Nothing"}));
    assert!(body["message"].as_str().unwrap().contains("there are Writing, Reading"), "{body}");
}

#[test]
fn the_present_layout_is_saved_under_a_name() {
    let place = place();
    unasked(&place, "save_workspace", json!({"name": "New"}));
    let saved = json_of(&place, SAVED);
    assert_eq!((&saved["active"], &saved["workspaces"]["New"]["main"]), (&json!("New"), &json!({"id": "cc"})));
    assert!(saved["workspaces"]["New"]["mtime"].is_string() && saved["workspaces"]["New"].get("lastOpenFiles").is_none());
    assert!(
        place.text(SAVED).starts_with(&WORKSPACES[..WORKSPACES.find("\n  },\n  \"active\"").unwrap()]),
        "{}",
        place.text(SAVED)
    );
    assert_eq!(refused(&place, "save_workspace", json!({"name": "New"})), "invalid_input");
    place.put(CURRENT, LAYOUT.replace("cc", "ee"));
    let proposed = asked(&place, "save_workspace", json!({"name": "New", "overwrite": true}));
    assert_eq!(proposed["reasons"], json!(["it replaces the workspace \"New\""]));
    let fresh = Place::new(&[("note.md", ""), (CURRENT, LAYOUT)]);
    unasked(&fresh, "save_workspace", json!({"name": "First"}));
    assert_eq!(json_of(&fresh, SAVED)["workspaces"]["First"]["left"], json!({"id": "dd"}));
    assert_eq!(refused(&Place::new(&[("note.md", "")]), "save_workspace", json!({"name": "x"})), "invalid_input");
}

#[test]
fn what_cannot_be_read_is_left_alone() {
    for (path, broken) in [(SAVED, "{\"workspaces\": {"), (SAVED, "{\"workspaces\": []}"), (SAVED, "7"), (CURRENT, "{")] {
        let place = place();
        place.put(path, broken);
        assert_eq!(refused(&place, "open_workspace", json!({"name": "Reading"})), "invalid_input");
        assert_eq!(refused(&place, "save_workspace", json!({"name": "x"})), "invalid_input");
    }
}
