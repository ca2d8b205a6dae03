//! The `cli` surface: the app's commands with the app closed.

use std::process::Command;

use quillgate_tools::{Answer, Settings};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::place::Place;

fn small() -> Place {
    Place::new(&[
        ("Home.md", "---\naliases: [Start, Top]\ntags: [Main, work/now]\nrating: 5\n---\n[[Plan]] [[Gone#x|y]] #work\n"),
        ("Work/Plan.md", "---\nRating: high\n---\nNeedle here\n[[Home]]\n"),
        ("Work/Twin.md", "needle and NEEDLE"),
        ("Other/Twin.md", "alone"),
        ("pic.png", ""),
    ])
}

fn call(place: &Place, tool: &str, arguments: Value) -> Value {
    place.done("cli", &format!("obsidian_{tool}"), arguments)
}

#[track_caller]
fn check_refused(place: &Place, tool: &str, arguments: Value, code: &str) {
    let refused = place.refused("cli", &format!("obsidian_{tool}"), arguments);
    assert_eq!(refused.code, code, "{}", refused.message);
}

#[test]
fn a_success_is_one_text_block() {
    let Answer::Result { text, structured, is_error } = small().call("cli", "obsidian_read_note", json!({"file": "Plan"})) else {
        panic!("a result")
    };
    assert!(structured.is_none() && !is_error);
    assert_eq!(
        text,
        json!({"success": true, "data": {"path": "Work/Plan.md", "content": "---\nRating: high\n---\nNeedle here\n[[Home]]\n"}})
            .to_string()
    );
}

#[test]
fn a_note_is_named_by_file_or_by_path() {
    let place = small();
    let read = |arguments| call(&place, "read_note", arguments)["path"].clone();
    assert_eq!(read(json!({"file": "plan"})), "Work/Plan.md");
    assert_eq!(read(json!({"file": "other/twin"})), "Other/Twin.md");
    assert_eq!(read(json!({"path": "Work/Plan.md"})), "Work/Plan.md");
    check_refused(&place, "read_note", json!({"file": "Twin"}), "-32004 AMBIGUOUS_NAME");
    check_refused(&place, "read_note", json!({"file": "Nobody"}), "-32003 FILE_NOT_FOUND");
    check_refused(&place, "read_note", json!({"path": "Plan.md"}), "-32003 FILE_NOT_FOUND");
    check_refused(&place, "read_note", json!({"path": "Work"}), "-32602 INVALID_PARAMS");
    check_refused(&place, "read_note", json!({}), "-32602 INVALID_PARAMS");
    check_refused(&place, "read_note", json!({"file": "Plan", "path": "Work/Plan.md"}), "-32602 INVALID_PARAMS");
    check_refused(&place, "read_note", json!({"path": "../x.md"}), "-32602 INVALID_PARAMS");
    check_refused(&place, "read_note", json!({"path": ".obsidian/app.json"}), "-32005 PERMISSION_DENIED");
    check_refused(&place, "explode", json!({}), "-32601 UNKNOWN_TOOL");
    let Answer::Protocol(error) = place.call("cli", "obsidian_read_note", json!({"file": "Twin"})) else { panic!("an error") };
    assert_eq!(error.data.unwrap()["candidates"], json!(["Other/Twin.md", "Work/Twin.md"]));
}

#[test]
fn notes_are_created_and_not_overwritten_unasked() {
    let place = small();
    let created = call(&place, "create_note", json!({"name": "New/v1.2", "content": "x"}));
    assert_eq!(created, json!({"path": "New/v1.2.md", "created": true}));
    check_refused(&place, "create_note", json!({"name": "New/v1.2.md"}), "-32000 FILE_EXISTS");
    assert_eq!(place.text("New/v1.2.md"), "x");
    let replaced = call(&place, "create_note", json!({"name": "New/v1.2", "content": "y", "overwrite": true}));
    assert_eq!((replaced["created"].clone(), place.text("New/v1.2.md")), (json!(false), "y".to_owned()));
    assert_eq!(call(&place, "create_note", json!({"name": "Empty"}))["path"], "Empty.md");
}

