//! Attacks 88 to 103: tokens that another issuer signed.

use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use crate::attacks_tokens::{
    SECRET, THEIRS, assert_good, assert_invalid, assert_no_start, claims, read_with, secret, trusting, with, without,
};
use crate::courier::now;
use crate::login::{Door, ISSUER, changed};
use crate::signer::Signer;

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
