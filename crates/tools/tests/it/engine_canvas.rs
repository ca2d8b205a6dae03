//! The `engine` surface: canvases.

use quillgate_tools::Consent;
use serde_json::{Value, json};

use crate::asking::{asked, failed, refused, unasked, without_effect};
use crate::place::Place;

/// With what other programs might have written: fields nobody knows, numbers spelled their own way, any layout.
const BOARD: &str = "{\n\t\"nodes\":[\n\t\t{\"id\":\"a\",\"type\":\"text\",\"text\":\"The Lamp\\nsecond line\",\"x\":0,\"y\":-1.50,\"width\":250,\"height\":60,\"foo\":{\"bar\":[1e2]}},\n\t\t{\"id\":\"b\",\"type\":\"file\",\"file\":\"Plans/Storm.md\",\"subpath\":\"#Goals\",\"x\":300,\"y\":0,\"width\":400,\"height\":400,\"color\":\"4\"},\n\t\t{\"id\":\"c\",\"type\":\"group\",\"label\":\"Lamp room\",\"x\":-20,\"y\":-20,\"width\":800,\"height\":500}\n\t],\n\t\"edges\":[\n\t\t{\"id\":\"e1\",\"fromNode\":\"a\",\"fromSide\":\"right\",\"toNode\":\"b\",\"toSide\":\"left\"},\n\t\t{\"id\":\"e2\",\"fromNode\":\"c\",\"toNode\":\"a\"}\n\t],\n\t\"metadata\":{\"version\":\"1.0-1.0\"}\n}";

fn place() -> Place {
    Place::new(&[
        ("Board.canvas", BOARD),
        (
            "sub/Other.canvas",
            "{\"nodes\":[{\"id\":\"z\",\"type\":\"link\",\"url\":\"https://lamp.example\",\"x\":0,\"y\":0,\"width\":1,\"height\":1}]}",
        ),
        ("Empty.canvas", ""),
        ("Broken.canvas", "{\"nodes\": [\n  {\"id\": }\n]}"),
        ("List.canvas", "[]"),
        ("note.md", "text\n"),
    ])
}

fn node(id: &str) -> Value {
    json!({"id": id, "type": "text", "text": "new", "x": 1, "y": 2, "width": 3, "height": 4})
}

#[test]
fn a_canvas_is_read_as_it_stands() {
    let place = place();
    let read = without_effect(&place, "read_canvas", json!({"path": "Board.canvas"}));
    assert_eq!((read["nodes"].as_array().unwrap().len(), read["edges"].as_array().unwrap().len()), (3, 2));
    assert_eq!(read["nodes"][0]["foo"], json!({"bar": [100.0]}));
    let empty = without_effect(&place, "read_canvas", json!({"path": "Empty.canvas"}));
    assert_eq!((&empty["nodes"], &empty["edges"]), (&json!([]), &json!([])));
    let broken = failed(&place, Consent::Standing, "read_canvas", json!({"path": "Broken.canvas"}));
    assert_eq!(broken["code"], "invalid_input");
    assert!(broken["message"].as_str().unwrap().contains("(line 2, column 10)"), "{broken}");
    assert_eq!(refused(&place, "read_canvas", json!({"path": "List.canvas"})), "invalid_input");
    assert_eq!(refused(&place, "read_canvas", json!({"path": "note.md"})), "invalid_input");
    assert_eq!(refused(&place, "read_canvas", json!({"path": "gone.canvas"})), "note_not_found");
    assert_eq!(refused(&place, "read_canvas", json!({"path": "../x.canvas"})), "path_invalid");
}

