//! The `engine` surface: daily notes and those of other periods.

use jiff::Zoned;
use quillgate_tools::Consent;
use serde_json::{Value, json};

use crate::asking::{asked, failed, refused, unasked, without_effect};
use crate::place::Place;

const CORE: (&str, &str) =
    (".obsidian/daily-notes.json", r#"{"folder": "Journal", "format": "YYYY/YYYY-MM-DD", "template": "Templates/Day"}"#);
const DAY: (&str, &str) =
    ("Templates/Day.md", "---\nkind: day\n---\n# {{date:dddd}} {{title}}\n\n## Log\n\n## Later\n<% tp.user.x() %>\n");

fn place() -> Place {
    Place::new(&[
        CORE,
        DAY,
        ("Journal/2026/2026-01-04.md", "---\nmood: calm\n---\nold\n"),
        ("Journal/moved/2025-12-31.md", "x"),
        ("Journal/2026/Notes.md", "x"),
        ("2026-01-05.md", "not in the folder"),
    ])
}

#[test]
fn a_note_is_read_where_the_vault_keeps_it() {
    let place = place();
    let note = without_effect(&place, "get_periodic_note", json!({"period": "daily", "date": "2026-01-04"}));
    let expected = json!({"period": "daily", "date": "2026-01-04", "path": "Journal/2026/2026-01-04.md", "exists": true,
        "content": "---\nmood: calm\n---\nold\n", "frontmatter": {"mood": "calm"}});
    assert_eq!(note, expected);
    let bare =
        without_effect(&place, "get_periodic_note", json!({"period": "daily", "date": "2026-01-04", "include_content": false}));
    assert_eq!((bare.get("content"), bare.get("frontmatter")), (None, None));
    let none = without_effect(&place, "get_periodic_note", json!({"period": "daily", "date": "2026-01-06"}));
    assert_eq!(none, json!({"period": "daily", "date": "2026-01-06", "path": "Journal/2026/2026-01-06.md", "exists": false}));
    let today = without_effect(&place, "get_periodic_note", json!({"period": "yearly"}));
    assert_eq!(today["path"], format!("{}.md", Zoned::now().year()));
    for (period, path, date) in [
        ("weekly", "2026-W02.md", "2026-01-04"),
        ("monthly", "2026-01.md", "2026-01-01"),
        ("quarterly", "2026-Q1.md", "2026-01-01"),
        ("yearly", "2026.md", "2026-01-01"),
    ] {
        let note = without_effect(&place, "get_periodic_note", json!({"period": period, "date": "2026-01-07"}));
        assert_eq!((&note["path"], &note["date"]), (&json!(path), &json!(date)));
    }
    let code = |arguments: Value| refused(&place, "get_periodic_note", arguments);
    assert_eq!(code(json!({"period": "hourly"})), "invalid_input");
    assert_eq!(code(json!({"period": "daily", "date": "tomorrow"})), "invalid_input");
    assert_eq!(code(json!({"period": "daily", "date": "2026-02-30"})), "invalid_input");
}

#[test]
fn a_note_is_made_from_its_template() {
    let place = place();
    let made = unasked(&place, "create_periodic_note", json!({"period": "daily", "date": "2026-01-06"}));
    let text = "---\nkind: day\n---\n# Tuesday 2026-01-06\n\n## Log\n\n## Later\n<% tp.user.x() %>\n";
    assert_eq!(place.text("Journal/2026/2026-01-06.md"), text);
    assert_eq!((&made["path"], &made["template_used"]), (&json!("Journal/2026/2026-01-06.md"), &json!("Templates/Day.md")));
    assert!(made["created_at"].as_str().unwrap().ends_with('Z'));
    assert_eq!((&made["unexpanded"][0]["line"], made["unexpanded"].as_array().unwrap().len()), (&json!(9), 1));
    assert_eq!(refused(&place, "create_periodic_note", json!({"period": "daily", "date": "2026-01-06"})), "note_exists");
    assert_eq!(
        refused(&place, "create_periodic_note", json!({"period": "daily", "date": "2026-01-07", "template_override": "No"})),
        "note_not_found"
    );
    place.put("Templates/Week.md", "# {{title}} {{date}} {{monday:YYYY-MM-DD}}\n");
    let made = unasked(
        &place,
        "create_periodic_note",
        json!({"period": "weekly", "date": "2026-01-07", "template_override": "Templates/Week"}),
    );
    assert_eq!((&made["path"], place.text("2026-W02.md").as_str()), (&json!("2026-W02.md"), "# 2026-W02 2026-W02 2026-01-05\n"));
    let made = unasked(&place, "create_periodic_note", json!({"period": "monthly", "date": "2026-01-07"}));
    assert_eq!((&made["template_used"], place.text("2026-01.md").as_str()), (&Value::Null, ""));
}

#[test]
fn a_note_is_found_or_made() {
    let place = place();
    let arguments = json!({"period": "daily", "date": "2026-01-04"});
    let found = without_effect(&place, "find_or_create_periodic_note", arguments);
    assert_eq!((&found["created"], &found["frontmatter"]), (&json!(false), &json!({"mood": "calm"})));
    let arguments = json!({"period": "daily", "date": "2026-01-08"});
    let made = unasked(&place, "find_or_create_periodic_note", arguments.clone());
    assert_eq!((&made["created"], &made["frontmatter"]), (&json!(true), &json!({"kind": "day"})));
    assert!(made["content"].as_str().unwrap().contains("# Thursday 2026-01-08"));
    let again = without_effect(&place, "find_or_create_periodic_note", arguments);
    assert_eq!((&again["created"], &again["content"]), (&json!(false), &made["content"]));
}

#[test]
fn text_is_added_to_a_note_that_is_made_if_need_be() {
    let place = place();
    let add = |arguments: Value| {
        let mut all = json!({"period": "daily", "date": "2026-01-09", "idempotency_key": "k"});
        all.as_object_mut().unwrap().extend(arguments.as_object().unwrap().clone());
        unasked(&place, "append_to_periodic_note", all)
    };
    let first = add(json!({"content": "- rain", "heading": "Log"}));
    assert_eq!((&first["created"], &first["path"]), (&json!(true), &json!("Journal/2026/2026-01-09.md")));
    assert!(
        place.text("Journal/2026/2026-01-09.md").contains("## Log\n- rain\n\n## Later"),
        "{}",
        place.text("Journal/2026/2026-01-09.md")
    );
    let second = add(json!({"content": "end"}));
    assert_eq!((&second["created"], &second["appended_bytes"]), (&json!(false), &json!(3)));
    add(json!({"content": "!", "ensure_newline": false}));
    assert!(place.text("Journal/2026/2026-01-09.md").ends_with("<% tp.user.x() %>\nend!"));
    let missing = json!({"period": "daily", "date": "2026-01-10", "content": "x", "heading": "Nowhere", "idempotency_key": "k"});
    assert_eq!(refused(&place, "append_to_periodic_note", missing), "invalid_input");
}

#[test]
fn notes_are_listed_by_date() {
    let place = place();
    let dates = |arguments: Value| -> Vec<String> {
        let page = without_effect(&place, "list_periodic_notes", arguments);
        page["items"].as_array().unwrap().iter().map(|item| item["date"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(dates(json!({"period": "daily"})), ["2025-12-31", "2026-01-04"]);
    assert_eq!(dates(json!({"period": "daily", "from": "2026-01-01"})), ["2026-01-04"]);
    assert_eq!(dates(json!({"period": "daily", "to": "2025-12-31"})), ["2025-12-31"]);
    assert_eq!(dates(json!({"period": "weekly"})), Vec::<String>::new());
    let first = without_effect(&place, "list_periodic_notes", json!({"period": "daily", "limit": 1}));
    assert_eq!((&first["total_count"], &first["items"][0]["path"]), (&json!(2), &json!("Journal/moved/2025-12-31.md")));
    let rest = dates(json!({"period": "daily", "limit": 1, "cursor": first["cursor"]}));
    assert_eq!(rest, ["2026-01-04"]);
    assert_eq!(refused(&place, "list_periodic_notes", json!({"period": "weekly", "cursor": first["cursor"]})), "invalid_input");
    assert_eq!(refused(&place, "list_periodic_notes", json!({"period": "daily", "from": "x"})), "invalid_input");
}

#[test]
fn both_forms_of_the_plugin_decide() {
    let released = r#"{"weekly": {"enabled": true, "folder": "Weeks", "format": "GGGG-[W]WW"}}"#;
    let place = Place::new(&[(".obsidian/plugins/periodic-notes/data.json", released), ("Weeks/2026-W01.md", "x")]);
    let week = without_effect(&place, "get_periodic_note", json!({"period": "weekly", "date": "2026-01-04"}));
    assert_eq!(
        (&week["path"], &week["date"], &week["exists"]),
        (&json!("Weeks/2026-W01.md"), &json!("2025-12-29"), &json!(true))
    );
    let successor = r#"{"activeCalendarSet": "A", "calendarSets": [{"id": "A", "day": {"enabled": true, "folder": "D", "format": "YYYYMMDD"}}]}"#;
    let place = Place::new(&[(".obsidian/plugins/periodic-notes/data.json", successor), CORE]);
    let day = without_effect(&place, "get_periodic_note", json!({"period": "daily", "date": "2026-01-04"}));
    assert_eq!(day["path"], "D/20260104.md");
}

#[test]
fn malformed_settings_are_named_and_left_alone() {
    for (file, text) in [(".obsidian/daily-notes.json", "{"), (".obsidian/plugins/periodic-notes/data.json", "[]")] {
        let place = Place::new(&[(file, text)]);
        for (tool, arguments) in [
            ("get_periodic_note", json!({"period": "daily"})),
            ("find_or_create_periodic_note", json!({"period": "daily"})),
            ("list_periodic_notes", json!({"period": "daily"})),
        ] {
            let body = failed(&place, Consent::AskIfNeeded, tool, arguments);
            assert!(body["code"] == "invalid_input" && body["message"].as_str().unwrap().contains(file), "{body}");
        }
        assert_eq!(place.text(file), text);
    }
    let place = Place::new(&[(".obsidian/daily-notes.json", r#"{"folder": "../out"}"#)]);
    assert_eq!(refused(&place, "create_periodic_note", json!({"period": "daily"})), "path_invalid");
    let place = Place::new(&[(".obsidian/daily-notes.json", r#"{"template": ".obsidian/app.json"}"#)]);
    assert_eq!(refused(&place, "create_periodic_note", json!({"period": "daily"})), "acl_denied");
}

#[test]
fn a_human_may_be_asked_before_a_note_is_made() {
    let place = place();
    let body = failed(&place, Consent::AskAlways, "create_periodic_note", json!({"period": "daily", "date": "2026-01-20"}));
    assert_eq!(body["code"], "elicit_required");
    let change = asked(&place, "execute_template", json!({"template": "Templates/Day", "target": "x.md"}));
    assert!(change.to_string().contains("x.md"), "{change}");
}
