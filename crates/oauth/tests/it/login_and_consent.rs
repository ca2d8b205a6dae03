//! Attacks 23 to 49: the pages for people, their forms, and passwords.

use std::time::Instant;

use axum::body::Body;
use axum::http::header::{HeaderName, ORIGIN};
use axum::http::{Method, Request};
use quillgate_oauth::{Hashing, Login, PasswordHash, PerMinute};
use secrecy::SecretString;
use serde_json::json;

use crate::harness::{Ask, Browser, ISSUER, LOCAL, PASSWORD, Place, Reply, Store, UNLIMITED, WEB, ask, cheap_hash, user};
use crate::timing::assert_same_time;

async fn web_ask(place: &Place) -> Ask {
    ask(&place.public_client(WEB).await, WEB)
}

/// A place where only this person can log in.
async fn place_of(name: &str, password: PasswordHash) -> Place {
    let users = vec![user(name, password)];
    Place::with(|settings| settings.login = Some(Login::Password { users })).await
}

/// A page of the same login, with these two fields of another one.
async fn post_login(browser: &mut Browser<'_>, request: &str, csrf: &str) -> Reply {
    let form = [("request", request), ("csrf", csrf), ("username", "anna"), ("password", PASSWORD)];
    browser.post("/oauth/authorize", &form).await
}

async fn post_consent(browser: &mut Browser<'_>, request: &str, csrf: &str) -> Reply {
    let form = [("request", request), ("csrf", csrf), ("scope", "read:notes"), ("decision", "allow")];
    browser.post("/oauth/consent", &form).await
}

#[tokio::test]
async fn attack_23_a_form_without_its_token_is_refused() {
    let place = Place::new().await;
    let ask = web_ask(&place).await;
    let mut browser = Browser::new(&place);
    let page = browser.login_page(&ask).await;
    let request = page.field("request");
    for form in [
        vec![("request", &*request), ("username", "anna"), ("password", PASSWORD)],
        vec![("request", &request), ("csrf", ""), ("username", "anna"), ("password", PASSWORD)],
        vec![("request", &request), ("csrf", "x"), ("username", "anna"), ("password", PASSWORD)],
        vec![("username", "anna"), ("password", PASSWORD)],
    ] {
        browser.post("/oauth/authorize", &form).await.assert_page(403);
    }
    let page = browser.consent_page(&ask).await;
    let request = page.field("request");
    for form in [
        vec![("request", &*request), ("scope", "read:notes"), ("decision", "allow")],
        vec![("request", &request), ("csrf", ""), ("scope", "read:notes"), ("decision", "allow")],
        vec![("scope", "read:notes"), ("decision", "allow")],
    ] {
        browser.post("/oauth/consent", &form).await.assert_page(403);
    }
    assert_eq!(browser.decide(&page, "allow").await.status, 303, "the form itself is still good");
}

#[tokio::test]
async fn attack_24_the_token_of_another_browser_is_refused() {
    let place = Place::new().await;
    let ask = web_ask(&place).await;
    let (mut attacker, mut victim) = (Browser::new(&place), Browser::new(&place));
    let (theirs, own) = (attacker.login_page(&ask).await, victim.login_page(&ask).await);
    post_login(&mut victim, &own.field("request"), &theirs.field("csrf")).await.assert_page(403);
    post_login(&mut victim, &theirs.field("request"), &theirs.field("csrf")).await.assert_page(403);
    post_login(&mut attacker, &own.field("request"), &own.field("csrf")).await.assert_page(403);
    let (theirs, own) = (attacker.consent_page(&ask).await, victim.consent_page(&ask).await);
    post_consent(&mut victim, &own.field("request"), &theirs.field("csrf")).await.assert_page(403);
    post_consent(&mut victim, &theirs.field("request"), &theirs.field("csrf")).await.assert_page(403);
    attacker.get(&format!("/oauth/consent?request={}", own.field("request"))).await.assert_page(403);
}

#[tokio::test]
async fn attack_25_the_token_of_another_request_of_the_same_browser_is_refused() {
    let place = Place::new().await;
    let (trusted, evil) = (web_ask(&place).await, web_ask(&place).await);
    let mut browser = Browser::new(&place);
    let (first, second) = (browser.login_page(&trusted).await, browser.login_page(&evil).await);
    post_login(&mut browser, &second.field("request"), &first.field("csrf")).await.assert_page(403);
    let (first, second) = (browser.consent_page(&trusted).await, browser.consent_page(&evil).await);
    post_consent(&mut browser, &second.field("request"), &first.field("csrf")).await.assert_page(403);
    for page in [first, second] {
        assert_eq!(browser.decide(&page, "allow").await.status, 303, "two tabs do not disturb each other");
    }
}

