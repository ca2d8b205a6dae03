//! The `engine` surface: many notes in one call.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use quillgate_tools::{Call, Consent, find_surface};
use quillgate_vault::ContentHash;
use serde_json::{Value, json};

use crate::asking::{asked, failed, files, paths, refused, unasked, without_effect};
use crate::place::Place;

fn hash(text: &str) -> String {
    ContentHash::of(text.as_bytes()).to_string()
}

fn without_duration(mut answer: Value) -> Value {
    assert!(answer.as_object_mut().unwrap().remove("duration_ms").unwrap().is_u64());
    answer
}

fn new_notes(count: usize) -> Vec<Value> {
    (0..count).map(|number| json!({"path": format!("new/{number:03}.md"), "content": format!("note {number}\n")})).collect()
}

#[test]
fn notes_are_created_each_on_its_own() {
    let place = Place::new(&[("there.md", "old\r\n"), ("empty.md", "")]);
    let items = json!([
        {"path": "a/b.md", "content": "text\n", "frontmatter": {"tags": ["x"], "n": 1}},
        {"path": "there.md", "content": "new\n"},
        {"path": "there.md", "content": "new\n", "mode": "overwrite"},
        {"path": "missing.md", "content": "x", "mode": "overwrite"},
        {"path": "up.md", "content": "---\nb: 2\n---\nbody\n", "frontmatter": {"b": 3, "c": true}, "mode": "upsert"},
        {"path": "empty.md", "content": "filled", "mode": "upsert"},
        {"path": "../x.md", "content": ""},
        {"path": ".obsidian/x.md", "content": ""},
        {"path": "bare", "content": ""},
        {"path": "pic.png", "content": "", "frontmatter": {"a": 1}},
    ]);
    let done = without_duration(unasked(&place, "bulk_create_notes", json!({"items": items, "max_concurrent": 1})));
    assert_eq!((&done["processed"], &done["succeeded"], &done["failed"]), (&json!(10), &json!(4), &json!(6)));
    let results = done["results"].as_array().unwrap();
    let first = "---\ntags:\n  - x\nn: 1\n---\ntext\n";
    assert_eq!(results[0], json!({"path": "a/b.md", "ok": true, "mode_used": "create", "content_hash": hash(first)}));
    assert_eq!(place.text("a/b.md"), first);
    assert_eq!(results[2]["mode_used"], "overwrite");
    assert_eq!((place.text("there.md"), place.text("empty.md")), ("new\r\n".to_owned(), "filled".to_owned()));
    assert_eq!(place.text("up.md"), "---\nb: 3\nc: true\n---\nbody\n");
    let codes: Vec<(usize, &str)> =
        results.iter().enumerate().filter_map(|(at, line)| Some((at, line["error"]["code"].as_str()?))).collect();
    let expected = [
        (1, "note_exists"),
        (3, "note_not_found"),
        (6, "path_invalid"),
        (7, "acl_denied"),
        (8, "invalid_input"),
        (9, "invalid_input"),
    ];
    assert_eq!(codes, expected);
    assert_eq!(results[7]["error"]["details"]["op"], "access");
    assert!(results[8]["error"]["message"].as_str().unwrap().contains("bare.md"), "{}", results[8]);
    assert_eq!(paths(&place), ["a/b.md", "empty.md", "there.md", "up.md"]);
}

#[test]
fn many_notes_are_written_at_the_same_time_and_told_in_order() {
    let place = Place::new(&[]);
    let items = new_notes(50);
    let seen = Arc::new(AtomicUsize::new(0));
    let counter = seen.clone();
    let call = Call::reporting(move |done, total, _| {
        assert_eq!(total, Some(50.0));
        counter.fetch_max(done as usize, Ordering::Relaxed);
    });
    let surface = find_surface("engine").unwrap();
    let tool = surface.find("bulk_create_notes").unwrap();
    let done = place.run(surface, tool, json!({"items": items, "max_concurrent": 16}), &call).unwrap();
    assert_eq!((done["succeeded"].as_u64(), seen.load(Ordering::Relaxed)), (Some(50), 50));
    for (at, line) in done["results"].as_array().unwrap().iter().enumerate() {
        assert_eq!(line["path"], format!("new/{at:03}.md"));
        assert_eq!(line["content_hash"], hash(&format!("note {at}\n")));
    }
    assert_eq!(paths(&place).len(), 50);
}

