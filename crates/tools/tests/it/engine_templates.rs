//! The `engine` surface: templates.

use quillgate_tools::{Answer, Consent};
use quillgate_vault::ContentHash;
use serde_json::{Value, json};

use crate::asking::{asked, failed, refused, without_effect};
use crate::place::Place;

const SETTINGS: (&str, &str) = (".obsidian/templates.json", r#"{"folder": "Templates", "dateFormat": "YYYY"}"#);

#[track_caller]
fn execute(place: &Place, arguments: Value) -> Value {
    match place.call_with(Consent::Standing, "engine", "execute_template", arguments) {
        Answer::Result { structured: Some(answer), is_error: false, .. } => answer,
        other => panic!("execute_template failed: {other:?}"),
    }
}

#[test]
fn templates_are_listed_with_what_they_need() {
    let place = Place::new(&[
        SETTINGS,
        (".obsidian/plugins/templater-obsidian/data.json", r#"{"templates_folder": "Templater"}"#),
        ("Templates/Meeting.md", "{{title}} {{who}} {{date}}"),
        ("Templates/sub/Script.md", "<%* tp.file.move('x') %>"),
        ("Templater/T.md", "<% tp.date.now() %>"),
        ("Templates/picture.png", "x"),
        ("Other.md", "x"),
    ]);
    let items = json!([
        {"path": "Templater/T.md", "name": "T", "has_user_functions": false},
        {"path": "Templates/Meeting.md", "name": "Meeting", "has_user_functions": false, "parameters": ["who"]},
        {"path": "Templates/sub/Script.md", "name": "Script", "has_user_functions": true},
    ]);
    assert_eq!(without_effect(&place, "list_templates", json!({})), json!({"items": items}));
    assert_eq!(without_effect(&Place::new(&[]), "list_templates", json!({})), json!({"items": []}));
    let malformed = Place::new(&[(".obsidian/templates.json", "nothing")]);
    assert_eq!(refused(&malformed, "list_templates", json!({})), "invalid_input");
}

#[test]
fn a_note_is_made_once_somebody_has_agreed() {
    let template = "---\ntags: [met]\nname: \"{{title}}\"\n---\n# {{who}} <% tp.file.folder() %> <% tp.file.cursor() %>\n";
    let place = Place::new(&[
        SETTINGS,
        ("Templates/Meeting.md", template),
        ("Full.md", "text\n"),
        ("Bare.md", "---\nname: mine\ntags: [a]\n---\n"),
    ]);
    let arguments = json!({"template": "Meeting", "target": "Work/Ann.md", "args": {"who": "Ann", "n": 1}});
    asked(&place, "execute_template", arguments.clone());
    let done = execute(&place, arguments.clone());
    let text = "---\ntags: [met]\nname: \"Ann\"\n---\n# Ann Work <% tp.file.cursor() %>\n";
    assert_eq!(place.text("Work/Ann.md"), text);
    assert_eq!(
        (&done["template"], &done["target"], &done["source"]),
        (&json!("Templates/Meeting.md"), &json!("Work/Ann.md"), &json!("native"))
    );
    assert_eq!(
        (&done["content_hash"], &done["expanded_size"]),
        (&json!(ContentHash::of(text.as_bytes()).to_string()), &json!(text.len()))
    );
    assert_eq!(
        (&done["unexpanded"][0]["command"], &done["unexpanded"][0]["line"]),
        (&json!("<% tp.file.cursor() %>"), &json!(5))
    );
    assert_eq!(refused(&place, "execute_template", arguments), "note_exists");
    assert_eq!(refused(&place, "execute_template", json!({"template": "Meeting", "target": "Full.md"})), "note_exists");
    execute(&place, json!({"template": "Templates/Meeting.md", "target": "Full.md", "overwrite": true, "args": {"who": "B"}}));
    assert!(place.text("Full.md").starts_with("---\ntags: [met]\nname: \"Full\"\n---\n# B"));
    // A note that has only properties keeps them.
    execute(&place, json!({"template": "Meeting", "target": "Bare.md", "args": {"who": "C"}}));
    assert!(place.text("Bare.md").starts_with("---\nname: mine\ntags: [a, met]\n---\n# C"), "{}", place.text("Bare.md"));
}

#[test]
fn what_cannot_be_made_is_refused() {
    let place = Place::new(&[
        SETTINGS,
        ("Templates/T.md", "---\nname: {{title}}\n---\n"),
        ("Templates/bad.md", "---\nname: {{x}}: {{x}}: [\n---\n"),
    ]);
    let code = |arguments: Value| refused(&place, "execute_template", arguments);
    assert_eq!(code(json!({"template": "None", "target": "x.md"})), "note_not_found");
    assert_eq!(code(json!({"template": "T", "target": "x"})), "invalid_input");
    assert_eq!(code(json!({"template": "T", "target": "../x.md"})), "path_invalid");
    assert_eq!(code(json!({"template": "T", "target": ".obsidian/x.md"})), "acl_denied");
    assert_eq!(code(json!({"template": "../T", "target": "x.md"})), "path_invalid");
    assert_eq!(code(json!({"template": "bad", "target": "x.md", "args": {"x": "a"}})), "invalid_input");
    assert_eq!(code(json!({"template": "T", "target": "a/b/x.md", "create_dirs": false})), "note_not_found");
    let listed = json!({"template": "T", "target": "x.md", "args": {"who": ["a"], "n": 1}});
    let body = failed(&place, Consent::Standing, "execute_template", listed);
    assert_eq!(body["details"]["issues"][0]["field"], "args.who", "{body}");
}
