//! Attacks 101, 117 to 124 and 128: what needs a network or a clock of the test's own, against the whole router.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};
use axum::Router;
use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures::FutureExt;
use futures::future::ready;
use quillgate_oauth::{
    ClientDocumentSettings, Clock, Endpoint, FetchSettings, Hashing, Lifetimes, Login, OfferedScope, PerMinute, RedirectPolicy,
    Settings, Site, UpstreamAccount, UpstreamLogin,
};
use quillgate_state::{Location, State};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt;
use url::form_urlencoded::{self, Serializer};

const ISSUER: &str = "https://notes.example";
const REDIRECT: &str = "https://app.test/callback";
/// The pair of RFC 7636, appendix B.
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const START: i64 = 1_800_000_000_000;
const JSON: &str = "content-type: application/json";

/// A web server on loopback with a certificate for `app.test`, which counts who connects.
struct Web {
    address: SocketAddr,
    certificate: reqwest::Certificate,
    connections: Arc<AtomicUsize>,
    /// Answers by path.
    pages: Arc<Mutex<HashMap<String, Page>>>,
    task: JoinHandle<()>,
}

#[derive(Clone)]
enum Page {
    Whole(Vec<u8>),
    /// This, then nothing for ever.
    Stalled(Vec<u8>),
    /// The first once, the second again and again until nobody listens.
    Endless(Vec<u8>, Vec<u8>),
}

impl Web {
    async fn start() -> Web {
        Web::at("127.0.0.1:0").await
    }

    async fn at(address: &str) -> Web {
        let certified = rcgen::generate_simple_self_signed(["app.test".to_owned(), "other.test".to_owned()]).unwrap();
        let certificate = reqwest::Certificate::from_der(certified.cert.der()).unwrap();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(certified.signing_key.serialize_der()));
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        let config = builder.with_no_client_auth().with_single_cert(vec![certified.cert.der().clone()], key).unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let pages: Arc<Mutex<HashMap<String, Page>>> = Arc::default();
        let (counted, shown) = (connections.clone(), pages.clone());
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(stream, acceptor.clone(), shown.clone()));
            }
        });
        Web { address, certificate, connections, pages, task }
    }

    fn url(&self, path: &str) -> String {
        format!("https://app.test:{}{path}", self.address.port())
    }

    fn show(&self, path: &str, page: Page) {
        self.pages.lock().unwrap().insert(path.to_owned(), page);
    }

    /// Publishes a client's document with these members beside, or instead of, the usual ones; returns the client's id.
    fn publish(&self, path: &str, members: Value) -> String {
        let id = self.url(path);
        let mut document = json!({"client_id": id, "client_name": "App", "redirect_uris": [REDIRECT]});
        for (name, value) in members.as_object().unwrap() {
            document[name] = value.clone();
        }
        self.show(path, json_page(&document.to_string()));
        id
    }

    fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// Every name leads here, and here alone may be reached.
    fn settings(&self) -> FetchSettings {
        let here = self.address.ip();
        FetchSettings {
            lookup: Arc::new(move |_| ready(Ok(vec![here])).boxed()),
            allowed: vec![here.into()],
            roots: vec![self.certificate.clone()],
            timeout: Duration::from_secs(20),
        }
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(stream: TcpStream, acceptor: TlsAcceptor, pages: Arc<Mutex<HashMap<String, Page>>>) -> Option<()> {
    let mut stream = acceptor.accept(stream).await.ok()?;
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        request.push(stream.read_u8().await.ok()?);
    }
    let request = String::from_utf8(request).ok()?;
    let path = request.split(' ').nth(1)?;
    let page = pages.lock().unwrap().get(path).cloned().unwrap_or_else(|| answer("404 Not Found", JSON, "{}"));
    match page {
        Page::Whole(bytes) => stream.write_all(&bytes).await.ok()?,
        Page::Stalled(bytes) => {
            stream.write_all(&bytes).await.ok()?;
            stream.flush().await.ok()?;
            std::future::pending::<()>().await;
        }
        Page::Endless(head, piece) => {
            stream.write_all(&head).await.ok()?;
            while stream.write_all(&piece).await.is_ok() {}
        }
    }
    stream.shutdown().await.ok()
}

