//! Attacks 1 to 22: what is asked at the authorization endpoint.

use serde_json::json;

use crate::harness::{Ask, Browser, CHALLENGE, DESK, DESK_REDIRECT, ISSUER, LOCAL, Place, WEB, ask};

/// The error that a client on the user's own machine is told by redirect. Its redirect URI is trusted, so that nothing but the
/// request itself decides.
async fn told(place: &Place, ask: &Ask) -> Option<String> {
    let reply = Browser::new(place).open(ask).await;
    if reply.status == 200 {
        return None;
    }
    assert_eq!(reply.status, 303, "{}", reply.body);
    assert!(reply.location().unwrap().starts_with("http://127.0.0.1:1111/callback?"), "{:?}", reply.location());
    assert_eq!(reply.answers("iss"), [ISSUER]);
    assert_eq!(reply.answer("code"), None);
    Some(reply.answer("error").unwrap())
}

async fn local_ask(place: &Place) -> Ask {
    ask(&place.public_client(LOCAL).await, LOCAL)
}

/// Every one of these is asked by a client that registered something else, and gets a page.
async fn assert_foreign(registered: &str, asked: &[&str]) {
    let place = Place::new().await;
    let client = place.public_client(registered).await;
    for asked in asked {
        let reply = Browser::new(&place).open(&ask(&client, asked)).await;
        reply.assert_page(400);
        assert!(reply.set_cookies().is_empty(), "{asked}");
    }
    Browser::new(&place).login_page(&ask(&client, registered)).await;
}

/// None of these can be registered on its own.
async fn assert_unregistrable(addresses: &[&str]) {
    let place = Place::new().await;
    for address in addresses {
        let reply = place.register(&json!({ "redirect_uris": [address] })).await;
        assert_eq!(reply.error(), (400, "invalid_redirect_uri".into()), "{address}");
    }
}

#[tokio::test]
async fn attack_01_an_unknown_client_gets_a_page_and_no_redirect() {
    let place = Place::new().await;
    place.public_client(WEB).await;
    for client in ["qgc_AAAAAAAAAAAAAAAAAAAAAA", "nobody", "https://evil.example/client.json", "' OR 1=1 --", "\0", "%", ""] {
        for redirect_uri in [WEB, LOCAL] {
            Browser::new(&place).open(&ask(client, redirect_uri)).await.assert_page(400);
        }
    }
    Browser::new(&place).open(&ask("", WEB).without("client_id")).await.assert_page(400);
}

#[tokio::test]
async fn attack_02_a_redirect_that_was_not_registered_gets_a_page() {
    let other = ["https://evil.example/callback", "http://127.0.0.1:1111/callback", "https://app.example.evil.example/callback"];
    assert_foreign(WEB, &other).await;
    assert_foreign(WEB, &["javascript:alert(1)", "/callback", "//app.example/callback", "https://", "\u{202e}"]).await;
    let place = Place::new().await;
    let uris = ["https://app.example/one", "https://app.example/two"];
    let client = place.register(&json!({ "redirect_uris": uris })).await.text("client_id");
    Browser::new(&place).open(&ask(&client, "").without("redirect_uri")).await.assert_page(400);
}

#[tokio::test]
async fn attack_03_a_host_that_begins_like_loopback_is_not_loopback() {
    let evil = ["http://127.0.0.1.evil.com/callback", "http://127.0.0.1.evil.com:1111/callback", "http://127.0.0.10/callback"];
    assert_foreign(LOCAL, &evil).await;
    assert_unregistrable(&evil).await;
}

#[tokio::test]
async fn attack_04_loopback_as_a_user_name_is_not_loopback() {
    let evil = [
        "http://127.0.0.1@evil.com/",
        "http://127.0.0.1@evil.com/callback",
        "http://127.0.0.1:1111@evil.com/callback",
        "http://a@127.0.0.1:1111/callback",
    ];
    assert_foreign(LOCAL, &evil).await;
    assert_unregistrable(&evil).await;
}

