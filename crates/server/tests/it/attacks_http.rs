//! Attacks 131 to 134 and 138: methods, slowness, spellings of paths, other sites' pages and caches.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::http_client::{Response, initialize};
use crate::login::{ANNA, Browser, Door, FORM, REDIRECT, Tokens, authorize_path, changed, with_users};
use crate::stdio_client::{LEGACY, MODERN, modern_params};

const POST_ONLY: [&str; 5] = ["/oauth/token", "/token", "/oauth/register", "/register", "/oauth/revoke"];

const DOCUMENTS: [&str; 7] = [
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/mcp",
    "/.well-known/oauth-protected-resource/mcp/vault",
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-authorization-server/mcp",
    "/.well-known/openid-configuration",
    "/.well-known/openid-configuration/mcp",
];

const PAGES: [&str; 4] = ["/oauth/authorize", "/authorize", "/oauth/consent", "/oauth/resume"];

#[test]
fn attack_131_no_method_makes_any_endpoint_fail() {
    let door = Door::open(with_users());
    let token = door.log_in(&ANNA, &door.client()).access;
    let others = [
        "/oauth/introspect",
        "/oauth/register/qgc_x",
        "/mcp",
        "/mcp/",
        "/mcp/vault",
        "/",
        "/health",
        "/nowhere",
        "/.well-known/mcp/server-card.json",
        "/favicon.ico",
        "/robots.txt",
    ];
    let bearer = format!("Bearer {token}");
    for path in POST_ONLY.iter().chain(&DOCUMENTS).chain(&PAGES).chain(&others) {
        for method in ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "PATCH", "DELETE", "POST", "PROPFIND", "QUERY"] {
            for authorization in ["", &bearer] {
                // With a token, looking at the endpoint would open a stream.
                if method == "GET" && !authorization.is_empty() {
                    continue;
                }
                let answer = door.send(method, path, &[("authorization", authorization), ("connection", "close")], "");
                assert!(answer.status < 500, "{method} {path}: {}", answer.status);
                assert!(!answer.text().contains(&token), "{method} {path} shows the token: {}", answer.text());
            }
        }
    }
    for path in POST_ONLY {
        for method in ["GET", "HEAD", "PUT", "TRACE", "PATCH", "DELETE"] {
            assert_eq!(door.send(method, path, &[], "").status, 405, "{method} {path}");
        }
        assert_eq!(door.send("OPTIONS", path, &[], "").status, 204, "{path}");
    }
    for path in DOCUMENTS {
        for (method, status) in [("GET", 200), ("HEAD", 200), ("OPTIONS", 204), ("TRACE", 405), ("PUT", 405), ("POST", 405)] {
            assert_eq!(door.send(method, path, &[], "").status, status, "{method} {path}");
        }
    }
    for path in PAGES {
        for method in ["TRACE", "PUT", "DELETE", "OPTIONS"] {
            assert_eq!(door.send(method, path, &[], "").status, 405, "{method} {path}");
        }
    }
    for method in ["PUT", "PATCH", "TRACE"] {
        assert_eq!(door.send(method, "/mcp", &[("authorization", &bearer)], "").status, 405, "{method}");
        assert_eq!(door.send(method, "/mcp", &[], "").status, 401, "{method}");
    }
    assert_eq!(door.send("OPTIONS", "/mcp", &[], "").status, 204);
}

