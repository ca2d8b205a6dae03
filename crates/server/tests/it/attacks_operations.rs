//! Attacks 109 to 116 and 125 to 138: registration, and the server as its operator runs it.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::attacks_upstream::assert_absent;
use crate::http_client::{Response, initialize};
use crate::login::{
    ANNA, BERT, Browser, Door, Exit, FORM, ISSUER, REDIRECT, Tokens, VERIFIER, authorize_path, changed, encode, filled,
    with_users,
};
use crate::place::{Place, finish};
use crate::stdio_client::{LEGACY, MODERN, modern_params};

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

#[test]
fn attack_125_only_trusted_proxies_say_where_a_request_comes_from() {
    let limits = json!({"register": 2, "registerEverybody": 0, "discovery": 0, "authorize": 0, "token": 0});
    let from = |door: &Door, lines: &[&str]| {
        let headers: Vec<(&str, &str)> = lines.iter().map(|line| line.split_once(": ").expect("a header")).collect();
        door.send("POST", "/oauth/register", &headers, &json!({"redirect_uris": [REDIRECT]}).to_string()).status
    };
    // Nobody is trusted: whatever is claimed, it is one address.
    let alone = Door::open(changed(with_users(), &[("/rateLimits", limits.clone()), ("/trustedProxies", json!([]))]));
    let claims = [
        "x-forwarded-for: 192.0.2.1",
        "x-forwarded-for: 192.0.2.2",
        "x-real-ip: 192.0.2.3",
        "forwarded: for=192.0.2.4",
        "cf-connecting-ip: 192.0.2.5",
        "true-client-ip: 192.0.2.6",
        "x-client-ip: 192.0.2.7",
    ];
    let statuses: Vec<u16> = claims.iter().map(|claim| from(&alone, &[claim])).collect();
    assert_eq!(statuses, [201, 201, 429, 429, 429, 429, 429]);
    // The rightmost hop that is no proxy of ours counts; what stands before it was invented.
    let door =
        Door::open(changed(with_users(), &[("/rateLimits", limits), ("/trustedProxies", json!(["127.0.0.1", "10.0.0.0/8"]))]));
    for line in ["198.51.100.1", "1.1.1.1, 198.51.100.1"] {
        assert_eq!(from(&door, &[&format!("x-forwarded-for: {line}")]), 201, "{line}");
    }
    for line in
        ["2.2.2.2, 198.51.100.1", "198.51.100.2, 198.51.100.1, 10.0.0.3", "nonsense, 198.51.100.1:4711", "::ffff:198.51.100.1"]
    {
        assert_eq!(from(&door, &[&format!("x-forwarded-for: {line}")]), 429, "{line}");
    }
    assert_eq!(from(&door, &["x-forwarded-for: 3.3.3.3", "x-forwarded-for: 198.51.100.1"]), 429, "two lines are one list");
    assert_eq!(from(&door, &["x-forwarded-for: 198.51.100.9", "x-real-ip: 198.51.100.1"]), 201, "other headers say nothing");
    // A whole IPv6 network is one household.
    assert_eq!((from(&door, &["x-forwarded-for: 2001:db8::1"]), from(&door, &["x-forwarded-for: [2001:db8::2]:80"])), (201, 201));
    assert_eq!(from(&door, &["x-forwarded-for: 2001:db8:0:0:ffff::1"]), 429);
    assert_eq!(from(&door, &["x-forwarded-for: 2001:db8:0:1::1"]), 201);
}