fn answer(status: &str, headers: &str, body: &str) -> Page {
    Page::Whole(format!("HTTP/1.1 {status}\r\n{headers}\r\ncontent-length: {}\r\n\r\n{body}", body.len()).into_bytes())
}

/// Good for a minute.
fn json_page(body: &str) -> Page {
    answer("200 OK", &format!("{JSON}\r\ncache-control: max-age=60"), body)
}

/// An authorization server whose people are logged in elsewhere by the cookie `auth_token`, and its clock.
struct Server {
    app: Router,
    clock: Arc<AtomicI64>,
    _folder: TempDir,
}

struct Answer {
    status: StatusCode,
    location: Option<String>,
    cookie: Option<String>,
    body: String,
}

impl Answer {
    /// The cookies that a browser would send next.
    fn cookies(&self) -> String {
        format!("auth_token=ada; {}", self.cookie.as_deref().and_then(|cookie| cookie.split(';').next()).unwrap())
    }

    fn hidden(&self, name: &str) -> &str {
        let (_, rest) = self.body.split_once(&format!("name=\"{name}\" value=\"")).unwrap();
        rest.split('"').next().unwrap()
    }

    /// The consent form, filled in.
    fn allowed(&self) -> [(&str, &str); 4] {
        [("request", self.hidden("request")), ("csrf", self.hidden("csrf")), ("scope", "read:notes"), ("decision", "allow")]
    }

    fn is_refusal(&self) -> bool {
        self.status == StatusCode::BAD_REQUEST && self.location.is_none()
    }
}

impl Server {
    async fn new(fetch: FetchSettings) -> Server {
        Server::named(ISSUER, fetch).await
    }

    async fn named(issuer: &str, fetch: FetchSettings) -> Server {
        let folder = tempfile::tempdir().unwrap();
        let state = State::open(&Location::Sqlite(folder.path().join("state.db"))).await.unwrap();
        let clock = Arc::new(AtomicI64::new(START));
        let told = clock.clone();
        let login = UpstreamLogin {
            login_url: "https://elsewhere.example/login".to_owned(),
            return_parameter: "redirect".to_owned(),
            cookie: "auth_token".to_owned(),
            check: Arc::new(|_| ready(Ok(UpstreamAccount { name: "ada".to_owned(), expires: None })).boxed()),
            longest: 7 * 24 * 3600,
        };
        let scope = OfferedScope { name: "read:notes".to_owned(), about: "Read notes".to_owned() };
        let settings = Settings {
            issuer: issuer.to_owned(),
            endpoints: vec![Endpoint { path: "/mcp".to_owned(), scopes: vec![scope] }],
            vaults: Vec::new(),
            login: Some(Login::Upstream(login)),
            jwt: None,
            keys: None,
            clients: Vec::new(),
            lifetimes: Lifetimes::default(),
            registration: None,
            documents: Some(ClientDocumentSettings { allowed_hosts: Vec::new(), fetch }),
            redirects: RedirectPolicy::default(),
            trusted_redirects: Vec::new(),
            limits: PerMinute {
                discovery: 0,
                register: 0,
                register_everybody: 0,
                authorize: 0,
                token: 0,
                login: 0,
                login_everybody: 0,
            },
        };
        let time = Clock::telling(move || told.load(Ordering::SeqCst));
        let site = Site::new(settings, Arc::new(state), time, Hashing::default()).unwrap();
        Server { app: site.router(), clock, _folder: folder }
    }

    /// Lets so many seconds pass, or takes them back.
    fn pass(&self, seconds: i64) {
        self.clock.fetch_add(seconds * 1000, Ordering::SeqCst);
    }

    async fn send(&self, method: Method, path: &str, cookies: &str, fields: &[(&str, &str)]) -> Answer {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("cookie", cookies)
            .header("content-type", "application/x-www-form-urlencoded")
            .body(Body::from(Serializer::new(String::new()).extend_pairs(fields).finish()))
            .unwrap();
        let response = self.app.clone().oneshot(request).await.unwrap();
        let text = |name: &str| response.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
        let (status, location, cookie) = (response.status(), text("location"), text("set-cookie"));
        let body = axum::body::to_bytes(response.into_body(), 1 << 20).await.unwrap();
        Answer { status, location, cookie, body: String::from_utf8(body.to_vec()).unwrap() }
    }

