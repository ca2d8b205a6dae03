//! How clients introduce themselves, and what they are told, on both databases.

use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};
use axum::body::Body;
use axum::http::Request;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use quillgate_oauth::{ClientDocumentSettings, GrantType, Scopes};
use serde_json::{Value, json};

use crate::harness::{
    Browser, DESK, DESK_REDIRECT, DESK_SECRET, ISSUER, NOW, Place, Store, VERIFIER, WEB, ask, basic, configured, stories,
};
use crate::tls_fixture::{self, Fixture};

stories!(
    registrations_are_answered_in_full,
    registrations_are_shown_and_removed,
    credentials_come_in_the_way_that_was_registered,
    clients_sign_with_keys_of_the_configuration,
    clients_are_known_by_their_documents,
    documents_may_name_keys,
    the_documents_say_how_to_get_access,
);

/// A key pair of a client, and what it signs.
struct Signer {
    pair: Ed25519KeyPair,
    key: &'static str,
}

impl Signer {
    fn new(key: &'static str) -> Signer {
        Signer { pair: Ed25519KeyPair::generate().unwrap(), key }
    }

    fn public(&self) -> Value {
        json!({ "kty": "OKP", "crv": "Ed25519", "kid": self.key, "x": URL_SAFE_NO_PAD.encode(self.pair.public_key()) })
    }

    fn assertion(&self, client: &str, id: &str, change: Value) -> String {
        let mut claims = json!({ "iss": client, "sub": client, "aud": ISSUER, "exp": NOW + 60, "jti": id });
        for (name, value) in change.as_object().unwrap() {
            claims[name] = value.clone();
        }
        let header = json!({ "alg": "EdDSA", "typ": "JWT", "kid": self.key });
        let text = [header, claims].map(|part| URL_SAFE_NO_PAD.encode(part.to_string())).join(".");
        let signature = URL_SAFE_NO_PAD.encode(self.pair.sign(text.as_bytes()));
        format!("{text}.{signature}")
    }
}

const ASSERTION_TYPE: (&str, &str) = ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");

async fn registrations_are_answered_in_full(store: Store) {
    let place = Place::stored(store, |_| {}).await;
    let reply = place.register(&json!({ "redirect_uris": [WEB] })).await;
    assert_eq!(
        (reply.status, reply.header("cache-control"), reply.header("content-type")),
        (201, "no-store", "application/json")
    );
    let answer = reply.json();
    assert_eq!(answer["token_endpoint_auth_method"], "client_secret_basic", "the default of RFC 7591");
    assert_eq!((answer["client_secret"].as_str().unwrap().len(), &answer["client_secret_expires_at"]), (43, &json!(0)));
    assert_eq!(answer["grant_types"], json!(["authorization_code", "refresh_token"]));
    assert_eq!((&answer["response_types"], &answer["redirect_uris"]), (&json!(["code"]), &json!([WEB])));
    assert_eq!(answer["client_id_issued_at"], NOW);
    assert!(answer["client_id"].as_str().unwrap().starts_with("qgc_"));
    assert!(answer.as_object().unwrap().values().all(|value| !value.is_null()), "{answer}");
    // As real clients do.
    let cursor = [
        "cursor://anysphere.cursor-mcp/oauth/callback",
        "https://www.cursor.com/agents/mcp/oauth/callback",
        "http://localhost:8787/callback",
    ];
    let answer = place
        .register(&json!({ "redirect_uris": cursor, "token_endpoint_auth_method": "none", "application_type": "web",
            "client_name": "Cursor", "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
            "scope": "claudeai read:notes offline_access", "client_id": "mine", "client_secret": "mine", "foo": [1], "logo_uri": null }))
        .await
        .json();
    assert_eq!((&answer["redirect_uris"], &answer["token_endpoint_auth_method"]), (&json!(cursor), &json!("none")));
    assert_eq!((&answer["application_type"], &answer["client_name"]), (&json!("web"), &json!("Cursor")));
    assert_eq!(answer["scope"], "read:notes offline_access", "what is not offered is not promised");
    assert_ne!(answer["client_id"], "mine");
    for absent in ["client_secret", "client_secret_expires_at", "foo", "logo_uri"] {
        assert!(answer.get(absent).is_none(), "{absent} in {answer}");
    }
    let foreign = place.register(&json!({ "redirect_uris": [WEB], "scope": "claudeai" })).await;
    assert_eq!((foreign.status, foreign.json().get("scope")), (201, None));
    // One bad address beside a good one is dropped.
    let mixed = place.register(&json!({ "redirect_uris": ["http://evil.example/cb", WEB] })).await;
    assert_eq!((mixed.status, &mixed.json()["redirect_uris"]), (201, &json!([WEB])));
    for (metadata, error) in [
        (json!({}), "invalid_redirect_uri"),
        (json!({ "redirect_uris": [] }), "invalid_redirect_uri"),
        (json!({ "redirect_uris": ["http://evil.example/cb"] }), "invalid_redirect_uri"),
        (json!({ "redirect_uris": [WEB], "client_uri": "javascript:x" }), "invalid_client_metadata"),
        (json!({ "redirect_uris": [WEB], "token_endpoint_auth_method": "tls_client_auth" }), "invalid_client_metadata"),
        (json!({ "redirect_uris": [WEB], "grant_types": ["implicit"] }), "invalid_client_metadata"),
        (json!({ "redirect_uris": [WEB], "response_types": ["token"] }), "invalid_client_metadata"),
        (json!({ "redirect_uris": WEB }), "invalid_client_metadata"),
        (json!({ "redirect_uris": [WEB], "client_name": 7 }), "invalid_client_metadata"),
        (json!([WEB]), "invalid_client_metadata"),
    ] {
        let reply = place.register(&metadata).await;
        assert_eq!(reply.error(), (400, error.into()), "{metadata}");
        assert_eq!(reply.header("cache-control"), "no-store");
    }
    let form = Request::post("/oauth/register").header(CONTENT_TYPE, "application/x-www-form-urlencoded");
    assert_eq!(place.send(form.body(Body::from("a=b")).unwrap()).await.error(), (415, "invalid_request".into()));
    let alias = Request::post("/register").header(CONTENT_TYPE, "application/json; charset=utf-8");
    let body = json!({ "redirect_uris": [WEB] }).to_string();
    assert_eq!(place.send(alias.body(Body::from(body)).unwrap()).await.status, 201);
}

