//! The `engine` surface: Excalidraw drawings.

use quillgate_markdown::compressed_scene;
use quillgate_tools::Consent;
use serde_json::{Value, json};

use crate::asking::{asked, failed, refused, unasked, without_effect};
use crate::place::Place;

const SCENE: &str = "{\n\t\"type\": \"excalidraw\",\n\t\"version\": 2,\n\t\"elements\": [\n\t\t{\n\t\t\t\"id\": \"aaaaaaaa\",\n\t\t\t\"type\": \"text\",\n\t\t\t\"x\": 1.50,\n\t\t\t\"y\": 2,\n\t\t\t\"text\": \"Lamp\",\n\t\t\t\"originalText\": \"Lamp\",\n\t\t\t\"rawText\": \"[[Lamp]]\",\n\t\t\t\"future\": {\"k\": 1e3}\n\t\t},\n\t\t{\n\t\t\t\"id\": \"box\",\n\t\t\t\"type\": \"rectangle\",\n\t\t\t\"x\": 0,\n\t\t\t\"y\": 0,\n\t\t\t\"link\": \"[[Storm]]\"\n\t\t},\n\t\t{\n\t\t\t\"id\": \"img\",\n\t\t\t\"type\": \"image\",\n\t\t\t\"x\": 0,\n\t\t\t\"y\": 0,\n\t\t\t\"fileId\": \"f1\"\n\t\t},\n\t\t{\n\t\t\t\"id\": \"old\",\n\t\t\t\"type\": \"line\",\n\t\t\t\"x\": 0,\n\t\t\t\"y\": 0,\n\t\t\t\"isDeleted\": true\n\t\t}\n\t],\n\t\"appState\": {\n\t\t\"theme\": \"light\"\n\t},\n\t\"files\": {}\n}";

const HEAD: &str = "---\nexcalidraw-plugin: parsed\ntags: [excalidraw]\n---\nback of the note\n\n# Excalidraw Data\n\n";
const SECTIONS: &str =
    "## Text Elements\n[[Lamp]] ^aaaaaaaa\n\n## Element Links\nbox: [[Storm]]\n\n## Embedded Files\nf1: [[a.png]]\n\n";

fn plain() -> String {
    format!("{HEAD}{SECTIONS}%%\n## Drawing\n```json\n{SCENE}\n```\n%%")
}

fn packed() -> String {
    format!("{HEAD}{SECTIONS}%%\n## Drawing\n```compressed-json\n{}\n```\n%%", compressed_scene(SCENE))
}

fn place() -> Place {
    Place::new(&[
        ("Plain.excalidraw.md", &plain()),
        ("Packed.md", &packed()),
        ("Old.excalidraw", SCENE),
        ("Bad.excalidraw", "{\"elements\": [\n1,]}"),
        ("Damaged.md", &packed().replace("compressed-json\nN4", "compressed-json\n!N4")),
        ("Bare.md", "---\nexcalidraw-plugin: parsed\n---\n"),
        ("note.md", "text\n"),
    ])
}

#[test]
fn drawings_are_read_in_all_their_forms() {
    let place = place();
    for path in ["Plain.excalidraw.md", "Packed.md", "Old.excalidraw"] {
        let read = without_effect(&place, "read_excalidraw", json!({"path": path}));
        let ids: Vec<&str> = read["elements"].as_array().unwrap().iter().map(|e| e["id"].as_str().unwrap()).collect();
        assert_eq!(ids, ["aaaaaaaa", "box", "img"], "what was deleted is not shown");
        assert_eq!((&read["text_content"], &read["source"]), (&json!("[[Lamp]]"), &json!("native")));
        assert_eq!(read["app_state"], json!({"theme": "light"}));
        let files = if path == "Old.excalidraw" { json!([]) } else { json!([{"file_id": "f1", "target": "[[a.png]]"}]) };
        assert_eq!(read["embedded_files"], files);
    }
    let text = without_effect(&place, "read_excalidraw", json!({"path": "Packed.md", "format": "text"}));
    assert_eq!((text.get("elements"), &text["text_content"]), (None, &json!("[[Lamp]]")));
    let elements = without_effect(&place, "read_excalidraw", json!({"path": "Packed.md", "format": "elements"}));
    assert_eq!(elements.get("text_content"), None);
    for (path, words) in [
        ("Bad.excalidraw", "(line 2, column 3)"),
        ("Damaged.md", "no letter of Base64"),
        ("Bare.md", "no section Drawing"),
        ("note.md", "no property excalidraw-plugin"),
    ] {
        let body = failed(&place, Consent::Standing, "read_excalidraw", json!({"path": path}));
        assert_eq!(body["code"], "invalid_input");
        assert!(body["message"].as_str().unwrap().contains(words), "{body}");
        assert_eq!(refused(&place, "update_excalidraw", json!({"path": path, "update_app_state": {"a": 1}})), "invalid_input");
    }
    assert_eq!(refused(&place, "read_excalidraw", json!({"path": "x.png"})), "invalid_input");
    assert_eq!(refused(&place, "read_excalidraw", json!({"path": "gone.md"})), "note_not_found");
}

