//! Calls that take their time: progress, cancellation, time limits, several at once; and what the log says of them.

use std::time::{Duration, Instant};

use rustix::process::{Pid, test_kill_process};
use serde_json::{Value, json};

use crate::http_client::SOON;
use crate::place::{ENDLESS, Place, eventually};
use crate::stdio_client::{StdioClient, modern_params};

fn with_sync(script: &str, more: Value) -> (Place, String) {
    let place = Place::with(&[("a.md", "A")]);
    let mut config = json!({"sync": {"command": ["sh", "-c", script]}});
    config.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    let path = place.config(&config);
    (place, path)
}

fn sync_with_progress() -> Value {
    json!({"name": "vault_sync", "arguments": {}, "_meta": {"progressToken": "p"}})
}

#[test]
fn progress_arrives_before_the_answer() {
    for is_modern in [false, true] {
        let (place, config) = with_sync("echo one; echo two; echo three", json!({}));
        let mut client = StdioClient::on(&place, &["--surface", "notes", "--config", &config]);
        let params = if is_modern {
            modern_params(sync_with_progress())
        } else {
            client.initialize("2025-11-25");
            sync_with_progress()
        };
        let id = client.ask("tools/call", params);
        let mut said = Vec::new();
        loop {
            let message = client.next();
            if message["id"] == id {
                assert_eq!(message["result"]["structuredContent"]["output_tail"], "one\ntwo\nthree", "{message}");
                break;
            }
            assert_eq!(message["method"], "notifications/progress");
            assert_eq!(message["params"]["progressToken"], "p");
            said.push((message["params"]["progress"].as_f64(), message["params"]["message"].as_str().map(str::to_owned)));
        }
        let lines: Vec<&str> = said.iter().filter_map(|(_, line)| line.as_deref()).filter(|line| line.len() < 6).collect();
        assert_eq!(lines, ["one", "two", "three"]);
    }
}

#[test]
fn without_a_progress_token_there_is_no_progress() {
    let (place, config) = with_sync("echo one", json!({}));
    let mut client = StdioClient::legacy(&place, &["--surface", "notes", "--config", &config]);
    client.call("vault_sync", json!({}));
    assert!(client.leave().messages.is_empty());
}

/// A client with an endless sync under way: its request and its program.
fn endless_sync(place: &Place, config: &str) -> (StdioClient, u64, Pid) {
    let mut client = StdioClient::legacy(place, &["--surface", "notes", "--config", config]);
    let id = client.ask("tools/call", sync_with_progress());
    while client.notification("notifications/progress")["params"]["message"] != "started" {}
    let program = place.program_started();
    assert!(test_kill_process(program).is_ok(), "it runs");
    (client, id, program)
}

#[test]
fn a_cancelled_call_stops_its_program_and_is_not_answered() {
    let (place, config) = with_sync(ENDLESS, json!({}));
    let (mut client, id, program) = endless_sync(&place, &config);
    client.notify("notifications/cancelled", json!({"requestId": id, "reason": "changed my mind"}));
    eventually("the program is stopped", || test_kill_process(program).err());
    client.call("note_read", json!({"path": "a.md"}));
    let end = client.leave();
    assert_eq!(end.status.code(), Some(0));
    assert!(!end.messages.iter().any(|message| message["id"] == id), "{:?}", end.messages);
}

#[test]
fn the_program_of_a_cancelled_call_does_not_outlive_the_process() {
    let (place, config) = with_sync(ENDLESS, json!({}));
    let (mut client, id, program) = endless_sync(&place, &config);
    client.notify("notifications/cancelled", json!({"requestId": id}));
    let end = client.leave();
    assert_eq!(end.status.code(), Some(0));
    assert!(test_kill_process(program).is_err(), "the program still runs");
    assert!(end.took < SOON, "{:?}", end.took);
}

#[test]
fn cancelling_what_is_not_running_does_no_harm() {
    let place = Place::with(&[("a.md", "A")]);
    let mut client = StdioClient::legacy(&place, &[]);
    client.notify("notifications/cancelled", json!({"requestId": 4711}));
    client.notify("notifications/cancelled", json!({}));
    assert_eq!(client.call("vault_read", json!({"path": "a.md"}))["structuredContent"]["content"], "A");
}

