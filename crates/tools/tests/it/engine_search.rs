//! The `engine` surface: searching.

use std::time::Duration;

use quillgate_tools::Settings;
use serde_json::{Value, json};

use crate::place::Place;

fn small() -> Place {
    Place::new(&[
        (
            "Projects/Plan.md",
            "---\nstatus: open\npriority: 3\ntags: [work]\n---\n# Plan\n\nBuild the lighthouse, then paint the Lighthouse.\n",
        ),
        ("Projects/Done.md", "---\nstatus: done\n---\nThe lighthouse stands. See [[Plan]].\n"),
        ("Journal/day.md", "Nothing but fog.\r\nThe lighthouses were lit.\r\n"),
        ("Journal/计划.md", "数据库设计 Straße\n"),
        ("data.txt", "lighthouse in plain text\n"),
    ])
}

/// One field of every item, over all pages of the given size.
#[track_caller]
fn walk(place: &Place, tool: &str, arguments: &Value, limit: usize, field: &str) -> Vec<Value> {
    let (mut seen, mut cursor) = (Vec::new(), Value::Null);
    for _ in 0..1000 {
        let mut arguments = arguments.clone();
        arguments["limit"] = json!(limit);
        if cursor.is_string() {
            arguments["cursor"] = cursor;
        }
        let page = place.answer(tool, arguments);
        let items = page["items"].as_array().unwrap();
        assert!(items.len() <= limit, "{page}");
        seen.extend(items.iter().map(|item| item[field].clone()));
        cursor = page["cursor"].clone();
        if cursor.is_null() {
            return seen;
        }
        assert!(!items.is_empty(), "a page that leads on is not empty: {page}");
    }
    panic!("the pages do not end");
}

#[track_caller]
fn issue(place: &Place, tool: &str, arguments: Value) -> (String, String) {
    let refused = place.refused("engine", tool, arguments);
    (refused.code, refused.message)
}

#[test]
fn text_is_found_as_written_with_its_place() {
    let place = small();
    let search = |arguments| place.answer("search_text", arguments);
    let found = search(json!({"query": "LIGHTHOUSES"}));
    assert_eq!((&found["total_count"], &found["cursor"]), (&json!(1), &Value::Null));
    let item = &found["items"][0];
    assert_eq!((&item["path"], &item["line"], &item["col"]), (&json!("Journal/day.md"), &json!(2), &json!(5)));
    assert!(item["snippet"].as_str().unwrap().contains("**lighthouses**") && item["score"].is_number(), "{item}");
    assert_eq!(search(json!({"query": "lighthouse"}))["total_count"], 4);
    assert_eq!(search(json!({"query": "lighthouse", "whole_word": true}))["total_count"], 3);
    assert_eq!(search(json!({"query": "lighthouse", "root": "Projects"}))["total_count"], 2);
    assert_eq!(search(json!({"query": "Lighthouse", "case_sensitive": true}))["items"][0]["path"], "Projects/Plan.md");
    assert_eq!(search(json!({"query": "Lighthouse", "case_sensitive": true}))["items"][0]["col"], 38);
    assert_eq!(search(json!({"query": "STRASSE"}))["items"][0]["col"], 7);
    assert_eq!(search(json!({"query": "设计"}))["items"][0]["path"], "Journal/计划.md");
    assert_eq!(search(json!({"query": "nowhere"})), json!({"items": [], "total_count": 0}));
}

