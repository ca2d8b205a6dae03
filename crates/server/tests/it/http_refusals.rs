//! What is refused over HTTP, always in words that a JSON-RPC client can read.

use serde_json::{Value, json};

use crate::http_client::{HttpServer, Response, Session, initialize};
use crate::place::Place;

fn refusal(response: &Response) -> (u16, Option<i64>) {
    let kind = response.header("content-type").unwrap_or_default();
    assert!(kind.starts_with("application/json"), "{}: {kind} {}", response.status, response.body);
    let message = response.message();
    assert!(message["jsonrpc"] == "2.0" && message.as_object().is_some_and(|all| all.contains_key("id")), "{message}");
    (response.status, message["error"]["code"].as_i64())
}

#[test]
fn a_body_that_is_not_json_is_a_parse_error() {
    let place = Place::new();
    let server = HttpServer::on(&place, &[]);
    let mut session = Session::open(&server, "/mcp");
    for body in
        ["", "nonsense", "{", "{\"jsonrpc\":\"2.0\",", "[1,", "{\"a\":}", "{\"jsonrpc\":\"2.0\"}}", "\"open", "\u{1}", "tru"]
    {
        let answer = server.connect().request("POST", "/mcp", &[], body.as_bytes());
        assert_eq!(refusal(&answer), (400, Some(-32700)), "{body:?}: {}", answer.body);
        let headers = [("mcp-session-id", session.id.as_str())];
        let answer = session.connection.request("POST", "/mcp", &headers, body.as_bytes());
        assert_eq!(refusal(&answer), (400, Some(-32700)), "{body:?}: {}", answer.body);
    }
    let answer = server.connect().request("POST", "/mcp", &[], b"\xff\xfe");
    assert_eq!(refusal(&answer), (400, Some(-32700)), "{}", answer.body);
}

#[test]
fn a_batch_and_json_of_the_wrong_shape_are_invalid_requests() {
    let place = Place::new();
    let server = HttpServer::on(&place, &[]);
    let ping = json!({"jsonrpc": "2.0", "id": 9, "method": "ping"});
    for body in [
        json!([ping, ping]),
        json!([initialize()]),
        json!([]),
        json!({}),
        json!("expected"),
        json!(7),
        Value::Null,
        json!({"jsonrpc": "2.0", "id": 1}),
        json!({"id": 1, "method": "expected EOF"}),
        json!({"jsonrpc": "1.0", "id": 1, "method": "ping"}),
    ] {
        let answer = server.connect().request("POST", "/mcp", &[], body.to_string().as_bytes());
        assert_eq!(refusal(&answer), (400, Some(-32600)), "{body}: {}", answer.body);
    }
}

#[test]
fn a_body_that_is_not_called_json_is_refused() {
    let place = Place::new();
    let server = HttpServer::on(&place, &[]);
    for kind in ["text/plain", "application/x-www-form-urlencoded"] {
        let body = initialize().to_string();
        let answer = server.connect().request("POST", "/mcp", &[("content-type", kind)], body.as_bytes());
        assert_eq!(refusal(&answer).0, 415, "{kind}: {}", answer.body);
    }
}

#[test]
fn a_client_that_accepts_anything_is_served() {
    let place = Place::new();
    let server = HttpServer::on(&place, &[]);
    let body = initialize().to_string();
    for accept in ["*/*", "", "text/html, */*;q=0.8", "application/json, text/event-stream", "application/json,*/*"] {
        let answer = server.connect().request("POST", "/mcp", &[("accept", accept)], body.as_bytes());
        assert_eq!(answer.status, 200, "{accept:?}: {}", answer.body);
        assert!(answer.message()["result"]["serverInfo"].is_object());
    }
}

