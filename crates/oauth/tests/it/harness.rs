//! A site in this process with a database of its own, and the browsers and programs that talk to it.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::header::{CONTENT_TYPE, COOKIE, LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Request};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use quillgate_oauth::{
    ClientAddress, Clock, ConfiguredClient, ConfiguredUser, Endpoint, GrantType, Hashing, Lifetimes, Login, OfferedScope,
    PasswordHash, PerMinute, Principal, RedirectPolicy, Refusal, Registration, Scopes, Settings, Site,
};
use quillgate_state::{Location, SecretHash, State};
use serde_json::{Value, json};
use tempfile::TempDir;
use tower::ServiceExt;
use url::form_urlencoded;

pub(crate) const ISSUER: &str = "https://notes.example";
pub(crate) const NOW: i64 = 1_800_000_000;
pub(crate) const PASSWORD: &str = "correct horse";
/// RFC 7636, appendix B.
pub(crate) const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
pub(crate) const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
/// Where a client on the web is called back, and one on the user's machine.
pub(crate) const WEB: &str = "https://app.example/callback";
pub(crate) const LOCAL: &str = "http://127.0.0.1:1111/callback";
/// A client of the configuration with a secret.
pub(crate) const DESK: &str = "desk";
pub(crate) const DESK_SECRET: &str = "the secret of the desk";
pub(crate) const DESK_REDIRECT: &str = "https://desk.example/callback";

/// As cheap as bcrypt gets, and made once.
static HASH: LazyLock<PasswordHash> = LazyLock::new(|| cheap_hash(PASSWORD));

pub(crate) fn cheap_hash(password: &str) -> PasswordHash {
    PasswordHash::parse(&bcrypt::hash(password, 4).unwrap()).unwrap()
}

pub(crate) fn user(name: &str, password: PasswordHash) -> ConfiguredUser {
    ConfiguredUser { name: name.to_owned(), password, scopes: None, vault: None }
}

fn endpoint(path: &str, scopes: &[&str]) -> Endpoint {
    let offered = |name: &&str| OfferedScope { name: (*name).to_owned(), about: name.replace(':', " ") };
    Endpoint { path: path.to_owned(), scopes: scopes.iter().map(offered).collect() }
}

fn desk() -> ConfiguredClient {
    ConfiguredClient {
        id: DESK.to_owned(),
        name: "Desk".to_owned(),
        secret: Some(SecretHash::of(DESK_SECRET)),
        redirect_uris: vec![DESK_REDIRECT.to_owned()],
        grant_types: vec![GrantType::AuthorizationCode, GrantType::RefreshToken],
        scopes: Scopes::default(),
        introspects: false,
        jwks: None,
    }
}

pub(crate) fn configured(id: &str, change: impl FnOnce(&mut ConfiguredClient)) -> ConfiguredClient {
    let mut client = ConfiguredClient {
        id: id.to_owned(),
        name: id.to_owned(),
        secret: Some(SecretHash::of("secret")),
        redirect_uris: vec![WEB.to_owned()],
        grant_types: vec![GrantType::AuthorizationCode, GrantType::RefreshToken],
        scopes: Scopes::default(),
        introspects: false,
        jwks: None,
    };
    change(&mut client);
    client
}

/// Nothing is limited, so that tests about other things need not care; those about limits set them.
fn settings() -> Settings {
    Settings {
        issuer: ISSUER.to_owned(),
        endpoints: vec![
            endpoint("/mcp", &["read:notes", "write:notes", "delete:notes"]),
            endpoint("/mcp/articles", &["read:articles"]),
        ],
        vaults: Vec::new(),
        login: Some(Login::Password { users: vec![user("anna", HASH.clone()), user("bert", HASH.clone())] }),
        jwt: None,
        keys: None,
        clients: vec![desk()],
        lifetimes: Lifetimes::default(),
        registration: Some(Registration { most_unused: 100 }),
        documents: None,
        redirects: RedirectPolicy::default(),
        trusted_redirects: Vec::new(),
        limits: UNLIMITED,
    }
}