/// Every secret that a login makes or takes; none of them may stay anywhere.
#[test]
fn attack_126_logs_and_state_hold_no_secret_of_a_login() {
    let prober = json!({"clientId": "prober", "clientSecret": "canary-secret-of-prober", "introspect": true});
    let key = "qgk_canarycanarycanarycanarycanarycanarycanary";
    let config = changed(with_users(), &[("/auth/clients", json!([prober])), ("/auth/mode", json!(["oauth", "keys"]))]);
    let mut door = Door::open(config);
    let registered =
        door.register(&json!({"redirect_uris": [REDIRECT], "token_endpoint_auth_method": "client_secret_basic"})).json();
    let text = |name: &str| registered[name].as_str().expect("text").to_owned();
    let (client, secret) = (text("client_id"), text("client_secret"));
    let mut secrets =
        vec![secret.clone(), text("registration_access_token"), "canary-secret-of-prober".to_owned(), key.to_owned()];
    // The login, with a wrong password first, and cookies and forms along the way.
    let mut browser = Browser::of(&door);
    let state = "canary-state-canary-state";
    let page = browser.authorize(&client, &[("state", state)]);
    let wrong = filled(&page, &[("username", "anna"), ("password", "canary-wrong-password")]);
    let again = browser.post("/oauth/authorize", &wrong);
    assert_eq!(again.status, 400, "{}", again.body);
    secrets.extend(
        filled(&page, &[]).into_iter().chain(filled(&again, &[])).map(|(_, value)| value).filter(|value| value.len() > 20),
    );
    secrets.extend(browser.cookies.values().cloned());
    let fields = filled(&again, &[("username", "anna"), ("password", ANNA.password)]);
    let entered = browser.post("/oauth/authorize", &fields);
    secrets.extend(browser.cookies.values().cloned());
    let consent = browser.follow(&entered);
    secrets.extend(filled(&consent, &[]).into_iter().map(|(_, value)| value).filter(|value| value.len() > 20));
    let code = crate::login::code_of(&browser.decide(&consent, "allow"));
    // The exchange, rightly and wrongly.
    let basic = format!("Basic {}", STANDARD.encode(format!("{client}:{secret}")));
    let token = |fields: &[(&str, &str)]| {
        door.send("POST", "/oauth/token", &[("content-type", FORM), ("authorization", &basic)], &encode(fields))
    };
    let other_verifier = "canary-verifier-canary-verifier-canary-verifier";
    token(&[("grant_type", "authorization_code"), ("code", &code), ("code_verifier", other_verifier)]);
    let first = Tokens::of(&token(&[("grant_type", "authorization_code"), ("code", &code), ("code_verifier", VERIFIER)]));
    let second = Tokens::of(&token(&[("grant_type", "refresh_token"), ("refresh_token", &first.refresh)]));
    token(&[("grant_type", "refresh_token"), ("refresh_token", "canary-refresh-of-nobody-canary-refresh")]);
    // Tokens in use, in the wrong place, and given back.
    door.call(&second.access, "vault_read", json!({"path": "a.md"}));
    door.call("canary-token-of-nobody-canary-token", "vault_read", json!({"path": "a.md"}));
    door.call(key, "vault_read", json!({"path": "a.md"}));
    door.get(&format!("/mcp?access_token={}", second.access));
    door.get(&format!("/nowhere?code={code}&token={}", second.access));
    door.form(
        "/oauth/introspect",
        &[("client_id", "prober"), ("client_secret", "canary-secret-of-prober"), ("token", &second.access)],
    );
    let at_work = door.kept();
    token(&[("grant_type", "authorization_code"), ("code", &code), ("code_verifier", VERIFIER)]);
    door.send(
        "POST",
        "/oauth/revoke",
        &[("content-type", FORM), ("authorization", &basic)],
        &encode(&[("token", &second.refresh)]),
    );
    door.stop(Exit::Asked);

    let fixed = [
        code.as_str(),
        VERIFIER,
        other_verifier,
        ANNA.password,
        "canary-wrong-password",
        "canary-refresh-of-nobody",
        "canary-token-of-nobody",
        basic.trim_start_matches("Basic "),
        &first.access,
        &first.refresh,
        &second.access,
        &second.refresh,
    ];
    secrets.extend(fixed.map(str::to_owned));
    let (log, kept) = (door.log(), door.kept());
    for event in ["a client registered", "a login failed", "access was allowed"] {
        assert!(log.contains(event), "the log tells all: {log}");
    }
    for secret in secrets.iter().filter(|secret| !secret.is_empty()) {
        assert_absent(secret, log.as_bytes(), "the log");
        assert_absent(secret, &at_work, "the state while it is used");
        assert_absent(secret, &kept, "the state");
    }
    for part in [state, "access_token=", "code_challenge=", "code="] {
        assert!(!log.contains(part), "no query string is logged: {part}");
    }
}

