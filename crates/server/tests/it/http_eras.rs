//! Both eras of the protocol at one URL, and how fast and how orderly they are served.

use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::{Value, json};

use crate::http_client::{Connection, HttpServer, SOON, Session};
use crate::place::{ENDLESS, Place, eventually, wait_for_exit};
use crate::stdio_client::MODERN;

#[test]
fn both_eras_are_served_at_one_url() {
    let place = Place::with(&[("a.md", "A")]);
    let server = HttpServer::on(&place, &[]);
    let mut session = Session::open(&server, "/mcp");
    assert_eq!(session.call("vault_read", json!({"path": "a.md"}))["structuredContent"]["content"], "A");
    let mut connection = server.connect();
    let read = connection.modern("/mcp", "tools/call", json!({"name": "vault_read", "arguments": {"path": "a.md"}}));
    assert_eq!((read.status, read.header("mcp-session-id")), (200, None));
    assert_eq!(read.message()["result"]["structuredContent"]["content"], "A");
    let found = connection.modern("/mcp", "server/discover", json!({})).message();
    assert!(found["result"]["supportedVersions"].as_array().is_some_and(|all| all.contains(&json!(MODERN))), "{found}");
}

#[test]
fn the_first_surface_is_the_default_and_each_has_its_own_path() {
    let place = Place::new();
    let server = HttpServer::on(&place, &["--surface", "notes", "--surface", "cli", "--surface", "vault"]);
    let mut connection = server.connect();
    for (path, tool) in [
        ("/mcp", "note_read"),
        ("/mcp/", "note_read"),
        ("/", "note_read"),
        ("/mcp/notes", "note_read"),
        ("/mcp/cli", "obsidian_list_tags"),
        ("/mcp/vault", "vault_list"),
    ] {
        let listed = connection.modern(path, "tools/list", json!({})).message();
        assert_eq!(listed["result"]["tools"][0]["name"], tool, "{path}");
    }
    for path in ["/mcp/essentials", "/mcp/notes/", "//", "/sse"] {
        assert_eq!(connection.modern(path, "tools/list", json!({})).status, 404, "{path}");
    }
}

#[test]
fn health_is_told_to_everybody_who_may_connect() {
    let place = Place::new();
    let server = HttpServer::on(&place, &[]);
    let health = server.connect().get("/health");
    assert_eq!((health.status, health.message()["status"].as_str()), (200, Some("ok")), "{}", health.body);
}

#[test]
fn errors_have_the_status_and_code_of_their_era() {
    let place = Place::new();
    let server = HttpServer::on(&place, &[]);
    let mut newer = server.connect();
    let mut older = Session::open(&server, "/mcp");
    let code = |answer: &Value| answer["error"]["code"].as_i64();
    for (method, params, status, expected) in [
        ("no/such/method", json!({}), 404, -32601),
        ("tools/call", json!({"name": "none", "arguments": {}}), 200, -32602),
        ("resources/read", json!({"uri": "vault://vault/none.md"}), 200, -32602),
    ] {
        let answer = newer.modern("/mcp", method, params.clone());
        assert_eq!((answer.status, code(&answer.message())), (status, Some(expected)), "{method}: {}", answer.body);
        let expected = if method == "resources/read" { -32002 } else { expected };
        assert_eq!(code(&older.request(method, params)), Some(expected), "{method}");
    }
    for params in
        [json!({"arguments": {}}), json!({"name": "vault_list", "arguments": []}), json!({"name": "vault_list", "arguments": 7})]
    {
        assert_eq!(code(&older.request("tools/call", params.clone())), Some(-32602));
        let answer = newer.modern("/mcp", "tools/call", params);
        assert_eq!((answer.status, code(&answer.message())), (200, Some(-32602)), "{}", answer.body);
    }
}

#[test]
fn newer_requests_whose_headers_disagree_with_them_are_refused() {
    let place = Place::new();
    let server = HttpServer::on(&place, &[]);
    let body =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": crate::stdio_client::modern_params(json!({}))});
    let headers = [("mcp-protocol-version", MODERN), ("mcp-method", "tools/call")];
    let answer = server.connect().request("POST", "/mcp", &headers, body.to_string().as_bytes());
    assert_eq!((answer.status, &answer.message()["error"]["code"]), (400, &json!(-32020)), "{}", answer.body);
    let headers = [("mcp-protocol-version", "2099-01-01"), ("mcp-method", "tools/list")];
    let answer = server.connect().request("POST", "/mcp", &headers, body.to_string().as_bytes());
    assert_eq!(answer.status, 400, "{}", answer.body);
}

