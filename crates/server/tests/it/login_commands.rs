//! The commands that look after logins, beside a running server.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::http_client::{HttpServer, Response};
use crate::place::{Place, eventually, finish};
use crate::stdio_client::{MODERN, modern_params};

/// Runs a command that reads a line from standard input.
fn answer(mut command: Command, line: &str) -> (i32, String, String) {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    child.stdin.take().expect("piped").write_all(format!("{line}\n").as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

fn add_user(place: &Place, name: &str, password: &str) {
    let (status, output, complaint) = answer(place.program(&["users", "add", name]), password);
    assert_eq!((status, output.contains("may log in")), (0, true), "{output}{complaint}");
}

fn doctor(place: &Place, server: &HttpServer, user: &str, password: &str) -> (i32, String, String) {
    let url = format!("http://{}", server.address);
    answer(place.program(&["doctor", "--oauth", "--server-url", &url, "--user", user]), password)
}

/// A request with a token.
fn ask(server: &HttpServer, token: &str, method: &str, params: Value) -> Response {
    let name = params["name"].as_str().unwrap_or_default().to_owned();
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": modern_params(params)}).to_string();
    let bearer = format!("Bearer {token}");
    let headers =
        [("mcp-protocol-version", MODERN), ("mcp-method", method), ("mcp-name", &name), ("authorization", bearer.as_str())];
    server.connect().request("POST", "/mcp", &headers, body.as_bytes())
}

fn serve(place: &Place, mode: Value) -> HttpServer {
    let config = place.config(&json!({"auth": {"mode": mode}, "rateLimits": {"register": 0, "authorize": 0, "token": 0}}));
    HttpServer::on(place, &["--config", &config])
}

#[test]
fn users_come_and_go_while_the_server_runs() {
    let place = Place::new();
    let server = serve(&place, json!("oauth"));
    let (status, _, complaint) = doctor(&place, &server, "anna", "first");
    assert_eq!(status, 1);
    assert!(complaint.contains("name or the password is wrong"), "{complaint}");

    add_user(&place, "anna", "first");
    let (status, output, complaint) = doctor(&place, &server, "anna", "first");
    assert_eq!(status, 0, "{output}{complaint}");
    for step in ["registration", "login", "consent", "tokens", "tools/list", "refresh", "revocation", "registration removed"] {
        assert!(output.lines().any(|line| line.starts_with(&format!("ok  {step}"))), "{step}: {output}");
    }
    let (_, listed, _) = finish(place.program(&["users", "list"]));
    assert!(listed.contains("anna"), "{listed}");

    add_user(&place, "anna", "second");
    assert_eq!(doctor(&place, &server, "anna", "first").0, 1, "the old password is gone");
    assert_eq!(doctor(&place, &server, "anna", "second").0, 0);
    let (status, said, _) = finish(place.program(&["users", "remove", "anna"]));
    assert_eq!((status, said.contains("may not log in any more")), (0, true), "{said}");
    assert_eq!(doctor(&place, &server, "anna", "second").0, 1);
    assert_eq!(finish(place.program(&["users", "remove", "anna"])).0, 1, "nobody is removed twice");
}

#[test]
fn names_that_could_be_mistaken_are_refused() {
    let place = Place::new();
    for name in ["", "a:b", "a,b", "a/b", "a\nb"] {
        let (status, _, complaint) = answer(place.program(&["users", "add", name]), "password");
        assert_eq!(status, 1, "{name:?}");
        assert!(complaint.contains("no name to log in with"), "{complaint}");
    }
}

#[test]
fn a_key_opens_the_server_for_an_agent_until_it_is_revoked() {
    let place = Place::with(&[("a.md", "A")]);
    let server = serve(&place, json!(["oauth", "keys"]));
    let (status, key, complaint) = finish(place.program(&["keys", "add", "ci", "--scope", "read:notes"]));
    assert_eq!(status, 0, "{complaint}");
    let key = key.trim();
    assert!(key.starts_with("qgk_") && key.len() == 47, "{key}");
    let call = |tool: &str, arguments: Value| ask(&server, key, "tools/call", json!({"name": tool, "arguments": arguments}));
    let read = call("vault_read", json!({"path": "a.md"}));
    assert_eq!(read.message()["result"]["structuredContent"]["content"], "A", "{}", read.body);
    let refused = call("vault_write", json!({"path": "b.md", "content": "B"}));
    assert_eq!(refused.status, 403, "{}", refused.body);
    let challenge = refused.header("www-authenticate").expect("a challenge");
    assert!(challenge.contains("insufficient_scope") && challenge.contains("write:notes"), "{challenge}");

    let (_, listed, _) = finish(place.program(&["keys", "list"]));
    assert!(listed.contains("ci") && !listed.contains(key), "{listed}");
    assert_eq!(finish(place.program(&["keys", "add", "ci"])).0, 1, "one key of a name");
    assert_eq!(finish(place.program(&["keys", "revoke", "ci"])).0, 0);
    eventually("the key is refused", || (call("vault_read", json!({"path": "a.md"})).status == 401).then_some(()));
    assert_eq!(finish(place.program(&["keys", "revoke", "ci"])).0, 1);
}

#[test]
fn a_key_of_the_configuration_needs_no_state() {
    let place = Place::with(&[("a.md", "A")]);
    let (_, printed, _) = finish(place.program(&["keys", "new"]));
    let (key, line) = printed.split_once('\n').expect("two lines");
    let entry: Value = serde_json::from_str(line).expect("a line for the configuration");
    let config = place.config(&json!({"auth": {"mode": "keys", "keys": [entry]}}));
    let server = HttpServer::on(&place, &["--config", &config]);
    assert_eq!(ask(&server, key, "tools/list", json!({})).status, 200);
    let refused = server.connect().modern("/mcp", "tools/list", json!({}));
    assert_eq!((refused.status, refused.header("www-authenticate").is_some()), (401, true));
    assert_eq!(server.connect().get("/oauth/authorize").status, 404, "there is no login page in this mode");
}

#[test]
fn the_doctor_names_the_step_that_fails() {
    let place = Place::new();
    let check = |server: &HttpServer| {
        let url = format!("http://{}", server.address);
        finish(place.program(&["doctor", "--oauth", "--server-url", &url]))
    };
    let open = HttpServer::on(&place, &[]);
    let (status, _, complaint) = check(&open);
    assert_eq!(status, 1);
    assert!(complaint.contains("there is no login") && complaint.contains("AUTH_USERS"), "{complaint}");
    let config = place.config(&json!({"auth": {"mode": "oauth", "registration": {"enabled": false}}}));
    let (status, _, complaint) = check(&HttpServer::on(&place, &["--config", &config]));
    assert_eq!(status, 1);
    assert!(complaint.contains("auth.registration"), "{complaint}");
    let (status, output, _) = check(&serve(&place, json!("oauth")));
    assert_eq!(status, 0, "{output}");
    assert!(output.contains("give --user"), "{output}");
}

#[test]
fn lists_of_nobody_are_headings() {
    let place = Place::new();
    for command in [["users", "list"], ["clients", "list"], ["tokens", "list"], ["keys", "list"]] {
        let (status, output, complaint) = finish(place.program(&command));
        assert_eq!((status, output.lines().count()), (0, 1), "{command:?}: {output}{complaint}");
    }
    let (status, _, complaint) = finish(place.program(&["tokens", "revoke", "qgg_nothing"]));
    assert_eq!(status, 1);
    assert!(complaint.contains("tokens list"), "{complaint}");
    assert_eq!(finish(place.program(&["clients", "revoke", "nobody"])).0, 1);
}