#[test]
fn a_canvas_is_created_as_the_app_writes_it() {
    let place = place();
    let edge = json!({"id": "e", "fromNode": "n1", "toNode": "n2", "toEnd": "arrow"});
    let made = unasked(
        &place,
        "create_canvas",
        json!({"path": "new/Made.canvas", "nodes": [node("n1"), node("n2")], "edges": [edge], "idempotency_key": "k"}),
    );
    assert_eq!((&made["node_count"], &made["edge_count"]), (&json!(2), &json!(1)));
    assert_eq!(
        place.text("new/Made.canvas"),
        "{\n\t\"nodes\":[\n\t\t{\"id\":\"n1\",\"type\":\"text\",\"text\":\"new\",\"x\":1,\"y\":2,\"width\":3,\"height\":4},\n\t\t\
         {\"id\":\"n2\",\"type\":\"text\",\"text\":\"new\",\"x\":1,\"y\":2,\"width\":3,\"height\":4}\n\t],\n\t\"edges\":[\n\t\t\
         {\"id\":\"e\",\"fromNode\":\"n1\",\"toNode\":\"n2\",\"toEnd\":\"arrow\"}\n\t]\n}"
    );
    unasked(&place, "create_canvas", json!({"path": "Bare.canvas"}));
    assert_eq!(place.text("Bare.canvas"), "{\n\t\"nodes\":[],\n\t\"edges\":[]\n}");
    assert_eq!(refused(&place, "create_canvas", json!({"path": "Board.canvas"})), "note_exists");
    assert_eq!(refused(&place, "create_canvas", json!({"path": "x/y.canvas", "create_dirs": false})), "note_not_found");
    let proposed = asked(&place, "create_canvas", json!({"path": "Board.canvas", "overwrite": true}));
    assert_eq!(proposed["reasons"], json!(["it replaces all of Board.canvas"]));
    place.answer("create_canvas", json!({"path": "Board.canvas", "overwrite": true}));
    assert_eq!(place.text("Board.canvas"), "{\n\t\"nodes\":[],\n\t\"edges\":[]\n}");
}

#[test]
fn everything_wrong_with_a_canvas_is_told_at_once() {
    let place = place();
    let nodes = json!([
        {"id": "a", "type": "text", "x": 0, "y": 0, "width": "wide", "height": 1.5, "color": "9"},
        {"id": "a", "type": "file", "file": "x.md", "subpath": "Goals", "x": 0, "y": 0, "width": 1, "height": 1},
        {"type": "picture", "x": 0, "y": 0, "width": 1, "height": 1, "color": "#12aB9f"},
        {"id": "g", "type": "group", "x": 0, "y": 0, "width": 1, "height": 1, "backgroundStyle": "fit"},
        "node"
    ]);
    let edges = json!([{"id": "e", "fromNode": "a", "toNode": "nowhere", "fromSide": "middle"}]);
    let body = failed(&place, Consent::Standing, "create_canvas", json!({"path": "x.canvas", "nodes": nodes, "edges": edges}));
    let issues: Vec<&str> = body["details"]["issues"].as_array().unwrap().iter().map(|i| i["field"].as_str().unwrap()).collect();
    assert_eq!(
        issues,
        [
            "nodes[0].width",
            "nodes[0].color",
            "nodes[0].text",
            "nodes[1].subpath",
            "nodes[1].id",
            "nodes[2].id",
            "nodes[2].type",
            "nodes[3].backgroundStyle",
            "nodes[4]",
            "edges[0].toNode",
            "edges[0].fromSide"
        ]
    );
}

#[test]
fn an_update_changes_what_it_names_and_nothing_else() {
    let place = place();
    let hash = without_effect(&place, "read_canvas", json!({"path": "Board.canvas"}))["content_hash"].clone();
    let done = unasked(
        &place,
        "update_canvas",
        json!({
            "path": "Board.canvas",
            "add_nodes": [node("n")],
            "add_edges": [{"id": "e3", "fromNode": "n", "toNode": "c"}],
            "remove_node_ids": ["b"],
            "update_nodes": {"a": {"text": "The \"Lamp\"", "color": "1"}, "c": {"label": null}},
            "update_edges": {"e2": {"label": "in"}},
            "expected_hash": hash
        }),
    );
    assert_eq!(
        done["applied"],
        json!({"nodes_added": 1, "nodes_removed": 1, "nodes_updated": 2, "edges_added": 1, "edges_removed": 1, "edges_updated": 1})
    );
    let expected = "{\n\t\"nodes\":[\n\t\t{\"id\":\"a\",\"type\":\"text\",\"text\":\"The \\\"Lamp\\\"\",\"x\":0,\"y\":-1.50,\"width\":250,\"height\":60,\"foo\":{\"bar\":[1e2]},\"color\":\"1\"},\n\t\t{\"id\":\"c\",\"type\":\"group\",\"x\":-20,\"y\":-20,\"width\":800,\"height\":500},\n\t\t{\"id\":\"n\",\"type\":\"text\",\"text\":\"new\",\"x\":1,\"y\":2,\"width\":3,\"height\":4}\n\t],\n\t\"edges\":[\n\t\t{\"id\":\"e2\",\"fromNode\":\"c\",\"toNode\":\"a\",\"label\":\"in\"},\n\t\t{\"id\":\"e3\",\"fromNode\":\"n\",\"toNode\":\"c\"}\n\t],\n\t\"metadata\":{\"version\":\"1.0-1.0\"}\n}";
    assert_eq!(place.text("Board.canvas"), expected);
    let stale = json!({"path": "Board.canvas", "remove_edge_ids": ["e2"], "expected_hash": "0".repeat(64)});
    assert_eq!(refused(&place, "update_canvas", stale), "concurrent_modification");
    let nothing = without_effect(&place, "update_canvas", json!({"path": "Board.canvas"}));
    assert_eq!(nothing["applied"]["nodes_updated"], 0);
}

