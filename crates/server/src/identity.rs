//! Who sends an HTTP request to an endpoint, and whether that is enough for what it asks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, Method};
use axum::middleware::Next;
use axum::response::Response;
use quillgate_oauth::{Challenge, Endpoint, Principal, Refusal, TooMany};
use serde::Deserialize;
use serde_json::json;

use crate::http::rpc_error;
use crate::pipeline::Mount;

/// What the layer knows about its endpoint.
#[derive(Clone)]
pub(crate) struct Gate {
    pub(crate) site: Arc<quillgate_oauth::Site>,
    pub(crate) endpoint: Arc<Endpoint>,
    pub(crate) mount: Arc<Mount>,
    /// Calls per minute and token; 0 means that the classes of tools count instead.
    pub(crate) per_minute: u32,
    pub(crate) max_request_bytes: usize,
}

/// Set by a call that learns that the caller's login at another site is over.
#[derive(Clone, Debug, Default)]
pub(crate) struct LoginIsOver(Arc<AtomicBool>);

impl LoginIsOver {
    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Lets nobody in without a token that is good for this endpoint; every request is checked, whatever session it names.
pub(crate) async fn require_identity(State(gate): State<Gate>, mut request: Request, next: Next) -> Response {
    let principal = match gate.site.check(request.headers(), &gate.endpoint).await {
        Ok(principal) => principal,
        Err(refusal) => return gate.refuse(&refusal),
    };
    if let Err(TooMany(seconds)) = gate.count(&principal).await {
        let mut response = rpc_error(axum::http::StatusCode::TOO_MANY_REQUESTS, -32000, "too many calls; wait and try again");
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        return response;
    }
    if request.method() == Method::POST {
        let (head, body) = request.into_parts();
        let Ok(body) = axum::body::to_bytes(body, gate.max_request_bytes).await else {
            return rpc_error(axum::http::StatusCode::PAYLOAD_TOO_LARGE, -32600, "the request is too large; send less at once");
        };
        if let Some(challenge) = gate.lacking(&principal, &body) {
            return gate.forbid(challenge);
        }
        request = Request::from_parts(head, Body::from(body));
    }
    let over = LoginIsOver::default();
    let has_upstream = principal.upstream.is_some();
    request.extensions_mut().insert(over.clone());
    request.extensions_mut().insert(principal.clone());
    let response = next.run(request).await;
    if has_upstream { gate.end_if_over(response, &over, &principal).await } else { response }
}

/// As much of a message as tells what it needs.
#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    method: Option<std::borrow::Cow<'a, str>>,
    #[serde(borrow, default)]
    params: Option<Params<'a>>,
}

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow, default)]
    name: Option<std::borrow::Cow<'a, str>>,
}

impl Gate {
    fn refuse(&self, refusal: &Refusal) -> Response {
        if let Refusal::State(error) = refusal {
            tracing::error!(%error, "tokens cannot be checked");
        }
        answer(self.site.challenge(refusal, &self.endpoint), "AUTH_REQUIRED", &refusal.to_string())
    }

    /// The scopes that the request needs and the token lacks. The pipeline checks again; this is for the status and the header,
    /// from which clients learn what to ask their user for.
    fn lacking(&self, principal: &Principal, body: &Bytes) -> Option<(Challenge, String)> {
        let message: Message<'_> = serde_json::from_slice(body).ok()?;
        let needed: &[&str] = match message.method.as_deref()? {
            "tools/call" => self.mount.scopes_of(message.params?.name?.as_ref())?,
            method if method.starts_with("resources/") => &["read:notes"],
            _ => return None,
        };
        if principal.scopes.missing(needed).is_empty() {
            return None;
        }
        let needed = needed.join(" ");
        Some((self.site.insufficient_scope(&self.endpoint, &needed), needed))
    }

    fn forbid(&self, (challenge, needed): (Challenge, String)) -> Response {
        answer(challenge, "AUTH_REQUIRED", &format!("this needs the scope {needed}, which was not allowed; ask the user to connect again"))
    }

    async fn count(&self, principal: &Principal) -> Result<(), TooMany> {
        match self.per_minute {
            0 => Ok(()),
            limit => self.site.spend(&format!("mcp {} {}", principal.id, principal.grant.as_deref().unwrap_or_default()), limit).await,
        }
    }

    /// The answer is held back until it is known whether the other site still accepts the caller.
    async fn end_if_over(&self, response: Response, over: &LoginIsOver, principal: &Principal) -> Response {
        let (head, body) = response.into_parts();
        let is_stream_without_end = head.headers.get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
            && head.status.is_success()
            && body_is_open(&head);
        if is_stream_without_end {
            return Response::from_parts(head, body);
        }
        let body = axum::body::to_bytes(body, usize::MAX).await.unwrap_or_default();
        if !over.is_set() {
            return Response::from_parts(head, Body::from(body));
        }
        if let Some(grant) = &principal.grant
            && let Err(error) = self.site.end_grant(grant).await
        {
            tracing::error!(%error, "a grant could not be ended");
        }
        self.refuse(&Refusal::Invalid)
    }
}

fn body_is_open(_: &axum::http::response::Parts) -> bool {
    false
}

fn answer(challenge: Challenge, code: &str, message: &str) -> Response {
    let body = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32001, "message": message, "data": {"code": code}}});
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = challenge.status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(axum::http::header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(header) = challenge.header {
        headers.insert(WWW_AUTHENTICATE, header);
    }
    response
}
