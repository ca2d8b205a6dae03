//! Secrets that would be recognised anywhere go through everything, and then are looked for where they must not be.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use axum::body::Body;
use axum::http::Request;
use axum::http::header::AUTHORIZATION;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use quillgate_oauth::{Login, PasswordHash};
use quillgate_state::SecretHash;
use serde_json::json;
use tracing_subscriber::filter::LevelFilter;

use crate::harness::{Browser, Place, Reply, WEB, ask, basic, configured, user};

const CANARY_PASSWORD: &str = "canary-password-7d1f0c";
const WRONG_PASSWORD: &str = "canary-mistyped-5b22e9";
const CANARY_VERIFIER: &str = "canary-verifier-49e0aa-canary-verifier-49e0aa-canary";
const WRONG_VERIFIER: &str = "canary-guess-81c3d7-canary-guess-81c3d7-canary-guess";
const GUARD_SECRET: &str = "canary-guard-c0ffee";

/// Everything that is logged, whoever logs it.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What was handed out, and how often each may stand in an answer.
#[derive(Default)]
struct Secrets(Vec<(&'static str, String, usize)>);

impl Secrets {
    fn add(&mut self, name: &'static str, secret: impl Into<String>, answers: usize) {
        self.0.push((name, secret.into(), answers));
    }

    fn assert_absent(&self, place: &str, text: &[u8]) {
        for (name, secret, _) in &self.0 {
            let found = text.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!found, "the {name} stands in the {place}");
        }
    }
}

fn challenge() -> String {
    URL_SAFE_NO_PAD.encode(aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, CANARY_VERIFIER.as_bytes()))
}

async fn exchange(place: &Place, id: &str, secret: &str, code: &str, verifier: &str) -> Reply {
    let form = [("grant_type", "authorization_code"), ("code", code), ("code_verifier", verifier)];
    place.post("/oauth/token", &form, &[(AUTHORIZATION, &basic(id, secret))]).await
}

async fn refresh(place: &Place, id: &str, secret: &str, token: &str) -> Reply {
    let form = [("grant_type", "refresh_token"), ("refresh_token", token)];
    place.post("/oauth/token", &form, &[(AUTHORIZATION, &basic(id, secret))]).await
}

async fn manage(place: &Place, method: &str, client: &str, token: &str) -> u16 {
    let request = Request::builder().method(method).uri(format!("/oauth/register/{client}"));
    place.send(request.header(AUTHORIZATION, format!("Bearer {token}")).body(Body::empty()).unwrap()).await.status
}

/// The database with its journal, as bytes.
#[expect(clippy::disallowed_methods, reason = "the test's own folder")]
fn database(place: &Place) -> Vec<u8> {
    let files = std::fs::read_dir(place.folder.path()).unwrap();
    files.flat_map(|file| std::fs::read(file.unwrap().path()).unwrap()).collect()
}