#[test]
fn an_expression_is_found_with_what_it_matched() {
    let place = small();
    let search = |arguments| place.answer("search_regex", arguments);
    let found = search(json!({"pattern": "the (light)house\\b"}));
    let matched: Vec<&Value> = found["items"].as_array().unwrap().iter().map(|item| &item["match"]).collect();
    assert_eq!(matched, ["The lighthouse", "the lighthouse", "the Lighthouse"]);
    let first = &found["items"][0];
    assert_eq!((&first["path"], &first["line"], &first["col"]), (&json!("Projects/Done.md"), &json!(4), &json!(1)));
    assert!(first["snippet"].as_str().unwrap().contains("**The lighthouse** stands"), "{first}");
    let count = |arguments| search(arguments)["items"].as_array().unwrap().len();
    assert_eq!(count(json!({"pattern": "the lighthouse", "flags": ""})), 1);
    assert_eq!(count(json!({"pattern": "lighthouse", "max_matches_per_file": 1, "root": "Projects"})), 2);
    assert_eq!(count(json!({"pattern": "^the.*lit\\.$", "flags": "gi"})), 1);
    assert_eq!(count(json!({"pattern": "fog\\.\\s+the", "flags": "im"})), 1);
    assert_eq!(count(json!({"pattern": "fog\\.\\s+the"})), 0);
    assert_eq!(count(json!({"pattern": "fog.*lit", "flags": "s"})), 1);
}

#[test]
fn an_expression_that_is_wrong_or_takes_too_long_says_what_to_do() {
    let place = small();
    let (code, message) = issue(&place, "search_regex", json!({"pattern": "a(b"}));
    assert!(code == "invalid_input" && message.contains("a(b"), "{message}");
    let (code, message) = issue(&place, "search_regex", json!({"pattern": "a", "flags": "q"}));
    assert!(code == "invalid_input" && message.contains("ignore case"), "{message}");
    let hurried = Place::with_settings(&[("a.md", "text")], Settings { regex_limit: Duration::ZERO, ..Settings::default() });
    for (tool, arguments) in [("search_regex", json!({"pattern": "t.x"})), ("search_vault", json!({"query": "/t.x/"}))] {
        let (code, message) = issue(&hurried, tool, arguments);
        assert!(code == "compute_budget_exceeded" && message.contains("root"), "{message}");
    }
    assert_eq!(hurried.refused("notes", "vault_search", json!({"query": "t.x"})).code, "compute_budget_exceeded");
}

#[test]
fn logic_finds_notes_by_what_is_known_of_them() {
    let place = small();
    let search = |logic: Value| {
        let found = place.answer("search_jsonlogic", json!({"logic": logic}));
        found["items"].as_array().unwrap().clone()
    };
    let done = json!({"path": "Projects/Done.md", "matched": true});
    assert_eq!(search(json!({"==": [{"var": "frontmatter.status"}, "done"]})), [done]);
    let both = json!({"and": [{"in": ["work", {"var": "tags"}]}, {"==": [{"var": "frontmatter.priority"}, 3]}]});
    assert_eq!(search(both)[0]["path"], "Projects/Plan.md");
    assert_eq!(search(json!({"in": ["Journal/", {"var": "path"}]})).len(), 2);
    assert_eq!(issue(&place, "search_jsonlogic", json!({"logic": {"no_such": [1]}})).0, "jsonlogic_error");
    assert_eq!(issue(&place, "search_jsonlogic", json!({"logic": "text"})).0, "invalid_input");
    let endless: Vec<Value> = (0..12_000).map(|number| json!({"+": [{"var": "frontmatter.priority"}, number]})).collect();
    let (code, message) = issue(&place, "search_jsonlogic", json!({"logic": {"==": [{"+": endless}, 1]}}));
    assert_eq!(code, "compute_budget_exceeded", "{message}");
}

#[test]
fn one_search_takes_words_expressions_and_logic() {
    let place = small();
    let search = |arguments| place.answer("search_vault", arguments);
    let words = search(json!({"query": "lighthouse", "root": "Projects"}));
    assert_eq!((&words["mode_used"], words["items"].as_array().unwrap().len()), (&json!("text"), 2));
    for item in words["items"].as_array().unwrap() {
        assert!(item["score"].as_f64().unwrap() > 0.0 && item["line"].as_u64().unwrap() >= 4, "{item}");
        assert!(item["mode_used"] == "text" && item["snippet"].as_str().unwrap().to_lowercase().contains("lighthouse"), "{item}");
    }
    let expression = search(json!({"query": "/^nothing .* fog/i"}));
    assert_eq!(expression["items"][0]["path"], "Journal/day.md");
    assert_eq!((&expression["mode_used"], &expression["items"][0]["line"]), (&json!("regex"), &json!(1)));
    let logic = search(json!({"query": {"==": [{"var": "frontmatter.status"}, "done"]}}));
    assert_eq!(logic["items"], json!([{"path": "Projects/Done.md", "score": 1.0, "mode_used": "jsonlogic"}]));
    let forced = search(json!({"query": "LIGHTHOUSE", "mode": "regex", "root": "Journal"}));
    assert_eq!((&forced["mode_used"], forced["items"].as_array().unwrap().len()), (&json!("regex"), 1));
}

