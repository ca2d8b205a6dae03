//! Attacks 70 to 84: login at another site.

use std::io::ErrorKind;
use std::net::TcpListener;

use quillgate_example_upstream::{COOKIE, Control, Misbehaviour};
use serde_json::json;

use crate::courier::{Courier, browser_with, connect, now, search};
use crate::http_client::Response;
use crate::login::{Browser, Door, ISSUER, Tokens, authorize_path, changed, code_of, filled, parameter, unlimited};
use crate::place::eventually;

/// Nobody has been allowed anything.
fn assert_nothing_allowed(door: &Door) {
    let (status, listed, complaint) = door.operator(&["tokens", "list"]);
    assert_eq!(status, 0, "{complaint}");
    assert!(!listed.contains("qgg_"), "{listed}");
    assert!(!door.heard().contains("code="), "{}", door.heard());
}

/// A page that says no, and leads nowhere.
fn assert_refused(answer: &Response, status: u16) {
    assert_eq!(answer.status, status, "{}", answer.body);
    assert!(answer.header("location").is_none(), "{}", answer.text());
    assert!(answer.header("content-type").is_some_and(|kind| kind.starts_with("text/html")), "{}", answer.text());
}

#[test]
fn attack_70_a_cookie_without_a_click_gives_no_code() {
    let courier = Courier::start();
    let door = courier.door();
    let client = door.client();
    let mut browser = browser_with(&door, &courier.site.log_in());
    for further in [&[][..], &[("prompt", "none")], &[("decision", "allow")], &[("prompt", "consent")]] {
        let answer = browser.authorize(&client, further);
        let location = answer.header("location").expect("a way on");
        assert!(location.starts_with("/oauth/consent?request=") || location.contains("error=login_required"), "{location}");
        if let Some(request) = parameter(location, "request") {
            let page = browser.get(&format!("/oauth/consent?request={request}&decision=allow&scope=vk:search"));
            assert_eq!((page.status, page.header("location")), (200, None));
            let fields = [("request".to_owned(), request), ("decision".to_owned(), "allow".to_owned())];
            assert_refused(&browser.post("/oauth/consent", &fields), 403);
        }
    }
    assert_nothing_allowed(&door);
}

#[test]
fn attack_71_without_the_cookie_the_way_leads_to_the_login_and_back_to_us() {
    let courier = Courier::start();
    let door = courier.door();
    let client = door.client_with(&json!({
        "client_name": "canary-name", "redirect_uris": ["https://canary.example/cb"], "token_endpoint_auth_method": "none",
    }));
    let mut browser = Browser::of(&door);
    let further = [("redirect_uri", "https://canary.example/cb"), ("state", "canary-state"), ("scope", "canary:scope")];
    let answer = browser.authorize(&client, &further);
    assert!(matches!(answer.status, 302 | 303), "{}", answer.status);
    let location = answer.header("location").expect("a way on");
    let back = parameter(location, "redirect").expect("a way back");
    let random = back.strip_prefix(&format!("{ISSUER}/oauth/resume?rid=")).expect("our own address");
    assert!(random.len() == 43 && random.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)), "{random}");
    assert!(!location.contains("canary") && !back.contains(&client), "{location}");
    let encoded: String = url::form_urlencoded::byte_serialize(back.as_bytes()).collect();
    assert_eq!(location, format!("{}?redirect={encoded}", courier.site.login_url()), "nothing else is in it");

    let (token, back) = courier.enter(location);
    browser.cookies.insert(COOKIE.to_owned(), token);
    let resumed = browser.get(&back);
    let page = browser.follow(&resumed);
    assert!(page.body.contains("<strong>reader</strong>"), "{}", page.body);
}