#[tokio::test]
async fn attack_26_a_token_is_good_for_one_answer() {
    let place = Place::new().await;
    let ask = web_ask(&place).await;
    let mut browser = Browser::new(&place);
    let page = browser.login_page(&ask).await;
    let before = browser.clone();
    assert_eq!(browser.log_in_as(&page, "anna", "wrong").await.status, 400);
    // As a browser that went back: the page and the cookies of then.
    let mut back = before.clone();
    back.log_in(&page).await.assert_page(403);
    let page = browser.consent_page(&ask).await;
    let mut back = browser.clone();
    assert_eq!(browser.decide(&page, "allow").await.status, 303);
    for decision in ["allow", "deny"] {
        back.decide(&page, decision).await.assert_page(403);
        browser.decide(&page, decision).await.assert_page(403);
    }
}

#[tokio::test]
async fn attack_27_a_form_of_another_site_is_refused() {
    let place = Place::new().await;
    let ask = web_ask(&place).await;
    let fetch_site = HeaderName::from_static("sec-fetch-site");
    let cases = [
        (ORIGIN, "https://evil.example", 403),
        (ORIGIN, "https://notes.example.evil.example", 403),
        (ORIGIN, "http://notes.example", 403),
        (ORIGIN, "https://notes.example:8443", 403),
        (fetch_site.clone(), "cross-site", 403),
        (fetch_site.clone(), "same-site", 403),
        (fetch_site.clone(), "", 403),
        (ORIGIN, ISSUER, 303),
        (fetch_site.clone(), "same-origin", 303),
    ];
    for (name, value, status) in cases {
        let mut browser = Browser::new(&place);
        let page = browser.login_page(&ask).await;
        browser.headers = vec![(name.clone(), value.to_owned())];
        assert_eq!(browser.log_in(&page).await.status, status, "{name} {value}");
        browser.headers.clear();
        let page = browser.consent_page(&ask).await;
        browser.headers = vec![(name.clone(), value.to_owned())];
        assert_eq!(browser.decide(&page, "allow").await.status, status, "{name} {value}");
    }
    // A frame in a sandbox has no origin, but the browser says what it is; our own pages have none either, for they send no
    // referrer.
    for (site, status) in [("cross-site", 403), ("same-origin", 303)] {
        let mut browser = Browser::new(&place);
        let page = browser.consent_page(&ask).await;
        browser.headers = vec![(ORIGIN, "null".to_owned()), (fetch_site.clone(), site.to_owned())];
        assert_eq!(browser.decide(&page, "allow").await.status, status, "{site}");
    }
}

/// One page of every kind.
async fn all_pages() -> Vec<(&'static str, Reply)> {
    let limits = PerMinute { authorize: 4, ..UNLIMITED };
    let place = Place::with(|settings| settings.limits = limits).await;
    let ask = web_ask(&place).await;
    let mut browser = Browser::new(&place);
    let login = browser.login_page(&ask).await;
    let wrong = browser.log_in_as(&login, "anna", "wrong").await;
    let forged = browser.log_in(&login).await;
    let long = browser.log_in_as(&wrong, "anna", &"x".repeat(1025)).await;
    let after_login = browser.log_in(&long).await;
    let consent = browser.get(after_login.location().unwrap()).await;
    let nothing = post_consent(&mut browser, &consent.field("request"), "x").await;
    let decided = browser.decide(&consent, "deny").await;
    let stale = browser.get("/oauth/consent?request=x").await;
    let unknown = browser.open(&ask.with("client_id", "x")).await;
    let linked = browser.open(&ask.with("response_type", "token")).await;
    let not_a_form = browser.send_json("/oauth/consent").await;
    let too_large = browser.post("/oauth/authorize", &[("password", &"x".repeat(1 << 20))]).await;
    browser.open(&ask).await;
    let too_many = browser.open(&ask).await;
    let method = place.send(Request::builder().method(Method::PUT).uri("/oauth/authorize").body(Body::empty()).unwrap()).await;
    assert_eq!((too_many.status, method.status, linked.status), (429, 405, 400));
    vec![
        ("login", login),
        ("wrong", wrong),
        ("forged", forged),
        ("long", long),
        ("after login", after_login),
        ("consent", consent),
        ("nothing", nothing),
        ("decided", decided),
        ("stale", stale),
        ("unknown", unknown),
        ("linked", linked),
        ("not a form", not_a_form),
        ("too large", too_large),
        ("too many", too_many),
        ("method", method),
    ]
}

