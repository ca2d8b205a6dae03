//! Sessions of older clients: capped in number, and bound to whoever opened them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::http::rpc_error;

pub(crate) const SESSION_HEADER: &str = "mcp-session-id";

/// Who is asking, as the layers before this one found out.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Principal(pub(crate) String);

impl Principal {
    /// Everybody, where there is no login.
    pub(crate) fn anonymous() -> Principal {
        Principal("anonymous".to_owned())
    }
}

/// Counts the sessions that are open now.
pub(crate) type CountOpen = Arc<dyn Fn() -> futures::future::BoxFuture<'static, Vec<String>> + Send + Sync>;

#[derive(Clone)]
pub(crate) struct SessionGuard {
    open: CountOpen,
    most: usize,
    owners: Arc<Mutex<HashMap<String, Principal>>>,
}

impl SessionGuard {
    pub(crate) fn new(open: CountOpen, most: usize) -> SessionGuard {
        SessionGuard { open, most, owners: Arc::default() }
    }

    /// Whether the session is somebody else's.
    fn is_foreign(&self, session: &str, principal: &Principal) -> bool {
        let owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        owners.get(session).is_some_and(|owner| owner != principal)
    }

    async fn remember(&self, session: String, principal: Principal) {
        let open = (self.open)().await;
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        owners.insert(session, principal);
        // Sessions end on their own when idle; their owners are forgotten with them.
        if owners.len() > open.len() + 64 {
            owners.retain(|session, _| open.contains(session));
        }
    }
}

/// Refuses sessions of others as if they did not exist, and new ones when there are too many.
pub(crate) async fn guard(State(guard): State<SessionGuard>, request: Request, next: Next) -> Response {
    let principal = request.extensions().get::<Principal>().cloned().unwrap_or_else(Principal::anonymous);
    let session = header(request.headers(), SESSION_HEADER);
    if let Some(session) = &session
        && guard.is_foreign(session, &principal)
    {
        return rpc_error(StatusCode::NOT_FOUND, -32600, "no such session; initialize again");
    }
    if session.is_none() && opens_session(&request) && (guard.open)().await.len() >= guard.most {
        let message = "too many sessions are open; close one or try again in a few minutes";
        let mut response = rpc_error(StatusCode::SERVICE_UNAVAILABLE, -32000, message);
        response.headers_mut().insert("retry-after", axum::http::HeaderValue::from_static("60"));
        return response;
    }
    let response = next.run(request).await;
    if let (None, Some(opened)) = (&session, header(response.headers(), SESSION_HEADER)) {
        guard.remember(opened, principal).await;
    }
    response.into_response()
}

/// Newer clients name their revision in a header and have no sessions.
fn opens_session(request: &Request) -> bool {
    let revision = header(request.headers(), "mcp-protocol-version");
    request.method() == Method::POST && revision.is_none_or(|revision| revision.as_str() < "2026-07-28")
}

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}
