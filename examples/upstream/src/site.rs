//! The site itself: its addresses and what answers there.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE, LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::middleware::{self, Next};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use futures::stream::{self, StreamExt};
use parking_lot::Mutex;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::articles;
use crate::control::{Control, Misbehaviour, Seen};
use crate::login::{self, LoginForm, USERNAME};
use crate::sessions::{COOKIE, Sessions};

/// The site, running until it is dropped.
pub struct Upstream {
    address: SocketAddr,
    site: Arc<Site>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct Site {
    sessions: Sessions,
    control: Mutex<Control>,
    seen: Mutex<Vec<Seen>>,
    return_origins: Mutex<Vec<String>>,
}

impl Upstream {
    /// Serves on the current runtime.
    pub fn start(listener: TcpListener) -> io::Result<Upstream> {
        let address = listener.local_addr()?;
        let site = Arc::new(Site::default());
        let router = router(site.clone());
        let task = tokio::spawn(async move {
            // It ends with the task.
            let _ = axum::serve(listener, router).await;
        });
        Ok(Upstream { address, site, task })
    }

    /// On a free port of this machine.
    pub async fn start_anywhere() -> io::Result<Upstream> {
        Upstream::start(TcpListener::bind("127.0.0.1:0").await?)
    }

    /// Lets logins return to these origins too.
    pub fn returning_to(self, origins: Vec<String>) -> Upstream {
        *self.site.return_origins.lock() = origins;
        self
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What the articles connector is given as its base.
    pub fn articles_url(&self) -> String {
        format!("{}/vk/rest", self.url())
    }

    pub fn account_url(&self) -> String {
        format!("{}/account", self.url())
    }

    pub fn login_url(&self) -> String {
        format!("{}/login", self.url())
    }

    /// The token of a new session, as if somebody had logged in.
    pub fn log_in(&self) -> String {
        self.site.sessions.open(USERNAME)
    }

    pub fn control(&self, control: Control) {
        self.site.obey(control);
    }

    /// The requests so far, without those to `/control`.
    pub fn requests(&self) -> Vec<Seen> {
        self.site.seen.lock().clone()
    }
}

impl Drop for Upstream {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Site {
    fn obey(&self, control: Control) {
        if control.expire_sessions {
            self.sessions.end_all();
        }
        if control.forget_requests {
            self.seen.lock().clear();
        }
        *self.control.lock() = control;
    }

