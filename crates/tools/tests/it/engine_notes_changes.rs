//! The `engine` surface: adding to notes and changing parts of them.

use std::thread;

use quillgate_tools::{Answer, Call, Consent, Failure, find_surface};
use quillgate_vault::ContentHash;
use serde_json::{Value, json};

use crate::place::Place;

const NOTE: &str = "---\ntags: [a]\n---\n# Goals\none\n\n## Spring\nplant ^p\n\n# Log\nlast";

fn hash(text: &str) -> String {
    ContentHash::of(text.as_bytes()).to_string()
}

/// What a note is after one call of a tool.
#[track_caller]
fn after(tool: &str, before: &str, arguments: Value) -> String {
    let place = Place::new(&[("n.md", before)]);
    let mut all = json!({"path": "n.md"});
    all.as_object_mut().unwrap().extend(arguments.as_object().unwrap().clone());
    if tool == "append_note" {
        all["idempotency_key"] = json!("key");
    }
    let answer = place.answer(tool, all);
    let text = place.text("n.md");
    assert_eq!(answer["content_hash"], hash(&text));
    assert!(answer["updated_at"].as_str().unwrap().ends_with('Z'));
    if tool == "append_note" {
        assert_eq!(answer["inserted_bytes"], text.len() - before.len());
    }
    text
}

#[test]
fn text_is_added_at_either_end() {
    let append = |before: &str, arguments: Value| after("append_note", before, arguments);
    assert_eq!(append("a", json!({"content": "b"})), "a\nb");
    assert_eq!(append("a\n", json!({"content": "b\n"})), "a\nb\n");
    assert_eq!(append("a", json!({"content": "b", "ensure_newline": false})), "ab");
    let start = |before: &str, more: Value| {
        let mut arguments = json!({"content": "x", "position": "start"});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        append(before, arguments)
    };
    assert_eq!(start(NOTE, json!({})), NOTE.replace("# Goals", "x\n# Goals"));
    assert_eq!(start(NOTE, json!({"ensure_newline": false})), NOTE.replace("# Goals", "x# Goals"));
    assert_eq!(start(NOTE, json!({"after_frontmatter": false})), format!("x\n{NOTE}"));
    assert_eq!(start("\u{feff}a\r\n", json!({"after_frontmatter": false})), "\u{feff}x\r\na\r\n");
    assert_eq!(append("\u{feff}a\r\nb", json!({"content": "c\nd\n"})), "\u{feff}a\r\nb\r\nc\r\nd\r\n");
}

#[test]
fn text_is_added_to_the_section_of_a_heading() {
    let append = |arguments: Value| after("append_note", NOTE, arguments);
    assert_eq!(append(json!({"content": "x", "heading": "Goals"})), NOTE.replace("^p\n", "^p\nx\n"));
    assert_eq!(
        append(json!({"content": "x", "heading": "Goals", "position": "start"})),
        NOTE.replace("# Goals\n", "# Goals\nx\n")
    );
    assert_eq!(append(json!({"content": "x", "heading": "Log"})), format!("{NOTE}\nx"));
    let place = Place::new(&[("n.md", NOTE), ("c.canvas", "{}")]);
    let refused = |path: &str, heading: Option<&str>| {
        let arguments = json!({"path": path, "content": "x", "heading": heading, "idempotency_key": "k"});
        place.refused("engine", "append_note", arguments)
    };
    let missing = refused("n.md", Some("Plan"));
    assert_eq!((missing.code.as_str(), missing.message.contains("its headings are")), ("invalid_input", true));
    assert_eq!(refused("none.md", None).code, "note_not_found");
    assert_eq!(refused("c.canvas", None).code, "invalid_input");
    assert_eq!(refused("../n.md", None).code, "path_invalid");
    let without_key = place.refused("engine", "append_note", json!({"path": "n.md", "content": "x"}));
    assert!(without_key.code == "invalid_input" && without_key.message.contains("idempotency_key"), "{without_key:?}");
    assert_eq!(place.text("n.md"), NOTE);
}

#[test]
fn many_writers_at_once_lose_nothing() {
    const WRITERS: usize = 8;
    const EACH: usize = 25;
    let place = Place::new(&[("n.md", "start\n")]);
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let place = &place;
            scope.spawn(move || {
                for number in 0..EACH {
                    let content = format!("{writer}-{number}\n");
                    place.answer("append_note", json!({"path": "n.md", "content": content, "idempotency_key": "k"}));
                }
            });
        }
    });
    let text = place.text("n.md");
    assert_eq!(text.lines().count(), 1 + WRITERS * EACH);
    for writer in 0..WRITERS {
        let own: Vec<&str> = text.lines().filter(|line| line.starts_with(&format!("{writer}-"))).collect();
        let expected: Vec<String> = (0..EACH).map(|number| format!("{writer}-{number}")).collect();
        assert_eq!(own, expected, "each writer's lines are there once, in order");
    }
}