#[test]
fn a_client_that_accepts_only_one_form_is_told_to_accept_both() {
    let place = Place::new();
    let server = HttpServer::on(&place, &[]);
    let body = initialize().to_string();
    for accept in ["application/json", "text/event-stream", "text/html"] {
        let answer = server.connect().request("POST", "/mcp", &[("accept", accept)], body.as_bytes());
        assert_eq!(refusal(&answer).0, 406, "{accept}: {}", answer.body);
        assert!(answer.body.contains("text/event-stream"), "{}", answer.body);
    }
}

#[test]
fn other_names_for_this_machine_are_refused() {
    let place = Place::new();
    let server = HttpServer::on(&place, &[]);
    let body = initialize().to_string();
    let port = server.address.port();
    let status = |host: &str| server.connect().request("POST", "/mcp", &[("host", host)], body.as_bytes()).status;
    for host in ["127.0.0.1", "localhost", "LocalHost", "[::1]"] {
        assert_eq!(status(&format!("{host}:{port}")), 200, "{host}");
        assert_eq!(status(host), 200, "{host}");
    }
    for host in
        ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "192.168.1.5", "evil.example:8090", "0.0.0.0"]
    {
        assert_eq!(status(host), 403, "{host}");
        assert_eq!(server.connect().request("GET", "/mcp", &[("host", host)], b"").status, 403, "{host}");
    }
    let answer = server.connect().request("POST", "/mcp", &[("host", "evil.example")], body.as_bytes());
    assert_eq!(refusal(&answer).0, 403);
}

#[test]
fn pages_of_other_sites_are_refused() {
    let place = Place::new();
    let server = HttpServer::on(&place, &[]);
    let body = initialize().to_string();
    let answer = |origin: &str| server.connect().request("POST", "/mcp", &[("origin", origin)], body.as_bytes());
    for origin in [
        format!("http://{}", server.address),
        "http://localhost:5173".into(),
        "https://localhost:8443".into(),
        "http://127.0.0.1:1".into(),
        "http://[::1]:3000".into(),
        "http://localhost".into(),
    ] {
        assert_eq!(answer(&origin).status, 200, "{origin}");
    }
    for origin in [
        "http://evil.example",
        "https://evil.example:443",
        "null",
        "http://localhost.evil.example",
        "http://192.168.1.5:80",
        "file://",
    ] {
        let refused = answer(origin);
        assert_eq!(refusal(&refused).0, 403, "{origin}: {}", refused.body);
    }
}

#[test]
fn a_body_over_the_limit_is_too_large() {
    let place = Place::new();
    let config = place.config(&json!({"limits": {"maxRequestBytes": 2000}}));
    let server = HttpServer::on(&place, &["--config", &config]);
    let mut session = Session::open(&server, "/mcp");
    let call = |length| {
        let arguments = json!({"path": "a.md", "content": "x".repeat(length)});
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "vault_write", "arguments": arguments}})
    };
    assert_eq!(session.post(&call(1000)).status, 200);
    let mut other = Session::open(&server, "/mcp");
    let answer = other.post(&call(4000));
    assert_eq!(refusal(&answer).0, 413, "{}", answer.body);
    assert_eq!(place.read("a.md").len(), 1000);
}

#[test]
fn a_body_of_many_megabytes_is_refused_by_default_and_one_of_some_is_taken() {
    let place = Place::new();
    let server = HttpServer::on(&place, &[]);
    let content = "0123456789abcde\n".repeat(1 << 18);
    let mut session = Session::open(&server, "/mcp");
    let written = session.call("vault_write", json!({"path": "big.md", "content": content}));
    assert_eq!(written["structuredContent"]["size"], content.len(), "{written}");
    let body = vec![b' '; (16 << 20) + 1];
    let answer = server.connect().request("POST", "/mcp", &[], &body);
    assert_eq!(refusal(&answer).0, 413);
}

#[test]
fn what_is_not_a_method_of_the_endpoint_is_not_allowed() {
    let place = Place::new();
    let server = HttpServer::on(&place, &[]);
    for method in ["PUT", "PATCH"] {
        assert_eq!(server.connect().request(method, "/mcp", &[], b"").status, 405, "{method}");
    }
}
