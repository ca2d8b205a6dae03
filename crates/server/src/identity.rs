//! Who sends an HTTP request to an endpoint, and whether that is enough for what it asks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, Method};
use axum::middleware::Next;
use axum::response::Response;
pub(crate) use quillgate_oauth::Principal;
use quillgate_oauth::{Challenge, Endpoint, Refusal, TooMany};
use serde::Deserialize;
use serde_json::json;

use crate::http::{Site, read_body, rpc_error};
use crate::mount::Mount;

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
    let mut is_call = false;
    if request.method() == Method::POST {
        let (head, body) = request.into_parts();
        let body = match read_body(body, gate.max_request_bytes).await {
            Ok(body) => body,
            Err(refused) => return refused,
        };
        let message: Option<Message<'_>> = serde_json::from_slice(&body).ok();
        if let Some(refused) = message.as_ref().and_then(|message| gate.lacking(&principal, message)) {
            return refused;
        }
        // A message that cannot be read here may still be one there.
        is_call = message.is_none_or(|message| message.method.as_deref() == Some("tools/call"));
        request = Request::from_parts(head, Body::from(body));
    }
    let over = LoginIsOver::default();
    let may_end = is_call && principal.upstream.is_some();
    request.extensions_mut().insert(over.clone());
    request.extensions_mut().insert(principal.clone());
    let response = next.run(request).await;
    if may_end { gate.end_if_over(response, &over, &principal).await } else { response }
}

/// Lets only those see the metrics whose token is for them.
pub(crate) async fn require_metrics_scope(State(gate): State<Gate>, request: Request, next: Next) -> Response {
    const NEEDED: [&str; 1] = ["admin:metrics"];
    match gate.site.check(request.headers(), &gate.endpoint).await {
        Ok(principal) if principal.scopes.missing(&NEEDED).is_empty() => next.run(request).await,
        Ok(principal) => {
            let challenge = gate.site.insufficient_scope(&gate.endpoint, &NEEDED, &principal.scopes);
            answer(challenge, "metrics need the scope admin:metrics; use a key that has it")
        }
        Err(refusal) => gate.refuse(&refusal),
    }
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
    #[serde(borrow, default)]
    arguments: Option<FacadeArguments<'a>>,
}

/// Of a call through the facade: which tool it is for.
#[derive(Deserialize)]
struct FacadeArguments<'a> {
    #[serde(borrow, default)]
    name: Option<std::borrow::Cow<'a, str>>,
}

impl Gate {
    /// None where there is no login.
    pub(crate) fn of(site: &Site, mount: &Arc<Mount>, path: &str) -> Option<Gate> {
        let login = site.login.clone()?;
        let endpoint = login.settings.endpoints.iter().find(|endpoint| endpoint.path == path)?;
        let per_minute = if mount.has_notes() { 0 } else { site.config.rate_limits.articles };
        Some(Gate {
            endpoint: Arc::new(endpoint.clone()),
            site: login,
            mount: mount.clone(),
            per_minute,
            max_request_bytes: site.config.limits.max_request_bytes,
        })
    }

    fn refuse(&self, refusal: &Refusal) -> Response {
        if let Refusal::State(error) = refusal {
            tracing::error!(%error, "tokens cannot be checked");
        }
        answer(self.site.challenge(refusal, &self.endpoint), &refusal.to_string())
    }

    /// The scopes that the request needs and the token lacks. The pipeline checks again; this is for the status and the header,
    /// from which clients learn what to ask their user for.
    fn lacking(&self, principal: &Principal, message: &Message<'_>) -> Option<Response> {
        let needed: &[&str] = match message.method.as_deref()? {
            "tools/call" => {
                let params = message.params.as_ref()?;
                let inner = params.arguments.as_ref().and_then(|arguments| arguments.name.as_deref());
                self.mount.scopes_of(params.name.as_deref()?, inner)?
            }
            "subscriptions/listen" => &["read:notes"],
            method if method.starts_with("resources/") => &["read:notes"],
            _ => return None,
        };
        if principal.scopes.missing(needed).is_empty() {
            return None;
        }
        let names = needed.join(" ");
        let message = format!("this needs the scope {names}, which was not allowed; ask the user to connect again");
        Some(answer(self.site.insufficient_scope(&self.endpoint, needed, &principal.scopes), &message))
    }

    async fn count(&self, principal: &Principal) -> Result<(), TooMany> {
        match self.per_minute {
            0 => Ok(()),
            limit => {
                self.site.spend(&format!("mcp {} {}", principal.id, principal.grant.as_deref().unwrap_or_default()), limit).await
            }
        }
    }

    /// The answer is held back until it is known whether the other site still accepts the caller.
    async fn end_if_over(&self, response: Response, over: &LoginIsOver, principal: &Principal) -> Response {
        let (head, body) = response.into_parts();
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

fn answer(challenge: Challenge, message: &str) -> Response {
    let error = json!({"code": -32001, "message": message, "data": {"code": "AUTH_REQUIRED"}});
    let body = json!({"jsonrpc": "2.0", "id": null, "error": error});
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