    async fn authorize(&self, client: &str, redirect_uri: &str) -> Answer {
        let query = Serializer::new(String::new())
            .extend_pairs([("response_type", "code"), ("client_id", client), ("redirect_uri", redirect_uri)])
            .extend_pairs([("code_challenge", CHALLENGE), ("code_challenge_method", "S256")])
            .finish();
        self.send(Method::GET, &format!("/oauth/authorize?{query}"), "auth_token=ada", &[]).await
    }

    /// Whether somebody would be asked about this client.
    async fn knows(&self, client: &str) -> bool {
        let answer = self.authorize(client, REDIRECT).await;
        assert!(answer.status == StatusCode::SEE_OTHER || answer.is_refusal(), "{}: {}", answer.status, answer.body);
        !answer.is_refusal()
    }

    /// The consent page, and the cookies that go with it.
    async fn consent(&self, client: &str, redirect_uri: &str) -> (Answer, String) {
        let begun = self.authorize(client, redirect_uri).await;
        assert_eq!(begun.status, StatusCode::SEE_OTHER, "{}", begun.body);
        let cookies = begun.cookies();
        let page = self.send(Method::GET, &begun.location.unwrap(), &cookies, &[]).await;
        assert_eq!(page.status, StatusCode::OK, "{}", page.body);
        (page, cookies)
    }

    async fn code(&self, client: &str, redirect_uri: &str) -> String {
        let (page, cookies) = self.consent(client, redirect_uri).await;
        let decided = self.send(Method::POST, "/oauth/consent", &cookies, &page.allowed()).await;
        assert_eq!(decided.status, StatusCode::SEE_OTHER, "{}", decided.body);
        let location = decided.location.unwrap();
        let (_, query) = location.split_once('?').unwrap();
        form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "code").unwrap().1.into_owned()
    }

    async fn exchange(&self, client: &str, code: &str, further: &[(&str, &str)]) -> Answer {
        let usual = [("grant_type", "authorization_code"), ("client_id", client), ("code", code), ("code_verifier", VERIFIER)];
        self.send(Method::POST, "/oauth/token", "", &[&usual[..], further].concat()).await
    }

    /// Whether a client is recognised by an assertion: then it is told that its code is wrong, and else that it is unknown.
    async fn recognises(&self, client: &str, key: &ClientKey, id: &str, unique: &str) -> bool {
        let assertion = key.assertion(client, id, unique, self.clock.load(Ordering::SeqCst) / 1000);
        let kind = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
        let proof = [("client_assertion_type", kind), ("client_assertion", assertion.as_str())];
        let answer = self.exchange(client, "no-code", &proof).await;
        assert!(answer.body.contains("invalid_grant") || answer.body.contains("invalid_client"), "{}", answer.body);
        answer.body.contains("invalid_grant")
    }
}

/// A key of a client.
struct ClientKey {
    id: &'static str,
    pair: Ed25519KeyPair,
}

impl ClientKey {
    fn new(id: &'static str) -> ClientKey {
        ClientKey { id, pair: Ed25519KeyPair::generate().unwrap() }
    }

    fn public(&self) -> Value {
        json!({"kty": "OKP", "crv": "Ed25519", "kid": self.id, "x": URL_SAFE_NO_PAD.encode(self.pair.public_key())})
    }

    fn assertion(&self, client: &str, id: &str, unique: &str, now: i64) -> String {
        let claims = json!({"iss": client, "sub": client, "aud": ISSUER, "exp": now + 60, "iat": now, "jti": unique});
        let part = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let message = format!("{}.{}", part(json!({"alg": "EdDSA", "kid": id})), part(claims));
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(self.pair.sign(message.as_bytes())))
    }
}