    fn next_misbehaviour(&self) -> Option<Misbehaviour> {
        let mut control = self.control.lock();
        match &mut control.times {
            Some(0) => return None,
            Some(times) => *times -= 1,
            None => {}
        }
        control.answer.clone()
    }
}

fn router(site: Arc<Site>) -> Router {
    let members = Router::new()
        .route("/account", get(account))
        .route("/vk/rest/articles/search", get(search))
        .layer(middleware::from_fn_with_state(site.clone(), misbehave));
    let pages = Router::new()
        .route("/login", get(login_page).post(log_in))
        .merge(members)
        .layer(middleware::from_fn_with_state(site.clone(), remember));
    pages.route("/control", post(obey).get(seen)).with_state(site)
}

async fn remember(State(site): State<Arc<Site>>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    site.seen.lock().push(Seen::of(&parts));
    next.run(Request::from_parts(parts, body)).await
}

async fn misbehave(State(site): State<Arc<Site>>, request: Request, next: Next) -> Response {
    let json = [(CONTENT_TYPE, "application/json")];
    match site.next_misbehaviour() {
        None => next.run(request).await,
        Some(Misbehaviour::Status { code }) => {
            let status = StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            (status, "stack trace: search-3.internal, token rejected in AuthFilter.java:88").into_response()
        }
        Some(Misbehaviour::Body { text }) => (json, text).into_response(),
        Some(Misbehaviour::Garbage) => (json, &b"\xff\xfe{]<html>\0"[..]).into_response(),
        Some(Misbehaviour::Huge) => (json, Body::from_stream(endless_list())).into_response(),
        Some(Misbehaviour::Encoded) => with_headers(next.run(request).await, &[(CONTENT_ENCODING.as_str(), "gzip")]),
        Some(Misbehaviour::SetCookie) => {
            let cookies = [(SET_COOKIE.as_str(), "auth_token=planted; Path=/"), (SET_COOKIE.as_str(), "tracker=1; Path=/")];
            with_headers(next.run(request).await, &cookies)
        }
        Some(Misbehaviour::Redirect { to }) => match HeaderValue::try_from(to) {
            Ok(to) => (StatusCode::FOUND, [(LOCATION, to)]).into_response(),
            Err(_) => StatusCode::BAD_REQUEST.into_response(),
        },
        Some(Misbehaviour::Silent) => futures::future::pending().await,
        Some(Misbehaviour::Stalled) => {
            let beginning = stream::iter([Ok::<_, Infallible>(Bytes::from_static(b"{\"articles\": ["))]);
            (json, Body::from_stream(beginning.chain(stream::pending()))).into_response()
        }
    }
}

fn with_headers(mut response: Response, headers: &[(&'static str, &'static str)]) -> Response {
    for (name, value) in headers {
        response.headers_mut().append(*name, HeaderValue::from_static(value));
    }
    response
}

/// Articles without an end: whoever reads all of it has no limit.
fn endless_list() -> impl futures::Stream<Item = Result<Bytes, Infallible>> {
    let article = Bytes::from(format!("{{\"headline\": \"{}\"}},", "long ".repeat(10_000)));
    stream::once(async { Bytes::from_static(b"{\"articles\": [") }).chain(stream::repeat(article)).map(Ok)
}

async fn login_page(uri: Uri) -> Html<String> {
    let redirect = login::parameter(uri.query().unwrap_or_default(), "redirect").unwrap_or_default();
    Html(login::page(&redirect, "Log in to read."))
}

async fn log_in(State(site): State<Arc<Site>>, body: String) -> Response {
    let form = LoginForm::read(&body);
    if !form.is_right() {
        return (StatusCode::BAD_REQUEST, Html(login::page(&form.redirect, "Wrong user or password."))).into_response();
    }
    let cookie = format!("{COOKIE}={}; HttpOnly; Path=/; SameSite=Lax", site.sessions.open(&form.username));
    let cookie = [(SET_COOKIE, cookie)];
    if form.redirect.is_empty() {
        return (cookie, Html("You are logged in.".to_owned())).into_response();
    }
    if !login::may_return_to(&form.redirect, &site.return_origins.lock()) {
        return (StatusCode::BAD_REQUEST, Html("This site does not send people there.".to_owned())).into_response();
    }
    (StatusCode::SEE_OTHER, cookie, [(LOCATION, form.redirect)]).into_response()
}

async fn account(State(site): State<Arc<Site>>, headers: HeaderMap) -> Response {
    match site.sessions.find(&headers) {
        Some(session) => {
            Json(json!({"name": session.name, "expires": session.expires, "id": 4711, "email": "reader@strandvik.example"}))
                .into_response()
        }
        None => log_in_first(),
    }
}

async fn search(State(site): State<Arc<Site>>, headers: HeaderMap, uri: Uri) -> Response {
    if site.sessions.find(&headers).is_none() {
        return log_in_first();
    }
    let parameter = |name| login::parameter(uri.query().unwrap_or_default(), name).unwrap_or_default();
    let limit = parameter("limit").parse().unwrap_or(15);
    let page = parameter("page").parse().unwrap_or(0);
    Json(articles::search(&parameter("search"), limit, page)).into_response()
}

fn log_in_first() -> Response {
    (StatusCode::UNAUTHORIZED, Json(json!({"error": "log in first"}))).into_response()
}

async fn obey(State(site): State<Arc<Site>>, Json(control): Json<Control>) -> StatusCode {
    site.obey(control);
    StatusCode::NO_CONTENT
}

async fn seen(State(site): State<Arc<Site>>) -> Json<Vec<Seen>> {
    Json(site.seen.lock().clone())
}

#[cfg(test)]
mod tests {
    use axum::body::to_bytes;
    use axum::http::header::COOKIE as COOKIE_HEADER;
    use serde_json::Value;
    use tower::ServiceExt;