#[test]
fn attack_72_a_login_is_resumed_by_its_own_browser_and_once() {
    let courier = Courier::start();
    let door = courier.door();
    let client = door.client();
    let mut browser = Browser::of(&door);
    let away = browser.authorize(&client, &[]);
    let (token, back) = courier.enter(away.header("location").expect("a way on"));
    let path = back.strip_prefix(ISSUER).expect("our own address");
    let tampered = format!("{}A", &path[..path.len() - 1]);
    let tampered = if tampered == path { format!("{}B", &path[..path.len() - 1]) } else { tampered };

    let mut stranger = browser_with(&door, &token);
    for path in [path, &tampered, "/oauth/resume", "/oauth/resume?rid=", "/oauth/resume?rid=x", &format!("{path}&rid=x")] {
        assert_refused(&stranger.get(path), 400);
    }
    let mut thief = browser_with(&door, &token);
    let (name, _) = browser.cookies.first_key_value().map(|(name, value)| (name.clone(), value)).expect("our cookie");
    thief.cookies.insert(name, "A".repeat(43));
    assert_refused(&thief.get(path), 400);

    browser.cookies.insert(COOKIE.to_owned(), token);
    for path in [&tampered, "/oauth/resume?rid=x"] {
        assert_refused(&browser.get(path), 400);
    }
    let resumed = browser.get(path);
    assert_eq!(resumed.status, 303, "{}", resumed.body);
    assert_refused(&browser.get(path), 403);
    assert_nothing_allowed(&door);
}

#[test]
fn attack_73_a_login_page_that_gives_no_cookie_is_tried_twice() {
    let courier = Courier::start();
    let door = courier.door();
    let client = door.client();
    let mut browser = Browser::of(&door);
    let mut answer = browser.authorize(&client, &[]);
    let mut rounds = 0;
    while let Some(location) = answer.header("location") {
        assert!(location.starts_with(&courier.site.login_url()), "{location}");
        rounds += 1;
        assert!(rounds <= 2, "it goes round and round");
        answer = browser.get(&parameter(location, "redirect").expect("a way back"));
    }
    assert_eq!(rounds, 2);
    assert_refused(&answer, 400);
    assert!(courier.site.requests().is_empty(), "there was no cookie to ask about");
}

#[test]
fn attack_74_two_cookies_of_one_name_are_refused() {
    let courier = Courier::start();
    let door = courier.door();
    let client = door.client();
    let (own, planted) = (courier.site.log_in(), courier.site.log_in());
    let both = format!("{COOKIE}={own}; {COOKIE}={planted}");
    let path = authorize_path(&client, &[]);
    let (one, other) = (format!("{COOKIE}={own}"), format!("{COOKIE}={planted}"));
    for headers in [
        &[("cookie", both.as_str())][..],
        &[("cookie", &one), ("cookie", &other)],
        &[("cookie", &format!("a=b; {one}")), ("cookie", &format!("{COOKIE}=; c=d"))],
    ] {
        assert_refused(&door.send("GET", &path, headers, ""), 400);
    }
    assert!(courier.site.requests().is_empty(), "neither was tried");

    // One that is planted later is noticed on the way back, and when the person decides.
    let mut browser = Browser::of(&door);
    let away = browser.authorize(&client, &[]);
    let back = parameter(away.header("location").expect("a way on"), "redirect").expect("a way back");
    let ours = browser.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("; ");
    let path = back.strip_prefix(ISSUER).expect("our own address");
    assert_refused(&door.send("GET", path, &[("cookie", &format!("{ours}; {both}"))], ""), 400);
    browser.cookies.insert(COOKIE.to_owned(), own);
    let resumed = browser.get(&back);
    let page = browser.follow(&resumed);
    browser.cookies.insert("planted".to_owned(), format!("1; {other}"));
    assert_refused(&browser.decide(&page, "allow"), 400);
    assert_nothing_allowed(&door);
}

#[test]
fn attack_75_a_cookie_that_changes_before_the_click_starts_over() {
    let courier = Courier::start();
    let door = courier.door();
    let client = door.client();
    for other in [Some(courier.site.log_in()), None] {
        let mut browser = browser_with(&door, &courier.site.log_in());
        let begun = browser.authorize(&client, &[]);
        let page = browser.follow(&begun);
        match &other {
            Some(other) => drop(browser.cookies.insert(COOKIE.to_owned(), other.clone())),
            None => drop(browser.cookies.remove(COOKIE)),
        }
        assert_refused(&browser.decide(&page, "allow"), 400);
    }
    assert_nothing_allowed(&door);
    let tokens = connect(&door, &client, &courier.site.log_in());
    assert_eq!(search(&door, &tokens.access).status, 200);
}

