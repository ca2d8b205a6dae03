//! The `engine` surface: the queue of captures.

use std::sync::Arc;
use std::thread;

use quillgate_tools::{Answer, Consent};
use quillgate_vault::ContentHash;
use serde_json::{Value, json};

use crate::asking::{failed, paths, refused, unasked, without_effect};
use crate::place::Place;

fn enqueue(place: &Place, arguments: Value) -> String {
    let answer = without_effect(place, "enqueue_capture", arguments);
    assert_eq!(answer["vault"], "vault");
    assert!(answer["captured_at"].as_str().unwrap().ends_with('Z'));
    answer["capture_id"].as_str().unwrap().to_owned()
}

fn queue(place: &Place, arguments: Value) -> Vec<Value> {
    without_effect(place, "list_capture_queue", arguments)["items"].as_array().unwrap().clone()
}

#[test]
fn what_is_caught_waits_in_a_queue() {
    let place = Place::new(&[]);
    let full = json!({"content": "a thought\n", "title": "T", "tags": ["#x", " y ", "#"], "source": "phone", "target_path_hint": "in/box.md"});
    let first = enqueue(&place, full);
    let second = enqueue(&place, json!({"content": "é".repeat(300)}));
    let waiting = queue(&place, json!({}));
    assert_eq!(waiting.len(), 2);
    let expected = json!({
        "capture_id": first, "title": "T", "content_preview": "a thought\n", "tags": ["x", "y"], "source": "phone",
        "captured_at": waiting[0]["captured_at"], "target_path_hint": "in/box.md",
    });
    assert_eq!(waiting[0], expected);
    assert_eq!(waiting[1]["content_preview"], format!("{}…", "é".repeat(200)));
    assert_eq!((waiting[1].get("title"), &waiting[1]["tags"], waiting[1].get("source")), (None, &json!([]), None));
    assert_eq!(queue(&place, json!({"source": "phone"})).len(), 1);
    assert_eq!(queue(&place, json!({"source": "desk"})).len(), 0);
    assert_eq!(queue(&place, json!({"committed": true})).len(), 0);
    let page = without_effect(&place, "list_capture_queue", json!({"limit": 1}));
    let rest = queue(&place, json!({"limit": 1, "cursor": page["cursor"]}));
    assert_eq!((&page["items"][0]["capture_id"], &rest[0]["capture_id"]), (&json!(first), &json!(second)));
    assert_eq!(refused(&place, "list_capture_queue", json!({"cursor": page["cursor"], "committed": true})), "invalid_input");
    let code = |arguments: Value| refused(&place, "enqueue_capture", arguments);
    assert_eq!(code(json!({"content": ""})), "invalid_input");
    assert_eq!(code(json!({"content": "x", "target_path_hint": "../x.md"})), "path_invalid");
    assert_eq!(code(json!({"content": "x", "target_path_hint": ".obsidian/x.md"})), "acl_denied");
    assert_eq!(code(json!({"content": "é".repeat(600_000)})), "invalid_input");
}

#[test]
fn a_capture_becomes_a_note_with_its_properties() {
    let place = Place::new(&[]);
    let id = enqueue(&place, json!({"content": "text\n\n", "title": "T: x", "tags": ["a", "b"], "source": "phone"}));
    let overrides = json!({"source": null, "title": "Better", "n": 1});
    let done = unasked(
        &place,
        "commit_capture",
        json!({"capture_id": id, "target_path": "in/T.md", "frontmatter_overrides": overrides}),
    );
    let text = "---\ntitle: Better\ntags:\n  - a\n  - b\nn: 1\n---\ntext\n";
    assert_eq!(place.text("in/T.md"), text);
    assert_eq!((&done["capture_id"], &done["target_path"]), (&json!(id), &json!("in/T.md")));
    assert_eq!(done["content_hash"], ContentHash::of(text.as_bytes()).to_string());
    assert!(done["committed_at"].as_str().unwrap().ends_with('Z'));
    assert_eq!((queue(&place, json!({})).len(), queue(&place, json!({"committed": true})).len()), (0, 0));
    assert_eq!(refused(&place, "commit_capture", json!({"capture_id": id, "target_path": "in/U.md"})), "invalid_input");
    // Frontmatter that was caught stays, and gets what is missing.
    let id = enqueue(&place, json!({"content": "---\nown: 1\ntags: [z]\n---\nbody", "tags": ["a"]}));
    unasked(&place, "commit_capture", json!({"capture_id": id, "target_path": "own.md"}));
    assert_eq!(place.text("own.md"), "---\nown: 1\ntags:\n  - a\n---\nbody\n");
    let id = enqueue(&place, json!({"content": "plain"}));
    unasked(&place, "commit_capture", json!({"capture_id": id, "target_path": "plain.md"}));
    assert_eq!(place.text("plain.md"), "plain\n");
}

