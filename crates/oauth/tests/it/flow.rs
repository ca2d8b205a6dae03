//! What clients rely on when they have tokens, told of a site with SQLite and of one with PostgreSQL.

use axum::body::Body;
use axum::http::Request;
use axum::http::header::AUTHORIZATION;
use quillgate_oauth::{GrantType, Scopes, Vault};
use quillgate_state::User;
use serde_json::json;

use crate::harness::{
    Browser, DESK, ISSUER, LOCAL, NOW, PASSWORD, Place, Reply, Store, VERIFIER, WEB, ask, basic, configured, stories,
};

stories!(
    clients_get_and_refresh_tokens,
    several_processes_refresh_at_once,
    tokens_live_as_long_as_they_say,
    a_login_takes_ten_minutes_at_most,
    clients_give_tokens_back,
    trusted_clients_ask_what_a_token_is_worth,
    configured_clients_act_for_themselves,
    errors_have_their_status_and_headers,
    tokens_are_for_one_resource,
    a_token_is_bound_to_the_vault_that_was_chosen,
    users_give_no_more_than_they_have,
    everything_survives_a_restart,
);

async fn clients_get_and_refresh_tokens(store: Store) {
    let place = Place::stored(store, |_| {}).await;
    let client = place.public_client(LOCAL).await;
    let code = Browser::new(&place).code(&ask(&client, LOCAL).with("scope", "read:notes offline_access openid")).await;
    let first = place.exchange(&client, &code).await;
    assert_eq!(first.status, 200);
    let answer = first.json();
    assert_eq!(
        (&answer["token_type"], &answer["expires_in"], &answer["scope"]),
        (&json!("Bearer"), &json!(86_400), &json!("read:notes"))
    );
    assert_eq!((first.text("access_token").len(), first.text("refresh_token").len()), (43, 43));
    let principal = place.check(&first.text("access_token")).await.unwrap();
    assert_eq!((principal.user.as_str(), &principal.client, &principal.vault), ("anna", &client, &None));
    let mut refresh = first.text("refresh_token");
    let mut seen = vec![first.text("access_token"), refresh.clone()];
    for _ in 0..5 {
        place.pass(61);
        let next = place.refresh(&client, &refresh).await;
        assert_eq!(next.status, 200);
        assert_eq!(place.check(&next.text("access_token")).await.unwrap().id, principal.id, "sessions go on");
        refresh = next.text("refresh_token");
        for token in [next.text("access_token"), refresh.clone()] {
            assert!(!seen.contains(&token), "every token is new");
            seen.push(token);
        }
    }
    // A wrong resource is told, and costs nothing.
    let form = [("grant_type", "refresh_token"), ("client_id", &*client), ("refresh_token", &refresh)];
    let mut wrong = form.to_vec();
    wrong.push(("resource", "https://evil.example"));
    assert_eq!(place.token(&wrong).await.error(), (400, "invalid_target".into()));
    let next = place.token(&form).await;
    assert_eq!(next.status, 200);
    // The answer got lost: the same again gives another pair; after the grace it ends everything.
    let again = place.token(&form).await;
    assert_eq!(again.status, 200);
    assert!(place.check(&next.text("access_token")).await.is_ok() && place.check(&again.text("access_token")).await.is_ok());
    place.pass(60);
    assert_eq!(place.token(&form).await.error(), (400, "invalid_grant".into()));
    for token in [&next.text("access_token"), &again.text("access_token"), &seen[0]] {
        assert!(place.is_refused(token).await);
    }
    for token in [next.text("refresh_token"), again.text("refresh_token")] {
        assert_eq!(place.refresh(&client, &token).await.error(), (400, "invalid_grant".into()));
    }
}