fn update() -> Value {
    json!({
        "add_elements": [{"id": "new_text", "type": "text", "x": 1, "y": 1, "text": "added\nlines"}, {"id": "arrow", "type": "arrow", "x": 0, "y": 0, "link": "https://x.example"}],
        "remove_element_ids": ["img"],
        "update_elements": {"aaaaaaaa": {"text": "[[Lantern]]"}, "box": {"link": null, "width": 10}},
        "update_app_state": {"theme": "dark"}
    })
}

fn updated_scene() -> String {
    SCENE
        .replace("\"text\": \"Lamp\"", "\"text\": \"[[Lantern]]\"")
        .replace("\"originalText\": \"Lamp\"", "\"originalText\": \"[[Lantern]]\"")
        .replace("\"rawText\": \"[[Lamp]]\"", "\"rawText\": \"[[Lantern]]\"")
        .replace(",\n\t\t\t\"link\": \"[[Storm]]\"", ",\n\t\t\t\"width\": 10")
        .replace("\t\t{\n\t\t\t\"id\": \"img\",\n\t\t\t\"type\": \"image\",\n\t\t\t\"x\": 0,\n\t\t\t\"y\": 0,\n\t\t\t\"fileId\": \"f1\"\n\t\t},\n", "")
        .replace("\"isDeleted\": true\n\t\t}", "\"isDeleted\": true\n\t\t},\n\t\t{\n\t\t\t\"id\": \"new_text\",\n\t\t\t\"type\": \"text\",\n\t\t\t\"x\": 1,\n\t\t\t\"y\": 1,\n\t\t\t\"text\": \"added\\nlines\"\n\t\t},\n\t\t{\n\t\t\t\"id\": \"arrow\",\n\t\t\t\"type\": \"arrow\",\n\t\t\t\"x\": 0,\n\t\t\t\"y\": 0,\n\t\t\t\"link\": \"https://x.example\"\n\t\t}")
        .replace("light", "dark")
}

#[test]
fn the_sections_of_the_note_follow_the_elements() {
    let place = place();
    let sections = "## Text Elements\n[[Lantern]] ^aaaaaaaa\n\nadded\nlines ^new_text\n\n## Element Links\narrow: https://x.example\n\n## Embedded Files\n";
    let scene = updated_scene();
    for (path, expected) in [
        ("Plain.excalidraw.md", format!("{HEAD}{sections}%%\n## Drawing\n```json\n{scene}\n```\n%%")),
        ("Packed.md", format!("{HEAD}{sections}%%\n## Drawing\n```compressed-json\n{}\n```\n%%", compressed_scene(&scene))),
        ("Old.excalidraw", scene.clone()),
    ] {
        let mut call = update();
        call["path"] = json!(path);
        let done = unasked(&place, "update_excalidraw", call);
        assert_eq!(done["applied"], json!({"added": 2, "removed": 1, "updated": 2}));
        assert_eq!(place.text(path), expected);
        without_effect(&place, "update_excalidraw", json!({"path": path}));
    }
}

