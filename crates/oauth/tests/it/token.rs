//! Attacks 50 to 69: codes, refresh tokens and secrets at the token endpoint.

use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::{HeaderValue, Request};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use quillgate_oauth::{GrantType, Scopes};
use quillgate_state::{SecretHash, User};
use serde_json::json;

use crate::harness::{
    Browser, DESK, DESK_REDIRECT, DESK_SECRET, LOCAL, PASSWORD, Place, Reply, VERIFIER, WEB, ask, basic, cheap_hash, configured,
    form_body, post_request,
};
use crate::timing::assert_same_time;

/// A client with a code that it has not exchanged yet.
async fn with_code(place: &Place) -> (String, String) {
    let client = place.public_client(WEB).await;
    let code = Browser::new(place).code(&ask(&client, WEB)).await;
    (client, code)
}

fn invalid_grant(reply: &Reply) -> bool {
    reply.error() == (400, "invalid_grant".to_owned())
}

fn exchange_form<'a>(client: &'a str, code: &'a str) -> Vec<(&'a str, &'a str)> {
    vec![("grant_type", "authorization_code"), ("client_id", client), ("code", code), ("code_verifier", VERIFIER)]
}

#[tokio::test]
async fn attack_50_a_code_used_twice_ends_what_it_gave() {
    let place = Place::new().await;
    let (other, mine) = (place.connected(WEB).await, place.connected(WEB).await);
    assert!(place.check(&mine.access).await.is_ok());
    assert!(invalid_grant(&place.exchange(&mine.client, &mine.code).await));
    assert!(place.is_refused(&mine.access).await);
    assert!(invalid_grant(&place.refresh(&mine.client, &mine.refresh).await));
    assert!(invalid_grant(&place.exchange(&mine.client, &mine.code).await));
    assert!(place.check(&other.access).await.is_ok(), "nobody else is touched");
    // Also what came of it later, and whatever else is said beside the code.
    let mine = place.connected(WEB).await;
    let next = place.refresh(&mine.client, &mine.refresh).await;
    let mut wrong = exchange_form(&mine.client, &mine.code);
    wrong[3].1 = "wrong-verifier-wrong-verifier-wrong-verifier-wrong";
    assert!(invalid_grant(&place.token(&wrong).await));
    assert!(place.is_refused(&next.text("access_token")).await);
    assert!(invalid_grant(&place.refresh(&mine.client, &next.text("refresh_token")).await));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn attack_51_fifty_at_once_get_one_answer() {
    let place = std::sync::Arc::new(Place::new().await);
    let (client, code) = with_code(&place).await;
    let tries: Vec<_> = (0..50)
        .map(|_| {
            let (place, client, code) = (place.clone(), client.clone(), code.clone());
            tokio::spawn(async move { place.exchange(&client, &code).await })
        })
        .collect();
    let replies: Vec<Reply> = futures::future::join_all(tries).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(replies.iter().filter(|reply| reply.status == 200).count(), 1);
    assert_eq!(replies.iter().filter(|reply| reply.status == 400 && invalid_grant(reply)).count(), 49);
    let winner = replies.iter().find(|reply| reply.status == 200).unwrap();
    assert!(place.is_refused(&winner.text("access_token")).await, "forty-nine of them were a replay");
}

#[tokio::test]
async fn attack_52_a_code_lives_five_minutes() {
    let place = Place::new().await;
    for (seconds, status) in [(299, 200), (300, 400), (301, 400), (86_400, 400)] {
        let (client, code) = with_code(&place).await;
        place.pass(seconds);
        let reply = place.exchange(&client, &code).await;
        assert_eq!(reply.status, status, "after {seconds} s: {}", reply.body);
        assert!(status == 200 || invalid_grant(&reply));
    }
    let place = Place::with(|settings| settings.lifetimes.code = 60).await;
    let (client, code) = with_code(&place).await;
    place.pass(61);
    assert!(invalid_grant(&place.exchange(&client, &code).await));
    place.pass(-61);
    assert!(invalid_grant(&place.exchange(&client, &code).await), "a clock that goes back does not bring it back");
}

#[tokio::test]
async fn attack_53_the_code_of_another_client_is_refused_and_stays_good() {
    let place = Place::new().await;
    let (client, code) = with_code(&place).await;
    let (thief, _) = with_code(&place).await;
    for _ in 0..10 {
        assert!(invalid_grant(&place.exchange(&thief, &code).await));
    }
    let reply = place.exchange(&client, &code).await;
    assert_eq!(reply.status, 200);
    assert!(invalid_grant(&place.exchange(&thief, &code).await));
    assert!(place.check(&reply.text("access_token")).await.is_ok(), "another client's replay ends nothing");
}

#[tokio::test]
async fn attack_54_a_code_goes_with_its_redirect() {
    let place = Place::new().await;
    let client = place.public_client(LOCAL).await;
    let used = "http://127.0.0.1:2222/callback";
    let code = Browser::new(&place).code(&ask(&client, used)).await;
    for other in [LOCAL, "https://evil.example", "http://127.0.0.1:2222/callback/", "http://127.0.0.1:2222/Callback"] {
        let mut form = exchange_form(&client, &code);
        form.push(("redirect_uri", other));
        assert!(invalid_grant(&place.token(&form).await), "{other}");
    }
    let mut form = exchange_form(&client, &code);
    form.push(("redirect_uri", used));
    assert_eq!(place.token(&form).await.status, 200);
    let code = Browser::new(&place).code(&ask(&client, used)).await;
    assert_eq!(place.exchange(&client, &code).await.status, 200, "OAuth 2.1 leaves it out");
}

#[tokio::test]
async fn attack_55_five_wrong_verifiers_kill_the_code() {
    let place = Place::new().await;
    let wrong = VERIFIER.replace('d', "e");
    for (misses, status) in [(1, 200), (4, 200), (5, 400)] {
        let (client, code) = with_code(&place).await;
        for _ in 0..misses {
            let mut form = exchange_form(&client, &code);
            form[3].1 = &wrong;
            assert!(invalid_grant(&place.token(&form).await));
        }
        assert_eq!(place.exchange(&client, &code).await.status, status, "after {misses}");
    }
}

#[tokio::test]
async fn attack_56_a_verifier_is_43_to_128_of_the_allowed_characters() {
    let place = Place::new().await;
    let (short, long) = ("a".repeat(42), "a".repeat(129));
    let illegal = [VERIFIER.replace('-', "+"), format!("{VERIFIER}="), "é".repeat(40), format!("{VERIFIER}\0")];
    let mut bad = vec![(short.as_str(), "invalid_grant"), (&long, "invalid_grant"), ("", "invalid_request")];
    bad.extend(illegal.iter().map(|verifier| (verifier.as_str(), "invalid_grant")));
    for (verifier, error) in bad {
        let client = place.public_client(WEB).await;
        // Even with the challenge that such a verifier would have.
        let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, verifier.as_bytes());
        let challenge = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(digest);
        let code = Browser::new(&place).code(&ask(&client, WEB).with("code_challenge", &challenge)).await;
        let mut form = exchange_form(&client, &code);
        form[3].1 = verifier;
        assert_eq!(place.token(&form).await.error(), (400, error.into()), "{verifier}");
    }
    let (client, code) = with_code(&place).await;
    assert_eq!(place.token(&exchange_form(&client, &code)[..3]).await.error(), (400, "invalid_request".into()));
    assert_eq!(place.exchange(&client, &code).await.status, 200, "what was missing did not use it up");
}