#[tokio::test]
async fn attack_05_what_a_parser_would_repair_is_refused_as_it_stands() {
    let evil = [
        "http://127.0.0.1\\@evil.com",
        "http://127.0.0.1\\@evil.com/callback",
        "http:\\\\127.0.0.1:1111\\callback",
        "http://127.0.0.1:1111\\callback",
        "http://127.0.0.1:1111/callback\t",
        "http://127.0.0.1:1111/call\nback",
        " http://127.0.0.1:1111/callback",
        "http://127.0.0.1:1111/callback\0",
        "http://127.0.0.1:1111/callbäck",
        "ht\ttp://127.0.0.1:1111/callback",
    ];
    assert_foreign(LOCAL, &evil).await;
    assert_unregistrable(&evil).await;
}

#[tokio::test]
async fn attack_06_other_spellings_of_loopback_are_refused() {
    let evil = [
        "http://0x7f.1/callback",
        "http://2130706433/callback",
        "http://127.1/callback",
        "http://0177.0.0.1/callback",
        "http://127.0.0.1./callback",
        "http://１27.0.0.1/callback",
        "http://127。0。0。1/callback",
        "http://%31%32%37.0.0.1/callback",
    ];
    assert_foreign(LOCAL, &evil).await;
    assert_unregistrable(&evil).await;
}

#[tokio::test]
async fn attack_07_loopback_inside_ipv6_is_refused() {
    let evil = [
        "http://[::ffff:127.0.0.1]/callback",
        "http://[::ffff:7f00:1]/callback",
        "http://[0:0:0:0:0:0:0:1]/callback",
        "http://[::]/callback",
    ];
    assert_foreign(LOCAL, &evil).await;
    assert_foreign("http://[::1]:1111/callback", &evil).await;
    assert_unregistrable(&evil).await;
}

#[tokio::test]
async fn attack_08_names_around_localhost_are_not_localhost() {
    let evil = [
        "http://localhost./callback",
        "http://localhost.evil.com/callback",
        "http://evil.localhost/callback",
        "http://LOCALHOST:1111/callback",
    ];
    assert_foreign("http://localhost:1111/callback", &evil).await;
    assert_unregistrable(&evil).await;
}

#[tokio::test]
async fn attack_09_addresses_are_compared_byte_for_byte_but_for_the_port_of_loopback() {
    let registered = "https://a.example/cb?x=1";
    let evil = [
        "https://a.example/cb",
        "https://a.example/cb?x=2",
        "https://a.example/cb?x=1&y=2",
        "https://a.example/cb/?x=1",
        "https://a.example/CB?x=1",
        "https://A.example/cb?x=1",
        "HTTPS://a.example/cb?x=1",
        "https://a.example:443/cb?x=1",
        "https://a.example:8443/cb?x=1",
        "https://a.example/x/../cb?x=1",
        "https://a.example/x/%2e%2e/cb?x=1",
        "https://a.example/%63b?x=1",
        "https://a.example//cb?x=1",
        "https://a.example/cb?x=1#",
        "http://a.example/cb?x=1",
    ];
    assert_foreign(registered, &evil).await;
    assert_unregistrable(&["https://a/x/../cb", "https://a/x/%2e%2e/cb", "https://a/x/%2E./cb"]).await;

    let place = Place::new().await;
    for (registered, fine, evil) in [
        (LOCAL, "http://127.0.0.1:2222/callback", "http://127.0.0.1:2222/other"),
        ("http://localhost/callback", "http://localhost:52163/callback", "http://127.0.0.1:52163/callback"),
        ("http://[::1]:1/callback", "http://[::1]/callback", "http://[::1]/callback?x"),
        ("http://127.0.0.1/", "http://127.0.0.1:33418/", "http://127.0.0.1:33418"),
        ("http://127.0.0.1:1/callback", "http://127.0.0.1:65535/callback", "http://127.0.0.1:65536/callback"),
    ] {
        let client = place.public_client(registered).await;
        Browser::new(&place).login_page(&ask(&client, fine)).await;
        Browser::new(&place).open(&ask(&client, evil)).await.assert_page(400);
    }
}