#[tokio::test]
async fn attack_28_no_page_can_be_framed() {
    for (name, page) in all_pages().await {
        assert_eq!(page.header("x-frame-options"), "DENY", "{name}");
        let policy = page.header("content-security-policy");
        assert!(policy.contains("frame-ancestors 'none'") && policy.starts_with("default-src 'none';"), "{name}: {policy}");
        assert!(policy.contains("base-uri 'none'") && !policy.contains("unsafe"), "{policy}");
        assert!(policy.contains("; script-src 'sha256-"), "a script by its hash, and no other: {policy}");
        assert_eq!(page.header("referrer-policy"), "no-referrer", "{name}");
        assert_eq!(page.header("cache-control"), "no-store", "{name}");
        assert_eq!(page.header("x-content-type-options"), "nosniff", "{name}");
        assert!(page.header("access-control-allow-origin").is_empty(), "{name}");
        for outside in ["<script", "src=", "@import", "url("] {
            assert!(!page.without_own_script().contains(outside), "{name}: {outside}");
        }
    }
}

#[tokio::test]
async fn attack_29_fields_added_to_a_form_change_nothing() {
    let place = Place::new().await;
    let ask = web_ask(&place).await.with("scope", "read:notes");
    let mut browser = Browser::new(&place);
    let login = browser.login_page(&ask).await;
    let added = [
        ("redirect_uri", "https://evil.example/cb"),
        ("client_id", "evil"),
        ("resource", "https://notes.example/mcp/articles"),
        ("state", "evil"),
        ("code_challenge", "x"),
        ("user", "bert"),
        ("stage", "Consent"),
    ];
    let (request, csrf) = (login.field("request"), login.field("csrf"));
    let mut form = vec![("request", &*request), ("csrf", &csrf), ("username", "anna"), ("password", PASSWORD)];
    form.extend(added);
    form.push(("scope", "delete:notes"));
    let reply = browser.post("/oauth/authorize", &form).await;
    let page = browser.get(reply.location().unwrap()).await;
    assert_eq!(page.fields("scope"), ["read:notes"]);
    let (request, csrf) = (page.field("request"), page.field("csrf"));
    let mut form = vec![("request", &*request), ("csrf", &csrf), ("decision", "allow")];
    form.extend(added);
    form.extend(["read:notes", "delete:notes", "write:*", "read:*", "*", "vault:other"].map(|scope| ("scope", scope)));
    let reply = browser.post("/oauth/consent", &form).await;
    assert!(reply.location().unwrap().starts_with("https://app.example/callback?code="));
    assert_eq!(reply.answer("state").as_deref(), Some("a state"));
    let grants = place.state.grants().await.unwrap();
    let [grant] = &grants[..] else { panic!("{grants:?}") };
    let granted = (grant.scopes.as_str(), grant.resource.as_str(), grant.user.as_str());
    assert_eq!(granted, ("read:notes", "https://notes.example/mcp", "anna"));
    // The request is known by a random name, and nothing of it stands in the page.
    assert_eq!(request.len(), 43);
    assert!(!page.body.contains("name=\"redirect_uri\"") && !page.body.contains("name=\"client_id\""));
}

#[tokio::test]
async fn attack_30_nobody_is_logged_in_with_the_form_of_somebody_else() {
    let place = Place::new().await;
    let ask = web_ask(&place).await;
    let (mut attacker, mut victim) = (Browser::new(&place), Browser::new(&place));
    let page = attacker.login_page(&ask).await;
    // The victim's browser sends the attacker's form, with the attacker's name and password in it.
    let reply = victim.log_in_as(&page, "bert", PASSWORD).await;
    reply.assert_page(403);
    assert!(victim.cookies.is_empty());
    let cookie = page.set_cookies()[0];
    for part in ["__Host-quillgate-", "; Path=/", "; HttpOnly", "; SameSite=Lax", "; Secure", "; Max-Age=600"] {
        assert!(cookie.contains(part), "{part} in {cookie}");
    }
    assert!(!cookie.to_ascii_lowercase().contains("domain"), "{cookie}");
    assert_eq!(attacker.log_in_as(&page, "bert", PASSWORD).await.status, 303, "in its own browser the form is good");
}

