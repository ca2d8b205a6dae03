//! The `engine` surface: reading and listing notes, writing them whole, moving, copying and deleting them.

use quillgate_vault::ContentHash;
use serde_json::{Value, json};

use crate::place::Place;

const PLAN: &str = "---\nstatus: open\nweight: 2.5\n---\n# Goals\nearly\n\n## Spring\nplant\n\n# Log\ndone\n";

fn hash(text: &str) -> String {
    ContentHash::of(text.as_bytes()).to_string()
}

/// Takes out what is different at every run, after a look at it.
#[track_caller]
fn without_times(mut answer: Value, fields: &[&str]) -> Value {
    for field in fields {
        let time = answer.as_object_mut().unwrap().remove(*field).unwrap_or_else(|| panic!("{field} in {answer}"));
        assert!(time.as_str().is_some_and(|time| time.ends_with('Z') && time.starts_with("20")), "{time}");
    }
    answer
}

#[test]
fn a_note_is_read_with_its_properties_and_its_hash() {
    let place = Place::new(&[("plan.md", PLAN), ("plain.md", "one\ntwo"), ("broken.md", "---\na: [\n---\nx\n"), ("a.txt", "t")]);
    let read = |arguments: Value| place.answer("read_note", arguments);
    let whole = json!({
        "path": "plan.md", "content": PLAN, "frontmatter": {"status": "open", "weight": 2.5}, "total_lines": 12,
        "content_hash": hash(PLAN),
    });
    assert_eq!(read(json!({"path": "plan.md"})), whole);
    let stats = read(json!({"path": "plan.md", "include_stats": true, "include_content": false, "include_frontmatter": false}));
    assert_eq!((&stats["stats"]["size"], stats.get("content"), stats.get("frontmatter")), (&json!(PLAN.len()), None, None));
    assert!(stats["stats"]["mtime"].as_str().unwrap().ends_with('Z'), "{stats}");
    let body = read(json!({"path": "plan.md", "include_frontmatter": false}));
    assert_eq!((body["content"].as_str().unwrap(), &body["showing"]), (&PLAN[PLAN.find("# G").unwrap()..], &json!([5, 12])));
    let plain = read(json!({"path": "plain.md"}));
    assert_eq!((&plain["content"], &plain["frontmatter"], &plain["total_lines"]), (&json!("one\ntwo"), &json!({}), &json!(2)));
    let broken = read(json!({"path": "broken.md"}));
    assert!(broken.get("frontmatter").is_none() && broken["frontmatter_error"].as_str().unwrap().contains("line"), "{broken}");
    assert_eq!(read(json!({"path": "a.txt"})).get("frontmatter"), None);
}

#[test]
fn a_part_of_a_note_is_read_by_lines_or_by_its_heading() {
    let place = Place::new(&[("plan.md", PLAN), ("twice.md", "# A\n## X\n1\n# B\n## X\n2\n"), ("empty.md", "")]);
    let read = |arguments: Value| {
        let part = place.answer("read_note", arguments);
        (part["content"].as_str().unwrap().to_owned(), part["showing"].clone())
    };
    assert_eq!(read(json!({"path": "plan.md", "offset": 6, "limit": 1})), ("early".to_owned(), json!([6, 6])));
    assert_eq!(read(json!({"path": "plan.md", "offset": 11})), ("# Log\ndone\n".to_owned(), json!([11, 12])));
    assert_eq!(read(json!({"path": "plan.md", "limit": 99})), (PLAN.to_owned(), Value::Null));
    assert_eq!(read(json!({"path": "empty.md", "offset": 1})), (String::new(), Value::Null));
    let goals = "# Goals\nearly\n\n## Spring\nplant\n\n".to_owned();
    assert_eq!(read(json!({"path": "plan.md", "section": "goals"})), (goals, json!([5, 10])));
    assert_eq!(read(json!({"path": "plan.md", "section": "Goals#Spring"})).0, "## Spring\nplant\n\n");
    assert_eq!(read(json!({"path": "twice.md", "section": "B#X"})), ("## X\n2\n".to_owned(), json!([5, 6])));
    let message = |arguments: Value| {
        let refused = place.refused("engine", "read_note", arguments);
        assert_eq!(refused.code, "invalid_input");
        refused.message
    };
    assert!(message(json!({"path": "plan.md", "section": "Plan"})).contains("its headings are Goals, Spring, Log"));
    assert!(message(json!({"path": "twice.md", "section": "X"})).contains("lines 2, 5"));
    assert!(message(json!({"path": "plan.md", "offset": 13})).contains("12 lines"));
    assert!(message(json!({"path": "plan.md", "offset": 0})).contains("at least 1"));
    assert!(message(json!({"path": "plan.md", "offset": 1, "section": "Log"})).contains("one of them"));
    assert!(message(json!({"path": "plan.md", "limit": 1, "detail": "outline"})).contains("one of them"));
}