async fn tokens_live_as_long_as_they_say(store: Store) {
    let place = Place::stored(store, |_| {}).await;
    let day = 86_400;
    let mine = place.connected(WEB).await;
    place.pass(day - 1);
    assert!(place.check(&mine.access).await.is_ok());
    place.pass(1);
    place.pass(2);
    assert!(place.is_refused(&mine.access).await);
    // Refreshed every 29 days it goes on, but not for more than 90 days.
    let mine = place.connected(WEB).await;
    let mut refresh = mine.refresh;
    for _ in 0..3 {
        place.pass(29 * day);
        let next = place.refresh(&mine.client, &refresh).await;
        assert_eq!(next.status, 200);
        refresh = next.text("refresh_token");
    }
    place.pass(3 * day - 10);
    let next = place.refresh(&mine.client, &refresh).await;
    assert_eq!(next.json()["expires_in"], 10, "no token outlives the login");
    place.pass(10);
    assert_eq!(place.refresh(&mine.client, &next.text("refresh_token")).await.error(), (400, "invalid_grant".into()));
    assert!(place.is_refused(&next.text("access_token")).await);
    // Left alone for 30 days it is over.
    let mine = place.connected(WEB).await;
    place.pass(30 * day);
    assert_eq!(place.refresh(&mine.client, &mine.refresh).await.error(), (400, "invalid_grant".into()));
}

async fn several_processes_refresh_at_once(store: Store) {
    let place = Place::stored(store, |_| {}).await;
    let mine = place.connected(WEB).await;
    let replies = futures::future::join_all((0..6).map(|_| place.refresh(&mine.client, &mine.refresh))).await;
    for reply in &replies {
        assert_eq!(reply.status, 200, "{}", reply.body);
    }
    for reply in &replies {
        assert!(place.check(&reply.text("access_token")).await.is_ok());
    }
    // Each of them goes on by itself.
    place.pass(3600);
    for reply in &replies {
        assert_eq!(place.refresh(&mine.client, &reply.text("refresh_token")).await.status, 200);
    }
}

async fn a_login_takes_ten_minutes_at_most(store: Store) {
    let place = Place::stored(store, |_| {}).await;
    let asked = ask(&place.public_client(WEB).await, WEB);
    let mut browser = Browser::new(&place);
    let page = browser.login_page(&asked).await;
    place.pass(599);
    let after = browser.log_in(&page).await;
    assert_eq!(after.status, 303);
    let consent = browser.get(after.location().unwrap()).await;
    place.pass(1);
    browser.get(after.location().unwrap()).await.assert_page(403);
    browser.decide(&consent, "allow").await.assert_page(403);
    let page = browser.login_page(&asked).await;
    place.pass(600);
    browser.log_in(&page).await.assert_page(403);
    assert!(place.state.grants().await.unwrap().is_empty());
}

async fn clients_give_tokens_back(store: Store) {
    let place = Place::stored(store, |_| {}).await;
    let revoke = async |client: &str, token: &str, hint: Option<&str>| {
        let mut form = vec![("client_id", client), ("token", token)];
        form.extend(hint.map(|hint| ("token_type_hint", hint)));
        let reply = place.post("/oauth/revoke", &form, &[]).await;
        assert_eq!(reply.header("cache-control"), "no-store");
        (reply.status, reply.body)
    };
    let done = (200, String::new());
    // An access token goes alone.
    let mine = place.connected(WEB).await;
    assert!(place.check(&mine.access).await.is_ok());
    assert_eq!(revoke(&mine.client, &mine.access, None).await, done);
    assert!(place.is_refused(&mine.access).await);
    let next = place.refresh(&mine.client, &mine.refresh).await;
    assert_eq!(next.status, 200);
    // A refresh token takes everything along; the hint is only a hint.
    assert!(place.check(&next.text("access_token")).await.is_ok());
    assert_eq!(revoke(&mine.client, &next.text("refresh_token"), Some("access_token")).await, done);
    assert!(place.is_refused(&next.text("access_token")).await);
    assert_eq!(place.refresh(&mine.client, &next.text("refresh_token")).await.error(), (400, "invalid_grant".into()));
    // Again, unknown, somebody else's: the same answer, and nothing happens.
    let other = place.connected(WEB).await;
    for token in [&mine.access, &mine.refresh, "unknown", &other.access, &other.refresh] {
        assert_eq!(revoke(&mine.client, token, Some("nonsense")).await, done);
    }
    assert!(place.check(&other.access).await.is_ok());
    assert_eq!(place.refresh(&other.client, &other.refresh).await.status, 200);
    // Who asks must be known.
    let unknown = place.post("/oauth/revoke", &[("client_id", "x"), ("token", &other.access)], &[]).await;
    assert_eq!(unknown.error(), (401, "invalid_client".into()));
    let without_secret = place.post("/oauth/revoke", &[("client_id", DESK), ("token", &other.access)], &[]).await;
    assert_eq!(without_secret.error(), (401, "invalid_client".into()));
    let nothing = place.post("/oauth/revoke", &[("client_id", &*other.client)], &[]).await;
    assert_eq!(nothing.error(), (400, "invalid_request".into()));
    assert!(place.check(&other.access).await.is_ok());
}

