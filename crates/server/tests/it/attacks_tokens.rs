//! Attacks 85 to 108: tokens at the endpoint, ours and those of another issuer.

use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use crate::courier::now;
use crate::http_client::{Response, initialize};
use crate::login::{ANNA, BERT, Door, ISSUER, changed, unlimited, with_users};
use crate::place::{Place, eventually, finish};
use crate::signer::Signer;
use crate::stdio_client::{MODERN, modern_params};

const SECRET: &str = "kX3v9Qw7Zr1Tn5Yb8Lp2Ms6Dc4Hf0Jg+";
const THEIRS: &str = "https://id.example";

/// Tokens of `THEIRS`, signed with a secret or one of these keys, are accepted.
fn trusting(keys: &[&Signer]) -> Value {
    let keys: Vec<&Value> = keys.iter().map(|signer| &signer.public).collect();
    let mut auth = json!({"mode": "jwt", "issuer": THEIRS, "jwtSecret": SECRET});
    if !keys.is_empty() {
        auth["jwks"] = json!({"keys": keys});
    }
    json!({"auth": auth, "rateLimits": unlimited()})
}

fn claims() -> Value {
    json!({"iss": THEIRS, "aud": format!("{ISSUER}/mcp"), "sub": "ada", "client_id": "app", "exp": now() + 600, "scope": "read:notes"})
}

fn with(name: &str, value: Value) -> Value {
    let mut claims = claims();
    claims[name] = value;
    claims
}

fn without(name: &str) -> Value {
    let mut claims = claims();
    claims.as_object_mut().expect("an object").remove(name);
    claims
}

fn secret() -> Signer {
    Signer::secret(SECRET.as_bytes())
}

/// A read with the token is refused, and the client learns that the token is the reason.
fn assert_invalid(door: &Door, token: &str, what: &str) {
    let answer = door.call(token, "vault_read", json!({"path": "a.md"}));
    assert_eq!(answer.status, 401, "{what}: {}", answer.body);
    let challenge = answer.header("www-authenticate").expect("a challenge");
    assert!(challenge.starts_with("Bearer ") && challenge.contains("error=\"invalid_token\""), "{what}: {challenge}");
    assert!(!answer.body.contains("# A"), "{}", answer.body);
}

fn assert_good(door: &Door, token: &str, what: &str) {
    let answer = door.call(token, "vault_read", json!({"path": "a.md"}));
    assert_eq!(answer.status, 200, "{what}: {}", answer.body);
    assert_eq!(answer.message()["result"]["structuredContent"]["content"], "# A\n", "{what}: {}", answer.body);
}

/// A read with headers of one's own.
fn read_with(door: &Door, path: &str, headers: &[(&str, &str)]) -> Response {
    let params = modern_params(json!({"name": "vault_read", "arguments": {"path": "a.md"}}));
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let mut all = vec![("mcp-protocol-version", MODERN), ("mcp-method", "tools/call"), ("mcp-name", "vault_read")];
    all.extend(headers);
    door.send("POST", path, &all, &body.to_string())
}

