//! Making the site fail on purpose, and looking at what it was asked.

use axum::http::HeaderMap;
use axum::http::request::Parts;
use serde::{Deserialize, Serialize};

/// What a `POST /control` asks for. Without `answer` the site answers normally again.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Control {
    /// How the next requests for an account or articles are answered.
    pub answer: Option<Misbehaviour>,
    /// How many of them; all that follow by default.
    pub times: Option<u32>,
    /// Ends all sessions.
    pub expire_sessions: bool,
    /// Forgets the requests seen so far.
    pub forget_requests: bool,
}

/// Ways in which a site can disappoint.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum Misbehaviour {
    /// This status, with a body that says more than it should.
    Status { code: u16 },
    /// This body, as if it were JSON.
    Body { text: String },
    /// Bytes that are no JSON and no text.
    Garbage,
    /// JSON that is longer than anybody should read, of unknown length.
    Huge,
    /// The normal answer, said to be compressed.
    Encoded,
    /// The normal answer with cookies to keep.
    SetCookie,
    /// 302 to another address.
    Redirect { to: String },
    /// No answer at all.
    Silent,
    /// The beginning of an answer, and then nothing.
    Stalled,
}

/// A request that the site saw.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Seen {
    pub method: String,
    pub path: String,
    pub query: String,
    /// In the order of arrival, names in lower case.
    pub headers: Vec<(String, String)>,
}

impl Seen {
    pub(crate) fn of(parts: &Parts) -> Seen {
        Seen {
            method: parts.method.to_string(),
            path: parts.uri.path().to_owned(),
            query: parts.uri.query().unwrap_or_default().to_owned(),
            headers: texts_of(&parts.headers),
        }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

fn texts_of(headers: &HeaderMap) -> Vec<(String, String)> {
    headers.iter().map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())).collect()
}

impl Control {
    pub fn answer(answer: Misbehaviour) -> Control {
        Control { answer: Some(answer), ..Control::default() }
    }

    pub fn once(answer: Misbehaviour) -> Control {
        Control { answer: Some(answer), times: Some(1), ..Control::default() }
    }
}
