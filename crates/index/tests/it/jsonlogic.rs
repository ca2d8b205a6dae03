//! JSONLogic: the reference implementation's answers, and the same answers from columns as from whole documents.

use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use quillgate_index::jsonlogic::{JsonLogicError, NoteTexts, Rule};
use quillgate_index::{Catalogue, Entry};
use quillgate_vault::{FolderPath, NotePath};
use serde_json::{Value, json};

use crate::place::{Place, Run};

/// Made with json-logic-js 2.0.5: the rule, whether its answer is true, and its answer as text.
const VECTORS: &str = include_str!("jsonlogic_vectors.json");

#[test]
fn answers_are_those_of_the_reference_implementation() {
    let vectors: Value = serde_json::from_str(VECTORS).unwrap();
    let mut wrong = Vec::new();
    for case in vectors["cases"].as_array().unwrap() {
        let truth = Rule::parse(&case[0]).unwrap().is_true(&vectors["data"]).unwrap();
        let text = json!({"===": [{"cat": [case[0]]}, case[2]]});
        if Value::Bool(truth) != case[1] || !Rule::parse(&text).unwrap().is_true(&vectors["data"]).unwrap() {
            wrong.push(case.to_string());
        }
    }
    assert!(wrong.is_empty(), "{} wrong: {}", wrong.len(), wrong.join("\n"));
}

fn text(run: &Run, path: &NotePath) -> Option<String> {
    String::from_utf8(run.vault.read(path).ok()?.bytes).ok()
}

fn find(run: &Run, rule: &Value) -> Result<Vec<String>, JsonLogicError> {
    let read = |path: &NotePath| text(run, path);
    find_with(&run.index.catalogue(), rule, &NoteTexts { read: &read, narrow: &|_| None })
}

fn find_with(catalogue: &Catalogue, rule: &Value, texts: &NoteTexts) -> Result<Vec<String>, JsonLogicError> {
    let root = FolderPath::default();
    let ids = catalogue.find_by_rule(&Rule::parse(rule)?, catalogue.notes_below(&root), texts, &|| true)?;
    Ok(catalogue.page_of(&ids, &root, None, 10_000).notes.iter().map(|(_, entry)| entry.path.to_string()).collect())
}

fn vault() -> (Place, Run) {
    let place = Place::new(&[
        ("a.md", "---\nStatus: open\nrating: 4\ntags: [work, Home]\n---\nsee [[b]], [[gone#x]] and #home #new\n"),
        ("sub/b.md", "---\nstatus: done\nrating: high\nwho: {name: Ann}\n---\n![[a]] [[#here]] needle\n"),
        ("sub/c.md", "nothing at all\n"),
        ("pic.png", "needle"),
    ]);
    let run = place.start_without_store();
    (place, run)
}

#[test]
fn a_rule_sees_path_content_frontmatter_tags_and_links() {
    let (_place, run) = vault();
    let check = |rule: Value, paths: &[&str]| assert_eq!(find(&run, &rule).unwrap(), paths, "{rule}");
    check(json!({"==": [{"var": "frontmatter.status"}, "open"]}), &["a.md"]);
    check(json!({"==": [{"var": "frontmatter.who.name"}, "Ann"]}), &["sub/b.md"]);
    check(json!({">": [{"var": "frontmatter.rating"}, 3]}), &["a.md"]);
    check(json!({"in": ["new", {"var": "tags"}]}), &["a.md"]);
    check(json!({"===": [{"var": "tags.length"}, 3]}), &["a.md"]);
    check(json!({"!": {"var": "tags"}}), &["sub/b.md", "sub/c.md"]);
    check(json!({"in": ["sub/", {"var": "path"}]}), &["sub/b.md", "sub/c.md"]);
    check(json!({"in": ["needle", {"var": "content"}]}), &["sub/b.md"]);
    check(json!({"in": ["status: done", {"var": "content"}]}), &["sub/b.md"]);
    check(json!({"===": [{"cat": [{"var": "links"}]}, "sub/b.md,gone"]}), &["a.md"]);
    check(json!({"===": [{"cat": [{"var": "links"}]}, "a.md"]}), &["sub/b.md"]);
    check(json!({"missing": ["frontmatter.status"]}), &["sub/c.md"]);
    check(json!({"var": {"cat": ["frontmatter.", "status"]}}), &["a.md", "sub/b.md"]);
    check(json!({"and": []}), &[]);
    check(json!({"!": []}), &["a.md", "sub/b.md", "sub/c.md"]);
}

