//! The HTTP side: who may connect, what is refused before the protocol sees it, and how the server ends.

use std::future::IntoFuture;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::{ACCEPT, CONTENT_TYPE, HOST};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::serve::ListenerExt;
use axum::{Json, Router};
use futures::FutureExt;
use quillgate_tools::Workspace;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::mcp::{HttpOptions, Mcp};
use crate::network::{TrustedPeers, host_of};
use crate::pipeline::{Mount, Pipeline};
use crate::sessions::{self, SessionGuard};

/// How long calls and subscriptions have to end by themselves after the server was told to stop.
const FAREWELL: Duration = Duration::from_millis(200);
/// How long connections have to close after their streams were cut.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// How long the body of a request may take to arrive.
const SLOWEST_BODY: Duration = Duration::from_secs(30);
const BOTH_FORMS: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");

/// Everything that is served under one address.
pub(crate) struct Site {
    pub(crate) pipeline: Arc<Pipeline>,
    /// The first is the default one.
    pub(crate) mounts: Vec<Arc<Mount>>,
    pub(crate) config: Arc<Config>,
    pub(crate) trusted: TrustedPeers,
}

/// The two steps of an orderly end.
#[derive(Default)]
pub(crate) struct Ending {
    /// Subscriptions say their last word.
    stopping: CancellationToken,
    /// Streams that are still open are cut.
    cut: CancellationToken,
}

/// Serves until the process is told to stop, then ends within a second, open streams included.
pub(crate) async fn serve(listener: TcpListener, site: Site) -> anyhow::Result<()> {
    let ending = Ending::default();
    let app = router(&site, listener.local_addr()?, &ending);
    // Answers are several small writes; waiting for each other's acknowledgement costs 40 ms a call.
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    let signal = {
        let stopping = ending.stopping.clone();
        async move {
            stop_signal().await;
            stopping.cancel();
        }
    };
    let serving = axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).with_graceful_shutdown(signal);
    let deadline = async {
        ending.stopping.cancelled().await;
        tokio::time::sleep(FAREWELL).await;
        ending.cut.cancel();
        tokio::time::sleep(LAST_WORDS).await;
    };
    tokio::select! {
        served = serving.into_future() => Ok(served?),
        () = deadline => Ok(()),
    }
}

/// The whole HTTP stack, outermost layer last.
fn router(site: &Site, address: SocketAddr, ending: &Ending) -> Router {
    let mut app = Router::new();
    for (number, mount) in site.mounts.iter().enumerate() {
        let endpoint = endpoint(site, mount, address, ending);
        if number == 0 {
            app = app.route("/mcp", axum::routing::any_service(endpoint.clone()));
        }
        app = app.route(&format!("/mcp/{}", mount.surface.name), axum::routing::any_service(endpoint));
    }
    let workspace = site.pipeline.workspace().clone();
    app.route("/health", get(move || async move { health(&workspace) }))
        .fallback(|| async { (StatusCode::NOT_FOUND, "the MCP endpoint is /mcp\n") })
        .layer(middleware::from_fn_with_state(site.trusted.clone(), only_trusted_peers))
}

pub(crate) fn endpoint(site: &Site, mount: &Arc<Mount>, address: SocketAddr, ending: &Ending) -> Router {
    let options = HttpOptions {
        allowed_origins: allowed_origins(&site.config, address),
        max_request_bytes: site.config.limits.max_request_bytes,
        shutdown: ending.cut.child_token(),
    };
    let handler = Mcp::new(site.pipeline.clone(), mount.clone(), ending.stopping.clone());
    let (service, open_sessions) = handler.into_http(options);
    let guard = SessionGuard::new(
        Arc::new(move || {
            let sessions = open_sessions.clone();
            async move { sessions.sessions.read().await.keys().map(|id| id.to_string()).collect() }.boxed()
        }),
        site.config.limits.max_sessions,
    );
    let hosts = Arc::new(AllowedHosts::new(&site.config, address, &site.trusted));
    Router::new()
        .fallback_service(service)
        .layer(middleware::from_fn_with_state(guard, sessions::guard))
        .layer(middleware::from_fn(widen_accept))
        .layer(middleware::from_fn_with_state(site.config.limits.max_request_bytes, errors_as_rpc))
        .layer(middleware::from_fn_with_state(hosts, check_host))
}

/// For probes; `problems` counts files that could not be taken in, which the log names.
fn health(workspace: &Workspace) -> Json<Value> {
    let index = workspace.index.status();
    Json(json!({
        "status": "ok",
        "name": "quillgate",
        "version": env!("CARGO_PKG_VERSION"),
        "index": {"ready": index.ready, "files": index.files, "problems": index.problems.len()},
    }))
}

async fn only_trusted_peers(
    State(trusted): State<TrustedPeers>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    request: Request,
    next: Next,
) -> Response {
    if trusted.contain(peer.ip()) {
        return next.run(request).await;
    }
    tracing::warn!(peer = %peer.ip(), "refused a peer outside the trusted networks");
    (StatusCode::FORBIDDEN, "this server does not serve your network\n").into_response()
}