#[test]
fn a_search_explains_itself_when_asked() {
    let place = small();
    for (query, mode) in [(json!("lighthouse"), "text"), (json!("/fog/"), "regex"), (json!({"var": "path"}), "jsonlogic")] {
        let found = place.answer("search_vault", json!({"query": query, "explain": true}));
        let explained = &found["_explain"];
        assert_eq!((&explained["mode_used"], &found["mode_used"]), (&json!(mode), &json!(mode)), "{explained}");
        assert!(explained["understood"].is_string() && explained["elapsed_ms"].is_number(), "{explained}");
        assert!(explained["candidates"].is_number() && explained["opened"].is_number(), "{explained}");
        assert!(explained["index"]["ready"].is_boolean() && explained["index"]["pending"].is_number(), "{explained}");
        assert_eq!(place.answer("search_vault", json!({"query": query})).get("_explain"), None);
    }
    let plain = place.done("vault", "vault_search", json!({"query": "fog", "explain": true}));
    assert_eq!(plain["_explain"]["mode_used"], "literal");
    let notes = place.done("notes", "vault_search", json!({"query": "fog", "explain": true}));
    assert_eq!(notes["_explain"]["mode_used"], "regex");
}

#[test]
fn modes_that_are_not_there_say_which_are() {
    let place = small();
    for mode in ["semantic", "hybrid"] {
        let (code, message) = issue(&place, "search_vault", json!({"query": "x", "mode": mode}));
        assert!(
            code == "invalid_input"
                && message.contains(mode)
                && message.contains("auto, text, regex, jsonlogic, obsidian or dql"),
            "{message}"
        );
    }
    for (query, mode) in [(json!(7), "auto"), (json!({"var": "path"}), "text"), (json!("x"), "jsonlogic"), (json!([]), "regex")] {
        let (code, message) = issue(&place, "search_vault", json!({"query": query, "mode": mode}));
        assert!(code == "invalid_input" && message.contains("query"), "{message}");
    }
    assert_eq!(issue(&place, "search_vault", json!({"query": ""})).0, "invalid_input");
    assert_eq!(issue(&place, "search_vault", json!({"query": "x", "mode": "fuzzy"})).0, "invalid_input");
    let (code, message) = issue(&place, "search_vault", json!({"query": "modified:someday"}));
    assert!(code == "invalid_input" && message.contains("not a date"), "{message}");
}

#[test]
fn pages_of_every_search_add_up_to_the_whole() {
    let files: Vec<(String, String)> = (0..23)
        .map(|number| {
            (
                format!("n{number:02}.md"),
                format!("---\nn: {number}\n---\nneedle {}\nneedle again\n", "needle ".repeat(number % 5)),
            )
        })
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let place = Place::new(&files);
    for (tool, arguments, field, count) in [
        ("search_text", json!({"query": "needle"}), "path", 46),
        ("search_regex", json!({"pattern": "needle", "max_matches_per_file": 3}), "path", 64),
        ("search_jsonlogic", json!({"logic": {"in": ["n", {"var": "path"}]}}), "path", 23),
        ("search_vault", json!({"query": "needle"}), "path", 23),
        ("search_vault", json!({"query": "/needle again/"}), "path", 23),
        ("search_vault", json!({"query": {"in": ["n", {"var": "path"}]}}), "path", 23),
    ] {
        let whole = walk(&place, tool, &arguments, 1000, field);
        assert_eq!(whole.len(), count, "{tool} {arguments}");
        for limit in [1, 7, 22, 23, 24, 45, 46] {
            assert_eq!(walk(&place, tool, &arguments, limit, field), whole, "{tool} {arguments} by {limit}");
        }
    }
}