#[tokio::test]
async fn attack_57_a_client_with_a_secret_must_show_it() {
    let place = Place::new().await;
    let code = Browser::new(&place).code(&ask(DESK, DESK_REDIRECT)).await;
    let form = exchange_form(DESK, &code);
    let near = format!("{}x", &DESK_SECRET[..DESK_SECRET.len() - 1]);
    for secret in ["wrong", "", &near, SecretHash::of(DESK_SECRET).as_str()] {
        let mut with_secret = form.clone();
        with_secret.push(("client_secret", secret));
        assert_eq!(place.token(&with_secret).await.error(), (401, "invalid_client".into()), "{secret}");
        let header = [(AUTHORIZATION, &*basic(DESK, secret))];
        let reply = place.post("/oauth/token", &form, &header).await;
        assert_eq!(reply.error(), (401, "invalid_client".into()), "{secret}");
        assert!(reply.header("www-authenticate").starts_with("Basic "));
    }
    assert_eq!(place.token(&form).await.error(), (401, "invalid_client".into()));
    let header = [(AUTHORIZATION, &*basic(DESK, &DESK_SECRET.replace(' ', "+")))];
    let reply = place.post("/oauth/token", &form, &header).await;
    assert_eq!(reply.status, 200, "the code was not used up: {}", reply.body);
    // The same for its refresh token.
    let refresh = reply.text("refresh_token");
    assert_eq!(place.refresh(DESK, &refresh).await.error(), (401, "invalid_client".into()));
    let with_secret =
        [("grant_type", "refresh_token"), ("refresh_token", &refresh), ("client_id", DESK), ("client_secret", DESK_SECRET)];
    assert_eq!(place.token(&with_secret).await.status, 200);
    // And a client without a secret has none, not any.
    let (client, code) = with_code(&place).await;
    let mut form = exchange_form(&client, &code);
    form.push(("client_secret", "x"));
    assert_eq!(place.token(&form).await.error(), (401, "invalid_client".into()));
}