/// Takes half a minute: that is how long the slowest honest client may take.
#[test]
fn attack_132_slow_requests_are_cut_off_and_streams_are_not() {
    let door = Door::open(with_users());
    let token = door.log_in(&ANNA, &door.client()).access;
    let session = door.legacy("POST", &token, None, &initialize()).session();
    let host = door.host();
    let connect = |head: &str| {
        let mut stream = TcpStream::connect(door.address()).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(50))).expect("a socket");
        stream.write_all(head.as_bytes()).expect("it listens");
        stream
    };
    let started = Instant::now();
    let mut listening = connect(&format!(
        "GET /mcp HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\nmcp-session-id: {session}\r\n\
         mcp-protocol-version: {LEGACY}\r\naccept: text/event-stream\r\n\r\n"
    ));
    let mut silent = connect("");
    let mut heads = ["/oauth/token", "/oauth/authorize", "/mcp"]
        .map(|path| connect(&format!("POST {path} HTTP/1.1\r\nhost: {host}\r\nx-slow: ")));
    let body = |path: &str, kind: &str| {
        format!(
            "POST {path} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\ncontent-type: {kind}\r\n\
             accept: application/json, text/event-stream\r\nmcp-protocol-version: {MODERN}\r\ncontent-length: 1000\r\n\r\na"
        )
    };
    let mut bodies = [
        ("/oauth/token", FORM),
        ("/oauth/authorize", FORM),
        ("/oauth/register", "application/json"),
        ("/mcp", "application/json"),
    ]
    .map(|(path, kind)| (path, connect(&body(path, kind))));
    // Whatever they still say is nothing more than a refusal.
    let ends = |stream: &mut TcpStream| {
        let mut said = Vec::new();
        let ended = stream.read_to_end(&mut said);
        assert!(ended.is_ok() || ended.is_err_and(|error| error.kind() == ErrorKind::ConnectionReset), "it is held on to");
        String::from_utf8_lossy(&said).into_owned()
    };
    for stream in heads.iter_mut().chain([&mut silent]) {
        let said = ends(stream);
        assert!(said.is_empty() || said.starts_with("HTTP/1.1 4"), "{said}");
    }
    assert!(started.elapsed() < Duration::from_secs(25), "heads were waited for {:?}", started.elapsed());
    for (path, stream) in &mut bodies {
        let mut said = [0; 12];
        stream.read_exact(&mut said).expect("an answer");
        assert_eq!(String::from_utf8_lossy(&said), "HTTP/1.1 408", "{path}");
    }
    assert!(started.elapsed() < Duration::from_secs(45), "bodies were waited for {:?}", started.elapsed());
    // The stream is still open, and others were served all the time.
    listening.set_read_timeout(Some(Duration::from_millis(100))).expect("a socket");
    let mut buffer = [0; 4096];
    loop {
        match listening.read(&mut buffer) {
            Ok(0) => panic!("the stream was cut after {:?}", started.elapsed()),
            Ok(_) => {}
            Err(error) => {
                assert!(matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "{error}");
                break;
            }
        }
    }
    assert_eq!(door.status_with(&token), 200);
}

#[test]
fn attack_133_no_spelling_of_a_path_leads_around_the_login() {
    let door = Door::open(changed(with_users(), &[("/surfaces", json!(["vault", "notes"]))]));
    let params = modern_params(json!({"name": "vault_read", "arguments": {"path": "a.md"}}));
    let modern = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
    let modern_headers = [("mcp-protocol-version", MODERN), ("mcp-method", "tools/call"), ("mcp-name", "vault_read")];
    let host = door.host();
    for path in [
        "/",
        "/mcp",
        "/mcp/",
        "//mcp",
        "/MCP",
        "/Mcp/",
        "/mcp//",
        "/mcp%2f..",
        "/mcp/..",
        "/mcp/../mcp",
        "/./mcp",
        "/%6dcp",
        "/mcp%00",
        "/mcp;a=b",
        "/mcp/vault",
        "/mcp/vault/",
        "/mcp/VAULT",
        "/mcp/notes",
        "/mcp/cli",
        "/mcp/../",
        "/.well-known/..",
        "/.well-known/../mcp",
        "/.well-known/oauth-protected-resource/../../mcp",
        "/oauth/../mcp",
        "/oauth/token/../../mcp",
        "/health/../mcp",
        "/health/mcp",
        "/mcp?x",
        "/mcp#x",
        "/mcp/%2e%2e/mcp",
        "/..%2fmcp",
        "/\\mcp",
        "/mcp\\",
        "/mcp.json",
        "/mcp/vault/..",
        "/.//mcp",
        "/health",
        "/register",
        "/?/mcp",
        "*",
        &format!("http://{host}/mcp"),
        &format!("http://{host}//mcp"),
        "http://evil.example/mcp",
    ] {
        for (headers, body) in [(&modern_headers[..], modern.clone()), (&[], initialize().to_string())] {
            let answer = door.send("POST", path, headers, &body);
            assert!((400..500).contains(&answer.status), "{path}: {}", answer.text());
            assert!(!answer.body.contains("# A") && answer.header("mcp-session-id").is_none(), "{path}: {}", answer.text());
        }
        for method in ["GET", "DELETE"] {
            let answer = door.send(
                method,
                path,
                &[("accept", "text/event-stream"), ("mcp-session-id", "x"), ("mcp-protocol-version", LEGACY)],
                "",
            );
            let is_stream = answer.header("content-type").is_some_and(|kind| kind.starts_with("text/event-stream"));
            assert!(!is_stream && !answer.body.contains("a.md"), "{method} {path}: {}", answer.text());
        }
    }
    // Headers by which some servers are told another path or method change nothing either.
    let token = door.log_in(&ANNA, &door.client()).access;
    for header in ["x-original-url", "x-rewrite-url", "x-http-method-override", "x-forwarded-prefix"] {
        let headers = [&modern_headers[..], &[(header, "/mcp")]].concat();
        assert!((400..500).contains(&door.send("POST", "/health", &headers, &modern).status), "{header}");
        assert_eq!(door.send("POST", "/mcp", &headers, &modern).status, 401, "{header}");
    }
    assert_eq!(door.call_at("/mcp/", &token, "vault_read", json!({"path": "a.md"})).status, 200);
}