/// The keys of a client that publishes them; those of `auth.mode` jwt are local, and tried over a running server.
#[tokio::test]
async fn attack_101_key_sets_are_fetched_with_the_same_care_and_seldom() {
    let web = Web::start().await;
    let server = Server::new(web.settings()).await;
    let (one, two) = (ClientKey::new("one"), ClientKey::new("two"));
    let signing = |keys: &str| json!({"token_endpoint_auth_method": "private_key_jwt", "jwks_uri": keys});
    let client = web.publish("/client", signing(&web.url("/jwks")));
    let for_a_day = format!("{JSON}\r\ncache-control: max-age=86400");
    web.show("/jwks", answer("200 OK", &for_a_day, &json!({"keys": [one.public()]}).to_string()));
    assert!(server.recognises(&client, &one, "one", "first").await);
    let before = web.connections();
    for number in 0..20 {
        let unknown = format!("unknown-{number}");
        assert!(!server.recognises(&client, &two, &unknown, &unknown).await);
    }
    assert_eq!(web.connections(), before, "unknown keys are looked for at most once a minute");
    web.show("/jwks", json_page(&json!({"keys": [one.public(), two.public()]}).to_string()));
    server.pass(61);
    assert!(server.recognises(&client, &two, "two", "rotated").await);
    web.show("/jwks", answer("500 Internal Server Error", JSON, "{}"));
    server.pass(61);
    assert!(server.recognises(&client, &two, "two", "failing").await, "what was known still counts");
    assert!(server.recognises(&client, &one, "one", "failing, too").await);

    let weak = json!({"kty": "RSA", "kid": "one", "n": URL_SAFE_NO_PAD.encode([0xff; 128]), "e": "AQAB"});
    let private = json!({"kty": "OKP", "crv": "Ed25519", "kid": "one", "x": one.public()["x"], "d": one.public()["x"]});
    let sets = [
        json!({"keys": [one.public(), weak]}),
        json!({"keys": [private]}),
        json!({"keys": [one.public(), {"kty": "oct", "kid": "two", "k": "AAAA"}]}),
        json!({"keys": [one.public()], "padding": "x".repeat(64 << 10)}),
        json!({"keys": []}),
    ];
    for (number, set) in sets.iter().enumerate() {
        let keys = format!("/jwks-{number}");
        web.show(&keys, json_page(&set.to_string()));
        let client = web.publish(&format!("/client-{number}"), signing(&web.url(&keys)));
        assert!(!server.recognises(&client, &one, "one", "first").await, "{number}");
    }
    let before = web.connections();
    let addresses = [
        format!("http://app.test:{}/jwks", web.address.port()),
        format!("{ISSUER}/jwks"),
        "https://10.0.0.1/jwks".to_owned(),
        "https://[::1]/jwks".to_owned(),
        "file:///etc/passwd".to_owned(),
    ];
    for (number, address) in addresses.iter().enumerate() {
        let client = web.publish(&format!("/astray-{number}"), signing(address));
        assert!(!server.recognises(&client, &one, "one", "first").await, "{address}");
    }
    assert_eq!(web.connections(), before + addresses.len(), "the documents were fetched, and nothing else");
}

#[tokio::test]
async fn attack_117_private_addresses_are_refused_without_a_connection() {
    let web = Web::start().await;
    let port = web.address.port();
    web.publish("/client", json!({}));
    let addresses = [
        "127.0.0.1",
        "127.8.8.8",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "255.255.255.255",
        "224.0.0.1",
        "198.18.0.1",
        "::1",
        "::",
        "fd00::1",
        "fe80::1",
        "::ffff:10.0.0.1",
        "::ffff:127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b::a00:1",
        "2002:7f00:1::",
        "::127.0.0.1",
        "ff02::1",
    ];
    let started = Instant::now();
    // By a name that leads to this address, and perhaps to another private one.
    for address in addresses {
        let address: IpAddr = address.parse().unwrap();
        for found in [vec![address], vec![address, IpAddr::V4(Ipv4Addr::LOCALHOST)]] {
            let lookup = Arc::new(move |_| ready(Ok(found.clone())).boxed());
            let server = Server::new(FetchSettings { lookup, allowed: vec![], ..web.settings() }).await;
            assert!(!server.knows(&web.url("/client")).await, "{address}");
        }
    }
    // As it stands in the id, also in other spellings.
    let server = Server::new(FetchSettings { allowed: vec![], ..web.settings() }).await;
    let literals = addresses.map(|address| if address.contains(':') { format!("[{address}]") } else { address.to_owned() });
    let spellings =
        ["0x7f.1", "2130706433", "127.1", "0177.0.0.1", "localhost", "127.0.0.1.", "[::ffff:7f00:1]", "%31%32%37.0.0.1"];
    for host in literals.iter().map(String::as_str).chain(spellings) {
        assert!(!server.knows(&format!("https://{host}:{port}/client")).await, "{host}");
    }
    assert_eq!(web.connections(), 0);
    assert!(started.elapsed() < Duration::from_secs(15), "somebody was waited for: {:?}", started.elapsed());
    let server = Server::new(web.settings()).await;
    assert!(server.knows(&web.url("/client")).await, "where it is allowed, it is found");
}