#[tokio::test]
async fn attack_58_credentials_come_in_one_way_only() {
    let place = Place::new().await;
    let code = Browser::new(&place).code(&ask(DESK, DESK_REDIRECT)).await;
    let secret = DESK_SECRET.replace(' ', "+");
    let header = basic(DESK, &secret);
    let mut both = exchange_form(DESK, &code);
    both.push(("client_secret", DESK_SECRET));
    let reply = place.post("/oauth/token", &both, &[(AUTHORIZATION, &header)]).await;
    assert_eq!(reply.error(), (400, "invalid_request".into()));
    let mut both = exchange_form(DESK, &code);
    both.push(("client_assertion", "a.b.c"));
    let reply = place.post("/oauth/token", &both, &[(AUTHORIZATION, &header)]).await;
    assert_eq!(reply.error(), (400, "invalid_request".into()));
    let form = exchange_form(DESK, &code);
    let reply = place.post("/oauth/token", &form, &[(AUTHORIZATION, &header), (AUTHORIZATION, &header)]).await;
    assert_eq!(reply.error(), (400, "invalid_request".into()));
    let other = exchange_form("other", &code);
    let reply = place.post("/oauth/token", &other, &[(AUTHORIZATION, &header)]).await;
    assert_eq!(reply.error(), (400, "invalid_request".into()), "two names");
    assert_eq!(place.post("/oauth/token", &form, &[(AUTHORIZATION, &header)]).await.status, 200);
}

#[tokio::test]
async fn attack_59_malformed_basic_credentials_are_refused() {
    let place = Place::new().await;
    let code = Browser::new(&place).code(&ask(DESK, DESK_REDIRECT)).await;
    let form = [("grant_type", "authorization_code"), ("code", &code), ("code_verifier", VERIFIER)];
    let encoded = |bytes: &[u8]| format!("Basic {}", STANDARD.encode(bytes));
    for header in [
        encoded(b"desk"),
        encoded(b""),
        encoded(b":"),
        encoded(b"\xff\xfe:\xff"),
        encoded(b"desk:%ff"),
        "Basic !!!".to_owned(),
        "Basic".to_owned(),
        "Basic ".to_owned(),
        "Basic desk:secret".to_owned(),
        "Bearer abc".to_owned(),
        "x".repeat(8000),
    ] {
        let reply = place.post("/oauth/token", &form, &[(AUTHORIZATION, &header)]).await;
        assert_eq!(reply.error(), (401, "invalid_client".into()), "{header}");
        assert!(reply.header("www-authenticate").starts_with("Basic "), "{header}");
    }
    let mut request = post_request("/oauth/token", &exchange_form(DESK, &code), &[]);
    request.headers_mut().insert(AUTHORIZATION, HeaderValue::from_bytes(b"Basic \xff\xff").unwrap());
    assert_eq!(place.send(request).await.error(), (401, "invalid_client".into()));
}