#[test]
fn attack_127_secrets_of_the_configuration_are_not_shown() {
    let secrets = [
        "canaryJwtSecret-kX3v9Qw7Zr1Tn5Yb8Lp2",
        "canary-client-secret",
        "canary-database-password",
        "canary-plain-password",
        "canary-key-hash",
    ];
    let client =
        json!({"clientId": "robot", "clientSecret": secrets[1], "grantTypes": ["client_credentials"], "scopes": ["read:notes"]});
    let auth = json!({"mode": ["oauth", "jwt"], "issuer": "https://id.example", "jwtSecret": secrets[0], "clients": [client],
        "users": [{"name": "anna", "password": ANNA.hash}]});
    let mut door = Door::open(json!({"auth": auth}));
    for path in
        ["/metrics", "/config", "/debug", "/.env", "/config.json", "/health", "/", "/.well-known/oauth-authorization-server"]
    {
        door.get(path);
    }
    let fields = [("grant_type", "client_credentials"), ("client_id", "robot"), ("client_secret", secrets[1])];
    assert_eq!(door.form("/oauth/token", &fields).status, 200);
    let (status, output, complaint) = door.operator(&["serve", "--print-config"]);
    assert_ne!(status, 0, "there is no such flag: {output}{complaint}");
    door.stop(Exit::Asked);
    for secret in secrets.iter().chain(&[ANNA.hash]) {
        assert_absent(secret, door.log().as_bytes(), "the log");
        assert_absent(secret, door.heard().as_bytes(), "an answer");
        assert_absent(secret, format!("{output}{complaint}").as_bytes(), "what the command says");
    }
    // Nor when the configuration is wrong in some way.
    let usual = json!({"mode": "oauth", "users": [{"name": "anna", "password": ANNA.hash}]});
    let of_jwt = |secret: Value| json!({"mode": "jwt", "issuer": "https://id.example", "jwtSecret": secret});
    for config in [
        json!({"auth": usual, "state": format!("postgres://me:{}@127.0.0.1:9/notes", secrets[2])}),
        json!({"auth": usual, "state": format!("mysql://me:{}@127.0.0.1:9/notes", secrets[2])}),
        json!({"auth": usual, "state": [secrets[2]]}),
        json!({"auth": {"users": [{"name": "anna", "password": secrets[3]}]}}),
        json!({"auth": {"users": [{"name": "anna", "password": {"canary-plain-password": 1}}]}}),
        json!({"auth": {"mode": "keys", "keys": [{"name": "robot", "hash": secrets[4], "scopes": []}]}}),
        json!({"auth": of_jwt(json!([secrets[0]]))}),
        json!({"auth": of_jwt(json!(1_234_567_890_123_456_789_i64))}),
        json!({"auth": {"mode": "oauth", "clients": [{"clientId": "robot", "clientSecretHash": secrets[1]}]}}),
        json!({"auth": {"mode": "oauth", "clients": [{"clientId": "robot", "clientSecret": secrets[1], "clientSecretHash": "x"}]}}),
    ] {
        let place = Place::new();
        for (name, text) in [("config.json", config.to_string()), ("config.yaml", config.to_string())] {
            let file = place.file(name, &text);
            let vault = place.vault();
            let arguments =
                ["serve", "--vault-path", vault.to_str().expect("UTF-8"), "--listen-addr", "127.0.0.1:0", "--config", &file];
            let (status, output, complaint) = finish(place.program(&[&arguments[..], &["--log-level", "trace"]].concat()));
            assert_eq!(status, 1, "{config}: {output}");
            for secret in secrets.iter().chain(&["1234567890123456789"]) {
                assert_absent(secret, format!("{output}{complaint}").as_bytes(), "a complaint");
            }
        }
    }
    let place = Place::new();
    let mut command = place.program(&["serve", "--listen-addr", "127.0.0.1:0"]);
    command.env("AUTH_USERS", "anna:canary-plain-password").env("VAULT_PATH", place.vault());
    let (status, output, complaint) = finish(command);
    assert_eq!(status, 1, "{output}");
    assert_absent("canary-plain-password", complaint.as_bytes(), "a complaint");
}

#[test]
fn attack_129_a_crash_between_rotation_and_reply_costs_no_login() {
    for how in [Exit::Killed, Exit::Asked] {
        let mut door = Door::open(with_users());
        let client = door.client();
        let mut tokens = door.log_in(&ANNA, &client);
        for _ in 0..3 {
            // The server has rotated; its answer is lost.
            let lost = Tokens::of(&door.refresh(&client, &tokens.refresh));
            door.restart(how);
            let again = Tokens::of(&door.refresh(&client, &tokens.refresh));
            assert_ne!(again.access, lost.access);
            assert_eq!(door.status_with(&again.access), 200);
            tokens = again;
        }
    }
    // Without grace there is none, and the whole family goes.
    let mut door = Door::open(changed(with_users(), &[("/auth/reuseGraceSeconds", json!(0))]));
    let client = door.client();
    let first = door.log_in(&ANNA, &client);
    let second = Tokens::of(&door.refresh(&client, &first.refresh));
    door.restart(Exit::Killed);
    assert_eq!(door.refresh(&client, &first.refresh).status, 400);
    assert_eq!((door.refresh(&client, &second.refresh).status, door.status_with(&second.access)), (400, 401));
}