#[test]
fn attack_134_pages_of_others_read_what_is_public_and_nothing_else() {
    let door = Door::open(with_users());
    let client = door.client();
    let origin = [
        ("origin", "http://localhost:6274"),
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", "authorization"),
    ];
    let cors = |answer: &Response| {
        (
            answer.header("access-control-allow-origin").map(str::to_owned),
            answer.header("access-control-allow-credentials").map(str::to_owned),
        )
    };
    let open = (Some("*".to_owned()), None);
    for path in DOCUMENTS.iter().chain(&POST_ONLY).chain(&["/mcp", "/mcp/vault"]) {
        let asked = door.send("OPTIONS", path, &origin, "");
        assert_eq!((asked.status, cors(&asked)), (204, open.clone()), "{path}");
        assert!(asked.header("access-control-allow-headers").is_some_and(|names| names.contains("Authorization")), "{path}");
        let exposed = asked.header("access-control-expose-headers").unwrap_or_default().to_owned();
        assert!(exposed.contains("WWW-Authenticate") && exposed.contains("Mcp-Session-Id"), "{path}: {exposed}");
    }
    for answer in [
        door.send("GET", DOCUMENTS[0], &origin, ""),
        door.send("POST", "/oauth/token", &[("origin", "https://app.example"), ("content-type", FORM)], "grant_type=x"),
        door.send("POST", "/oauth/register", &[("origin", "https://app.example")], "{}"),
        door.send("POST", "/mcp", &origin, "{}"),
    ] {
        assert_eq!(cors(&answer), open, "{}", answer.text());
    }
    let mut browser = Browser::of(&door);
    let page = browser.authorize(&client, &[]);
    let consent = {
        let entered = browser.enter(&page, &ANNA);
        browser.follow(&entered)
    };
    assert_eq!(consent.status, 200);
    let path = authorize_path(&client, &[]);
    for (method, path) in [
        ("GET", path.as_str()),
        ("GET", "/oauth/authorize"),
        ("POST", "/oauth/authorize"),
        ("OPTIONS", "/oauth/authorize"),
        ("OPTIONS", "/oauth/consent"),
        ("GET", "/oauth/consent"),
        ("POST", "/oauth/consent"),
        ("OPTIONS", "/oauth/resume"),
        ("GET", "/oauth/resume"),
        ("OPTIONS", "/authorize"),
    ] {
        let answer = door.send(method, path, &[origin[0], ("content-type", FORM)], "");
        assert_eq!(cors(&answer), (None, None), "{method} {path}");
    }
    assert!(!door.heard().to_lowercase().contains("access-control-allow-credentials"));
}

#[test]
fn attack_138_nothing_with_a_secret_is_kept_by_caches() {
    let door = Door::open(with_users());
    let client = door.client();
    let registered = door.register(&json!({"redirect_uris": [REDIRECT]})).json();
    let management = format!("Bearer {}", registered["registration_access_token"].as_str().expect("a token"));
    let path = format!("/oauth/register/{}", registered["client_id"].as_str().expect("an id"));
    let mut browser = Browser::of(&door);
    let login = browser.authorize(&client, &[]);
    let entered = browser.enter(&login, &ANNA);
    let consent = browser.follow(&entered);
    let allowed = browser.decide(&consent, "allow");
    let code = crate::login::code_of(&allowed);
    let token = door.exchange(&client, &code);
    let tokens = Tokens::of(&token);
    let answers = [
        door.register(&json!({"redirect_uris": [REDIRECT]})),
        door.register(&json!({})),
        door.send("GET", &path, &[("authorization", &management)], ""),
        door.send("GET", &path, &[], ""),
        login,
        entered,
        consent,
        allowed,
        browser.authorize("qgc_nobody", &[]),
        browser.get("/oauth/consent?request=x"),
        token,
        door.exchange(&client, &code),
        door.exchange("qgc_nobody", &code),
        door.refresh(&client, "x"),
        door.form("/oauth/revoke", &[("client_id", &client), ("token", "x")]),
        door.form("/oauth/introspect", &[("client_id", &client), ("token", "x")]),
        door.call("", "vault_read", json!({"path": "a.md"})),
        door.call("x", "vault_read", json!({"path": "a.md"})),
    ];
    for answer in &answers {
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{}", answer.text());
    }
    let read = door.call(&tokens.access, "vault_read", json!({"path": "a.md"}));
    assert!(read.header("cache-control").is_none_or(|said| !said.contains("public")), "{}", read.text());
    for path in DOCUMENTS {
        let answer = door.get(path);
        let said = answer.header("cache-control").expect("how long it is good").to_owned();
        let age: u64 = said.split("max-age=").nth(1).and_then(|age| age.parse().ok()).expect("an age");
        assert!(said.starts_with("public") && age <= 3600, "{path}: {said}");
        assert!(answer.all("set-cookie").is_empty(), "{path}");
    }
}
