//! Whose session a cookie is.

use std::time::Duration;

use quillgate_example_upstream::{Control, Misbehaviour, Upstream};
use quillgate_remote::{Account, AccountSettings, GetLimits, UpstreamAccount, UpstreamError};

async fn site() -> (Upstream, UpstreamAccount) {
    let site = Upstream::start_anywhere().await.expect("a site");
    let account = UpstreamAccount::new(settings(&site)).expect("settings");
    (site, account)
}

fn settings(site: &Upstream) -> AccountSettings {
    AccountSettings {
        url: site.account_url(),
        cookie: "auth_token".to_owned(),
        name: "/name".to_owned(),
        expires: Some("/expires".to_owned()),
        limits: GetLimits::default(),
    }
}

async fn is_unavailable(account: &UpstreamAccount, token: &str) -> bool {
    matches!(account.check(&token.into()).await, Err(UpstreamError::Unavailable(cause)) if !cause.contains(token))
}

#[tokio::test]
async fn a_session_has_a_name_and_an_end() {
    let (site, account) = site().await;
    let found = account.check(&site.log_in().into()).await.expect("an account");
    assert_eq!(found.name, "reader");
    assert!(found.expires.is_some_and(|expires| expires > 1_700_000_000), "{found:?}");
}

#[tokio::test]
async fn a_session_that_the_site_does_not_know_is_rejected() {
    let (site, account) = site().await;
    let token = site.log_in();
    assert_eq!(account.check(&"forged".into()).await, Err(UpstreamError::Rejected));
    site.control(Control { expire_sessions: true, ..Control::default() });
    assert_eq!(account.check(&token.into()).await, Err(UpstreamError::Rejected));
}

#[tokio::test]
async fn a_cookie_that_would_say_more_than_itself_never_leaves() {
    let (site, account) = site().await;
    for bad in ["a; auth_token=b", "a\r\nx: y", "", "a,b"] {
        assert_eq!(account.check(&bad.into()).await, Err(UpstreamError::Rejected), "{bad:?}");
    }
    assert_eq!(site.requests(), []);
}

#[tokio::test]
async fn a_site_that_fails_is_unavailable_and_nobody_is_let_in() {
    let (site, account) = site().await;
    let token = site.log_in();
    let elsewhere = Upstream::start_anywhere().await.expect("a site");
    for answer in [
        Misbehaviour::Status { code: 500 },
        Misbehaviour::Status { code: 204 },
        Misbehaviour::Garbage,
        Misbehaviour::Huge,
        Misbehaviour::Encoded,
        Misbehaviour::Redirect { to: elsewhere.account_url() },
        Misbehaviour::Body { text: r#"{"loggedIn": false}"#.to_owned() },
        Misbehaviour::Body { text: r#"{"name": 7}"#.to_owned() },
        Misbehaviour::Body { text: r#"{"name": " \u0007 "}"#.to_owned() },
    ] {
        site.control(Control::answer(answer.clone()));
        assert!(is_unavailable(&account, &token).await, "{answer:?}");
    }
    assert_eq!(elsewhere.requests(), [], "the cookie stays with its site");
}

#[tokio::test]
async fn a_site_that_takes_too_long_is_unavailable() {
    let (site, _) = site().await;
    let limits = GetLimits { time: Duration::from_millis(100), ..GetLimits::default() };
    let account = UpstreamAccount::new(AccountSettings { limits, ..settings(&site) }).expect("settings");
    for answer in [Misbehaviour::Silent, Misbehaviour::Stalled] {
        site.control(Control::answer(answer));
        assert!(is_unavailable(&account, &site.log_in()).await);
    }
}

#[tokio::test]
async fn a_name_is_one_line_and_an_end_is_a_number() {
    let (site, account) = site().await;
    let text = format!(r#"{{"name": "Alva\r\n<b>{}", "expires": "soon"}}"#, "x".repeat(1000));
    site.control(Control::answer(Misbehaviour::Body { text }));
    let Account { name, expires } = account.check(&"a".into()).await.expect("an account");
    assert!(name.starts_with("Alva<b>x") && name.chars().count() == 200, "{name}");
    assert_eq!(expires, None);
}

#[tokio::test]
async fn settings_that_would_send_a_cookie_in_the_clear_are_refused() {
    let (site, _) = site().await;
    let fault = |change: &dyn Fn(&mut AccountSettings)| {
        let mut settings = settings(&site);
        change(&mut settings);
        UpstreamAccount::new(settings).err().map(|fault| fault.setting)
    };
    assert_eq!(fault(&|settings| settings.url = "http://news.example/account".to_owned()), Some("accountUrl"));
    assert_eq!(fault(&|settings| settings.cookie = "a=b".to_owned()), Some("cookie"));
    assert_eq!(fault(&|settings| settings.name = "name".to_owned()), Some("a field of the account"));
}