#[tokio::test]
async fn attack_31_a_cookie_from_before_the_login_is_worth_nothing_after_it() {
    let place = Place::new().await;
    let ask = web_ask(&place).await;
    let mut attacker = Browser::new(&place);
    let page = attacker.login_page(&ask).await;
    // The victim logs in with the cookie and the form that the attacker knows.
    let mut victim = attacker.clone();
    let reply = victim.log_in(&page).await;
    assert_eq!(reply.status, 303);
    assert_ne!(attacker.cookies, victim.cookies, "the browser has another secret now");
    assert_eq!(attacker.cookies.len(), 1);
    attacker.get(reply.location().unwrap()).await.assert_page(403);
    attacker.log_in(&page).await.assert_page(403);
    let page = victim.get(reply.location().unwrap()).await;
    let mut back = victim.clone();
    let reply = victim.decide(&page, "allow").await;
    assert!(victim.cookies.is_empty() && reply.set_cookies()[0].contains("Max-Age=0"), "nothing is left after the decision");
    assert_eq!(back.get(&format!("/oauth/consent?request={}", page.field("request"))).await.status, 403);
    back.decide(&page, "allow").await.assert_page(403);
    // A secret that the browser had before is not taken over.
    let mut preset = Browser::new(&place);
    preset.cookies = back.cookies.clone();
    preset.login_page(&ask).await;
    assert_eq!(preset.cookies.len(), 2);
}

/// The page of a failed login, without what differs from login to login: ids, and the name that was typed.
fn without_ids(page: &Reply, name: &str) -> String {
    page.body
        .replace(&page.field("request"), "…")
        .replace(&page.field("csrf"), "…")
        .replace(&format!("value=\"{name}\""), "value=\"…\"")
}

#[tokio::test]
async fn attack_32_a_wrong_name_and_a_wrong_password_cannot_be_told_apart() {
    // A hash that takes long enough to be what the time goes into; a real one takes many times as long.
    let hash = PasswordHash::parse(&bcrypt::hash(PASSWORD, 7).unwrap()).unwrap();
    let users = vec![user("anna", hash.clone())];
    let hashing = Hashing::new(2).resembling(&hash);
    let place = Place::open(Store::Sqlite, hashing, |settings| settings.login = Some(Login::Password { users })).await;
    let ask = web_ask(&place).await;
    let names = ["anna", "nobo"];
    let mut answers = Vec::new();
    for name in names {
        let mut browser = Browser::new(&place);
        let page = browser.login_page(&ask).await;
        let reply = browser.log_in_as(&page, name, "wrong").await;
        let headers: Vec<String> = reply.headers.keys().map(ToString::to_string).collect();
        answers.push((reply.status, headers, reply.header("content-length").to_owned(), without_ids(&reply, name)));
    }
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[0].0, 400);
    let try_one = async |which: usize| {
        let mut browser = Browser::new(&place);
        let page = browser.login_page(&ask).await;
        let start = Instant::now();
        let reply = browser.log_in_as(&page, names[which], "wrong").await;
        let took = start.elapsed();
        assert_eq!(reply.status, 400);
        took
    };
    assert_same_time(try_one, 0.1).await;
}

#[tokio::test]
async fn attack_33_passwords_cannot_be_tried_without_end() {
    let place = Place::new().await;
    let ask = web_ask(&place).await;
    // One account from one address: five a minute.
    let mut browser = Browser::new(&place);
    let mut page = browser.login_page(&ask).await;
    for _ in 0..5 {
        page = browser.log_in_as(&page, "anna", "wrong").await;
        assert_eq!(page.status, 400);
    }
    let refused = browser.log_in(&page).await;
    refused.assert_page(429);
    let wait: i64 = refused.header("retry-after").parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    browser.log_in(&page).await.assert_page(429);
    place.pass(wait);
    assert_eq!(browser.log_in(&page).await.status, 303, "after the wait the same form is good, with the right password");
    // One address with many accounts: twenty a minute.
    let mut browser = Browser::new(&place);
    let mut page = browser.login_page(&ask).await;
    for number in 0..20 {
        page = browser.log_in_as(&page, &format!("user {number}"), "wrong").await;
        assert_eq!(page.status, 400, "{number}");
    }
    let refused = browser.log_in(&page).await;
    refused.assert_page(429);
    place.pass(refused.header("retry-after").parse().unwrap());
    assert_eq!(browser.log_in(&page).await.status, 303);
    // Being counted is not escaped by a name that is the same after all, nor within one's own IPv6 network.
    let mut page = None;
    for number in 0..6 {
        let mut browser = Browser::at(&place, &format!("2001:db8:1:2::{number}"));
        let login = browser.login_page(&ask).await;
        page = Some(browser.log_in_as(&login, ["anna", " anna", "anna "][number % 3], "wrong").await);
    }
    page.unwrap().assert_page(429);
}