async fn registrations_are_shown_and_removed(store: Store) {
    let place = Place::stored(store, |_| {}).await;
    let registered = place.register(&json!({ "redirect_uris": [WEB], "client_name": "App" })).await.json();
    let (client, token) = (registered["client_id"].as_str().unwrap(), registered["registration_access_token"].as_str().unwrap());
    assert_eq!(registered["registration_client_uri"], format!("{ISSUER}/oauth/register/{client}"));
    let manage = async |method: &str, client: &str, header: Option<&str>| {
        let mut request = Request::builder().method(method).uri(format!("/oauth/register/{client}"));
        if let Some(header) = header {
            request = request.header(AUTHORIZATION, header);
        }
        place.send(request.body(Body::empty()).unwrap()).await
    };
    let bearer = format!("Bearer {token}");
    let shown = manage("GET", client, Some(&bearer)).await;
    assert_eq!((shown.status, shown.header("cache-control")), (200, "no-store"));
    for field in ["client_id", "client_name", "redirect_uris", "grant_types", "client_id_issued_at", "registration_client_uri"] {
        assert_eq!(shown.json()[field], registered[field], "{field}");
    }
    assert!(shown.json().get("client_secret").is_none(), "it was handed out once");
    let other = place.register(&json!({ "redirect_uris": [WEB] })).await.text("registration_access_token");
    for method in ["GET", "DELETE"] {
        for header in
            [None, Some("Bearer x"), Some("Bearer"), Some(&*format!("Basic {token}")), Some(&*format!("Bearer {other}"))]
        {
            let reply = manage(method, client, header).await;
            assert_eq!(reply.error(), (401, "invalid_token".into()), "{method} {header:?}");
            assert!(reply.header("www-authenticate").starts_with("Bearer "));
        }
        assert_eq!(manage(method, "qgc_unknown", Some(&bearer)).await.status, 401);
        assert_eq!(manage(method, DESK, Some(&bearer)).await.status, 401);
    }
    // It takes its leave, and everything it had goes with it.
    let code = Browser::new(&place).code(&ask(client, WEB)).await;
    let form = [("grant_type", "authorization_code"), ("code", &*code), ("code_verifier", VERIFIER)];
    let secret = registered["client_secret"].as_str().unwrap();
    let tokens = place.post("/oauth/token", &form, &[(AUTHORIZATION, &basic(client, secret))]).await;
    assert!(place.check(&tokens.text("access_token")).await.is_ok());
    let removed = manage("DELETE", client, Some(&bearer)).await;
    assert_eq!((removed.status, removed.body.as_str(), removed.header("cache-control")), (204, "", "no-store"));
    assert_eq!(manage("GET", client, Some(&bearer)).await.status, 401);
    assert!(place.is_refused(&tokens.text("access_token")).await);
    Browser::new(&place).open(&ask(client, WEB)).await.assert_page(400);
    let form = [("grant_type", "refresh_token"), ("refresh_token", &*tokens.text("refresh_token"))];
    let reply = place.post("/oauth/token", &form, &[(AUTHORIZATION, &basic(client, secret))]).await;
    assert_eq!(reply.error(), (401, "invalid_client".into()));
}

