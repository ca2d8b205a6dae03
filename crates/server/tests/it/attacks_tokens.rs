//! Attacks 85 to 87 and 104 to 108: tokens at the endpoint, and who may do without one.

use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::courier::now;
use crate::http_client::{Response, initialize};
use crate::login::{ANNA, BERT, Door, ISSUER, changed, unlimited, with_users};
use crate::place::{Place, eventually, finish};
use crate::signer::Signer;
use crate::stdio_client::{MODERN, modern_params};

pub(crate) const SECRET: &str = "kX3v9Qw7Zr1Tn5Yb8Lp2Ms6Dc4Hf0Jg+";

pub(crate) const THEIRS: &str = "https://id.example";

/// Tokens of `THEIRS`, signed with a secret or one of these keys, are accepted.
pub(crate) fn trusting(keys: &[&Signer]) -> Value {
    let keys: Vec<&Value> = keys.iter().map(|signer| &signer.public).collect();
    let mut auth = json!({"mode": "jwt", "issuer": THEIRS, "jwtSecret": SECRET});
    if !keys.is_empty() {
        auth["jwks"] = json!({"keys": keys});
    }
    json!({"auth": auth, "rateLimits": unlimited()})
}

pub(crate) fn claims() -> Value {
    json!({"iss": THEIRS, "aud": format!("{ISSUER}/mcp"), "sub": "ada", "client_id": "app", "exp": now() + 600, "scope": "read:notes"})
}

pub(crate) fn with(name: &str, value: Value) -> Value {
    let mut claims = claims();
    claims[name] = value;
    claims
}

pub(crate) fn without(name: &str) -> Value {
    let mut claims = claims();
    claims.as_object_mut().expect("an object").remove(name);
    claims
}

pub(crate) fn secret() -> Signer {
    Signer::secret(SECRET.as_bytes())
}

/// A read with the token is refused, and the client learns that the token is the reason.
pub(crate) fn assert_invalid(door: &Door, token: &str, what: &str) {
    let answer = door.call(token, "vault_read", json!({"path": "a.md"}));
    assert_eq!(answer.status, 401, "{what}: {}", answer.body);
    let challenge = answer.header("www-authenticate").expect("a challenge");
    assert!(challenge.starts_with("Bearer ") && challenge.contains("error=\"invalid_token\""), "{what}: {challenge}");
    assert!(!answer.body.contains("# A"), "{}", answer.body);
}

pub(crate) fn assert_good(door: &Door, token: &str, what: &str) {
    let answer = door.call(token, "vault_read", json!({"path": "a.md"}));
    assert_eq!(answer.status, 200, "{what}: {}", answer.body);
    assert_eq!(answer.message()["result"]["structuredContent"]["content"], "# A\n", "{what}: {}", answer.body);
}

/// A read with headers of one's own.
pub(crate) fn read_with(door: &Door, path: &str, headers: &[(&str, &str)]) -> Response {
    let params = modern_params(json!({"name": "vault_read", "arguments": {"path": "a.md"}}));
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let mut all = vec![("mcp-protocol-version", MODERN), ("mcp-method", "tools/call"), ("mcp-name", "vault_read")];
    all.extend(headers);
    door.send("POST", path, &all, &body.to_string())
}

/// The server does not start with this configuration, and says why.
pub(crate) fn assert_no_start(config: &Value, reason: &str) {
    let place = Place::new();
    let mut config = config.clone();
    config["vaultPath"] = json!(place.vault());
    let file = place.config(&config);
    let (status, output, complaint) = finish(place.program(&["serve", "--config", &file, "--listen-addr", "127.0.0.1:0"]));
    assert_eq!((status, output.as_str()), (1, ""), "{config}: {complaint}");
    assert!(complaint.contains(reason), "{config}: {complaint}");
}

