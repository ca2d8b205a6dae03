//! The pages of the example vault that show each query language, answered as a person sees them.

use std::fs;
use std::path::Path;

use quillgate_tools::Settings;
use quillgate_vault::Access;
use serde_json::{Value, json};

use crate::place::Place;

/// The example vault, as it is laid out by the demo; its pictures say nothing to a query.
fn example() -> Place {
    let mut files = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/vault"), "", &mut files);
    Place::with_access(&files, Settings::default(), &Access::unrestricted())
}

fn collect(folder: &Path, below: &str, files: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{below}{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            collect(&entry.path(), &format!("{path}/"), files);
        } else if let Ok(text) = fs::read_to_string(entry.path()) {
            files.push((path, text));
        }
    }
}

fn page(place: &Place, name: &str) -> Value {
    let path = format!("Reference/Queries/{name}.md");
    place.done("engine", "read_note", json!({"path": path, "render_queries": true, "include_frontmatter": false}))
}

#[test]
fn every_page_is_answered_as_it_was_reviewed() {
    let place = example();
    for name in ["Bases", "Dataview", "Search", "Tasks"] {
        let answer = page(&place, name);
        let queries = answer["queries"].as_array().unwrap().iter().map(|query| {
            let error = query["error"].as_str().map(|error| format!(" {error}")).unwrap_or_default();
            format!("line {} {}{error}\n", query["line"], query["language"].as_str().unwrap())
        });
        let shown = format!("{}\n---\n{}", answer["content"].as_str().unwrap(), queries.collect::<String>());
        insta::assert_snapshot!(name, shown);
    }
}

#[test]
fn a_part_of_a_page_is_answered_alone() {
    let place = example();
    let arguments = json!({"path": "Reference/Queries/Dataview.md", "render_queries": true, "section": "Who leads what"});
    let answer = place.done("engine", "read_note", arguments);
    let content = answer["content"].as_str().unwrap();
    assert!(content.starts_with("## Who leads what") && content.contains("Fog signal") && !content.contains("LIST"), "{content}");
    assert_eq!(answer["queries"], json!([{"line": 22, "language": "dataview"}]));
    assert_eq!(answer["showing"], json!([20, 28]));
}

#[test]
fn without_being_asked_nothing_is_answered() {
    let place = example();
    let answer = place.done("engine", "read_note", json!({"path": "Reference/Queries/Tasks.md"}));
    assert!(answer["content"].as_str().unwrap().contains("```tasks") && answer.get("queries").is_none());
}

#[test]
fn queries_in_quotes_and_in_lines_stand_where_they_stood() {
    let text =
        "---\nn: 4\n---\n> [!note]\n> ```dataview\n> LIST FROM \"x\"\n> ```\n> end\n\nn is `= this.n`, not `n = 4`, `$= dv.x`.\n";
    let place = Place::new(&[("a.md", text), ("x/b.md", "b"), ("x/c.md", "c")]);
    let answer = place.done("engine", "read_note", json!({"path": "a.md", "render_queries": true, "include_frontmatter": false}));
    let expected = "> [!note]\n> - [[x/b.md|b]]\n> - [[x/c.md|c]]\n> end\n\nn is 4, not `n = 4`, `$= dv.x`.\n";
    assert_eq!(answer["content"], expected);
    assert_eq!(answer["queries"][2]["error"], "JavaScript of Dataview is never run here; a DQL query can be");
}

fn answered(text: &str, more: Value) -> Value {
    let base = "views:\n  - type: table\n    name: All\n    filters: file.folder == \"x\"\n    order: [file.name]\n";
    let place = Place::new(&[("a.md", text), ("x/b.md", "b"), ("B.base", base)]);
    let mut arguments = json!({"path": "a.md", "render_queries": true});
    arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    place.done("engine", "read_note", arguments)
}

#[test]
fn a_query_is_answered_whole_wherever_the_part_ends() {
    let text = "one\n```dataview\nLIST\nFROM \"x\"\n```\ntwo\n```dataview\nLIST FROM \"x\"\n```\n";
    let content = |offset: usize, limit: usize| answered(text, json!({"offset": offset, "limit": limit}))["content"].clone();
    assert_eq!(content(1, 2), "one\n- [[x/b.md|b]]");
    // Its first line is not shown, so neither is its answer.
    assert_eq!(content(4, 5), "FROM \"x\"\n```\ntwo\n- [[x/b.md|b]]");
}

#[test]
fn answers_without_rows_say_so() {
    let text = "```dataview\nLIST FROM \"y\"\n```\n\n```dataview\nCALENDAR file.day\n```\n\n`= \"\"`\n";
    assert_eq!(answered(text, json!({}))["content"], "No results\n\nNo results\n\n\n");
}

#[test]
fn embedded_bases_stand_in_lines_of_their_own() {
    let table = |prefix: &str| format!("| file.name |\n{prefix}| --- |\n{prefix}| b.md |");
    let check = |text: &str, expected: String| assert_eq!(answered(text, json!({}))["content"], expected, "{text}");
    check("![[B.base]]\n", format!("{}\n", table("")));
    check("see ![[B.base#All]], it is all\n", format!("see \n\n{}\n\n, it is all\n", table("")));
    check("> see ![[B.base]]\n", format!("> see \n>\n> {}\n", table("> ")));
    check("- ![[B.base]]\n", format!("- {}\n", table("  ")));
    let answer = answered("![[B.base#None]]\n", json!({}));
    assert_eq!(answer["queries"][0]["error"], "names no view; the base has no view \"None\"; its views are All");
}

#[test]
fn the_settings_of_the_plugin_say_what_is_a_query() {
    let settings = json!({"inlineQueryPrefix": "dv:", "dataviewJsKeyword": "js-view", "renderNullAs": "none"}).to_string();
    let text = "`dv: null` and `= 1`\n\n```js-view\ndv.list([])\n```\n";
    let place = Place::new(&[("a.md", text), (".obsidian/plugins/dataview/data.json", &settings)]);
    let answer = place.done("engine", "read_note", json!({"path": "a.md", "render_queries": true}));
    let expected = "none and `= 1`\n\n> [!error] js-view: JavaScript of Dataview is never run here; a DQL query can be\n";
    assert_eq!(answer["content"], expected);
    place.put(".obsidian/plugins/dataview/data.json", "{");
    let answer = place.done("engine", "read_note", json!({"path": "a.md", "render_queries": true}));
    assert!(answer["content"].as_str().unwrap().starts_with("`dv: null` and 1\n"), "{answer}");
}