/// The server does not start with this configuration, and says why.
fn assert_no_start(config: &Value, reason: &str) {
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
    let config = changed(with_users(), &[("/surfaces", json!(["vault", "notes"])), ("/auth/tokenTtlSeconds", json!(2))]);
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
    assert!(started.elapsed() < Duration::from_secs(5), "an expired token was good for {:?}", started.elapsed());
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
fn attack_88_no_signature_is_no_signature() {
    let door = Door::open(trusting(&[]));
    assert_good(&door, &secret().token(json!({}), &claims()), "the usual token");
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    for algorithm in [json!("none"), json!("None"), json!("nOnE"), json!("NONE"), json!(""), Value::Null, json!(["HS256"])] {
        let message = format!("{}.{}", part(&json!({"alg": algorithm, "typ": "JWT"})), part(&claims()));
        for signature in ["", "AA", "none"] {
            assert_invalid(&door, &format!("{message}.{signature}"), &format!("{algorithm} {signature:?}"));
        }
        assert_invalid(&door, &message, "two parts");
    }
    let signed = secret().token(json!({}), &claims());
    let (message, signature) = signed.rsplit_once('.').expect("parts");
    for token in [format!("{message}."), format!("{message}.{}", &signature[1..]), format!("{message}.{signature}=")] {
        assert_invalid(&door, &token, "a signature cut short");
    }
}

#[test]
fn attack_89_a_public_key_is_no_secret() {
    let rsa = Signer::rsa("r", "RS256");
    let both = Door::open(trusting(&[&rsa]));
    let only = Door::open(changed(trusting(&[&rsa]), &[("/auth/jwtSecret", Value::Null)]));
    let modulus = rsa.public["n"].as_str().expect("a modulus").to_owned();
    let bytes = URL_SAFE_NO_PAD.decode(&modulus).expect("base64");
    let spelled = [
        rsa.public.to_string().into_bytes(),
        modulus.into_bytes(),
        pem(&bytes).into_bytes(),
        pem(&bytes).trim_end().as_bytes().to_vec(),
        bytes,
        b"x".to_vec(),
    ];
    for door in [&both, &only] {
        assert_good(door, &rsa.token(json!({}), &claims()), "the key itself");
        for key in &spelled {
            for header in [json!({}), json!({"kid": "r"}), json!({"kid": "r", "alg": "RS256"})] {
                assert_invalid(door, &Signer::secret(key).token(header.clone(), &claims()), &header.to_string());
            }
        }
    }
    assert_invalid(&only, &secret().token(json!({}), &claims()), "a secret that is not configured");
    assert_invalid(&both, &secret().token(json!({"alg": "RS256", "kid": "r"}), &claims()), "the secret as if it were the key");
}

/// The key as `openssl` would print it.
fn pem(modulus: &[u8]) -> String {
    let length = |bytes: usize| [0x82, u8::try_from(bytes >> 8).expect("short"), u8::try_from(bytes & 0xff).expect("a byte")];
    let numbers = [&[0x02][..], &length(modulus.len() + 1), &[0], modulus, &[0x02, 0x03, 0x01, 0x00, 0x01]].concat();
    let key = [&[0x30][..], &length(numbers.len()), &numbers].concat();
    let bits = [&[0x03][..], &length(key.len() + 1), &[0], &key].concat();
    let rsa = [0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00];
    let all = [&[0x30][..], &length(rsa.len() + bits.len()), &rsa, &bits].concat();
    let text = STANDARD.encode(all);
    let lines: Vec<&str> = text.as_bytes().chunks(64).map(|line| std::str::from_utf8(line).expect("ASCII")).collect();
    format!("-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n", lines.join("\n"))
}

#[test]
fn attack_90_algorithms_that_are_not_listed_are_refused() {
    let (pss, ed) = (Signer::rsa("p", "PS256"), Signer::ed25519("e"));
    let door = Door::open(trusting(&[&pss, &ed]));
    assert_good(&door, &ed.token(json!({}), &claims()), "EdDSA");
    assert_invalid(&door, &pss.token(json!({}), &claims()), "PS256, rightly signed");
    for algorithm in ["HS384", "HS512", "RS384", "RS512", "PS384", "ES384", "ES512", "ES256K", "hs256", "HS256 "] {
        assert_invalid(&door, &secret().token(json!({"alg": algorithm}), &claims()), algorithm);
    }
    let listed = Door::open(changed(trusting(&[&pss, &ed]), &[("/auth/algorithms", json!(["PS256"]))]));
    assert_good(&listed, &pss.token(json!({}), &claims()), "PS256 where it is listed");
    assert_invalid(&listed, &ed.token(json!({}), &claims()), "EdDSA where it is not");
}

#[test]
fn attack_91_the_id_of_a_key_is_a_name_and_nothing_else() {
    let (one, two) = (Signer::ed25519("one"), Signer::ed25519("two"));
    let door = Door::open(trusting(&[&one, &two]));
    assert_good(&door, &one.token(json!({}), &claims()), "its own id");
    let long = "k".repeat(5000);
    for id in ["../../x", "../../../../dev/null", "' OR 1", "' OR '1'='1", "three", "", "ONE", "one\u{0}", &long] {
        assert_invalid(&door, &one.token(json!({"kid": id}), &claims()), id);
    }
    for id in [json!(1), json!(["one"]), json!({"one": 1}), json!(true)] {
        assert_invalid(&door, &one.token(json!({"kid": id}), &claims()), &id.to_string());
    }
    assert_invalid(&door, &one.token(json!({"kid": null}), &claims()), "no id, and two keys");
    assert_invalid(&door, &one.token(json!({"kid": "two"}), &claims()), "the id of another key");
    assert_invalid(&door, &one.token(json!({"kid": "k".repeat(10_000)}), &claims()), "10 KB");
    assert_no_start(&trusting(&[&one, &Signer::ed25519("one")]), "two keys with the id one");
}

#[test]
fn attack_92_keys_that_a_token_brings_along_are_not_looked_at() {
    let (own, stranger) = (Signer::ed25519("one"), Signer::ed25519("one"));
    let door = Door::open(trusting(&[&own]));
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.set_nonblocking(true).expect("a socket");
    let address = format!("http://{}/jwks.json", listener.local_addr().expect("bound"));
    for header in [
        json!({"jwk": stranger.public}),
        json!({"jku": address}),
        json!({"x5u": address}),
        json!({"x5c": ["MIIB"]}),
        json!({"jwk": stranger.public, "jku": address, "x5u": address, "kid": null}),
    ] {
        assert_invalid(&door, &stranger.token(header.clone(), &claims()), &header.to_string());
        if !header.as_object().expect("an object").contains_key("kid") {
            assert_good(&door, &own.token(header.clone(), &claims()), &header.to_string());
        }
    }
    assert!(listener.accept().is_err(), "nobody was asked for keys");
}

#[test]
fn attack_93_what_is_critical_and_not_understood_refuses_the_token() {
    let door = Door::open(trusting(&[]));
    for header in [
        json!({"crit": ["exp"]}),
        json!({"crit": []}),
        json!({"crit": ["b64"], "b64": false}),
        json!({"b64": false}),
        json!({"crit": "exp"}),
        json!({"zip": "DEF"}),
    ] {
        assert_invalid(&door, &secret().token(header.clone(), &claims()), &header.to_string());
    }
    assert_good(&door, &secret().token(json!({"extra": 1}), &claims()), "what is not critical");
}

#[test]
fn attack_94_an_expiry_must_be_a_time() {
    let door = Door::open(trusting(&[]));
    assert_invalid(&door, &secret().token(json!({}), &without("exp")), "none");
    for expiry in [
        json!((now() + 600).to_string()),
        json!(1e300),
        json!(-1),
        json!(0),
        json!(null),
        json!(true),
        json!([now() + 600]),
        json!({}),
        json!(u64::MAX),
        json!(i64::MIN),
    ] {
        assert_invalid(&door, &secret().token(json!({}), &with("exp", expiry.clone())), &expiry.to_string());
    }
    let huge = claims().to_string().replacen(&format!("{}", now() + 600), "9e999", 1);
    assert_invalid(&door, &secret().sign_text(json!({}), &huge), "no number at all");
}

#[test]
fn attack_95_times_count_with_half_a_minute_of_leeway() {
    let door = Door::open(trusting(&[]));
    for (claims, is_good) in [
        (with("exp", json!(now() - 15)), true),
        (with("exp", json!(now() - 40)), false),
        (with("exp", json!(now() - 3600)), false),
        (with("nbf", json!(now() + 15)), true),
        (with("nbf", json!(now() + 60)), false),
        (with("nbf", json!(now() + 3600)), false),
        (with("nbf", json!("soon")), false),
        (with("nbf", json!(now() - 3600)), true),
    ] {
        let token = secret().token(json!({}), &claims);
        match is_good {
            true => assert_good(&door, &token, &claims.to_string()),
            false => assert_invalid(&door, &token, &claims.to_string()),
        }
    }
}

#[test]
fn attack_96_a_token_for_nobody_or_of_nobody_is_refused() {
    let door = Door::open(trusting(&[]));
    for claims in [
        without("aud"),
        without("iss"),
        with("aud", Value::Null),
        with("iss", Value::Null),
        with("aud", json!("")),
        with("aud", json!([])),
        with("iss", json!("")),
        with("iss", json!([THEIRS])),
        with("aud", json!({format!("{ISSUER}/mcp"): 1})),
        json!({"iss": THEIRS, "aud": format!("{ISSUER}/mcp"), "exp": now() + 600, "scope": "read:notes"}),
    ] {
        assert_invalid(&door, &secret().token(json!({}), &claims), &claims.to_string());
    }
}

#[test]
fn attack_97_the_audience_must_be_us_among_others_or_alone() {
    let door = Door::open(trusting(&[]));
    let own = format!("{ISSUER}/mcp");
    assert_good(&door, &secret().token(json!({}), &with("aud", json!([own, "https://other.example"]))), "us among others");
    for audience in [
        json!("https://other.example"),
        json!(["https://other.example", "https://third.example"]),
        json!(format!("{own}/")),
        json!(format!("{own}.evil.example")),
        json!(format!("{own},https://other.example")),
        json!(own.to_uppercase()),
        json!([own, 7]),
        json!(["https://vault.example.com/mcp"]),
    ] {
        assert_invalid(&door, &secret().token(json!({}), &with("aud", audience.clone())), &audience.to_string());
    }
    let named = Door::open(changed(trusting(&[]), &[("/auth/audience", json!("notes"))]));
    assert_good(&named, &secret().token(json!({}), &with("aud", json!("notes"))), "a name of the operator's");
    assert_invalid(&named, &secret().token(json!({}), &claims()), "the usual name then");
}

#[test]
fn attack_98_an_issuer_is_compared_byte_by_byte() {
    let door = Door::open(trusting(&[]));
    for issuer in [
        "https://id.example/",
        "https://ID.example",
        "HTTPS://id.example",
        "https://id.example:443",
        "https://id.example.evil.example",
        "http://id.example",
        "id.example",
        " https://id.example",
    ] {
        assert_invalid(&door, &secret().token(json!({}), &with("iss", json!(issuer))), issuer);
    }
}

#[test]
fn attack_99_an_id_token_is_no_access_token() {
    let strict = Door::open(changed(trusting(&[]), &[("/auth/requireAtJwt", json!(true))]));
    let mut id_token = claims();
    id_token["nonce"] = json!("n-0S6_WzA2Mj");
    id_token["at_hash"] = json!("77QmUPtjPfzWtF2AnpK9RQ");
    for header in [json!({"typ": "JWT"}), json!({}), json!({"typ": "id+jwt"}), json!({"typ": "logout+jwt"}), json!({"typ": ""})] {
        assert_invalid(&strict, &secret().token(header.clone(), &id_token), &header.to_string());
    }
    for kind in ["at+jwt", "application/at+jwt", "AT+JWT"] {
        assert_good(&strict, &secret().token(json!({"typ": kind}), &claims()), kind);
    }
    // Without the setting a token need not say what it is, but may not say that it is something else.
    let lax = Door::open(trusting(&[]));
    for kind in ["logout+jwt", "dpop+jwt", "secevent+jwt"] {
        assert_invalid(&lax, &secret().token(json!({"typ": kind}), &claims()), kind);
    }
}

#[test]
fn attack_100_monstrous_tokens_are_refused_at_once() {
    let door = Door::open(trusting(&[]));
    let deep = format!("{{\"a\":{}1{}}}", "[".repeat(2500), "]".repeat(2500));
    let many = format!("{{{}\"b\":1}}", "\"a\":1,".repeat(900));
    let started = Instant::now();
    for token in [
        secret().token(json!({}), &with("padding", json!("x".repeat(16 * 1024)))),
        secret().sign_text(json!({}), &deep),
        secret().sign_text(json!({}), &many),
        ".".repeat(8000),
        ".".repeat(60_000),
        "a.".repeat(30_000),
        format!("{}.{}.", "A".repeat(4000), "A".repeat(4000)),
        format!("..{}", "A".repeat(16_000)),
    ] {
        assert_invalid(&door, &token, &token[..40]);
    }
    // A million segments do not even fit into the head of a request.
    let answer = read_with(&door, "/mcp", &[("authorization", &format!("Bearer {}", ".".repeat(1_000_000)))]);
    assert!(matches!(answer.status, 400 | 401 | 431), "{}", answer.status);
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    assert_good(&door, &secret().token(json!({}), &claims()), "afterwards");
}

/// Keys come from the configuration; what clients publish at an address is `attack_101` of the `oauth` crate.
#[test]
fn attack_101_keys_are_public_and_strong_and_not_fetched() {
    let ed = Signer::ed25519("e").public;
    let weak = json!({"kty": "RSA", "kid": "w", "n": URL_SAFE_NO_PAD.encode([0xff; 128]), "e": "AQAB"});
    let private = json!({"kty": "OKP", "crv": "Ed25519", "kid": "p", "x": ed["x"], "d": ed["x"]});
    let config = |keys: Value| json!({"auth": {"mode": "jwt", "issuer": THEIRS, "jwks": {"keys": keys}}});
    assert_no_start(&config(json!([weak])), "2048");
    assert_no_start(&config(json!([ed, private])), "private or symmetric");
    assert_no_start(&config(json!([ed, {"kty": "oct", "k": "AAAA"}])), "private or symmetric");
    assert_no_start(&config(json!([])), "none at all");
    assert_no_start(&json!({"auth": {"mode": "jwt", "issuer": THEIRS, "jwks": "https://id.example/jwks.json"}}), "key set");
    assert_no_start(&json!({"auth": {"mode": "jwt", "issuer": THEIRS, "jwksUri": "https://id.example/jwks.json"}}), "jwksUri");
    assert_no_start(&json!({"auth": {"mode": "jwt", "issuer": THEIRS, "jwksFile": "/nowhere/jwks.json"}}), "cannot read");
}

#[test]
fn attack_102_a_secret_that_can_be_guessed_does_not_start() {
    for secret in ["", "short", "kX3v9Qw7Zr1Tn5Yb8Lp2Ms6Dc4Hf0Jg"] {
        assert_no_start(&changed(trusting(&[]), &[("/auth/jwtSecret", json!(secret))]), "shorter than 32 bytes");
    }
    for secret in [
        "changeme-changeme-changeme-changeme",
        "your-secret-key-goes-here-1234567890",
        "0123456789abcdef0123456789abcdef",
        &"a".repeat(64),
        "CHANGE_ME_kX3v9Qw7Zr1Tn5Yb8Lp2Ms6D",
    ] {
        assert_no_start(&changed(trusting(&[]), &[("/auth/jwtSecret", json!(secret))]), "placeholder");
    }
    assert_no_start(&json!({"auth": {"mode": "jwt", "issuer": THEIRS}}), "no key for auth.mode jwt");
    assert_no_start(&json!({"auth": {"mode": "jwt", "jwtSecret": SECRET}}), "auth.issuer");
    assert_no_start(&changed(trusting(&[]), &[("/auth/algorithms", json!(["none"]))]), "none");
}

#[test]
fn attack_103_scopes_are_read_from_where_issuers_put_them() {
    let door = Door::open(trusting(&[]));
    let bare = without("scope");
    let with = |name: &str, value: Value| {
        let mut claims = bare.clone();
        claims[name] = value;
        secret().token(json!({}), &claims)
    };
    for (name, value) in [
        ("scope", json!("read:notes")),
        ("scope", json!("a read:notes b")),
        ("scp", json!(["write:notes", "read:notes"])),
        ("scp", json!("read:notes")),
    ] {
        assert_good(&door, &with(name, value.clone()), &format!("{name} {value}"));
    }
    for (name, value) in [
        ("scope", json!(7)),
        ("scope", json!({"read:notes": true})),
        ("scope", json!(["read:notes", 7])),
        ("scope", json!(null)),
        ("scp", json!(true)),
        ("scope", json!("read:notes\nwrite:notes")),
    ] {
        assert_invalid(&door, &with(name, value.clone()), &format!("{name} {value}"));
    }
    for token in
        [secret().token(json!({}), &bare), with("scope", json!("")), with("scp", json!([])), with("scopes", json!("read:notes"))]
    {
        assert_eq!(door.status_with(&token), 403);
    }
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