#[test]
fn a_page_continues_where_it_ended_although_the_vault_has_changed() {
    let place = Place::new(&[("b.md", "needle"), ("d.md", "needle"), ("f.md", "needle")]);
    let search =
        |cursor: Option<&Value>| place.answer("search_regex", json!({"pattern": "needle", "limit": 2, "cursor": cursor}));
    let first = search(None);
    assert_eq!(first["items"][1]["path"], "d.md");
    place.put("a.md", "needle");
    place.put("e.md", "needle");
    std::fs::remove_file(place.on_disk("d.md")).unwrap();
    place.workspace.index.check_everything();
    let rest = search(Some(&first["cursor"]));
    let paths: Vec<&Value> = rest["items"].as_array().unwrap().iter().map(|item| &item["path"]).collect();
    assert_eq!(paths, ["e.md", "f.md"]);
}

#[test]
fn a_hostile_cursor_is_refused_and_said_how_to_go_on() {
    let place = small();
    let search = |query: &str, cursor: &str| json!({"query": query, "limit": 1, "cursor": cursor});
    let first = place.answer("search_text", json!({"query": "lighthouse", "limit": 1}));
    let cursor = first["cursor"].as_str().unwrap();
    place.answer("search_text", search("lighthouse", cursor));
    for (query, cursor) in [
        ("another", cursor),
        ("lighthouse", ""),
        ("lighthouse", "AAAA"),
        ("lighthouse", "../../etc/passwd"),
        ("lighthouse", &cursor.to_lowercase()),
        ("lighthouse", &cursor[..cursor.len() - 2]),
        ("lighthouse", &format!("{cursor}{cursor}")),
    ] {
        let (code, message) = issue(&place, "search_text", search(query, cursor));
        assert!(code == "invalid_input" && message.contains("start again without a cursor"), "{message}");
    }
    assert_eq!(issue(&place, "search_vault", search("lighthouse", cursor)).0, "invalid_input");
    assert_eq!(issue(&place, "search_text", search("lighthouse", &"A".repeat(9000))).0, "invalid_input");
    assert_eq!(place.refused("vault", "vault_search", json!({"query": "lighthouse", "cursor": cursor})).code, "INVALID_INPUT");
}

#[test]
fn an_answer_keeps_to_max_tokens_and_leads_on() {
    let long = format!("needle {}\n", "word ".repeat(15)).repeat(200);
    let place = Place::new(&[("a.md", &long), ("b.md", &long)]);
    for tokens in [1, 200, 500, 2000] {
        let found = place.answer("search_text", json!({"query": "needle", "limit": 400, "max_tokens": tokens}));
        let count = found["items"].as_array().unwrap().len();
        assert!(count == 1 || found.to_string().len() <= tokens * 4, "{count} items for {tokens} tokens");
        assert!(count >= 1 && found["cursor"].is_string() && found["total_count"] == 400, "{tokens}");
    }
    let found = place.done("vault", "vault_search", json!({"query": "needle", "max_results": 400, "max_tokens": 500}));
    assert!(found.to_string().len() <= 2000 && found["total_matches"] == 400, "{found}");
    let next = place.done("vault", "vault_search", json!({"query": "needle", "cursor": found["cursor"], "max_results": 1}));
    assert_eq!(next["results"][0]["line"], found["results"].as_array().unwrap().len() + 1);
    let found = place.done("notes", "vault_search", json!({"query": "needle", "max_tokens": 500}));
    assert!(found.to_string().len() <= 2000 && found["truncated"] == true && found["cursor"].is_string(), "{found}");
}

