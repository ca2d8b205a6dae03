//! The `engine` surface: Kanban boards.

use quillgate_tools::Consent;
use serde_json::{Value, json};

use crate::asking::{failed, refused, unasked, without_effect};
use crate::place::Place;

const BOARD: &str = "---\n\nkanban-plugin: board\n\n---\n\n## To do (3)\n\n- [ ] paint the lamp #work @{2024-01-05} @@{10:00} ^abc\n- [ ] order [[oil]]\n\twith a note\n- [/] order rope\n\n\n## Done\n\n**Complete**\n- [x] sweep\n\n\n## Later\n\n\n\n***\n\n## Archive\n\n- [x] old\n\n%% kanban:settings\n```\n{\"kanban-plugin\":\"board\",\"new-card-insertion-method\":\"prepend\"}\n```\n%%";

fn place() -> Place {
    Place::new(&[
        ("Boards/Work.md", BOARD),
        ("Basic.md", "---\nkanban-plugin: basic\n---\n## A\n\n- [ ] x\n"),
        ("note.md", "## To do\n\n- [ ] x\n"),
    ])
}

fn message(place: &Place, tool: &str, arguments: Value) -> String {
    let body = failed(place, Consent::Standing, tool, arguments);
    assert_eq!(body["code"], "invalid_input");
    body["message"].as_str().unwrap().to_owned()
}

#[test]
fn boards_are_listed_and_read() {
    let place = place();
    let listed = without_effect(&place, "list_kanban_boards", json!({}));
    assert_eq!((&listed["total_count"], &listed["items"][0]["path"]), (&json!(2), &json!("Basic.md")));
    assert_eq!(
        listed["items"][1]["lanes"],
        json!([{"title": "To do", "card_count": 3}, {"title": "Done", "card_count": 1}, {"title": "Later", "card_count": 0}])
    );
    assert_eq!(without_effect(&place, "list_kanban_boards", json!({"root": "Boards"}))["total_count"], 1);
    let board = without_effect(&place, "read_kanban_board", json!({"path": "Boards/Work.md"}));
    let lane = &board["lanes"][0];
    assert_eq!(
        (&lane["title"], &lane["max"], &lane["is_complete"], &lane["line"]),
        (&json!("To do"), &json!(3), &json!(false), &json!(7))
    );
    let expected = json!({
        "text": "paint the lamp #work @{2024-01-05} @@{10:00}", "checked": false, "dates": ["2024-01-05"], "times": ["10:00"],
        "tags": ["work"], "block_id": "abc", "line": 9
    });
    assert_eq!(lane["cards"][0], expected);
    assert_eq!(lane["cards"][1]["text"], "order [[oil]]\nwith a note");
    assert_eq!((&lane["cards"][2]["checked"], &lane["cards"][2]["mark"]), (&json!(true), &json!("/")));
    assert_eq!(
        (&board["lanes"][1]["is_complete"], &board["archive_count"], board.get("archive")),
        (&json!(true), &json!(1), None)
    );
    assert_eq!(board["settings"]["kanban-plugin"], "board");
    let whole = without_effect(&place, "read_kanban_board", json!({"path": "Boards/Work.md", "include_archive": true}));
    assert_eq!(whole["archive"][0]["text"], "old");
    assert!(message(&place, "read_kanban_board", json!({"path": "note.md"})).contains("no Kanban board"));
    assert_eq!(refused(&place, "read_kanban_board", json!({"path": "gone.md"})), "note_not_found");
}

#[test]
fn a_card_is_added_and_nothing_else_changes() {
    let place = place();
    let added = unasked(&place, "add_kanban_card", json!({"path": "Boards/Work.md", "lane": "to DO", "text": "new\nsecond"}));
    assert_eq!((&added["lane"], &added["line"]), (&json!("To do"), &json!(9)));
    let expected = BOARD.replace("- [ ] paint", "- [ ] new\n\tsecond\n- [ ] paint");
    assert_eq!(place.text("Boards/Work.md"), expected);
    unasked(&place, "add_kanban_card", json!({"path": "Boards/Work.md", "lane": "Done", "text": "swept", "position": "bottom"}));
    let expected = expected.replace("- [x] sweep\n", "- [x] sweep\n- [x] swept\n");
    assert_eq!(place.text("Boards/Work.md"), expected);
    unasked(&place, "add_kanban_card", json!({"path": "Boards/Work.md", "lane": "Later", "text": "one", "position": "3"}));
    assert_eq!(place.text("Boards/Work.md"), expected.replace("## Later\n\n", "## Later\n\n- [ ] one\n"));
    let said = message(&place, "add_kanban_card", json!({"path": "Boards/Work.md", "lane": "Doing", "text": "x"}));
    assert!(said.contains("there are To do, Done, Later"), "{said}");
    assert_eq!(
        refused(&place, "add_kanban_card", json!({"path": "Boards/Work.md", "lane": "Done", "text": " "})),
        "invalid_input"
    );
    assert_eq!(
        refused(&place, "add_kanban_card", json!({"path": "Boards/Work.md", "lane": "Done", "text": "x", "position": "0"})),
        "invalid_input"
    );
    assert_eq!(refused(&place, "add_kanban_card", json!({"path": "note.md", "lane": "To do", "text": "x"})), "invalid_input");
    let stale = json!({"path": "Boards/Work.md", "lane": "Done", "text": "x", "expected_hash": "0".repeat(64)});
    assert_eq!(refused(&place, "add_kanban_card", stale), "concurrent_modification");
}

#[test]
fn a_card_is_moved_with_all_its_lines() {
    let place = place();
    let moved = unasked(
        &place,
        "move_kanban_card",
        json!({"path": "Boards/Work.md", "text": "oil", "to_lane": "Done", "position": "top"}),
    );
    assert_eq!(
        (&moved["from_lane"], &moved["to_lane"], &moved["card"]),
        (&json!("To do"), &json!("Done"), &json!("order [[oil]]\nwith a note"))
    );
    let expected = BOARD
        .replace("- [ ] order [[oil]]\n\twith a note\n", "")
        .replace("- [x] sweep", "- [x] order [[oil]]\n\twith a note\n- [x] sweep");
    assert_eq!(place.text("Boards/Work.md"), expected);
    unasked(&place, "move_kanban_card", json!({"path": "Boards/Work.md", "line": 16, "to_lane": "To do", "position": "2"}));
    let back = BOARD;
    assert_eq!(place.text("Boards/Work.md"), back);
    without_effect(&place, "move_kanban_card", json!({"path": "Boards/Work.md", "text": "sweep", "to_lane": "Done"}));
    for (arguments, words) in [
        (json!({"text": "order", "to_lane": "Done"}), "fits the cards on the lines 10, 12"),
        (json!({"text": "nothing", "to_lane": "Done"}), "\"order rope\" (line 12)"),
        (json!({"line": 11, "to_lane": "Done"}), "no card begins there"),
        (json!({"to_lane": "Done"}), "line is required, or text"),
        (json!({"line": 9, "text": "x", "to_lane": "Done"}), "excludes line"),
        (json!({"line": 9, "to_lane": "Nowhere"}), "there is no such lane"),
    ] {
        let mut arguments = arguments;
        arguments["path"] = json!("Boards/Work.md");
        let said = message(&place, "move_kanban_card", arguments);
        assert!(said.contains(words), "{said}");
    }
    assert_eq!(place.text("Boards/Work.md"), back);
}