async fn trusted_clients_ask_what_a_token_is_worth(store: Store) {
    let place = Place::stored(store, |settings| {
        settings.clients.push(configured("guard", |client| client.introspects = true));
        settings.clients.push(configured("clerk", |_| {}));
    })
    .await;
    let introspect = async |token: &str| {
        let reply = place.post("/oauth/introspect", &[("token", token)], &[(AUTHORIZATION, &basic("guard", "secret"))]).await;
        assert_eq!((reply.status, reply.header("cache-control")), (200, "no-store"));
        reply.json()
    };
    let inactive = json!({ "active": false });
    let mine = place.connected(WEB).await;
    let found = introspect(&mine.access).await;
    let expected = json!({ "active": true, "scope": "read:notes write:notes delete:notes", "client_id": mine.client,
        "username": "anna", "sub": "anna", "aud": "https://notes.example/mcp", "iss": ISSUER, "token_type": "Bearer",
        "iat": NOW, "exp": NOW + 86_400 });
    assert_eq!(found, expected);
    assert_eq!(introspect(&mine.refresh).await["active"], true);
    for token in ["unknown", &mine.code, "qgk_x", "a.b.c"] {
        assert_eq!(introspect(token).await, inactive, "{token}");
    }
    // What does not open anything any more is not active.
    let next = place.refresh(&mine.client, &mine.refresh).await;
    assert_eq!(introspect(&mine.refresh).await, inactive, "exchanged");
    place.post("/oauth/revoke", &[("client_id", &*mine.client), ("token", &next.text("refresh_token"))], &[]).await;
    for token in [&mine.access, &next.text("access_token"), &next.text("refresh_token")] {
        assert_eq!(introspect(token).await, inactive);
    }
    let expired = place.connected(WEB).await;
    place.pass(86_400);
    assert_eq!(introspect(&expired.access).await, inactive);
    let carl = |password: &str| User { name: "carl".into(), password: bcrypt::hash(password, 4).unwrap(), created: 0 };
    place.state.put_user(&carl(PASSWORD)).await.unwrap();
    let client = place.public_client(WEB).await;
    let mut browser = Browser::new(&place);
    let page = browser.login_page(&ask(&client, WEB)).await;
    let reply = browser.log_in_as(&page, "carl", PASSWORD).await;
    let page = browser.get(reply.location().unwrap()).await;
    let code = browser.decide(&page, "allow").await.answer("code").unwrap();
    let token = place.exchange(&client, &code).await.text("access_token");
    assert_eq!(introspect(&token).await["username"], "carl");
    place.state.put_user(&carl("another")).await.unwrap();
    assert_eq!(introspect(&token).await, inactive, "the password is another one");
    // Others may not ask.
    let form = [("token", &*expired.access)];
    let reply = place.post("/oauth/introspect", &form, &[(AUTHORIZATION, &basic("clerk", "secret"))]).await;
    assert_eq!(reply.error(), (400, "unauthorized_client".into()));
    let reply = place.post("/oauth/introspect", &[("client_id", &*expired.client), form[0]], &[]).await;
    assert_eq!(reply.error(), (400, "unauthorized_client".into()));
    for reply in [
        place.post("/oauth/introspect", &form, &[]).await,
        place.post("/oauth/introspect", &form, &[(AUTHORIZATION, &basic("guard", "wrong"))]).await,
        place.post("/oauth/introspect", &form, &[(AUTHORIZATION, &format!("Bearer {}", expired.access))]).await,
    ] {
        assert_eq!(reply.error(), (401, "invalid_client".into()));
    }
}

