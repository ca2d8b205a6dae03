//! Sessions of older clients: how many, how they end, and what they carry.

use serde_json::json;

use crate::http_client::{HttpServer, Session};
use crate::place::Place;
use crate::stdio_client::LEGACY;

#[test]
fn no_more_sessions_are_opened_than_configured() {
    let place = Place::new();
    let config = place.config(&json!({"limits": {"maxSessions": 2}}));
    let server = HttpServer::on(&place, &["--config", &config]);
    let mut first = Session::open(&server, "/mcp");
    let mut second = Session::open(&server, "/mcp");
    let refused = server.connect().initialize("/mcp");
    assert_eq!(refused.status, 503, "{}", refused.body);
    assert!(refused.header("retry-after").is_some_and(|seconds| seconds.parse::<u32>().is_ok()));
    assert!(refused.message()["error"]["message"].as_str().is_some_and(|message| message.contains("too many sessions")));
    // Those that are open go on, and newer clients need none.
    for session in [&mut first, &mut second] {
        assert!(session.request("tools/list", json!({}))["result"].is_object());
    }
    assert_eq!(server.connect().modern("/mcp", "tools/list", json!({})).status, 200);
    let headers = [("mcp-session-id", first.id.as_str()), ("mcp-protocol-version", LEGACY)];
    assert!(server.connect().request("DELETE", "/mcp", &headers, b"").status < 300);
    Session::open(&server, "/mcp");
}

#[test]
fn a_session_that_was_never_opened_is_not_found() {
    let place = Place::new();
    let server = HttpServer::on(&place, &[]);
    let headers = [("mcp-session-id", "11111111-2222-3333-4444-555555555555"), ("mcp-protocol-version", LEGACY)];
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    let answer = server.connect().request("POST", "/mcp", &headers, ping.as_bytes());
    assert_eq!(answer.status, 404, "{}", answer.body);
    assert!(answer.message()["error"]["code"].is_i64(), "{}", answer.body);
    assert_eq!(server.connect().request("GET", "/mcp", &headers, b"").status, 404);
}

#[test]
fn a_deleted_session_is_gone_and_its_stream_ends() {
    let place = Place::new();
    let server = HttpServer::on(&place, &[]);
    let mut session = Session::open(&server, "/mcp");
    let mut stream = session.listen(&server);
    let headers = [("mcp-session-id", session.id.as_str()), ("mcp-protocol-version", LEGACY)];
    assert!(server.connect().request("DELETE", "/mcp", &headers, b"").status < 300);
    assert!(stream.event().is_none(), "the stream ends");
    let answer = session.post(&json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}));
    assert_eq!(answer.status, 404, "{}", answer.body);
}

#[test]
fn a_session_is_needed_once_there_are_sessions() {
    let place = Place::new();
    let server = HttpServer::on(&place, &[]);
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}).to_string();
    let answer = server.connect().request("POST", "/mcp", &[("mcp-protocol-version", LEGACY)], ping.as_bytes());
    assert!((400..500).contains(&answer.status), "{} {}", answer.status, answer.body);
    assert!(answer.message()["error"]["message"].is_string(), "{}", answer.body);
}

#[test]
fn a_session_of_one_surface_does_not_open_another() {
    let place = Place::new();
    let server = HttpServer::on(&place, &["--surface", "notes", "--surface", "vault"]);
    let session = Session::open(&server, "/mcp/notes");
    let headers = [("mcp-session-id", session.id.as_str()), ("mcp-protocol-version", LEGACY)];
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}).to_string();
    assert_eq!(server.connect().request("POST", "/mcp/vault", &headers, list.as_bytes()).status, 404);
    assert_eq!(server.connect().request("POST", "/mcp", &headers, list.as_bytes()).status, 200, "the default is the same mount");
}

#[test]
fn each_session_watches_its_own_notes() {
    let place = Place::with(&[("a.md", "1"), ("b.md", "1")]);
    let server = HttpServer::on(&place, &[]);
    let (mut one, mut two) = (Session::open(&server, "/mcp"), Session::open(&server, "/mcp"));
    one.call("vault_list_all", json!({}));
    one.request("resources/subscribe", json!({"uri": "vault://vault/a.md"}));
    two.request("resources/subscribe", json!({"uri": "vault://vault/b.md"}));
    let (mut hears_one, mut hears_two) = (one.listen(&server), two.listen(&server));
    one.call("vault_write", json!({"path": "a.md", "content": "2"}));
    one.call("vault_write", json!({"path": "b.md", "content": "2"}));
    assert_eq!(hears_one.event().expect("an event")["params"]["uri"], "vault://vault/a.md");
    assert_eq!(hears_two.event().expect("an event")["params"]["uri"], "vault://vault/b.md");
}
