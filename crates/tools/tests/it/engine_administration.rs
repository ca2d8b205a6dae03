//! The `engine` surface: the server's configuration, rules and numbers, and the decisions that bear on a proposal.

use serde_json::{Value, json};

use crate::place::Place;

#[test]
fn the_configuration_is_shown_in_its_parts() {
    let place = Place::new(&[("a.md", "a")]);
    let mut config = place.answer("get_server_config", json!({}));
    assert!(config["version"].take().as_str().unwrap().contains('.'));
    let expected = json!({
        "version": null, "auth_mode": "none",
        "vaults_summary": [{"id": "vault", "name": "vault", "read_only": false, "note_count": 1}],
        "limits": {"max_response_bytes": 1_000_000}, "observability": {"metrics": true}, "plugins_detected": {},
    });
    assert_eq!(config, expected);
}

#[test]
fn a_rule_is_explained_by_what_enforces_it() {
    let place = Place::new(&[]);
    let inspect = |path: &str, op: &str, scopes: &[&str]| {
        place.answer("inspect_acl", json!({"vault": "vault", "path": path, "op": op, "scopes": scopes}))
    };
    assert_eq!(inspect("a.md", "read", &[]), json!({"allowed": true}));
    let denied = json!({"allowed": false, "matched_rule": "secret/**", "denied_by": "secret/**"});
    assert_eq!(inspect("secret/a.md", "write", &["write:notes"]), denied);
    assert_eq!(inspect("secret/a.md", "delete", &["write:secrets"]), json!({"allowed": true, "matched_rule": "secret/**"}));
    assert_eq!(inspect("a.md", "execute", &[]), json!({"allowed": false, "kill_switch": true}));
    let code = |arguments: Value| place.code("inspect_acl", arguments);
    assert_eq!(code(json!({"vault": "other", "path": "a.md", "op": "read", "scopes": []})), "vault_not_found");
    assert_eq!(code(json!({"vault": "vault", "path": "a.md", "op": "look", "scopes": []})), "invalid_input");
    assert_eq!(code(json!({"path": "a.md", "op": "read", "scopes": []})), "invalid_input");
}

#[test]
fn metrics_are_those_of_the_server_or_of_one_vault() {
    let place = Place::new(&[]);
    let line = |labels: Value| json!({"name": "quillgate_tool_calls_total", "type": "counter", "value": 2.0, "labels": labels});
    assert_eq!(place.answer("get_metrics", json!({})), json!({"metrics": [line(json!({}))]}));
    let one = place.answer("get_metrics", json!({"vault": "vault"}));
    assert_eq!(one, json!({"metrics": [line(json!({"vault": "vault"}))]}));
    assert_eq!(place.code("get_metrics", json!({"vault": "other"})), "vault_not_found");
}

fn decided() -> Place {
    Place::new(&[
        (
            "adr/ADR-001-storage.md",
            "---\nstatus: accepted\n---\n# Storage\n\nWe looked at databases.\n\n## Decision\n\nNotes stay plain files; no database server.\n",
        ),
        ("adr/ADR-002-login.md", "---\nstatus: superseded\n---\n# Login\n\nPasswords are hashed with bcrypt.\n"),
        ("projects/search.md", "---\ntype: decision\n---\nThe search index is a database of grams, rebuilt from files.\n"),
        ("meeting.md", "# Monday\n\n## Decision\n\nNo meetings before noon.\n"),
        ("tagged.md", "---\ntags: [decision]\n---\nThe garden gets a database of plants.\n"),
        ("plain.md", "A database server would be nice, says Tom.\n"),
    ])
}

#[test]
fn a_proposal_meets_the_decisions_that_bear_on_it() {
    let place = decided();
    let challenge = |arguments: Value| place.answer("knowledge_challenge", arguments);
    let answer = challenge(json!({"proposal": "Let us move all notes into a database server!"}));
    assert_eq!(answer["available"], false, "nothing here judges");
    let sources: Vec<&str> = answer["sources"].as_array().unwrap().iter().map(|path| path.as_str().unwrap()).collect();
    assert_eq!(sources[0], "adr/ADR-001-storage.md");
    assert!(
        sources.contains(&"projects/search.md") && sources.contains(&"tagged.md") && !sources.contains(&"plain.md"),
        "{answer}"
    );
    let first = &answer["findings"][0];
    assert_eq!(first["kind"], "decision");
    let decision = json!({"path": "adr/ADR-001-storage.md", "line": 10, "quote": "Notes stay plain files; no database server."});
    assert!(first["evidence"].as_array().unwrap().contains(&decision), "{first}");
    assert_eq!(answer["findings"].as_array().unwrap().len(), sources.len());
    let by_heading = challenge(json!({"proposal": "a meeting at nine"}));
    assert_eq!(by_heading["sources"], json!(["meeting.md"]));
    let old = challenge(json!({"proposal": "store hashed passwords"}));
    assert_eq!(old["findings"][0]["kind"], "superseded_decision");
}

#[test]
fn a_challenge_is_confined_and_cut_as_asked() {
    let place = decided();
    let sources = |arguments: Value| place.answer("knowledge_challenge", arguments)["sources"].clone();
    assert_eq!(sources(json!({"proposal": "a database", "root": "projects"})), json!(["projects/search.md"]));
    assert_eq!(sources(json!({"proposal": "a database", "k": 1})).as_array().unwrap().len(), 1);
    assert_eq!(sources(json!({"proposal": "a database", "max_tokens": 1})).as_array().unwrap().len(), 1);
    assert_eq!(sources(json!({"proposal": "the and with"})), json!([]));
    assert_eq!(sources(json!({"proposal": "kangaroo"})), json!([]));
    let code = |arguments: Value| place.code("knowledge_challenge", arguments);
    assert_eq!((code(json!({})), code(json!({"proposal": ""}))), ("invalid_input".to_owned(), "invalid_input".to_owned()));
    assert_eq!(code(json!({"proposal": "x", "root": "none"})), "note_not_found");
}

#[test]
fn among_very_many_decisions_the_best_are_found() {
    let files: Vec<(String, String)> =
        (0..450).map(|number| (format!("adr/ADR-{number}.md"), format!("Decision {number} about colours.\n"))).collect();
    let mut files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    files.push(("adr/ADR-999.md", "Whales are painted blue.\n"));
    let place = Place::new(&files);
    let answer = place.answer("knowledge_challenge", json!({"proposal": "Paint the whales in other colours", "k": 3}));
    assert_eq!((&answer["sources"][0], answer["sources"].as_array().unwrap().len()), (&json!("adr/ADR-999.md"), 3));
}
