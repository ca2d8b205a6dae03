//! The `engine` surface: properties, tags, links and the index itself.

use serde_json::{Value, json};

use crate::place::Place;

/// One field of every item, over all pages of two.
#[track_caller]
fn by_twos(place: &Place, tool: &str, arguments: &Value, field: &str) -> Vec<Value> {
    let (mut seen, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let mut arguments = arguments.clone();
        arguments["limit"] = json!(2);
        if cursor.is_string() {
            arguments["cursor"] = cursor;
        }
        let page = place.answer(tool, arguments);
        seen.extend(page["items"].as_array().unwrap().iter().map(|item| item[field].clone()));
        cursor = page["cursor"].clone();
        if cursor.is_null() {
            assert_eq!(page["total_count"], seen.len(), "{page}");
            return seen;
        }
    }
}

fn tasks() -> Place {
    Place::new(&[
        ("a.md", "---\npriority: 1\ndue: 2026-01-05\nstatus: open\nlabels: [red, blue]\n---\n"),
        ("b.md", "---\npriority: 10\ndue: 2026-11-20\nstatus: done\nempty:\n---\n"),
        ("c.md", "---\npriority: 2.5\nstatus: open\n---\n"),
        ("sub/d.md", "---\nstatus: Open\n---\n"),
        ("e.md", "no properties\n"),
    ])
}

#[test]
fn notes_are_found_by_their_properties() {
    let place = tasks();
    let find = |filter: Value| {
        let found = place.answer("find_notes_by_property", json!({"filter": filter}));
        let items = found["items"].as_array().unwrap();
        items.iter().map(|item| item["path"].as_str().unwrap().to_owned()).collect::<Vec<_>>().join(" ")
    };
    let one = |key: &str, op: &str, value: Value| find(json!([{"key": key, "op": op, "value": value}]));
    assert_eq!(one("status", "eq", json!("open")), "a.md c.md");
    assert_eq!(one("priority", "gt", json!(2)), "b.md c.md");
    assert_eq!(one("priority", "lte", json!(2.5)), "a.md c.md");
    assert_eq!(one("due", "lt", json!("2026-11-01")), "a.md");
    assert_eq!(one("due", "gte", json!("2026-01-05")), "a.md b.md");
    assert_eq!(one("status", "in", json!(["done", "Open"])), "b.md sub/d.md");
    assert_eq!(one("status", "nin", json!(["open", "Open"])), "b.md e.md");
    assert_eq!(one("status", "neq", json!("open")), "b.md e.md sub/d.md");
    assert_eq!(one("labels", "contains", json!("blue")), "a.md");
    assert_eq!(one("empty", "eq", json!(null)), "b.md");
    assert_eq!(find(json!([{"key": "due", "op": "exists"}])), "a.md b.md");
    assert_eq!(find(json!([{"key": "status", "op": "absent"}])), "e.md");
    let both = json!([{"key": "status", "op": "eq", "value": "open"}, {"key": "priority", "op": "gt", "value": 1}]);
    let found = place.answer("find_notes_by_property", json!({"filter": both}));
    let matched = json!({"path": "c.md", "matched_values": {"status": "open", "priority": 2.5}});
    assert_eq!(found, json!({"items": [matched], "total_count": 1}));
    let in_folder = json!({"filter": [{"key": "status", "op": "exists"}], "root": "sub"});
    assert_eq!(place.answer("find_notes_by_property", in_folder)["items"][0]["path"], "sub/d.md");
    let all = json!({"filter": [{"key": "status", "op": "exists"}]});
    assert_eq!(by_twos(&place, "find_notes_by_property", &all, "path"), ["a.md", "b.md", "c.md", "sub/d.md"]);
}