#[test]
fn attack_76_consent_shows_whose_account_it_is() {
    let courier = Courier::start();
    let door = courier.door();
    let client = door.client();
    for (name, shown) in
        [("Mallory", "<strong>Mallory</strong>"), ("<b>reader</b>", "<strong>&#60;b&#62;reader&#60;/b&#62;</strong>")]
    {
        // The attacker's own session, planted on the parent domain.
        let mut browser = browser_with(&door, &courier.site.log_in());
        courier.account_once(name, now() + 1000);
        let begun = browser.authorize(&client, &[]);
        let page = browser.follow(&begun);
        assert!(page.body.contains(shown), "{}", page.body);
        assert!(!page.body.contains("<strong>reader</strong>"), "{}", page.body);
    }
    assert_nothing_allowed(&door);
}

#[test]
fn attack_77_a_cookie_is_verified_before_there_is_a_code() {
    let courier = Courier::start();
    let door = courier.door();
    let client = door.client();
    let ended = courier.site.log_in();
    courier.site.control(Control { expire_sessions: true, ..Control::default() });
    for token in ["never-was-one", &ended] {
        courier.forget();
        let mut browser = browser_with(&door, token);
        let mut answer = browser.authorize(&client, &[]);
        while let Some(location) = answer.header("location") {
            assert!(location.starts_with(&courier.site.login_url()), "{location}");
            answer = browser.get(&parameter(location, "redirect").expect("a way back"));
        }
        assert_refused(&answer, 400);
        assert_eq!(courier.cookies_at("/account"), vec![format!("{COOKIE}={token}"); 3]);
    }
    // A session that says itself that it is over is none, and a site that does not answer has not said yes.
    let mut browser = browser_with(&door, &courier.site.log_in());
    courier.account_once("reader", now() - 1);
    let answer = browser.authorize(&client, &[]);
    assert!(answer.header("location").is_some_and(|to| to.starts_with(&courier.site.login_url())), "{}", answer.text());
    for answer in [
        Misbehaviour::Status { code: 500 },
        Misbehaviour::Garbage,
        Misbehaviour::Huge,
        Misbehaviour::Encoded,
        Misbehaviour::Body { text: "{}".to_owned() },
        Misbehaviour::Body { text: "{\"name\": 7}".to_owned() },
        Misbehaviour::Body { text: "[]".to_owned() },
    ] {
        courier.answer_once(answer);
        assert_refused(&browser.authorize(&client, &[]), 502);
    }
    assert_nothing_allowed(&door);
}

#[test]
fn attack_78_the_cookie_is_sent_as_it_is_and_nowhere_else() {
    let courier = Courier::start();
    let door = courier.door();
    let client = door.client();
    let path = authorize_path(&client, &[]);
    let long = "a".repeat(8192);
    for value in ["a,b", "\"a;b\"", "a\"b", "a\\b", "a b", "a\tb", "a\rb", "a\0b", "a\u{7f}b", long.as_str()] {
        let answer = door.send("GET", &path, &[("cookie", &format!("{COOKIE}={value}"))], "");
        assert_eq!((answer.status, answer.header("location")), (400, None), "{value:?}");
    }
    let answer = door.send("GET", &path, &[("cookie", &format!("{COOKIE}=bücher"))], "");
    assert!(answer.header("location").is_none_or(|to| to.starts_with(&courier.site.login_url())), "{}", answer.text());
    assert!(courier.site.requests().is_empty(), "{:?}", courier.site.requests());

    let elsewhere = TcpListener::bind("127.0.0.1:0").expect("a port");
    elsewhere.set_nonblocking(true).expect("a socket");
    let to = format!("http://{}/", elsewhere.local_addr().expect("bound"));
    let token = courier.site.log_in();
    let mut browser = browser_with(&door, &token);
    courier.answer_once(Misbehaviour::Redirect { to: to.clone() });
    assert_refused(&browser.authorize(&client, &[]), 502);
    let tokens = connect(&door, &client, &token);
    courier.answer_once(Misbehaviour::Redirect { to });
    assert_eq!(search(&door, &tokens.access).message()["result"]["isError"], true);
    assert_eq!(elsewhere.accept().map(drop).map_err(|error| error.kind()), Err(ErrorKind::WouldBlock));
    let sent = [courier.cookies_at("/account"), courier.cookies_at("/articles/search")].concat();
    assert_eq!(sent, vec![format!("{COOKIE}={token}"); 3]);
}