#[test]
fn a_capture_that_is_kept_says_when_it_became_a_note() {
    let place = Place::new(&[]);
    let id = enqueue(&place, json!({"content": "x"}));
    unasked(&place, "commit_capture", json!({"capture_id": id, "target_path": "a.md", "delete_from_queue": false}));
    let kept = queue(&place, json!({"committed": true}));
    assert_eq!((kept.len(), queue(&place, json!({})).len()), (1, 0));
    assert!(kept[0]["committed_at"].as_str().unwrap().ends_with('Z'));
    let again = place.refused("engine", "commit_capture", json!({"capture_id": id, "target_path": "b.md"}));
    assert_eq!(again.code, "invalid_input");
    assert!(again.message.contains("became a note on"), "{}", again.message);
    assert_eq!(paths(&place), ["a.md"]);
}

#[test]
fn nothing_is_overwritten_and_what_was_not_written_waits_on() {
    let place = Place::new(&[("there.md", "mine")]);
    let id = enqueue(&place, json!({"content": "x"}));
    let code = |target: &str| refused(&place, "commit_capture", json!({"capture_id": id, "target_path": target}));
    assert_eq!(code("there.md"), "note_exists");
    assert_eq!(code("there.md/deeper.md"), "path_invalid");
    assert_eq!(
        (code("../x.md"), code("x.txt"), code("x")),
        ("path_invalid".into(), "invalid_input".into(), "invalid_input".into())
    );
    assert_eq!(code(".trash/x.md"), "acl_denied");
    let outside = place.folder().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, place.on_disk("link")).unwrap();
    assert_eq!(code("link/x.md"), "acl_denied");
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
    let bad = json!({"capture_id": id, "target_path": "b.md", "frontmatter_overrides": {"": 1}});
    assert_eq!(refused(&place, "commit_capture", bad), "invalid_input");
    assert_eq!(refused(&place, "commit_capture", json!({"capture_id": "none", "target_path": "b.md"})), "invalid_input");
    assert_eq!(queue(&place, json!({})).len(), 1);
    // An operator who wants to be asked always sees the note.
    let wanted = json!({"capture_id": id, "target_path": "b.md"});
    let body = failed(&place, Consent::AskAlways, "commit_capture", wanted.clone());
    assert_eq!(body["details"]["proposed_change"]["files"][0]["path"], "b.md");
    unasked(&place, "commit_capture", wanted);
    assert_eq!(place.text("b.md"), "x\n");
}

#[test]
fn of_many_who_commit_the_same_capture_one_does() {
    let place = Arc::new(Place::new(&[]));
    let id = enqueue(&place, json!({"content": "x"}));
    let calls: Vec<_> = (0..6)
        .map(|number| {
            let (place, id) = (place.clone(), id.clone());
            thread::spawn(move || {
                let call = json!({"capture_id": id, "target_path": format!("n{number}.md")});
                matches!(place.call("engine", "commit_capture", call), Answer::Result { is_error: false, .. })
            })
        })
        .collect();
    let done = calls.into_iter().map(|call| call.join().unwrap()).filter(|done| *done).count();
    assert_eq!((done, paths(&place).len()), (1, 1));
}