#[tokio::test]
async fn attack_34_nobody_can_lock_somebody_else_out() {
    let place = Place::new().await;
    let ask = web_ask(&place).await;
    for address in 0..30 {
        let mut attacker = Browser::at(&place, &format!("198.51.100.{address}"));
        let mut page = attacker.login_page(&ask).await;
        for _ in 0..5 {
            page = attacker.log_in_as(&page, "anna", "wrong").await;
        }
        attacker.log_in(&page).await.assert_page(429);
    }
    let mut victim = Browser::at(&place, "203.0.113.9");
    victim.code(&ask).await;
}

#[tokio::test]
async fn attack_35_bcrypt_does_not_cut_a_long_password() {
    let long = "a".repeat(72);
    let stored = bcrypt::hash(&long, 4).unwrap();
    assert!(bcrypt::verify(format!("{long}b"), &stored).unwrap(), "this is what bcrypt does by itself");
    let place = place_of("anna", PasswordHash::parse(&stored).unwrap()).await;
    let ask = web_ask(&place).await;
    for tail in ["b", "c", "aaaa", ""] {
        let mut browser = Browser::new(&place);
        let page = browser.login_page(&ask).await;
        assert_eq!(browser.log_in_as(&page, "anna", &format!("{long}{tail}")).await.status, 400, "{tail}");
    }
    let longest = "a".repeat(71);
    let place = place_of("anna", cheap_hash(&longest)).await;
    let ask = web_ask(&place).await;
    let mut browser = Browser::new(&place);
    let page = browser.login_page(&ask).await;
    assert_eq!(browser.log_in_as(&page, "anna", &longest).await.status, 303, "as much as bcrypt reads is good");
}

#[tokio::test]
async fn attack_36_a_huge_password_is_refused_before_it_is_hashed() {
    let hashing = Hashing::new(1);
    let place = Place::open(Store::Sqlite, hashing.clone(), |_| {}).await;
    let ask = web_ask(&place).await;
    let mut browser = Browser::new(&place);
    let page = browser.login_page(&ask).await;
    // Whoever is hashed for waits for these, and the last of them comes last: turns are given in order.
    let queue: Vec<_> = (0..20)
        .map(|_| {
            let hashing = hashing.clone();
            tokio::spawn(async move { hashing.hash(&SecretString::from("x")).await })
        })
        .collect();
    tokio::task::yield_now().await;
    let refused = browser.log_in_as(&page, "anna", &"x".repeat(1025)).await;
    assert_eq!(refused.status, 400);
    browser.log_in_as(&refused, "anna", &"x".repeat(1 << 20)).await.assert_page(413);
    assert!(!queue.last().unwrap().is_finished(), "neither was hashed");
    futures::future::join_all(queue).await;
    assert_eq!(browser.log_in_as(&refused, "anna", PASSWORD).await.status, 303, "the form was not used up");
}

#[tokio::test]
async fn attack_37_a_hash_that_takes_for_ever_is_refused() {
    let hash = |cost: u32| format!("$2b${cost:02}$L6Bc/AlTQHyd9liGgGEZyOFLPHNgyxeEPfgYfBCVxJ7JIlwxyVU3u");
    for cost in [31, 16, 3] {
        let problem = PasswordHash::parse(&hash(cost)).unwrap_err().to_string();
        assert!(problem.contains(&format!("cost {cost}")) && problem.contains("4 to 15"), "{problem}");
    }
    for (cost, is_weak) in [(4, true), (9, true), (10, false), (15, false)] {
        assert_eq!(PasswordHash::parse(&hash(cost)).unwrap().is_weak(), is_weak, "{cost}");
    }
    let argon2 = "$argon2id$v=19$m=4194304,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    assert!(PasswordHash::parse(argon2).is_err());
    // One that got into the database past all that is a password that nobody has, at once.
    let place = Place::new().await;
    let stored = quillgate_state::User { name: "carl".into(), password: hash(31), created: 0 };
    place.state.put_user(&stored).await.unwrap();
    let mut browser = Browser::new(&place);
    let page = browser.login_page(&web_ask(&place).await).await;
    assert_eq!(browser.log_in_as(&page, "carl", PASSWORD).await.status, 400);
}