#[test]
fn an_update_that_does_not_fit_changes_nothing() {
    let place = place();
    for (call, words) in [
        (json!({"remove_element_ids": ["q"]}), "there are aaaaaaaa, box, img, old"),
        (json!({"add_elements": [{"id": "box", "type": "line", "x": 0, "y": 0}]}), "which is taken"),
        (json!({"add_elements": [{"id": "t", "type": "text", "x": 0, "y": 0, "text": "x"}]}), "needs 8 letters"),
        (json!({"add_elements": [{"id": "i", "type": "image", "x": 0, "y": 0, "fileId": "f2"}]}), "no such file; there are f1"),
        (json!({"add_elements": [{"type": "line", "x": "0"}]}), "add_elements[0].id is required"),
        (json!({"update_elements": {"box": {"x": null}}}), "update_elements.box.x is required"),
        (json!({"update_elements": {"box": 1}}), "expected an object"),
        (json!({"update_elements": {"box": {"x": 1}}, "remove_element_ids": ["box"]}), "is removed"),
    ] {
        let mut call = call;
        call["path"] = json!("Plain.excalidraw.md");
        let body = failed(&place, Consent::Standing, "update_excalidraw", call);
        assert!(body["message"].as_str().unwrap().contains(words), "{body}");
    }
    assert_eq!(place.text("Plain.excalidraw.md"), plain());
    let stale = json!({"path": "Packed.md", "expected_hash": "0".repeat(64)});
    assert_eq!(refused(&place, "update_excalidraw", stale), "concurrent_modification");
}

#[test]
fn a_drawing_that_was_created_can_be_read_and_changed() {
    let place = place();
    let elements = json!([{"id": "t0000001", "type": "text", "x": 0, "y": 0, "text": "hello"}, {"id": "r", "type": "rectangle", "x": 0, "y": 0, "link": "[[note]]"}]);
    for (path, template) in
        [("d/Made.excalidraw.md", "custom"), ("Made packed.excalidraw.md", "compressed-json"), ("Made.excalidraw", "custom")]
    {
        let made = unasked(&place, "create_excalidraw", json!({"path": path, "template": template, "elements": elements}));
        assert_eq!(made["plugin_used"], false);
        let read = without_effect(&place, "read_excalidraw", json!({"path": path}));
        assert_eq!((&read["elements"], &read["text_content"]), (&elements, &json!("hello")));
        unasked(&place, "update_excalidraw", json!({"path": path, "remove_element_ids": ["t0000001", "r"]}));
        let read = without_effect(&place, "read_excalidraw", json!({"path": path}));
        assert_eq!((&read["elements"], &read["text_content"]), (&json!([]), &json!("")));
        assert!(!place.text(path).contains("[[note]]") && !place.text(path).contains("hello"));
    }
    unasked(&place, "create_excalidraw", json!({"path": "Blank.excalidraw.md"}));
    assert!(place.text("Blank.excalidraw.md").contains("\"elements\": []"));
    assert_eq!(refused(&place, "create_excalidraw", json!({"path": "Blank.excalidraw.md"})), "note_exists");
    assert_eq!(refused(&place, "create_excalidraw", json!({"path": "B.excalidraw.md", "elements": elements})), "invalid_input");
    assert_eq!(
        refused(&place, "create_excalidraw", json!({"path": "B.excalidraw", "template": "compressed-json"})),
        "invalid_input"
    );
    asked(&place, "create_excalidraw", json!({"path": "note.md", "overwrite": true}));
}

#[test]
fn an_old_text_with_another_id_can_be_moved() {
    let place = place();
    let note = "---\nexcalidraw-plugin: raw\n---\n%%\n# Drawing\n```json\n{\"elements\":[{\"id\":\"q\",\"type\":\"text\",\"x\":1,\"y\":2,\"text\":\"Q\"}]}\n```\n%%\n";
    place.put("Raw.md", note);
    place.answer("update_excalidraw", json!({"path": "Raw.md", "update_elements": {"q": {"x": 5}}}));
    assert_eq!(place.text("Raw.md"), note.replace("\"x\":1", "\"x\":5"));
    let reworded = json!({"path": "Raw.md", "update_elements": {"q": {"text": "new"}}});
    assert_eq!(refused(&place, "update_excalidraw", reworded), "invalid_input", "the note could not repeat it");
}