/// Where the database is.
#[derive(Clone, Copy)]
pub(crate) enum Store {
    Sqlite,
    Postgres,
}

/// Nothing is counted but passwords.
pub(crate) const UNLIMITED: PerMinute =
    PerMinute { discovery: 0, register: 0, register_everybody: 0, authorize: 0, token: 0, login: 5, login_everybody: 20 };

pub(crate) struct Place {
    pub(crate) site: Arc<Site>,
    pub(crate) state: Arc<State>,
    router: Router,
    time: Arc<AtomicI64>,
    /// Every answer that was given, as text.
    heard: Arc<Mutex<Vec<String>>>,
    location: Location,
    pub(crate) folder: TempDir,
}

impl Place {
    pub(crate) async fn new() -> Place {
        Place::with(|_| {}).await
    }

    pub(crate) async fn with(change: impl FnOnce(&mut Settings)) -> Place {
        Place::open(Store::Sqlite, Hashing::new(2).resembling(&HASH), change).await
    }

    pub(crate) async fn stored(store: Store, change: impl FnOnce(&mut Settings)) -> Place {
        Place::open(store, Hashing::new(2).resembling(&HASH), change).await
    }

    pub(crate) async fn open(store: Store, hashing: Hashing, change: impl FnOnce(&mut Settings)) -> Place {
        let folder = tempfile::tempdir().unwrap();
        let location = match store {
            Store::Sqlite => Location::Sqlite(folder.path().join("state.db")),
            Store::Postgres => postgres().await,
        };
        let mut settings = settings();
        change(&mut settings);
        Place::start(location, folder, settings, hashing, Arc::new(AtomicI64::new(NOW * 1000))).await
    }

    async fn start(location: Location, folder: TempDir, settings: Settings, hashing: Hashing, time: Arc<AtomicI64>) -> Place {
        let state = Arc::new(State::open(&location).await.unwrap());
        let told = Arc::clone(&time);
        let clock = Clock::telling(move || told.load(Ordering::SeqCst));
        let site = Site::new(settings, Arc::clone(&state), clock, hashing).unwrap();
        Place { router: site.router(), site, state, time, heard: Arc::default(), location, folder }
    }

    /// The same database and time, and nothing else of before; with the usual settings.
    pub(crate) async fn restarted(self) -> Place {
        let Place { site, state, router, time, location, folder, .. } = self;
        drop((router, site, state));
        Place::start(location, folder, settings(), Hashing::new(2).resembling(&HASH), time).await
    }

    /// Moves the clock.
    pub(crate) fn pass(&self, seconds: i64) {
        self.time.fetch_add(seconds * 1000, Ordering::SeqCst);
    }

    pub(crate) fn now(&self) -> i64 {
        self.time.load(Ordering::SeqCst) / 1000
    }

    pub(crate) fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Reply {
        let what = format!("{} {}", request.method(), request.uri().path());
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = String::from_utf8(to_bytes(body, 1 << 20).await.unwrap().to_vec()).unwrap();
        let reply = Reply { status: parts.status.as_u16(), headers: parts.headers, body };
        assert!(reply.status != 500, "{what}: {}", reply.body);
        let headers: Vec<String> =
            reply.headers.iter().map(|(name, value)| format!("{name}: {}", String::from_utf8_lossy(value.as_bytes()))).collect();
        self.heard.lock().unwrap().push(format!("{what}\n{}\n\n{}", headers.join("\n"), reply.body));
        reply
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.send(Request::get(path).body(Body::empty()).unwrap()).await
    }

    pub(crate) async fn post(&self, path: &str, form: &[(&str, &str)], headers: &[(HeaderName, &str)]) -> Reply {
        self.send(post_request(path, form, headers)).await
    }

    pub(crate) async fn register(&self, metadata: &Value) -> Reply {
        let request = Request::post("/oauth/register").header(CONTENT_TYPE, "application/json");
        self.send(request.body(Body::from(metadata.to_string())).unwrap()).await
    }