#[test]
fn text_is_added_at_either_end() {
    let place = Place::new(&[("a.md", "---\nx: 1\n---\nbody")]);
    assert_eq!(call(&place, "append_note", json!({"file": "a", "content": "end\n"}))["path"], "a.md");
    call(&place, "prepend_note", json!({"file": "a", "content": "start"}));
    assert_eq!(place.text("a.md"), "---\nx: 1\n---\nstart\nbody\nend\n");
    check_refused(&place, "append_note", json!({"file": "b", "content": "x"}), "-32003 FILE_NOT_FOUND");
    check_refused(&place, "prepend_note", json!({"file": "a"}), "-32602 INVALID_PARAMS");
}

#[test]
fn notes_go_to_the_trash_or_for_good() {
    let place = small();
    let deleted = call(&place, "delete_note", json!({"file": "Plan"}));
    assert_eq!(deleted, json!({"path": "Work/Plan.md", "deleted": true, "trash_path": ".trash/Plan.md"}));
    let gone = call(&place, "delete_note", json!({"path": "Work/Twin.md", "permanent": true}));
    assert_eq!(gone, json!({"path": "Work/Twin.md", "deleted": true}));
    assert!(!place.on_disk(".trash/Twin.md").exists());
    check_refused(&place, "delete_note", json!({"file": "Plan"}), "-32003 FILE_NOT_FOUND");
}

#[test]
fn moving_and_renaming_rewrite_links() {
    let place = small();
    let renamed = call(&place, "rename_note", json!({"file": "Plan", "name": "Road map"}));
    assert_eq!(renamed, json!({"from": "Work/Plan.md", "to": "Work/Road map.md", "links_updated": 1}));
    assert!(place.text("Home.md").contains("[[Road map]] [[Gone#x|y]]"));
    assert_eq!(call(&place, "move_note", json!({"file": "Road map", "to": "Other"}))["to"], "Other/Road map.md");
    assert_eq!(call(&place, "move_note", json!({"file": "Road map", "to": "New/"}))["to"], "New/Road map.md");
    assert_eq!(call(&place, "move_note", json!({"file": "Road map", "to": "/"}))["to"], "Road map.md");
    assert_eq!(call(&place, "move_note", json!({"file": "Road map", "to": "Deep/Map v2"}))["to"], "Deep/Map v2.md");
    check_refused(&place, "move_note", json!({"path": "Work/Twin.md", "to": "Other"}), "-32000 FILE_EXISTS");
    check_refused(&place, "rename_note", json!({"file": "Home", "name": "a/b"}), "-32602 INVALID_PARAMS");
    check_refused(&place, "rename_note", json!({"file": "Home", "name": ".hidden"}), "-32005 PERMISSION_DENIED");
}

/// An app that writes down how it was called and answers as told.
fn with_app(answer: &str) -> (TempDir, Place) {
    let programs = TempDir::new().unwrap();
    let program = programs.path().join("obsidian").display().to_string();
    let script = format!("#!/bin/sh\necho \"$@\" > called.txt\n{answer}\n");
    // Written by another process: one that this process still had open for writing could not be started.
    let write = ["-c", "printf %s \"$1\" > \"$2\" && chmod +x \"$2\"", "sh", &script, &program];
    assert!(Command::new("sh").args(write).status().unwrap().success());
    (programs, Place::with_settings(&[("a b.md", "x")], Settings { app_program: program, ..Settings::default() }))
}

#[test]
fn opening_needs_the_app() {
    check_refused(&small(), "open_note", json!({"file": "Plan"}), "-32001 OBSIDIAN_NOT_RUNNING");
    let (_programs, place) = with_app("echo 'Error: Obsidian is not running'");
    check_refused(&place, "open_note", json!({"file": "a b"}), "-32001 OBSIDIAN_NOT_RUNNING");
    let (_programs, place) = with_app("echo 'Error: no such vault'");
    check_refused(&place, "open_note", json!({"file": "a b"}), "-32000 SERVER_ERROR");
    let (_programs, place) = with_app("echo opened");
    assert_eq!(call(&place, "open_note", json!({"file": "a b"})), json!({"path": "a b.md", "opened": true}));
    assert_eq!(place.text("called.txt"), "open path=a b.md\n");
}