#[test]
fn attack_85_only_one_bearer_token_counts_as_credentials() {
    let door = Door::open(with_users());
    let token = door.log_in(&ANNA, &door.client()).access;
    let basic = format!("Basic {}", STANDARD.encode("anna:canary-password-of-anna"));
    let dpop = format!("DPoP {token}");
    for headers in [
        &[][..],
        &[("authorization", "Bearer")],
        &[("authorization", "Bearer ")],
        &[("authorization", "bearer")],
        &[("authorization", basic.as_str())],
        &[("authorization", dpop.as_str())],
        &[("authorization", token.as_str())],
        &[("authorization", "Negotiate abc")],
        &[("proxy-authorization", &format!("Bearer {token}"))],
    ] {
        let answer = read_with(&door, "/mcp", headers);
        let challenge = answer.header("www-authenticate").unwrap_or_default();
        assert_eq!(answer.status, 401, "{headers:?}");
        assert!(challenge.starts_with("Bearer ") && challenge.contains("resource_metadata="), "{headers:?}: {challenge}");
        assert!(challenge.contains("scope=\"") && !challenge.contains("error"), "{headers:?}: {challenge}");
        assert!(!challenge.contains("offline_access"), "{challenge}");
    }
    let bearer = format!("Bearer {token}");
    for headers in [
        [("authorization", bearer.as_str()), ("authorization", &bearer)],
        [("authorization", &bearer), ("authorization", &basic)],
        [("authorization", &basic), ("authorization", &bearer)],
    ] {
        let answer = read_with(&door, "/mcp", &headers);
        assert!(matches!(answer.status, 400 | 401), "{headers:?}: {}", answer.status);
    }
    for scheme in ["Bearer", "bearer", "BEARER", "bEaReR"] {
        assert_eq!(read_with(&door, "/mcp", &[("authorization", &format!("{scheme} {token}"))]).status, 200, "{scheme}");
    }
    for wrong in [format!("{token} {token}"), format!("{token},"), format!("\"{token}\""), token[1..].to_owned()] {
        assert_invalid(&door, &wrong, "a token with more or less");
    }
}

#[test]
fn attack_86_a_token_in_the_address_or_the_body_is_none() {
    let door = Door::open(with_users());
    let token = door.log_in(&ANNA, &door.client()).access;
    for path in
        [format!("/mcp?access_token={token}"), format!("/mcp?token={token}"), format!("/mcp?Authorization=Bearer%20{token}")]
    {
        let answer = read_with(&door, &path, &[]);
        assert_eq!(answer.status, 401, "{path}");
        assert!(!answer.header("www-authenticate").expect("a challenge").contains("error="), "{}", answer.text());
    }
    let params = modern_params(json!({"name": "vault_read", "arguments": {"path": "a.md"}}));
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params, "access_token": token}).to_string();
    for headers in [&[("cookie", format!("access_token={token}"))][..], &[("x-access-token", token.clone())]] {
        let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        assert_eq!(door.send("POST", "/mcp", &headers, &body).status, 401);
    }
    let form = door.form("/mcp", &[("access_token", &token)]);
    assert_eq!(form.status, 401);
    for method in ["GET", "DELETE"] {
        assert_eq!(door.send(method, &format!("/mcp?access_token={token}"), &[("accept", "text/event-stream")], "").status, 401);
    }
}

