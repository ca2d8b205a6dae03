//! Taking connections: as many as fit, each with limited patience for the head of a request, until the server ends.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use crate::prompt::Prompt;

/// How long the head of a request may take to arrive, and how long an idle connection is kept.
const SLOWEST_HEAD: Duration = Duration::from_secs(15);
/// A listener that cannot take connections (no file handles left) tries again after this.
const RECOVERY: Duration = Duration::from_millis(200);

/// Serves until `stopping`, then until every connection has ended.
pub(crate) async fn take_connections(listener: TcpListener, app: Router, most: usize, stopping: &CancellationToken) {
    let slots = Arc::new(Semaphore::new(most));
    let ending = GracefulShutdown::new();
    loop {
        let slot = tokio::select! {
            slot = slots.clone().acquire_owned() => slot,
            () = stopping.cancelled() => break,
        };
        let (stream, peer) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be taken");
                    tokio::time::sleep(RECOVERY).await;
                    continue;
                }
            },
            () = stopping.cancelled() => break,
        };
        let connection = ending.watch(connection(stream, peer, app.clone()));
        tokio::spawn(async move {
            let _slot = slot;
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended early");
            }
        });
    }
    drop(listener);
    ending.shutdown().await;
}

fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    app: Router,
) -> impl hyper_util::server::graceful::GracefulConnection<Error = Box<dyn std::error::Error + Send + Sync>> + 'static {
    // Answers are several small writes; waiting for each other's acknowledgement costs 40 ms a call.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request: Request<Incoming>| {
        let mut request = request.map(axum::body::Body::new);
        request.extensions_mut().insert(ConnectInfo(peer));
        app.clone().oneshot(request)
    });
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(SLOWEST_HEAD);
    builder.http2().timer(TokioTimer::new()).keep_alive_interval(Some(SLOWEST_HEAD)).max_concurrent_streams(100);
    builder.serve_connection(TokioIo::new(Prompt::new(stream, SLOWEST_HEAD)), service).into_owned()
}
