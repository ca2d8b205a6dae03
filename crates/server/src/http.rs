//! The HTTP side: who may connect, what is refused before the protocol sees it, and how the server ends.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::{ACCEPT, CONTENT_TYPE, HOST};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{any_service, get};
use axum::{Json, Router};
use futures::FutureExt;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use crate::config::Config;
use crate::front::{self, Front};
use crate::identity::{Gate, require_identity, require_metrics_scope};
use crate::listen::take_connections;
use crate::mcp::{HttpOptions, Mcp};
use crate::mount::Mount;
use crate::network::{Networks, TrustedPeers, host_of};
use crate::pipeline::Pipeline;
use crate::proxies::note_address;
use crate::sessions::{self, SessionGuard};
use crate::telemetry;
use crate::vaults::Vaults;

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
    /// Who may connect where there is no login.
    pub(crate) trusted: TrustedPeers,
    /// Without a trailing slash.
    pub(crate) url: String,
    pub(crate) hosts: Arc<AllowedHosts>,
    pub(crate) login: Option<Arc<quillgate_oauth::Site>>,
    pub(crate) address: SocketAddr,
}

impl Site {
    pub(crate) fn without_login(
        pipeline: Arc<Pipeline>,
        mounts: Vec<Arc<Mount>>,
        config: Arc<Config>,
        trusted: TrustedPeers,
        address: SocketAddr,
    ) -> Site {
        let url = config.server_url.clone().unwrap_or_else(|| format!("http://{address}"));
        let hosts = Arc::new(AllowedHosts::new(config.server_url.as_deref(), address, !trusted.is_empty()));
        Site { pipeline, mounts, config, trusted, url: url.trim_end_matches('/').to_owned(), hosts, login: None, address }
    }
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
pub(crate) async fn serve(listener: TcpListener, sites: &[Site], config: &Config) -> anyhow::Result<()> {
    let ending = Ending::default();
    let app = all_sites(sites, config, &ending)?;
    let stopping = ending.stopping.clone();
    tokio::spawn(async move {
        stop_signal().await;
        stopping.cancel();
    });
    let deadline = async {
        ending.stopping.cancelled().await;
        tokio::time::sleep(FAREWELL).await;
        ending.cut.cancel();
        tokio::time::sleep(LAST_WORDS).await;
    };
    tokio::select! {
        () = take_connections(listener, app, config.limits.max_connections, &ending.stopping) => {}
        () = deadline => {}
    }
    Ok(())
}

/// The whole HTTP stack: where a request comes from, which site it is for, and that site's routes.
fn all_sites(sites: &[Site], config: &Config, ending: &Ending) -> anyhow::Result<Router> {
    let routers: Vec<(Arc<AllowedHosts>, Router)> = sites.iter().map(|site| (site.hosts.clone(), router(site, ending))).collect();
    let proxies = Networks::parse(&config.trusted_proxies)?;
    let by_host = move |request: Request| {
        let host = host(&request);
        let asked_for = |(hosts, _): &&(Arc<AllowedHosts>, Router)| host.as_deref().is_some_and(|host| hosts.allow(host));
        // A host that nobody serves gets the first site's refusal.
        let router = routers.iter().find(asked_for).or_else(|| routers.first()).map(|(_, router)| router.clone());
        async move {
            match router {
                Some(router) => router.oneshot(request).await.into_response(),
                None => StatusCode::NOT_FOUND.into_response(),
            }
        }
    };
    Ok(Router::new().fallback(by_host).layer(middleware::from_fn_with_state(proxies, note_address)))
}

/// The routes of one site, outermost layer last.
fn router(site: &Site, ending: &Ending) -> Router {
    let mut app = Router::new();
    for (number, mount) in site.mounts.iter().enumerate() {
        let path = format!("/mcp/{}", mount.surface.name);
        let protocol = protocol(site, mount, ending);
        app = app.route(&path, any_service(guarded(site, mount, &path, protocol.clone())));
        if number == 0 {
            let default = guarded(site, mount, "/mcp", protocol);
            app = app.route("/mcp", any_service(default.clone())).route("/mcp/", any_service(default.clone()));
            let front = Arc::new(Front::of(site));
            app =
                app.route("/", any_service(default.layer(middleware::from_fn_with_state(front.clone(), front::page_for_people))));
            app = app.route("/.well-known/mcp/server-card.json", get(move || async move { front.card() }));
        }
    }
    let pipeline = site.pipeline.clone();
    let app = app.route("/health", get(move || async move { health(&pipeline.vaults) }));
    let app = match metrics_gate(site) {
        Some(gate) => app.route(
            "/metrics",
            get(telemetry::scrape)
                .with_state(site.pipeline.telemetry.metrics().clone())
                .layer(middleware::from_fn_with_state(gate, require_metrics_scope)),
        ),
        None => app,
    };
    let app = match &site.login {
        Some(login) => app.merge(login.router().layer(middleware::from_fn(in_time))),
        None => app,
    };
    let app = app.fallback(|| async { (StatusCode::NOT_FOUND, "the MCP endpoint is /mcp\n") });
    match &site.login {
        Some(_) => app,
        None => app.layer(middleware::from_fn_with_state(site.trusted.clone(), only_trusted_peers)),
    }
}

/// Where there is a login, metrics are for whoever has the scope for them.
fn metrics_gate(site: &Site) -> Option<Gate> {
    Gate::of(site, site.mounts.first()?, "/mcp")
}

/// Logins and tokens are answered soon or not at all; a body that trickles in does not hold a connection.
async fn in_time(request: Request, next: Next) -> Response {
    let answered = tokio::time::timeout(SLOWEST_BODY, next.run(request)).await;
    answered.unwrap_or_else(|_| (StatusCode::REQUEST_TIMEOUT, "the request took too long\n").into_response())
}

/// The protocol itself, with its sessions: the same whichever address of the mount a request comes by.
pub(crate) fn protocol(site: &Site, mount: &Arc<Mount>, ending: &Ending) -> Router {
    let options = HttpOptions {
        allowed_origins: allowed_origins(site),
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
    Router::new()
        .fallback_service(service)
        .layer(middleware::from_fn_with_state(guard, sessions::guard))
        .layer(middleware::from_fn(widen_accept))
        .layer(middleware::from_fn_with_state(site.config.limits.max_request_bytes, errors_as_rpc))
}

/// Who may speak it at this address.
pub(crate) fn guarded(site: &Site, mount: &Arc<Mount>, path: &str, endpoint: Router) -> Router {
    let endpoint = match Gate::of(site, mount, path) {
        // A page that has a token may use it; without a login there is nothing that would keep pages out.
        Some(gate) => endpoint
            .layer(middleware::from_fn_with_state(gate, require_identity))
            .layer(middleware::from_fn(quillgate_oauth::open_to_pages)),
        None => endpoint,
    };
    endpoint.layer(middleware::from_fn_with_state(site.hosts.clone(), check_host))
}

/// For probes; `problems` counts files that could not be taken in, which the log names.
fn health(vaults: &Vaults) -> Json<Value> {
    let mut health = json!({"status": "ok", "name": "quillgate", "version": env!("CARGO_PKG_VERSION")});
    if let Some(vault) = vaults.find(None) {
        let index = vault.view(|_| true).workspace.index.status();
        health["index"] = json!({"ready": index.ready, "files": index.files, "problems": index.problems.len()});
    }
    Json(health)
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
pub(crate) struct AllowedHosts {
    names: Vec<String>,
    any_address: bool,
}

impl AllowedHosts {
    /// The first site answers to the addresses of the machine too.
    pub(crate) fn new(server_url: Option<&str>, address: SocketAddr, any_address: bool) -> AllowedHosts {
        let mut names = vec!["localhost".to_owned(), address.ip().to_string()];
        names.extend(server_url.map(host_of));
        AllowedHosts { names, any_address }
    }

    /// A further site answers to its own name alone.
    pub(crate) fn only(server_url: &str) -> AllowedHosts {
        AllowedHosts { names: vec![host_of(server_url)], any_address: false }
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

fn host(request: &Request) -> Option<String> {
    let authority = request.uri().authority().map(|authority| authority.as_str().to_owned());
    authority.or_else(|| request.headers().get(HOST)?.to_str().ok().map(str::to_owned))
}

async fn check_host(State(hosts): State<Arc<AllowedHosts>>, request: Request, next: Next) -> Response {
    match host(&request) {
        Some(host) if hosts.allow(&host) => next.run(request).await,
        _ => rpc_error(StatusCode::FORBIDDEN, -32600, "this Host is not served here; the operator sets --server-url"),
    }
}

/// Pages served by this machine, by the server's own URL, and those the operator named.
fn allowed_origins(site: &Site) -> Vec<String> {
    let mut origins: Vec<String> = ["localhost", "127.0.0.1", "[::1]"]
        .iter()
        .flat_map(|host| [format!("http://{host}:*"), format!("https://{host}:*")])
        .collect();
    origins.push(format!("http://{}", site.address));
    origins.extend(origin_of(&site.url));
    origins.extend(site.config.allowed_origins.iter().filter_map(|origin| origin_of(origin)));
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
    let body = match read_body(body, max_request_bytes).await {
        Ok(body) => body,
        Err(refused) => return refused,
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

/// The whole body, if it comes soon and is not too long.
pub(crate) async fn read_body(body: Body, most: usize) -> Result<Bytes, Response> {
    let too_slow = || rpc_error(StatusCode::REQUEST_TIMEOUT, -32600, "the request took too long to arrive; send it again");
    let too_long = |_| rpc_error(StatusCode::PAYLOAD_TOO_LARGE, -32600, "the request is too large; send less at once");
    let received = tokio::time::timeout(SLOWEST_BODY, axum::body::to_bytes(body, most)).await;
    received.map_err(|_| too_slow())?.map_err(too_long)
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
