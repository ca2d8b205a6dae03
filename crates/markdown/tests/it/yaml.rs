//! How YAML is read: scalars, collections, comments, and what is refused.

use quillgate_markdown::{Value, parse_yaml};
use serde_json::{Value as Json, json};

use crate::vectors::to_json;

fn check(yaml: &str, expected: Json) {
    let entries = parse_yaml(yaml).unwrap_or_else(|error| panic!("{yaml:?}: {error}"));
    let found: serde_json::Map<String, Json> = entries.iter().map(|entry| (entry.key.clone(), to_json(&entry.value))).collect();
    assert_eq!(Json::Object(found), expected, "{yaml:?}");
}

fn check_refused(yaml: &str, line: usize) {
    let error = parse_yaml(yaml).expect_err(yaml);
    assert_eq!(error.line, line, "{yaml:?}: {error}");
}

#[test]
fn scalars_follow_the_core_schema() {
    check("a: 0o17\nb: 0x1F\nc: 1_000\nd: True\ne: ~", json!({"a": 15, "b": 31, "c": "1_000", "d": true, "e": null}));
    check(
        "a: 1e3\nb: 12:30\nc: #c\nd:\ne: 2024-01-01",
        json!({"a": 1000, "b": "12:30", "c": null, "d": null, "e": "2024-01-01"}),
    );
    check("a: \"1\"\nb: '1'\nc: !!str 1\nd: !!int \"3\"\ne: !x 1", json!({"a": "1", "b": "1", "c": "1", "d": 3, "e": "1"}));
    let infinite = parse_yaml("a: .inf").expect("valid");
    assert_eq!(infinite[0].value, Value::Float(f64::INFINITY));
}

#[test]
fn blocks_and_flows_are_read() {
    check("a: |\n  x\n   y\n\n  z\nb: >-\n  x\n  y\n\n  z\n", json!({"a": "x\n y\n\nz\n", "b": "x y\nz"}));
    check("a: [x, 'y', {k: v}]\nb: {k: [1, 2], l: }\n", json!({"a": ["x", "y", {"k": "v"}], "b": {"k": [1, 2], "l": null}}));
    check("a:\n- x\n- - y\n  - z\n- k: v\n  l: w\n", json!({"a": ["x", ["y", "z"], {"k": "v", "l": "w"}]}));
    check("a: x\n  y\n", json!({"a": "x y"}));
}

#[test]
fn comments_line_endings_and_odd_keys_are_read() {
    check("# first\na: 1 # one\n\n# between\nb: x#y\n# last", json!({"a": 1, "b": "x#y"}));
    check("a: 1\r\nb:\r\n  - x\r\n", json!({"a": 1, "b": ["x"]}));
    check(
        "größe: 1\n\"a: b\": 2\n'it''s': 3\n日本: 4\n1: 5\ntrue: 6\n",
        json!({"größe": 1, "a: b": 2, "it's": 3, "日本": 4, "1": 5, "true": 6}),
    );
    check("a:\tx\nb: y\nc:\t1 # c\n", json!({"a": "x", "b": "y", "c": 1}));
    check("? a\n: 1\n", json!({"a": 1}));
    check("date: {{date}}\n", json!({"date": {"{ date }": null}}));
    check("", json!({}));
    check("# only a comment\n", json!({}));
}

#[test]
fn anchors_are_copied() {
    check("a: &x [1]\nb: *x\nc: {<<: *x}\n", json!({"a": [1], "b": [1], "c": {"<<": [1]}}));
}

#[test]
fn what_the_app_refuses_is_refused_with_its_line() {
    check_refused("a: 1\na: 2\n", 2);
    check_refused("b:\n  k: 1\n  k: 2\n", 3);
    check_refused("a:\n\t- x\n", 2);
    check_refused("\ta: 1\n", 1);
    check_refused("a: 1\n...\nb: 2\n", 3);
    check_refused("just text\n", 1);
    check_refused("- a\n- b\n", 1);
    check_refused("a: b: c\n", 1);
    check_refused("a: @x\n", 1);
    check_refused("¡[a]: \n- [ ] ¡\n", 2);
    check_refused("a: 1\nb: x\rc: 3\n", 2);
    check_refused("a: *nowhere\n", 1);
}

#[test]
fn aliases_cannot_blow_up() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let below = format!("*a{}, ", level - 1).repeat(10);
        bomb.push_str(&format!("a{level}: &a{level} [{below}]\n"));
    }
    assert!(parse_yaml(&bomb).is_err());
}

#[test]
fn nesting_is_bounded() {
    assert!(parse_yaml(&format!("a: {}", "[".repeat(100_000))).is_err());
    let deep = format!("a:\n{}", (1..2000).map(|depth| format!("{}-\n", " ".repeat(depth))).collect::<String>());
    assert!(parse_yaml(&deep).is_err());
}
