//! For tests, of this crate and in `tests/it`: a server on loopback that speaks TLS, counts connections and answers what it is
//! told.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::FutureExt;
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

use crate::FetchSettings;

pub(crate) struct Fixture {
    address: SocketAddr,
    root: reqwest::Certificate,
    seen: Arc<Seen>,
    server: JoinHandle<()>,
}

#[derive(Default)]
struct Seen {
    connections: AtomicUsize,
    requests: Mutex<Vec<String>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Afterwards {
    Close,
    Hang,
}

type Answer = Arc<dyn Fn(&str) -> Vec<u8> + Send + Sync>;

impl Fixture {
    /// Answers each request by its path.
    pub(crate) async fn start(answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> Fixture {
        Fixture::listen(Arc::new(answer), Afterwards::Close).await
    }

    /// The same, but never ends a connection.
    pub(crate) async fn start_hanging(answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> Fixture {
        Fixture::listen(Arc::new(answer), Afterwards::Hang).await
    }

    async fn listen(answer: Answer, afterwards: Afterwards) -> Fixture {
        let certified = rcgen::generate_simple_self_signed(["app.test".to_owned(), "other.test".to_owned()]).unwrap();
        let root = reqwest::Certificate::from_der(certified.cert.der()).unwrap();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(certified.signing_key.serialize_der()));
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certified.cert.der().clone()], key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Seen::default());
        let counted = Arc::clone(&seen);
        let server = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                counted.connections.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(stream, acceptor.clone(), Arc::clone(&answer), Arc::clone(&counted), afterwards));
            }
        });
        Fixture { address, root, seen, server }
    }

    /// Every name leads here, and only here may be reached.
    pub(crate) fn settings(&self) -> FetchSettings {
        let here = self.address.ip();
        FetchSettings {
            lookup: Arc::new(move |_| futures::future::ready(Ok(vec![here])).boxed()),
            allowed: vec![IpAddr::from(Ipv4Addr::LOCALHOST).into()],
            roots: vec![self.root.clone()],
            timeout: Duration::from_secs(20),
        }
    }

    pub(crate) fn address(&self, path: &str) -> String {
        format!("https://app.test:{}{path}", self.port())
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    pub(crate) fn connections(&self) -> usize {
        self.seen.connections.load(Ordering::SeqCst)
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.seen.requests.lock().unwrap().clone()
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn serve(stream: TcpStream, acceptor: TlsAcceptor, answer: Answer, seen: Arc<Seen>, afterwards: Afterwards) -> Option<()> {
    let mut stream = acceptor.accept(stream).await.ok()?;
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        request.push(stream.read_u8().await.ok()?);
    }
    let request = String::from_utf8(request).ok()?;
    let path = request.split(' ').nth(1)?.to_owned();
    seen.requests.lock().unwrap().push(request);
    stream.write_all(&answer(&path)).await.ok()?;
    stream.flush().await.ok()?;
    if afterwards == Afterwards::Hang {
        std::future::pending::<()>().await;
    }
    stream.shutdown().await.ok()
}

pub(crate) fn answer(status: &str, headers: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\n{headers}\r\ncontent-length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

pub(crate) fn json(body: &str) -> Vec<u8> {
    answer("200 OK", "content-type: application/json", body)
}