#[test]
fn the_older_searches_have_roots_and_pages_too() {
    let place = small();
    let vault = |arguments| place.done("vault", "vault_search", arguments);
    assert_eq!(vault(json!({"query": "lighthouse", "root": "/Projects/"}))["total_matches"], 2);
    assert_eq!(vault(json!({"query": "lighthouse"})).get("cursor"), None);
    let mut seen: Vec<Value> = Vec::new();
    let mut page = vault(json!({"query": "lighthouse", "max_results": 3}));
    loop {
        assert_eq!(page["total_matches"], 4);
        seen.extend(page["results"].as_array().unwrap().clone());
        let Some(cursor) = page["cursor"].as_str() else { break };
        page = vault(json!({"query": "lighthouse", "max_results": 3, "cursor": cursor}));
    }
    assert_eq!(json!(seen), vault(json!({"query": "lighthouse"}))["results"]);
    assert_eq!(place.refused("vault", "vault_search", json!({"query": "x", "root": "None"})).code, "FILE_NOT_FOUND");
    assert_eq!(place.refused("vault", "vault_search", json!({"query": "x", "root": "../x"})).code, "PATH_NOT_ALLOWED");
    let settings = Settings { search_lines: 2, ..Settings::default() };
    let place = Place::with_settings(&[("a.md", "x x\nx\nx\n"), ("sub/b.md", "x\n")], settings);
    let notes = |arguments| place.done("notes", "vault_search", arguments);
    assert_eq!(notes(json!({"query": "x", "root": "sub"}))["results"], json!([{"path": "sub/b.md", "line": 1, "text": "x"}]));
    let (mut lines, mut page) = (Vec::new(), notes(json!({"query": "x"})));
    while let Some(cursor) = page["cursor"].as_str() {
        assert_eq!(page["truncated"], true);
        lines.extend(page["results"].as_array().unwrap().clone());
        page = notes(json!({"query": "x", "cursor": cursor}));
    }
    lines.extend(page["results"].as_array().unwrap().clone());
    let places: Vec<(&str, u64)> =
        lines.iter().map(|line| (line["path"].as_str().unwrap(), line["line"].as_u64().unwrap())).collect();
    assert_eq!(places, [("a.md", 1), ("a.md", 2), ("a.md", 3), ("sub/b.md", 1)]);
}

#[test]
fn every_tool_knows_its_vault_and_its_root() {
    let place = small();
    for (tool, mut arguments) in [
        ("search_vault", json!({"query": "fog"})),
        ("search_text", json!({"query": "fog"})),
        ("search_regex", json!({"pattern": "fog"})),
        ("search_jsonlogic", json!({"logic": {"var": "path"}})),
        ("find_notes_by_property", json!({"filter": [{"key": "status", "op": "exists"}]})),
        ("list_tags", json!({})),
        ("find_notes_by_tag", json!({"tag": "work"})),
        ("find_orphans", json!({})),
        ("find_unresolved_links", json!({})),
    ] {
        let told = |change: Value| {
            let mut arguments = arguments.clone();
            arguments.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
            place.refused("engine", tool, arguments).code
        };
        assert_eq!(told(json!({"vault": "Not An Id"})), "invalid_input", "{tool}");
        assert_eq!(told(json!({"root": "Missing"})), "note_not_found", "{tool}");
        assert_eq!(told(json!({"root": "data.txt"})), "path_invalid", "{tool}");
        assert_eq!(told(json!({"root": "/Projects"})), "path_invalid", "{tool}");
        assert_eq!(told(json!({"root": "../outside"})), "path_invalid", "{tool}");
        assert_eq!(told(json!({"root": ".obsidian"})), "acl_denied", "{tool}");
        assert_eq!(told(json!({"limit": 0})), "invalid_input", "{tool}");
        assert_eq!(told(json!({"cursor": "AQ"})), "invalid_input", "{tool}");
        assert_eq!(told(json!({"unknown": 1})), "invalid_input", "{tool}");
        arguments["vault"] = json!("vault");
        arguments["limit"] = json!(100_000);
        arguments["root"] = json!("Projects");
        assert_eq!(place.answer(tool, arguments)["overflow"], true, "{tool}");
    }
}