#[test]
fn an_outline_shows_headings_with_lines_and_sizes() {
    let place = Place::new(&[("plan.md", PLAN)]);
    let line = |level: usize, text: &str, line: usize, lines: usize, bytes: usize| json!({"level": level, "text": text, "line": line, "lines": lines, "bytes": bytes});
    let outline = place.answer("read_note", json!({"path": "plan.md", "detail": "outline"}));
    let all = [line(1, "Goals", 5, 6, 32), line(2, "Spring", 8, 3, 17), line(1, "Log", 11, 2, 11)];
    assert_eq!((&outline["outline"], outline.get("content")), (&json!(all), None));
    let below = place.answer("read_note", json!({"path": "plan.md", "detail": "outline", "section": "Goals"}));
    assert_eq!(below["outline"], json!(all[..2]));
    let long: String = (0..500).map(|number| format!("# Heading {number}\n")).collect();
    place.put("long.md", &long);
    let cut = place.answer("read_note", json!({"path": "long.md", "detail": "outline", "max_tokens": 500}));
    let shown = cut["outline"].as_array().unwrap().len();
    assert!(cut["truncated"] == true && (10..100).contains(&shown) && cut.to_string().len() <= 2000, "{shown}");
}

#[test]
fn a_long_note_is_cut_between_lines_and_says_so() {
    let long: String = (1..=1000).map(|line| format!("line \"{line}\"\n")).collect();
    let place = Place::new(&[("long.md", &long), ("wide.md", &"é".repeat(5000)), ("huge.md", &"\"".repeat(900_000))]);
    let cut = place.answer("read_note", json!({"path": "long.md", "max_tokens": 1000}));
    let content = cut["content"].as_str().unwrap();
    assert!(cut.to_string().len() <= 4000 && content.len() > 2500, "{}", cut.to_string().len());
    assert!(long.starts_with(content) && content.ends_with('\n') && cut["truncated"] == true);
    assert_eq!(cut["overflow_bytes"], long.len() - content.len());
    let last = cut["showing"][1].as_u64().unwrap();
    let rest = place.answer("read_note", json!({"path": "long.md", "offset": last + 1}));
    assert_eq!(format!("{content}{}", rest["content"].as_str().unwrap()), long);
    let wide = place.answer("read_note", json!({"path": "wide.md", "max_tokens": 500}));
    assert_eq!((wide["truncated"].clone(), &wide["showing"]), (json!(true), &json!([1, 1])));
    let huge = place.answer("read_note", json!({"path": "huge.md"}));
    assert!(huge["truncated"] == true && huge.to_string().len() <= 1_000_000);
}

#[test]
fn what_cannot_be_read_is_refused_by_its_code() {
    let place = Place::new(&[("folder/a.md", "x")]);
    place.put("image.png", b"\x89PNG\0\0");
    place.put("big.md", vec![b'x'; (1 << 20) + 1]);
    let code = |path: &str| place.code("read_note", json!({"path": path}));
    assert_eq!((code("missing.md"), code("folder")), ("note_not_found".to_owned(), "path_invalid".to_owned()));
    assert_eq!((code("../a.md"), code(".obsidian/app.json")), ("path_invalid".to_owned(), "acl_denied".to_owned()));
    assert_eq!((code("image.png"), code("big.md")), ("invalid_input".to_owned(), "overflow".to_owned()));
}

#[test]
fn windows_newlines_and_byte_order_marks_are_not_shown() {
    let text = "\u{feff}---\r\na: 1\r\n---\r\n# H\r\nx\r\n";
    let place = Place::new(&[("a.md", text)]);
    let note = place.answer("read_note", json!({"path": "a.md"}));
    assert_eq!((&note["content"], &note["frontmatter"]), (&json!("---\na: 1\n---\n# H\nx\n"), &json!({"a": 1})));
    assert_eq!((&note["content_hash"], &note["total_lines"]), (&json!(hash(text)), &json!(5)));
}