#[test]
fn stopping_at_the_first_error_says_what_was_done_before_it() {
    let place = Place::new(&[("c.md", "there")]);
    let note = |path: &str| json!({"path": path, "content": "x"});
    let items = json!([note("a.md"), note("b.md"), note("c.md"), note("d.md")]);
    let stop = json!({"items": items, "stop_on_first_error": true, "max_concurrent": 16});
    let body = failed(&place, Consent::Standing, "bulk_create_notes", stop);
    assert_eq!(body["code"], "bulk_partial");
    let results = body["details"]["results"].as_array().unwrap();
    assert_eq!(results.iter().map(|line| line["ok"].as_bool().unwrap()).collect::<Vec<_>>(), [true, true, false]);
    assert!(body["message"].as_str().unwrap().contains("2 done before it, 1 not tried"), "{body}");
    assert_eq!(paths(&place), ["a.md", "b.md", "c.md"]);
    // Where nothing was done there is nothing partial.
    let nothing = json!({"items": [note("c.md"), note("d.md")], "stop_on_first_error": true});
    assert_eq!(refused(&place, "bulk_create_notes", nothing), "note_exists");
    let all = unasked(&place, "bulk_create_notes", json!({"items": [note("d.md")], "stop_on_first_error": true}));
    assert_eq!(all["succeeded"], 1);
}

#[test]
fn a_human_is_asked_for_more_than_fifty_notes_and_agrees_to_their_texts() {
    let place = Place::new(&[]);
    unasked(&place, "bulk_create_notes", json!({"items": new_notes(50)}));
    let place = Place::new(&[("new/000.md", "in the way")]);
    let proposed = asked(&place, "bulk_create_notes", json!({"items": new_notes(51)}));
    assert_eq!(proposed["reasons"], json!(["writes 51 notes"]));
    let proposed_files = proposed["files"].as_array().unwrap();
    assert_eq!(
        (proposed_files.len(), &proposed_files[0]["path"], &proposed_files[0]["change"]),
        (50, &json!("new/001.md"), &json!("create"))
    );
    let stale = failed(&place, Consent::Given("another change".into()), "bulk_create_notes", json!({"items": new_notes(51)}));
    assert_eq!(stale["code"], "elicit_required");
    // An operator who wants to be asked always is asked for one note too.
    let one = failed(&place, Consent::AskAlways, "bulk_create_notes", json!({"items": new_notes(2)}));
    assert_eq!(one["details"]["proposed_change"]["files"][0]["path"], "new/001.md");
    let done = place.answer("bulk_create_notes", json!({"items": new_notes(51)}));
    assert_eq!((&done["succeeded"], &done["failed"]), (&json!(50), &json!(1)));
}

#[test]
fn a_key_makes_the_whole_call_or_one_note_happen_once() {
    let place = Place::new(&[]);
    let call = |content: &str| json!({"items": [{"path": "a.md", "content": content}], "bulk_idempotency_key": "once"});
    let first = unasked(&place, "bulk_create_notes", call("x"));
    assert_eq!(unasked(&place, "bulk_create_notes", call("x")), first, "the first answer, to the millisecond");
    assert_eq!(refused(&place, "bulk_create_notes", call("y")), "idempotency_key_mismatch");
    let note = |path: &str, content: &str| json!({"items": [{"path": path, "content": content, "idempotency_key": "n1"}]});
    unasked(&place, "bulk_create_notes", note("b.md", "x"));
    std::fs::remove_file(place.on_disk("b.md")).unwrap();
    let again = unasked(&place, "bulk_create_notes", note("b.md", "x"));
    assert_eq!(again["results"][0], json!({"path": "b.md", "ok": true, "mode_used": "create", "content_hash": hash("x")}));
    assert_eq!(paths(&place), ["a.md"], "it was not written again");
    let other = unasked(&place, "bulk_create_notes", note("b.md", "y"));
    assert_eq!(other["results"][0]["error"]["code"], "idempotency_key_mismatch");
    // A failure uses no key up.
    let failing = json!({"items": [{"path": "a.md", "content": "x", "idempotency_key": "n2"}]});
    assert_eq!(unasked(&place, "bulk_create_notes", failing)["failed"], 1);
    let now = json!({"items": [{"path": "c.md", "content": "x", "idempotency_key": "n2"}]});
    assert_eq!(unasked(&place, "bulk_create_notes", now)["succeeded"], 1);
}

