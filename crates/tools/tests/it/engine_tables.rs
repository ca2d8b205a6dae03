//! The `engine` surface: tables in notes.

use quillgate_tools::Consent;
use serde_json::{Value, json};

use crate::asking::{failed, refused, unasked, without_effect};
use crate::place::Place;

const NOTE: &str =
    "# Stock\n\n|Name|Count|\n|:--|--:|\n|rope|10|\n|[[Oil\\|lamp oil]]|9|\n\n## Other\n\n| a |\n|---|\n| 1 |\n\nend\n";

fn place() -> Place {
    Place::new(&[("note.md", NOTE), ("one.md", "|a|b|\r\n|-|-|\r\n|1|2|\r\n"), ("none.md", "no table\n"), ("board.canvas", "{}")])
}

fn message(place: &Place, tool: &str, arguments: Value) -> String {
    let body = failed(place, Consent::Standing, tool, arguments);
    assert_eq!(body["code"], "invalid_input");
    body["message"].as_str().unwrap().to_owned()
}

#[test]
fn a_table_is_formatted_and_nothing_else_changes() {
    let place = place();
    let done = unasked(&place, "format_table", json!({"path": "note.md", "table": {"heading": "stock"}}));
    assert_eq!((&done["line"], &done["columns"], &done["row_count"]), (&json!(3), &json!(["Name", "Count"]), &json!(2)));
    let expected = "| Name              | Count |\n| :---------------- | ----: |\n| rope              |    10 |\n| [[Oil\\|lamp oil]] |     9 |\n";
    assert_eq!(place.text("note.md"), NOTE.replace("|Name|Count|\n|:--|--:|\n|rope|10|\n|[[Oil\\|lamp oil]]|9|\n", expected));
    without_effect(&place, "format_table", json!({"path": "note.md", "table": {"line": 4}}));
    unasked(&place, "format_table", json!({"path": "one.md"}));
    assert_eq!(place.text("one.md"), "| a   | b   |\r\n| --- | --- |\r\n| 1   | 2   |\r\n");
}

#[test]
fn rows_and_columns_are_inserted() {
    let place = place();
    let row = json!({"path": "note.md", "table": {"index": 1}, "cells": ["a|b", "3"], "at": 2});
    assert_eq!(unasked(&place, "insert_table_row", row)["row_count"], 3);
    let expected = NOTE.replace("|rope|10|\n", "|rope|10|\n| a\\|b              |     3 |\n");
    assert_eq!(place.text("note.md"), expected);
    let column =
        json!({"path": "note.md", "table": {"heading": "Other"}, "name": "b", "cells": ["2"], "at": 1, "align": "right"});
    assert_eq!(unasked(&place, "insert_table_column", column)["columns"], json!(["b", "a"]));
    assert_eq!(place.text("note.md"), expected.replace("| a |\n|---|\n| 1 |", "|   b | a   |\n| --: | --- |\n|   2 | 1   |"));
    unasked(&place, "insert_table_row", json!({"path": "one.md", "cells": []}));
    assert_eq!(place.text("one.md"), "|a|b|\r\n|-|-|\r\n|1|2|\r\n|     |     |\r\n");
}

#[test]
fn rows_are_sorted_by_a_column() {
    let place = place();
    let sort = |column: &str, order: &str| json!({"path": "note.md", "table": {"index": 1}, "column": column, "order": order});
    unasked(&place, "sort_table_by_column", sort("count", "asc"));
    let sorted = NOTE.replace("|rope|10|\n|[[Oil\\|lamp oil]]|9|", "|[[Oil\\|lamp oil]]|9|\n|rope|10|");
    assert_eq!(place.text("note.md"), sorted);
    without_effect(&place, "sort_table_by_column", sort("1", "asc"));
    unasked(&place, "sort_table_by_column", sort("Name", "desc"));
    assert_eq!(place.text("note.md"), NOTE);
    assert!(message(&place, "sort_table_by_column", sort("Price", "asc")).contains("there are Name, Count"));
    let numbers = json!({"path": "note.md", "table": {"index": 1}, "column": "Name", "sort_as": "number"});
    assert!(message(&place, "sort_table_by_column", numbers).contains("row 1 has \"rope\""));
}

#[test]
fn which_table_is_meant_must_be_clear() {
    let place = place();
    let said = message(&place, "format_table", json!({"path": "note.md"}));
    assert!(said.contains("fits 2 tables") && said.contains("line 10 under \"Other\" (a)"), "{said}");
    for table in [json!({"heading": "Nowhere"}), json!({"line": 8}), json!({"index": 3})] {
        assert!(message(&place, "format_table", json!({"path": "note.md", "table": table})).contains("fits no table"));
    }
    assert!(message(&place, "format_table", json!({"path": "none.md"})).contains("has no table"));
    assert_eq!(refused(&place, "format_table", json!({"path": "board.canvas"})), "invalid_input");
    assert_eq!(refused(&place, "insert_table_row", json!({"path": "one.md", "cells": ["1", "2", "3"]})), "invalid_input");
    assert_eq!(refused(&place, "insert_table_row", json!({"path": "one.md", "cells": [], "at": 9})), "invalid_input");
    assert_eq!(
        refused(&place, "insert_table_column", json!({"path": "one.md", "name": "c", "cells": ["1", "2"]})),
        "invalid_input"
    );
    assert_eq!(
        refused(&place, "format_table", json!({"path": "one.md", "expected_hash": "0".repeat(64)})),
        "concurrent_modification"
    );
}