#[test]
fn a_note_is_created_once_however_many_try() {
    let place = Place::new(&[]);
    let write = |content: String| {
        let arguments = json!({"path": "n.md", "content": content, "mode": "create"});
        place.call_with(Consent::AskIfNeeded, "engine", "write_note", arguments)
    };
    let outcomes: Vec<Answer> = thread::scope(|scope| {
        let writers: Vec<_> = (0..8).map(|number| scope.spawn(move || write(format!("{number}")))).collect();
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    let is_done = |answer: &&Answer| matches!(answer, Answer::Result { is_error: false, .. });
    let is_taken =
        |answer: &&Answer| matches!(answer, Answer::Result { structured: Some(body), .. } if body["code"] == "note_exists");
    assert_eq!((outcomes.iter().filter(is_done).count(), outcomes.iter().filter(is_taken).count()), (1, 7));
}

#[test]
fn a_passage_is_replaced_as_often_as_expected() {
    let patch = |before: &str, arguments: Value| after("patch_note", before, arguments);
    assert_eq!(patch("a b c", json!({"old_string": "b", "new_string": "$0"})), "a $0 c");
    assert_eq!(patch("a b a", json!({"old_string": "a", "new_string": "", "expected_occurrences": 2})), " b ");
    assert_eq!(patch("\u{feff}a\r\nb\r\n", json!({"old_string": "a\nb", "new_string": "x\ny"})), "\u{feff}x\r\ny\r\n");
    let place = Place::new(&[("n.md", "a b a\n")]);
    let message = |old: &str, times: usize| {
        let arguments = json!({"path": "n.md", "old_string": old, "new_string": "x", "expected_occurrences": times});
        let refused = place.refused("engine", "patch_note", arguments);
        assert_eq!(refused.code, "invalid_input");
        refused.message
    };
    assert!(message("a", 1).contains("2 times") && message("a", 3).contains("2 times"));
    assert!(message("z", 1).contains("not in n.md"));
    let done =
        place.answer("patch_note", json!({"path": "n.md", "old_string": "a", "new_string": "x", "expected_occurrences": 2}));
    assert_eq!((&done["occurrences_replaced"], &done["path"]), (&json!(2), &json!("n.md")));
    assert_eq!(place.text("n.md"), "x b x\n");
}

#[test]
fn a_part_is_changed_by_its_anchor() {
    let patch = |kind: &str, value: &str, operation: &str, content: &str| {
        let arguments = json!({"anchor": {"type": kind, "value": value}, "operation": operation, "content": content});
        after("patch_note", NOTE, arguments)
    };
    assert_eq!(patch("heading", "Spring", "append", "x"), NOTE.replace("^p\n", "^p\nx\n"));
    assert_eq!(patch("heading", "Goals#Spring", "prepend", "x"), NOTE.replace("Spring\n", "Spring\nx\n"));
    assert_eq!(patch("heading", "Spring", "replace", "x"), NOTE.replace("plant ^p", "x"));
    assert_eq!(patch("block", "^P", "append", "x"), NOTE.replace("plant ^p", "plant\nx ^p"));
    assert_eq!(patch("block", "p", "prepend", "x"), NOTE.replace("plant ^p", "x\nplant ^p"));
    assert_eq!(patch("block", "p", "replace", "x"), NOTE.replace("plant ^p", "x ^p"));
    assert_eq!(patch("frontmatter", "tags", "append", "b"), NOTE.replace("[a]", "[a, b]"));
    assert_eq!(patch("frontmatter", "tags", "prepend", "[b, c]"), NOTE.replace("tags: [a]", "tags:\n  - b\n  - c\n  - a"));
    assert_eq!(patch("frontmatter", "Tags", "replace", "5"), NOTE.replace("[a]", "5"));
    assert_eq!(patch("frontmatter", "new", "append", "true"), NOTE.replace("[a]\n", "[a]\nnew: true\n"));
    let text = "---\na: one # c\nb: 5\n---\n";
    let appended = json!({"anchor": {"type": "frontmatter", "value": "a"}, "content": " two"});
    assert_eq!(after("patch_note", text, appended), text.replace("one", "one two"));
    let place = Place::new(&[("n.md", text), ("t.txt", "# H\n")]);
    let refused = |path: &str, anchor: Value| {
        let arguments = json!({"path": path, "anchor": anchor, "operation": "append", "content": "x"});
        place.refused("engine", "patch_note", arguments).message
    };
    assert!(refused("n.md", json!({"type": "frontmatter", "value": "b"})).contains("operation replace"));
    assert!(refused("n.md", json!({"type": "block", "value": "none"})).contains("no block ids"));
    assert!(refused("t.txt", json!({"type": "frontmatter", "value": "a"})).contains("not a Markdown note"));
    assert!(refused("n.md", json!({"type": "line", "value": "1"})).contains("expected one of"));
}

#[test]
fn the_two_ways_to_patch_do_not_mix() {
    let place = Place::new(&[("n.md", NOTE)]);
    let anchor = json!({"type": "heading", "value": "Log"});
    for arguments in [
        json!({}),
        json!({"old_string": "one"}),
        json!({"new_string": "x"}),
        json!({"old_string": "", "new_string": "x"}),
        json!({"old_string": "one", "new_string": "x", "anchor": anchor}),
        json!({"old_string": "one", "new_string": "x", "content": "y"}),
        json!({"old_string": "one", "new_string": "x", "operation": "append"}),
        json!({"old_string": "one", "new_string": "x", "expected_occurrences": 0}),
        json!({"anchor": anchor}),
        json!({"anchor": anchor, "content": "x", "new_string": "y"}),
        json!({"anchor": anchor, "content": "x", "expected_occurrences": 1}),
        json!({"anchor": {"type": "heading"}, "content": "x"}),
    ] {
        let mut arguments = arguments;
        arguments["path"] = json!("n.md");
        assert_eq!(place.code("patch_note", arguments.clone()), "invalid_input", "{arguments}");
    }
    assert_eq!(place.text("n.md"), NOTE);
}

#[test]
fn replacing_across_a_heading_asks() {
    let place = Place::new(&[("n.md", NOTE)]);
    let passage = |old: &str, new: &str| place.asked("patch_note", json!({"path": "n.md", "old_string": old, "new_string": new}));
    let asked = passage("one\n\n## Spring\nplant", "x").unwrap();
    assert_eq!(asked["reasons"], json!(["what it replaces crosses the heading \"Spring\""]));
    assert_eq!(asked["files"][0]["path"], "n.md");
    assert_eq!(place.text("n.md"), NOTE);
    let section =
        json!({"path": "n.md", "anchor": {"type": "heading", "value": "Goals"}, "operation": "replace", "content": "x"});
    assert!(place.asked("patch_note", section).is_some(), "the section has a sub-heading");
    assert!(passage("last", "LAST").is_none());
    let inner = json!({"path": "n.md", "anchor": {"type": "heading", "value": "Spring"}, "operation": "replace", "content": "x"});
    assert!(place.asked("patch_note", inner).is_none());
    let added = json!({"path": "n.md", "anchor": {"type": "heading", "value": "Goals"}, "content": "# New\n"});
    assert!(place.asked("patch_note", added).is_none(), "nothing is replaced");
}

#[test]
fn a_version_that_is_not_the_expected_one_stays() {
    let place = Place::new(&[("n.md", "one\n")]);
    let patch = |expected: &str| json!({"path": "n.md", "old_string": "one", "new_string": "two", "expected_hash": expected});
    assert_eq!(place.code("patch_note", patch(&hash("other"))), "concurrent_modification");
    assert_eq!(place.text("n.md"), "one\n");
    place.answer("patch_note", patch(&hash("one\n")));
    assert_eq!(place.text("n.md"), "two\n");
}

#[test]
fn an_agreement_holds_for_the_change_that_was_shown_and_for_no_other() {
    let place = Place::new(&[("n.md", "full\n")]);
    let arguments = json!({"path": "n.md", "content": "new\n", "mode": "overwrite"});
    let engine = find_surface("engine").unwrap();
    let with = |consent: Consent| {
        let call = Call::default().with_consent(consent);
        place.run(engine, engine.find("write_note").unwrap(), arguments.clone(), &call)
    };
    let Err(Failure::ConfirmationNeeded(proposal)) = with(Consent::AskIfNeeded) else { panic!("asked") };
    place.put("n.md", "somebody was here\n");
    let Err(Failure::ConfirmationNeeded(other)) = with(Consent::Given(proposal.digest.clone())) else { panic!("asked again") };
    assert_eq!(place.text("n.md"), "somebody was here\n");
    assert_ne!(other.digest, proposal.digest);
    assert!(with(Consent::Given(other.digest)).is_ok());
    assert_eq!(place.text("n.md"), "new\n");
}

#[test]
fn whoever_writes_last_replaces_what_others_wrote_at_the_same_time() {
    let place = Place::new(&[]);
    thread::scope(|scope| {
        for number in 0..8 {
            let place = &place;
            scope.spawn(move || {
                place.answer("write_note", json!({"path": "n.md", "content": format!("{number}\n"), "mode": "upsert"}));
            });
        }
    });
    assert_eq!(place.text("n.md").trim().len(), 1);
}

#[test]
fn a_change_that_would_grow_out_of_hand_is_refused() {
    let place = Place::new(&[("n.md", &"x".repeat(10_000))]);
    let huge = json!({"path": "n.md", "old_string": "x", "new_string": "y".repeat(10_000), "expected_occurrences": 10_000});
    assert_eq!(place.code("patch_note", huge), "overflow");
    let many: Value = (0..501).map(|number| (format!("k{number}"), json!(1))).collect::<serde_json::Map<_, _>>().into();
    let code = |tool: &str, arguments: Value| place.code(tool, arguments);
    assert_eq!(code("update_frontmatter", json!({"path": "n.md", "mode": "merge", "patch": many})), "invalid_input");
    assert_eq!(code("update_frontmatter", json!({"path": "n.md", "mode": "replace", "frontmatter": many})), "invalid_input");
    assert_eq!(code("write_note", json!({"path": "m.md", "content": "", "frontmatter": many})), "invalid_input");
}