    use super::*;

    async fn send(site: &Arc<Site>, request: axum::http::request::Builder, body: &str) -> (StatusCode, HeaderMap, String) {
        let request = request.body(Body::from(body.to_owned())).expect("a request");
        let response = router(site.clone()).oneshot(request).await.expect("an answer");
        let (parts, body) = response.into_parts();
        let body = to_bytes(body, 1 << 20).await.expect("a body");
        (parts.status, parts.headers, String::from_utf8_lossy(&body).into_owned())
    }

    async fn log_in(site: &Arc<Site>, form: &str) -> (StatusCode, HeaderMap) {
        let (status, headers, _) = send(site, Request::post("/login"), form).await;
        (status, headers)
    }

    #[tokio::test]
    async fn a_login_gives_a_cookie_that_opens_account_and_articles() {
        let site = Arc::new(Site::default());
        let (status, headers) =
            log_in(&site, "username=reader&password=strandvik&redirect=http%3A%2F%2F127.0.0.1%3A8090%2Fback%3Frid%3D1").await;
        assert_eq!(
            (status, &headers[LOCATION]),
            (StatusCode::SEE_OTHER, &HeaderValue::from_static("http://127.0.0.1:8090/back?rid=1"))
        );
        let cookie = headers[SET_COOKIE].to_str().expect("text");
        assert!(cookie.starts_with("auth_token=") && cookie.contains("HttpOnly") && cookie.contains("Path=/"), "{cookie}");
        let cookie = cookie.split(';').next().expect("a pair");
        for (path, expected) in [("/account", "reader"), ("/vk/rest/articles/search?search=ICE", "winter road")] {
            let (status, _, body) = send(&site, Request::get(path).header(COOKIE_HEADER, format!("a=b; {cookie}")), "").await;
            assert!(status == StatusCode::OK && body.contains(expected), "{path}: {status} {body}");
            let (status, ..) = send(&site, Request::get(path), "").await;
            assert_eq!(status, StatusCode::UNAUTHORIZED, "{path}");
        }
    }

    #[tokio::test]
    async fn a_login_refuses_strangers_and_strange_returns() {
        let site = Arc::new(Site::default());
        for form in
            ["username=reader&password=wrong", "", "username=reader&password=strandvik&redirect=https%3A%2F%2Fevil.example"]
        {
            let (status, headers) = log_in(&site, form).await;
            assert!(status == StatusCode::BAD_REQUEST && !headers.contains_key(SET_COOKIE), "{form}");
        }
    }

    #[tokio::test]
    async fn it_misbehaves_as_often_as_told_and_remembers_what_it_was_asked() {
        let site = Arc::new(Site::default());
        let control = r#"{"answer": {"kind": "status", "code": 503}, "times": 1}"#;
        let (status, ..) = send(&site, Request::post("/control").header(CONTENT_TYPE, "application/json"), control).await;
        assert_eq!(status, StatusCode::NO_CONTENT);
        for expected in [StatusCode::SERVICE_UNAVAILABLE, StatusCode::UNAUTHORIZED] {
            let (status, ..) = send(&site, Request::get("/account").header("x-trace", "1"), "").await;
            assert_eq!(status, expected);
        }
        let (_, _, seen) = send(&site, Request::get("/control"), "").await;
        let seen: Value = serde_json::from_str(&seen).expect("JSON");
        assert_eq!(seen.as_array().map(Vec::len), Some(2));
        assert_eq!(seen[0]["headers"], json!([["x-trace", "1"]]));
    }
}