#[test]
fn lists_that_are_missing_are_made() {
    let place = place();
    unasked(&place, "update_canvas", json!({"path": "Empty.canvas", "add_nodes": [node("n")]}));
    assert_eq!(without_effect(&place, "read_canvas", json!({"path": "Empty.canvas"}))["nodes"], json!([node("n")]));
    let edge = json!({"id": "e", "fromNode": "z", "toNode": "z"});
    unasked(&place, "update_canvas", json!({"path": "sub/Other.canvas", "add_edges": [edge]}));
    assert!(place.text("sub/Other.canvas").ends_with("}],\"edges\":[{\"id\":\"e\",\"fromNode\":\"z\",\"toNode\":\"z\"}]}"));
}

#[test]
fn an_update_that_does_not_fit_changes_nothing() {
    let place = place();
    let message = |arguments: Value| {
        let body = failed(&place, Consent::Standing, "update_canvas", arguments);
        assert_eq!(body["code"], "invalid_input");
        body["message"].as_str().unwrap().to_owned()
    };
    let gone = message(json!({"path": "Board.canvas", "remove_node_ids": ["q"]}));
    assert!(gone.contains("names \"q\", and there is no such node; there are a, b, c"), "{gone}");
    for (arguments, words) in [
        (json!({"path": "Board.canvas", "add_nodes": [node("a")]}), "which is taken"),
        (json!({"path": "Board.canvas", "update_nodes": {"a": {"x": null}}}), "update_nodes.a.x is required"),
        (json!({"path": "Board.canvas", "update_nodes": {"a": {"id": "b"}}}), "which is taken"),
        (json!({"path": "Board.canvas", "update_nodes": {"a": 5}}), "expected an object"),
        (json!({"path": "Board.canvas", "update_nodes": {"a": {"x": 1}}, "remove_node_ids": ["a"]}), "is removed"),
        (
            json!({"path": "Board.canvas", "add_edges": [{"id": "n", "fromNode": "b", "toNode": "a"}], "remove_node_ids": ["b"]}),
            "no such node",
        ),
        (json!({"path": "Board.canvas", "update_edges": {"e9": {"label": "x"}}}), "there are e1, e2"),
        (json!({"path": "Broken.canvas", "add_nodes": [node("a")]}), "(line 2, column 10)"),
        (json!({"path": "List.canvas", "add_nodes": [node("a")]}), "not a canvas: it holds a list"),
    ] {
        let said = message(arguments);
        assert!(said.contains(words), "{said}");
    }
    assert_eq!(place.text("Board.canvas"), BOARD);
}

#[test]
fn many_nodes_do_not_go_unasked() {
    let nodes: Vec<Value> = (0..12).map(|number| node(&format!("n{number}"))).collect();
    let place = Place::new(&[("Many.canvas", &json!({"nodes": nodes}).to_string())]);
    let ids = |count: usize| (0..count).map(|number| format!("n{number}")).collect::<Vec<_>>();
    let proposed = asked(&place, "update_canvas", json!({"path": "Many.canvas", "remove_node_ids": ids(11)}));
    assert_eq!(proposed["reasons"], json!(["11 nodes go from Many.canvas"]));
    let done = unasked(&place, "update_canvas", json!({"path": "Many.canvas", "remove_node_ids": ids(10)}));
    assert_eq!(done["applied"]["nodes_removed"], 10);
}

