//! The road of a call as owners and agents meet it: rules, agreement, history, record.

use serde_json::{Value, json};

use crate::place::{Place, finish};
use crate::stdio_client::StdioClient;

/// What a command of the program prints, if it ends well.
#[track_caller]
fn told(place: &Place, arguments: &[&str]) -> String {
    let (status, output, errors) = finish(place.program(arguments));
    assert_eq!(status, 0, "{arguments:?}: {output}{errors}");
    output
}

fn body(answer: &Value) -> Value {
    answer["structuredContent"].clone()
}

fn code(answer: &Value) -> String {
    body(answer)["error"]["code"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn what_an_agent_changed_can_be_seen_and_taken_back() {
    let place = Place::with(&[("Plan.md", "one\n"), ("Other.md", "kept\n")]);
    let vault = place.vault();
    let vault = vault.to_str().unwrap();
    let mut client = StdioClient::legacy(&place, &["--surface", "vault"]);
    client.call("vault_edit", json!({"path": "Plan.md", "old_text": "one", "new_text": "two"}));
    client.call("vault_write", json!({"path": "New.md", "content": "made\n"}));
    client.call("vault_delete", json!({"paths": ["Other.md"]}));
    let listed: Value = serde_json::from_str(&told(&place, &["history", "--json", "--vault-path", vault])).unwrap();
    let tools: Vec<&str> = listed.as_array().unwrap().iter().map(|change| change["tool"].as_str().unwrap()).collect();
    assert_eq!(tools, ["vault_delete", "vault_write", "vault_edit"]);
    assert!(listed[0]["caller"] == "local" && listed[0]["session"] == listed[2]["session"], "{listed}");
    let edit = listed[2]["change"].as_str().unwrap();
    let diff = told(&place, &["history", "show", edit, "--vault-path", vault]);
    assert!(diff.contains("-one\n+two"), "{diff}");
    let session = listed[0]["session"].as_str().unwrap();
    let (status, _, errors) = finish(place.program(&["undo", edit, "--vault-path", vault]));
    assert!(status != 0 && errors.contains("--yes"), "nobody is asked without a terminal: {errors}");
    told(&place, &["undo", "--session", session, "--yes", "--vault-path", vault]);
    assert_eq!((place.read("Plan.md"), place.read("Other.md")), ("one\n".to_owned(), "kept\n".to_owned()));
    assert!(!place.vault().join("New.md").exists());
    let again: Value =
        serde_json::from_str(&told(&place, &["history", "--json", "--limit", "1", "--vault-path", vault])).unwrap();
    told(&place, &["undo", again[0]["change"].as_str().unwrap(), "--yes", "--vault-path", vault]);
    assert_eq!(place.read("Plan.md"), "two\n", "an undo can be undone");
}

#[test]
fn a_human_agrees_on_the_command_line_once() {
    let place = Place::with(&[("Plan.md", "one\n")]);
    let vault = place.vault();
    let config = place.config(&json!({"vaultPath": vault, "confirm": {"always": ["vault_write"]}}));
    let mut client = StdioClient::on(&place, &["--surface", "vault", "--config", &config]);
    client.initialize("2025-11-25");
    let write = json!({"path": "Plan.md", "content": "two\n"});
    assert_eq!(code(&client.call("vault_write", write.clone())), "CONFIRMATION_REQUIRED");
    assert_eq!(place.read("Plan.md"), "one\n");
    let listed = told(&place, &["approve", "--config", &config]);
    let request = listed.lines().nth(1).and_then(|line| line.split_whitespace().next()).unwrap().to_owned();
    assert!(listed.contains("vault_write") && listed.contains("Plan.md"), "{listed}");
    told(&place, &["approve", "show", &request, "--config", &config]);
    told(&place, &["approve", "yes", &request, "--config", &config]);
    assert_eq!(code(&client.call("vault_write", write.clone())), "", "agreed");
    assert_eq!(place.read("Plan.md"), "two\n");
    let other = json!({"path": "Plan.md", "content": "three\n"});
    assert_eq!(code(&client.call("vault_write", other.clone())), "CONFIRMATION_REQUIRED", "once is once");
    let listed = told(&place, &["approve", "--config", &config]);
    let request = listed.lines().nth(1).and_then(|line| line.split_whitespace().next()).unwrap().to_owned();
    told(&place, &["approve", "no", &request, "--config", &config]);
    assert_eq!(code(&client.call("vault_write", other)), "AUTH_REQUIRED", "a refusal holds");
    let folder = json!({"path": "Inbox/a.md", "content": "a\n"});
    assert_eq!(code(&client.call("vault_write", folder.clone())), "CONFIRMATION_REQUIRED");
    let listed = told(&place, &["approve", "--config", &config]);
    let request = listed.lines().nth(1).and_then(|line| line.split_whitespace().next()).unwrap().to_owned();
    told(&place, &["approve", "allow", &request, "--config", &config]);
    assert_eq!(code(&client.call("vault_write", folder)), "");
    assert_eq!(code(&client.call("vault_write", json!({"path": "Inbox/b.md", "content": "b\n"}))), "", "allowed for a while");
    assert_eq!(code(&client.call("vault_write", json!({"path": "b.md", "content": "b\n"}))), "CONFIRMATION_REQUIRED");
}

#[test]
fn every_call_is_in_the_record_and_the_record_is_whole() {
    let place = Place::with(&[("Plan.md", "one\n")]);
    let config = place.config(&json!({"vaultPath": place.vault()}));
    let mut client = StdioClient::on(&place, &["--surface", "vault", "--config", &config]);
    client.initialize("2025-11-25");
    client.call("vault_read", json!({"path": "Plan.md"}));
    client.call("vault_read", json!({"path": "a-name-that-nobody-should-find.md"}));
    client.request("tools/call", json!({"name": "no_such_tool", "arguments": {}}));
    client.leave();
    let listed = told(&place, &["audit", "--config", &config]);
    for expected in ["vault_read", "note_not_found", "unknown", "not_found"] {
        assert!(listed.contains(expected), "{listed}");
    }
    assert!(!listed.contains("a-name-that-nobody-should-find"), "{listed}");
    let verified = told(&place, &["audit", "verify", "--config", &config]);
    assert!(verified.contains("3 records in 1 chains") && verified.contains("as it was written"), "{verified}");
}

#[test]
fn several_vaults_are_served_each_by_its_own_rules() {
    let place = Place::with(&[
        ("office/Plan.md", "[[Secret]] lamp\n"),
        ("office/private/Secret.md", "lamp\n"),
        ("home/Shop.md", "milk\n"),
    ]);
    let config = place.config(&json!({
        "vaults": [
            {"id": "office", "path": place.vault().join("office"), "acl": {"readPaths": ["*.md"]}},
            {"id": "home", "path": place.vault().join("home"), "acl": {"readOnly": true}},
        ],
    }));
    let mut client = StdioClient::start(place.program(&["stdio", "--surface", "engine", "--config", &config]));
    client.initialize("2025-11-25");
    let found = body(&client.call("search_text", json!({"query": "lamp"})));
    let paths: Vec<&str> = found["items"].as_array().unwrap().iter().map(|item| item["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["Plan.md"], "{found}");
    let links = body(&client.call("get_outgoing_links", json!({"path": "Plan.md"})));
    assert_eq!(links["links"][0]["resolved"], false, "what is hidden is not there: {links}");
    let home = body(&client.call("search_text", json!({"query": "milk", "vault": "home"})));
    assert_eq!(home["items"][0]["path"], "Shop.md", "{home}");
    assert_eq!(body(&client.call("search_text", json!({"query": "milk", "vault": "away"})))["code"], "vault_not_found");
    let resources = client.request("resources/list", json!({}));
    let uris: Vec<&str> =
        resources["result"]["resources"].as_array().unwrap().iter().map(|r| r["uri"].as_str().unwrap()).collect();
    assert_eq!(uris, ["vault://office/Plan.md", "vault://home/Shop.md"]);
    let refused = client.request("resources/read", json!({"uri": "vault://office/private/Secret.md"}));
    assert!(refused["error"].is_object(), "{refused}");
    let read = client.request("resources/read", json!({"uri": "vault://home/Shop.md"}));
    assert_eq!(read["result"]["contents"][0]["text"], "milk\n");
}

#[test]
fn a_vault_that_is_only_read_refuses_changes_on_every_surface() {
    let place = Place::with(&[("Plan.md", "one\n")]);
    let config = place.config(&json!({"vaultPath": place.vault(), "acl": {"readOnly": true}}));
    let mut client = StdioClient::on(&place, &["--surface", "vault", "--config", &config]);
    client.initialize("2025-11-25");
    assert_eq!(code(&client.call("vault_write", json!({"path": "Plan.md", "content": "two\n"}))), "READ_ONLY");
    assert_eq!(code(&client.call("vault_read", json!({"path": "Plan.md"}))), "");
    assert_eq!(place.read("Plan.md"), "one\n");
}

#[test]
fn the_owners_conventions_are_part_of_the_instructions() {
    let place = Place::with(&[("CLAUDE.md", "Write in British English.\n"), ("a.md", "")]);
    let mut client = StdioClient::on(&place, &[]);
    let hello = client.initialize("2025-11-25");
    let instructions = hello["result"]["instructions"].as_str().unwrap();
    assert!(instructions.contains("CLAUDE.md") && instructions.contains("British English"), "{instructions}");
    place.write("AGENTS.md", &"Never shout.\n".repeat(1000));
    let mut client = StdioClient::on(&place, &[]);
    let hello = client.initialize("2025-11-25");
    let instructions = hello["result"]["instructions"].as_str().unwrap();
    assert!(instructions.contains("Never shout.") && !instructions.contains("British"), "AGENTS.md comes first");
    assert!(instructions.len() < 6000, "{} bytes", instructions.len());
}

#[test]
fn tools_are_found_and_called_through_the_facade() {
    let place = Place::with(&[("Plan.md", "[[Lamp]]\n"), ("Lamp.md", "bright\n")]);
    let mut client = StdioClient::legacy(&place, &[]);
    let found = body(&client.call("find_capability", json!({"query": "which notes link to this one"})));
    let names: Vec<&str> = found["items"].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"get_backlinks"), "{names:?}");
    let described = body(&client.call("describe_capability", json!({"name": "get_backlinks"})));
    assert_eq!((&described["read_only"], &described["scopes"]), (&json!(true), &json!(["read:notes"])));
    assert!(described["input_schema"]["properties"]["path"].is_object(), "{described}");
    let call = json!({"name": "get_backlinks", "arguments": {"path": "Lamp.md"}});
    assert_eq!(body(&client.call("call_capability", call))["items"][0]["source_path"], "Plan.md");
    let wrong = json!({"name": "get_backlinks", "arguments": {"pth": "Lamp.md"}});
    assert_eq!(code(&client.call("call_capability", wrong)), "INVALID_INPUT");
    assert_eq!(code(&client.call("call_capability", json!({"name": "call_capability"}))), "INVALID_INPUT");
}