/// Names under which the server may be addressed. A page on another site can make a browser connect here under its own name
/// (DNS rebinding), so other names are refused; bare addresses cannot be rebound.
struct AllowedHosts {
    names: Vec<String>,
    any_address: bool,
}

impl AllowedHosts {
    fn new(config: &Config, address: SocketAddr, trusted: &TrustedPeers) -> AllowedHosts {
        let mut names = vec!["localhost".to_owned(), address.ip().to_string()];
        names.extend(config.server_url.as_deref().map(host_of));
        AllowedHosts { names, any_address: !trusted.is_empty() }
    }

    fn allow(&self, authority: &str) -> bool {
        let host = host_of(authority);
        // Anything but a host and a port is no Host header that a client would send.
        let rest = authority.to_ascii_lowercase().replacen(&host, "", 1).replace(['[', ']'], "");
        if !(rest.is_empty() || rest.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok())) {
            return false;
        }
        match host.parse::<IpAddr>() {
            Ok(address) => address.is_loopback() || self.any_address || self.names.contains(&host),
            Err(_) => self.names.contains(&host),
        }
    }
}

async fn check_host(State(hosts): State<Arc<AllowedHosts>>, request: Request, next: Next) -> Response {
    let authority = request.uri().authority().map(|authority| authority.as_str().to_owned());
    let host = authority.or_else(|| request.headers().get(HOST)?.to_str().ok().map(str::to_owned));
    match host {
        Some(host) if hosts.allow(&host) => next.run(request).await,
        _ => rpc_error(StatusCode::FORBIDDEN, -32600, "this Host is not served here; the operator sets --server-url"),
    }
}

/// Pages served by this machine, and by the server's own URL.
fn allowed_origins(config: &Config, address: SocketAddr) -> Vec<String> {
    let mut origins: Vec<String> = ["localhost", "127.0.0.1", "[::1]"]
        .iter()
        .flat_map(|host| [format!("http://{host}:*"), format!("https://{host}:*")])
        .collect();
    origins.push(format!("http://{address}"));
    origins.extend(config.server_url.as_deref().and_then(origin_of));
    origins
}

fn origin_of(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let has_port = authority.rsplit(':').next().is_some_and(|port| port.parse::<u16>().is_ok());
    let port = if scheme == "https" { 443 } else { 80 };
    Some(if has_port { format!("{scheme}://{authority}") } else { format!("{scheme}://{authority}:{port}") })
}

/// A client that takes anything takes both forms of an answer, too.
async fn widen_accept(mut request: Request, next: Next) -> Response {
    let accepts_all = match request.headers().get(ACCEPT) {
        None => true,
        Some(accept) => accept.to_str().is_ok_and(|accept| accept.contains("*/*")),
    };
    if accepts_all {
        request.headers_mut().insert(ACCEPT, BOTH_FORMS);
    }
    next.run(request).await
}

/// Refusals of the protocol library come as plain text; clients of JSON-RPC read JSON.
async fn errors_as_rpc(State(max_request_bytes): State<usize>, request: Request, next: Next) -> Response {
    if request.method() != Method::POST {
        return next.run(request).await;
    }
    let sent_json = content_type(request.headers()).starts_with("application/json");
    let (head, body) = request.into_parts();
    let Ok(received) = tokio::time::timeout(SLOWEST_BODY, axum::body::to_bytes(body, max_request_bytes)).await else {
        return rpc_error(StatusCode::REQUEST_TIMEOUT, -32600, "the request took too long to arrive; send it again");
    };
    let Ok(body) = received else {
        return rpc_error(StatusCode::PAYLOAD_TOO_LARGE, -32600, "the request is too large; send less at once");
    };
    let response = next.run(Request::from_parts(head, Body::from(body.clone()))).await;
    let status = response.status();
    if content_type(response.headers()).starts_with("application/json") || !status.is_client_error() {
        return response;
    }
    match status {
        // The library calls a body it cannot read an unsupported media type.
        StatusCode::UNSUPPORTED_MEDIA_TYPE if sent_json => unreadable(&body),
        StatusCode::NOT_ACCEPTABLE => rpc_error(status, -32600, "accept both application/json and text/event-stream"),
        _ => {
            let said = axum::body::to_bytes(response.into_body(), 64 << 10).await.unwrap_or_default();
            rpc_error(status, -32600, String::from_utf8_lossy(&said).trim())
        }
    }
}

fn unreadable(body: &[u8]) -> Response {
    match serde_json::from_slice::<IgnoredAny>(body) {
        Err(error) => rpc_error(StatusCode::BAD_REQUEST, -32700, &format!("the body is not JSON: {error}")),
        Ok(_) => rpc_error(StatusCode::BAD_REQUEST, -32600, "the body is not a JSON-RPC 2.0 message; batches are not supported"),
    }
}

fn content_type(headers: &HeaderMap) -> &str {
    headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// A JSON-RPC error without a request it belongs to.
pub(crate) fn rpc_error(status: StatusCode, code: i32, message: &str) -> Response {
    let body = json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": message}});
    (status, [(CONTENT_TYPE, "application/json")], Body::from(body.to_string())).into_response()
}

async fn stop_signal() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}