async fn credentials_come_in_the_way_that_was_registered(store: Store) {
    let place = Place::stored(store, |_| {}).await;
    for (method, works_with_basic, works_in_form) in [("client_secret_basic", true, false), ("client_secret_post", false, true)] {
        let registered = place.register(&json!({ "redirect_uris": [WEB], "token_endpoint_auth_method": method })).await;
        let (client, secret) = (registered.text("client_id"), registered.text("client_secret"));
        for (in_form, works) in [(false, works_with_basic), (true, works_in_form)] {
            let code = Browser::new(&place).code(&ask(&client, WEB)).await;
            let mut form = vec![("grant_type", "authorization_code"), ("code", &*code), ("code_verifier", VERIFIER)];
            let header = basic(&client, &secret);
            let reply = if in_form {
                form.extend([("client_id", &*client), ("client_secret", &*secret)]);
                place.token(&form).await
            } else {
                place.post("/oauth/token", &form, &[(AUTHORIZATION, &header)]).await
            };
            assert_eq!(reply.status, if works { 200 } else { 401 }, "{method} {in_form}");
        }
    }
    // The operator did not say how, so both are good; parts are form-encoded.
    for header in [basic(DESK, &DESK_SECRET.replace(' ', "+")), basic("%64esk", &DESK_SECRET.replace(' ', "%20"))] {
        let code = Browser::new(&place).code(&ask(DESK, DESK_REDIRECT)).await;
        let form = [("grant_type", "authorization_code"), ("code", &*code), ("code_verifier", VERIFIER)];
        assert_eq!(place.post("/oauth/token", &form, &[(AUTHORIZATION, &header)]).await.status, 200, "{header}");
    }
}

async fn clients_sign_with_keys_of_the_configuration(store: Store) {
    let signer = Signer::new("k1");
    let jwks = json!({ "keys": [signer.public()] });
    let place = Place::stored(store, |settings| {
        settings.clients.push(configured("signer", |client| {
            client.secret = None;
            client.jwks = Some(jwks);
            client.grant_types.push(GrantType::ClientCredentials);
            client.scopes = Scopes::parse("read:notes").unwrap();
        }));
    })
    .await;
    let code = Browser::new(&place).code(&ask("signer", WEB)).await;
    let exchange = async |assertion: &str| {
        let form = [
            ("grant_type", "authorization_code"),
            ("code", &code),
            ("code_verifier", VERIFIER),
            ASSERTION_TYPE,
            ("client_assertion", assertion),
        ];
        place.token(&form).await
    };
    let stranger = Signer::new("k1");
    for assertion in [
        stranger.assertion("signer", "1", json!({})),
        signer.assertion("signer", "1", json!({ "aud": "https://evil.example" })),
        signer.assertion("signer", "1", json!({ "exp": NOW - 31 })),
        signer.assertion(DESK, "1", json!({})),
        "a.b.c".to_owned(),
        "x".to_owned(),
    ] {
        assert_eq!(exchange(&assertion).await.error(), (401, "invalid_client".into()), "{assertion}");
    }
    let plain = place.exchange("signer", &code).await;
    assert_eq!(plain.error(), (401, "invalid_client".into()), "without a signature");
    let form = [("grant_type", "client_credentials"), ("client_assertion", "a.b.c"), ("client_assertion_type", "other")];
    assert_eq!(place.token(&form).await.error(), (400, "invalid_request".into()));
    let assertion = signer.assertion("signer", "2", json!({ "aud": format!("{ISSUER}/oauth/token") }));
    let reply = exchange(&assertion).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert!(place.check(&reply.text("access_token")).await.is_ok());
    let again = [("grant_type", "client_credentials"), ASSERTION_TYPE, ("client_assertion", &*assertion)];
    assert_eq!(place.token(&again).await.error(), (401, "invalid_client".into()), "each is good once");
    let fresh = signer.assertion("signer", "3", json!({}));
    let own = [("grant_type", "client_credentials"), ASSERTION_TYPE, ("client_assertion", &*fresh)];
    assert_eq!(place.token(&own).await.status, 200);
}