async fn configured_clients_act_for_themselves(store: Store) {
    let place = Place::stored(store, |settings| {
        settings.clients.push(configured("robot", |client| {
            client.grant_types = vec![GrantType::ClientCredentials];
            client.redirect_uris = Vec::new();
            client.scopes = Scopes::parse("read:notes write:notes vault:work").unwrap();
        }));
    })
    .await;
    let own = async |more: &[(&str, &str)]| {
        let mut form = vec![("grant_type", "client_credentials")];
        form.extend(more);
        place.post("/oauth/token", &form, &[(AUTHORIZATION, &basic("robot", "secret"))]).await
    };
    let reply = own(&[]).await;
    assert_eq!((reply.status, reply.text("scope")), (200, "read:notes write:notes vault:work".into()));
    assert!(reply.json().get("refresh_token").is_none());
    let principal = place.check(&reply.text("access_token")).await.unwrap();
    assert_eq!((principal.user.as_str(), principal.client.as_str()), ("client:robot", "robot"));
    assert_eq!(principal.vault.as_deref(), Some("work"));
    assert_eq!(own(&[("scope", "read:notes delete:notes")]).await.text("scope"), "read:notes");
    assert_eq!(own(&[("resource", "https://evil.example")]).await.error(), (400, "invalid_target".into()));
    let articles = own(&[("resource", "https://notes.example/mcp/articles")]).await.text("access_token");
    assert!(place.is_refused(&articles).await && place.check_at("/mcp/articles", &articles).await.is_ok());
    place.pass(86_400);
    place.pass(2);
    assert!(place.is_refused(&reply.text("access_token")).await);
    // Such a client sends nobody to log in.
    Browser::new(&place).open(&ask("robot", WEB)).await.assert_page(400);
}

async fn errors_have_their_status_and_headers(store: Store) {
    let place = Place::stored(store, |_| {}).await;
    let mine = place.connected(WEB).await;
    let (client, refresh) = (mine.client.as_str(), mine.refresh.as_str());
    let kind = ("grant_type", "refresh_token");
    let cases = [
        (vec![], 400, "invalid_request"),
        (vec![kind, ("client_id", client)], 400, "invalid_request"),
        (vec![kind, ("client_id", client), ("client_id", client), ("refresh_token", refresh)], 400, "invalid_request"),
        (vec![kind, ("client_id", client), ("refresh_token", refresh), ("refresh_token", refresh)], 400, "invalid_request"),
        (vec![kind, ("client_id", client), ("refresh_token", refresh), ("scope", "admin")], 400, "invalid_scope"),
        (vec![kind, ("client_id", client), ("refresh_token", refresh), ("resource", "x")], 400, "invalid_target"),
        (vec![kind, ("client_id", "x"), ("refresh_token", refresh)], 401, "invalid_client"),
        (vec![kind, ("client_id", client), ("refresh_token", "x")], 400, "invalid_grant"),
    ];
    let check = |reply: &Reply, status: u16, error: &str| {
        assert_eq!(reply.error(), (status, error.to_owned()), "{}", reply.body);
        assert!(!reply.text("error_description").is_empty());
        assert_eq!(reply.header("cache-control"), "no-store");
        assert_eq!(reply.header("content-type"), "application/json");
        assert_eq!(reply.header("access-control-allow-origin"), "*");
        assert!(reply.header("access-control-expose-headers").contains("WWW-Authenticate"));
        assert!(reply.header("access-control-allow-credentials").is_empty());
    };
    for path in ["/oauth/token", "/token"] {
        for (form, status, error) in &cases {
            let reply = place.post(path, form, &[]).await;
            check(&reply, *status, error);
            assert!(reply.header("www-authenticate").is_empty(), "Basic was not tried");
        }
    }
    let reply = place.post("/oauth/token", &[kind], &[(AUTHORIZATION, "Basic x")]).await;
    check(&reply, 401, "invalid_client");
    assert_eq!(reply.header("www-authenticate"), "Basic realm=\"quillgate\"");
    let good = [kind, ("client_id", client), ("refresh_token", refresh), ("unknown", "1"), ("unknown", "2")];
    let reply = place.token(&good).await;
    assert_eq!((reply.status, reply.header("cache-control"), reply.header("pragma")), (200, "no-store", "no-cache"));
    assert_eq!(reply.header("access-control-allow-origin"), "*");
    // A browser asks first whether a page may call; nobody has to be known for that.
    for path in ["/oauth/token", "/oauth/register", "/oauth/revoke", "/.well-known/oauth-authorization-server"] {
        let request = Request::builder().method("OPTIONS").uri(path).header("origin", "https://inspector.example");
        let reply = place.send(request.body(Body::empty()).unwrap()).await;
        assert_eq!((reply.status, reply.header("access-control-allow-origin")), (204, "*"), "{path}");
        assert!(reply.header("access-control-allow-headers").contains("Authorization"));
    }
    assert_eq!(place.get("/oauth/token").await.status, 405);
    // Too often.
    let limited = Place::stored(store, |settings| settings.limits.token = 3).await;
    let statuses = [limited.token(&[]).await, limited.token(&[]).await, limited.token(&[]).await].map(|reply| reply.status);
    assert_eq!(statuses, [400; 3]);
    let reply = limited.token(&[]).await;
    check(&reply, 429, "temporarily_unavailable");
    limited.pass(reply.header("retry-after").parse().unwrap());
    assert_eq!(limited.token(&[]).await.status, 400);
}