#[tokio::test]
async fn attack_60_only_a_form_of_bounded_size_is_read() {
    let place = Place::new().await;
    let (client, code) = with_code(&place).await;
    let form = exchange_form(&client, &code);
    let body = form_body(&form);
    let plain = "application/x-www-form-urlencoded";
    let json = json!({ "grant_type": "authorization_code", "client_id": client, "code": code, "code_verifier": VERIFIER });
    let multipart = "--x\r\ncontent-disposition: form-data; name=\"grant_type\"\r\n\r\nauthorization_code\r\n--x--\r\n";
    for (kind, body) in [
        (Some("application/json"), json.to_string()),
        (Some("application/json, application/x-www-form-urlencoded"), body.clone()),
        (Some("multipart/form-data; boundary=x"), multipart.to_owned()),
        (Some("text/plain"), body.clone()),
        (Some("application/x-www-form-urlencoded; charset=utf-16"), body.clone()),
        (Some(""), body.clone()),
        (None, body.clone()),
    ] {
        let mut request = Request::post("/oauth/token").body(Body::from(body)).unwrap();
        kind.map(|kind| request.headers_mut().insert(CONTENT_TYPE, kind.parse().unwrap()));
        let reply = place.send(request).await;
        assert_eq!(reply.error(), (415, "invalid_request".into()), "{kind:?}");
    }
    // A bomb is not unpacked, since nothing is.
    for encoding in ["gzip", "deflate", "br", "zstd"] {
        let reply = place.post("/oauth/token", &form, &[(CONTENT_ENCODING, encoding)]).await;
        assert_eq!(reply.error(), (415, "invalid_request".into()), "{encoding}");
    }
    let padding = "x".repeat(64 << 10);
    let mut large = form.clone();
    large.push(("padding", &padding));
    assert_eq!(place.token(&large).await.error(), (413, "invalid_request".into()));
    let endless = futures::stream::iter((0..100_000).map(|_| Ok::<_, std::io::Error>("a=b&".repeat(1000))));
    let request = Request::post("/oauth/token").header(CONTENT_TYPE, plain).body(Body::from_stream(endless)).unwrap();
    assert_eq!(place.send(request).await.error(), (413, "invalid_request".into()));
    // What stands in the address is not a parameter.
    let request = Request::post(format!("/oauth/token?{body}")).header(CONTENT_TYPE, plain).body(Body::empty()).unwrap();
    assert_eq!(place.send(request).await.error(), (400, "invalid_request".into()));
    let reply = place.post(&format!("/oauth/token?{body}"), &form[..3], &[]).await;
    assert_eq!(reply.error(), (400, "invalid_request".into()), "the verifier is only in the address");
    assert_eq!(place.get(&format!("/oauth/token?{body}")).await.status, 405);
    let mut most = form.clone();
    most.push(("padding", &padding[..60 << 10]));
    assert_eq!(place.token(&most).await.status, 200, "nothing of this used the code up");
}

#[tokio::test]
async fn attack_61_a_refresh_token_used_again_ends_the_family_but_for_a_short_grace() {
    let place = Place::new().await;
    // After the grace.
    let mine = place.connected(WEB).await;
    let next = place.refresh(&mine.client, &mine.refresh).await;
    place.pass(60);
    assert!(place.check(&next.text("access_token")).await.is_ok());
    assert!(invalid_grant(&place.refresh(&mine.client, &mine.refresh).await));
    assert!(place.is_refused(&next.text("access_token")).await && place.is_refused(&mine.access).await);
    assert!(invalid_grant(&place.refresh(&mine.client, &next.text("refresh_token")).await));
    // Inside the grace: five more pairs, each of them good, and not a sixth.
    let mine = place.connected(WEB).await;
    let mut pairs = vec![place.refresh(&mine.client, &mine.refresh).await];
    place.pass(59);
    for _ in 0..5 {
        pairs.push(place.refresh(&mine.client, &mine.refresh).await);
    }
    for pair in &pairs {
        assert_eq!(pair.status, 200, "{}", pair.body);
        assert!(place.check(&pair.text("access_token")).await.is_ok());
    }
    assert!(invalid_grant(&place.refresh(&mine.client, &mine.refresh).await));
    for pair in &pairs {
        assert!(place.is_refused(&pair.text("access_token")).await);
        assert!(invalid_grant(&place.refresh(&mine.client, &pair.text("refresh_token")).await));
    }
    // Two generations old, even inside the grace.
    let mine = place.connected(WEB).await;
    let second = place.refresh(&mine.client, &mine.refresh).await;
    let third = place.refresh(&mine.client, &second.text("refresh_token")).await;
    assert_eq!(third.status, 200);
    assert!(invalid_grant(&place.refresh(&mine.client, &mine.refresh).await));
    assert!(place.is_refused(&third.text("access_token")).await);
    assert!(invalid_grant(&place.refresh(&mine.client, &third.text("refresh_token")).await));
    // Without grace the first reuse is one too many.
    let strict = Place::with(|settings| settings.lifetimes.reuse_grace = 0).await;
    let mine = strict.connected(WEB).await;
    let next = strict.refresh(&mine.client, &mine.refresh).await;
    assert!(invalid_grant(&strict.refresh(&mine.client, &mine.refresh).await));
    assert!(strict.is_refused(&next.text("access_token")).await);
}