#[tokio::test]
async fn attack_118_a_name_is_looked_up_once_and_that_address_is_used() {
    let public = Web::at("127.0.0.2:0").await;
    let private = Web::at(&format!("127.0.0.1:{}", public.address.port())).await;
    let client = public.publish("/client", json!({}));
    private.publish("/client", json!({"client_name": "Somebody else"}));
    let lookups = Arc::new(AtomicUsize::new(0));
    let counted = lookups.clone();
    // The first answer may be reached, all later ones may not.
    let lookup = move |_| {
        let is_first = counted.fetch_add(1, Ordering::SeqCst) == 0;
        let address = if is_first { [127, 0, 0, 2] } else { [127, 0, 0, 1] };
        ready(Ok::<_, io::Error>(vec![IpAddr::from(address)])).boxed()
    };
    let roots = vec![public.certificate.clone(), private.certificate.clone()];
    let server = Server::new(FetchSettings { lookup: Arc::new(lookup), roots, ..public.settings() }).await;
    assert!(server.knows(&client).await);
    assert_eq!((lookups.load(Ordering::SeqCst), public.connections(), private.connections()), (1, 1, 0));
    // The next fetch asks again, and judges again.
    server.pass(3600);
    let (page, _) = server.consent(&client, REDIRECT).await;
    assert!(!page.body.contains("Somebody else"), "{}", page.body);
    assert_eq!((lookups.load(Ordering::SeqCst), public.connections(), private.connections()), (2, 1, 0));
    server.pass(25 * 3600);
    assert!(!server.knows(&client).await, "what was known is too old by now");
    assert_eq!(private.connections(), 0);
}

#[tokio::test]
async fn attack_119_redirects_are_not_followed() {
    let (web, elsewhere) = (Web::start().await, Web::start().await);
    let roots = vec![web.certificate.clone(), elsewhere.certificate.clone()];
    let server = Server::new(FetchSettings { roots, ..web.settings() }).await;
    let targets = [
        "https://169.254.169.254/latest/meta-data/".to_owned(),
        "http://127.0.0.1/".to_owned(),
        elsewhere.url("/c"),
        "/good".into(),
    ];
    for status in ["300 Choices", "301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"] {
        for (number, to) in targets.iter().enumerate() {
            let path = format!("/{}-{number}", &status[..3]);
            // Where it leads, the document would be right.
            elsewhere.publish("/c", json!({"client_id": web.url(&path)}));
            web.publish("/good", json!({"client_id": web.url(&path)}));
            web.show(&path, answer(status, &format!("{JSON}\r\nlocation: {to}"), "{}"));
            let before = web.connections();
            assert!(!server.knows(&web.url(&path)).await, "{status} to {to}");
            assert_eq!(web.connections(), before + 1, "{status} to {to}");
        }
    }
    web.publish("/good", json!({"client_id": web.url("/hint")}));
    for hint in ["refresh: 0; url=/good", "content-location: /good", "link: </good>; rel=canonical"] {
        web.show("/hint", answer("200 OK", &format!("{JSON}\r\n{hint}"), "{}"));
        assert!(!server.knows(&web.url("/hint")).await, "{hint}");
        server.pass(60);
    }
    assert_eq!(elsewhere.connections(), 0);
}

