//! The journals of the `notes` surface: decisions and logs.

use std::thread;

use serde_json::{Value, json};

use crate::place::Place;

/// Dates are those of the day the test runs.
fn undated(text: &str) -> String {
    let mut shown = text.to_owned();
    let is_date = |window: &[u8]| {
        window.iter().enumerate().all(|(at, byte)| if at == 4 || at == 7 { *byte == b'-' } else { byte.is_ascii_digit() })
    };
    while let Some(at) = shown.as_bytes().windows(10).position(is_date) {
        shown.replace_range(at..at + 10, "DATE");
    }
    shown
}

#[test]
fn a_decision_gets_the_next_number_and_a_row() {
    let place = Place::new(&[("adr/ADR-007-old.md", "")]);
    let write = |arguments: Value| place.done("notes", "adr_write", arguments);
    let first = write(json!({"title": "Use SQLite | not\nPostgres", "body": "Because.\n", "project": "x", "related": ["[[a]]"]}));
    assert_eq!(first, json!({"path": "adr/ADR-008-use-sqlite-not-postgres.md", "number": 8}));
    let second = write(json!({"title": "Später", "body": "…", "status": "proposed"}));
    assert_eq!(second["number"], 9);
    insta::assert_snapshot!(undated(&place.text("adr/ADR-008-use-sqlite-not-postgres.md")), @r###"
    ---
    tags:
      - adr
      - accepted
    adr: 8
    date: DATE
    status: accepted
    project: x
    related:
      - "[[a]]"
    ---

    # Use SQLite | not Postgres

    Because.
    "###);
    insta::assert_snapshot!(undated(&place.text("_index.md")), @r###"
    # Decisions

    | ADR | Title | Status | Date |
    | --- | --- | --- | --- |
    | [[ADR-008-use-sqlite-not-postgres]] | Use SQLite \| not Postgres | accepted | DATE |
    | [[ADR-009-später]] | Später | proposed | DATE |
    "###);
    assert_eq!(place.refused("notes", "adr_write", json!({"title": "…", "body": ""})).code, "invalid_input");
    assert_eq!(place.refused("notes", "adr_write", json!({"title": "x", "body": "", "status": "maybe"})).code, "invalid_input");
}

#[test]
fn decisions_made_at_once_get_numbers_of_their_own() {
    let place = Place::new(&[]);
    let numbers = thread::scope(|scope| {
        let write = |number: usize| {
            place.done("notes", "adr_write", json!({"title": format!("Decision {number}"), "body": "x"}))["number"].clone()
        };
        let writers: Vec<_> = (0..6).map(|number| scope.spawn(move || write(number))).collect();
        let mut numbers: Vec<u64> = writers.into_iter().map(|writer| writer.join().unwrap().as_u64().unwrap()).collect();
        numbers.sort_unstable();
        numbers
    });
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6]);
    assert_eq!(place.text("_index.md").lines().filter(|line| line.contains("[[ADR-")).count(), 6);
}

#[test]
fn a_log_is_created_and_then_appended_to() {
    let place = Place::new(&[]);
    let append =
        |entry: &str| place.done("notes", "devlog_append", json!({"topic": "Build System", "entry": entry, "project": "x"}));
    assert_eq!(append("First."), json!({"path": "devlog/build-system.md", "created": true}));
    let created = place.text("devlog/build-system.md");
    place.put("devlog/build-system.md", created.replace("updated: 2", "updated: 1"));
    assert_eq!(append("Second.\n\n- x\n"), json!({"path": "devlog/build-system.md", "created": false}));
    let text = undated(&place.text("devlog/build-system.md"));
    let times = regex::Regex::new(r"\d\d:\d\d").unwrap();
    insta::assert_snapshot!(times.replace_all(&text, "TIME"), @r###"
    ---
    tags:
      - devlog
    topic: build-system
    project: x
    created: DATE
    updated: DATE
    ---

    ## DATE TIME

    First.

    ## DATE TIME

    Second.

    - x
    "###);
    assert_eq!(place.refused("notes", "devlog_append", json!({"topic": "///", "entry": "x"})).code, "invalid_input");
}