#[test]
fn attack_130_the_state_is_private_whole_and_no_link() {
    let mode = |path: &std::path::Path| fs::metadata(path).expect("it is there").mode() & 0o777;
    let door = Door::open(with_users());
    door.client();
    let state = door.place.path("data").join("state.db");
    assert_eq!((mode(&state), mode(&door.place.path("data"))), (0o600, 0o700));
    for beside in ["state.db-wal", "state.db-shm"] {
        let path = door.place.path("data").join(beside);
        assert!(!path.exists() || mode(&path) == 0o600, "{beside}");
    }
    // A file that others could read is taken from their eyes.
    let mut door = door;
    door.stop(Exit::Asked);
    fs::set_permissions(&state, fs::Permissions::from_mode(0o644)).expect("ours");
    door.restart(Exit::Killed);
    assert_eq!(mode(&state), 0o600);
    door.stop(Exit::Killed);
    let good = fs::read(&state).expect("a state");

    let start = |door: &Door| {
        let config = door.place.path("config.json");
        let arguments = ["serve", "--config", config.to_str().expect("UTF-8"), "--listen-addr", "127.0.0.1:0"];
        finish(door.place.program(&arguments))
    };
    let refuse = |what: &str, prepare: &dyn Fn()| {
        for leftover in ["state.db", "state.db-wal", "state.db-shm"] {
            let _ = fs::remove_file(door.place.path("data").join(leftover));
        }
        prepare();
        let (status, output, complaint) = start(&door);
        assert_eq!((status, output.as_str()), (1, ""), "{what}: {complaint}");
        assert!(complaint.contains("the state cannot be opened"), "{what}: {complaint}");
    };
    let elsewhere = door.place.path("elsewhere.db");
    fs::write(&elsewhere, &good).expect("a file");
    refuse("a link", &|| symlink(&elsewhere, &state).expect("a link"));
    refuse("a link to nothing", &|| symlink(door.place.path("nothing"), &state).expect("a link"));
    refuse("nothing", &|| fs::write(&state, b"").expect("a file"));
    refuse("text", &|| fs::write(&state, b"not a database, but long enough to look like something".repeat(100)).expect("a file"));
    refuse("half of it", &|| fs::write(&state, &good[..good.len() / 2]).expect("a file"));
    refuse("a broken middle", &|| {
        let mut broken = good.clone();
        broken[4096..].iter_mut().step_by(3).for_each(|byte| *byte ^= 0xff);
        fs::write(&state, broken).expect("a file");
    });
    refuse("a folder", &|| fs::create_dir(&state).expect("a folder"));
}

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
fn attack_135_nobody_gives_back_the_token_of_another_client() {
    let door = Door::open(with_users());
    let (own, other) = (door.client(), door.client());
    let tokens = door.log_in(&ANNA, &own);
    for token in [&tokens.access, &tokens.refresh] {
        for hint in ["access_token", "refresh_token", "nonsense"] {
            let answer = door.form("/oauth/revoke", &[("client_id", &other), ("token", token), ("token_type_hint", hint)]);
            assert_eq!((answer.status, answer.body.as_str()), (200, ""), "as if it had worked");
        }
        let unknown = door.form("/oauth/revoke", &[("client_id", "qgc_nobody"), ("token", token)]);
        assert_eq!((unknown.status, &unknown.json()["error"]), (401, &json!("invalid_client")));
        assert!(matches!(door.form("/oauth/revoke", &[("token", token)]).status, 400 | 401));
    }
    assert_eq!(door.form("/oauth/revoke", &[("client_id", &own), ("token", "never-was-one")]).status, 200);
    assert_eq!(door.status_with(&tokens.access), 200);
    let tokens = Tokens::of(&door.refresh(&own, &tokens.refresh));
    // A wrong hint does not matter, and a refresh token takes everything with it.
    let fields = [("client_id", own.as_str()), ("token", tokens.refresh.as_str()), ("token_type_hint", "access_token")];
    assert_eq!(door.form("/oauth/revoke", &fields).status, 200);
    assert_eq!(door.status_with(&tokens.access), 401);
}