    /// A client without a secret.
    pub(crate) async fn public_client(&self, redirect_uri: &str) -> String {
        let metadata = json!({ "redirect_uris": [redirect_uri], "client_name": "App", "token_endpoint_auth_method": "none" });
        let reply = self.register(&metadata).await;
        assert_eq!(reply.status, 201, "{}", reply.body);
        reply.text("client_id")
    }

    pub(crate) async fn token(&self, form: &[(&str, &str)]) -> Reply {
        self.post("/oauth/token", form, &[]).await
    }

    pub(crate) async fn exchange(&self, client: &str, code: &str) -> Reply {
        let form = [("grant_type", "authorization_code"), ("client_id", client), ("code", code), ("code_verifier", VERIFIER)];
        self.token(&form).await
    }

    pub(crate) async fn refresh(&self, client: &str, token: &str) -> Reply {
        self.token(&[("grant_type", "refresh_token"), ("client_id", client), ("refresh_token", token)]).await
    }

    /// Anna allows a client of hers everything, and the client has its tokens.
    pub(crate) async fn connected(&self, redirect_uri: &str) -> Connected {
        let client = self.public_client(redirect_uri).await;
        let code = Browser::new(self).code(&ask(&client, redirect_uri)).await;
        let reply = self.exchange(&client, &code).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
        Connected { client, code, access: reply.text("access_token"), refresh: reply.text("refresh_token") }
    }

    pub(crate) async fn check(&self, token: &str) -> Result<Arc<Principal>, Refusal> {
        self.check_at("/mcp", token).await
    }

    pub(crate) async fn check_at(&self, path: &str, token: &str) -> Result<Arc<Principal>, Refusal> {
        let endpoint = self.site.settings.endpoints.iter().find(|endpoint| endpoint.path == path).unwrap();
        let headers = HeaderMap::from_iter([("authorization".parse().unwrap(), format!("Bearer {token}").parse().unwrap())]);
        self.site.check(&headers, endpoint).await
    }

    /// Is it a token that is not good, or not any more?
    pub(crate) async fn is_refused(&self, token: &str) -> bool {
        matches!(self.check(token).await, Err(Refusal::Invalid))
    }
}

/// What a client has after a whole flow.
pub(crate) struct Connected {
    pub(crate) client: String,
    pub(crate) code: String,
    pub(crate) access: String,
    pub(crate) refresh: String,
}