#[tokio::test]
async fn attack_120_documents_are_bounded_and_a_failure_forgets_none() {
    let web = Web::start().await;
    let server = Server::new(FetchSettings { timeout: Duration::from_millis(700), ..web.settings() }).await;
    let head = |further: &str| format!("HTTP/1.1 200 OK\r\n{JSON}\r\n{further}\r\n\r\n").into_bytes();
    let chunk = [b"10000\r\n".to_vec(), vec![b'a'; 0x10000], b"\r\n".to_vec()].concat();
    let good = |path: &str| json!({"client_id": web.url(path), "client_name": "App", "redirect_uris": [REDIRECT]}).to_string();
    for (path, page) in [
        ("/silent", Page::Stalled(Vec::new())),
        ("/drip", Page::Stalled([head("content-length: 1000"), b"{".to_vec()].concat())),
        ("/half-a-head", Page::Stalled(b"HTTP/1.1 200 OK\r\ncontent-".to_vec())),
        ("/endless", Page::Endless(head("transfer-encoding: chunked"), chunk)),
        ("/endless-head", Page::Endless(b"HTTP/1.1 200 OK\r\n".to_vec(), b"x-more: more\r\n".repeat(100))),
        ("/gigabyte", Page::Endless(head("content-length: 1073741824"), vec![b'a'; 1 << 16])),
        ("/zipped", answer("200 OK", &format!("{JSON}\r\ncontent-encoding: gzip"), &good("/zipped"))),
        ("/html", answer("200 OK", "content-type: text/html", &good("/html"))),
        ("/untyped", answer("200 OK", "x-type: none", &good("/untyped"))),
        ("/missing", answer("404 Not Found", JSON, &good("/missing"))),
        ("/created", answer("201 Created", JSON, &good("/created"))),
        ("/no-json", json_page("{")),
        ("/list", json_page("[]")),
        ("/long", json_page(&good("/long").replace("App", &"a".repeat(6000)))),
    ] {
        web.show(path, page);
        let started = Instant::now();
        assert!(!server.knows(&web.url(path)).await, "{path}");
        assert!(started.elapsed() < Duration::from_secs(5), "{path} took {:?}", started.elapsed());
    }
    // A good document stays good while its server fails, and is asked for again; a day later that is over.
    for failing in [
        answer("404 Not Found", JSON, "{}"),
        answer("500 Internal Server Error", JSON, "{}"),
        answer("200 OK", "content-type: text/html", "<h1>Maintenance</h1>"),
        Page::Stalled(Vec::new()),
    ] {
        let client = web.publish("/stays", json!({}));
        let server = Server::new(FetchSettings { timeout: Duration::from_millis(700), ..web.settings() }).await;
        assert!(server.knows(&client).await);
        web.show("/stays", failing);
        let before = web.connections();
        server.pass(61);
        assert!(server.knows(&client).await);
        assert_eq!(web.connections(), before + 1, "it was asked");
        server.pass(24 * 3600);
        assert!(!server.knows(&client).await);
        // Failures are not kept as documents.
        web.publish("/stays", json!({}));
        server.pass(60);
        assert!(server.knows(&client).await);
    }
}

#[tokio::test]
async fn attack_121_nothing_is_fetched_from_ourselves() {
    let web = Web::start().await;
    let own = web.url("");
    let server = Server::named(&own, web.settings()).await;
    for path in ["/client", "/oauth/authorize", "/oauth/authorize?client_id=x", "/.well-known/openid-configuration", "/", ""] {
        web.publish(path, json!({}));
        for client in [format!("{own}{path}"), format!("{}{path}", own.replace("app.test", "APP.test"))] {
            assert!(!server.knows(&client).await, "{client}");
        }
    }
    assert_eq!(web.connections(), 0);
    let other = format!("https://other.test:{}/client", web.address.port());
    web.publish("/client", json!({"client_id": other}));
    assert!(server.knows(&other).await, "another name at the same address is somebody else");
}

