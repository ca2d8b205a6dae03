//! Who is logged in.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::time::{SystemTime, UNIX_EPOCH};

use axum::http::HeaderMap;
use axum::http::header::COOKIE as COOKIE_HEADER;
use parking_lot::Mutex;

/// The cookie that carries a session.
pub const COOKIE: &str = "auth_token";
/// How long a session lasts, in seconds.
const LIFETIME: u64 = 14 * 24 * 3600;

#[derive(Clone, Debug)]
pub(crate) struct Session {
    pub(crate) name: String,
    /// Seconds since 1970.
    pub(crate) expires: u64,
}

#[derive(Default)]
pub(crate) struct Sessions(Mutex<HashMap<String, Session>>);

impl Sessions {
    /// Returns the session's token.
    pub(crate) fn open(&self, name: &str) -> String {
        let token = random_text();
        self.0.lock().insert(token.clone(), Session { name: name.to_owned(), expires: now() + LIFETIME });
        token
    }

    pub(crate) fn find(&self, headers: &HeaderMap) -> Option<Session> {
        let token = cookie(headers)?;
        self.0.lock().get(token).filter(|session| session.expires > now()).cloned()
    }

    pub(crate) fn end_all(&self) {
        self.0.lock().clear();
    }
}

fn cookie(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(COOKIE_HEADER).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == COOKIE).map(|(_, value)| value)
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map(|since| since.as_secs()).unwrap_or_default()
}

/// The seeds of the standard library's hash maps are random, and good enough for a site that guards nothing.
fn random_text() -> String {
    let word = || RandomState::new().hash_one("session");
    format!("{:016x}{:016x}", word(), word())
}