/// The cookie, also as something that hides it only a little.
fn guises(secret: &str) -> Vec<Vec<u8>> {
    use base64::Engine;
    use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
    let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    let reversed: String = secret.chars().rev().collect();
    let texts = [secret.to_owned(), STANDARD_NO_PAD.encode(secret), URL_SAFE_NO_PAD.encode(secret), hex, reversed];
    texts.map(String::into_bytes).to_vec()
}

pub(crate) fn assert_absent(secret: &str, from: &[u8], what: &str) {
    for guise in guises(secret) {
        let found = from.windows(guise.len()).position(|part| part == guise);
        if let Some(at) = found {
            let around = &from[at.saturating_sub(200)..(at + 200).min(from.len())];
            panic!("{secret} is in {what}: {}", String::from_utf8_lossy(around));
        }
    }
}

#[test]
fn attack_79_the_cookie_is_in_nothing_that_leaves_or_stays() {
    let courier = Courier::start();
    let prober = json!({"clientId": "prober", "clientSecret": "canary-secret-of-prober", "introspect": true});
    let mut door = Door::with(changed(courier.config(), &[("/auth/clients", json!([prober]))]), ISSUER, &[]);
    let client = door.client();
    // Through the login page, the pages that refuse, and consent.
    let mut browser = Browser::of(&door);
    let away = browser.authorize(&client, &[]);
    let (token, back) = courier.enter(away.header("location").expect("a way on"));
    let twice = format!("{COOKIE}={token}; {COOKIE}={token}");
    door.send("GET", &authorize_path(&client, &[]), &[("cookie", &twice)], "");
    door.send("GET", &authorize_path(&client, &[]), &[("cookie", &format!("{COOKIE}={token},"))], "");
    browser_with(&door, &token).get(&back);
    browser.cookies.insert(COOKIE.to_owned(), token.clone());
    let resumed = browser.get(&back);
    let page = browser.follow(&resumed);
    let mut other = browser_with(&door, &token);
    let begun = other.authorize(&client, &[]);
    let denied = other.follow(&begun);
    assert_eq!(other.decide(&denied, "deny").status, 303);
    for failing in [Misbehaviour::Status { code: 500 }, Misbehaviour::Garbage, Misbehaviour::SetCookie] {
        courier.answer_once(failing);
        browser_with(&door, &token).authorize(&client, &[]);
    }
    let fields = filled(&page, &[("decision", "allow")]);
    let code = code_of(&browser.post("/oauth/consent", &fields));
    browser.post("/oauth/consent", &fields);
    // Tokens and what they are worth.
    let tokens = Tokens::of(&door.exchange(&client, &code));
    let probe = [("client_id", "prober"), ("client_secret", "canary-secret-of-prober"), ("token", &tokens.access)];
    assert_eq!(door.form("/oauth/introspect", &probe).json()["active"], true);
    // Calls that work and calls that do not, in both eras.
    assert_eq!(search(&door, &tokens.access).message()["result"]["isError"], json!(false));
    let opened = door.legacy("POST", &tokens.access, None, &crate::http_client::initialize());
    let listing = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    door.legacy("POST", &tokens.access, Some(&opened.session()), &listing);
    door.call(&tokens.access, "vk_search", json!({"search": 7}));
    door.call(&tokens.access, "no_such_tool", json!({}));
    door.ask("/mcp", &tokens.access, "resources/list", json!({}));
    for failing in [
        Misbehaviour::Status { code: 500 },
        Misbehaviour::Garbage,
        Misbehaviour::Huge,
        Misbehaviour::Encoded,
        Misbehaviour::SetCookie,
        Misbehaviour::Body { text: format!("{{\"articles\": [{{\"headline\": \"x\", \"cookie\": \"{token}\"}}]}}") },
        Misbehaviour::Redirect { to: "http://127.0.0.1:9/".to_owned() },
    ] {
        courier.answer_once(failing);
        search(&door, &tokens.access);
    }
    let at_work = door.kept();
    courier.answer_once(Misbehaviour::Status { code: 401 });
    assert_eq!(search(&door, &tokens.access).status, 401);
    for listing in [["tokens", "list"], ["clients", "list"], ["users", "list"], ["keys", "list"]] {
        let (_, output, complaint) = door.operator(&listing);
        assert_absent(&token, format!("{output}{complaint}").as_bytes(), "an operator's list");
    }
    door.stop(crate::login::Exit::Asked);
    assert!(door.log().contains("TRACE") || door.log().contains("DEBUG"), "the log tells all");
    assert!(!at_work.is_empty());
    assert_absent(&token, &at_work, "the state while it is used");
    assert_absent(&token, &door.kept(), "the state");
    assert_absent(&token, door.log().as_bytes(), "the log");
    assert_absent(&token, door.heard().as_bytes(), "an answer");
}