#[test]
fn only_notes_still_undecided_are_read_and_literals_are_offered() {
    let (_place, run) = vault();
    let read = AtomicUsize::new(0);
    let counted = |path: &NotePath| {
        read.fetch_add(1, Ordering::Relaxed);
        text(&run, path)
    };
    let catalogue = run.index.catalogue();
    let rule = json!({"and": [{"in": ["needle", {"var": "content"}]}, {"!=": [{"var": "frontmatter.status"}, "done"]}]});
    assert!(find_with(&catalogue, &rule, &NoteTexts { read: &counted, narrow: &|_| None }).unwrap().is_empty());
    assert_eq!(read.load(Ordering::Relaxed), 2);
    let narrow = |literal: &str| (literal == "needle").then(roaring::RoaringBitmap::new);
    assert!(find_with(&catalogue, &rule, &NoteTexts { read: &counted, narrow: &narrow }).unwrap().is_empty());
    assert_eq!(read.load(Ordering::Relaxed), 2);
}

#[test]
fn a_bad_rule_says_what_is_wrong_and_where() {
    let error = Rule::parse(&json!({"and": [true, {"or": [{"matches": [1]}]}]})).unwrap_err();
    let text = "there is no operator \"matches\" at /and/1/or/0; use those of json-logic-js, and wrap data in lists";
    assert_eq!(error.to_string(), text);
    assert!(matches!(Rule::parse(&json!({"*": []})), Err(JsonLogicError::BadArguments { .. })));
    let deep = (0..200).fold(json!(1), |rule, _| json!({"!": [rule]}));
    assert!(matches!(Rule::parse(&deep), Err(JsonLogicError::TooDeep { .. })));
}

#[test]
fn an_item_that_is_nothing_is_null() {
    let rule = json!({"===": [{"reduce": [[2, {"or": []}], {"max": [{"var": "current"}, {"var": "accumulator"}]}, 0]}, 2]});
    assert!(Rule::parse(&rule).unwrap().is_true(&json!({})).unwrap());
}

#[test]
fn a_rule_that_never_ends_is_stopped() {
    let many: Vec<u32> = (0..200).collect();
    let square = json!({"map": [many, {"map": [many, {"+": [{"var": ""}, 1]}]}]});
    let doubling = json!({"reduce": [many, {"cat": [{"var": "accumulator"}, {"var": "accumulator"}]}, "a"]});
    let merging = json!({"reduce": [many, {"merge": [{"var": "accumulator"}, {"var": "accumulator"}]}, [1]]});
    for rule in [square, doubling, merging] {
        let error = Rule::parse(&rule).unwrap().is_true(&json!({})).unwrap_err();
        assert!(error.is_budget(), "{rule}");
    }
}

#[test]
fn a_search_can_be_cancelled() {
    let (_place, run) = vault();
    let rule = Rule::parse(&json!({"var": "path"})).unwrap();
    let texts = NoteTexts { read: &|_| None, narrow: &|_| None };
    let catalogue = run.index.catalogue();
    let found = catalogue.find_by_rule(&rule, catalogue.notes_below(&FolderPath::default()), &texts, &|| false);
    assert_eq!(found.unwrap_err(), JsonLogicError::Cancelled);
}

fn document(run: &Run, catalogue: &Catalogue, entry: &Entry) -> Value {
    let card = entry.card();
    let (mut tags, mut links): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for tag in card.property_tags.iter().chain(card.inline_tags.iter().map(|tag| &tag.0)) {
        if !tags.iter().any(|known| known.eq_ignore_ascii_case(tag)) {
            tags.push(tag.clone());
        }
    }
    for link in catalogue.outgoing(&entry.path).into_iter().filter(|link| !link.link.path.is_empty()) {
        let target = link.target.map_or(link.link.path, |path| path.to_string());
        if !links.contains(&target) {
            links.push(target);
        }
    }
    let text = text(run, &entry.path);
    json!({"path": entry.path.as_str(), "content": text, "frontmatter": card.property_map(), "tags": tags, "links": links})
}

