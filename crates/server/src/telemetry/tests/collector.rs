//! A collector on loopback that answers as it is told.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use url::Url;

use super::PATIENCE;
use crate::telemetry::{OtlpSettings, Settings, Telemetry};

/// An answer: status, `Retry-After`, body, and how long it takes.
#[derive(Clone, Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: &'static str,
    pub(super) after: Duration,
}

impl Reply {
    pub(super) fn status(status: u16) -> Reply {
        Reply { status, headers: Vec::new(), body: "{}", after: Duration::ZERO }
    }
}

#[derive(Debug)]
pub(super) struct Received {
    pub(super) at: Instant,
    pub(super) path: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

pub(super) struct Collector {
    pub(super) address: SocketAddr,
    received: Receiver<Received>,
    _runtime: Runtime,
}

impl Collector {
    /// Gives these answers one after the other, then says yes to everything.
    pub(super) fn answering(replies: &[Reply]) -> Collector {
        Collector::at(SocketAddr::from(([127, 0, 0, 1], 0)), replies)
    }

    pub(super) fn at(address: SocketAddr, replies: &[Reply]) -> Collector {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let listener = runtime.block_on(TcpListener::bind(address)).expect("a port");
        let address = listener.local_addr().expect("an address");
        let (sender, received) = mpsc::channel();
        let replies = Arc::new(Mutex::new(VecDeque::from(replies.to_vec())));
        let answer = move |uri: Uri, headers: HeaderMap, body: Bytes| {
            let reply = replies.lock().expect("a script").pop_front().unwrap_or_else(|| Reply::status(200));
            let _ = sender.send(Received { at: Instant::now(), path: uri.to_string(), headers, body });
            async move {
                tokio::time::sleep(reply.after).await;
                let mut response = Response::builder().status(reply.status).header("Content-Type", "application/json");
                for (name, value) in reply.headers {
                    response = response.header(name, value);
                }
                response.body(Body::from(reply.body)).expect("a response")
            }
        };
        runtime.spawn(async move { axum::serve(listener, Router::new().fallback(answer)).await });
        Collector { address, received, _runtime: runtime }
    }

    pub(super) fn url(&self) -> Url {
        Url::parse(&format!("http://{}", self.address)).expect("a URL")
    }

    pub(super) fn next(&self) -> Received {
        self.received.recv_timeout(PATIENCE).expect("a request")
    }

    /// What has come and was not looked at yet.
    pub(super) fn rest(&self) -> Vec<Received> {
        self.received.try_iter().collect()
    }

    /// An address at which nobody listens.
    pub(super) fn nowhere() -> SocketAddr {
        std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port")
    }
}

/// Sends soon, and repeats soon.
pub(super) fn hasty(endpoint: Url) -> OtlpSettings {
    let soon = Duration::from_millis(20);
    OtlpSettings { delay: soon, backoff: soon, ..OtlpSettings::to(endpoint) }
}

pub(super) fn sending(otlp: OtlpSettings) -> Telemetry {
    Telemetry::new(Settings { otlp: Some(otlp), cloud_events: None }).expect("telemetry")
}
