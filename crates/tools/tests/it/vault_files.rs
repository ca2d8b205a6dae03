//! The `vault` surface: reading, writing, moving and deleting files.

use quillgate_tools::{Answer, Consent};
use serde_json::{Value, json};

use crate::place::Place;

fn numbered(lines: usize) -> String {
    (1..=lines).map(|line| format!("line {line}\n")).collect()
}

#[test]
fn a_file_is_read_by_lines() {
    let place = Place::new(&[("a.md", &numbered(5))]);
    let read = |arguments| place.done("vault", "vault_read", arguments);
    assert_eq!(
        read(json!({"path": "a.md"})),
        json!({"path": "a.md", "total_lines": 5, "showing": [1, 5], "content": numbered(5)})
    );
    let part = read(json!({"path": "a.md", "offset": 2, "limit": 2}));
    assert_eq!((&part["showing"], &part["content"]), (&json!([2, 3]), &json!("line 2\nline 3")));
    let rest = read(json!({"path": "a.md", "offset": 4, "limit": 99}));
    assert_eq!((&rest["showing"], &rest["content"]), (&json!([4, 5]), &json!("line 4\nline 5\n")));
    for (offset, limit) in [(0, 0), (-1, 0), (6, 0), (1, -1)] {
        let refused = place.refused("vault", "vault_read", json!({"path": "a.md", "offset": offset, "limit": limit}));
        assert_eq!(refused.code, "INVALID_RANGE", "{offset}, {limit}");
    }
}

#[test]
fn a_long_file_is_cut_unless_asked_for() {
    let place = Place::new(&[("long.md", &numbered(201)), ("fits.md", &numbered(200)), ("empty.md", "")]);
    let cut = place.done("vault", "vault_read", json!({"path": "long.md"}));
    assert_eq!((&cut["showing"], &cut["truncated"], &cut["total_lines"]), (&json!([1, 200]), &json!(true), &json!(201)));
    assert!(cut["content"].as_str().unwrap().ends_with("line 200"));
    let asked = place.done("vault", "vault_read", json!({"path": "long.md", "limit": 201}));
    assert_eq!((&asked["showing"], asked.get("truncated")), (&json!([1, 201]), None));
    let on = place.done("vault", "vault_read", json!({"path": "long.md", "offset": 2}));
    assert_eq!((&on["showing"], on.get("truncated")), (&json!([2, 201]), None));
    assert_eq!(place.done("vault", "vault_read", json!({"path": "fits.md"})).get("truncated"), None);
    assert_eq!(place.done("vault", "vault_read", json!({"path": "empty.md"}))["total_lines"], 0);
}

#[test]
fn what_cannot_be_read_is_said_clearly() {
    let place = Place::new(&[("folder/a.md", "x")]);
    place.put("image.png", b"\x89PNG\0\0");
    place.put("latin.md", b"caf\xe9");
    place.put("big.md", vec![b'x'; (1 << 20) + 1]);
    let code = |path: &str| place.refused("vault", "vault_read", json!({"path": path})).code;
    assert_eq!(code("missing.md"), "FILE_NOT_FOUND");
    for path in ["../a.md", ".obsidian/app.json", "folder"] {
        assert_eq!(code(path), "PATH_NOT_ALLOWED", "{path}");
    }
    assert_eq!((code("image.png"), code("latin.md")), ("NOT_TEXT".to_owned(), "NOT_TEXT".to_owned()));
    assert_eq!(code("big.md"), "TOO_LARGE");
}

#[test]
fn a_file_is_written_whole() {
    let place = Place::new(&[("taken", "a file")]);
    let written = place.done("vault", "vault_write", json!({"path": "new/a.md", "content": "ä\nb\n"}));
    assert_eq!(written, json!({"path": "new/a.md", "created": true, "size": 5, "total_lines": 2}));
    assert_eq!(place.done("vault", "vault_write", json!({"path": "new/a.md", "content": ""}))["created"], false);
    assert_eq!(place.text("new/a.md"), "");
    let code = |path: &str, create_dirs: bool| {
        place.refused("vault", "vault_write", json!({"path": path, "content": "x", "create_dirs": create_dirs})).code
    };
    assert_eq!(code("other/b.md", false), "FILE_NOT_FOUND");
    assert_eq!(code(".obsidian/app.json", true), "PATH_NOT_ALLOWED");
    assert_eq!(code("taken/b.md", true), "PATH_NOT_ALLOWED");
    assert_eq!(code("new", true), "PATH_NOT_ALLOWED");
    let content = "x".repeat((1 << 20) + 1);
    assert_eq!(place.refused("vault", "vault_write", json!({"path": "big.md", "content": content})).code, "TOO_LARGE");
}

