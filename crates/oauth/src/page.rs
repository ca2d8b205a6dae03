//! Pages for people: rendered here, usable without script, and never framed or cached.

use std::sync::LazyLock;

use askama::Template;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION, REFERRER_POLICY, RETRY_AFTER, SET_COOKIE,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use quillgate_state::StateError;

use crate::failure::Failure;
use crate::limit::TooMany;
use crate::parameters::Repeated;

/// The one style of all pages; the policy names its hash, so that no other style can be slipped in.
pub const STYLE: &str = include_str!("../templates/style.css");

/// The one script of all pages, named by its hash like the style.
pub(crate) const SCRIPT: &str = include_str!("../templates/once.js");

/// What a browser may load and do on a page.
///
/// There is no `form-action`: browsers apply it to the redirects that follow the form, and the application's own address is where the
/// last of them goes.
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    let hash = |text: &str| STANDARD.encode(aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, text.as_bytes()));
    let (style, script) = (hash(STYLE), hash(SCRIPT));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; img-src data:; base-uri 'none'; frame-ancestors 'none'"
    );
    HeaderValue::try_from(policy).expect("base64 and the words above are visible ASCII")
});

/// Asks for name and password.
#[derive(Template)]
#[template(path = "en/login.html")]
pub(crate) struct LoginPage<'a> {
    pub(crate) client: Asking<'a>,
    pub(crate) request: &'a str,
    pub(crate) token: &'a str,
    pub(crate) name: &'a str,
    pub(crate) message: Option<&'a str>,
}

/// Asks whether the client may.
#[derive(Template)]
#[template(path = "en/consent.html")]
pub(crate) struct ConsentPage<'a> {
    pub(crate) client: Asking<'a>,
    pub(crate) user: &'a str,
    pub(crate) request: &'a str,
    pub(crate) token: &'a str,
    pub(crate) scopes: Vec<ScopeLine>,
    pub(crate) vaults: Vec<VaultLine>,
    /// When the same was allowed before.
    pub(crate) before: Option<String>,
    pub(crate) lifetime: String,
    pub(crate) message: Option<&'a str>,
}

pub(crate) struct ScopeLine {
    pub(crate) name: String,
    pub(crate) about: String,
    pub(crate) is_new: bool,
}

pub(crate) struct VaultLine {
    pub(crate) id: String,
    pub(crate) name: String,
}

/// Who asks, and where the answer goes.
#[derive(Clone, Copy)]
pub(crate) struct Asking<'a> {
    pub(crate) name: &'a str,
    /// The host that vouches for the name; a client that registered has none.
    pub(crate) vouched_by: Option<&'a str>,
    pub(crate) is_configured: bool,
    pub(crate) answer_goes_to: &'a str,
    pub(crate) is_local: bool,
}

/// Says that something is wrong, and what to do.
#[derive(Template)]
#[template(path = "en/error.html")]
struct ErrorPage<'a> {
    title: &'a str,
    message: &'a str,
    advice: &'a str,
    /// A way back that the person may choose to take.
    link: Option<&'a str>,
    link_host: &'a str,
}