#[tokio::test]
async fn no_secret_is_found_where_it_was_not_handed_out() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt().with_max_level(LevelFilter::TRACE).with_ansi(false);
    tracing::subscriber::set_global_default(subscriber.with_writer(move || writer.clone()).finish()).unwrap();
    let stored = bcrypt::hash(CANARY_PASSWORD, 4).unwrap();
    let place = Place::with(|settings| {
        let hash = PasswordHash::parse(&stored).unwrap();
        settings.login = Some(Login::Password { users: vec![user("anna", hash)] });
        settings.clients.push(configured("guard", |client| {
            client.secret = Some(SecretHash::of(GUARD_SECRET));
            client.introspects = true;
        }));
    })
    .await;
    let mut secrets = Secrets::default();
    secrets.add("password", CANARY_PASSWORD, 0);
    secrets.add("hash of the password", stored, 0);
    secrets.add("wrong password", WRONG_PASSWORD, 0);
    secrets.add("verifier", CANARY_VERIFIER, 0);
    secrets.add("wrong verifier", WRONG_VERIFIER, 0);
    secrets.add("secret of a configured client", GUARD_SECRET, 0);

    let registered = place.register(&json!({ "redirect_uris": [WEB], "client_name": "App" })).await;
    let (client, secret) = (registered.text("client_id"), registered.text("client_secret"));
    let management = registered.text("registration_access_token");
    secrets.add("client secret", &secret, 1);
    secrets.add("registration token", &management, 1);

    // Somebody mistypes, logs in, and allows.
    let ask = ask(&client, WEB).with("code_challenge", &challenge());
    let mut browser = Browser::new(&place);
    let page = browser.login_page(&ask).await;
    let cookie = |browser: &Browser<'_>| browser.cookies.values().next().unwrap().clone();
    let first_cookie = cookie(&browser);
    let page = browser.log_in_as(&page, "anna", WRONG_PASSWORD).await;
    secrets.add("cookie before the login", first_cookie, 2);
    let reply = browser.log_in_as(&page, "anna", CANARY_PASSWORD).await;
    secrets.add("cookie after the login", cookie(&browser), 2);
    let page = browser.get(reply.location().unwrap()).await;
    let reply = browser.decide(&page, "allow").await;
    let code = reply.answer("code").unwrap();
    secrets.add("code", &code, 1);
    browser.decide(&page, "allow").await.assert_page(403);

    // The client makes every mistake before it gets its tokens, and some after.
    assert_eq!(exchange(&place, &client, WRONG_PASSWORD, &code, CANARY_VERIFIER).await.status, 401);
    assert_eq!(exchange(&place, &client, &secret, WRONG_VERIFIER, CANARY_VERIFIER).await.status, 400);
    assert_eq!(exchange(&place, &client, &secret, &code, WRONG_VERIFIER).await.status, 400);
    let query = format!("/oauth/token?code={code}&client_secret={secret}&code_verifier={CANARY_VERIFIER}");
    assert_eq!(place.post(&query, &[("client_secret", &secret), ("grant_type", &code)], &[]).await.status, 400);
    let tokens = exchange(&place, &client, &secret, &code, CANARY_VERIFIER).await;
    let (access, first) = (tokens.text("access_token"), tokens.text("refresh_token"));
    secrets.add("access token", &access, 1);
    secrets.add("refresh token", &first, 1);
    let principal = place.check(&access).await.unwrap();
    assert!(place.is_refused(&first).await && place.is_refused(&secret).await);
    place.get(&format!("/.well-known/oauth-protected-resource?access_token={access}")).await;
    Browser::new(&place).get(&format!("{}&access_token={access}&password={CANARY_PASSWORD}", ask.path())).await;

    let next = refresh(&place, &client, &secret, &first).await;
    let (second_access, second) = (next.text("access_token"), next.text("refresh_token"));
    secrets.add("second access token", &second_access, 1);
    secrets.add("second refresh token", &second, 1);
    for token in [&access, &second_access, &second, &code, &secret] {
        let form = [("token", &**token), ("client_id", "guard"), ("client_secret", GUARD_SECRET)];
        assert_eq!(place.post("/oauth/introspect", &form, &[]).await.status, 200);
    }
    let mut shown = format!("{principal:?} {:?} {:?}", place.site.settings.clients, place.state);
    shown += &format!("{:?} {:?}", place.state.clients().await.unwrap(), place.state.grants().await.unwrap());
    shown += &format!("{:?}", place.state.tokens_of(principal.grant.as_deref().unwrap()).await.unwrap());
    shown += &format!("{:?}", place.state.find_code(&SecretHash::of(&code)).await.unwrap());
    shown += &format!("{:?} {:?}", place.check(&secret).await.unwrap_err(), place.site.settings.endpoints);
    let Some(Login::Password { users }) = &place.site.settings.login else { panic!("no users") };
    shown += &format!("{:?} {:?}", users[0].password, quillgate_oauth::Hashing::new(1).resembling(&users[0].password));

    // The tokens are given back, and then somebody has the code, an old refresh token, and the wrong token for the registration.
    let form = [("token", &*second_access)];
    assert_eq!(place.post("/oauth/revoke", &form, &[(AUTHORIZATION, &basic(&client, &secret))]).await.status, 200);
    place.pass(61);
    assert_eq!(refresh(&place, &client, &secret, &first).await.status, 400);
    assert_eq!(exchange(&place, &client, &secret, &code, CANARY_VERIFIER).await.status, 400);
    assert!(place.is_refused(&access).await);
    assert_eq!(manage(&place, "GET", &client, &secret).await, 401);
    assert_eq!(manage(&place, "GET", &client, &management).await, 200);
    let before_the_end = database(&place);
    assert_eq!(manage(&place, "DELETE", &client, &management).await, 204);

    let logged = log.0.lock().unwrap().clone();
    let has = |text: &[u8], word: &str| text.windows(word.len()).any(|window| window == word.as_bytes());
    for word in ["a client registered", "a login failed", "access was allowed", "a refresh token was used again"] {
        assert!(has(&logged, word), "{word} is logged: {}", String::from_utf8_lossy(&logged));
    }
    assert!(has(&before_the_end, &client) && has(&before_the_end, SecretHash::of(&second).as_str()));
    secrets.assert_absent("log", &logged);
    secrets.assert_absent("database", &before_the_end);
    secrets.assert_absent("database at the end", &database(&place));
    secrets.assert_absent("debug output", shown.as_bytes());
    let heard = place.heard();
    for (name, secret, answers) in &secrets.0 {
        let holders: Vec<&str> =
            heard.iter().filter(|answer| answer.contains(secret)).map(|answer| answer.lines().next().unwrap()).collect();
        assert_eq!(holders.len(), *answers, "answers with the {name}: {holders:?}");
        let times: usize = heard.iter().map(|answer| answer.matches(secret.as_str()).count()).sum();
        assert_eq!(times, *answers, "the {name} stands once in each");
    }
}
