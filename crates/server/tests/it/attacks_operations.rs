//! Attacks 125 to 127, 129, 130 and 135 to 137: the server as its operator runs it.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::attacks_upstream::assert_absent;
use crate::login::{ANNA, BERT, Browser, Door, Exit, FORM, REDIRECT, Tokens, VERIFIER, changed, encode, filled, with_users};
use crate::place::{Place, finish};

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