#[test]
fn several_notes_are_read_each_on_its_own() {
    let long = "word ".repeat(4000);
    let place = Place::new(&[("a.md", "---\nk: v\n---\nA\n"), ("b.md", "B\n"), ("long.md", &long)]);
    let read = place.answer("read_notes", json!({"paths": ["a.md", "missing.md", "../x", "b.md"]}));
    let results = read["results"].as_array().unwrap();
    let told: Vec<(&Value, &Value)> = results.iter().map(|line| (&line["path"], &line["ok"])).collect();
    let expected = [("a.md", true), ("missing.md", false), ("../x", false), ("b.md", true)].map(|(a, b)| (json!(a), json!(b)));
    assert_eq!(told, expected.iter().map(|(a, b)| (a, b)).collect::<Vec<_>>());
    assert_eq!(results[0]["note"]["frontmatter"], json!({"k": "v"}));
    assert_eq!(results[1]["error"]["code"], "note_not_found");
    assert!(results[2]["error"]["message"].as_str().unwrap().contains("relative"), "{read}");
    let bare = place.answer("read_notes", json!({"paths": ["a.md"], "include_content": false, "include_frontmatter": false}));
    assert_eq!(
        bare["results"][0]["note"],
        json!({"path": "a.md", "total_lines": 4, "content_hash": hash("---\nk: v\n---\nA\n")})
    );
    let tight = place.answer("read_notes", json!({"paths": ["long.md", "b.md"], "max_tokens": 1000}));
    assert!(tight.to_string().len() <= 4000 && tight["results"][0]["note"]["truncated"] == true, "{}", tight.to_string().len());
    assert_eq!(tight["results"][1]["note"]["content"], "B\n");
    assert_eq!(place.code("read_notes", json!({"paths": []})), "invalid_input");
    assert_eq!(place.code("read_notes", json!({"paths": vec!["a.md"; 51]})), "invalid_input");
}