#[tokio::test]
async fn attack_62_the_refresh_token_of_another_client_is_refused_and_stays_good() {
    let place = Place::new().await;
    let (mine, thief) = (place.connected(WEB).await, place.connected(WEB).await);
    for _ in 0..10 {
        assert!(invalid_grant(&place.refresh(&thief.client, &mine.refresh).await));
    }
    let next = place.refresh(&mine.client, &mine.refresh).await;
    assert_eq!(next.status, 200);
    place.pass(61);
    assert!(invalid_grant(&place.refresh(&thief.client, &mine.refresh).await));
    assert!(place.check(&next.text("access_token")).await.is_ok(), "another client's replay ends nothing");
}

#[tokio::test]
async fn attack_63_a_refresh_cannot_ask_for_more() {
    let place = Place::new().await;
    let client = place.public_client(WEB).await;
    let code = Browser::new(&place).code(&ask(&client, WEB).with("scope", "read:notes write:notes")).await;
    let mut refresh = place.exchange(&client, &code).await.text("refresh_token");
    let form = |refresh: &str, scope: &str| {
        [("grant_type", "refresh_token"), ("client_id", &client), ("refresh_token", refresh), ("scope", scope)]
            .map(|(name, value)| (name, value.to_owned()))
    };
    let send = async |refresh: &str, scope: &str| {
        let form = form(refresh, scope);
        place.token(&form.each_ref().map(|(name, value)| (*name, value.as_str()))).await
    };
    for scope in ["delete:notes", "read:notes delete:notes", "read:*", "*", "admin", "vault:other", "read:notes vault:*"] {
        assert_eq!(send(&refresh, scope).await.error(), (400, "invalid_scope".into()), "{scope}");
    }
    for (scope, granted) in [
        ("read:notes write:notes", "read:notes write:notes"),
        ("read:notes offline_access", "read:notes"),
        ("read:notes", "read:notes"),
    ] {
        let reply = send(&refresh, scope).await;
        assert_eq!((reply.status, reply.text("scope")), (200, granted.into()), "nothing above used it up");
        let principal = place.check(&reply.text("access_token")).await.unwrap();
        assert_eq!(principal.scopes.to_string(), granted);
        refresh = reply.text("refresh_token");
    }
    assert_eq!(send(&refresh, "write:notes").await.error(), (400, "invalid_scope".into()), "what was given up is gone");
}

