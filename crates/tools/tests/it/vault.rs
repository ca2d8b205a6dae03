//! The `vault` surface: finding and listing.

use serde_json::json;

use crate::place::Place;

fn small() -> Place {
    Place::new(&[
        ("Projects/Plan.md", "---\ntags: [work, plan]\n---\n# Plan\n\nThe Straße is long.\n"),
        ("Projects/Deep/x.md", "x"),
        ("readme.txt", "plain\n"),
        (".hidden/secret.md", "plan"),
    ])
}

#[test]
fn list_all_shows_every_visible_file_with_its_tags() {
    let mut all = small().done("vault", "vault_list_all", json!({}));
    assert_eq!(all["total_files"], 3);
    let files = all["files"].as_array_mut().unwrap();
    files.iter_mut().for_each(|file| assert!(file["modified"].take().as_str().unwrap().ends_with('Z')));
    assert_eq!(
        json!(files),
        json!([
            {"path": "Projects/Deep/x.md", "size": 1, "modified": null, "tags": []},
            {"path": "Projects/Plan.md", "size": 56, "modified": null, "tags": ["work", "plan"]},
            {"path": "readme.txt", "size": 6, "modified": null, "tags": []},
        ])
    );
}

#[test]
fn list_shows_one_level() {
    let place = small();
    let mut top = place.done("vault", "vault_list", json!({}));
    top["entries"][1]["modified"] = json!("…");
    let entries = json!([
        {"name": "Projects", "type": "folder", "children": 2},
        {"name": "readme.txt", "type": "file", "size": 6, "modified": "…"},
    ]);
    assert_eq!(top, json!({"path": "/", "entries": entries, "total_entries": 2}));
    let folder = place.done("essentials", "vault_list", json!({"path": "Projects"}));
    assert_eq!((&folder["total_entries"], &folder["entries"][0]["children"]), (&json!(2), &json!(1)));
    assert_eq!(place.refused("vault", "vault_list", json!({"path": "missing"})).code, "FILE_NOT_FOUND");
    assert_eq!(place.refused("vault", "vault_list", json!({"path": ".obsidian"})).code, "PATH_NOT_ALLOWED");
}

#[test]
fn search_finds_names_then_tags_then_text() {
    let place = small();
    let found = place.done("vault", "vault_search", json!({"query": "PLAN"}));
    let results = json!([
        {"path": "Projects/Plan.md", "match_type": "filename", "snippet": "Projects/**Plan**.md", "line": 1},
        {"path": "Projects/Plan.md", "match_type": "tag", "snippet": "tags: [work, **plan**]", "line": 2},
        {"path": "Projects/Plan.md", "match_type": "content", "snippet": "# **Plan**", "line": 4},
    ]);
    assert_eq!(found, json!({"query": "PLAN", "total_matches": 3, "results": results}));
    let first = place.done("vault", "vault_search", json!({"query": "plan", "max_results": 1}));
    assert_eq!((&first["total_matches"], first["results"].as_array().unwrap().len()), (&found["total_matches"], 1));
}

#[test]
fn search_folds_case_in_full_and_its_line_can_be_read() {
    let place = small();
    let found = place.done("vault", "vault_search", json!({"query": "STRASSE IS"}));
    assert_eq!(found["results"][0]["snippet"], "The **Straße is** long.");
    let line = &found["results"][0]["line"];
    let read = place.done("vault", "vault_read", json!({"path": "Projects/Plan.md", "offset": line, "limit": 1}));
    assert_eq!(read["content"], "The Straße is long.\n");
    assert_eq!(place.done("vault", "vault_search", json!({"query": "nowhere at all"}))["total_matches"], 0);
    assert_eq!(place.refused("vault", "vault_search", json!({"query": ""})).code, "INVALID_INPUT");
}

#[test]
fn unknown_tools_and_fields_are_named() {
    let place = small();
    assert_eq!(place.refused("vault", "vault_explode", json!({})).code, "-32602");
    let refused = place.refused("vault", "vault_read", json!({"pth": "a.md"}));
    assert_eq!(refused.code, "INVALID_INPUT");
    assert!(refused.message.contains("did you mean path?"), "{}", refused.message);
}
