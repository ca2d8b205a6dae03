//! How a process on standard input and output begins and ends.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::json;

use crate::http_client::SOON;
use crate::place::{PATIENCE, Place};
use crate::stdio_client::{LEGACY, StdioClient, modern_params};

/// A place whose sync takes a second.
fn slow_sync() -> (Place, String) {
    let place = Place::new();
    let config = place.config(&json!({"sync": {"command": ["sh", "-c", "sleep 1; echo done"]}}));
    (place, config)
}

#[test]
fn the_end_of_input_before_any_message_is_a_good_end() {
    let place = Place::new();
    let end = StdioClient::on(&place, &[]).leave();
    assert_eq!(end.status.code(), Some(0), "{}", end.log);
    assert!(end.messages.is_empty());
}

#[test]
fn the_end_of_input_after_the_handshake_is_a_good_end() {
    let place = Place::new();
    let end = StdioClient::legacy(&place, &[]).leave();
    assert_eq!(end.status.code(), Some(0), "{}", end.log);
    assert!(end.took < SOON, "{:?}", end.took);
}

#[test]
fn a_first_message_that_is_a_notification_does_no_harm() {
    let place = Place::new();
    for method in ["notifications/initialized", "notifications/cancelled", "notifications/whatever", "$/progress"] {
        let mut client = StdioClient::on(&place, &[]);
        client.notify(method, json!({"requestId": 1}));
        assert!(client.initialize(LEGACY)["result"].is_object(), "{method}");
        assert_eq!(client.leave().status.code(), Some(0), "{method}");
    }
}

#[test]
fn a_first_message_that_is_an_answer_does_no_harm() {
    let place = Place::new();
    let mut client = StdioClient::on(&place, &[]);
    client.send(&json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
    assert!(client.initialize(LEGACY)["result"].is_object());
}

#[test]
fn an_exit_notification_ends_the_process_while_the_input_stays_open() {
    let place = Place::new();
    for hello in [false, true] {
        let mut client = StdioClient::on(&place, &[]);
        if hello {
            client.initialize(LEGACY);
        }
        client.send(&json!({"jsonrpc": "2.0", "method": "exit"}));
        let end = client.end();
        assert_eq!(end.status.code(), Some(0), "{}", end.log);
        assert!(end.took < SOON, "{:?}", end.took);
    }
}

#[test]
fn running_work_is_finished_and_answered_after_the_end_of_input() {
    let (place, config) = slow_sync();
    let mut client = StdioClient::legacy(&place, &["--surface", "notes", "--config", &config]);
    let id = client.ask("tools/call", json!({"name": "vault_sync", "arguments": {}}));
    let end = client.leave();
    assert_eq!(end.status.code(), Some(0), "{}", end.log);
    let answer = end.messages.iter().find(|message| message["id"] == id).expect("an answer");
    assert_eq!(answer["result"]["structuredContent"]["output_tail"], "done", "{answer}");
}

#[test]
fn running_work_is_finished_and_answered_after_an_exit_notification() {
    let (place, config) = slow_sync();
    let mut client = StdioClient::on(&place, &["--surface", "notes", "--config", &config]);
    let id = client.ask("tools/call", modern_params(json!({"name": "vault_sync", "arguments": {}})));
    client.send(&json!({"jsonrpc": "2.0", "method": "exit"}));
    let end = client.end();
    assert_eq!(end.status.code(), Some(0), "{}", end.log);
    assert!(end.messages.iter().any(|message| message["id"] == id && message["result"].is_object()), "{:?}", end.messages);
}

#[test]
fn every_request_before_the_end_of_input_is_answered() {
    let place = Place::with(&[("a.md", "A")]);
    let mut client = StdioClient::legacy(&place, &[]);
    for _ in 0..50 {
        client.ask("tools/call", json!({"name": "vault_read", "arguments": {"path": "a.md"}}));
    }
    let end = client.leave();
    assert_eq!(end.messages.iter().filter(|message| message["result"]["isError"] != true).count(), 50);
    assert_eq!(end.status.code(), Some(0));
}

#[test]
fn a_last_line_without_its_newline_is_answered() {
    let place = Place::new();
    let mut client = StdioClient::legacy(&place, &[]);
    client.send_text(&json!({"jsonrpc": "2.0", "id": "last", "method": "ping"}).to_string());
    let end = client.leave();
    assert!(end.messages.iter().any(|message| message["id"] == "last" && message["result"].is_object()), "{:?}", end.messages);
    assert_eq!(end.status.code(), Some(0));
}

#[test]
fn a_last_line_that_breaks_off_is_answered_with_a_parse_error() {
    let place = Place::new();
    let mut client = StdioClient::legacy(&place, &[]);
    client.send_text("{\"jsonrpc\":\"2.0\",\"id\":5,\"meth");
    let end = client.leave();
    assert!(end.messages.iter().any(|message| message["error"]["code"] == -32700), "{:?}", end.messages);
    assert_eq!(end.status.code(), Some(0));
}

#[test]
fn an_open_subscription_does_not_hold_up_the_end() {
    let place = Place::new();
    let mut client = StdioClient::on(&place, &[]);
    let id = client
        .ask("subscriptions/listen", modern_params(json!({"notifications": {"resourceSubscriptions": ["vault://vault/a.md"]}})));
    client.notification("notifications/subscriptions/acknowledged");
    let end = client.leave();
    assert_eq!(end.status.code(), Some(0), "{}", end.log);
    assert!(end.took < SOON, "{:?}", end.took);
    assert!(end.messages.iter().any(|message| message["id"] == id && message["result"].is_object()), "{:?}", end.messages);
}

/// An editor that dies may leave the pipe open in another of its children.
#[test]
#[cfg(unix)]
fn the_process_ends_with_its_parent_although_the_pipe_stays_open() {
    let place = Place::new();
    let mut parent = Command::new("sh")
        .args(["-c", "exec 3<&0; \"$0\" \"$1\" <&3 & wait", env!("CARGO_BIN_EXE_quillgate")])
        .arg(place.vault())
        .env("QUILLGATE_DATA_DIR", place.path("data"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("a shell");
    let mut input = parent.stdin.take().expect("piped");
    let mut output = BufReader::new(parent.stdout.take().expect("piped"));
    std::io::Write::write_all(&mut input, b"nonsense\n").expect("the grandchild reads");
    let mut line = String::new();
    output.read_line(&mut line).expect("the grandchild answers");
    assert!(line.contains("-32700"), "{line}");
    parent.kill().expect("ours");
    parent.wait().expect("ours");
    // Only the grandchild still holds its end of the output.
    let (sender, ended) = mpsc::channel();
    thread::spawn(move || {
        let mut rest = String::new();
        let _ = sender.send(output.read_line(&mut rest).map(|_| rest));
    });
    let rest = ended.recv_timeout(PATIENCE.min(Duration::from_secs(10))).expect("the grandchild ends");
    assert_eq!(rest.expect("a pipe"), "");
    drop(input);
}