#[tokio::test]
async fn attack_64_a_refresh_ends_with_the_user_the_password_and_the_consent() {
    let place = Place::new().await;
    let carl = |password: &str| User { name: "carl".into(), password: bcrypt::hash(password, 4).unwrap(), created: 0 };
    for change in ["removed", "password", "revoked", "client's grants"] {
        place.state.put_user(&carl(PASSWORD)).await.unwrap();
        let client = place.public_client(WEB).await;
        let mut browser = Browser::new(&place);
        let page = browser.login_page(&ask(&client, WEB)).await;
        let reply = browser.log_in_as(&page, "carl", PASSWORD).await;
        let page = browser.get(reply.location().unwrap()).await;
        let code = browser.decide(&page, "allow").await.answer("code").unwrap();
        let tokens = place.exchange(&client, &code).await;
        let (access, refresh) = (tokens.text("access_token"), tokens.text("refresh_token"));
        let grant = place.check(&access).await.unwrap().grant.clone().unwrap();
        // A code that is under way ends as well.
        let page = browser.login_page(&ask(&client, WEB)).await;
        let reply = browser.log_in_as(&page, "carl", PASSWORD).await;
        let page = browser.get(reply.location().unwrap()).await;
        let pending = browser.decide(&page, "allow").await.answer("code").unwrap();
        match change {
            "removed" => assert!(place.state.remove_user("carl").await.unwrap()),
            "password" => place.state.put_user(&carl("another")).await.unwrap(),
            "revoked" => assert!(place.state.end_grant(&grant, place.now()).await.unwrap()),
            _ => assert_eq!(place.state.end_grants_of_client(&client, place.now()).await.unwrap(), 2),
        }
        // What another process changes counts within two seconds.
        place.pass(2);
        assert!(invalid_grant(&place.refresh(&client, &refresh).await), "{change}");
        assert!(place.is_refused(&access).await, "{change}");
        if change != "revoked" {
            assert!(invalid_grant(&place.exchange(&client, &pending).await), "{change}");
        }
        if change == "password" {
            place.state.put_user(&carl(PASSWORD)).await.unwrap();
            assert!(invalid_grant(&place.refresh(&client, &refresh).await), "the old password does not bring it back");
        }
    }
    assert_ne!(cheap_hash("a").mark(), cheap_hash("a").mark(), "hashed anew is another password");
}

#[tokio::test]
async fn attack_65_access_and_refresh_tokens_do_not_stand_in_for_each_other() {
    let place = Place::new().await;
    let mine = place.connected(WEB).await;
    assert!(invalid_grant(&place.refresh(&mine.client, &mine.access).await));
    assert!(place.is_refused(&mine.refresh).await);
    assert!(place.is_refused(&mine.code).await);
    assert!(invalid_grant(&place.refresh(&mine.client, &mine.code).await));
    assert!(place.check(&mine.access).await.is_ok());
    assert_eq!(place.refresh(&mine.client, &mine.refresh).await.status, 200);
    let (client, code) = with_code(&place).await;
    assert!(place.is_refused(&code).await);
    for token in [&mine.access, &mine.refresh] {
        assert!(invalid_grant(&place.exchange(&client, token).await));
    }
    assert_eq!(place.exchange(&client, &code).await.status, 200);
}

#[tokio::test]
async fn attack_66_other_grant_types_do_not_exist() {
    let place = Place::new().await;
    let client = place.public_client(WEB).await;
    for grant_type in [
        "password",
        "implicit",
        "urn:ietf:params:oauth:grant-type:device_code",
        "urn:ietf:params:oauth:grant-type:jwt-bearer",
        "urn:ietf:params:oauth:grant-type:token-exchange",
        "AUTHORIZATION_CODE",
        "authorization_code ",
    ] {
        let form = [("grant_type", grant_type), ("client_id", &client), ("username", "anna"), ("password", PASSWORD)];
        assert_eq!(place.token(&form).await.error(), (400, "unsupported_grant_type".into()), "{grant_type}");
    }
    assert_eq!(place.token(&[("client_id", &client)]).await.error(), (400, "invalid_request".into()));
    let twice = [("grant_type", "password"), ("grant_type", "refresh_token"), ("client_id", &client)];
    assert_eq!(place.token(&twice).await.error(), (400, "invalid_request".into()));
}