#[tokio::test]
async fn attack_10_nobody_is_sent_to_an_address_that_nobody_trusts_before_agreeing() {
    let operators = "https://operators.example/callback";
    let place = Place::with(|settings| settings.trusted_redirects.push(operators.to_owned())).await;
    let client = place.public_client(WEB).await;
    let good = ask(&client, WEB);
    let errors = [
        (good.with("response_type", "token"), "unsupported_response_type"),
        (good.without("response_type"), "invalid_request"),
        (good.without("code_challenge"), "invalid_request"),
        (good.with("resource", "https://evil.example"), "invalid_target"),
        (good.with("prompt", "none"), "login_required"),
        (good.and("state", "two"), "invalid_request"),
    ];
    for (ask, error) in &errors {
        let reply = Browser::new(&place).open(ask).await;
        reply.assert_page(400);
        assert!(reply.body.contains(&format!("({error})")), "{}", reply.body);
        assert!(
            reply.body.contains("Return to app.example") && reply.body.contains("href=\"https://app.example/callback?error=")
        );
        assert!(!reply.body.contains("http-equiv") && reply.header("refresh").is_empty(), "it is the person who goes there");
    }
    // The same to addresses that can be trusted: of the operator, and where somebody has agreed before.
    let chosen = place.public_client(operators).await;
    for (client, redirect_uri) in [(chosen.as_str(), operators), (DESK, DESK_REDIRECT)] {
        let reply = Browser::new(&place).open(&ask(client, redirect_uri).with("prompt", "none")).await;
        assert_eq!((reply.status, reply.answer("error").as_deref()), (303, Some("login_required")));
    }
    Browser::new(&place).code(&good).await;
    for (ask, error) in &errors {
        let reply = Browser::new(&place).open(ask).await;
        assert_eq!((reply.status, reply.answer("error").as_deref()), (303, Some(*error)));
        assert!(reply.location().unwrap().starts_with("https://app.example/callback?error="));
    }
    let stranger = place.public_client(WEB).await;
    Browser::new(&place).open(&ask(&stranger, WEB).with("prompt", "none")).await.assert_page(400);
}

#[tokio::test]
async fn attack_11_only_s256_is_a_challenge_method() {
    let place = Place::new().await;
    let good = local_ask(&place).await;
    for method in ["plain", "s256", "S256 ", "S512", "", "none"] {
        let ask = good.with("code_challenge_method", method);
        assert_eq!(told(&place, &ask).await.as_deref(), Some("invalid_request"), "{method}");
    }
    assert_eq!(told(&place, &good.without("code_challenge_method")).await.as_deref(), Some("invalid_request"));
    assert_eq!(told(&place, &good.and("code_challenge_method", "plain")).await.as_deref(), Some("invalid_request"));
    assert_eq!(told(&place, &good).await, None);
}

#[tokio::test]
async fn attack_12_a_challenge_is_43_characters_of_base64url() {
    let place = Place::new().await;
    let good = local_ask(&place).await;
    let long = format!("{CHALLENGE}a");
    let short = &CHALLENGE[..42];
    for challenge in
        [short, &long, &format!("{short}+"), &format!("{short}/"), &format!("{short}="), &format!("{short}é"), &"a".repeat(4000)]
    {
        assert_eq!(
            told(&place, &good.with("code_challenge", challenge)).await.as_deref(),
            Some("invalid_request"),
            "{challenge}"
        );
    }
    for missing in [good.without("code_challenge"), good.with("code_challenge", "")] {
        assert_eq!(told(&place, &missing).await.as_deref(), Some("invalid_request"));
    }
}

#[tokio::test]
async fn attack_13_a_parameter_that_stands_twice_is_refused() {
    let place = Place::new().await;
    let good = local_ask(&place).await;
    let web = ask(&place.public_client(WEB).await, WEB);
    // While it is not clear who asks or where the answer goes, it goes nowhere, not even to this machine.
    for ask in [
        good.and("client_id", "other"),
        good.and("client_id", ""),
        good.and("redirect_uri", LOCAL),
        good.and("redirect_uri", WEB),
        web.and("redirect_uri", WEB),
        web.and("state", "other"),
    ] {
        Browser::new(&place).open(&ask).await.assert_page(400);
    }
    for name in ["state", "scope", "response_type", "code_challenge", "code_challenge_method", "prompt", "response_mode"] {
        let ask = good.and(name, "S256").and(name, "S256");
        assert_eq!(told(&place, &ask).await.as_deref(), Some("invalid_request"), "{name}");
    }
    let reply = Browser::new(&place).open(&good.and("state", "other")).await;
    assert_eq!(reply.answers("state"), Vec::<String>::new(), "none of the two is handed back");
}