#[test]
fn limits_of_bulk_calls_hold() {
    let place = Place::new(&[("a.md", "")]);
    let refused = |tool: &str, arguments: Value| assert_eq!(refused(&place, tool, arguments), "invalid_input");
    refused("bulk_create_notes", json!({"items": new_notes(201)}));
    refused("bulk_create_notes", json!({"items": []}));
    refused("bulk_create_notes", json!({"items": new_notes(1), "max_concurrent": 17}));
    refused("bulk_create_notes", json!({"items": [{"path": "b.md", "content": "", "mode": "append"}]}));
    refused("bulk_create_notes", json!({"items": [{"path": "b.md"}]}));
    refused("bulk_set_property", json!({"paths": vec!["a.md"; 501], "key": "k", "value": 1}));
    refused("bulk_set_property", json!({"paths": ["a.md"], "key": "", "value": 1}));
    refused("bulk_set_property", json!({"paths": ["a.md"], "key": "k"}));
    refused("bulk_move_notes", json!({"moves": vec![json!({"from": "a.md", "to": "b.md"}); 101]}));
    refused("bulk_move_notes", json!({"moves": []}));
    refused("bulk_move_notes", json!({"moves": [{"from": "a.md"}]}));
}

#[test]
fn a_property_is_set_in_many_notes() {
    let place = Place::new(&[
        ("a.md", "---\nstatus: open # soon\nother: 1\n---\nbody\n"),
        ("b.md", "no properties\r\n"),
        ("c.md", "---\nstatus: done\n---\n"),
        ("broken.md", "---\na: [\n---\n"),
        ("pic.png", "x"),
    ]);
    let set = |arguments: Value| without_duration(unasked(&place, "bulk_set_property", arguments));
    let all = ["a.md", "b.md", "c.md", "broken.md", "pic.png", "missing.md", "../x.md"];
    let done = set(json!({"paths": all, "key": "status", "value": "done"}));
    assert_eq!((&done["processed"], &done["succeeded"], &done["failed"]), (&json!(7), &json!(3), &json!(4)));
    let results = &done["results"];
    assert_eq!(results[0], json!({"path": "a.md", "ok": true, "prev_value": "open"}));
    assert_eq!(results[1], json!({"path": "b.md", "ok": true}));
    assert_eq!(results[2], json!({"path": "c.md", "ok": true, "prev_value": "done"}));
    let codes: Vec<&Value> = (3..7).map(|at| &results[at]["error"]["code"]).collect();
    assert_eq!(codes, ["invalid_input", "invalid_input", "note_not_found", "path_invalid"]);
    assert_eq!(place.text("a.md"), "---\nstatus: done # soon\nother: 1\n---\nbody\n");
    assert_eq!(place.text("b.md"), "---\r\nstatus: done\r\n---\r\nno properties\r\n");
    for value in [json!(2.5), json!(true), json!(["x", 1]), json!({"deep": "er"})] {
        set(json!({"paths": ["c.md"], "key": "v", "value": value}));
        assert_eq!(set(json!({"paths": ["c.md"], "key": "v", "value": 0}))["results"][0]["prev_value"], value);
    }
    let stop = json!({"paths": ["a.md", "missing.md", "b.md"], "key": "n", "value": 1, "stop_on_first_error": true});
    assert_eq!(failed(&place, Consent::Standing, "bulk_set_property", stop)["code"], "bulk_partial");
    assert!(place.text("a.md").contains("n: 1") && !place.text("b.md").contains("n: 1"));
}