#[test]
fn a_filter_that_cannot_hold_is_refused_with_its_place() {
    let place = tasks();
    let refused = |filter: Value| {
        let refused = place.refused("engine", "find_notes_by_property", json!({"filter": filter}));
        assert_eq!(refused.code, "invalid_input");
        refused.message
    };
    assert!(refused(json!([{"key": "a", "op": "eq"}])).contains("filter[0]"));
    let second = refused(json!([{"key": "a", "op": "exists"}, {"key": "b", "op": "in", "value": "x"}]));
    assert!(second.contains("filter[1]") && second.contains("list"), "{second}");
    assert!(refused(json!([{"key": "a", "op": "exists", "value": 1}])).contains("leave"));
    assert!(refused(json!([{"key": "a", "op": "like", "value": 1}])).contains("filter[0].op"));
    assert!(refused(json!([{"op": "exists"}])).contains("filter[0].key is required"));
    assert!(refused(json!([{"key": "a", "op": "eq", "val": 1}])).contains("did you mean value?"));
    assert!(refused(json!([])).contains("at least 1"));
    assert!(refused(json!({"key": "a"})).contains("expected an array"));
}

fn tagged() -> Place {
    Place::new(&[
        ("a.md", "---\ntags: [Work, area/home]\n---\n#inline and #work\n"),
        ("b.md", "#area/home/garden\n"),
        ("sub/c.md", "---\ntags: area\n---\n"),
        ("sub/d.md", "plain\n"),
    ])
}

#[test]
fn tags_are_counted_by_note_and_told_where_they_stand() {
    let place = tagged();
    let list = |arguments| place.answer("list_tags", arguments)["items"].clone();
    let tag = |tag: &str, count: usize, source: &str| json!({"tag": tag, "count": count, "source": source});
    assert_eq!(
        list(json!({})),
        json!([
            tag("area", 1, "frontmatter"),
            tag("area/home", 1, "frontmatter"),
            tag("area/home/garden", 1, "inline"),
            tag("inline", 1, "inline"),
            tag("Work", 1, "both"),
        ])
    );
    assert_eq!(list(json!({"root": "sub"})), json!([tag("area", 1, "frontmatter")]));
    let inline = list(json!({"include_frontmatter": false}));
    assert_eq!((inline.as_array().unwrap().len(), &inline[2]["count"], &inline[2]["source"]), (3, &json!(1), &json!("inline")));
    assert_eq!(list(json!({"include_inline": false})).as_array().unwrap().len(), 3);
    assert_eq!(list(json!({"include_inline": false, "include_frontmatter": false})), json!([]));
    let names = by_twos(&place, "list_tags", &json!({}), "tag");
    assert_eq!(names, ["area", "area/home", "area/home/garden", "inline", "Work"]);
}