#[tokio::test]
async fn attack_14_a_state_is_handed_back_unchanged_whatever_it_holds() {
    let place = Place::new().await;
    let good = local_ask(&place).await;
    for state in [
        "a\r\nSet-Cookie: x=y\r\n\r\n<html>",
        "\"'`",
        "</script><script>alert(1)</script>",
        "&x=y&code=1&iss=evil",
        "a+b c%20d%0d%0a",
        "#fragment",
        "\0\u{7f}",
        "Grüße 日本 \u{202e}",
        &"x".repeat(4096),
    ] {
        for decision in ["allow", "deny"] {
            let mut browser = Browser::new(&place);
            let page = browser.consent_page(&good.with("state", state)).await;
            assert!(!page.without_own_script().contains("<script>"));
            let reply = browser.decide(&page, decision).await;
            assert_eq!((reply.status, reply.answers("state")), (303, vec![state.to_owned()]));
            assert_eq!(reply.answers("iss"), [ISSUER]);
            assert!(reply.set_cookies().iter().all(|cookie| !cookie.contains("x=y")));
        }
    }
    for long in ["x".repeat(4097), "x".repeat(8192), "é".repeat(2049)] {
        let reply = Browser::new(&place).open(&good.with("state", &long)).await;
        assert_eq!((reply.answer("error").as_deref(), reply.answer("state")), (Some("invalid_request"), None));
        let web = ask(&place.public_client(WEB).await, WEB);
        Browser::new(&place).open(&web.with("state", &long)).await.assert_page(400);
    }
    let mut browser = Browser::new(&place);
    let page = browser.consent_page(&good.without("state")).await;
    assert!(browser.decide(&page, "allow").await.answers("state").is_empty(), "none was sent");
}

#[tokio::test]
async fn attack_15_an_address_that_holds_an_answer_already_cannot_be_registered() {
    for name in ["code", "error", "error_description", "iss", "state", "%63ode"] {
        let addresses = ["https://app.example/cb", "http://127.0.0.1:1/cb", "cursor://a/cb"];
        let addresses = addresses.map(|address| format!("{address}?x=1&{name}=1"));
        assert_unregistrable(&addresses.each_ref().map(String::as_str)).await;
    }
    assert_unregistrable(&["https://app.example/cb?code", "https://app.example/cb?a=b&iss="]).await;
}

#[tokio::test]
async fn attack_16_request_objects_are_not_read() {
    let place = Place::new().await;
    let good = local_ask(&place).await;
    let object = "eyJhbGciOiJub25lIn0.eyJyZWRpcmVjdF91cmkiOiJodHRwczovL2V2aWwuZXhhbXBsZSJ9.";
    assert_eq!(told(&place, &good.with("request", object)).await.as_deref(), Some("request_not_supported"));
    let elsewhere = good.with("request_uri", "https://evil.example/request");
    assert_eq!(told(&place, &elsewhere).await.as_deref(), Some("request_uri_not_supported"));
}

#[tokio::test]
async fn attack_17_without_a_page_nobody_is_asked_and_nothing_is_given() {
    let place = Place::new().await;
    let good = local_ask(&place).await;
    Browser::new(&place).code(&good).await;
    for prompt in ["none", "none login", "consent none"] {
        let mut browser = Browser::new(&place);
        let reply = browser.open(&good.with("prompt", prompt)).await;
        assert_eq!((reply.status, reply.answer("error").as_deref()), (303, Some("login_required")), "{prompt}");
        assert!(reply.body.is_empty() && browser.cookies.is_empty());
    }
    for prompt in ["consent", "login", "select_account", "nonesuch"] {
        Browser::new(&place).login_page(&good.with("prompt", prompt)).await;
    }
}

