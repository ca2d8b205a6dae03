//! Sessions of older clients: capped in number, and bound to whoever opened them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::http::rpc_error;
use crate::identity::Principal;

pub(crate) const SESSION_HEADER: &str = "mcp-session-id";

/// Everybody, where there is no login.
const ANYBODY: &str = "anybody";

/// Counts the sessions that are open now.
pub(crate) type CountOpen = Arc<dyn Fn() -> futures::future::BoxFuture<'static, Vec<String>> + Send + Sync>;

#[derive(Clone)]
pub(crate) struct SessionGuard {
    open: CountOpen,
    most: usize,
    /// The principal that opened a session.
    owners: Arc<Mutex<HashMap<String, String>>>,
    /// Requests that may be about to open a session, so that many at once cannot pass the limit together.
    opening: Arc<AtomicUsize>,
}

struct Opening {
    all: Arc<AtomicUsize>,
    others: usize,
}

impl Opening {
    fn one(all: &Arc<AtomicUsize>) -> Opening {
        Opening { all: all.clone(), others: all.fetch_add(1, Ordering::SeqCst) }
    }
}

impl Drop for Opening {
    fn drop(&mut self) {
        self.all.fetch_sub(1, Ordering::SeqCst);
    }
}

impl SessionGuard {
    pub(crate) fn new(open: CountOpen, most: usize) -> SessionGuard {
        SessionGuard { open, most, owners: Arc::default(), opening: Arc::default() }
    }

    /// Whether the session is somebody else's.
    fn is_foreign(&self, session: &str, principal: &str) -> bool {
        let owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        owners.get(session).is_some_and(|owner| owner != principal)
    }

    async fn remember(&self, session: String, principal: String) {
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
    let principal = request.extensions().get::<Arc<Principal>>().map_or_else(|| ANYBODY.to_owned(), |known| known.id.clone());
    let session = header(request.headers(), SESSION_HEADER);
    if let Some(session) = &session
        && guard.is_foreign(session, &principal)
    {
        return rpc_error(StatusCode::NOT_FOUND, -32600, "no such session; initialize again");
    }
    let opening = (session.is_none() && opens_session(&request)).then(|| Opening::one(&guard.opening));
    if let Some(opening) = &opening
        && (guard.open)().await.len() + opening.others >= guard.most
    {
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

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;
    use std::sync::Arc;

    use axum::{Router, middleware};
    use futures::StreamExt;
    use futures::stream::FuturesUnordered;
    use quillgate_tools::SURFACES;
    use serde_json::json;
    use tempfile::TempDir;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};
    use tokio::sync::Barrier;

    use super::*;
    use crate::config::Config;
    use crate::http::{Ending, Site, guarded, protocol};
    use crate::mount::Mount;
    use crate::network::TrustedPeers;

    /// A server that takes its callers' word for who they are.
    async fn serve() -> (TempDir, SocketAddr) {
        let folder = tempfile::tempdir().expect("a folder");
        let [vault, data] = ["vault", "data"].map(|name| folder.path().join(name));
        crate::data_folder::open(&vault).expect("a vault");
        let config = Config { vault_path: Some(vault), data_dir: Some(data), ..Config::default() };
        let pipeline = crate::commands::open_pipeline(config).expect("a pipeline");
        let config = pipeline.config.clone();
        let mount = Arc::new(Mount::new(&SURFACES[0], &config));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("bound");
        let site = Site::without_login(pipeline, vec![mount.clone()], config, TrustedPeers::default(), address);
        let endpoint = guarded(&site, &mount, "/mcp", protocol(&site, &mount, &Ending::default()));
        let app = Router::new().fallback_service(endpoint).layer(middleware::from_fn(believe));
        tokio::spawn(async move { axum::serve(listener, app).await });
        (folder, address)
    }

    async fn believe(mut request: Request, next: Next) -> Response {
        if let Some(name) = header(request.headers(), "x-principal") {
            let scopes = quillgate_oauth::Scopes::parse("read:* write:*").expect("scopes");
            let principal = Principal {
                id: name.clone(),
                user: name,
                client: String::new(),
                scopes,
                vault: None,
                grant: None,
                expires: None,
                upstream: None,
            };
            request.extensions_mut().insert(Arc::new(principal));
        }
        next.run(request).await
    }

    /// The first bytes of the answer: status and headers.
    async fn ask(address: SocketAddr, method: &str, who: &str, session: Option<&str>, body: &str) -> String {
        let mut stream = TcpStream::connect(address).await.expect("a connection");
        let session = session.map(|id| format!("{SESSION_HEADER}: {id}\r\n")).unwrap_or_default();
        let request = format!(
            "{method} /mcp HTTP/1.1\r\nhost: {address}\r\nx-principal: {who}\r\n{session}content-type: application/json\r\n\
             accept: application/json, text/event-stream\r\nmcp-protocol-version: 2025-11-25\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).await.expect("a request");
        let mut head = Vec::new();
        while !head.windows(4).any(|end| end == b"\r\n\r\n") {
            assert!(stream.read_buf(&mut head).await.expect("an answer") > 0, "the answer ends early");
        }
        String::from_utf8_lossy(&head).to_lowercase()
    }

    fn status(head: &str) -> &str {
        head.split(' ').nth(1).unwrap_or_default()
    }

    #[tokio::test]
    async fn a_stolen_session_does_not_exist_for_the_thief() {
        let (_folder, address) = serve().await;
        let client = json!({"name": "test", "version": "1"});
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        let initialize = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}).to_string();
        let opened = ask(address, "POST", "anna", None, &initialize).await;
        let id = opened.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).expect("a session").to_owned();
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
        assert_eq!(status(&ask(address, "POST", "anna", Some(&id), &initialized).await), "202");

