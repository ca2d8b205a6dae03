//! Attacks 109 to 116: clients that register themselves.

use std::fs;

use serde_json::{Value, json};

use crate::attacks_upstream::assert_absent;
use crate::http_client::Response;
use crate::login::{ANNA, Browser, Door, Exit, FORM, REDIRECT, Tokens, VERIFIER, changed, with_users};

/// Registers a client with these redirect URIs.
fn register(door: &Door, redirect_uris: &Value) -> Response {
    door.register(&json!({"client_name": "Test", "redirect_uris": redirect_uris, "token_endpoint_auth_method": "none"}))
}

fn assert_bad_redirect(door: &Door, uri: &str) {
    let answer = register(door, &json!([uri]));
    assert_eq!((answer.status, &answer.json()["error"]), (400, &json!("invalid_redirect_uri")), "{uri:?}: {}", answer.body);
    // One bad address beside a good one is dropped, never kept.
    let mixed = register(door, &json!([uri, REDIRECT]));
    assert_eq!((mixed.status, &mixed.json()["redirect_uris"]), (201, &json!([REDIRECT])), "{uri:?}: {}", mixed.body);
}

#[test]
fn attack_109_schemes_that_run_something_are_refused() {
    let door = Door::open(with_users());
    for uri in [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        " javascript:alert(1)",
        "java\tscript:alert(1)",
        "java\nscript:alert(1)",
        "\u{1}javascript:alert(1)",
        "javascript://localhost/%0aalert(1)",
        "data:text/html,<script>alert(1)</script>",
        "vbscript:msgbox(1)",
        "file:///etc/passwd",
        "blob:https://a.example/1",
        "about:blank",
        "intent://a#Intent;scheme=https;end",
        "mailto:a@example.com",
        "view-source:https://a.example/",
        "ftp://a.example/",
        "ws://localhost/",
        "myapp://callback",
        "claude://cb",
    ] {
        assert_bad_redirect(&door, uri);
    }
    for uri in ["cursor://anysphere.cursor-mcp/oauth/callback", "vscode://vscode.github-authentication/did-authenticate"] {
        assert_eq!(register(&door, &json!([uri])).status, 201, "{uri}");
    }
}

#[test]
fn attack_110_fragments_are_refused_also_empty_ones() {
    let door = Door::open(with_users());
    for uri in
        ["https://a.example/cb#", "https://a.example/cb#x", "http://localhost/cb#", "cursor://a/b#", "https://a.example/#/cb"]
    {
        assert_bad_redirect(&door, uri);
    }
}

#[test]
fn attack_111_addresses_that_parsers_would_repair_are_refused() {
    let door = Door::open(with_users());
    for uri in [
        "http://example.com/cb",
        "http://192.168.1.1/cb",
        "http://10.0.0.1/cb",
        "http://localhost.evil.example/cb",
        "http://127.0.0.1.evil.example/cb",
        "http://0x7f.1/cb",
        "http://2130706433/cb",
        "http://[::ffff:127.0.0.1]/cb",
        "https://*.example.com/cb",
        "https://a.example/*",
        "*",
        "https://user@a.example/cb",
        "https://user:password@a.example/cb",
        "http://127.0.0.1@evil.example/cb",
        "http://127.0.0.1\\@evil.example/cb",
        "https://bücher.example/cb",
        "https://xn--.example/cb",
        "/cb",
        "cb",
        "//a.example/cb",
        "https:a/cb",
        "https:/a/cb",
        "https:///cb",
        "https://",
        "https://a.example:99999/cb",
        "https://a.example/x/../cb",
        "https://a.example/%2e%2e/cb",
        "https://a.example/cb?code=1",
        "https://a.example/cb?state=1",
        "",
    ] {
        assert_bad_redirect(&door, uri);
    }
}

#[test]
fn attack_112_registrations_out_of_all_proportion_are_refused() {
    let door = Door::open(with_users());
    let uris = |count: usize| (0..count).map(|number| format!("https://a.example/{number}")).collect::<Vec<_>>();
    assert_eq!(register(&door, &json!([])).status, 400);
    assert_eq!(register(&door, &json!(uris(51))).status, 400);
    assert_eq!(register(&door, &json!(uris(50))).status, 201);
    assert_eq!(register(&door, &json!([format!("https://a.example/{}", "a".repeat(2048))])).status, 400);
    assert_eq!(register(&door, &json!([format!("https://a.example/{}", "a".repeat(64 << 10))])).status, 413);
    let nested =
        |depth: usize| format!("{{\"redirect_uris\":[\"{REDIRECT}\"],\"x\":{}1{}}}", "[".repeat(depth), "]".repeat(depth));
    for body in [
        nested(100),
        nested(1000),
        nested(30_000),
        "{".to_owned(),
        "[]".to_owned(),
        "null".to_owned(),
        String::new(),
        format!("{{\"redirect_uris\":\"{REDIRECT}\"}}"),
        "{\"redirect_uris\":[7]}".to_owned(),
        "{\"redirect_uris\":null}".to_owned(),
        "{}".to_owned(),
    ] {
        let answer = door.send("POST", "/oauth/register", &[], &body);
        assert!(matches!(answer.status, 400 | 413), "{}: {}", &body[..body.len().min(60)], answer.status);
    }
    for kind in ["text/plain", FORM, "application/jsonp", ""] {
        assert!(
            matches!(door.send("POST", "/oauth/register", &[("content-type", kind)], &nested(1)).status, 400 | 415),
            "{kind}"
        );
    }
    let zipped = door.send("POST", "/oauth/register", &[("content-encoding", "gzip")], &nested(1));
    assert!(matches!(zipped.status, 400 | 415), "{}", zipped.status);
    assert_eq!(door.send("POST", "/oauth/register", &[], &nested(1)).status, 201);
}