#[tokio::test]
async fn attack_18_answers_go_in_the_query_only() {
    let place = Place::new().await;
    let good = local_ask(&place).await;
    for mode in ["fragment", "form_post", "query.jwt", "web_message"] {
        assert_eq!(told(&place, &good.with("response_mode", mode)).await.as_deref(), Some("invalid_request"), "{mode}");
    }
    assert_eq!(told(&place, &good.with("response_mode", "query")).await, None);
}

#[tokio::test]
async fn attack_19_a_resource_that_is_not_ours_is_an_invalid_target() {
    let place = Place::new().await;
    let good = local_ask(&place).await;
    for resource in [
        "https://evil.example/mcp",
        "https://notes.example.evil.example/mcp",
        "https://notes.example@evil.example/mcp",
        "https://notes.example:8443/mcp",
        "http://notes.example/mcp",
        "https://notes.example/mcp#",
        "https://notes.example/mcp#fragment",
        "https://notes.example#",
        "https://notes.example/mcp?x=1",
        "https://notes.example/other",
        "https://notes.example/mcp/other",
        "https://notes.example/mcp//",
        "https://notes.example/MCP",
        "https://notes.example/x/../mcp",
        "/mcp",
        "mcp",
        "notes.example/mcp",
        "//notes.example/mcp",
        "urn:notes",
    ] {
        assert_eq!(told(&place, &good.with("resource", resource)).await.as_deref(), Some("invalid_target"), "{resource}");
    }
    for resource in
        ["https://notes.example", "https://notes.example/", "HTTPS://Notes.Example:443/mcp/", "https://notes.example/mcp"]
    {
        assert_eq!(told(&place, &good.with("resource", resource)).await, None, "{resource}");
    }
}

#[tokio::test]
async fn attack_20_one_foreign_resource_spoils_the_list() {
    let place = Place::new().await;
    let good = local_ask(&place).await.with("resource", "https://notes.example/mcp");
    for other in ["https://evil.example/mcp", "https://notes.example/mcp/articles", "https://notes.example/mcp#x", "x"] {
        assert_eq!(told(&place, &good.and("resource", other)).await.as_deref(), Some("invalid_target"), "{other}");
        let reversed = good.with("resource", other).and("resource", "https://notes.example/mcp");
        assert_eq!(told(&place, &reversed).await.as_deref(), Some("invalid_target"), "{other}");
    }
    assert_eq!(told(&place, &good.and("resource", "https://notes.example/")).await, None, "two names of the same");
}

#[tokio::test]
async fn attack_21_scopes_are_bounded() {
    let place = Place::new().await;
    let good = local_ask(&place).await;
    let many: Vec<String> = (0..10_000).map(|number| format!("s{number}")).collect();
    for scope in [many.join(" "), many[..101].join(" "), "x".repeat(4097), "read:notes \"".to_owned(), "é".to_owned()] {
        assert_eq!(told(&place, &good.with("scope", &scope)).await.as_deref(), Some("invalid_scope"), "{}", scope.len());
    }
    let crowd = format!("{} read:notes", many[..99].join(" "));
    let page = Browser::new(&place).consent_page(&good.with("scope", &crowd)).await;
    assert_eq!(page.fields("scope"), ["read:notes"], "what is not offered is dropped");
}

#[tokio::test]
async fn attack_22_every_answer_names_the_issuer_once() {
    let place = Place::new().await;
    let (local, desk) = (local_ask(&place).await, ask(DESK, DESK_REDIRECT));
    let with_query = "https://query.example/cb?x=1";
    let query = ask(&place.public_client(with_query).await, with_query);
    for ask in [local, desk, query] {
        let ask = ask.and("iss", "https://evil.example");
        for decision in ["allow", "deny"] {
            let mut browser = Browser::new(&place);
            let page = browser.consent_page(&ask).await;
            let reply = browser.decide(&page, decision).await;
            assert_eq!((reply.status, reply.answers("iss")), (303, vec![ISSUER.to_owned()]));
            assert_eq!(reply.answers(if decision == "allow" { "code" } else { "error" }).len(), 1);
            assert_eq!(reply.answers("state"), ["a state"]);
        }
        let reply = Browser::new(&place).open(&ask.with("response_type", "token")).await;
        assert_eq!((reply.status, reply.answers("iss")), (303, vec![ISSUER.to_owned()]));
    }
}
