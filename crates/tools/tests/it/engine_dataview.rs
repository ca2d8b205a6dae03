//! The `engine` surface: Dataview queries and expressions.

use serde_json::{Value, json};

use crate::place::Place;

fn books() -> Place {
    Place::new(&[
        (
            "books/Dune.md",
            "---\nrating: 9\ntags: [book]\n---\nGenre:: scifi\n\n- [ ] reread [due:: 2024-03-20]\n  - [x] find it\n",
        ),
        ("books/Emma.md", "---\nrating: 7\ntags: [book]\n---\nSee [[Dune]].\n"),
        ("log.md", "#daily\n"),
    ])
}

#[test]
fn a_query_is_answered_with_headers_rows_and_notes() {
    let place = books();
    let found = place.answer("search_dql", json!({"dql": "TABLE rating, genre FROM #book SORT rating DESC"}));
    let expected = json!({
        "headers": ["File", "rating", "genre"],
        "rows": [["[[books/Dune.md|Dune]]", 9, "scifi"], ["[[books/Emma.md|Emma]]", 7, null]],
        "note_paths": ["books/Dune.md", "books/Emma.md"],
        "source": "native",
    });
    assert_eq!(found, expected);
    let list = place.answer("search_dql", json!({"dql": "LIST FROM [[Dune]]", "format": "list"}));
    assert_eq!(list, json!({"rows": [["[[books/Emma.md|Emma]]"]], "note_paths": ["books/Emma.md"], "source": "native"}));
    let tasks = place.answer("search_dql", json!({"dql": "TASK WHERE !completed", "format": "task"}));
    let task = &tasks["rows"][0][0];
    assert_eq!(
        (&task["line"], &task["fields"]["due"], &task["children"][0]["status"]),
        (&json!(7), &json!("2024-03-20"), &json!("x"))
    );
    place.put("books/Solaris.md", "---\nrating: 8\ntags: [book]\n---\n");
    let found = place.answer("search_dql", json!({"dql": "LIST WITHOUT ID file.name FROM #book SORT rating DESC"}));
    assert_eq!(found["rows"], json!([["Dune"], ["Solaris"], ["Emma"]]));
}

#[test]
fn a_query_that_is_wrong_says_where() {
    let place = books();
    let refused = place.refused("engine", "search_dql", json!({"dql": "LIST\nWHERE rating == 9"}));
    assert_eq!(
        (refused.code.as_str(), refused.message.as_str()),
        ("dql_error", "line 2, column 14: `==` is no operator here; use `=` to compare")
    );
    assert_eq!(refused.details, json!({"line": 2, "col": 14}));
    let code = |arguments: Value| place.refused("engine", "search_dql", arguments).code;
    assert_eq!(code(json!({"dql": "LIST WHERE nothing(1)"})), "dql_error");
    assert_eq!(code(json!({"dql": "LIST FROM [[]]"})), "dql_error");
    assert_eq!(code(json!({"dql": "LIST FROM csv(\"a.csv\")"})), "dql_error");
    assert_eq!(code(json!({"dql": "LIST WHERE rating + 1 + null"})), "dql_error");
    assert_eq!(code(json!({"dql": "LIST", "format": "table"})), "invalid_input");
    assert_eq!(code(json!({"dql": ""})), "invalid_input");
}

#[test]
fn a_query_is_checked_without_running() {
    let place = books();
    let right = place.answer("validate_dql", json!({"dql": "LIST rating FROM #book LIMIT 2"}));
    assert_eq!((&right["valid"], &right["ast"]["header"]["type"]), (&json!(true), &json!("list")));
    assert_eq!(right["ast"]["operations"][0]["amount"], json!({"type": "literal", "value": 2}));
    let wrong = place.answer("validate_dql", json!({"dql": "TABLE a b"}));
    assert_eq!((&wrong["valid"], &wrong["error"]["line"], &wrong["error"]["col"]), (&json!(false), &json!(1), &json!(9)));
    let unknown = place.answer("validate_dql", json!({"dql": "LIST WHERE contain(a, b)"}));
    assert_eq!(unknown["error"]["message"], "there is no function contain; is contains meant?");
}

#[test]
fn an_expression_is_worked_out_for_a_note() {
    let place = books();
    let value = |expression: &str| {
        let found = place.answer("eval_dataview_field", json!({"path": "books/Dune.md", "expression": expression}));
        (found["value"].clone(), found["type"].clone())
    };
    assert_eq!(value("this.rating * 2"), (json!(18), json!("number")));
    assert_eq!(value("rating"), (json!(9), json!("number")));
    assert_eq!(value("file.name + length(file.tasks)"), (json!("Dune2"), json!("string")));
    assert_eq!(value("this.file.inlinks"), (json!(["[[books/Emma.md|Emma]]"]), json!("array")));
    assert_eq!(value("[[Emma]].rating"), (json!(7), json!("number")));
    assert_eq!(value("this.nothing"), (json!(null), json!("null")));
    assert_eq!(value("date(2024-01-31) + dur(1 month)"), (json!("2024-02-29"), json!("date")));
    let code = |path: &str, expression: &str| {
        place.refused("engine", "eval_dataview_field", json!({"path": path, "expression": expression})).code
    };
    assert_eq!(code("books/Dune.md", "1 +"), "dql_error");
    assert_eq!(code("books/Dune.md", "1 + null"), "dql_error");
    assert_eq!(code("books/None.md", "1"), "note_not_found");
    assert_eq!(code("../x.md", "1"), "path_invalid");
}

#[test]
fn notes_with_a_bookmark_are_starred() {
    let place = books();
    let starred = || place.answer("search_dql", json!({"dql": "LIST WITHOUT ID file.name WHERE file.starred"}))["rows"].clone();
    assert_eq!(starred(), json!([]));
    let items = json!({"items": [
        {"type": "file", "path": "books/Dune.md"}, {"type": "search", "query": "log.md"},
        {"type": "group", "title": "g", "items": [{"type": "file", "path": "books/Emma.md", "subpath": "#Plot"}]},
    ]});
    place.put(".obsidian/bookmarks.json", items.to_string());
    assert_eq!(starred(), json!([["Dune"], ["Emma"]]));
    place.put(".obsidian/bookmarks.json", "{");
    assert_eq!(starred(), json!([]));
}

#[test]
fn one_search_takes_queries_too() {
    let place = books();
    let found = place.answer(
        "search_vault",
        json!({"query": "TABLE rating FROM #book SORT rating ASC", "mode": "dql", "limit": 1, "explain": true}),
    );
    assert_eq!((&found["mode_used"], &found["total_count"]), (&json!("dql"), &json!(2)));
    assert_eq!(found["items"], json!([{"path": "books/Emma.md", "score": 1.0, "mode_used": "dql"}]));
    assert_eq!(found["_explain"]["opened"], 0);
    let next = json!({"query": "TABLE rating FROM #book SORT rating ASC", "mode": "dql", "limit": 1, "cursor": found["cursor"]});
    let next = place.answer("search_vault", next);
    assert_eq!((&next["items"][0]["path"], &next["cursor"]), (&json!("books/Dune.md"), &Value::Null));
    let below = place.answer("search_vault", json!({"query": "LIST", "mode": "dql", "root": "books"}));
    assert_eq!(below["total_count"], 2);
    assert_eq!(place.code("search_vault", json!({"query": "LIST WHERE", "mode": "dql"})), "dql_error");
}