/// That digests are compared, in constant time, is the code's to show (`same_hash`). What is measured here: the time of whole
/// requests with a secret that is wrong in its first and with one that is wrong in its last character. A client that is not
/// known has no record to read, so it may be faster, but not by as much as if its secret were not looked at.
#[tokio::test]
async fn attack_67_the_time_does_not_tell_how_much_of_a_secret_is_right() {
    let place = Place::new().await;
    let reply = place.register(&json!({ "redirect_uris": [WEB], "token_endpoint_auth_method": "client_secret_post" })).await;
    let (client, secret) = (reply.text("client_id"), reply.text("client_secret"));
    let other = |letter: &str| if letter == "A" { "B" } else { "A" };
    let wrong_first = format!("{}{}", other(&secret[..1]), &secret[1..]);
    let wrong_last = format!("{}{}", &secret[..42], other(&secret[42..]));
    let unknown = format!("qgc_{}", "A".repeat(22));
    let send = async |client: &str, secret: &str| {
        let form = [("grant_type", "refresh_token"), ("refresh_token", "x"), ("client_id", client), ("client_secret", secret)];
        let start = Instant::now();
        let reply = place.token(&form).await;
        (start.elapsed(), reply)
    };
    let mut answers = Vec::new();
    for (client, secret) in [(&client, &wrong_first), (&client, &wrong_last), (&unknown, &secret), (&unknown, &wrong_last)] {
        let (_, reply) = send(client, secret).await;
        assert_eq!(reply.error(), (401, "invalid_client".into()));
        answers.push((reply.body.clone(), format!("{:?}", reply.headers)));
    }
    answers.dedup();
    assert_eq!(answers.len(), 1, "all answers are the same");
    assert_eq!(send(&client, &secret).await.1.error(), (400, "invalid_grant".into()), "the right one is another matter");
    let time = async |which: usize| -> Duration { send(&client, [&wrong_first, &wrong_last][which]).await.0 };
    assert_same_time(time, 0.1).await;
    let time = async |which: usize| -> Duration { send([&client, &unknown][which], &wrong_last).await.0 };
    assert_same_time(time, 0.5).await;
}

#[tokio::test]
async fn attack_68_an_unknown_client_is_told_to_register_again() {
    let place = Place::new().await;
    let mine = place.connected(WEB).await;
    for client in ["qgc_AAAAAAAAAAAAAAAAAAAAAA", "nobody", "https://evil.example/client.json", "' OR 1=1 --", "\0"] {
        for path in ["/oauth/token", "/token"] {
            let form = [("grant_type", "refresh_token"), ("client_id", client), ("refresh_token", &mine.refresh)];
            let reply = place.post(path, &form, &[]).await;
            assert_eq!(reply.error(), (401, "invalid_client".into()), "{client}");
            assert_eq!(reply.header("cache-control"), "no-store");
        }
        assert_eq!(place.exchange(client, &mine.code).await.error(), (401, "invalid_client".into()), "{client}");
    }
    let nobody = [("grant_type", "refresh_token"), ("refresh_token", &*mine.refresh)];
    assert_eq!(place.token(&nobody).await.error(), (401, "invalid_client".into()));
    assert_eq!(place.refresh(&mine.client, &mine.refresh).await.status, 200);
    // A client that was removed is unknown, and has nothing left.
    let gone = place.connected(WEB).await;
    assert!(place.state.remove_client(&gone.client).await.unwrap());
    assert_eq!(place.refresh(&gone.client, &gone.refresh).await.error(), (401, "invalid_client".into()));
}

#[tokio::test]
async fn attack_69_only_clients_of_the_configuration_act_for_themselves() {
    let place = Place::with(|settings| {
        for id in ["robot", "open"] {
            settings.clients.push(configured(id, |client| {
                client.grant_types = vec![GrantType::ClientCredentials];
                client.scopes = Scopes::parse("read:notes").unwrap();
                client.secret = client.secret.take().filter(|_| id == "robot");
            }));
        }
    })
    .await;
    let reply = place.register(&json!({ "redirect_uris": [WEB], "token_endpoint_auth_method": "client_secret_post" })).await;
    let (client, secret) = (reply.text("client_id"), reply.text("client_secret"));
    let public = place.public_client(WEB).await;
    let own = ("grant_type", "client_credentials");
    for form in [
        vec![own, ("client_id", &client), ("client_secret", &secret)],
        vec![own, ("client_id", &public)],
        vec![own, ("client_id", DESK), ("client_secret", DESK_SECRET)],
        vec![own, ("client_id", "open")],
    ] {
        assert_eq!(place.token(&form).await.error(), (400, "unauthorized_client".into()), "{form:?}");
    }
    for grant_types in [json!(["client_credentials"]), json!(["authorization_code", "client_credentials"])] {
        let reply = place.register(&json!({ "redirect_uris": [WEB], "grant_types": grant_types })).await;
        assert_eq!(reply.error(), (400, "invalid_client_metadata".into()));
    }
    let robot = [own, ("client_id", "robot"), ("client_secret", "secret")];
    let reply = place.token(&robot).await;
    assert_eq!(reply.status, 200);
    assert!(reply.json().get("refresh_token").is_none());
}