#[test]
fn attack_136_nobody_learns_of_tokens_without_being_trusted() {
    let secret = "canary-secret-of-prober";
    let prober = json!({"clientId": "prober", "clientSecret": secret, "introspect": true});
    let robot = json!({"clientId": "robot", "clientSecret": secret});
    let door = Door::open(changed(with_users(), &[("/auth/clients", json!([prober, robot]))]));
    let client = door.client();
    let tokens = door.log_in(&BERT, &client);
    let ask = |fields: &[(&str, &str)]| door.form("/oauth/introspect", fields);
    let token = ("token", tokens.access.as_str());
    for fields in [
        &[token, ("client_id", "prober")][..],
        &[token, ("client_id", "prober"), ("client_secret", "x")],
        &[token, ("client_id", "nobody")],
    ] {
        let answer = ask(fields);
        assert_eq!((answer.status, &answer.json()["error"]), (401, &json!("invalid_client")), "{fields:?}");
    }
    // Neither who it is about nor any other client may ask.
    for fields in [&[token][..], &[token, ("client_id", &client)], &[token, ("client_id", "robot"), ("client_secret", secret)]] {
        let answer = ask(fields);
        assert!(
            matches!(answer.status, 400 | 401) && !answer.body.contains("active") && !answer.body.contains("bert"),
            "{}",
            answer.body
        );
    }
    let bearer = door.send(
        "POST",
        "/oauth/introspect",
        &[("content-type", FORM), ("authorization", &format!("Bearer {}", tokens.access))],
        &encode(&[token]),
    );
    assert_eq!(bearer.status, 401, "{}", bearer.body);
    let trusted = |token: &str| ask(&[("token", token), ("client_id", "prober"), ("client_secret", secret)]).json();
    assert_eq!((&trusted(&tokens.access)["active"], &trusted(&tokens.access)["sub"]), (&json!(true), &json!("bert")));
    assert_eq!(trusted("never-was-one"), json!({"active": false}));
    door.form("/oauth/revoke", &[("client_id", &client), ("token", &tokens.refresh)]);
    assert_eq!(trusted(&tokens.access), json!({"active": false}));
    let plain = Door::open(with_users());
    assert!(plain.get("/.well-known/oauth-authorization-server").json().get("introspection_endpoint").is_none());
}

#[test]
fn attack_137_a_public_address_is_a_bare_https_origin() {
    let place = Place::new();
    let users = format!("anna:{}", ANNA.hash);
    let vault = place.vault();
    let start = ["serve", "--vault-path", vault.to_str().expect("UTF-8"), "--listen-addr", "127.0.0.1:0", "--server-url"];
    for (url, reason) in [
        ("http://vault.example.com", "is not https"),
        ("http://192.168.1.2:8090", "is not https"),
        ("http://localhost.example.com", "is not https"),
        ("http://127.0.0.1.example.com", "is not https"),
        ("http://localhost@vault.example.com", "is not https"),
        ("ftp://vault.example.com", "is not https"),
        ("vault.example.com", "not a URL"),
        ("//vault.example.com", "not a URL"),
        ("https://", "not a URL"),
        ("https://vault.example.com/notes", "has more than a host"),
        ("https://vault.example.com/?a=b", "has more than a host"),
        ("https://vault.example.com?", "has more than a host"),
        ("https://vault.example.com/#a", "has more than a host"),
        ("https://vault.example.com#", "has more than a host"),
        ("https://anna@vault.example.com", "has more than a host"),
        ("https://anna:secret@vault.example.com", "has more than a host"),
        ("javascript:alert(1)", "is not https"),
    ] {
        let mut command = place.program(&[&start[..], &[url]].concat());
        command.env("AUTH_USERS", &users);
        let (status, output, complaint) = finish(command);
        assert_eq!((status, output.as_str()), (1, ""), "{url}: {complaint}");
        assert!(complaint.contains(reason), "{url}: {complaint}");
    }
    for (url, issuer) in [
        ("https://vault.example.com", "https://vault.example.com"),
        ("https://vault.example.com/", "https://vault.example.com"),
        ("https://Vault.Example.com:443/", "https://vault.example.com"),
        ("https://vault.example.com:8443", "https://vault.example.com:8443"),
        ("http://localhost:8090/", "http://localhost:8090"),
        ("http://[::1]:8090", "http://[::1]:8090"),
    ] {
        let mut command = place.program(&[&start[..], &[url]].concat());
        command.env("AUTH_USERS", &users);
        let server = crate::http_client::HttpServer::start(command);
        let document = server.connect().get("/.well-known/oauth-authorization-server").json();
        assert_eq!(document["issuer"], issuer, "{url}");
        let resource = server.connect().get("/.well-known/oauth-protected-resource/mcp").json();
        assert_eq!(
            resource,
            changed(
                resource.clone(),
                &[("/resource", json!(format!("{issuer}/mcp"))), ("/authorization_servers", json!([issuer]))]
            )
        );
    }
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