#[test]
fn cards_are_found_on_all_canvases() {
    let place = place();
    let found = |arguments: Value| -> Vec<String> {
        let page = without_effect(&place, "query_canvas", arguments);
        let items = page["items"].as_array().unwrap();
        items
            .iter()
            .map(|item| {
                format!(
                    "{} {} {}",
                    item["canvas_path"].as_str().unwrap(),
                    item["node_id"].as_str().unwrap(),
                    item["snippet"].as_str().unwrap_or("-")
                )
            })
            .collect()
    };
    assert_eq!(
        found(json!({"filter": {"text_contains": "LAMP"}})),
        ["Board.canvas a The Lamp", "Board.canvas c Lamp room", "sub/Other.canvas z https://lamp.example"]
    );
    assert_eq!(found(json!({"filter": {"text_contains": "second"}})), ["Board.canvas a second line"]);
    assert_eq!(found(json!({"filter": {"type": "file", "color": "4"}})), ["Board.canvas b Plans/Storm.md"]);
    assert_eq!(found(json!({"filter": {"file_path_contains": "storm"}})), ["Board.canvas b Plans/Storm.md"]);
    assert_eq!(found(json!({"filter": {"has_edge_to": "a"}})), ["Board.canvas c Lamp room"]);
    assert_eq!(found(json!({"filter": {}, "root": "sub"})), ["sub/Other.canvas z https://lamp.example"]);
    assert_eq!(
        found(json!({"filter": {}, "paths": ["sub/Other.canvas", "Empty.canvas"]})),
        ["sub/Other.canvas z https://lamp.example"]
    );
    let first = without_effect(&place, "query_canvas", json!({"filter": {}, "limit": 2}));
    assert_eq!((&first["total_count"], &first["unreadable"]), (&json!(4), &json!(["Broken.canvas", "List.canvas"])));
    let next = without_effect(&place, "query_canvas", json!({"filter": {}, "limit": 2, "cursor": first["cursor"]}));
    assert_eq!((&next["items"][0]["node_id"], &next["items"][1]["node_id"]), (&json!("c"), &json!("z")));
    assert_eq!(refused(&place, "query_canvas", json!({"filter": {}, "paths": ["gone.canvas"]})), "note_not_found");
    assert_eq!(refused(&place, "query_canvas", json!({"filter": {"colour": "1"}})), "invalid_input");
}

#[test]
fn only_what_an_update_changes_is_judged() {
    let place = place();
    let odd = "{\"nodes\":[{\"id\":\"p\",\"type\":\"portal\",\"x\":0,\"y\":0,\"width\":1,\"height\":1,\"color\":\"9\"}]}";
    place.put("Odd.canvas", odd);
    place.answer("update_canvas", json!({"path": "Odd.canvas", "update_nodes": {"p": {"x": 5}}}));
    assert_eq!(place.text("Odd.canvas"), odd.replace("\"x\":0", "\"x\":5"));
    assert_eq!(
        refused(&place, "update_canvas", json!({"path": "Odd.canvas", "update_nodes": {"p": {"x": null}}})),
        "invalid_input"
    );
}

#[test]
fn a_new_id_leaves_no_edge_behind() {
    let place = place();
    let rename = json!({"path": "Board.canvas", "update_nodes": {"a": {"id": "z"}}});
    let message = failed(&place, Consent::Standing, "update_canvas", rename)["message"].as_str().unwrap().to_owned();
    assert!(message.contains("update_nodes.a.id is named by the edges e1, e2"), "{message}");
    let both = json!({
        "path": "Board.canvas",
        "update_nodes": {"a": {"id": "z"}},
        "update_edges": {"e1": {"fromNode": "z"}},
        "remove_edge_ids": ["e2"],
    });
    place.answer("update_canvas", both);
    assert!(!place.text("Board.canvas").contains("\"a\""), "{}", place.text("Board.canvas"));
}