#[test]
fn notes_are_found_by_tag_and_by_what_is_below_it() {
    let place = tagged();
    let find = |arguments| place.answer("find_notes_by_tag", arguments)["items"].clone();
    let paths = |arguments| {
        let found: Value = find(arguments);
        found.as_array().unwrap().iter().map(|item| item["path"].as_str().unwrap().to_owned()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(find(json!({"tag": "#WORK"})), json!([{"path": "a.md", "matched_tags": ["Work"], "source": "both"}]));
    assert_eq!(paths(json!({"tag": "area"})), "a.md b.md sub/c.md");
    assert_eq!(paths(json!({"tag": "area", "hierarchical": false})), "sub/c.md");
    assert_eq!(paths(json!({"tags": ["inline", "area/home/garden"]})), "a.md b.md");
    assert_eq!(paths(json!({"tags": ["inline", "area"], "require_all": true})), "a.md");
    assert_eq!(paths(json!({"tag": "area", "root": "sub"})), "sub/c.md");
    assert_eq!(paths(json!({"tag": "nothing"})), "");
    let two = find(json!({"tags": ["work", "area"], "require_all": true}));
    assert_eq!(two, json!([{"path": "a.md", "matched_tags": ["Work", "area/home"], "source": "both"}]));
    assert_eq!(by_twos(&place, "find_notes_by_tag", &json!({"tag": "area"}), "path"), ["a.md", "b.md", "sub/c.md"]);
    for arguments in [json!({}), json!({"tag": "#"}), json!({"tags": []}), json!({"tags": ["work", ""]})] {
        assert_eq!(place.refused("engine", "find_notes_by_tag", arguments).code, "invalid_input");
    }
}

fn linked() -> Place {
    Place::new(&[
        ("hub.md", "---\nup: \"[[a]]\"\n---\n# Hub\n[[#Hub]]\n"),
        ("a.md", "é see [[hub|the hub]] and ![[hub#Hub]]\n\n[[hub]] `[[code]]`\n"),
        ("sub/b.md", "![[hub]] and [text](../hub.md) and [[Nowhere#x]]\n"),
        ("c.md", "[[hub]] [[nowhere]] [[Else]]\n"),
        ("lonely.md", "[[Nowhere]]\n"),
        ("Templates/t.md", ""),
        ("map.canvas", r#"{"nodes":[{"id":"1","type":"file","file":"c.md","x":0,"y":0,"width":1,"height":1}],"edges":[]}"#),
    ])
}

#[test]
fn backlinks_are_counted_and_shown_in_their_lines() {
    let place = linked();
    let get = |arguments| place.answer("get_backlinks", arguments);
    let found = get(json!({"path": "hub.md"}));
    let sources = json!([
        {"source_path": "a.md", "link_count": 3},
        {"source_path": "c.md", "link_count": 1},
        {"source_path": "sub/b.md", "link_count": 2},
    ]);
    assert_eq!(found, json!({"items": sources, "total_count": 3}));
    let plain = get(json!({"path": "hub.md", "include_embeds": false}));
    let counts: Vec<&Value> = plain["items"].as_array().unwrap().iter().map(|item| &item["link_count"]).collect();
    assert_eq!(counts, [2, 1, 1]);
    let lines = get(json!({"path": "hub.md", "include_context": true, "limit": 1}))["items"][0]["contexts"].clone();
    let first = json!({"line": 1, "text": "é see [[hub|the hub]] and ![[hub#Hub]]"});
    assert_eq!(lines, json!([first, {"line": 3, "text": "[[hub]] `[[code]]`"}]));
    assert_eq!(by_twos(&place, "get_backlinks", &json!({"path": "hub.md"}), "source_path"), ["a.md", "c.md", "sub/b.md"]);
    assert_eq!(get(json!({"path": "c.md"}))["items"][0]["source_path"], "map.canvas");
    assert_eq!(get(json!({"path": "lonely.md"})), json!({"items": [], "total_count": 0}));
    let refused = |path: &str| place.refused("engine", "get_backlinks", json!({"path": path})).code;
    assert_eq!(refused("missing.md"), "note_not_found");
    assert_eq!(refused("../hub.md"), "path_invalid");
    assert_eq!(refused(".obsidian/app.json"), "acl_denied");
}

#[test]
fn outgoing_links_have_their_places() {
    let place = linked();
    let get = |arguments| place.answer("get_outgoing_links", arguments)["links"].clone();
    let links = get(json!({"path": "a.md"}));
    assert_eq!(links.as_array().unwrap().len(), 3, "{links}");
    assert_eq!(
        links[0],
        json!({
            "target": "hub", "display_text": "the hub", "kind": "wikilink", "resolved": true, "target_path": "hub.md",
            "line": 1, "col": 7, "in_codeblock": false,
        })
    );
    assert_eq!((&links[1]["kind"], &links[1]["target"], &links[1]["col"]), (&json!("embed"), &json!("hub#Hub"), &json!(27)));
    let b = get(json!({"path": "sub/b.md"}));
    let told =
        |link: &Value| format!("{} {} {}", link["target"].as_str().unwrap(), link["kind"].as_str().unwrap(), link["resolved"]);
    let all: Vec<String> = b.as_array().unwrap().iter().map(told).collect();
    assert_eq!(all, ["hub embed true", "../hub.md markdown true", "Nowhere#x wikilink false"]);
    assert_eq!(b[2].get("target_path"), None);
    assert_eq!(get(json!({"path": "sub/b.md", "include_unresolved": false})).as_array().unwrap().len(), 2);
    assert_eq!(get(json!({"path": "sub/b.md", "kinds": ["markdown", "wikilink"]})).as_array().unwrap().len(), 2);
    assert_eq!(get(json!({"path": "hub.md"}))[0]["line"], 2, "links of the frontmatter count");
    assert_eq!(get(json!({"path": "map.canvas"}))[0]["target_path"], "c.md");
    let refused = |arguments| place.refused("engine", "get_outgoing_links", arguments).code;
    assert_eq!(refused(json!({"path": "missing.md"})), "note_not_found");
    assert_eq!(refused(json!({"path": "/hub.md"})), "path_invalid");
    assert_eq!(refused(json!({"path": "a.md", "kinds": ["all"]})), "invalid_input");
}

#[test]
fn orphans_are_what_nothing_links_to() {
    let place = linked();
    let find = |arguments| place.answer("find_orphans", arguments)["items"].clone();
    let orphan = |path: &str, count: usize| json!({"path": path, "outgoing_count": count});
    assert_eq!(find(json!({})), json!([orphan("Templates/t.md", 0), orphan("lonely.md", 1), orphan("sub/b.md", 3)]));
    assert_eq!(find(json!({"root": "sub"})), json!([orphan("sub/b.md", 3)]));
    assert_eq!(find(json!({"exclude_paths": ["Templates", "lonely.md"]})), json!([orphan("sub/b.md", 3)]));
    assert_eq!(by_twos(&place, "find_orphans", &json!({}), "path").len(), 3);
    assert_eq!(place.refused("engine", "find_orphans", json!({"exclude_paths": ["../x"]})).code, "path_invalid");
}

#[test]
fn links_that_lead_nowhere_are_grouped_either_way() {
    let place = linked();
    let find = |arguments| place.answer("find_unresolved_links", arguments);
    let found = find(json!({}));
    let targets: Vec<&str> = found["items"].as_array().unwrap().iter().map(|item| item["target"].as_str().unwrap()).collect();
    assert_eq!(targets, ["Else", "Nowhere", "nowhere"]);
    let sources = json!([{"path": "lonely.md", "line": 1}, {"path": "sub/b.md", "line": 1}]);
    assert_eq!(found["items"][1]["sources"], sources);
    let by_source = find(json!({"group_by": "source"}));
    assert_eq!(by_source["total_count"], 4);
    assert_eq!(by_source["items"][0], json!({"target": "Else", "sources": [{"path": "c.md", "line": 1}]}));
    assert_eq!(find(json!({"root": "sub"}))["total_count"], 1);
    assert_eq!(by_twos(&place, "find_unresolved_links", &json!({}), "target").len(), 3);
    assert_eq!(by_twos(&place, "find_unresolved_links", &json!({"group_by": "source"}), "target").len(), 4);
    assert_eq!(place.refused("engine", "find_unresolved_links", json!({"group_by": "note"})).code, "invalid_input");
}

#[test]
fn the_index_is_brought_up_to_date_when_asked() {
    let place = Place::new(&[("a.md", "a"), ("sub/b.md", "b"), ("sub/c.md", "c")]);
    let same = place.answer("index_vault", json!({}));
    assert_eq!(same, json!({"vault": "vault", "upserted": 0, "deleted": 0, "unchanged": 3}));
    std::fs::write(place.on_disk("sub/b.md"), "changed needle").unwrap();
    std::fs::write(place.on_disk("sub/new.md"), "new needle").unwrap();
    std::fs::remove_file(place.on_disk("sub/c.md")).unwrap();
    // The watcher may have been quicker; what counts is that all is known afterwards.
    let taken = place.answer("index_vault", json!({"folder": "sub"}));
    assert!(taken["unchanged"].as_u64().unwrap() <= 2, "{taken}");
    assert_eq!(place.answer("search_text", json!({"query": "needle"}))["total_count"], 2);
    let refused = |arguments| place.refused("engine", "index_vault", arguments).code;
    assert_eq!(refused(json!({"folder": "../x"})), "path_invalid");
    assert_eq!(refused(json!({"folder": ".obsidian"})), "acl_denied");
}

#[test]
fn health_says_what_is_served_and_how_far_the_index_is() {
    let place = Place::new(&[("a.md", "a"), ("b.md", "b"), ("c.png", "c")]);
    let health = place.answer("server_health", json!({}));
    assert_eq!((&health["status"], &health["name"]), (&json!("ok"), &json!("quillgate")));
    assert_eq!(health["vaults"], json!([{"id": "vault", "name": "vault"}]));
    assert!(health["version"].as_str().unwrap().contains('.') && health["uptime_ms"].is_u64(), "{health}");
    assert_eq!((&health["index"]["notes"], &health["index"]["write_failures"]), (&json!(2), &json!(0)));
    assert!(health["index"]["ready"].is_boolean() && health["index"]["pending"].is_u64(), "{health}");
    assert_eq!(place.refused("engine", "server_health", json!({"vault": "vault"})).code, "invalid_input");
}