#[test]
fn attack_87_revoked_expired_and_foreign_tokens_are_invalid() {
    let config = changed(with_users(), &[("/surfaces", json!(["vault", "notes"])), ("/auth/tokenTtlSeconds", json!(4))]);
    let door = Door::open(config);
    let client = door.client();
    let at = |resource: &str| door.log_in_for(&ANNA, &client, &[("resource", resource)]);
    // For another endpoint of the same server.
    let (vault, notes) = (at(&format!("{ISSUER}/mcp")), at(&format!("{ISSUER}/mcp/notes")));
    let read = |path: &str, token: &str, tool: &str| door.call_at(path, token, tool, json!({"path": "a.md"})).status;
    assert_eq!(read("/mcp/notes", &notes.access, "note_read"), 200);
    assert_eq!((read("/mcp/notes", &vault.access, "note_read"), read("/mcp/vault", &notes.access, "vault_read")), (401, 401));
    assert_invalid(&door, &notes.access, "a token for another endpoint");
    // Too old, also for whoever has just been recognised.
    let started = Instant::now();
    let short = at(&format!("{ISSUER}/mcp"));
    eventually("it expires", || (door.status_with(&short.access) == 401).then_some(()));
    assert!(started.elapsed() < Duration::from_secs(9), "an expired token was good for {:?}", started.elapsed());
    assert_invalid(&door, &short.access, "an expired token");
    // Given back, ended by the operator, of another kind, of nobody.
    let door = Door::open(with_users());
    let client = door.client();
    let given_back = door.log_in(&ANNA, &client);
    assert_good(&door, &given_back.access, "before");
    assert_eq!(door.form("/oauth/revoke", &[("client_id", &client), ("token", &given_back.access)]).status, 200);
    assert_invalid(&door, &given_back.access, "a token that was given back");
    let ended = door.log_in(&ANNA, &client);
    assert_good(&door, &ended.access, "before");
    assert_eq!(door.operator(&["tokens", "revoke", "--user", "anna"]).0, 0);
    eventually("the operator's word counts", || (door.status_with(&ended.access) == 401).then_some(()));
    let other = door.log_in(&BERT, &client);
    assert_invalid(&door, &other.refresh, "a refresh token");
    for nonsense in ["x", &"A".repeat(43), "qgk_AAAA", "a.b.c", "null", "undefined", "[object Object]"] {
        assert_invalid(&door, nonsense, nonsense);
    }
    // Of another server with the same users.
    let elsewhere = Door::with(with_users(), "http://127.0.0.1:10", &[]);
    let foreign = elsewhere.log_in(&ANNA, &elsewhere.client());
    assert_invalid(&door, &foreign.access, "a token of another server");
}

#[test]
fn attack_104_without_a_login_nobody_else_is_let_in() {
    let place = Place::new();
    let vault = place.vault();
    let none = place.config(&json!({"auth": {"mode": "none"}}));
    for arguments in [
        &["--listen-addr", "0.0.0.0:0"][..],
        &["--listen-addr", ":0"],
        &["--listen-addr", "[::]:0"],
        &["--listen-addr", "127.0.0.1:0", "--server-url", "https://vault.example.com"],
        &["--listen-addr", "0.0.0.0:0", "--server-url", "http://localhost:8090"],
    ] {
        for config in [&["--config", &none][..], &[]] {
            let start = ["serve", "--vault-path", vault.to_str().expect("UTF-8")];
            let (status, output, complaint) = finish(place.program(&[&start, config, arguments].concat()));
            assert_eq!((status, output.as_str()), (1, ""), "{arguments:?}: {complaint}");
            assert!(complaint.contains("there is no login"), "{complaint}");
        }
    }
    let users = json!([{"name": "anna", "password": ANNA.hash}]);
    assert_no_start(&json!({"auth": {"mode": "none", "users": users}}), "nobody would be asked to log in");
    assert_no_start(&json!({"auth": {"mode": ["none", "keys"]}}), "none together with others");
    assert_no_start(&json!({"auth": {"mode": []}}), "auth.mode");
    let open_site = json!({"serverUrl": "https://open.example.com", "auth": {"mode": "none"}});
    assert_no_start(&json!({"sites": [open_site]}), "login");
}

