//! The `engine` surface: many notes as one text.

use serde_json::{Value, json};

use crate::asking::{refused, without_effect};
use crate::place::Place;

fn place() -> Place {
    Place::new(&[
        ("a.md", "---\nk: 1\n---\n\u{1F600} first\r\nline\r\n"),
        ("sub/b & c.md", "second ]]> <b>\n"),
        ("sub/deep/d.md", "\u{feff}third\n"),
        ("sub/data.csv", "x,y\n"),
        ("sub/pic.png", "\u{0}binary"),
    ])
}

#[test]
fn a_folder_is_bundled_as_markdown() {
    let place = place();
    let bundle = |arguments: Value| without_effect(&place, "bundle_folder", arguments);
    let text = "## sub/b & c.md\n\nsecond ]]> <b>\n\n## sub/deep/d.md\n\nthird\n\n";
    let files = json!([{"path": "sub/b & c.md", "bytes": 14}, {"path": "sub/deep/d.md", "bytes": 5}]);
    let expected =
        json!({"root": "sub", "bundle": text, "file_count": 2, "total_bytes": text.len(), "truncated": false, "files": files});
    assert_eq!(bundle(json!({"root": "sub"})), expected);
    let all = bundle(json!({"root": ""}));
    assert!(all["bundle"].as_str().unwrap().starts_with("## a.md\n\n---\nk: 1\n---\n\u{1F600} first\nline\n\n## sub/"), "{all}");
    assert_eq!((&all["file_count"], &all["root"]), (&json!(3), &json!("")));
    let plain = bundle(json!({"root": "", "include_frontmatter": false}));
    assert!(plain["bundle"].as_str().unwrap().starts_with("## a.md\n\n\u{1F600} first\nline\n\n"), "{plain}");
    let other = bundle(json!({"root": "sub", "extensions": ["csv", ".PNG"]}));
    assert_eq!(
        (&other["bundle"], &other["truncated"]),
        (&json!("## sub/data.csv\n\nx,y\n\n"), &json!(false)),
        "what is no text is left out"
    );
    assert_eq!(bundle(json!({"root": "sub", "extensions": [".txt"]}))["bundle"], "");
}

#[test]
fn a_folder_is_bundled_as_xml_that_can_be_parsed() {
    let place = place();
    let bundle = without_effect(&place, "bundle_folder", json!({"root": "sub", "format": "xml"}));
    let text = "<documents>\n<document path=\"sub/b &amp; c.md\"><![CDATA[\nsecond ]]]]><![CDATA[> <b>\n]]></document>\n\
                <document path=\"sub/deep/d.md\"><![CDATA[\nthird\n]]></document>\n</documents>\n";
    assert_eq!(bundle["bundle"], text);
    assert_eq!(bundle["total_bytes"], text.len());
}

#[test]
fn a_bundle_says_when_it_is_full() {
    let place = place();
    let bundle = |arguments: Value| without_effect(&place, "bundle_folder", arguments);
    let one = bundle(json!({"root": "", "max_files": 1}));
    assert_eq!((&one["file_count"], &one["truncated"]), (&json!(1), &json!(true)));
    assert_eq!(bundle(json!({"root": "", "max_files": 3}))["truncated"], false);
    let cut = bundle(json!({"root": "sub", "max_bytes": 40}));
    assert_eq!((&cut["file_count"], &cut["truncated"], &cut["total_bytes"]), (&json!(1), &json!(true), &json!(33)));
    let tiny = bundle(json!({"root": "sub", "max_bytes": 5}));
    assert_eq!(
        (&tiny["bundle"], &tiny["file_count"], &tiny["files"], &tiny["truncated"]),
        (&json!(""), &json!(0), &json!([]), &json!(true))
    );
    let tiny = bundle(json!({"root": "sub", "max_bytes": 5, "format": "xml"}));
    assert_eq!((&tiny["bundle"], &tiny["truncated"]), (&json!(""), &json!(true)));
    let code = |arguments: Value| refused(&place, "bundle_folder", arguments);
    assert_eq!(code(json!({"root": "none"})), "note_not_found");
    assert_eq!(code(json!({"root": "a.md"})), "path_invalid");
    assert_eq!(code(json!({"root": "../x"})), "path_invalid");
    assert_eq!(code(json!({"root": ".obsidian"})), "acl_denied");
    assert_eq!(code(json!({"root": "", "max_files": 501})), "invalid_input");
    assert_eq!(code(json!({"root": "", "format": "html"})), "invalid_input");
    assert_eq!(code(json!({})), "invalid_input");
}

#[test]
fn files_are_bundled_in_the_order_given() {
    let place = place();
    let bundle = |arguments: Value| without_effect(&place, "bundle_files", arguments);
    let found = bundle(json!({"paths": ["sub/deep/d.md", "gone.md", "sub/data.csv"]}));
    let text = "## sub/deep/d.md\n\nthird\n\n## sub/data.csv\n\nx,y\n\n";
    let expected =
        json!({"bundle": text, "file_count": 2, "total_bytes": text.len(), "truncated": false, "missing_paths": ["gone.md"]});
    assert_eq!(found, expected);
    assert_eq!(bundle(json!({"paths": ["a.md"]})).get("missing_paths"), None);
    let plain = bundle(json!({"paths": ["a.md"], "include_frontmatter": false, "format": "xml"}));
    assert!(plain["bundle"].as_str().unwrap().contains("<![CDATA[\n\u{1F600} first\nline\n]]>"), "{plain}");
    let full = bundle(json!({"paths": ["a.md", "gone.md"], "max_bytes": 20}));
    assert_eq!((&full["truncated"], &full["missing_paths"]), (&json!(true), &json!(["gone.md"])));
    let code = |paths: Value| refused(&place, "bundle_files", json!({"paths": paths}));
    assert_eq!(code(json!(["a.md", "../x.md"])), "path_invalid");
    assert_eq!(code(json!([".obsidian/app.json"])), "acl_denied");
    assert_eq!(code(json!(["sub"])), "path_invalid");
    assert_eq!(code(json!(["sub/pic.png"])), "invalid_input");
    assert_eq!(code(json!(vec!["a.md"; 201])), "invalid_input");
    assert_eq!(code(json!([])), "invalid_input");
}