/// This runs on one thread. What is measured: how many requests that thread answers while a hundred logins are hashed. If they
/// were hashed on it, it would answer one or two between any two logins.
#[tokio::test]
async fn attack_38_a_hundred_logins_do_not_stall_other_requests() {
    let hash = PasswordHash::parse(&bcrypt::hash(PASSWORD, 8).unwrap()).unwrap();
    let users = vec![user("anna", hash)];
    let place = Place::open(Store::Sqlite, Hashing::default(), |settings| {
        settings.login = Some(Login::Password { users });
    })
    .await;
    let ask = web_ask(&place).await;
    let mut pages = Vec::new();
    for _ in 0..100 {
        let mut browser = Browser::new(&place);
        let page = browser.login_page(&ask).await;
        pages.push((browser, page));
    }
    let logins = pages.into_iter().map(|(mut browser, page)| async move { browser.log_in(&page).await.status });
    let mut logins = std::pin::pin!(futures::future::join_all(logins));
    let mut answered = 0;
    let statuses = loop {
        tokio::select! {
            biased;
            statuses = &mut logins => break statuses,
            reply = place.get("/.well-known/oauth-authorization-server") => {
                assert_eq!(reply.status, 200);
                answered += 1;
                tokio::task::yield_now().await;
            }
        }
    };
    assert!(statuses.iter().all(|status| *status == 303), "{statuses:?}");
    assert!(answered > 500, "{answered} other requests were answered");
}

#[tokio::test]
async fn attack_39_a_password_with_a_zero_byte_is_not_cut_there() {
    let argon2 = Hashing::new(1).hash(&SecretString::from("a\0b")).await.unwrap();
    for hash in [cheap_hash("a\0b"), PasswordHash::parse(&argon2).unwrap()] {
        let place = place_of("anna", hash).await;
        let ask = web_ask(&place).await;
        for (password, status) in [("a\0c", 400), ("a", 400), ("a\0", 400), ("a\0b\0", 400), ("a\0b", 303)] {
            let mut browser = Browser::new(&place);
            let page = browser.login_page(&ask).await;
            assert_eq!(browser.log_in_as(&page, "anna", password).await.status, status, "{password:?}");
        }
    }
}

#[tokio::test]
async fn attack_40_two_ways_of_writing_a_name_are_one_account() {
    let (composed, decomposed) = ("jos\u{e9}", "jose\u{301}");
    let place = place_of(&quillgate_oauth::normal_name(decomposed), cheap_hash(PASSWORD)).await;
    let ask = web_ask(&place).await;
    for name in [composed, decomposed, " jos\u{e9} "] {
        let mut browser = Browser::new(&place);
        let page = browser.login_page(&ask).await;
        let reply = browser.log_in_as(&page, name, PASSWORD).await;
        let page = browser.get(reply.location().unwrap()).await;
        browser.decide(&page, "allow").await;
    }
    let grants = place.state.grants().await.unwrap();
    assert_eq!(grants.len(), 3);
    assert!(grants.iter().all(|grant| grant.user == composed), "{grants:?}");
    // Case and letters that only look alike are somebody else.
    for name in ["Jos\u{e9}", "jose", "j\u{43e}s\u{e9}", "jos\u{e9}\0"] {
        let mut browser = Browser::new(&place);
        let page = browser.login_page(&ask).await;
        assert_eq!(browser.log_in_as(&page, name, PASSWORD).await.status, 400, "{name}");
    }
}

#[tokio::test]
async fn attack_41_a_name_is_text_and_nothing_else() {
    let place = Place::new().await;
    let long = "x".repeat(10 << 10);
    for (name, shown) in [
        ("<script>alert(1)</script>", "&#60;script&#62;alert(1)&#60;/script&#62;"),
        ("\"><img src=x onerror=alert(1)>", "&#34;&#62;&#60;img src=x onerror=alert(1)&#62;"),
        ("'onmouseover='x", "&#39;onmouseover=&#39;x"),
        ("{{7*7}}{% include \"x\" %}", "{{7*7}}{% include &#34;x&#34; %}"),
        ("Good\u{202e}live\u{2066}\u{200b}\u{7}\u{feff}", "Goodlive"),
        ("a\r\nb", "ab"),
        ("&lt;b&gt;", "&#38;lt;b&#38;gt;"),
        (long.as_str(), &long[..100]),
    ] {
        let metadata = json!({ "redirect_uris": [WEB], "client_name": name, "logo_uri": "https://evil.example/logo.png",
            "client_uri": "https://evil.example/about", "token_endpoint_auth_method": "none" });
        let client = place.register(&metadata).await.text("client_id");
        let mut browser = Browser::new(&place);
        let login = browser.login_page(&ask(&client, WEB)).await;
        let consent = browser.consent_page(&ask(&client, WEB)).await;
        assert!(login.body.contains(&format!("<h1>Log in to connect “<bdi>{shown}</bdi>”</h1>")), "{}", login.body);
        assert!(consent.body.contains(&format!("<h1>Allow “<bdi>{shown}</bdi>” to use your ")), "{}", consent.body);
        for page in [login, consent] {
            assert!(!page.body.contains("<img") && !page.body.contains("evil.example"), "{}", page.body);
        }
    }
    // What people type comes back in the page, too.
    let mut browser = Browser::new(&place);
    let page = browser.login_page(&web_ask(&place).await).await;
    let reply = browser.log_in_as(&page, "\"><script>alert(1)</script>", "wrong").await;
    assert!(reply.body.contains("value=\"&#34;&#62;&#60;script&#62;"), "{}", reply.body);
    assert!(!reply.without_own_script().contains("<script"));
}