/// R21: what the client shows us is for us alone.
#[test]
fn the_clients_token_never_reaches_the_other_site() {
    let courier = Courier::start();
    let door = courier.door();
    let client = door.client();
    let token = courier.site.log_in();
    let tokens = connect(&door, &client, &token);
    search(&door, &tokens.access);
    courier.answer_once(Misbehaviour::Status { code: 500 });
    search(&door, &tokens.access);
    let requests = courier.site.requests();
    assert_eq!(requests.len(), 3, "{requests:?}");
    for request in requests {
        assert_eq!(request.method, "GET");
        assert_eq!((request.header("authorization"), request.header("referer")), (None, None));
        assert_eq!(request.header("cookie"), Some(format!("{COOKIE}={token}").as_str()), "no cookie of ours");
        for secret in [&tokens.access, &client, ISSUER] {
            assert!(!format!("{request:?}").contains(secret), "{request:?}");
        }
    }
}

#[test]
fn attack_80_the_other_sites_no_ends_the_login_and_its_failures_do_not() {
    let courier = Courier::start();
    let door = courier.door();
    let client = door.client();
    let token = courier.site.log_in();
    for code in [401, 403] {
        let tokens = connect(&door, &client, &token);
        let kept = connect(&door, &client, &token);
        for failing in [
            Misbehaviour::Status { code: 500 },
            Misbehaviour::Status { code: 503 },
            Misbehaviour::Status { code: 404 },
            Misbehaviour::Garbage,
        ] {
            courier.answer_once(failing);
            let answer = search(&door, &tokens.access);
            let result = &answer.message()["result"];
            assert_eq!((answer.status, &result["isError"]), (200, &json!(true)), "{result}");
            assert!(result.to_string().contains("Unable to access VK at this time"), "{result}");
        }
        courier.answer_once(Misbehaviour::Status { code });
        let answer = search(&door, &tokens.access);
        assert_eq!(answer.status, 401, "{}", answer.body);
        assert!(
            answer.header("www-authenticate").is_some_and(|said| said.contains("error=\"invalid_token\"")),
            "{}",
            answer.text()
        );
        assert_eq!(search(&door, &tokens.access).status, 401, "the grant has ended");
        assert_eq!(search(&door, &kept.access).status, 200, "another login has not");
    }
}