/// How many clients are remembered, used or not.
fn count_clients(door: &Door) -> usize {
    let (status, listed, complaint) = door.operator(&["clients", "list", "--all"]);
    assert_eq!(status, 0, "{complaint}");
    listed.matches("qgc_").count()
}

/// A hundred thousand of them are in `bench/`; here so many that everything would show that grows with them.
#[test]
fn attack_113_a_flood_of_registrations_harms_nobody() {
    let door = Door::open(changed(with_users(), &[("/auth/registration", json!({"maxClients": 40}))]));
    let used = door.client();
    let tokens = door.log_in(&ANNA, &used);
    let under_way = door.client();
    let mut browser = Browser::of(&door);
    let page = browser.authorize(&under_way, &[]);
    let (size, memory) = (door.kept().len(), resident(&door));
    let mut connection = door.server.connect();
    let body = json!({"client_name": "x".repeat(100), "redirect_uris": [format!("https://a.example/{}", "a".repeat(1500))]});
    let body = body.to_string();
    for _ in 0..2000 {
        assert_eq!(connection.request("POST", "/oauth/register", &[], body.as_bytes()).status, 201);
    }
    let left = count_clients(&door);
    assert!(left <= 40 + 64 + 2, "{left} clients are remembered");
    let (grown, more) = (door.kept().len().saturating_sub(size), resident(&door).saturating_sub(memory));
    assert!(grown < 8 << 20, "the state grew by {grown} bytes");
    assert!(more < 64 << 20, "the server grew by {more} bytes");
    // Those in use, and those just logging in, are still there.
    Tokens::of(&door.refresh(&used, &tokens.refresh));
    let entered = browser.enter(&page, &ANNA);
    let consent = browser.follow(&entered);
    assert_eq!(browser.decide(&consent, "allow").status, 303);
    assert_eq!(door.client().len(), used.len());

    // One address is held back, a whole IPv6 network as one, and others go on until all together are too many.
    let limits = json!({"register": 3, "registerEverybody": 12, "discovery": 0, "authorize": 0, "token": 0});
    let door = Door::open(changed(with_users(), &[("/rateLimits", limits)]));
    let from = |address: &str| {
        let body = json!({"redirect_uris": [REDIRECT]}).to_string();
        door.send("POST", "/oauth/register", &[("x-forwarded-for", address)], &body)
    };
    for _ in 0..3 {
        assert_eq!(from("203.0.113.7").status, 201);
    }
    for number in 0..3 {
        assert_eq!(from(&format!("2001:db8:1:2::{number}")).status, 201);
    }
    for held in ["203.0.113.7", "2001:db8:1:2:ffff::1"] {
        let answer = from(held);
        assert_eq!(answer.status, 429, "{held}");
        let wait: u64 = answer.header("retry-after").and_then(|seconds| seconds.parse().ok()).expect("when to come again");
        assert!((1..=60).contains(&wait), "{wait}");
    }
    assert_eq!((from("203.0.113.8").status, from("2001:db8:1:3::1").status), (201, 201), "others still register");
    let statuses: Vec<u16> = (0..20).map(|number| from(&format!("192.0.2.{number}")).status).collect();
    assert!(statuses.contains(&429) && statuses[0] == 201, "{statuses:?}");
}

/// Memory of the server, in bytes.
fn resident(door: &Door) -> usize {
    let text = fs::read_to_string(format!("/proc/{}/statm", door.server.child.id())).unwrap_or_default();
    text.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).unwrap_or_default() * 4096
}