#[test]
fn a_human_is_asked_before_more_than_fifty_notes_get_a_property() {
    let notes: Vec<(String, String)> = (0..51).map(|number| (format!("{number:02}.md"), format!("note {number}\n"))).collect();
    let place = Place::new(&notes.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect::<Vec<_>>());
    let call =
        |count: usize| json!({"paths": notes[..count].iter().map(|(path, _)| path).collect::<Vec<_>>(), "key": "k", "value": 1});
    let proposed = asked(&place, "bulk_set_property", call(51));
    assert_eq!(proposed["reasons"], json!(["sets the property \"k\" of 51 notes"]));
    assert_eq!(proposed["files"].as_array().unwrap().len(), 51);
    assert_eq!(unasked(&place, "bulk_set_property", call(50))["succeeded"], 50);
    assert_eq!(place.answer("bulk_set_property", call(51))["succeeded"], 51);
    assert_eq!(place.text("50.md"), "---\nk: 1\n---\nnote 50\n");
}

fn linked() -> Place {
    Place::new(&[
        ("a.md", "I am a [[b]]\n"),
        ("b.md", "I am b [[a|x]]\n"),
        ("sub/c.md", "I am c [[./d]]\n"),
        ("sub/d.md", "I am d\n"),
        ("hub.md", "[[a]] [[b]] [[sub/c]] [t](sub/d.md)\n"),
        ("board.canvas", r#"{"nodes":[{"type":"file","file":"a.md"}]}"#),
    ])
}

#[test]
fn notes_move_together_with_their_links_after_a_dry_run() {
    let place = linked();
    let moves = json!([{"from": "a.md", "to": "x/new.md"}, {"from": "sub/c.md", "to": "c.md"}]);
    let told = without_effect(&place, "bulk_move_notes", json!({"moves": moves}));
    let results = json!([
        {"from": "a.md", "to": "x/new.md", "ok": true, "backlinks_updated": 3},
        {"from": "sub/c.md", "to": "c.md", "ok": true, "backlinks_updated": 1},
    ]);
    assert_eq!(told, json!({"processed": 2, "results": results, "total_backlinks_updated": 4, "dry_run": true}));
    let wet = json!({"moves": moves, "dry_run": false});
    let proposed = asked(&place, "bulk_move_notes", wet.clone());
    assert_eq!(proposed["reasons"], json!(["moves 2 notes and rewrites 5 links"]));
    let changes: BTreeMap<&str, &str> = proposed["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| (file["path"].as_str().unwrap(), file["change"].as_str().unwrap()))
        .collect();
    let expected = [("a.md", "move"), ("b.md", "edit"), ("board.canvas", "edit"), ("hub.md", "edit"), ("sub/c.md", "move")];
    assert_eq!(changes, expected.into());
    let done = place.answer("bulk_move_notes", wet);
    assert_eq!((&done["results"], &done["dry_run"]), (&told["results"], &json!(false)));
    assert_eq!(place.text("hub.md"), "[[new]] [[b]] [[c]] [t](sub/d.md)\n");
    assert_eq!((place.text("b.md"), place.text("c.md")), ("I am b [[new|x]]\n".into(), "I am c [[./sub/d]]\n".into()));
    assert!(place.text("board.canvas").contains("x/new.md"));
    assert_eq!(paths(&place), ["b.md", "board.canvas", "c.md", "hub.md", "sub/d.md", "x/new.md"]);
    // The index knows at once.
    assert_eq!(place.answer("find_unresolved_links", json!({}))["total_count"], 0);
}

#[test]
fn notes_can_take_each_others_places() {
    let place = linked();
    let moves = json!([{"from": "a.md", "to": "b.md"}, {"from": "b.md", "to": "a.md"}]);
    let done = place.answer("bulk_move_notes", json!({"moves": moves, "dry_run": false}));
    assert_eq!(done["total_backlinks_updated"], 5);
    assert_eq!((place.text("b.md"), place.text("a.md")), ("I am a [[a]]\n".into(), "I am b [[b|x]]\n".into()));
    assert_eq!(place.text("hub.md"), "[[b]] [[a]] [[sub/c]] [t](sub/d.md)\n");
    // A chain whose end is free, in whichever order it is told.
    let place = linked();
    let moves = json!([{"from": "a.md", "to": "b.md"}, {"from": "b.md", "to": "sub/d.md"}, {"from": "sub/d.md", "to": "end.md"}]);
    let done = place.answer("bulk_move_notes", json!({"moves": moves, "dry_run": false}));
    assert_eq!(done["processed"], 3);
    assert_eq!(paths(&place), ["b.md", "board.canvas", "end.md", "hub.md", "sub/c.md", "sub/d.md"]);
    assert_eq!(place.text("hub.md"), "[[b]] [[d]] [[sub/c]] [t](end.md)\n");
    assert_eq!((place.text("end.md"), place.text("sub/d.md")), ("I am d\n".into(), "I am b [[b|x]]\n".into()));
    assert_eq!((place.text("b.md"), place.text("sub/c.md")), ("I am a [[d]]\n".into(), "I am c [[../end]]\n".into()));
    let outgoing = place.answer("get_outgoing_links", json!({"path": "sub/c.md"}));
    assert_eq!(outgoing["links"][0]["target_path"], "end.md");
    assert_eq!(place.answer("get_backlinks", json!({"path": "b.md"}))["total_count"], 3);
}

#[test]
fn if_one_note_cannot_move_none_does() {
    let place = linked();
    let moves = json!([
        {"from": "a.md", "to": "hub.md"},
        {"from": "missing.md", "to": "y.md"},
        {"from": "b.md", "to": "z.md"},
        {"from": "b.md", "to": "w.md"},
        {"from": "sub/d.md", "to": "z.md"},
        {"from": "sub/c.md", "to": "bare"},
        {"from": "hub.md", "to": "../out.md"},
        {"from": "sub", "to": "other"},
        {"from": ".obsidian/app.json", "to": "x.json"},
    ]);
    let codes = |results: &Value| {
        let codes = results.as_array().unwrap().iter().map(|line| line["error"]["code"].as_str().unwrap_or("ok").to_owned());
        codes.collect::<Vec<_>>()
    };
    let expected = [
        "note_exists",
        "note_not_found",
        "ok",
        "invalid_input",
        "invalid_input",
        "invalid_input",
        "path_invalid",
        "path_invalid",
        "acl_denied",
    ];
    let told = without_effect(&place, "bulk_move_notes", json!({"moves": moves}));
    assert_eq!(codes(&told["results"]), expected);
    let before = files(&place);
    let body = failed(&place, Consent::Standing, "bulk_move_notes", json!({"moves": moves, "dry_run": false}));
    assert_eq!(
        (body["code"].as_str(), codes(&body["details"]["results"])),
        (Some("bulk_partial"), expected.map(str::to_owned).to_vec())
    );
    assert!(body["message"].as_str().unwrap().starts_with("nothing was moved, because 8 of the 9 moves"), "{body}");
    assert_eq!(files(&place), before);
    // A note stays because another stays.
    let chain = json!([{"from": "a.md", "to": "b.md"}, {"from": "b.md", "to": "sub/d.md"}]);
    let told = without_effect(&place, "bulk_move_notes", json!({"moves": chain}));
    assert_eq!(codes(&told["results"]), ["note_exists", "note_exists"]);
    let unlinkable = json!({"moves": [{"from": "a.md", "to": "C#.md"}]});
    assert_eq!(refused(&place, "bulk_move_notes", unlinkable), "invalid_input");
}

#[test]
fn links_stay_where_nobody_wants_them_rewritten() {
    let place = linked();
    let call = json!({"moves": [{"from": "a.md", "to": "x.md"}], "update_backlinks": false, "dry_run": false});
    let done = place.answer("bulk_move_notes", call);
    assert_eq!(done["results"], json!([{"from": "a.md", "to": "x.md", "ok": true}]));
    assert_eq!(done["total_backlinks_updated"], 0);
    assert_eq!(place.text("hub.md"), "[[a]] [[b]] [[sub/c]] [t](sub/d.md)\n");
    let same = place.answer("bulk_move_notes", json!({"moves": [{"from": "b.md", "to": "b.md"}], "dry_run": false}));
    assert_eq!(same["results"], json!([{"from": "b.md", "to": "b.md", "ok": true, "backlinks_updated": 0}]));
}