async fn tokens_are_for_one_resource(store: Store) {
    let place = Place::stored(store, |_| {}).await;
    let client = place.public_client(WEB).await;
    let (notes, articles) = ("https://notes.example/mcp", "https://notes.example/mcp/articles");
    for (asked, granted) in [
        (vec![], notes),
        (vec!["https://notes.example"], notes),
        (vec!["https://notes.example/", "HTTPS://NOTES.example/mcp"], notes),
        (vec![articles], articles),
        (vec!["https://notes.example/mcp/articles/", articles], articles),
    ] {
        let mut request = ask(&client, WEB);
        for resource in &asked {
            request = request.and("resource", resource);
        }
        let code = Browser::new(&place).code(&request).await;
        let mut form =
            vec![("grant_type", "authorization_code"), ("client_id", &*client), ("code", &code), ("code_verifier", VERIFIER)];
        let other = if granted == notes { articles } else { notes };
        for wrong in [other, "https://evil.example", "https://notes.example/mcp#x"] {
            let mut wrong_form = form.clone();
            wrong_form.extend([("resource", granted), ("resource", wrong)]);
            assert_eq!(place.token(&wrong_form).await.error(), (400, "invalid_target".into()), "{wrong}");
        }
        form.extend(asked.iter().map(|resource| ("resource", *resource)));
        let reply = place.token(&form).await;
        assert_eq!(reply.status, 200, "nothing above used the code up: {}", reply.body);
        let token = reply.text("access_token");
        let good = (place.check_at("/mcp", &token).await.is_ok(), place.check_at("/mcp/articles", &token).await.is_ok());
        assert_eq!(good, (granted == notes, granted == articles), "{asked:?}");
        let scope = reply.text("scope");
        assert_eq!(scope == "read:articles", granted == articles, "{scope}");
    }
}