#[test]
fn a_slow_call_does_not_hold_up_a_fast_one() {
    let (place, config) = with_sync("echo started; until [ -e ../go ]; do sleep 0.05; done", json!({}));
    let mut client = StdioClient::legacy(&place, &["--surface", "notes", "--config", &config]);
    let slow = client.ask("tools/call", sync_with_progress());
    while client.notification("notifications/progress")["params"]["message"] != "started" {}
    for _ in 0..20 {
        assert_eq!(client.call("note_read", json!({"path": "a.md"}))["structuredContent"]["content"], "A");
    }
    place.file("go", "");
    assert!(client.answer(slow)["result"].is_object());
}

#[test]
fn a_call_over_its_time_is_stopped_with_a_timeout_on_the_notes_surface() {
    let (place, config) = with_sync("exec sleep 300", json!({"limits": {"toolTimeoutSeconds": {"vault_sync": 1}}}));
    let mut client = StdioClient::legacy(&place, &["--surface", "notes", "--config", &config]);
    let started = Instant::now();
    let result = client.call("vault_sync", json!({}));
    assert_eq!(result["isError"], true);
    assert_eq!(result["structuredContent"]["code"], "operation_timeout", "{result}");
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_sync_over_the_time_of_its_own_command_is_stopped() {
    let place = Place::new();
    let config = place.config(&json!({"sync": {"command": ["sleep", "300"], "timeoutSeconds": 1}}));
    let mut client = StdioClient::legacy(&place, &["--surface", "notes", "--config", &config]);
    let result = client.call("vault_sync", json!({}));
    assert_eq!(result["structuredContent"]["code"], "operation_timeout", "{result}");
}

#[test]
fn a_call_over_its_time_is_a_protocol_error_on_the_cli_surface() {
    let place = Place::with(&[("a.md", "A")]);
    let app = place.file("app.sh", "#!/bin/sh\nexec sleep 300\n");
    make_executable(&app);
    let config = place.config(&json!({"app": {"command": app}, "limits": {"toolTimeoutSeconds": {"obsidian_open_note": 1}}}));
    let mut client = StdioClient::legacy(&place, &["--surface", "cli", "--config", &config]);
    let answer = client.request("tools/call", json!({"name": "obsidian_open_note", "arguments": {"file": "a"}}));
    assert_eq!(answer["error"]["code"], -32006, "{answer}");
    assert_eq!(answer["error"]["data"]["errorCode"], "TIMEOUT", "{answer}");
}

fn make_executable(path: &str) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("our file");
}

#[test]
fn the_app_that_is_not_there_is_said_with_what_to_do() {
    let place = Place::with(&[("a.md", "A")]);
    let config = place.config(&json!({"app": {"command": "no-such-program-here"}}));
    let mut client = StdioClient::legacy(&place, &["--surface", "cli", "--config", &config]);
    let answer = client.request("tools/call", json!({"name": "obsidian_open_note", "arguments": {"file": "a"}}));
    assert_eq!(answer["error"]["code"], -32001, "{answer}");
    assert!(answer["error"]["message"].as_str().is_some_and(|message| message.contains("start the app")), "{answer}");
}

#[test]
fn what_notes_say_never_reaches_the_log() {
    const SECRET: &str = "xyzzy-plugh-4711";
    let place = Place::with(&[("a.md", SECRET), (&format!("{SECRET}.md"), "A")]);
    for surface in ["essentials", "vault", "notes", "cli", "engine"] {
        let mut client = StdioClient::legacy(&place, &["--surface", surface]);
        let tools = client.request("tools/list", json!({}));
        for tool in tools["result"]["tools"].as_array().expect("tools") {
            let fields = tool["inputSchema"]["properties"].as_object().cloned().unwrap_or_default();
            let texts = fields.iter().filter(|(_, schema)| schema["type"] == "string");
            let arguments: Value = texts.map(|(field, _)| (field.clone(), json!(SECRET))).collect();
            client.request("tools/call", json!({"name": tool["name"], "arguments": arguments}));
            client.request("tools/call", json!({"name": tool["name"], "arguments": {"path": "a.md", SECRET: SECRET}}));
        }
        client.request("tools/call", json!({"name": SECRET, "arguments": {}}));
        client.request("tools/call", json!({"name": "vault_read", "arguments": {"path": "a.md"}}));
        client.request("resources/read", json!({"uri": format!("vault://vault/{SECRET}")}));
        client.request(SECRET, json!({"text": SECRET}));
        client.notify(SECRET, json!({"text": SECRET}));
        client.send_text(&format!("{SECRET}\n"));
        let log = client.leave().log;
        assert!(log.contains("refused"), "calls are logged: {log}");
        assert!(!log.contains(SECRET), "{surface}: {}", log.lines().find(|line| line.contains(SECRET)).unwrap_or_default());
    }
}