#[tokio::test]
async fn attack_42_an_address_of_the_client_that_runs_something_is_refused() {
    let place = Place::new().await;
    for name in ["client_uri", "logo_uri", "tos_uri", "policy_uri", "jwks_uri"] {
        for address in [
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            " javascript:x",
            "java\tscript:x",
            "data:text/html,x",
            "file:///etc/passwd",
        ] {
            let reply = place.register(&json!({ "redirect_uris": [WEB], name: address })).await;
            assert_eq!(reply.error(), (400, "invalid_client_metadata".into()), "{name} {address}");
        }
    }
}

#[tokio::test]
async fn attack_43_a_borrowed_name_does_not_hide_where_the_answer_goes() {
    let place = Place::new().await;
    for (redirect_uri, host) in [
        ("https://evil.example/callback", "evil.example"),
        ("https://claude.ai.evil.example/callback", "claude.ai.evil.example"),
        // claude.ai with a Cyrillic a.
        ("https://xn--clude-4ve.ai/callback", "xn--clude-4ve.ai"),
        ("cursor://anysphere.cursor-mcp/oauth/callback", "cursor"),
    ] {
        let metadata = json!({ "redirect_uris": [redirect_uri], "client_name": "Claude", "token_endpoint_auth_method": "none" });
        let client = place.register(&metadata).await.text("client_id");
        let mut browser = Browser::new(&place);
        let ask = ask(&client, redirect_uri);
        for page in [browser.login_page(&ask).await, browser.consent_page(&ask).await] {
            assert!(page.body.contains(&format!("The answer goes to <span class=\"where\">{host}</span>")), "{}", page.body);
            assert!(page.body.contains("The name is <strong>unverified</strong>"), "{}", page.body);
        }
        assert!(quillgate_oauth::STYLE.contains(".where { font-weight: 650"));
    }
    let raw = place.register(&json!({ "redirect_uris": ["https://cl\u{430}ude.ai/callback"] })).await;
    assert_eq!(raw.error(), (400, "invalid_redirect_uri".into()));
}

#[tokio::test]
async fn attack_44_a_program_on_the_device_is_warned_about() {
    let place = Place::new().await;
    let warning = "a program on the device you are using now";
    for redirect_uri in [LOCAL, "http://localhost:1/callback", "http://[::1]:1/callback"] {
        let client = place.public_client(redirect_uri).await;
        let mut browser = Browser::new(&place);
        let ask = ask(&client, redirect_uri);
        for page in [browser.login_page(&ask).await, browser.consent_page(&ask).await] {
            assert!(page.body.contains(warning), "{redirect_uri}");
        }
    }
    let page = Browser::new(&place).consent_page(&web_ask(&place).await).await;
    assert!(!page.body.contains(warning));
}