/// A server with documents that name themselves, and the place that fetches from it.
async fn with_documents(store: Store, documents: impl Fn(&str) -> Value + Send + Sync + 'static) -> (Place, Fixture) {
    let port = Arc::new(AtomicU16::new(0));
    let own = Arc::clone(&port);
    let fixture = Fixture::start(move |path| {
        let mut document = documents(path);
        let address = |path: &str| format!("https://app.test:{}{path}", own.load(Ordering::SeqCst));
        if document.get("keys").is_none() {
            document["client_id"] = json!(address(path));
        }
        if document.get("jwks_uri").is_some() {
            document["jwks_uri"] = json!(address("/jwks.json"));
        }
        tls_fixture::json(&document.to_string())
    })
    .await;
    port.store(fixture.port(), Ordering::SeqCst);
    let fetch = fixture.settings();
    let place = Place::stored(store, |settings| {
        settings.documents = Some(ClientDocumentSettings { allowed_hosts: Vec::new(), fetch });
    })
    .await;
    (place, fixture)
}

async fn clients_are_known_by_their_documents(store: Store) {
    let redirects = json!(["http://localhost/callback", "http://127.0.0.1/callback", WEB]);
    let (place, fixture) = with_documents(store, move |path| match path {
        "/claude.json" => json!({ "client_name": "Claude <Code>", "redirect_uris": redirects }),
        "/nameless.json" => json!({ "redirect_uris": redirects }),
        "/secret.json" => json!({ "client_name": "x", "redirect_uris": redirects, "client_secret": "x" }),
        _ => json!({ "client_name": "x", "redirect_uris": ["javascript:alert(1)"] }),
    })
    .await;
    let client = fixture.address("/claude.json");
    // As Claude Code does: registered without a port, used with one.
    let local = "http://localhost:52163/callback";
    let mut browser = Browser::new(&place);
    let page = browser.consent_page(&ask(&client, local)).await;
    assert!(page.body.contains("Allow “<bdi>Claude &#60;Code&#62;</bdi>” to use"), "{}", page.body);
    assert!(page.body.contains("Published by <strong>app.test</strong>") && page.body.contains("where\">localhost<"));
    assert!(!page.body.contains("unverified"));
    let code = browser.decide(&page, "allow").await.answer("code").unwrap();
    let tokens = place.exchange(&client, &code).await;
    assert_eq!(tokens.status, 200);
    assert_eq!(place.check(&tokens.text("access_token")).await.unwrap().client, client);
    assert_eq!(place.refresh(&client, &tokens.text("refresh_token")).await.status, 200);
    assert_eq!(fixture.connections(), 1, "the document is kept");
    // An error goes to the page until somebody has agreed to this address.
    let asked = ask(&client, WEB).with("prompt", "none");
    Browser::new(&place).open(&asked).await.assert_page(400);
    Browser::new(&place).code(&ask(&client, WEB)).await;
    assert_eq!(Browser::new(&place).open(&asked).await.answer("error").as_deref(), Some("login_required"));
    for path in ["/nameless.json", "/secret.json", "/bad.json"] {
        Browser::new(&place).open(&ask(&fixture.address(path), WEB)).await.assert_page(400);
        let reply = place.exchange(&fixture.address(path), &code).await;
        assert_eq!(reply.error(), (401, "invalid_client".into()));
    }
    Browser::new(&place).open(&ask(&client, "http://localhost:1/other")).await.assert_page(400);
}

async fn documents_may_name_keys(store: Store) {
    let signer = Arc::new(Signer::new("k1"));
    let public = signer.public();
    let (place, fixture) = with_documents(store, move |path| {
        let strict = json!({ "client_name": "App", "redirect_uris": [WEB], "token_endpoint_auth_method": "private_key_jwt",
            "jwks_uri": "its own" });
        match path {
            "/jwks.json" => json!({ "keys": [public] }),
            "/strict.json" => strict,
            // As ChatGPT's: keys, or nothing.
            _ => {
                let mut either = strict;
                either["token_endpoint_auth_methods_supported"] = json!(["none", "private_key_jwt"]);
                either
            }
        }
    })
    .await;
    for (path, without_signature) in [("/strict.json", 401), ("/either.json", 200)] {
        let client = fixture.address(path);
        let code = Browser::new(&place).code(&ask(&client, WEB)).await;
        let reply = place.exchange(&client, &code).await;
        assert_eq!(reply.status, without_signature, "{path} {}", reply.body);
        let code = Browser::new(&place).code(&ask(&client, WEB)).await;
        let assertion = signer.assertion(&client, path, json!({}));
        let form = [
            ("grant_type", "authorization_code"),
            ("client_id", &*client),
            ("code", &code),
            ("code_verifier", VERIFIER),
            ASSERTION_TYPE,
            ("client_assertion", &assertion),
        ];
        let wrong = Signer::new("k1").assertion(&client, "wrong", json!({}));
        let mut forged = form;
        forged[5].1 = &wrong;
        assert_eq!(place.token(&forged).await.error(), (401, "invalid_client".into()));
        assert_eq!(place.token(&form).await.status, 200, "{path}");
    }
}