/// A new database in a server that all tests of a run share.
async fn postgres() -> Location {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let database = format!("oauth_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let url = tokio::task::spawn_blocking(cluster).await.unwrap();
    let (client, connection) = tokio_postgres::connect(&url, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute(&format!("CREATE DATABASE {database}")).await.unwrap();
    Location::Postgres(url.replace("/postgres?", &format!("/{database}?")))
}

/// It ends with the process that runs the tests, which with nextest is our parent.
fn cluster() -> String {
    let owner = if std::env::var_os("NEXTEST").is_some() { std::os::unix::process::parent_id() } else { std::process::id() };
    let start = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/postgres/start");
    let output = Command::new(start).args([format!("/tmp/quillgate-postgres-{owner}"), owner.to_string()]).output().unwrap();
    assert!(output.status.success(), "no PostgreSQL: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

pub(crate) fn form_body(form: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish()
}

pub(crate) fn post_request(path: &str, form: &[(&str, &str)], headers: &[(HeaderName, &str)]) -> Request<Body> {
    let mut request = Request::post(path).header(CONTENT_TYPE, "application/x-www-form-urlencoded");
    for (name, value) in headers {
        request = request.header(name, *value);
    }
    request.body(Body::from(form_body(form))).unwrap()
}

pub(crate) fn basic(id: &str, secret: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{id}:{secret}")))
}

pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
    }

    /// The page, less the one script that belongs there.
    pub(crate) fn without_own_script(&self) -> String {
        self.body.replacen(&format!("<script>{}</script>", include_str!("../../templates/once.js")), "", 1)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{} {}", self.status, self.body))
    }

    /// A string of the JSON.
    pub(crate) fn text(&self, name: &str) -> String {
        let json = self.json();
        json[name].as_str().unwrap_or_else(|| panic!("no {name} in {json}")).to_owned()
    }

    /// Status and error of an answer to a program.
    pub(crate) fn error(&self) -> (u16, String) {
        (self.status, self.text("error"))
    }

    pub(crate) fn location(&self) -> Option<&str> {
        self.headers.get(LOCATION).map(|value| value.to_str().unwrap())
    }

    /// Every value of a parameter of the address that the browser is sent to.
    pub(crate) fn answers(&self, name: &str) -> Vec<String> {
        let query = self.location().and_then(|location| location.split_once('?')).map(|(_, query)| query).unwrap_or_default();
        form_urlencoded::parse(query.as_bytes()).filter(|(other, _)| other == name).map(|(_, value)| value.into_owned()).collect()
    }

    pub(crate) fn answer(&self, name: &str) -> Option<String> {
        match &self.answers(name)[..] {
            [] => None,
            [one] => Some(one.clone()),
            several => panic!("{name} stands {} times", several.len()),
        }
    }

    /// The values of all inputs of a name in the page.
    pub(crate) fn fields(&self, name: &str) -> Vec<String> {
        let start = format!("name=\"{name}\" value=\"");
        let values = self.body.split(&start).skip(1).filter_map(|rest| rest.split('"').next());
        values.map(str::to_owned).collect()
    }

    pub(crate) fn field(&self, name: &str) -> String {
        self.fields(name).pop().unwrap_or_else(|| panic!("no {name} in {}", self.body))
    }

    pub(crate) fn set_cookies(&self) -> Vec<&str> {
        self.headers.get_all(SET_COOKIE).iter().map(|value| value.to_str().unwrap()).collect()
    }

    /// What a page says, for messages.
    fn main(&self) -> &str {
        self.body.split("<main>").last().unwrap_or_default()
    }

    /// It is a page that says what is wrong, and sends nobody anywhere.
    #[track_caller]
    pub(crate) fn assert_page(&self, status: u16) {
        assert_eq!((self.status, self.location()), (status, None), "{}", self.main());
        assert!(self.header("content-type").starts_with("text/html"), "{:?}", self.headers);
    }
}

/// An authorization request as its address.
#[derive(Clone)]
pub(crate) struct Ask(Vec<(String, String)>);

/// A request that is in order.
pub(crate) fn ask(client: &str, redirect_uri: &str) -> Ask {
    let pairs = [
        ("response_type", "code"),
        ("client_id", client),
        ("redirect_uri", redirect_uri),
        ("code_challenge", CHALLENGE),
        ("code_challenge_method", "S256"),
        ("state", "a state"),
    ];
    Ask(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec())
}

impl Ask {
    /// With this instead of what was there.
    pub(crate) fn with(&self, name: &str, value: &str) -> Ask {
        self.without(name).and(name, value)
    }

    /// With this beside what is there.
    pub(crate) fn and(&self, name: &str, value: &str) -> Ask {
        let mut pairs = self.0.clone();
        pairs.push((name.to_owned(), value.to_owned()));
        Ask(pairs)
    }

    pub(crate) fn without(&self, name: &str) -> Ask {
        Ask(self.0.iter().filter(|(other, _)| other != name).cloned().collect())
    }

    pub(crate) fn path(&self) -> String {
        format!("/oauth/authorize?{}", form_urlencoded::Serializer::new(String::new()).extend_pairs(&self.0).finish())
    }
}

/// Keeps cookies as a browser does.
#[derive(Clone)]
pub(crate) struct Browser<'a> {
    place: &'a Place,
    pub(crate) cookies: BTreeMap<String, String>,
    pub(crate) address: IpAddr,
    /// Sent along with every form.
    pub(crate) headers: Vec<(HeaderName, String)>,
}

impl<'a> Browser<'a> {
    /// In a place of its own, so that logins of others do not count for it.
    pub(crate) fn new(place: &'a Place) -> Browser<'a> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let [.., b, c, d] = COUNT.fetch_add(1, Ordering::Relaxed).to_be_bytes();
        Browser::at(place, &format!("10.{b}.{c}.{d}"))
    }

    pub(crate) fn at(place: &'a Place, address: &str) -> Browser<'a> {
        Browser { place, cookies: BTreeMap::new(), address: address.parse().unwrap(), headers: Vec::new() }
    }

    async fn send(&mut self, mut request: Request<Body>) -> Reply {
        let cookies: Vec<String> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        if !cookies.is_empty() {
            request.headers_mut().insert(COOKIE, HeaderValue::try_from(cookies.join("; ")).unwrap());
        }
        request.extensions_mut().insert(ClientAddress(self.address));
        let reply = self.place.send(request).await;
        for cookie in reply.set_cookies() {
            let (name, value) = cookie.split(';').next().unwrap().split_once('=').unwrap();
            if cookie.contains("Max-Age=0") {
                self.cookies.remove(name);
            } else {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
        reply
    }

    pub(crate) async fn get(&mut self, path: &str) -> Reply {
        self.send(Request::get(path).body(Body::empty()).unwrap()).await
    }

    pub(crate) async fn post(&mut self, path: &str, form: &[(&str, &str)]) -> Reply {
        let headers: Vec<_> = self.headers.iter().map(|(name, value)| (name.clone(), value.as_str())).collect();
        let request = post_request(path, form, &headers);
        self.send(request).await
    }

    pub(crate) async fn send_json(&mut self, path: &str) -> Reply {
        self.send(Request::post(path).header(CONTENT_TYPE, "application/json").body(Body::from("{}")).unwrap()).await
    }

    pub(crate) async fn open(&mut self, ask: &Ask) -> Reply {
        self.get(&ask.path()).await
    }

    /// The login page, which is expected to come.
    pub(crate) async fn login_page(&mut self, ask: &Ask) -> Reply {
        let page = self.open(ask).await;
        assert_eq!(page.status, 200, "{}", page.body);
        page
    }

    pub(crate) async fn log_in_as(&mut self, page: &Reply, name: &str, password: &str) -> Reply {
        let (request, csrf) = (page.field("request"), page.field("csrf"));
        let form = [("request", &*request), ("csrf", &*csrf), ("username", name), ("password", password)];
        self.post("/oauth/authorize", &form).await
    }

    pub(crate) async fn log_in(&mut self, page: &Reply) -> Reply {
        self.log_in_as(page, "anna", PASSWORD).await
    }

    /// As far as the question.
    pub(crate) async fn consent_page(&mut self, ask: &Ask) -> Reply {
        let page = self.login_page(ask).await;
        let reply = self.log_in(&page).await;
        assert_eq!(reply.status, 303, "{}", reply.body);
        let page = self.get(reply.location().unwrap()).await;
        assert_eq!(page.status, 200, "{}", page.body);
        page
    }

    /// Answers with what is ticked from the start, and the last vault if there are several.
    pub(crate) async fn decide(&mut self, page: &Reply, decision: &str) -> Reply {
        let (request, csrf) = (page.field("request"), page.field("csrf"));
        let (scopes, vault) = (page.fields("scope"), page.fields("vault").pop());
        let mut form = vec![("request", request.as_str()), ("csrf", &csrf), ("decision", decision)];
        form.extend(scopes.iter().map(|scope| ("scope", scope.as_str())));
        form.extend(vault.as_deref().map(|vault| ("vault", vault)));
        self.post("/oauth/consent", &form).await
    }

    /// All the way.
    pub(crate) async fn code(&mut self, ask: &Ask) -> String {
        let page = self.consent_page(ask).await;
        let reply = self.decide(&page, "allow").await;
        assert_eq!(reply.status, 303, "{}", reply.body);
        reply.answer("code").unwrap()
    }
}

/// Makes two tests of every story.
macro_rules! stories {
    ($($story:ident),* $(,)?) => {
        mod sqlite {
            $(#[tokio::test]
            async fn $story() {
                super::$story(crate::harness::Store::Sqlite).await;
            })*
        }

        mod postgres {
            $(#[tokio::test]
            async fn $story() {
                super::$story(crate::harness::Store::Postgres).await;
            })*
        }
    };
}
pub(crate) use stories;
