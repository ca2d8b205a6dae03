//! The cookie that binds a login to one browser, and the reading of others.

use axum::http::header::COOKIE;
use axum::http::{HeaderMap, HeaderValue};
use quillgate_state::SecretHash;
use secrecy::{ExposeSecret, SecretString};

use crate::site::Site;

/// How long a login may take, in seconds.
pub(crate) const LOGIN_SECONDS: i64 = 600;

/// Every login has a cookie of its own, so that two tabs do not disturb each other.
fn name(site: &Site, request: &str) -> String {
    let hash = SecretHash::of(request);
    // The prefix makes browsers refuse it without Secure, with a Domain, or from anywhere but this very host.
    let prefix = if site.is_https() { "__Host-" } else { "" };
    format!("{prefix}quillgate-{}", &hash.as_str()[..8])
}

pub(crate) fn binding(site: &Site, request: &str, secret: &SecretString) -> Option<HeaderValue> {
    set(site, &name(site, request), secret.expose_secret(), LOGIN_SECONDS)
}

pub(crate) fn forget(site: &Site, request: &str) -> Option<HeaderValue> {
    set(site, &name(site, request), "", 0)
}

fn set(site: &Site, name: &str, value: &str, seconds: i64) -> Option<HeaderValue> {
    let secure = if site.is_https() { "; Secure" } else { "" };
    let cookie = format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={seconds}{secure}");
    let mut value = HeaderValue::try_from(cookie).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// The secret that this browser was given for the login.
pub(crate) fn bound(site: &Site, request: &str, headers: &HeaderMap) -> Option<SecretString> {
    match &all(headers, &name(site, request))[..] {
        [only] => Some(SecretString::from(only.clone())),
        _ => None,
    }
}

/// Every value that the browser sends under a name. Sibling domains can add more of them, so there may be several.
pub(crate) fn all(headers: &HeaderMap, name: &str) -> Vec<String> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(|(other, _)| *other == name).map(|(_, value)| value.to_owned()).collect()
}