#[test]
fn notes_are_listed_by_folder_and_extension() {
    let place = Place::new(&[("b.md", "bb"), ("a/x.md", ""), ("a/deep/y.md", ""), ("a/pic.PNG", "p"), ("c.canvas", "{}")]);
    std::fs::create_dir(place.on_disk("void")).unwrap();
    let list = |arguments: Value| {
        let page = place.answer("list_notes", arguments);
        let items = page["items"].as_array().unwrap().clone();
        items.iter().map(|item| item["path"].as_str().unwrap().to_owned()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(list(json!({})), "a/deep/y.md a/x.md b.md");
    assert_eq!(list(json!({"root": "a"})), "a/deep/y.md a/x.md");
    assert_eq!(list(json!({"recursive": false})), "b.md");
    assert_eq!(list(json!({"recursive": false, "include_folders": true})), "a b.md void");
    assert_eq!(list(json!({"include_folders": true})), "a a/deep a/deep/y.md a/x.md b.md void");
    assert_eq!(list(json!({"extensions": ["png", ".CANVAS"]})), "a/pic.PNG c.canvas");
    assert_eq!(list(json!({"extensions": []})), "a/deep/y.md a/pic.PNG a/x.md b.md c.canvas");
    let page = place.answer("list_notes", json!({"recursive": false, "include_folders": true, "limit": 2}));
    let items = page["items"].as_array().unwrap().iter().map(|item| without_times(item.clone(), &["mtime"]));
    let expected = [json!({"path": "a", "type": "folder", "size": 0}), json!({"path": "b.md", "type": "file", "size": 2})];
    assert_eq!(items.collect::<Vec<_>>(), expected);
    assert_eq!(page["total_count"], 3);
    let rest = json!({"recursive": false, "include_folders": true, "cursor": page["cursor"]});
    assert_eq!(list(rest), "void");
    assert_eq!(place.code("list_notes", json!({"cursor": page["cursor"]})), "invalid_input", "of another list");
    assert_eq!(place.code("list_notes", json!({"root": "none"})), "note_not_found");
    assert_eq!(place.code("list_notes", json!({"root": "b.md"})), "path_invalid");
}

#[test]
fn it_is_known_what_exists() {
    let place = Place::new(&[("a/x.md", "")]);
    let exists = |path: &str| place.answer("note_exists", json!({"path": path}));
    assert_eq!(exists("a/x.md"), json!({"exists": true, "type": "file"}));
    assert_eq!(exists("a"), json!({"exists": true, "type": "folder"}));
    assert_eq!(exists("a/y.md"), json!({"exists": false}));
    assert_eq!(place.code("note_exists", json!({"path": ".git"})), "acl_denied");
}

#[test]
fn a_note_is_created_or_replaced_as_its_mode_says() {
    let place = Place::new(&[("old.md", "old\n")]);
    let write = |arguments: Value| place.answer("write_note", arguments);
    let created = write(json!({"path": "new/a.md", "content": "text\n"}));
    assert_eq!(
        without_times(created, &["created_at"]),
        json!({"path": "new/a.md", "mode_used": "create", "content_hash": hash("text\n"), "was_created": true})
    );
    let replaced = write(json!({"path": "old.md", "content": "new\n", "mode": "overwrite", "idempotency_key": "k"}));
    assert_eq!(
        without_times(replaced, &["updated_at"]),
        json!({
            "path": "old.md", "mode_used": "overwrite", "content_hash": hash("new\n"), "prev_hash": hash("old\n"),
            "was_created": false,
        })
    );
    let upserted = [("old.md", false), ("third.md", true)]
        .map(|(path, _)| write(json!({"path": path, "content": "up\n", "mode": "upsert"}))["was_created"].clone());
    assert_eq!(upserted, [json!(false), json!(true)]);
    assert_eq!((place.text("old.md"), place.text("third.md")), ("up\n".to_owned(), "up\n".to_owned()));
    let code = |arguments: Value| place.code("write_note", arguments);
    assert_eq!(code(json!({"path": "old.md", "content": ""})), "note_exists");
    assert_eq!(code(json!({"path": "none.md", "content": "", "mode": "overwrite"})), "note_not_found");
    assert_eq!(code(json!({"path": "no/folder.md", "content": "", "create_dirs": false})), "note_not_found");
    assert_eq!(code(json!({"path": "new", "content": "", "mode": "upsert"})), "path_invalid");
    assert_eq!(code(json!({"path": "Plan", "content": ""})), "invalid_input");
    assert_eq!(code(json!({"path": "a.md", "content": "", "mode": "append"})), "invalid_input");
    assert_eq!(code(json!({"path": ".obsidian/x.md", "content": ""})), "acl_denied");
    assert_eq!(code(json!({"path": "big.md", "content": "x".repeat((1 << 20) + 1)})), "overflow");
    assert!(!place.on_disk("no").exists());
}

#[test]
fn properties_are_merged_into_the_text_that_is_written() {
    let place = Place::new(&[("win.md", "\u{feff}old\r\n")]);
    let frontmatter = json!({"status": "open", "tags": ["a", "b"], "nested": {"n": 1}});
    place.answer("write_note", json!({"path": "a.md", "content": "body\n", "frontmatter": frontmatter}));
    assert_eq!(place.text("a.md"), "---\nstatus: open\ntags:\n  - a\n  - b\nnested:\n  n: 1\n---\nbody\n");
    let content = "---\nstatus: old # why\nkept: 1\n---\nbody\n";
    place.answer("write_note", json!({"path": "b.md", "content": content, "frontmatter": {"status": "new"}}));
    assert_eq!(place.text("b.md"), "---\nstatus: new # why\nkept: 1\n---\nbody\n");
    place.answer("write_note", json!({"path": "win.md", "content": "x\n", "frontmatter": {"a": 1}, "mode": "overwrite"}));
    assert_eq!(place.text("win.md"), "\u{feff}---\r\na: 1\r\n---\r\nx\r\n");
    let wrong = json!({"path": "c.md", "content": "---\na: [\n---\n", "frontmatter": {"b": 1}});
    assert!(place.refused("engine", "write_note", wrong).message.contains("not valid YAML"));
    assert_eq!(place.code("write_note", json!({"path": "c.txt", "content": "", "frontmatter": {"b": 1}})), "invalid_input");
}

#[test]
fn replacing_a_note_asks_unless_the_caller_knows_what_it_replaces() {
    let place = Place::new(&[("full.md", "full\n"), ("empty.md", "")]);
    let write = |path: &str, content: &str, mode: &str| json!({"path": path, "content": content, "mode": mode});
    let asked = place.asked("write_note", write("full.md", "x", "overwrite")).unwrap();
    assert_eq!((&asked["tool"], &asked["files"][0]["path"]), (&json!("write_note"), &json!("full.md")));
    assert_eq!(asked["reasons"], json!(["it replaces all 5 bytes of full.md"]));
    assert!(place.asked("write_note", write("full.md", "x", "upsert")).is_some());
    assert_eq!(place.text("full.md"), "full\n", "nothing is written before somebody agrees");
    assert!(place.asked("write_note", write("full.md", "full\n", "overwrite")).is_none(), "nothing would change");
    assert!(place.asked("write_note", write("empty.md", "x", "overwrite")).is_none());
    assert!(place.asked("write_note", write("new.md", "x", "create")).is_none());
    let mut known = write("full.md", "x", "overwrite");
    known["expected_hash"] = json!(hash("full\n").to_uppercase());
    assert!(place.asked("write_note", known.clone()).is_none());
    assert_eq!(place.text("full.md"), "x");
    assert_eq!(place.code("write_note", known.clone()), "concurrent_modification");
    known["path"] = json!("gone.md");
    known["mode"] = json!("upsert");
    assert_eq!(place.code("write_note", known.clone()), "concurrent_modification");
    known["expected_hash"] = json!("abc");
    assert_eq!(place.code("write_note", known), "invalid_input");
    assert!(!place.on_disk("gone.md").exists());
}

#[test]
fn a_note_is_deleted_to_the_trash_or_for_good() {
    let place = Place::new(&[("a.md", "a"), ("x/a.md", "other"), ("b.md", "b")]);
    let asked = place.asked("delete_note", json!({"path": "a.md"})).unwrap();
    assert_eq!(
        (&asked["files"][0]["change"], &asked["reasons"]),
        (&json!("delete"), &json!(["delete_note needs a human's agreement here"]))
    );
    assert_eq!(place.text("a.md"), "a");
    let delete = |arguments: Value| without_times(place.answer("delete_note", arguments), &["deleted_at"]);
    assert_eq!(delete(json!({"path": "a.md"})), json!({"path": "a.md", "recoverable": true, "trash_path": ".trash/a.md"}));
    assert_eq!(delete(json!({"path": "x/a.md"}))["trash_path"], ".trash/a 1.md");
    assert_eq!((place.text(".trash/a.md"), place.text(".trash/a 1.md")), ("a".to_owned(), "other".to_owned()));
    assert_eq!(delete(json!({"path": "b.md", "hard": true})), json!({"path": "b.md", "recoverable": false}));
    assert!(!place.on_disk("b.md").exists() && !place.on_disk(".trash/b.md").exists());
    let code = |path: &str| place.code("delete_note", json!({"path": path}));
    assert_eq!((code("b.md"), code("x")), ("note_not_found".to_owned(), "path_invalid".to_owned()));
    assert_eq!(code(".trash/a.md"), "acl_denied");
}

#[test]
fn a_note_is_moved_with_the_links_to_it() {
    let files = [("w/a.md", "[[./b]] [[a]]"), ("w/b.md", "x"), ("links.md", "[[a]] and [t](w/a.md)"), ("w/taken.md", "old")];
    let place = Place::new(&files);
    let moved = place.answer("move_note", json!({"from": "w/a.md", "to": "w/deep/c.md"}));
    let own = "[[../b]] [[c]]";
    assert_eq!(
        without_times(moved, &["moved_at"]),
        json!({"from": "w/a.md", "to": "w/deep/c.md", "backlinks_updated": 2, "new_hash": hash(own)})
    );
    assert_eq!((place.text("w/deep/c.md"), place.text("links.md")), (own.to_owned(), "[[c]] and [t](w/deep/c.md)".to_owned()));
    let code = |from: &str, to: &str| place.code("move_note", json!({"from": from, "to": to}));
    assert_eq!(code("w/deep/c.md", "w/taken.md"), "note_exists");
    assert_eq!(code("w/a.md", "w/d.md"), "note_not_found");
    assert_eq!((code("w", "v"), code("w/deep/c.md", "w")), ("path_invalid".to_owned(), "invalid_input".to_owned()));
    assert_eq!(code("w/deep/c.md", "w/c"), "invalid_input");
    let itself = place.answer("move_note", json!({"from": "w/deep/c.md", "to": "w/deep/c.md", "overwrite_target": true}));
    assert_eq!((&itself["backlinks_updated"], &itself["new_hash"]), (&json!(0), &json!(hash(own))));
    assert_eq!(code("w/deep/c.md", "w/C#.md"), "invalid_input", "no link could name it");
    assert_eq!(place.text("links.md"), "[[c]] and [t](w/deep/c.md)");
}

#[test]
fn links_of_others_can_be_left_alone() {
    let place = Place::new(&[("a.md", "[[./b]]"), ("b.md", "[[a]]"), ("sub/x.md", "")]);
    let moved = place.answer("move_note", json!({"from": "a.md", "to": "sub/c.md", "update_backlinks": false}));
    assert_eq!((&moved["backlinks_updated"], place.text("b.md")), (&json!(0), "[[a]]".to_owned()));
    assert_eq!(place.text("sub/c.md"), "[[../b]]", "its own links go on meaning what they meant");
}

#[test]
fn a_move_may_overwrite_when_told_to() {
    let files = [("w/a.md", "[[./b]]"), ("w/b.md", "[[a]] [[old]]"), ("w/s/old.md", "[[a]] old"), ("c.md", "[[old]]")];
    let place = Place::new(&files);
    let arguments = json!({"from": "w/a.md", "to": "w/s/old.md", "overwrite_target": true});
    let asked = place.asked("move_note", arguments.clone()).unwrap();
    assert_eq!(asked["reasons"], json!(["it overwrites w/s/old.md"]));
    assert_eq!(place.text("w/s/old.md"), "[[a]] old");
    let moved = place.answer("move_note", arguments);
    assert_eq!((&moved["new_hash"], &moved["backlinks_updated"]), (&json!(hash("[[../b]]")), &json!(1)));
    assert_eq!(place.text("w/s/old.md"), "[[../b]]");
    assert_eq!((place.text("w/b.md"), place.text("c.md")), ("[[old]] [[old]]".to_owned(), "[[old]]".to_owned()));
    assert!(!place.on_disk("w/a.md").exists() && !place.on_disk(".trash").exists());
    let free = json!({"from": "c.md", "to": "d.md", "overwrite_target": true});
    assert!(place.asked("move_note", free).is_none(), "there is nothing to overwrite");
    assert_eq!(place.code("move_note", json!({"from": "d.md", "to": "w", "overwrite_target": true})), "invalid_input");
    place.put("folder.md/x.md", "");
    assert_eq!(place.code("move_note", json!({"from": "d.md", "to": "folder.md", "overwrite_target": true})), "note_exists");
}

#[test]
fn leaving_its_top_level_folder_asks() {
    let place = Place::new(&[("work/a.md", ""), ("work/b.md", ""), ("c.md", "")]);
    let asked =
        |from: &str, to: &str| place.asked("move_note", json!({"from": from, "to": to})).map(|asked| asked["reasons"].clone());
    assert_eq!(asked("work/a.md", "home/a.md"), Some(json!(["work/a.md leaves work for home"])));
    assert_eq!(asked("work/a.md", "a.md"), Some(json!(["work/a.md leaves work for the top of the vault"])));
    assert!(asked("c.md", "work/c.md").is_some());
    assert_eq!(asked("work/a.md", "work/deep/er/a.md"), None);
    assert_eq!(asked("c.md", "d.md"), None);
}

#[test]
fn a_copy_means_what_the_original_means_unless_told_otherwise() {
    let place = Place::new(&[("a/a.md", "[[./x]] [[x]]"), ("a/x.md", ""), ("taken.md", "")]);
    let copied = place.answer("copy_note", json!({"from": "a/a.md", "to": "b/copy.md", "idempotency_key": "1"}));
    assert_eq!(
        without_times(copied, &["created_at"]),
        json!({"from": "a/a.md", "to": "b/copy.md", "content_hash": hash("[[../a/x]] [[x]]"), "links_rewritten": 1})
    );
    assert_eq!(place.text("b/copy.md"), "[[../a/x]] [[x]]");
    let raw = json!({"from": "a/a.md", "to": "raw.md", "rewrite_internal_links": false});
    assert_eq!(place.answer("copy_note", raw)["links_rewritten"], 0);
    assert_eq!(place.text("raw.md"), "[[./x]] [[x]]");
    let code = |from: &str, to: &str| place.code("copy_note", json!({"from": from, "to": to}));
    assert_eq!(code("a/a.md", "taken.md"), "note_exists");
    assert_eq!((code("none.md", "n.md"), code("a", "n")), ("note_not_found".to_owned(), "path_invalid".to_owned()));
    assert_eq!(code("a/a.md", "copy"), "invalid_input");
    assert!(place.asked("copy_note", json!({"from": "a/a.md", "to": "free.md"})).is_none());
}
