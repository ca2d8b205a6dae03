//! Metrics for Prometheus: its text format, version 0.0.4, and a listener of their own.

use std::fmt::Write;
use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::Context;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HOST};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::metrics::{BOUNDS, Family, Metrics, Value};
use crate::config::PrometheusConfig;
use crate::listen::take_connections;
use crate::network::{host_of, is_loopback_host};

const FORMAT: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
/// Nobody needs more scrapers than this.
const MOST_CONNECTIONS: usize = 32;

/// Answers `GET /metrics`. Whoever mounts it says who may ask.
pub(crate) async fn scrape(State(metrics): State<Arc<Metrics>>) -> Response {
    match tokio::task::spawn_blocking(move || text(&metrics.families())).await {
        Ok(text) => ([(CONTENT_TYPE, FORMAT), (CACHE_CONTROL, HeaderValue::from_static("no-store"))], text).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// Begins to serve metrics where the operator wants them to be; the end of the runtime ends it.
pub(crate) async fn start_listener(config: &PrometheusConfig, metrics: &Arc<Metrics>) -> anyhow::Result<()> {
    if !config.enabled {
        return Ok(());
    }
    let PrometheusConfig { host, port, .. } = config;
    let listener = TcpListener::bind((host.as_str(), *port)).await.with_context(|| {
        format!("metrics cannot be served on {host} port {port}; give another observability.prometheus.host or port")
    })?;
    tokio::spawn(serve_metrics(listener, metrics.clone(), CancellationToken::new()));
    Ok(())
}

/// Serves nothing but metrics, without login, until `stopping`.
pub(super) async fn serve_metrics(listener: TcpListener, metrics: Arc<Metrics>, stopping: CancellationToken) {
    let Ok(address) = listener.local_addr() else { return };
    match address.ip().is_loopback() {
        true => tracing::info!(%address, "metrics are served"),
        false => {
            tracing::warn!(%address, "metrics, which name vaults and tools, are served to everybody who reaches this address")
        }
    }
    let app = Router::new()
        .route("/metrics", get(scrape))
        .with_state(metrics)
        .fallback(|| async { (StatusCode::NOT_FOUND, "metrics are at /metrics\n") })
        .layer(middleware::from_fn_with_state(address, check_host));
    take_connections(listener, app, MOST_CONNECTIONS, &stopping).await;
}

/// A page on another site can make a browser connect to this machine under the page's own name (DNS rebinding).
async fn check_host(State(address): State<SocketAddr>, request: Request, next: Next) -> Response {
    let asked = request.uri().authority().map(|authority| authority.as_str());
    let asked = asked.or_else(|| request.headers().get(HOST)?.to_str().ok());
    if address.ip().is_loopback() && !asked.is_some_and(|host| is_loopback_host(&host_of(host))) {
        return (StatusCode::FORBIDDEN, "this Host is not served here; ask for localhost\n").into_response();
    }
    next.run(request).await
}

pub(super) fn text(families: &[Family]) -> String {
    let mut text = String::with_capacity(16 << 10);
    for family in families {
        // Writing to a string cannot fail.
        let _ = write_family(&mut text, family);
    }
    text
}

fn write_family(text: &mut String, family: &Family) -> std::fmt::Result {
    let Family { name, help, kind, points } = family;
    writeln!(text, "# HELP {name} {help}\n# TYPE {name} {}", kind.as_str())?;
    for point in points {
        let labels = labels(&point.labels);
        match &point.value {
            Value::Number(number) => writeln!(text, "{name}{} {number}", braced(&labels))?,
            Value::Durations { counts, seconds } => {
                let separator = if labels.is_empty() { "" } else { "," };
                let mut so_far = 0;
                for (count, bound) in counts.iter().zip(BOUNDS.iter().map(ToString::to_string).chain(["+Inf".to_owned()])) {
                    so_far += count;
                    writeln!(text, "{name}_bucket{{{labels}{separator}le=\"{bound}\"}} {so_far}")?;
                }
                let labels = braced(&labels);
                writeln!(text, "{name}_sum{labels} {seconds}\n{name}_count{labels} {so_far}")?;
            }
        }
    }
    Ok(())
}

fn labels(labels: &[(&'static str, String)]) -> String {
    let written: Vec<String> = labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
    written.join(",")
}

fn braced(labels: &str) -> String {
    if labels.is_empty() { String::new() } else { format!("{{{labels}}}") }
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