        let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
        for (method, body) in [("POST", ping.as_str()), ("POST", &initialized), ("GET", ""), ("DELETE", "")] {
            assert_eq!(status(&ask(address, method, "mallory", Some(&id), body).await), "404", "{method}");
        }
        for (method, body, expected) in [("POST", ping.as_str(), "200"), ("GET", "", "200"), ("DELETE", "", "202")] {
            assert_eq!(status(&ask(address, method, "anna", Some(&id), body).await), expected, "{method}");
        }
    }

    #[tokio::test]
    async fn sessions_that_are_being_opened_count() {
        let guard = SessionGuard::new(Arc::new(|| Box::pin(async { Vec::new() })), 3);
        // Three that are let in, and the test.
        let meeting = Arc::new(Barrier::new(4));
        let open = {
            let meeting = meeting.clone();
            move || async move { meeting.wait().await.is_leader().to_string() }
        };
        let app = Router::new().fallback(open).layer(middleware::from_fn_with_state(guard, super::guard));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("bound");
        tokio::spawn(async move { axum::serve(listener, app).await });
        let mut answers: FuturesUnordered<_> = (0..5).map(|_| ask(address, "POST", "anna", None, "")).collect();
        for _ in 0..2 {
            assert_eq!(answers.next().await.as_deref().map(status), Some("503"));
        }
        let (_, let_in) = tokio::join!(meeting.wait(), answers.collect::<Vec<_>>());
        assert_eq!(let_in.iter().map(|head| status(head)).collect::<Vec<_>>(), ["200"; 3]);
    }

    #[tokio::test]
    async fn owners_of_sessions_that_have_ended_are_forgotten() {
        let guard = SessionGuard::new(Arc::new(|| Box::pin(async { vec!["open".to_owned()] })), 1);
        guard.remember("open".to_owned(), ANYBODY.to_owned()).await;
        for number in 0..200 {
            guard.remember(number.to_string(), ANYBODY.to_owned()).await;
        }
        let owners = guard.owners.lock().expect("not poisoned");
        assert!(owners.len() <= 66 && owners.contains_key("open"), "{}", owners.len());
    }
}