async fn a_token_is_bound_to_the_vault_that_was_chosen(store: Store) {
    let vault = |id: &str| Vault { id: id.to_owned(), name: format!("The {id} <vault>") };
    let place = Place::stored(store, |settings| settings.vaults = vec![vault("home"), vault("work")]).await;
    let client = place.public_client(WEB).await;
    let asked = ask(&client, WEB).with("scope", "read:notes");
    let mut browser = Browser::new(&place);
    let page = browser.consent_page(&asked).await;
    assert_eq!(page.fields("vault"), ["home", "work"]);
    assert!(page.body.contains("The work &#60;vault&#62;"));
    let (request, csrf) = (page.field("request"), page.field("csrf"));
    let decide = [("request", &*request), ("csrf", &csrf), ("decision", "allow"), ("scope", "read:notes")];
    browser.post("/oauth/consent", &decide).await.assert_page(400);
    for other in ["other", "*", "", "home work"] {
        let mut form = decide.to_vec();
        form.push(("vault", other));
        browser.post("/oauth/consent", &form).await.assert_page(400);
    }
    let mut twice = decide.to_vec();
    twice.extend([("vault", "home"), ("vault", "work")]);
    browser.post("/oauth/consent", &twice).await.assert_page(400);
    let code = browser.decide(&page, "allow").await.answer("code").unwrap();
    let tokens = place.exchange(&client, &code).await;
    assert_eq!(tokens.text("scope"), "read:notes vault:work");
    let principal = place.check(&tokens.text("access_token")).await.unwrap();
    assert_eq!(principal.vault.as_deref(), Some("work"));
    // It stays, whatever a refresh asks for.
    let refresh = async |refresh: &str, scope: &str| {
        let form = [("grant_type", "refresh_token"), ("client_id", &client), ("refresh_token", refresh), ("scope", scope)];
        place.token(&form).await
    };
    let first = tokens.text("refresh_token");
    for wider in ["vault:home", "read:notes vault:home", "vault:*"] {
        assert_eq!(refresh(&first, wider).await.error(), (400, "invalid_scope".into()), "{wider}");
    }
    let next = refresh(&first, "read:notes").await;
    assert_eq!(next.text("scope"), "read:notes vault:work");
    assert_eq!(place.check(&next.text("access_token")).await.unwrap().vault.as_deref(), Some("work"));
    // The only vault needs no choice, and is bound all the same.
    let single = Place::stored(store, |settings| settings.vaults = vec![vault("home")]).await;
    let mine = single.connected(WEB).await;
    assert_eq!(single.check(&mine.access).await.unwrap().vault.as_deref(), Some("home"));
}

async fn users_give_no_more_than_they_have(store: Store) {
    let vault = |id: &str| Vault { id: id.to_owned(), name: id.to_owned() };
    let place = Place::stored(store, |settings| {
        settings.vaults = vec![vault("home"), vault("work")];
        let Some(quillgate_oauth::Login::Password { users }) = &mut settings.login else { panic!("no users") };
        users[0].scopes = Some(Scopes::parse("read:*").unwrap());
        users[0].vault = Some("home".to_owned());
    })
    .await;
    let client = place.public_client(WEB).await;
    let mut browser = Browser::new(&place);
    let page = browser.consent_page(&ask(&client, WEB)).await;
    assert_eq!((page.fields("scope"), page.fields("vault")), (vec!["read:notes".into()], vec!["home".into()]));
    let (request, csrf) = (page.field("request"), page.field("csrf"));
    let mut form = vec![("request", &*request), ("csrf", &csrf), ("decision", "allow")];
    form.extend([("scope", "read:notes"), ("scope", "write:notes"), ("vault", "work")]);
    browser.post("/oauth/consent", &form).await.assert_page(400);
    form.last_mut().unwrap().1 = "home";
    let code = browser.post("/oauth/consent", &form).await.answer("code").unwrap();
    assert_eq!(place.exchange(&client, &code).await.text("scope"), "read:notes vault:home");
    // Nothing ticked is nothing allowed.
    let page = browser.consent_page(&ask(&client, WEB)).await;
    let (request, csrf) = (page.field("request"), page.field("csrf"));
    let nothing = [("request", &*request), ("csrf", &csrf), ("decision", "allow"), ("vault", "home")];
    browser.post("/oauth/consent", &nothing).await.assert_page(400);
}

async fn everything_survives_a_restart(store: Store) {
    let place = Place::stored(store, |_| {}).await;
    let mine = place.connected(WEB).await;
    let client = place.public_client(WEB).await;
    let code = Browser::new(&place).code(&ask(&client, WEB)).await;
    let place = place.restarted().await;
    assert!(place.check(&mine.access).await.is_ok());
    assert_eq!(place.refresh(&mine.client, &mine.refresh).await.status, 200);
    assert_eq!(place.exchange(&client, &code).await.status, 200);
    Browser::new(&place).login_page(&ask(&mine.client, WEB)).await;
    // And so does what has ended.
    assert_eq!(place.exchange(&client, &code).await.error(), (400, "invalid_grant".into()));
    let place = place.restarted().await;
    place.pass(61);
    assert_eq!(place.refresh(&mine.client, &mine.refresh).await.error(), (400, "invalid_grant".into()));
    assert!(place.is_refused(&mine.access).await);
}