async fn the_documents_say_how_to_get_access(store: Store) {
    let place = Place::stored(store, |settings| {
        settings.clients.push(configured("guard", |client| client.introspects = true));
        settings.clients.push(configured("robot", |client| client.grant_types = vec![GrantType::ClientCredentials]));
        settings.documents = Some(ClientDocumentSettings::default());
    })
    .await;
    let methods = json!(["none", "client_secret_basic", "client_secret_post", "private_key_jwt"]);
    let expected = json!({
        "issuer": ISSUER,
        "authorization_endpoint": "https://notes.example/oauth/authorize",
        "token_endpoint": "https://notes.example/oauth/token",
        "registration_endpoint": "https://notes.example/oauth/register",
        "revocation_endpoint": "https://notes.example/oauth/revoke",
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token", "client_credentials"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": methods,
        "token_endpoint_auth_signing_alg_values_supported": ["RS256", "PS256", "ES256", "EdDSA"],
        "revocation_endpoint_auth_methods_supported": methods,
        "introspection_endpoint": "https://notes.example/oauth/introspect",
        "introspection_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "private_key_jwt"],
        "scopes_supported": ["read:notes", "write:notes", "delete:notes", "read:articles", "offline_access"],
        "authorization_response_iss_parameter_supported": true,
        "client_id_metadata_document_supported": true,
    });
    for kind in ["oauth-authorization-server", "openid-configuration"] {
        for suffix in ["", "/mcp", "/mcp/articles"] {
            let request = Request::get(format!("/.well-known/{kind}{suffix}")).header("host", "evil.example");
            let reply = place.send(request.body(Body::empty()).unwrap()).await;
            assert_eq!((reply.status, reply.header("content-type")), (200, "application/json"));
            assert_eq!(reply.json(), expected, "{kind}{suffix}");
            assert_eq!(reply.header("access-control-allow-origin"), "*");
            assert_eq!(reply.header("cache-control"), "public, max-age=300");
        }
    }
    for (name, endpoint) in expected.as_object().unwrap().iter().filter(|(name, _)| name.ends_with("_endpoint")) {
        let path = endpoint.as_str().unwrap().strip_prefix(ISSUER).unwrap();
        assert!(![404, 405].contains(&place.post(path, &[], &[]).await.status), "{name}");
    }
    let notes = json!(["read:notes", "write:notes", "delete:notes"]);
    for (suffix, scopes) in [("", &notes), ("/mcp", &notes), ("/mcp/articles", &json!(["read:articles"]))] {
        let reply = place.get(&format!("/.well-known/oauth-protected-resource{suffix}")).await;
        let expected = json!({ "resource": format!("{ISSUER}{suffix}"), "authorization_servers": [ISSUER],
            "bearer_methods_supported": ["header"], "scopes_supported": scopes, "resource_name": "Quillgate" });
        assert_eq!((reply.status, reply.json()), (200, expected));
        assert_eq!(reply.header("access-control-allow-origin"), "*");
        assert!(!reply.body.contains("offline_access"));
    }
    for path in ["/.well-known/oauth-protected-resource/other", "/.well-known/oauth-authorization-server/other"] {
        assert_eq!(place.get(path).await.status, 404);
    }
    // What is not offered is not advertised, and not there.
    let small = Place::stored(store, |settings| settings.registration = None).await;
    let document = small.get("/.well-known/oauth-authorization-server").await.json();
    for name in ["registration_endpoint", "introspection_endpoint", "client_id_metadata_document_supported"] {
        assert!(document.get(name).is_none(), "{name}");
    }
    assert_eq!(document["grant_types_supported"], json!(["authorization_code", "refresh_token"]));
    assert_eq!(small.register(&json!({ "redirect_uris": [WEB] })).await.status, 404);
}