#[test]
fn attack_105_other_hosts_and_origins_are_turned_away() {
    let door = Door::with(with_users(), "https://vault.example.com", &[]);
    let token = format!("Bearer {}", door.log_in(&ANNA, &door.client()).access);
    let open = Place::with(&[("a.md", "# A\n")]);
    let open = crate::http_client::HttpServer::on(&open, &[]);
    let with_login = |name: &str, value: &str| read_with(&door, "/mcp", &[("authorization", &token), (name, value)]).status;
    let without_login = |name: &str, value: &str| {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": modern_params(json!({}))});
        let headers = [("mcp-protocol-version", MODERN), ("mcp-method", "tools/list"), (name, value)];
        open.connect().request("POST", "/mcp", &headers, body.to_string().as_bytes()).status
    };
    for host in [
        "evil.example",
        "vault.example.com.evil.example",
        "evil-vault.example.com",
        "vault.example.com@evil.example",
        "evil.example:443",
        "vault.example.com.",
        "vault.example.com:x",
        "vault.example.com:443:443",
        "192.0.2.7",
        "[2001:db8::1]",
        "localhost.evil.example",
        "",
    ] {
        assert_eq!((with_login("host", host), without_login("host", host)), (403, 403), "{host:?}");
    }
    for host in
        ["vault.example.com", "vault.example.com:443", "VAULT.Example.COM", "vault.example.com:8090", "localhost", "127.0.0.1:1"]
    {
        assert_eq!(with_login("host", host), 200, "{host}");
    }
    for host in ["localhost", "LOCALHOST:8090", "127.0.0.1", "[::1]:80"] {
        assert_eq!(without_login("host", host), 200, "{host}");
    }
    for origin in [
        "https://evil.example",
        "null",
        "https://vault.example.com.evil.example",
        "https://vault.example.com@evil.example",
        "http://vault.example.com",
        "https://vault.example.com:8443",
        "https://localhost.evil.example",
        "file://",
        "chrome-extension://abc",
    ] {
        assert_eq!((with_login("origin", origin), without_login("origin", origin)), (403, 403), "{origin}");
    }
    for origin in ["https://vault.example.com", "http://localhost:6274", "http://127.0.0.1:5173"] {
        assert_eq!(with_login("origin", origin), 200, "{origin}");
    }
    assert_eq!(without_login("origin", "http://localhost:6274"), 200);
    // Whatever a request calls us, we call ourselves by the configured name.
    let document = door.send("GET", "/.well-known/oauth-authorization-server", &[("host", "evil.example")], "");
    assert!(!document.text().contains("evil"), "{}", document.text());
    let challenge = read_with(&door, "/mcp", &[("host", "localhost"), ("x-forwarded-host", "evil.example")]);
    assert!(challenge.header("www-authenticate").is_some_and(|said| said.contains("https://vault.example.com/")));
}

#[test]
fn attack_106_a_session_belongs_to_whoever_opened_it() {
    let door = Door::open(with_users());
    let (client, other_client) = (door.client(), door.client());
    let anna = door.log_in(&ANNA, &client).access;
    let session = door.legacy("POST", &anna, None, &initialize()).session();
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(door.legacy("POST", &anna, Some(&session), &initialized).status, 202);
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let strangers = [door.log_in(&BERT, &client).access, door.log_in(&ANNA, &other_client).access];
    for (method, message) in [("POST", &list), ("POST", &initialized), ("GET", &Value::Null), ("DELETE", &Value::Null)] {
        for stranger in &strangers {
            assert!(matches!(door.legacy(method, stranger, Some(&session), message).status, 403 | 404), "{method}");
        }
        for token in ["", "x"] {
            assert_eq!(door.legacy(method, token, Some(&session), message).status, 401, "{method} with {token:?}");
        }
    }
    assert_eq!(door.legacy("POST", &anna, Some(&session), &list).status, 200);
    // The same user and client with a newer token keeps it; a token that has ended does not.
    let again = door.log_in(&ANNA, &client).access;
    assert_eq!(door.legacy("POST", &again, Some(&session), &list).status, 200);
    assert_eq!(door.form("/oauth/revoke", &[("client_id", &client), ("token", &anna)]).status, 200);
    assert_eq!(door.legacy("POST", &anna, Some(&session), &list).status, 401);
    assert_eq!(door.legacy("DELETE", &again, Some(&session), &Value::Null).status, 202);
}