/// A page instead of the next step.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PageFailure {
    /// The request of the client is at fault, and it is not safe to tell the client.
    #[error("{0}")]
    BadRequest(String),
    /// The same, with a link that tells the client.
    #[error("{message}")]
    BadRequestWithLink { message: String, link: String, host: String },
    #[error("this page belongs to another browser, or cookies are blocked")]
    OtherBrowser,
    #[error("this login is over: it was answered already, or took longer than ten minutes")]
    Stale,
    #[error("this answer was sent already, comes too late, or does not come from the page that we showed")]
    Forged,
    #[error("{0}")]
    Upstream(&'static str),
    #[error("the other site cannot be reached at the moment")]
    UpstreamUnavailable,
    #[error("there were too many attempts; wait {} seconds and try again", .0.0)]
    TooMany(TooMany),
    #[error("the form could not be read")]
    NotAForm(StatusCode),
    #[error("this page cannot be opened that way")]
    NoSuchPage,
    #[error("the server cannot reach its database")]
    State(#[from] StateError),
}

impl PageFailure {
    fn status(&self) -> StatusCode {
        match self {
            PageFailure::BadRequest(_) | PageFailure::BadRequestWithLink { .. } => StatusCode::BAD_REQUEST,
            PageFailure::Upstream(_) => StatusCode::BAD_REQUEST,
            PageFailure::OtherBrowser | PageFailure::Stale | PageFailure::Forged => StatusCode::FORBIDDEN,
            PageFailure::UpstreamUnavailable => StatusCode::BAD_GATEWAY,
            PageFailure::TooMany(_) => StatusCode::TOO_MANY_REQUESTS,
            PageFailure::NotAForm(status) => *status,
            PageFailure::NoSuchPage => StatusCode::METHOD_NOT_ALLOWED,
            PageFailure::State(_) => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    fn title(&self) -> &'static str {
        match self {
            PageFailure::BadRequest(_) | PageFailure::BadRequestWithLink { .. } => "This request cannot be answered",
            PageFailure::Stale | PageFailure::Forged => "This page is out of date",
            PageFailure::OtherBrowser => "This login belongs to another browser",
            PageFailure::Upstream(_) | PageFailure::UpstreamUnavailable => "Login did not work",
            PageFailure::TooMany(_) => "Too many attempts",
            PageFailure::NotAForm(_) | PageFailure::NoSuchPage => "Nothing here",
            PageFailure::State(_) => "Not available",
        }
    }

    fn advice(&self) -> &'static str {
        match self {
            PageFailure::BadRequest(_) | PageFailure::BadRequestWithLink { .. } => {
                "Nothing was allowed. Go back to the application and connect again; if that does not help, remove the connection there and add it anew."
            }
            PageFailure::OtherBrowser => {
                "Nothing was allowed. Allow cookies for this site, go back to the application and connect again."
            }
            PageFailure::TooMany(_) => "Nothing was allowed. Your account is not locked.",
            PageFailure::State(_) | PageFailure::UpstreamUnavailable => "Nothing was allowed. Try again in a moment.",
            _ => "Nothing more was allowed by this. Go back to the application; if it is not connected yet, connect again.",
        }
    }
}

impl From<TooMany> for PageFailure {
    fn from(wait: TooMany) -> PageFailure {
        PageFailure::TooMany(wait)
    }
}

impl From<Repeated> for PageFailure {
    fn from(repeated: Repeated) -> PageFailure {
        PageFailure::BadRequest(repeated.to_string())
    }
}

impl From<Failure> for PageFailure {
    fn from(failure: Failure) -> PageFailure {
        match failure {
            Failure::State(error) => PageFailure::State(error),
            Failure::TooMany(wait) => PageFailure::TooMany(wait),
            other => PageFailure::BadRequest(other.to_string()),
        }
    }
}

impl IntoResponse for PageFailure {
    fn into_response(self) -> Response {
        if let PageFailure::State(error) = &self {
            tracing::error!(%error, "the state does not answer");
        }
        let (link, link_host) = match &self {
            PageFailure::BadRequestWithLink { link, host, .. } => (Some(link.as_str()), host.as_str()),
            _ => (None, ""),
        };
        let message = sentence(&self.to_string());
        let page = ErrorPage { title: self.title(), message: &message, advice: self.advice(), link, link_host };
        let mut response = render(self.status(), &page);
        if let PageFailure::TooMany(TooMany(seconds)) = self {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

pub(crate) async fn no_such_page() -> Response {
    PageFailure::NoSuchPage.into_response()
}

/// Error texts start small and end without a full stop; on a page they are sentences.
fn sentence(text: &str) -> String {
    let is_parameter = text.split(' ').next().is_some_and(|word| word.contains('_'));
    let mut letters = text.chars();
    let first = letters.next().filter(|_| !is_parameter).map(|letter| letter.to_uppercase().to_string());
    let rest = if first.is_some() { letters.as_str() } else { text };
    format!("{}{}.", first.unwrap_or_default(), rest.trim_end_matches('.'))
}

/// A page with everything that keeps it from being framed, cached, referred to or filled by others.
pub fn render(status: StatusCode, page: &impl Template) -> Response {
    let Ok(html) = page.render() else {
        return (StatusCode::INTERNAL_SERVER_ERROR, "the page could not be made\n").into_response();
    };
    let mut response = (status, html).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    protect(headers);
    response
}

fn protect(headers: &mut axum::http::HeaderMap) {
    headers.insert(CONTENT_SECURITY_POLICY, POLICY.clone());
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
}

/// 303 whatever was sent before: the next request must not carry the form along.
pub(crate) fn see_other(location: &str, cookies: impl IntoIterator<Item = Option<HeaderValue>>) -> Response {
    let Ok(location) = HeaderValue::try_from(location) else {
        return PageFailure::BadRequest("the address to return to cannot be used".to_owned()).into_response();
    };
    let mut response = StatusCode::SEE_OTHER.into_response();
    let headers = response.headers_mut();
    headers.insert(LOCATION, location);
    protect(headers);
    for cookie in cookies.into_iter().flatten() {
        headers.append(SET_COOKIE, cookie);
    }
    response
}

pub(crate) fn with_cookie(mut response: Response, cookie: Option<HeaderValue>) -> Response {
    if let Some(cookie) = cookie {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}
