//! The `engine` surface: files that are no notes.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use quillgate_tools::Consent;
use serde_json::{Value, json};

use crate::asking::{asked, failed, paths, refused, unasked, without_effect};
use crate::place::Place;

fn place() -> Place {
    Place::new(&[
        ("img/a.png", "picture"),
        ("img/b.JPG", "photo"),
        ("doc.pdf", "%PDF"),
        ("strange.xyz", ""),
        ("bare", "x"),
        ("note.md", "![[a.png]] ![[a.png|100]] [p](doc.pdf#page=2) [[img/a.png]]\n"),
        ("sub/other.md", "![x](../img/a.png)\n"),
        ("board.canvas", r#"{"nodes":[{"type":"file","file":"doc.pdf"}]}"#),
        ("table.base", "views: []\n"),
    ])
}

fn listed(place: &Place, arguments: Value) -> Vec<String> {
    let page = without_effect(place, "list_attachments", arguments);
    let items = page["items"].as_array().unwrap();
    assert!(page["cursor"].is_string() || page["total_count"].as_u64().unwrap() as usize >= items.len());
    items.iter().map(|item| format!("{} {}", item["path"].as_str().unwrap(), item["reference_count"])).collect()
}

#[test]
fn attachments_are_listed_with_their_references() {
    let place = place();
    let all = without_effect(&place, "list_attachments", json!({"limit": 2}));
    assert_eq!(all["total_count"], 5);
    let first = &all["items"][0];
    assert_eq!(
        (&first["path"], &first["size_bytes"], &first["mime"], &first["reference_count"]),
        (&json!("bare"), &json!(1), &json!("application/octet-stream"), &json!(0))
    );
    assert!(first["mtime"].as_str().unwrap().ends_with('Z'));
    let next = listed(&place, json!({"limit": 2, "cursor": all["cursor"]}));
    assert_eq!(next, ["img/a.png 4", "img/b.JPG 0"]);
    assert_eq!(listed(&place, json!({})), ["bare 0", "doc.pdf 2", "img/a.png 4", "img/b.JPG 0", "strange.xyz 0"]);
    assert_eq!(listed(&place, json!({"root": "img"})), ["img/a.png 4", "img/b.JPG 0"]);
    assert_eq!(listed(&place, json!({"extensions": [".jpg", "PDF"]})), ["doc.pdf 2", "img/b.JPG 0"]);
    assert_eq!(listed(&place, json!({"referenced_only": true})), ["doc.pdf 2", "img/a.png 4"]);
    assert_eq!(listed(&place, json!({"orphans_only": true, "root": "img"})), ["img/b.JPG 0"]);
    assert_eq!(refused(&place, "list_attachments", json!({"orphans_only": true, "referenced_only": true})), "invalid_input");
    assert_eq!(refused(&place, "list_attachments", json!({"root": "nowhere"})), "note_not_found");
    assert_eq!(refused(&place, "list_attachments", json!({"cursor": "x"})), "invalid_input");
}

#[test]
fn an_attachment_is_told_and_its_bytes_returned_when_asked_for() {
    let place = place();
    let told = without_effect(&place, "get_attachment", json!({"path": "img/b.JPG"}));
    assert_eq!((&told["size_bytes"], &told["mime"], told.get("data_base64")), (&json!(5), &json!("image/jpeg"), None));
    let data = without_effect(&place, "get_attachment", json!({"path": "img/b.JPG", "include_data": true}));
    assert_eq!((data["data_base64"].as_str().unwrap(), data.get("truncated")), (BASE64_STANDARD.encode("photo").as_str(), None));
    let cut = without_effect(&place, "get_attachment", json!({"path": "img/b.JPG", "include_data": true, "max_bytes": 3}));
    assert_eq!(
        (&cut["data_base64"], &cut["truncated"], &cut["size_bytes"]),
        (&json!(BASE64_STANDARD.encode("pho")), &json!(true), &json!(5))
    );
    let code = |path: &str| refused(&place, "get_attachment", json!({"path": path}));
    assert_eq!((code("none.png"), code("img")), ("note_not_found".into(), "path_invalid".into()));
    assert_eq!((code("../a.png"), code(".obsidian/app.json")), ("path_invalid".into(), "acl_denied".into()));
    // Whoever may read attachments may not read notes that way.
    for note in ["note.md", "board.canvas", "table.base", "NOTE.MD"] {
        assert_eq!(code(note), "invalid_input", "{note}");
    }
    place.put("large.bin", vec![7; (1 << 20) + 1]);
    assert_eq!(without_effect(&place, "get_attachment", json!({"path": "large.bin"}))["size_bytes"], (1 << 20) + 1);
    assert_eq!(refused(&place, "get_attachment", json!({"path": "large.bin", "include_data": true})), "overflow");
}

#[test]
fn an_attachment_moves_with_the_links_to_it() {
    let place = place();
    let done = unasked(&place, "move_attachment", json!({"from": "img/a.png", "to": "media/A b.png"}));
    assert!(done["moved_at"].as_str().unwrap().ends_with('Z'));
    assert_eq!(
        (&done["from"], &done["to"], &done["references_updated"]),
        (&json!("img/a.png"), &json!("media/A b.png"), &json!(4))
    );
    assert_eq!(place.text("note.md"), "![[A b.png]] ![[A b.png|100]] [p](doc.pdf#page=2) [[media/A b.png]]\n");
    assert_eq!(place.text("sub/other.md"), "![x](../media/A%20b.png)\n");
    let left = unasked(&place, "move_attachment", json!({"from": "doc.pdf", "to": "x/doc2.pdf", "update_references": false}));
    assert_eq!(left["references_updated"], 0);
    assert!(place.text("board.canvas").contains("\"doc.pdf\""));
    let code = |from: &str, to: &str| refused(&place, "move_attachment", json!({"from": from, "to": to}));
    assert_eq!(code("media/A b.png", "img/b.JPG"), "note_exists");
    assert_eq!(code("none.png", "x.png"), "note_not_found");
    assert_eq!(code("note.md", "x.png"), "invalid_input");
    assert_eq!(code("img/b.JPG", "note2.md"), "invalid_input");
    assert_eq!(code("img/b.JPG", "../x.png"), "path_invalid");
    assert_eq!(code("img", "images"), "path_invalid");
    assert_eq!(code("img/b.JPG", ".trash/x.png"), "acl_denied");
    place.put("large.bin", vec![7; (1 << 20) + 1]);
    unasked(&place, "move_attachment", json!({"from": "large.bin", "to": "x/large.bin"}));
    assert_eq!(paths(&place).last().unwrap(), "x/large.bin");
}

#[test]
fn a_human_is_asked_before_an_attachment_with_many_references_moves() {
    let links = |count: usize| "![[pic.png]]\n".repeat(count);
    let place = Place::new(&[("pic.png", "x"), ("note.md", &links(11))]);
    let call = json!({"from": "pic.png", "to": "img/pic.png"});
    assert_eq!(asked(&place, "move_attachment", call.clone())["reasons"], json!(["11 links lead to it"]));
    assert_eq!(place.answer("move_attachment", call.clone())["references_updated"], 0, "they mean it still");
    let place = Place::new(&[("pic.png", "x"), ("note.md", &links(10))]);
    unasked(&place, "move_attachment", call);
}

#[test]
fn an_attachment_is_deleted_to_the_trash_or_for_good() {
    let place = place();
    let done = unasked(&place, "delete_attachment", json!({"path": "img/b.JPG"}));
    assert!(done["deleted_at"].as_str().unwrap().ends_with('Z'));
    assert_eq!(
        (&done["path"], &done["recoverable"], &done["references_at_delete"]),
        (&json!("img/b.JPG"), &json!(true), &json!(0))
    );
    assert_eq!(place.text(".trash/b.JPG"), "photo");
    let gone = unasked(&place, "delete_attachment", json!({"path": "strange.xyz", "hard": true}));
    assert_eq!(gone["recoverable"], false);
    assert!(!place.on_disk(".trash/strange.xyz").exists() && !place.on_disk("strange.xyz").exists());
    for force in [false, true] {
        let proposed = asked(&place, "delete_attachment", json!({"path": "img/a.png", "force": force}));
        assert!(proposed["reasons"][0].as_str().unwrap().starts_with("4 links lead to img/a.png"), "{proposed}");
        assert_eq!(proposed["files"], json!([{"path": "img/a.png", "change": "delete", "diff": proposed["files"][0]["diff"]}]));
    }
    let done = place.answer("delete_attachment", json!({"path": "img/a.png", "force": true}));
    assert_eq!(done["references_at_delete"], 4);
    assert_eq!(place.text("sub/other.md"), "![x](../img/a.png)\n");
    let code = |path: &str| refused(&place, "delete_attachment", json!({"path": path}));
    assert_eq!((code("img/a.png"), code("img")), ("note_not_found".into(), "path_invalid".into()));
    assert_eq!((code("note.md"), code("board.canvas")), ("invalid_input".into(), "invalid_input".into()));
    assert_eq!((code("/doc.pdf"), code(".git/x")), ("path_invalid".into(), "acl_denied".into()));
    place.put("large.bin", vec![7; (1 << 20) + 1]);
    place.put("sub/large.md", "![[large.bin]]");
    let large = failed(&place, Consent::AskIfNeeded, "delete_attachment", json!({"path": "large.bin"}));
    assert_eq!(large["code"], "elicit_required");
    place.answer("delete_attachment", json!({"path": "large.bin"}));
    assert!(place.on_disk(".trash/large.bin").exists());
}