#[test]
fn attack_107_a_token_for_another_vault_reaches_nothing() {
    let door = Door::open(trusting(&[]));
    let all = "read:notes write:notes delete:notes";
    let bound = |vault: Value| {
        let mut claims = with("vault", vault);
        claims["scope"] = json!(all);
        secret().token(json!({}), &claims)
    };
    assert_good(&door, &bound(json!("vault")), "its own vault");
    let other = bound(json!("private"));
    for (tool, arguments) in [
        ("vault_read", json!({"path": "a.md"})),
        ("vault_list_all", json!({})),
        ("vault_search", json!({"query": "A"})),
        ("vault_write", json!({"path": "new.md", "content": "x"})),
        ("vault_delete", json!({"paths": ["a.md"]})),
    ] {
        let answer = door.call(&other, tool, arguments);
        let refused = answer.status == 403 || answer.message()["result"]["isError"] == true;
        assert!(refused && !answer.body.contains("# A"), "{tool}: {}", answer.body);
    }
    for (method, params) in [
        ("resources/list", json!({})),
        ("resources/read", json!({"uri": "vault://vault/a.md"})),
        ("resources/read", json!({"uri": "vault://private/a.md"})),
    ] {
        let answer = door.ask("/mcp", &other, method, params);
        let refused = answer.status != 200 || answer.message().get("error").is_some();
        assert!(refused && !answer.body.contains("# A") && !answer.body.contains("a.md\""), "{method}: {}", answer.body);
    }
    assert_eq!((door.place.read("a.md"), door.place.vault().join("new.md").exists()), ("# A\n".to_owned(), false));
    for vault in [json!(7), json!(""), json!(["vault"]), json!(null)] {
        assert_invalid(&door, &bound(vault.clone()), &vault.to_string());
    }
    // The scope of the same meaning, as our own tokens have it.
    let mut scoped = claims();
    scoped["scope"] = json!("read:notes vault:private");
    let answer = door.call(&secret().token(json!({}), &scoped), "vault_read", json!({"path": "a.md"}));
    assert!(!answer.body.contains("# A"), "{}", answer.body);
}

#[test]
fn attack_108_what_is_missing_is_named_whole() {
    let door = Door::open(with_users());
    let client = door.client();
    let reader = door.log_in_for(&ANNA, &client, &[("scope", "read:notes")]).access;
    assert_good(&door, &reader, "what was allowed");
    for (tool, arguments, needed) in [
        ("vault_write", json!({"path": "a.md", "content": "x"}), &["write:notes"][..]),
        ("vault_delete", json!({"paths": ["a.md"]}), &["delete:notes"]),
        ("vault_move", json!({"source": "a.md", "destination": "c.md"}), &["write:notes", "delete:notes"]),
    ] {
        let answer = door.call(&reader, tool, arguments.clone());
        assert_eq!(answer.status, 403, "{tool}: {}", answer.body);
        let challenge = answer.header("www-authenticate").expect("a challenge");
        assert!(challenge.contains("error=\"insufficient_scope\"") && challenge.contains("resource_metadata=\""), "{challenge}");
        let (_, rest) = challenge.split_once(", scope=\"").expect("scopes");
        let named: Vec<&str> = rest.split('"').next().expect("quoted").split(' ').collect();
        assert!(needed.iter().all(|scope| named.contains(scope)), "{challenge}");
        assert!(named.contains(&"read:notes"), "what it has it must not lose: {challenge}");
        assert!(!named.iter().any(|scope| scope.starts_with("vault:") || *scope == "offline_access"), "{challenge}");
        // Older clients are told the same way.
        let session = door.legacy("POST", &reader, None, &initialize()).session();
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}});
        assert_eq!(door.legacy("POST", &reader, Some(&session), &call).status, 403);
        // However the message is spelled, nothing is done.
        let spelled = call.to_string().replacen("\"method\"", "\"method\":\"ping\",\"method\"", 1);
        let headers = [
            ("authorization", &*format!("Bearer {reader}")),
            ("mcp-session-id", &session),
            ("mcp-protocol-version", "2025-11-25"),
        ];
        assert_ne!(door.send("POST", "/mcp", &headers, &spelled).json().pointer("/result/isError"), Some(&json!(false)));
    }
    assert_eq!(door.place.read("a.md"), "# A\n");
    // Broad scopes hold narrow ones.
    let keyed = json!({"auth": {"mode": "jwt", "issuer": THEIRS, "jwtSecret": SECRET}});
    let door = Door::open(keyed);
    assert_good(&door, &secret().token(json!({}), &with("scope", json!("read:*"))), "read:*");
    assert_eq!(door.status_with(&secret().token(json!({}), &with("scope", json!("write:*")))), 403);
}