#[test]
fn a_passage_is_replaced_when_it_is_unique() {
    let place = Place::new(&[("a.md", "one two one\n  three\n")]);
    let edit = |old: &str, new: &str| json!({"path": "a.md", "old_text": old, "new_text": new});
    let edited = place.done("vault", "vault_edit", edit("two one\n  ", "2\n"));
    assert_eq!(edited, json!({"path": "a.md", "replaced": true, "total_lines": 2}));
    assert_eq!(place.text("a.md"), "one 2\nthree\n");
    let refused = place.refused("vault", "vault_edit", edit("four", ""));
    assert_eq!((refused.code.as_str(), refused.message.as_str()), ("TEXT_NOT_FOUND", "Text not found in file"));
    let refused = place.refused("vault", "vault_edit", edit("e", "x"));
    assert_eq!(
        (refused.code.as_str(), refused.message.as_str()),
        ("TEXT_NOT_UNIQUE", "Text appears 3 times in file, must be unique")
    );
    assert_eq!(place.refused("vault", "vault_edit", edit("", "x")).code, "INVALID_INPUT");
    let missing = json!({"path": "b.md", "old_text": "a", "new_text": "b"});
    assert_eq!(place.refused("vault", "vault_edit", missing).code, "FILE_NOT_FOUND");
    assert_eq!(place.text("a.md"), "one 2\nthree\n");
}

#[test]
fn windows_newlines_and_byte_order_marks_survive() {
    let place = Place::new(&[("a.md", "\u{feff}one\r\ntwo\r\nthree\r\n")]);
    assert_eq!(place.done("vault", "vault_read", json!({"path": "a.md"}))["content"], "one\ntwo\nthree\n");
    place.done("vault", "vault_edit", json!({"path": "a.md", "old_text": "one\ntwo", "new_text": "1\n2"}));
    assert_eq!(place.text("a.md"), "\u{feff}1\r\n2\r\nthree\r\n");
    place.done("vault", "vault_write", json!({"path": "a.md", "content": "all\nnew\n"}));
    assert_eq!(place.text("a.md"), "\u{feff}all\r\nnew\r\n");
    place.done("cli", "obsidian_append_note", json!({"path": "a.md", "content": "last\nline"}));
    assert_eq!(place.text("a.md"), "\u{feff}all\r\nnew\r\nlast\r\nline");
    place.done("cli", "obsidian_prepend_note", json!({"path": "a.md", "content": "first"}));
    assert_eq!(place.text("a.md"), "\u{feff}first\r\nall\r\nnew\r\nlast\r\nline");
    place.done("notes", "note_upsert", json!({"path": "a.md", "content": "x\ny"}));
    assert_eq!(place.text("a.md"), "\u{feff}first\r\nall\r\nnew\r\nlast\r\nline\r\nx\r\ny");
}

#[test]
fn files_are_deleted_each_on_its_own() {
    let place = Place::new(&[("a.md", "a"), ("folder/b.md", "b"), ("x/a.md", "other a")]);
    let paths = json!({"paths": ["a.md", "missing.md", "folder", "../x", "x/a.md"]});
    let results = place.done("vault", "vault_delete", paths)["results"].clone();
    let outcome: Vec<(bool, &str)> =
        (0..5).map(|at| (results[at]["ok"] == true, results[at]["error"]["code"].as_str().unwrap_or(""))).collect();
    assert_eq!(
        outcome,
        [(true, ""), (false, "FILE_NOT_FOUND"), (false, "PATH_NOT_ALLOWED"), (false, "PATH_NOT_ALLOWED"), (true, "")]
    );
    assert_eq!((place.text(".trash/a.md"), place.text(".trash/a 1.md")), ("a".to_owned(), "other a".to_owned()));
    assert_eq!(place.refused("vault", "vault_delete", json!({"paths": []})).code, "INVALID_INPUT");
    assert_eq!(place.done("vault", "vault_list_all", json!({}))["total_files"], 1);
}

