//! The `notes` surface: notes, search by expression, and links.

use serde_json::json;

use crate::place::Place;

#[test]
fn a_missing_note_is_no_error() {
    let place = Place::new(&[("a.md", "\u{feff}text\r\n")]);
    let read = |path: &str| place.done("notes", "note_read", json!({"path": path}));
    assert_eq!(read("a.md"), json!({"content": "text\n", "exists": true}));
    assert_eq!(read("missing/b.md"), json!({"content": "", "exists": false}));
    assert_eq!(place.refused("notes", "note_read", json!({"path": "../b.md"})).code, "path_invalid");
    assert_eq!(place.refused("notes", "note_read", json!({"path": ".obsidian/app.json"})).code, "acl_denied");
}

#[test]
fn a_note_is_created_and_then_only_added_to() {
    let place = Place::new(&[]);
    let upsert = |content: &str| {
        let frontmatter = json!({"tags": ["a", "b"], "due": "2026-01-02", "n": 1, "link": "[[x]]", "none": null});
        place.done("notes", "note_upsert", json!({"path": "log/a.md", "content": content, "frontmatter": frontmatter}))
    };
    assert_eq!(upsert("first"), json!({"created": true}));
    let created = place.text("log/a.md");
    insta::assert_snapshot!(created, @r###"
    ---
    tags:
      - a
      - b
    due: 2026-01-02
    n: 1
    link: "[[x]]"
    none:
    ---
    first
    "###);
    assert_eq!(upsert("second"), json!({"created": false}));
    assert_eq!(place.text("log/a.md"), format!("{created}\nsecond"));
    let refused = place.refused("notes", "note_upsert", json!({"path": "log", "content": "x"}));
    assert_eq!(refused.code, "path_invalid");
    place.done("notes", "note_upsert", json!({"path": "plain.md", "content": "no frontmatter"}));
    assert_eq!(place.text("plain.md"), "no frontmatter");
}

#[test]
fn search_takes_a_regular_expression() {
    let place = Place::new(&[("devlog/a.md", "one\r\nTODO: two\r\n"), ("b.md", "todo three\nTODO: four")]);
    let search = |query: &str, filter: Option<&str>| {
        let found = place.done("notes", "vault_search", json!({"query": query, "path_filter": filter}));
        found["results"].as_array().unwrap().clone()
    };
    let found = search("^TODO: \\w+$", None);
    assert_eq!(
        found,
        [
            json!({"path": "b.md", "line": 2, "text": "TODO: four"}),
            json!({"path": "devlog/a.md", "line": 2, "text": "TODO: two"}),
        ]
    );
    assert_eq!(search("TODO", Some("devlog/*.md")).len(), 1);
    assert_eq!(search("(?i)todo", Some("!devlog/")).len(), 2);
    assert!(search("nothing", None).is_empty());
    let refused = place.refused("notes", "vault_search", json!({"query": "a(b"}));
    assert_eq!(refused.code, "invalid_input");
    assert!(refused.message.contains("a(b"), "{}", refused.message);
    assert_eq!(place.refused("notes", "vault_search", json!({"query": "a", "path_filter": "{"})).code, "invalid_input");
}

#[test]
fn a_link_is_added_once() {
    let place = Place::new(&[("a.md", "text"), ("x/Target.md", "# Part one\n"), ("y/Other.md", "")]);
    let add = |arguments| place.done("notes", "link_add", arguments);
    let added = add(json!({"from": "a.md", "to": "x/Target.md", "heading": "Part one", "alias": "shown"}));
    assert_eq!(added, json!({"path": "a.md", "link": "[[Target#Part one|shown]]", "added": true, "line": 2, "resolved": true}));
    assert_eq!(place.text("a.md"), "text\n- [[Target#Part one|shown]]\n");
    let again = add(json!({"from": "a.md", "to": "x/Target.md", "heading": "Part one", "alias": "shown"}));
    assert_eq!((&again["added"], &again["line"]), (&json!(false), &json!(2)));
    let planned = add(json!({"from": "a.md", "to": "new/Plan.md"}));
    assert_eq!(planned["resolved"], false);
    let refused = place.refused("notes", "link_add", json!({"from": "a.md", "to": "x/Target.md", "heading": "Part two"}));
    assert!(refused.message.contains("its headings are Part one"), "{}", refused.message);
    assert_eq!(place.refused("notes", "link_add", json!({"from": "missing.md", "to": "a.md"})).code, "note_not_found");
    assert_eq!(place.refused("notes", "link_add", json!({"from": "a.md", "to": "../x.md"})).code, "path_invalid");
    let alias = json!({"from": "a.md", "to": "x/Target.md", "alias": "a]]b"});
    assert_eq!(place.refused("notes", "link_add", alias).code, "invalid_input");
}

#[test]
fn backlinks_come_with_their_lines() {
    let place = Place::new(&[("a.md", "# A"), ("b.md", "x\n  see [[a]] and [[A#x]]\n"), ("c.md", "[[b]]")]);
    let found = place.done("notes", "backlinks_search", json!({"path": "a.md"}));
    assert_eq!(
        found,
        json!({
            "path": "a.md", "total": 1,
            "backlinks": [{"path": "b.md", "count": 2, "lines": [{"line": 2, "text": "see [[a]] and [[A#x]]"}]}],
        })
    );
    assert_eq!(place.done("notes", "backlinks_search", json!({"path": "c.md"}))["total"], 0);
}

#[test]
fn the_graph_is_walked_to_a_depth() {
    let place = Place::new(&[("a.md", "[[b]]"), ("b.md", "[[c]]"), ("c.md", "[[d]]"), ("d.md", "")]);
    let near = place.done("notes", "graph_neighbors", json!({"path": "b.md"}));
    assert_eq!(near["nodes"], json!([{"path": "a.md", "distance": 1}, {"path": "c.md", "distance": 1}]));
    assert_eq!(near["edges"], json!([{"from": "a.md", "to": "b.md"}, {"from": "b.md", "to": "c.md"}]));
    let far = place.done("notes", "graph_neighbors", json!({"path": "a.md", "depth": 3}));
    assert_eq!(far["nodes"].as_array().unwrap().len(), 3);
    assert_eq!(place.refused("notes", "graph_neighbors", json!({"path": "x.md"})).code, "note_not_found");
    assert_eq!(place.refused("notes", "graph_neighbors", json!({"path": "a.md", "depth": 9})).code, "invalid_input");
}

#[test]
fn a_link_that_would_not_be_one_is_not_written() {
    let place = Place::new(&[("a.md", "A\n"), ("Target.md", "# Plan\n"), ("p|q.md", ""), ("My#Note.md", "")]);
    let refused = |arguments| place.refused("notes", "link_add", arguments).code;
    for (to, heading, alias) in [
        ("New", Some("x]] [[y|z"), None),
        ("New", Some("a\nb"), None),
        ("p|q.md", None, None),
        ("Target", None, Some("x]")),
        ("Target", None, Some("")),
    ] {
        assert_eq!(
            refused(json!({"from": "a.md", "to": to, "heading": heading, "alias": alias})),
            "invalid_input",
            "{to} {heading:?} {alias:?}"
        );
    }
    assert_eq!(place.text("a.md"), "A\n");
    let added = place.done("notes", "link_add", json!({"from": "a.md", "to": "Target#Plan"}));
    assert_eq!((added["link"].as_str(), added["resolved"].as_bool()), (Some("[[Target#Plan]]"), Some(true)));
}

#[test]
fn text_is_never_added_to_a_canvas_or_a_base() {
    let canvas = "{\"nodes\":[],\"edges\":[]}";
    let place = Place::new(&[("b.canvas", canvas), ("c.base", "views: []\n")]);
    place.refused("notes", "link_add", json!({"from": "b.canvas", "to": "T"}));
    place.refused("notes", "note_upsert", json!({"path": "b.canvas", "content": "x"}));
    place.refused("cli", "obsidian_append_note", json!({"path": "b.canvas", "content": "x"}));
    place.refused("cli", "obsidian_prepend_note", json!({"path": "c.base", "content": "x"}));
    assert_eq!(place.text("b.canvas"), canvas);
}

#[test]
fn backlinks_are_found_by_name_too() {
    let place = Place::new(&[("x/Target.md", ""), ("a.md", "[[Target]]")]);
    for path in ["x/Target.md", "Target", "x/target.md"] {
        assert_eq!(place.done("notes", "backlinks_search", json!({"path": path}))["total"], 1, "{path}");
    }
}

#[test]
fn a_line_too_long_to_show_is_cut_around_its_match() {
    let place = Place::new(&[("long.md", &format!("{}needle{}", "é".repeat(50_000), "x".repeat(50_000)))]);
    let found = place.done("notes", "vault_search", json!({"query": "needle"}));
    let text = found["results"][0]["text"].as_str().unwrap();
    assert!(text.len() < 1100 && text.contains("needle") && text.starts_with('…') && text.ends_with('…'), "{}", text.len());
    let read = place.done("vault", "vault_read", json!({"path": "long.md"}));
    assert_eq!(read.get("truncated"), None);
    place.put("huge.md", "z".repeat(1_040_000));
    let read = place.done("vault", "vault_read", json!({"path": "huge.md"}));
    assert_eq!((read["content"].as_str().map(str::len), read["truncated"].as_bool()), (Some(1_000_000), Some(true)));
}