#[test]
fn attack_114_clients_do_not_choose_their_ids_and_secrets() {
    let door = Door::open(with_users());
    let victim = door.client();
    for method in ["none", "client_secret_basic", "client_secret_post"] {
        let answer = door.register(&json!({
            "redirect_uris": [REDIRECT], "token_endpoint_auth_method": method, "client_id": victim, "client_secret": "chosen-secret",
            "client_secret_expires_at": 1, "client_id_issued_at": 1, "registration_access_token": "chosen-token",
            "registration_client_uri": "https://evil.example/",
        }));
        assert_eq!(answer.status, 201, "{}", answer.body);
        let given = answer.json();
        assert!(
            !answer.body.contains(&victim) && !answer.body.contains("chosen") && !answer.body.contains("evil"),
            "{}",
            answer.body
        );
        assert!(given["client_id"].as_str().is_some_and(|id| id.len() == victim.len()), "{given}");
        assert_eq!(given.get("client_secret").is_some(), method != "none");
        assert_eq!(given.get("client_secret_expires_at").is_some(), method != "none");
    }
    assert_eq!(
        door.send("GET", &format!("/oauth/register/{victim}"), &[("authorization", "Bearer chosen-token")], "").status,
        401
    );
    door.log_in(&ANNA, &victim);
}

#[test]
fn attack_115_grants_without_a_user_are_not_for_strangers() {
    let door = Door::open(with_users());
    for grants in [
        json!(["client_credentials"]),
        json!(["implicit"]),
        json!(["password"]),
        json!(["authorization_code", "client_credentials"]),
        json!(["authorization_code", "implicit"]),
        json!(["refresh_token"]),
    ] {
        let answer = door.register(&json!({"redirect_uris": [REDIRECT], "grant_types": grants}));
        assert_eq!((answer.status, &answer.json()["error"]), (400, &json!("invalid_client_metadata")), "{grants}");
    }
    for types in [json!(["token"]), json!(["code", "token"]), json!(["code id_token"])] {
        assert_eq!(door.register(&json!({"redirect_uris": [REDIRECT], "response_types": types})).status, 400, "{types}");
    }
    // Nor does asking at the token endpoint help.
    let answer = door.register(&json!({"redirect_uris": [REDIRECT], "token_endpoint_auth_method": "client_secret_post"})).json();
    let (id, secret) = (answer["client_id"].as_str().expect("an id"), answer["client_secret"].as_str().expect("a secret"));
    for grant in ["client_credentials", "password", "implicit", "urn:ietf:params:oauth:grant-type:jwt-bearer"] {
        let fields = [
            ("grant_type", grant),
            ("client_id", id),
            ("client_secret", secret),
            ("username", "anna"),
            ("password", ANNA.password),
        ];
        let refused = door.form("/oauth/token", &fields);
        assert_eq!(refused.status, 400, "{grant}: {}", refused.body);
        assert!(!refused.body.contains("access_token"), "{}", refused.body);
    }
    let metadata = door.get("/.well-known/oauth-authorization-server").json();
    assert_eq!(metadata["grant_types_supported"], json!(["authorization_code", "refresh_token"]));
}

#[test]
fn attack_116_a_secret_is_told_once_and_kept_hashed() {
    let mut door = Door::open(with_users());
    let answer = door.register(&json!({"redirect_uris": [REDIRECT], "token_endpoint_auth_method": "client_secret_post"}));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let given = answer.json();
    let text = |name: &str| given[name].as_str().expect("text").to_owned();
    let (id, secret, management) = (text("client_id"), text("client_secret"), text("registration_access_token"));
    assert!(secret.len() >= 43 && management.len() >= 43);
    let path = format!("/oauth/register/{id}");
    let shown = door.send("GET", &path, &[("authorization", &format!("Bearer {management}"))], "");
    assert_eq!((shown.status, shown.json()["client_id"].as_str()), (200, Some(id.as_str())), "{}", shown.body);
    assert!(!shown.body.contains(&secret), "{}", shown.body);
    for wrong in ["", "Bearer x", &format!("Bearer {secret}"), &format!("Basic {management}")] {
        assert_eq!(door.send("GET", &path, &[("authorization", wrong)], "").status, 401, "{wrong}");
        assert_eq!(door.send("DELETE", &path, &[("authorization", wrong)], "").status, 401, "{wrong}");
    }
    // It counts at the token endpoint, whole and alone, also after a restart.
    let mut browser = Browser::of(&door);
    let code = browser.code(&ANNA, &id, &[]);
    let exchange = |door: &Door, secret: &str| {
        let fields = [("grant_type", "authorization_code"), ("client_id", &id), ("code", &code), ("code_verifier", VERIFIER)];
        let own = [("client_secret", secret)];
        door.form("/oauth/token", &[&fields[..], if secret.is_empty() { &[] } else { &own }].concat())
    };
    door.restart(Exit::Killed);
    for wrong in ["", "x", &secret[1..], &format!("{secret}x"), &management] {
        let refused = exchange(&door, wrong);
        assert_eq!((refused.status, &refused.json()["error"]), (401, &json!("invalid_client")), "{wrong:?}");
    }
    Tokens::of(&exchange(&door, &secret));
    let (_, listed, _) = door.operator(&["clients", "list", "--all"]);
    for (kept, what) in [(door.kept(), "the state"), (door.log().into_bytes(), "the log"), (listed.into_bytes(), "a list")] {
        assert_absent(&secret, &kept, what);
        assert_absent(&management, &kept, what);
    }
}