#[test]
fn a_moved_file_takes_its_links_along() {
    let place = Place::new(&[("a.md", "x"), ("links.md", "[[a]] and [x](a.md)"), ("taken.md", "")]);
    let moved = place.done("vault", "vault_move", json!({"source": "a.md", "destination": "b/c.md"}));
    assert_eq!(moved, json!({"source": "a.md", "destination": "b/c.md", "links_updated": 2}));
    assert_eq!(place.text("links.md"), "[[c]] and [x](c.md)");
    let code = |source: &str, destination: &str| {
        place.refused("vault", "vault_move", json!({"source": source, "destination": destination})).code
    };
    assert_eq!(code("b/c.md", "taken.md"), "CONFLICT");
    assert_eq!(code("a.md", "d.md"), "FILE_NOT_FOUND");
    assert_eq!(code("b", "d"), "PATH_NOT_ALLOWED");
    assert_eq!(code("b/c.md", "../c.md"), "PATH_NOT_ALLOWED");
    assert_eq!(code("b/c.md", "C#.md"), "INVALID_INPUT");
    assert_eq!(place.text("links.md"), "[[c]] and [x](c.md)");
}

#[test]
fn a_copied_file_keeps_its_meaning() {
    let place = Place::new(&[("a/a.md", "[[./x]]"), ("a/x.md", ""), ("taken.md", "")]);
    let copied = place.done("vault", "vault_copy", json!({"source": "a/a.md", "destination": "copy.md"}));
    assert_eq!(copied, json!({"source": "a/a.md", "destination": "copy.md", "size": 9}));
    assert_eq!((place.text("copy.md"), place.text("a/a.md")), ("[[./a/x]]".to_owned(), "[[./x]]".to_owned()));
    let code = |source: &str, destination: &str| {
        place.refused("vault", "vault_copy", json!({"source": source, "destination": destination})).code
    };
    assert_eq!(code("a/a.md", "taken.md"), "CONFLICT");
    assert_eq!(code("missing.md", "b.md"), "FILE_NOT_FOUND");
    assert_eq!(code("a", "b"), "PATH_NOT_ALLOWED");
}

#[test]
fn an_operator_who_demands_agreement_sees_what_would_change() {
    let place = Place::new(&[("a.md", "old\n"), ("b.md", "[[a]]\n")]);
    let ask = |tool: &str, arguments: Value| {
        let is_asked = |answer: &Answer| matches!(answer, Answer::Result { structured: Some(body), is_error: true, .. } if body["error"]["code"] == "CONFIRMATION_REQUIRED");
        let answer = place.call_with(Consent::AskAlways, "vault", tool, arguments.clone());
        assert!(is_asked(&answer), "{tool}: {answer:?}");
        assert_eq!((place.text("a.md"), place.text("b.md")), ("old\n".to_owned(), "[[a]]\n".to_owned()), "{tool}");
        let answer = place.call_with(Consent::AskIfNeeded, "vault", tool, arguments);
        assert!(!is_asked(&answer), "{tool} does not ask of its own accord: {answer:?}");
    };
    ask("vault_copy", json!({"source": "a.md", "destination": "c.md"}));
    ask("vault_edit", json!({"path": "c.md", "old_text": "old", "new_text": "new"}));
    ask("vault_write", json!({"path": "c.md", "content": "other"}));
    ask("vault_move", json!({"source": "c.md", "destination": "d/c.md"}));
    assert_eq!(place.text("d/c.md"), "other");
    for tool in ["vault_write", "vault_edit", "vault_move", "vault_copy"] {
        assert!(quillgate_tools::find_surface("vault").unwrap().find(tool).unwrap().plans(), "{tool}");
    }
}
