//! What the rules say about a path, and in whichever way it is spelled.

use std::sync::Arc;

use quillgate_vault::{Access, AccessClass, Decision, Operation, Rules, RulesSource, VaultError};

use crate::place::{Place, note};

use Operation::{Delete, Execute, Read, Write};

pub(crate) fn globs(globs: &[&str]) -> Option<Vec<String>> {
    Some(globs.iter().map(ToString::to_string).collect())
}

fn rule(glob: &str, scopes: &[&str]) -> (String, Vec<String>) {
    (glob.to_owned(), scopes.iter().map(ToString::to_string).collect())
}

pub(crate) fn access(source: &RulesSource, held: &[&str]) -> Arc<Access> {
    let rules = Arc::new(Rules::compile(source, false).unwrap());
    Arc::new(Access::of(rules, |scope| held.contains(&scope)))
}

fn folding(source: &RulesSource) -> Access {
    Access::of(Arc::new(Rules::compile(source, true).unwrap()), |_| false)
}

/// Lines of `path operation` with the reason of a refusal, or `ok`.
#[track_caller]
fn check(access: &Access, expected: &[(&str, Operation, &str)]) {
    for (path, operation, outcome) in expected {
        let decision = access.decide(path, *operation);
        let told = if decision.allowed { "ok".to_owned() } else { decision.denied_by.clone().unwrap() };
        assert_eq!(told, *outcome, "{operation} {path}: {decision:?}");
        assert_eq!(decision.allowed, decision.denied_by.is_none());
    }
}

#[test]
fn without_rules_everything_but_hidden_names_is_allowed() {
    let access = Access::unrestricted();
    for operation in Operation::ALL {
        check(&access, &[("a/b.md", operation, "ok"), (".obsidian/app.json", operation, ".obsidian/**")]);
    }
    assert_eq!(access.class(), AccessClass::ALL);
}

#[test]
fn lists_restrict_their_operation_and_what_cannot_be_read_cannot_be_changed() {
    let source = RulesSource {
        read_paths: globs(&["Projects/**", "Inbox"]),
        write_paths: globs(&["Inbox/**", "Drop/**"]),
        delete_paths: globs(&[]),
        ..RulesSource::default()
    };
    check(
        &access(&source, &[]),
        &[
            ("Projects", Read, "ok"),
            ("Projects/a/b.md", Read, "ok"),
            ("Projects/a/b.md", Write, "writePaths"),
            ("Inbox/a.md", Write, "ok"),
            ("Inbox/a.md", Execute, "ok"),
            ("Inbox/a.md", Delete, "deletePaths"),
            ("Drop/a.md", Write, "readPaths"),
            ("Projects.md", Read, "readPaths"),
            ("", Read, "ok"),
            ("/", Read, "ok"),
        ],
    );
}

#[test]
fn a_strict_default_shows_nothing_unless_a_list_says_what() {
    let strict = RulesSource { strict_read_default: true, ..RulesSource::default() };
    check(&access(&strict, &[]), &[("a.md", Read, "strictReadDefault"), ("a.md", Write, "strictReadDefault")]);
    let listed = RulesSource { read_paths: globs(&["a.md"]), ..strict };
    check(&access(&listed, &[]), &[("a.md", Read, "ok"), ("b.md", Read, "readPaths")]);
}

#[test]
fn the_last_rule_that_matches_counts_and_takes_all_its_scopes() {
    let source = RulesSource {
        rules: vec![rule("Private/**", &["p:one", "p:two"]), rule("Private/Shared/**", &[]), rule("**/*.key", &["keys"])],
        ..RulesSource::default()
    };
    let refused = "rules: Private/** requires p:one, p:two";
    for held in [&[][..], &["p:one"]] {
        check(
            &access(&source, held),
            &[
                ("Private", Read, refused),
                ("Private/a.md", Read, refused),
                ("Private/a.md", Write, refused),
                ("Private/a.md", Delete, refused),
                ("Private/a.md", Execute, refused),
                ("Private/Shared/a.md", Write, "ok"),
                ("Private/Shared/a.key", Read, "rules: **/*.key requires keys"),
                ("a.md", Read, "ok"),
            ],
        );
    }
    check(
        &access(&source, &["p:two", "p:one"]),
        &[("Private/a.md", Delete, "ok"), ("a.key", Read, "rules: **/*.key requires keys")],
    );
}

#[test]
fn where_no_rule_matches_the_default_counts() {
    let source = RulesSource { rules: vec![rule("Public", &[])], default_scopes: vec!["staff".into()], ..RulesSource::default() };
    check(&access(&source, &[]), &[("Public/a.md", Read, "ok"), ("a.md", Read, "defaultScopes: staff")]);
    check(&access(&source, &["staff"]), &[("Public/a.md", Read, "ok"), ("a.md", Read, "ok")]);
}

#[test]
fn a_decision_names_what_counted() {
    let source = RulesSource {
        read_only: true,
        read_paths: globs(&["**/*.md"]),
        rules: vec![rule("Private", &["p"])],
        ..RulesSource::default()
    };
    let access = access(&source, &["p"]);
    let expected = Decision { allowed: true, matched_rule: Some("Private".into()), denied_by: None, kill_switch: false };
    assert_eq!(access.decide("Private/a.md", Read), expected);
    assert_eq!(access.decide("a.md", Read).matched_rule.as_deref(), Some("**/*.md"));
    for operation in [Write, Delete, Execute] {
        let decision = access.decide("a.md", operation);
        assert!(!decision.allowed && decision.kill_switch);
        assert_eq!(decision.denied_by.as_deref(), Some("readOnly"));
    }
}

