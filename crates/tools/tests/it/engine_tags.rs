//! The `engine` surface: the tags of one note, and adding and removing them.

use quillgate_vault::ContentHash;
use serde_json::{Value, json};

use crate::place::Place;

const NOTE: &str = "\u{feff}---\r\ntags: # all\r\n  - Work # first\r\n  - area/home\r\n---\r\nA é #inline #WORK\r\n`#code` [[x#link]] https://x.example/#url\r\n";

/// What a call says, and the note afterwards.
#[track_caller]
fn call(tool: &str, before: &str, arguments: Value) -> (Value, String) {
    let place = Place::new(&[("n.md", before)]);
    let mut all = json!({"path": "n.md"});
    all.as_object_mut().unwrap().extend(arguments.as_object().unwrap().clone());
    assert!(place.asked(tool, all.clone()).is_none(), "nobody is asked");
    std::fs::write(place.on_disk("n.md"), before).unwrap();
    let mut answer = place.answer(tool, all);
    let text = place.text("n.md");
    let fields = answer.as_object_mut().unwrap();
    assert_eq!(fields.remove("content_hash"), Some(json!(ContentHash::of(text.as_bytes()).to_string())));
    assert!(fields.remove("updated_at").unwrap().as_str().unwrap().ends_with('Z'));
    assert_eq!(fields.remove("path"), Some(json!("n.md")));
    (answer, text)
}

#[test]
fn the_tags_of_a_note_have_their_places() {
    let place = Place::new(&[("n.md", NOTE), ("none.md", "x"), ("c.canvas", "{}")]);
    let tags = json!([
        {"tag": "Work", "source": "both", "positions": [{"line": 6, "col": 13}]},
        {"tag": "area/home", "source": "frontmatter"},
        {"tag": "inline", "source": "inline", "positions": [{"line": 6, "col": 5}]},
    ]);
    assert_eq!(place.answer("get_note_tags", json!({"path": "n.md"})), json!({"path": "n.md", "tags": tags}));
    assert_eq!(place.answer("get_note_tags", json!({"path": "none.md"}))["tags"], json!([]));
    let code = |path: &str| place.code("get_note_tags", json!({"path": path}));
    assert_eq!((code("missing.md"), code("c.canvas")), ("note_not_found".to_owned(), "invalid_input".to_owned()));
    assert_eq!(code("/n.md"), "path_invalid");
}

#[test]
fn a_tag_is_added_to_the_frontmatter_once() {
    let add = |before: &str, tag: &str| {
        let (answer, text) = call("add_tag", before, json!({"tag": tag}));
        (answer["added"] == true, text)
    };
    assert_eq!(add(NOTE, "#new/tag"), (true, NOTE.replace("area/home\r\n", "area/home\r\n  - new/tag\r\n")));
    assert_eq!(add(NOTE, "inline").1, NOTE.replace("area/home\r\n", "area/home\r\n  - inline\r\n"), "it is not there yet");
    assert_eq!(add(NOTE, "WORK"), (false, NOTE.to_owned()));
    assert_eq!(add("---\ntags: [a] # c\n---\n", "b"), (true, "---\ntags: [a, b] # c\n---\n".to_owned()));
    assert_eq!(add("---\ntags: a\n---\n", "b").1, "---\ntags:\n  - a\n  - b\n---\n");
    assert_eq!(add("text", "日本").1, "---\ntags:\n  - 日本\n---\ntext");
}

#[test]
fn a_tag_is_added_at_the_end_once() {
    let add = |before: &str, tag: &str| call("add_tag", before, json!({"tag": tag, "location": "inline-end"}));
    assert_eq!(add(NOTE, "new"), (json!({"added": true}), format!("{NOTE}\r\n#new\r\n")));
    assert_eq!(add(NOTE, "Inline"), (json!({"added": false}), NOTE.to_owned()));
    assert_eq!(add("a\n\n#b", "c").1, "a\n\n#b #c");
    let place = Place::new(&[("n.md", "```\nopen\n")]);
    let refused = place.refused("engine", "add_tag", json!({"path": "n.md", "tag": "x", "location": "inline-end"}));
    assert!(refused.code == "invalid_input" && refused.message.contains("frontmatter"), "{refused:?}");
}

#[test]
fn a_tag_is_removed_from_where_it_is() {
    let remove = |tag: &str, from: &str| {
        let (answer, text) = call("remove_tag", NOTE, json!({"tag": tag, "from": from}));
        (answer["removed_from"].clone(), text)
    };
    let (in_frontmatter, inline) = ("  - Work # first\r\n", " #WORK\r\n");
    assert_eq!(
        remove("#work", "all"),
        (json!(["frontmatter", "inline"]), NOTE.replace(in_frontmatter, "").replace(inline, "\r\n"))
    );
    assert_eq!(remove("work", "frontmatter"), (json!(["frontmatter"]), NOTE.replace(in_frontmatter, "")));
    assert_eq!(remove("work", "inline"), (json!(["inline"]), NOTE.replace(inline, "\r\n")));
    for tag in ["area", "code", "link", "url", "none"] {
        assert_eq!(remove(tag, "all"), (json!([]), NOTE.to_owned()), "{tag}");
    }
    assert_eq!(call("remove_tag", "---\ntags: [a]\n---\n", json!({"tag": "a"})).1, "---\ntags: []\n---\n");
}

#[test]
fn what_is_no_tag_or_no_note_is_refused() {
    let place = Place::new(&[("n.md", NOTE), ("broken.md", "---\na: [\n---\n"), ("t.txt", "#x")]);
    for tool in ["add_tag", "remove_tag"] {
        let code = |path: &str, tag: &str| place.code(tool, json!({"path": path, "tag": tag}));
        for tag in ["", "#", "two words", "2026", "a,b", "a/", "x#y"] {
            assert_eq!(code("n.md", tag), "invalid_input", "{tool} {tag}");
        }
        assert_eq!((code("missing.md", "a"), code("t.txt", "a")), ("note_not_found".to_owned(), "invalid_input".to_owned()));
        assert_eq!(code(".trash/n.md", "a"), "acl_denied");
    }
    assert_eq!(place.code("add_tag", json!({"path": "broken.md", "tag": "a"})), "invalid_input");
    assert_eq!(place.code("add_tag", json!({"path": "n.md", "tag": "a", "location": "middle"})), "invalid_input");
    assert_eq!(place.text("n.md"), NOTE);
}