#[tokio::test]
async fn attack_122_a_document_names_its_own_address_byte_for_byte() {
    let web = Web::start().await;
    let port = web.address.port();
    let server = Server::new(web.settings()).await;
    let claims = |path: &str| {
        [
            json!(format!("https://app.test:{port}{path}/")),
            json!(format!("https://app.test:{port}{}", path.to_uppercase())),
            json!(format!("https://APP.test:{port}{path}")),
            json!(format!("HTTPS://app.test:{port}{path}")),
            json!(format!("https://app.test{path}")),
            json!(format!("https://app.test:{}{path}", port ^ 1)),
            json!(format!("https://app.test:{port}{path}?")),
            json!(format!("https://app.test:{port}{path}#")),
            json!(format!(" https://app.test:{port}{path}")),
            json!(format!("https://other.test:{port}{path}")),
            json!(format!("http://app.test:{port}{path}")),
            json!("https://claude.ai/oauth/mcp-oauth-client-metadata"),
            json!(""),
            json!(null),
            json!([format!("https://app.test:{port}{path}")]),
        ]
    };
    for number in 0..claims("").len() {
        let path = format!("/client-{number}");
        let claimed = &claims(&path)[number];
        let client = web.publish(&path, json!({"client_id": claimed}));
        assert!(!server.knows(&client).await, "{claimed}");
    }
    // What else a document may not say.
    let members = [
        json!({"client_secret": "x"}),
        json!({"token_endpoint_auth_method": "client_secret_post"}),
        json!({"client_name": null}),
        json!({"redirect_uris": []}),
        json!({"redirect_uris": ["javascript:alert(1)"]}),
        json!({"jwks": {"keys": [{"kty": "oct", "k": "AAAA"}]}}),
    ];
    for (number, members) in members.iter().enumerate() {
        let client = web.publish(&format!("/wrong-{number}"), members.clone());
        assert!(!server.knows(&client).await, "{members}");
    }
    let before = web.connections();
    for id in [
        format!("https://app.test:{port}/a/../client"),
        format!("https://app.test:{port}/%2e%2e/client"),
        format!("https://user@app.test:{port}/client"),
        format!("https://app.test:{port}/client#x"),
        format!("http://app.test:{port}/client"),
        format!("https://app.test:{port}"),
        format!("https:\\\\app.test:{port}\\client"),
    ] {
        assert!(!server.knows(&id).await, "{id}");
    }
    assert_eq!(web.connections(), before, "ids that cannot be are not fetched");
    assert!(server.knows(&web.publish("/right", json!({}))).await);
}

#[tokio::test]
async fn attack_123_consent_is_for_one_redirect_uri() {
    let web = Web::start().await;
    let server = Server::new(web.settings()).await;
    let client = web.publish("/client", json!({}));
    let code = server.code(&client, REDIRECT).await;
    assert_eq!(server.exchange(&client, &code, &[]).await.status, StatusCode::OK);
    let (again, _) = server.consent(&client, REDIRECT).await;
    assert!(again.body.contains("You allowed this application on"), "{}", again.body);
    // The document now names another address, as after a takeover.
    let evil = "https://evil.example/callback";
    web.publish("/client", json!({"redirect_uris": [evil]}));
    assert!(server.authorize(&client, evil).await.is_refusal(), "not before the document is fetched again");
    let begun = server.authorize(&client, REDIRECT).await;
    server.pass(61);
    let (asked, _) = server.consent(&client, evil).await;
    assert!(asked.body.contains("evil.example") && !asked.body.contains("You allowed this application on"), "{}", asked.body);
    // What was begun for the old address does not end there any more, and nothing goes to the new one unasked.
    let late = server.send(Method::GET, begun.location.as_deref().unwrap(), &begun.cookies(), &[]).await;
    assert!(late.is_refusal(), "{}", late.body);
    assert!(server.authorize(&client, REDIRECT).await.is_refusal());
    let query = format!("client_id={client}&redirect_uri={evil}&response_type=token");
    let wrong = server.send(Method::GET, &format!("/oauth/authorize?{query}"), "auth_token=ada", &[]).await;
    assert!(wrong.is_refusal(), "an error is not sent there either: {:?}", wrong.location);
}