#[test]
fn hidden_names_are_out_of_reach_in_every_spelling() {
    let everything = RulesSource { read_paths: globs(&["**", ".obsidian/**", ".git/**"]), ..RulesSource::default() };
    for access in [access(&everything, &[]), Arc::new(Access::unrestricted()), Arc::new(folding(&everything))] {
        for (path, reserved) in [
            (".obsidian/app.json", ".obsidian/**"),
            (".Obsidian/app.json", ".obsidian/**"),
            (".OBSIDIAN", ".obsidian/**"),
            (".obsid\u{200b}ian/x", ".obsidian/**"),
            ("\u{feff}.obsidian/x", ".obsidian/**"),
            (".ｏbsidian/x", ".obsidian/**"),
            (".obsidian./x", ".obsidian/**"),
            (".obsidian /x", ".obsidian/**"),
            ("OBSIDI~1/app.json", ".obsidian/**"),
            ("a/.git/config", ".git/**"),
            (".ｇit/config", ".git/**"),
            ("\u{ff0e}git/config", ".git/**"),
            ("\u{2024}GIT", ".git/**"),
            (".git::$INDEX_ALLOCATION/config", ".git/**"),
            ("Git~1/config", ".git/**"),
            (".trash/a.md", ".trash/**"),
            (".Tra\u{17f}h/a.md", ".trash/**"),
        ] {
            for operation in Operation::ALL {
                check(&access, &[(path, operation, reserved)]);
            }
        }
        for path in [".hidden", "../a.md", "/etc/passwd", "a//b", "a\\b", "a/./b", "a\0"] {
            assert!(!access.decide(path, Read).allowed, "{path:?}");
        }
    }
}

#[test]
fn where_the_file_system_folds_case_every_spelling_is_one_file() {
    let source = RulesSource {
        rules: vec![rule("Privat/Über*", &["p"]), rule("STRASSE", &["p"]), rule("Dot.", &["p"])],
        ..RulesSource::default()
    };
    let folding = folding(&source);
    for path in [
        "Privat/Über uns.md",
        "privat/über uns.md",
        "PRIVAT/U\u{308}BER.md",
        "Pri\u{200b}vat/Über.md",
        "Privat./Über.md",
        "Privat /Über.md",
        "Straße/a.md",
        "strasse",
        "dot/x",
        "PRIVAT~1/x.md",
        "a/LONGNA~1.MD",
    ] {
        assert!(!folding.decide(path, Read).allowed, "{path:?}");
    }
    assert!(folding.decide("Private/Über.md", Read).allowed);
    let exact = access(&source, &[]);
    assert!(!exact.decide("Privat/U\u{308}ber.md", Read).allowed, "a decomposed name is the same name everywhere");
    assert!(exact.decide("privat/Über.md", Read).allowed, "here this is another file");
}

#[test]
fn a_bad_glob_names_itself() {
    let broken = RulesSource { write_paths: globs(&["ok/**", "{a,b"]), ..RulesSource::default() };
    let problem = Rules::compile(&broken, false).unwrap_err();
    assert_eq!(
        problem.to_string(),
        "the glob \"{a,b\" cannot be used: it has a { without its }; write for example Projects/** or **/*.md"
    );
}

#[test]
fn a_class_says_who_reads_the_same_files() {
    let source = RulesSource { rules: vec![rule("A", &["a"]), rule("B", &["b"])], ..RulesSource::default() };
    let class = |held: &[&str]| access(&source, held).class();
    assert_eq!(class(&["a", "b"]), AccessClass::ALL, "nothing is kept from them");
    assert_eq!(class(&["a"]), class(&["a", "c"]));
    let distinct = [class(&[]), class(&["a"]), class(&["b"]), AccessClass::ALL];
    assert_eq!(std::collections::BTreeSet::from(distinct).len(), 4);
    let read_only = RulesSource { read_only: true, write_paths: globs(&[]), ..source.clone() };
    assert_eq!(access(&read_only, &["a"]).class(), class(&["a"]), "what may be written makes no difference");
    let other = RulesSource { rules: vec![rule("A", &["a"]), rule("C", &["b"])], ..source.clone() };
    assert_ne!(access(&other, &["a"]).class(), class(&["a"]), "other rules hide other files");
    assert_eq!(AccessClass::ALL.to_string(), "all");
    let shown = class(&["a"]).to_string();
    assert!(shown.len() == 32 && shown.bytes().all(|byte| byte.is_ascii_hexdigit()), "{shown}");
}

#[test]
fn refusals_say_what_to_do() {
    let place = Place::new();
    let source = RulesSource { read_paths: globs(&["Public"]), ..RulesSource::default() };
    let vault = place.vault.with_access(access(&source, &[]));
    let refused = vault.read(&note("Private/a.md")).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the rules of this vault do not allow to read Private/a.md; choose another path, or ask the operator"
    );
    assert!(matches!(refused, VaultError::Forbidden { operation: Read, .. }));
}

#[test]
fn this_file_system_says_whether_it_folds_case() {
    let place = Place::new();
    assert!(!place.vault.folds_case(), "an empty vault on Linux");
    let place = Place::new();
    place.put_all(&["Note.md"]);
    assert_eq!(place.vault.folds_case(), place.on_disk("nOTE.MD").exists());
}