#[tokio::test]
async fn attack_45_denying_tells_the_client_and_gives_nothing() {
    let place = Place::new().await;
    let mut browser = Browser::new(&place);
    let page = browser.consent_page(&web_ask(&place).await).await;
    let reply = browser.decide(&page, "deny").await;
    assert_eq!(reply.status, 303);
    assert!(reply.location().unwrap().starts_with("https://app.example/callback?"));
    for (name, value) in [("error", "access_denied"), ("state", "a state"), ("iss", ISSUER)] {
        assert_eq!(reply.answer(name).as_deref(), Some(value));
    }
    assert_eq!(reply.answer("code"), None);
    assert!(place.state.grants().await.unwrap().is_empty());
    // No decision is none, and does not use up the form.
    let page = browser.consent_page(&web_ask(&place).await).await;
    for decision in ["", "maybe", "ALLOW"] {
        browser.decide(&page, decision).await.assert_page(400);
    }
    assert_eq!(browser.decide(&page, "deny").await.status, 303);
    assert!(place.state.grants().await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn attack_46_a_form_that_is_sent_twice_gives_one_code() {
    let place = Place::new().await;
    let ask = web_ask(&place).await;
    let mut browser = Browser::new(&place);
    let page = browser.consent_page(&ask).await;
    let clicks = (0..20).map(|_| {
        let mut browser = browser.clone();
        let page = &page;
        async move { browser.decide(page, "allow").await }
    });
    let replies = futures::future::join_all(clicks).await;
    assert_eq!(replies.iter().filter(|reply| reply.answer("code").is_some()).count(), 1);
    assert!(replies.iter().all(|reply| matches!(reply.status, 303 | 403)));
    assert_eq!(place.state.grants().await.unwrap().len(), 1);
    // Back to the login page, and back to the question.
    let mut browser = Browser::new(&place);
    let login = browser.login_page(&ask).await;
    let before = browser.clone();
    let after = browser.log_in(&login).await;
    before.clone().log_in(&login).await.assert_page(403);
    browser.log_in(&login).await.assert_page(403);
    let first = browser.get(after.location().unwrap()).await;
    let again = browser.get(after.location().unwrap()).await;
    assert_eq!(browser.decide(&first, "allow").await.status, 303);
    browser.decide(&again, "allow").await.assert_page(403);
    assert_eq!(place.state.grants().await.unwrap().len(), 2);
}

#[tokio::test]
async fn attack_47_what_was_allowed_before_is_asked_again_and_what_is_new_is_marked() {
    let place = Place::new().await;
    let (web, local) = (web_ask(&place).await, ask(&place.public_client(LOCAL).await, LOCAL));
    let (before, new) = ("You allowed this application on", "<span class=\"new\">new</span>");
    for good in [web, local] {
        let narrow = good.with("scope", "read:notes");
        let first = Browser::new(&place).consent_page(&narrow).await;
        assert!(!first.body.contains(before) && !first.body.contains(new));
        Browser::new(&place).code(&narrow).await;
        // Nobody is ever waved through: logging in and deciding is asked of everybody, every time.
        let mut browser = Browser::new(&place);
        browser.code(&narrow).await;
        let reply = browser.open(&narrow).await;
        assert_eq!((reply.status, reply.location()), (200, None));
        assert!(reply.body.contains("name=\"password\""));
        let same = Browser::new(&place).consent_page(&narrow).await;
        assert!(same.body.contains(before) && !same.body.contains(new));
        let wider = Browser::new(&place).consent_page(&good.with("scope", "read:notes write:notes")).await;
        assert!(wider.body.contains(&format!("write notes {new}")) && wider.body.contains("read notes<small>"), "{}", wider.body);
        // Another user has allowed nothing.
        let mut browser = Browser::new(&place);
        let page = browser.login_page(&narrow).await;
        let reply = browser.log_in_as(&page, "bert", PASSWORD).await;
        let page = browser.get(reply.location().unwrap()).await;
        assert!(!page.body.contains(before));
    }
    // Nor has anybody for another client, or another address of the same.
    let uris = [WEB, "https://app.example/other"];
    let metadata = json!({ "redirect_uris": uris, "token_endpoint_auth_method": "none" });
    let client = place.register(&metadata).await.text("client_id");
    Browser::new(&place).code(&ask(&client, uris[0])).await;
    assert!(!Browser::new(&place).consent_page(&ask(&client, uris[1])).await.body.contains(before));
    assert!(Browser::new(&place).consent_page(&ask(&client, uris[0])).await.body.contains(before));
}

#[tokio::test]
async fn attack_48_no_parameter_says_where_to_go_after_the_login() {
    let place = Place::new().await;
    let evil = "https://evil.example/";
    let names = ["return_to", "next", "redirect", "return", "returnTo", "url", "continue", "rid", "target", "action"];
    let mut ask = web_ask(&place).await;
    for name in names {
        ask = ask.and(name, evil);
    }
    let mut browser = Browser::new(&place);
    let page = browser.login_page(&ask).await;
    assert!(!page.body.contains("evil.example"));
    assert!(page.body.contains("action=\"/oauth/authorize\""));
    let (request, csrf) = (page.field("request"), page.field("csrf"));
    let mut form = vec![("request", &*request), ("csrf", &csrf), ("username", "anna"), ("password", PASSWORD)];
    form.extend(names.map(|name| (name, evil)));
    let reply = browser.post(&format!("/oauth/authorize?next={evil}"), &form).await;
    assert_eq!((reply.status, reply.location().unwrap()), (303, format!("/oauth/consent?request={request}").as_str()));
}

/// That a browser follows the redirect is shown with Chromium elsewhere.
#[tokio::test]
async fn attack_49_no_page_forbids_the_way_back_to_the_client() {
    for (name, page) in all_pages().await {
        let policy = page.header("content-security-policy");
        assert!(!policy.is_empty() && !policy.contains("form-action") && !page.body.contains("form-action"), "{name}: {policy}");
    }
}