fn random_note() -> impl Strategy<Value = String> {
    let value =
        select(vec!["open", "done", "1", "2", "2.5", "\"1\"", "true", "", "[a, b]", "[]", "{x: 1, y: [2]}", "2024-05-01", "ü"]);
    let properties = prop::collection::btree_map(select(vec!["a", "b", "c", "rare"]), value, 0..4);
    let body = prop::collection::vec(select(vec!["#x", "#Y", "#y", "[[n1]]", "[[none]]", "word", "ü", "[[n2|z]]"]), 0..5);
    (properties, prop::option::of(select(vec!["[x, z]", "y"])), body).prop_map(|(properties, tags, body)| {
        let tags = tags.map(|tags| format!("tags: {tags}\n")).unwrap_or_default();
        let lines: String = properties.iter().map(|(key, value)| format!("{key}: {value}\n")).collect();
        format!("---\n{lines}{tags}---\n{}\n", body.join(" "))
    })
}

fn random_rule() -> impl Strategy<Value = Value> {
    let literals = vec![
        json!(null),
        json!(1),
        json!("open"),
        json!("x"),
        json!("y"),
        json!(2.5),
        json!("1"),
        json!(true),
        json!("n"),
        json!(""),
    ];
    let names = vec![
        "frontmatter.a",
        "frontmatter.b",
        "frontmatter.c",
        "frontmatter.a.x",
        "frontmatter.b.0",
        "frontmatter.rare",
        "frontmatter.nope",
        "path",
        "tags",
        "tags.length",
        "tags.0",
        "links",
        "links.0",
        "content",
        "frontmatter",
        "nope",
        "nope.x",
    ];
    let variable = select(names.clone()).prop_map(|name| json!({"var": name}));
    let missing = prop::collection::vec(select(names), 1..3).prop_map(|names| json!({"missing": names}));
    let odd = select(vec![
        json!({"var": ""}),
        json!({"var": {"cat": ["frontmatter", ".a"]}}),
        json!({"var": ["frontmatter.b", 1]}),
        json!({"map": [{"var": "tags"}, {"var": ""}]}),
        json!({"some": [{"var": "links"}, {"in": ["n", {"var": ""}]}]}),
        json!({"missing_some": [1, ["frontmatter.a", "frontmatter.b"]]}),
    ]);
    let leaf = prop_oneof![3 => select(literals), 6 => variable, 1 => missing, 1 => odd];
    leaf.prop_recursive(5, 24, 3, |inner| {
        let two = select(vec!["==", "===", "!=", "!==", "<", ">=", "in", "+", "-", "min"]);
        let some = select(vec!["and", "or", "and", "or", "if", "cat", "merge"]);
        prop_oneof![
            3 => (two, inner.clone(), inner.clone()).prop_map(|(name, a, b)| json!({name: [a, b]})),
            4 => (some, prop::collection::vec(inner.clone(), 1..4)).prop_map(|(name, items)| json!({name: items})),
            2 => (select(vec!["!", "!!"]), inner).prop_map(|(name, item)| json!({name: [item]})),
        ]
    })
}

#[test]
fn columns_answer_as_whole_documents_do() {
    let mut runner = TestRunner::deterministic();
    for _ in 0..15 {
        let notes = prop::collection::vec(random_note(), 1..12).new_tree(&mut runner).unwrap().current();
        let files: Vec<(String, String)> = notes
            .into_iter()
            .enumerate()
            .map(|(at, text)| (format!("{}n{at}.md", if at % 3 == 0 { "x/" } else { "" }), text))
            .collect();
        let place = Place::new(&files);
        let run = place.start_without_store();
        let catalogue = run.index.catalogue();
        let documents: Vec<Value> = catalogue.notes().map(|entry| document(&run, &catalogue, entry)).collect();
        let read = |path: &NotePath| text(&run, path);
        let texts = NoteTexts { read: &read, narrow: &|_| None };
        for _ in 0..300 {
            let rule = random_rule().new_tree(&mut runner).unwrap().current();
            let parsed = Rule::parse(&rule).unwrap();
            let wanted: Vec<&str> = documents
                .iter()
                .filter(|document| parsed.is_true(document).unwrap())
                .map(|document| document["path"].as_str().unwrap())
                .collect();
            assert_eq!(find_with(&catalogue, &rule, &texts).unwrap(), wanted, "{rule}\n{documents:#?}");
        }
    }
}
