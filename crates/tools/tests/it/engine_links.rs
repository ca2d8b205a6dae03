//! The `engine` surface: links that are changed.

use quillgate_tools::Consent;
use quillgate_vault::ContentHash;
use serde_json::{Value, json};

use crate::asking::{asked, failed, refused, unasked, without_effect};
use crate::place::Place;

fn hash(text: &str) -> String {
    ContentHash::of(text.as_bytes()).to_string()
}

fn linked() -> Place {
    Place::new(&[
        ("old.md", "I link to [[old]] myself, and to [[#here]]\n"),
        ("new.md", ""),
        ("x/twin.md", ""),
        ("y/twin.md", ""),
        ("a.md", "---\nup: \"[[old|old]]\"\n---\n[[Old#h|shown]] ![[old#^b]] [t](old.md \"title\") `[[old]]` [[new]]\r\n"),
        ("sub/b.md", "[x](../old.md) [[../old]] [[gone]] [[GONE.md#x|gone]]\n"),
        ("sub/c.md", "[[/old]] [[../far/gone]]\n"),
        ("board.canvas", r#"{"nodes":[{"type":"file","file":"old.md"},{"type":"text","text":"[[old]] and [[old|x]]"}]}"#),
    ])
}

fn call(from: &str, to: &str) -> Value {
    json!({"from_target": from, "to_target": to})
}

#[test]
fn all_links_to_a_note_are_made_to_lead_to_another() {
    let place = linked();
    let told = without_effect(&place, "rewrite_link", call("old.md", "new"));
    let files = json!([
        {"path": "a.md", "occurrences": 4},
        {"path": "board.canvas", "occurrences": 3},
        {"path": "old.md", "occurrences": 1},
        {"path": "sub/b.md", "occurrences": 2},
        {"path": "sub/c.md", "occurrences": 1},
    ]);
    let expected =
        json!({"from_target": "old.md", "to_target": "new", "files_modified": files, "total_replacements": 11, "dry_run": true});
    assert_eq!(told, expected);
    let mut wet = call("old.md", "new");
    wet["dry_run"] = json!(false);
    let proposed = asked(&place, "rewrite_link", wet.clone());
    assert_eq!(
        (&proposed["reasons"], proposed["files"].as_array().unwrap().len()),
        (&json!(["rewrites 11 links in 5 files"]), 5)
    );
    let done = place.answer("rewrite_link", wet.clone());
    assert_eq!((&done["files_modified"], &done["dry_run"]), (&told["files_modified"], &json!(false)));
    assert_eq!(
        place.text("a.md"),
        "---\nup: \"[[new|new]]\"\n---\n[[new#h|shown]] ![[new#^b]] [t](new.md \"title\") `[[old]]` [[new]]\r\n"
    );
    assert_eq!(place.text("sub/b.md"), "[x](../new.md) [[../new]] [[gone]] [[GONE.md#x|gone]]\n");
    assert_eq!(place.text("sub/c.md"), "[[/new]] [[../far/gone]]\n");
    assert_eq!(place.text("old.md"), "I link to [[new]] myself, and to [[#here]]\n");
    let board = r#"{"nodes":[{"type":"file","file":"new.md"},{"type":"text","text":"[[new]] and [[new|x]]"}]}"#;
    assert_eq!(place.text("board.canvas"), board);
    // Nothing is left to do, and so nobody is asked.
    assert_eq!(unasked(&place, "rewrite_link", wet)["total_replacements"], 0);
}

#[test]
fn links_that_lead_nowhere_can_be_mended_and_others_sent_there() {
    let place = linked();
    let rewrite = |from: &str, to: &str| {
        let answer = place.answer("rewrite_link", json!({"from_target": from, "to_target": to, "dry_run": false}));
        answer["total_replacements"].as_u64().unwrap()
    };
    assert_eq!(rewrite("gone", "x/twin.md"), 2);
    assert_eq!(place.text("sub/b.md"), "[x](../old.md) [[../old]] [[x/twin]] [[x/twin.md#x|twin]]\n");
    assert_eq!(rewrite("../far/gone", "Some day"), 1);
    assert_eq!(place.text("sub/c.md"), "[[/old]] [[Some day]]\n");
    assert_eq!(rewrite("old", "not yet.md"), 11);
    assert_eq!(place.text("sub/c.md"), "[[not yet]] [[Some day]]\n");
    assert_eq!(
        place.text("a.md"),
        "---\nup: \"[[not yet|not yet]]\"\n---\n[[not yet#h|shown]] ![[not yet#^b]] [t](not%20yet.md \"title\") `[[old]]` [[new]]\r\n"
    );
    assert!(place.text("board.canvas").contains(r#""file":"not yet.md""#));
    assert_eq!(rewrite("nothing links here", "new"), 0);
    assert_eq!(rewrite("new", "new.md"), 0);
}

#[test]
fn a_folder_bounds_where_links_are_rewritten() {
    let place = linked();
    let call =
        |scope: &str, folder: Value| json!({"from_target": "old", "to_target": "new", "scope": scope, "folder_path": folder});
    let told = without_effect(&place, "rewrite_link", call("folder", json!("sub")));
    assert_eq!(told["files_modified"], json!([{"path": "sub/b.md", "occurrences": 2}, {"path": "sub/c.md", "occurrences": 1}]));
    assert_eq!(refused(&place, "rewrite_link", call("folder", json!(null))), "invalid_input");
    assert_eq!(refused(&place, "rewrite_link", call("vault", json!("sub"))), "invalid_input");
    assert_eq!(refused(&place, "rewrite_link", call("folder", json!("missing"))), "note_not_found");
    assert_eq!(refused(&place, "rewrite_link", call("folder", json!("../x"))), "path_invalid");
    assert_eq!(refused(&place, "rewrite_link", call("folder", json!(".obsidian"))), "acl_denied");
    assert_eq!(refused(&place, "rewrite_link", call("note", json!(null))), "invalid_input");
}

#[test]
fn a_target_must_be_clear_and_possible() {
    let place = linked();
    let body = failed(&place, Consent::Standing, "rewrite_link", call("twin", "new"));
    assert_eq!((&body["code"], &body["details"]["candidates"]), (&json!("path_ambiguous"), &json!(["x/twin.md", "y/twin.md"])));
    assert_eq!(refused(&place, "rewrite_link", call("old", "twin.md")), "path_ambiguous");
    without_effect(&place, "rewrite_link", call("old", "y/twin"));
    for wrong in ["old#h", "[[old]]", "old|x", "old^b"] {
        assert_eq!(refused(&place, "rewrite_link", call(wrong, "new")), "invalid_input", "{wrong}");
        assert_eq!(refused(&place, "rewrite_link", call("old", wrong)), "invalid_input", "{wrong}");
    }
    assert_eq!(refused(&place, "rewrite_link", call("old", "../x")), "path_invalid");
    assert_eq!(refused(&place, "rewrite_link", call("old", ".obsidian/x")), "acl_denied");
    assert_eq!(refused(&place, "rewrite_link", call("", "new")), "invalid_input");
}

const HUB: &str = "---\nup: \"[[quiet]]\"\n---\n# Hub of [[loud]]\n\n- [[quiet]]\n- [[loud]] - worth reading\n- [ ] [[loud|task]]\n  - [[quiet|below]]\n- [[missing]] and [[loud]]\n\nSome prose about [[quiet|a quiet one]] here,\nand ![[pic.png]] too.\n\n[[quiet]] [[loud]]\n\n```\n[[code]]\n```\n";

fn hub() -> Place {
    Place::new(&[
        ("hub.md", HUB),
        ("quiet.md", "---\nScore: 2\n---\n[[loud]]\n"),
        ("loud.md", "---\nscore: 9\n---\n[[quiet]] [[hub]]\n"),
        ("fan.md", "[[loud]]\n"),
        ("pic.png", "x"),
    ])
}

fn prune(policy: Value) -> Value {
    json!({"path": "hub.md", "policy": policy, "idempotency_key": "k"})
}

/// The targets and lines that would go.
fn gone(place: &Place, policy: Value) -> Vec<String> {
    let told = without_effect(place, "prune_hub_links", prune(policy));
    assert_eq!((&told["links_before"], &told["dry_run"], told.get("content_hash")), (&json!(11), &json!(true), None));
    let removed = told["removed"].as_array().unwrap();
    assert_eq!(told["links_after"].as_u64().unwrap() as usize, 11 - removed.len());
    removed.iter().map(|link| format!("{}:{}", link["target"].as_str().unwrap(), link["line"])).collect()
}

#[test]
fn each_policy_finds_its_links() {
    let place = hub();
    // loud has three backlinks, quiet and pic.png one or two; missing none.
    assert_eq!(gone(&place, json!({"kind": "drop_below_score", "threshold": 2})), ["missing:10", "pic.png:13"]);
    let outgoing = json!({"kind": "drop_below_score", "score_field": "target_outgoing_count", "threshold": 1});
    assert_eq!(gone(&place, outgoing), ["missing:10", "pic.png:13"]);
    let property = json!({"kind": "drop_below_score", "score_field": "score", "threshold": 5.5});
    assert_eq!(gone(&place, property), ["quiet:6", "quiet:9", "quiet:12", "quiet:15"], "what has no score is not below");
    let top = json!({"kind": "keep_top_n", "n": 4, "score_field": "frontmatter.score"});
    assert_eq!(gone(&place, top), ["quiet:6", "quiet:9", "missing:10", "quiet:12", "pic.png:13", "quiet:15", "loud:15"]);
    assert_eq!(gone(&place, json!({"kind": "keep_top_n", "n": 20})), [""; 0]);
    assert_eq!(gone(&place, json!({"kind": "keep_top_n", "n": 0})).len(), 11);
    let bare = json!({"kind": "drop_unannotated_list_items"});
    assert_eq!(gone(&place, bare), ["quiet:6", "loud:8", "quiet:9"]);
    let short = json!({"kind": "drop_unannotated_list_items", "min_annotation_chars": 5});
    assert_eq!(gone(&place, short), ["quiet:6", "loud:8", "quiet:9", "missing:10", "loud:10"]);
    assert_eq!(gone(&place, json!({"kind": "drop_no_prose_context"})), ["quiet:6", "loud:8", "quiet:9", "quiet:15", "loud:15"]);
    let little = json!({"kind": "drop_no_prose_context", "min_prose_chars": 10});
    assert_eq!(gone(&place, little).len(), 8);
    let logic = json!({"and": [{"==": [{"var": "in_list_item"}, false]}, {"<": [{"var": "target_backlink_count"}, 2]}]});
    assert_eq!(gone(&place, json!({"kind": "jsonlogic", "logic": logic})), ["pic.png:13"]);
    let place_of = json!({"and": [{"==": [{"var": "line"}, 12]}, {"==": [{"var": "col"}, 18]}, {"==": [{"var": "target_path"}, "quiet.md"]}]});
    assert_eq!(gone(&place, json!({"kind": "jsonlogic", "logic": place_of})), ["quiet:12"]);
    let words = json!({"or": [{"==": [{"var": "list_item_text"}, "[[loud]] - worth reading"]}, {"in": ["Some prose", {"var": "prose_context"}]}]});
    assert_eq!(gone(&place, json!({"kind": "jsonlogic", "logic": words})), ["loud:7", "quiet:12", "pic.png:13"]);
}

#[test]
fn links_are_taken_out_and_the_text_around_them_stays() {
    let place = hub();
    let mut wet = prune(json!({"kind": "drop_below_score", "score_field": "score", "threshold": 5}));
    wet["dry_run"] = json!(false);
    let proposed = asked(&place, "prune_hub_links", wet.clone());
    assert_eq!(proposed["reasons"], json!(["takes 4 of 11 links out of hub.md"]));
    let done = place.answer("prune_hub_links", wet);
    let after = HUB
        .replace("- [[quiet]]\n", "")
        .replace("  - [[quiet|below]]\n", "")
        .replace("[[quiet|a quiet one]]", "a quiet one")
        .replace("\n[[quiet]] [[loud]]", "\nquiet [[loud]]");
    assert_eq!(place.text("hub.md"), after);
    assert_eq!((&done["policy_used"], &done["content_hash"]), (&json!("drop_below_score"), &json!(hash(&after))));
    assert_eq!((&done["links_after"], &done["dry_run"]), (&json!(7), &json!(false)));
    assert_eq!(done["removed"][0], json!({"target": "quiet", "reason": "score 2 is below 5", "line": 6}));
}

#[test]
fn an_item_stays_as_long_as_something_needs_it() {
    let check = |before: &str, policy: Value, after: &str| {
        let place = Place::new(&[("hub.md", before), ("a.md", ""), ("pic.png", "x")]);
        place.answer("prune_hub_links", json!({"path": "hub.md", "policy": policy, "dry_run": false, "idempotency_key": "k"}));
        assert_eq!(place.text("hub.md"), after);
    };
    let all = || json!({"kind": "keep_top_n", "n": 0});
    check("- [[a]]\n  - child\n- x\n", all(), "- a\n  - child\n- x\n");
    check("1. [[a]]\r\n2. two\r\n", all(), "2. two\r\n");
    check("* [[a]] goes\n  on here\n\ntext\n", all(), "\ntext\n");
    check("> - [[a]]\n> - b\n", all(), "> - b\n");
    check("- [[a]] and [[missing]]\n", json!({"kind": "drop_below_score", "threshold": 1}), "- [[a]] and missing\n");
    check("- [[a]] and [[missing]]\n", all(), "");
    check("x [t](a.md) [![p](pic.png)](a.md) ![[pic.png]] [[a#h]] y\n", all(), "x t   a#h y\n");
    check("[r][l]\n\n[l]: a.md\n", all(), "[r][l]\n\n[l]: a.md\n");
}

#[test]
fn no_more_links_go_than_are_allowed_and_the_weakest_first() {
    let place = hub();
    let mut call = prune(json!({"kind": "keep_top_n", "n": 1}));
    call["max_removals"] = json!(2);
    let told = without_effect(&place, "prune_hub_links", call);
    let targets: Vec<&Value> = told["removed"].as_array().unwrap().iter().map(|link| &link["target"]).collect();
    assert_eq!(targets, ["missing", "pic.png"]);
}

#[test]
fn a_policy_that_makes_no_sense_is_refused() {
    let place = hub();
    let code = |policy: Value| refused(&place, "prune_hub_links", prune(policy));
    assert_eq!(code(json!({"kind": "drop_below_score"})), "invalid_input");
    assert_eq!(code(json!({"kind": "keep_top_n"})), "invalid_input");
    assert_eq!(code(json!({"kind": "jsonlogic"})), "invalid_input");
    assert_eq!(code(json!({"kind": "keep_top_n", "n": 1, "threshold": 2})), "invalid_input");
    assert_eq!(code(json!({"kind": "keep_best"})), "invalid_input");
    assert_eq!(code(json!({"kind": "jsonlogic", "logic": {"nonsense": 1}})), "jsonlogic_error");
    let costly = (0..14).fold(json!({"==": [1, 1]}), |rule, _| json!({"and": [rule, rule]}));
    assert_eq!(code(json!({"kind": "jsonlogic", "logic": costly})), "compute_budget_exceeded");
    let call = |path: &str| json!({"path": path, "policy": {"kind": "keep_top_n", "n": 1}, "idempotency_key": "k"});
    assert_eq!(refused(&place, "prune_hub_links", call("nope.md")), "note_not_found");
    assert_eq!(refused(&place, "prune_hub_links", call("pic.png")), "invalid_input");
    assert_eq!(refused(&place, "prune_hub_links", call("../hub.md")), "path_invalid");
    assert_eq!(refused(&place, "prune_hub_links", call(".obsidian/x.md")), "acl_denied");
    let unkeyed = json!({"path": "hub.md", "policy": {"kind": "keep_top_n", "n": 1}});
    assert!(place.refused("engine", "prune_hub_links", unkeyed).message.contains("idempotency_key is required"));
}