/// Small writes that wait for each other's acknowledgement take 44 ms a call.
#[test]
fn calls_on_one_connection_do_not_wait_for_acknowledgements() {
    let place = Place::with(&[("a.md", "A")]);
    let server = HttpServer::on(&place, &[]);
    let mut session = Session::open(&server, "/mcp");
    let mut times: Vec<Duration> = (0..50)
        .map(|_| {
            let started = Instant::now();
            session.call("vault_read", json!({"path": "a.md"}));
            started.elapsed()
        })
        .collect();
    times.sort_unstable();
    assert!(times[25] < Duration::from_millis(20), "{times:?}");
}

#[test]
fn progress_comes_before_the_answer_in_both_eras() {
    let place = Place::new();
    let config = place.config(&json!({"sync": {"command": ["sh", "-c", "echo one; echo two"]}}));
    let server = HttpServer::on(&place, &["--surface", "notes", "--config", &config]);
    let call = json!({"name": "vault_sync", "arguments": {}, "_meta": {"progressToken": 7}});
    let mut newer = server.connect();
    let modern = newer.modern("/mcp", "tools/call", call.clone());
    let mut older = Session::open(&server, "/mcp");
    let legacy = older.post(&json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": call}));
    for response in [modern, legacy] {
        let lines: Vec<&str> = response.body.lines().filter(|line| line.contains("jsonrpc")).collect();
        assert!(lines.len() >= 3, "{}", response.body);
        assert!(lines[..lines.len() - 1].iter().all(|line| line.contains("notifications/progress")), "{}", response.body);
        assert_eq!(response.message()["result"]["structuredContent"]["output_tail"], "one\ntwo", "{}", response.body);
    }
}

/// A server, and a newer client's connection with an endless sync under way.
fn endless_sync(place: &Place) -> (HttpServer, Connection, Pid) {
    let config = place.config(&json!({"sync": {"command": ["sh", "-c", ENDLESS]}}));
    let server = HttpServer::on(place, &["--surface", "notes", "--config", &config]);
    let mut connection = server.connect();
    let call = json!({"name": "vault_sync", "arguments": {}, "_meta": {"progressToken": 7}});
    connection.send_modern("/mcp", "tools/call", call);
    assert_eq!(connection.head().status, 200);
    while connection.event().expect("progress")["params"]["message"] != "started" {}
    (server, connection, place.program_started())
}

#[test]
fn a_newer_client_that_hangs_up_stops_its_call() {
    let place = Place::new();
    let (_server, connection, program) = endless_sync(&place);
    drop(connection);
    eventually("the program is stopped", || test_kill_process(program).err());
}

#[test]
fn programs_of_running_calls_do_not_outlive_the_server() {
    let place = Place::new();
    let (mut server, _connection, program) = endless_sync(&place);
    let started = Instant::now();
    kill_process(Pid::from_child(&server.child), Signal::TERM).expect("ours");
    assert_eq!(wait_for_exit(&mut server.child).code(), Some(0));
    assert!(started.elapsed() < SOON, "{:?}", started.elapsed());
    assert!(test_kill_process(program).is_err(), "the program still runs");
}

#[test]
fn told_to_stop_the_server_ends_at_once_although_streams_are_open() {
    for signal in [Signal::TERM, Signal::INT] {
        let place = Place::with(&[("a.md", "A")]);
        let mut server = HttpServer::on(&place, &[]);
        let session = Session::open(&server, "/mcp");
        let _older = session.listen(&server);
        let mut newer = server.connect();
        let filter = json!({"notifications": {"resourceSubscriptions": ["vault://vault/a.md"]}});
        newer.send_modern("/mcp", "subscriptions/listen", filter);
        assert_eq!(newer.head().status, 200);
        assert_eq!(newer.event().expect("an event")["method"], "notifications/subscriptions/acknowledged");
        let started = Instant::now();
        kill_process(Pid::from_child(&server.child), signal).expect("ours");
        let status = wait_for_exit(&mut server.child);
        let took = started.elapsed();
        assert_eq!(status.code(), Some(0), "{status:?}");
        assert!(took < SOON, "{took:?}");
        assert!(newer.event().is_some_and(|last| last["result"].is_object()), "the subscription ends with its result");
    }
}

#[test]
fn told_to_stop_an_idle_server_ends_at_once() {
    let place = Place::new();
    let mut server = HttpServer::on(&place, &[]);
    let _kept_alive = Session::open(&server, "/mcp");
    let started = Instant::now();
    kill_process(Pid::from_child(&server.child), Signal::TERM).expect("ours");
    assert_eq!(wait_for_exit(&mut server.child).code(), Some(0));
    assert!(started.elapsed() < SOON, "{:?}", started.elapsed());
}