#[test]
fn attack_81_no_token_outlives_the_session_it_stands_for() {
    let courier = Courier::start();
    let door = courier.door();
    let client = door.client();
    let week = 7 * 24 * 3600;
    for (left, most) in [(1000, 1000), (week / 2, week / 2), (100 * week, week)] {
        courier.account_once("reader", now() + left);
        let answer = {
            let mut browser = browser_with(&door, &courier.site.log_in());
            let begun = browser.authorize(&client, &[]);
            let page = browser.follow(&begun);
            door.exchange(&client, &code_of(&browser.decide(&page, "allow")))
        };
        let tokens = Tokens::of(&answer);
        assert!((most - 60..=most).contains(&tokens.lifetime), "{left}: {}", tokens.lifetime);
        assert!(answer.json().get("refresh_token").is_none(), "{}", answer.body);
    }
    courier.account_once("reader", now() + 6);
    let tokens = connect(&door, &client, &courier.site.log_in());
    assert!(tokens.lifetime <= 6, "{}", tokens.lifetime);
    eventually("the token ends with the session", || (search(&door, &tokens.access).status == 401).then_some(()));
    let short = changed(courier.config(), &[("/auth/upstream/maxTtlSeconds", json!(100))]);
    let door = Door::with(short, ISSUER, &[]);
    let tokens = connect(&door, &door.client(), &courier.site.log_in());
    assert!((40..=100).contains(&tokens.lifetime), "{}", tokens.lifetime);
}

#[test]
fn attack_82_tokens_stay_with_the_account_they_were_given_for() {
    let courier = Courier::start();
    let door = courier.door();
    let client = door.client();
    let (first, second) = (courier.site.log_in(), courier.site.log_in());
    let mut browser = browser_with(&door, &first);
    let mut tokens = Vec::new();
    for (name, cookie) in [("reader", &first), ("Mallory", &second)] {
        browser.cookies.insert(COOKIE.to_owned(), cookie.clone());
        courier.account_once(name, now() + 1000);
        let begun = browser.authorize(&client, &[]);
        let page = browser.follow(&begun);
        assert!(page.body.contains(&format!("<strong>{name}</strong>")), "{}", page.body);
        tokens.push(Tokens::of(&door.exchange(&client, &code_of(&browser.decide(&page, "allow")))));
    }
    courier.forget();
    for (tokens, cookie) in [(&tokens[0], &first), (&tokens[1], &second), (&tokens[0], &first)] {
        // Even if the program sends the browser's cookies along.
        let planted = format!("{COOKIE}={second}");
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": crate::stdio_client::modern_params(json!({"name": "vk_search", "arguments": {"search": "a"}}))});
        let authorization = format!("Bearer {}", tokens.access);
        let headers = [
            ("authorization", authorization.as_str()),
            ("cookie", &planted),
            ("mcp-protocol-version", crate::stdio_client::MODERN),
            ("mcp-method", "tools/call"),
            ("mcp-name", "vk_search"),
        ];
        assert_eq!(door.send("POST", "/mcp", &headers, &body.to_string()).status, 200);
        assert_eq!(courier.cookies_at("/articles/search").pop(), Some(format!("{COOKIE}={cookie}")));
    }
    let (_, listed, _) = door.operator(&["tokens", "list"]);
    assert!(listed.contains("reader") && listed.contains("Mallory"), "{listed}");
}

#[test]
fn attack_83_cookies_of_the_other_site_are_not_passed_on() {
    let courier = Courier::start();
    let door = courier.door();
    let client = door.client();
    courier.site.control(Control::answer(Misbehaviour::SetCookie));
    let token = courier.site.log_in();
    let tokens = connect(&door, &client, &token);
    for _ in 0..2 {
        let answer = search(&door, &tokens.access);
        assert_eq!((answer.status, answer.all("set-cookie")), (200, vec![]));
    }
    let heard = door.heard();
    let set: Vec<&str> = heard.lines().filter_map(|line| line.strip_prefix("set-cookie: ")).collect();
    assert!(!set.is_empty() && set.iter().all(|cookie| cookie.starts_with("quillgate-")), "{set:?}");
    assert!(!heard.contains("planted") && !heard.contains("tracker"));
    let sent = [courier.cookies_at("/account"), courier.cookies_at("/articles/search")].concat();
    assert_eq!(sent, vec![format!("{COOKIE}={token}"); 3], "nor kept for the next question");
}