#[tokio::test]
async fn attack_124_all_failures_to_fetch_look_alike() {
    let (web, stranger) = (Web::start().await, Web::start().await);
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let plain = plain_server().await;
    let lookup = |name: String| {
        let found = match name.as_str() {
            "nowhere.test" => Err(io::Error::from(io::ErrorKind::NotFound)),
            "nothing.test" => Ok(vec![]),
            "private.test" => Ok(vec![IpAddr::from([10, 0, 0, 1])]),
            _ => Ok(vec![IpAddr::from([127, 0, 0, 1])]),
        };
        ready(found).boxed()
    };
    let settings = FetchSettings { lookup: Arc::new(lookup), timeout: Duration::from_millis(700), ..web.settings() };
    let server = Server::new(settings).await;
    web.show("/denied", answer("403 Forbidden", JSON, "{}"));
    web.show("/broken", answer("500 Internal Server Error", JSON, "{}"));
    web.show("/html", answer("200 OK", "content-type: text/html", "<p>secret page</p>"));
    web.show("/silent", Page::Stalled(Vec::new()));
    web.show("/long", json_page(&"a".repeat(10_000)));
    web.show("/redirect", answer("302 Found", "location: https://10.0.0.1/", ""));
    web.show("/text", json_page("secret words"));
    web.show("/other", json_page(&json!({"client_id": "https://other.test/", "client_name": "secret name"}).to_string()));
    let mut ids: Vec<String> = ["/missing", "/denied", "/broken", "/html", "/silent", "/long", "/redirect", "/text", "/other"]
        .map(|path| web.url(path))
        .into();
    ids.extend([
        format!("https://app.test:{closed}/c"),
        format!("https://app.test:{plain}/c"),
        stranger.url("/c"),
        format!("https://wrong-name.test:{}/c", web.address.port()),
        "https://nowhere.test/c".to_owned(),
        "https://nothing.test/c".to_owned(),
        "https://private.test/c".to_owned(),
        "https://10.0.0.1/c".to_owned(),
        "https://169.254.169.254/latest".to_owned(),
        "qgc_nobody".to_owned(),
    ]);
    let mut first: Option<String> = None;
    for id in ids {
        let answer = server.authorize(&id, REDIRECT).await;
        assert!(answer.is_refusal() && !answer.body.contains("secret"), "{}", answer.body);
        let token = server.exchange(&id, "code", &[]).await;
        assert_eq!(
            (token.status, token.body.contains("invalid_client")),
            (StatusCode::UNAUTHORIZED, true),
            "{id}: {}",
            token.body
        );
        assert_eq!(answer.body, *first.get_or_insert(answer.body.clone()), "{id} looks otherwise");
    }
}

/// Something that listens, and speaks no TLS.
async fn plain_server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.write_all(b"220 mail.internal ESMTP\r\n").await;
        }
    });
    port
}

#[tokio::test]
async fn attack_128_a_clock_that_jumps_brings_nothing_back() {
    let web = Web::start().await;
    let server = Server::new(web.settings()).await;
    let client = web.publish("/client", json!({}));
    let refuses = async |code: &str| {
        let answer = server.exchange(&client, code, &[]).await;
        assert!(answer.status == StatusCode::BAD_REQUEST && answer.body.contains("invalid_grant"), "{}", answer.body);
    };
    // A code that was used stays used, whatever the clock says.
    let used = server.code(&client, REDIRECT).await;
    assert_eq!(server.exchange(&client, &used, &[]).await.status, StatusCode::OK);
    for jump in [-3600, -86_400 * 365, 86_400 * 366, 3600] {
        server.pass(jump);
        refuses(&used).await;
    }
    // One that was refused for its age stays refused when the clock goes back.
    let late = server.code(&client, REDIRECT).await;
    server.pass(301);
    refuses(&late).await;
    server.pass(-301);
    refuses(&late).await;
    // A clock that goes back does not make a fresh one useless, and one that goes forward ends it.
    let fresh = server.code(&client, REDIRECT).await;
    server.pass(-60);
    assert_eq!(server.exchange(&client, &fresh, &[]).await.status, StatusCode::OK);
    let ended = server.code(&client, REDIRECT).await;
    server.pass(86_400 * 30);
    refuses(&ended).await;
    // A form that was answered stays answered.
    let (page, cookies) = server.consent(&client, REDIRECT).await;
    assert_eq!(server.send(Method::POST, "/oauth/consent", &cookies, &page.allowed()).await.status, StatusCode::SEE_OTHER);
    for jump in [-600, 1200] {
        server.pass(jump);
        let again = server.send(Method::POST, "/oauth/consent", &cookies, &page.allowed()).await;
        assert!(again.status.is_client_error() && again.location.is_none(), "{}", again.status);
    }
}