#[test]
fn a_file_shows_its_details() {
    let info = call(&small(), "file_info", json!({"path": "Work/Plan.md"}));
    assert_eq!((&info["name"], &info["extension"], &info["size"]), (&json!("Plan"), &json!("md"), &json!(42)));
    assert!(info["modified"].as_str().unwrap().ends_with('Z') && info["created"].is_string());
}

#[test]
fn text_is_found_in_files_and_lines() {
    let place = small();
    let found = call(&place, "search", json!({"query": "needle"}));
    assert_eq!(found, json!({"query": "needle", "total": 2, "files": ["Work/Plan.md", "Work/Twin.md"]}));
    assert_eq!(call(&place, "search", json!({"query": "needle", "case_sensitive": true}))["total"], 1);
    assert_eq!(call(&place, "search", json!({"query": "needle", "path": "Other"}))["total"], 0);
    let limited = call(&place, "search", json!({"query": "needle", "limit": 1}));
    assert_eq!((&limited["total"], &limited["files"]), (&json!(2), &json!(["Work/Plan.md"])));
    let lines = call(&place, "search_with_context", json!({"query": "needle", "path": "/Work/"}));
    // The file with more of it comes first.
    assert_eq!(lines["matches"][1], json!({"path": "Work/Plan.md", "line": 4, "text": "Needle here"}));
    assert_eq!(call(&place, "search_with_context", json!({"query": "a.b("}))["total"], 0);
    check_refused(&place, "search", json!({"query": "x", "path": ".obsidian"}), "-32005 PERMISSION_DENIED");
}

#[test]
fn links_are_listed_in_both_directions() {
    let place = small();
    let backlinks = call(&place, "get_backlinks", json!({"file": "Plan"}));
    assert_eq!(backlinks, json!({"path": "Work/Plan.md", "total": 1, "backlinks": [{"path": "Home.md", "count": 1}]}));
    let outgoing = call(&place, "get_outgoing_links", json!({"file": "Home"}));
    assert_eq!(
        outgoing["links"],
        json!([
            {"target": "Plan", "path": "Work/Plan.md", "resolved": true, "line": 6},
            {"target": "Gone#x", "resolved": false, "line": 6},
        ])
    );
    let unresolved = call(&place, "list_unresolved_links", json!({}));
    assert_eq!(unresolved, json!({"total": 1, "unresolved": [{"target": "Gone", "sources": ["Home.md"]}]}));
    assert_eq!(call(&place, "list_orphans", json!({}))["files"], json!(["Other/Twin.md", "Work/Twin.md"]));
    assert_eq!(call(&place, "list_deadends", json!({}))["files"], json!(["Other/Twin.md", "Work/Twin.md"]));
}

#[test]
fn tags_aliases_and_properties_are_counted() {
    let place = small();
    let tags = call(&place, "list_tags", json!({}))["tags"].clone();
    assert_eq!(tags, json!([{"tag": "#Main", "count": 1}, {"tag": "#work", "count": 1}, {"tag": "#work/now", "count": 1}]));
    let info = call(&place, "get_tag_info", json!({"tag": "#WORK"}));
    assert_eq!((&info["count"], &info["files"]), (&json!(1), &json!(["Home.md"])));
    let aliases = call(&place, "list_aliases", json!({}))["aliases"].clone();
    assert_eq!(aliases, json!([{"alias": "Start", "path": "Home.md"}, {"alias": "Top", "path": "Home.md"}]));
    assert_eq!(call(&place, "list_aliases", json!({"file": "Plan"}))["total"], 0);
    let properties = call(&place, "list_properties", json!({}));
    assert_eq!(properties["total"], 3);
    let rating =
        properties["properties"].as_array().unwrap().iter().find(|property| property["name"] == "rating").unwrap().clone();
    assert_eq!((&rating["count"], &rating["type"]), (&json!(2), &json!("number|text")));
    assert_eq!(call(&place, "get_property_count", json!({"name": "RATING"}))["count"], 2);
    assert_eq!(call(&place, "list_properties", json!({"file": "Plan"}))["properties"], json!({"Rating": "high"}));
    check_refused(&place, "list_tags", json!({"sort": "size"}), "-32602 INVALID_PARAMS");
}