#[test]
fn attack_84_our_own_cookies_are_for_this_host_alone() {
    let courier = Courier::start();
    for (issuer, prefix, is_secure) in [(ISSUER, "quillgate-", false), ("https://mcp.example.com", "__Host-quillgate-", true)] {
        let door = Door::with(courier.config(), issuer, &[]);
        let client = door.client();
        let mut browser = Browser::of(&door);
        let away = browser.authorize(&client, &[]);
        let back = parameter(away.header("location").expect("a way on"), "redirect").expect("a way back");
        assert!(back.starts_with(issuer), "{back}");
        browser.cookies.insert(COOKIE.to_owned(), courier.site.log_in());
        let resumed = browser.get(&back);
        let page = browser.follow(&resumed);
        let answer = browser.decide(&page, "allow");
        assert_eq!(parameter(answer.header("location").expect("a way back"), "iss").as_deref(), Some(issuer));
        let heard = door.heard();
        let cookies: Vec<&str> = heard.lines().filter_map(|line| line.strip_prefix("set-cookie: ")).collect();
        assert!(cookies.len() >= 3, "{cookies:?}");
        let mut values = Vec::new();
        for cookie in cookies {
            let mut parts = cookie.split("; ");
            let (name, value) = parts.next().and_then(|pair| pair.split_once('=')).expect("a pair");
            let attributes: Vec<&str> = parts.collect();
            assert!(name.starts_with(prefix), "{cookie}");
            assert!(["Path=/", "HttpOnly", "SameSite=Lax"].iter().all(|needed| attributes.contains(needed)), "{cookie}");
            assert_eq!(attributes.contains(&"Secure"), is_secure, "{cookie}");
            assert!(!cookie.to_lowercase().contains("domain"), "{cookie}");
            values.push(value.to_owned());
        }
        assert_eq!(values.pop().as_deref(), Some(""), "at the end it is taken back");
        assert_ne!(values.first(), values.last(), "and it changes on the way");
    }
}

#[test]
fn sites_have_sources_and_tokens_of_their_own() {
    let courier = Courier::start();
    let gazette = json!({"name": "gazette", "baseUrl": courier.site.articles_url(), "search": {
        "path": "/articles/search", "title": "Search the Gazette", "description": "Searches the articles of the Gazette by words.",
        "error": "the Gazette does not answer", "arguments": [{"name": "words", "parameter": "search", "type": "text",
            "description": "Words to look for", "required": true}],
        "credential": {"cookie": COOKIE}, "articles": "/articles", "fields": [{"name": "headline", "path": "/headline"}],
    }});
    let site = |host: &str, source: &str| json!({"serverUrl": format!("https://{host}"), "surfaces": ["articles"], "sources": [source], "auth": courier.login()});
    let vk = json!({"name": "vk", "baseUrl": courier.site.articles_url()});
    let config = json!({"surfaces": ["articles"], "sources": [vk, gazette], "auth": courier.login(), "rateLimits": unlimited(),
        "sites": [site("vk.example.com", "vk"), site("gazette.example.com", "gazette")]});
    let mut door = Door::with(config, ISSUER, &[]);
    let mut tokens = Vec::new();
    let sites = [
        (ISSUER, json!(["vk_search", "gazette_search"])),
        ("https://vk.example.com", json!(["vk_search"])),
        ("https://gazette.example.com", json!(["gazette_search"])),
    ];
    for (issuer, tools) in &sites {
        door.issuer = (*issuer).to_owned();
        let metadata = door.get("/.well-known/oauth-authorization-server").json();
        assert_eq!(metadata["issuer"], *issuer);
        let given = connect(&door, &door.client(), &courier.site.log_in());
        let listed = door.ask("/mcp", &given.access, "tools/list", json!({})).message();
        let names: Vec<_> =
            listed["result"]["tools"].as_array().expect("tools").iter().map(|tool| tool["name"].clone()).collect();
        assert_eq!(json!(names), *tools);
        tokens.push(given.access);
    }
    for (at, (issuer, _)) in sites.iter().enumerate() {
        door.issuer = (*issuer).to_owned();
        for (of, token) in tokens.iter().enumerate() {
            let answer = door.ask("/mcp", token, "tools/list", json!({}));
            assert_eq!(answer.status, if at == of { 200 } else { 401 }, "token of {of} at {at}");
        }
    }
    door.issuer = "https://other.example.com".to_owned();
    assert_eq!(door.ask("/mcp", &tokens[0], "tools/list", json!({})).status, 403);
}
