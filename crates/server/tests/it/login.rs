//! A server with a login, the browser of a person who logs in, and the program that is let in.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicU16, Ordering};

use serde_json::{Value, json};
use url::Url;
use url::form_urlencoded::{self, Serializer};

use crate::http_client::{Connection, HttpServer, Response};
use crate::place::{Place, finish, wait_for_exit};
use crate::stdio_client::{LEGACY, MODERN, modern_params};

pub(crate) const REDIRECT: &str = "http://localhost:7777/callback";
/// Nobody listens there: it stays the same when the server starts again on another port.
pub(crate) const ISSUER: &str = "http://127.0.0.1:9";
/// The pair of RFC 7636, appendix B.
pub(crate) const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
pub(crate) const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// Somebody who may log in: a name, a password and its hash.
pub(crate) struct Person {
    pub(crate) name: &'static str,
    pub(crate) password: &'static str,
    pub(crate) hash: &'static str,
}

pub(crate) const ANNA: Person = Person {
    name: "anna",
    password: "canary-password-of-anna",
    hash: "$argon2id$v=19$m=19456,t=2,p=1$Kfc6UwTKmZOOhXmUJiR7yA$E8MbFdOGZlSEbsdekWLjI6qnmOhKw8mkOYtLKxJCg6U",
};
pub(crate) const BERT: Person = Person {
    name: "bert",
    password: "canary-password-of-bert",
    hash: "$argon2id$v=19$m=19456,t=2,p=1$Q+ilEGs71px+LLm2g1ySdA$gsa/fAqqPYypomvePF2B0Ksfex7bXaBZCVjCoB91OPs",
};

/// Anna and Bert may log in, as often as they like.
pub(crate) fn with_users() -> Value {
    let users = [ANNA, BERT].map(|person| json!({"name": person.name, "password": person.hash}));
    json!({"auth": {"users": users}, "rateLimits": unlimited(), "trustedProxies": ["127.0.0.1"]})
}

pub(crate) fn unlimited() -> Value {
    json!({"discovery": 0, "register": 0, "registerEverybody": 0, "authorize": 0, "token": 0, "articles": 0})
}

/// The configuration with other values at some places, given as JSON pointers.
pub(crate) fn changed(mut config: Value, changes: &[(&str, Value)]) -> Value {
    for (pointer, value) in changes {
        let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
        config.pointer_mut(parent).expect("its parent is there")[key] = value.clone();
    }
    config
}

/// A server with a login, and everything that it ever answered.
pub(crate) struct Door {
    pub(crate) place: Place,
    pub(crate) server: HttpServer,
    pub(crate) issuer: String,
    arguments: Vec<String>,
    variables: Vec<(&'static str, String)>,
    heard: RefCell<String>,
}

/// How a server goes away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Killed,
    Asked,
}

impl Door {
    /// A server for a vault with the notes `a.md` and `b.md`, which calls itself `ISSUER`.
    pub(crate) fn open(config: Value) -> Door {
        Door::with(config, ISSUER, &[])
    }

    /// The same under another name.
    pub(crate) fn with(mut config: Value, issuer: &str, variables: &[(&'static str, String)]) -> Door {
        let place = Place::with(&[("a.md", "# A\n"), ("b.md", "[[a]]\n")]);
        let has_vault = config["surfaces"] != json!(["articles"]);
        if has_vault && config["surfaces"].is_null() {
            config["surfaces"] = json!(["vault"]);
        }
        if has_vault {
            config["vaultPath"] = json!(place.vault());
        }
        config["serverUrl"] = json!(issuer);
        let file = place.config(&config);
        let arguments = ["serve", "--config", &file, "--listen-addr", "127.0.0.1:0", "--log-level", "trace"];
        let arguments = arguments.map(str::to_owned).to_vec();
        let variables = variables.to_vec();
        let server = start(&place, &arguments, &variables);
        Door { place, server, issuer: issuer.to_owned(), arguments, variables, heard: RefCell::default() }
    }

    /// Ends the server, and starts it again with what it remembers.
    pub(crate) fn restart(&mut self, how: Exit) {
        self.stop(how);
        self.server = start(&self.place, &self.arguments, &self.variables);
    }

    pub(crate) fn stop(&mut self, how: Exit) {
        let child = &mut self.server.child;
        match how {
            Exit::Killed => child.kill().expect("a process of ours"),
            Exit::Asked => {
                let id = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw).expect("a process");
                rustix::process::kill_process(id, rustix::process::Signal::TERM).expect("a process of ours");
            }
        }
        wait_for_exit(child);
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.server.address
    }

    /// The host that clients call it by.
    pub(crate) fn host(&self) -> String {
        let (_, host) = self.issuer.split_once("://").expect("a URL");
        host.to_owned()
    }

    pub(crate) fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Response {
        let host = self.host();
        let mut all = headers.to_vec();
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            all.push(("host", host.as_str()));
        }
        let mut connection = Connection::to(self.address());
        connection.send(method, path, &all, body.as_bytes());
        let answer = if method == "HEAD" { connection.head() } else { connection.response() };
        self.heard.borrow_mut().push_str(&format!("{method} {path}\n{}", answer.text()));
        answer
    }

    pub(crate) fn get(&self, path: &str) -> Response {
        self.send("GET", path, &[], "")
    }

    /// A form as a program sends it.
    pub(crate) fn form(&self, path: &str, fields: &[(&str, &str)]) -> Response {
        self.send("POST", path, &[("content-type", FORM)], &encode(fields))
    }

    pub(crate) fn register(&self, metadata: &Value) -> Response {
        self.send("POST", "/oauth/register", &[], &metadata.to_string())
    }

    /// The id of a new public client with the redirect URI `REDIRECT`.
    pub(crate) fn client(&self) -> String {
        self.client_with(&json!({"client_name": "Test", "redirect_uris": [REDIRECT], "token_endpoint_auth_method": "none"}))
    }

    pub(crate) fn client_with(&self, metadata: &Value) -> String {
        let answer = self.register(metadata);
        assert_eq!(answer.status, 201, "{}", answer.body);
        answer.json()["client_id"].as_str().expect("an id").to_owned()
    }

    pub(crate) fn exchange(&self, client: &str, code: &str) -> Response {
        let fields = [("grant_type", "authorization_code"), ("client_id", client), ("code", code), ("code_verifier", VERIFIER)];
        self.form("/oauth/token", &fields)
    }

    pub(crate) fn refresh(&self, client: &str, token: &str) -> Response {
        self.form("/oauth/token", &[("grant_type", "refresh_token"), ("client_id", client), ("refresh_token", token)])
    }

    /// Everything from the login page to the tokens.
    pub(crate) fn log_in(&self, person: &Person, client: &str) -> Tokens {
        self.log_in_for(person, client, &[])
    }

    /// The same with further parameters of the authorization request.
    pub(crate) fn log_in_for(&self, person: &Person, client: &str, further: &[(&str, &str)]) -> Tokens {
        let code = Browser::of(self).code(person, client, further);
        Tokens::of(&self.exchange(client, &code))
    }

    /// Calls a tool as a client of the newer era.
    pub(crate) fn call(&self, token: &str, tool: &str, arguments: Value) -> Response {
        self.call_at("/mcp", token, tool, arguments)
    }

    pub(crate) fn call_at(&self, path: &str, token: &str, tool: &str, arguments: Value) -> Response {
        self.ask(path, token, "tools/call", json!({"name": tool, "arguments": arguments}))
    }

    pub(crate) fn ask(&self, path: &str, token: &str, method: &str, params: Value) -> Response {
        let authorization = format!("Bearer {token}");
        let name = params.get("name").or_else(|| params.get("uri")).and_then(Value::as_str).unwrap_or_default().to_owned();
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": modern_params(params)});
        let headers = [
            ("mcp-protocol-version", MODERN),
            ("mcp-method", method),
            ("mcp-name", name.as_str()),
            ("authorization", if token.is_empty() { "" } else { authorization.as_str() }),
        ];
        self.send("POST", path, &headers, &body.to_string())
    }

    /// The status that a read with this token gets.
    pub(crate) fn status_with(&self, token: &str) -> u16 {
        self.call(token, "vault_read", json!({"path": "a.md"})).status
    }

    /// A message of the older era.
    pub(crate) fn legacy(&self, method: &str, token: &str, session: Option<&str>, message: &Value) -> Response {
        let authorization = format!("Bearer {token}");
        let headers = [
            ("authorization", if token.is_empty() { "" } else { authorization.as_str() }),
            ("mcp-session-id", session.unwrap_or_default()),
            ("mcp-protocol-version", LEGACY),
        ];
        let body = if method == "POST" { message.to_string() } else { String::new() };
        self.send(method, "/mcp", &headers, &body)
    }

    /// Runs one of the operator's commands against this server's state.
    pub(crate) fn operator(&self, arguments: &[&str]) -> (i32, String, String) {
        let config = self.place.path("config.json");
        let mut all = arguments.to_vec();
        all.extend(["--config", config.to_str().expect("UTF-8")]);
        let mut command = self.place.program(&all);
        command.envs(self.variables.iter().cloned());
        finish(command)
    }

    /// Whatever the server has said on its outputs.
    pub(crate) fn log(&self) -> String {
        String::from_utf8_lossy(&fs::read(self.place.path("log")).expect("a log")).into_owned()
    }

    /// All that is kept on disk, byte by byte.
    pub(crate) fn kept(&self) -> Vec<u8> {
        let mut all = Vec::new();
        gather(&self.place.path("data"), &mut all);
        all
    }

    pub(crate) fn heard(&self) -> String {
        self.heard.borrow().clone()
    }
}

fn start(place: &Place, arguments: &[String], variables: &[(&'static str, String)]) -> HttpServer {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut command = place.program(&arguments);
    command.envs(variables.iter().cloned());
    HttpServer::start_logged(command, &place.path("log"))
}

fn gather(folder: &Path, into: &mut Vec<u8>) {
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => gather(&entry.path(), into),
            // A file of the database can go away while we look.
            _ => into.extend(fs::read(entry.path()).unwrap_or_default()),
        }
    }
}

pub(crate) const FORM: &str = "application/x-www-form-urlencoded";

pub(crate) fn encode(fields: &[(&str, &str)]) -> String {
    Serializer::new(String::new()).extend_pairs(fields).finish()
}

/// The value of a parameter in an address.
pub(crate) fn parameter(address: &str, name: &str) -> Option<String> {
    let (_, query) = address.split_once('?')?;
    form_urlencoded::parse(query.as_bytes()).find(|(known, _)| known == name).map(|(_, value)| value.into_owned())
}

/// What a client is given.
#[derive(Clone, Debug)]
pub(crate) struct Tokens {
    pub(crate) access: String,
    pub(crate) refresh: String,
    pub(crate) lifetime: i64,
}

impl Tokens {
    pub(crate) fn of(answer: &Response) -> Tokens {
        assert_eq!(answer.status, 200, "{}", answer.body);
        let json = answer.json();
        let text = |name: &str| json[name].as_str().unwrap_or_default().to_owned();
        Tokens {
            access: text("access_token"),
            refresh: text("refresh_token"),
            lifetime: json["expires_in"].as_i64().unwrap_or(-1),
        }
    }
}

/// A browser with its cookies, at an address of its own.
pub(crate) struct Browser<'a> {
    door: &'a Door,
    pub(crate) cookies: BTreeMap<String, String>,
    address: String,
}

impl<'a> Browser<'a> {
    pub(crate) fn of(door: &'a Door) -> Browser<'a> {
        Browser { door, cookies: BTreeMap::new(), address: new_address() }
    }

    /// Does one thing with these cookies, and keeps those that it has then.
    pub(crate) fn once<T>(door: &Door, cookies: &mut BTreeMap<String, String>, act: impl FnOnce(&mut Browser<'_>) -> T) -> T {
        let mut browser = Browser { door, cookies: std::mem::take(cookies), address: new_address() };
        let done = act(&mut browser);
        *cookies = browser.cookies;
        done
    }

    pub(crate) fn get(&mut self, path: &str) -> Response {
        self.send("GET", path, &[], "")
    }

    pub(crate) fn post(&mut self, path: &str, fields: &[(String, String)]) -> Response {
        let body = Serializer::new(String::new()).extend_pairs(fields).finish();
        let origin = self.door.issuer.clone();
        self.send("POST", path, &[("content-type", FORM), ("origin", &origin), ("sec-fetch-site", "same-origin")], &body)
    }

    pub(crate) fn send(&mut self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Response {
        let cookies: Vec<String> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let cookies = cookies.join("; ");
        let mut all = vec![("accept", "text/html"), ("x-forwarded-for", self.address.as_str())];
        all.extend(headers);
        if !cookies.is_empty() {
            all.push(("cookie", &cookies));
        }
        let path = path.strip_prefix(&self.door.issuer).unwrap_or(path);
        let answer = self.door.send(method, path, &all, body);
        for cookie in answer.all("set-cookie") {
            let (pair, attributes) = cookie.split_once(';').expect("attributes");
            let (name, value) = pair.split_once('=').expect("a pair");
            if attributes.contains("Max-Age=0") {
                self.cookies.remove(name);
            } else {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
        answer
    }

    /// Opens the page that a client sends its user to.
    pub(crate) fn authorize(&mut self, client: &str, further: &[(&str, &str)]) -> Response {
        self.get(&authorize_path(client, further))
    }

    /// Fills in the login form of a page.
    pub(crate) fn enter(&mut self, page: &Response, person: &Person) -> Response {
        assert_eq!(page.status, 200, "{}", page.body);
        let fields = filled(page, &[("username", person.name), ("password", person.password)]);
        self.post("/oauth/authorize", &fields)
    }

    /// Opens the page that an answer leads to.
    pub(crate) fn follow(&mut self, answer: &Response) -> Response {
        assert_eq!(answer.status, 303, "{}", answer.body);
        self.get(answer.header("location").expect("a way on"))
    }

    /// Answers the consent page as it stands.
    pub(crate) fn decide(&mut self, page: &Response, decision: &str) -> Response {
        assert_eq!(page.status, 200, "{}", page.body);
        self.post("/oauth/consent", &filled(page, &[("decision", decision)]))
    }

    /// From the login page to the code.
    pub(crate) fn code(&mut self, person: &Person, client: &str, further: &[(&str, &str)]) -> String {
        let page = self.authorize(client, further);
        let entered = self.enter(&page, person);
        let consent = self.follow(&entered);
        code_of(&self.decide(&consent, "allow"))
    }
}

/// Every browser counts on its own, where proxies are trusted.
fn new_address() -> String {
    static NEXT: AtomicU16 = AtomicU16::new(1);
    let [high, low] = NEXT.fetch_add(1, Ordering::Relaxed).to_be_bytes();
    format!("198.51.{high}.{low}")
}

pub(crate) fn authorize_path(client: &str, further: &[(&str, &str)]) -> String {
    let usual = [
        ("response_type", "code"),
        ("client_id", client),
        ("redirect_uri", REDIRECT),
        ("code_challenge", CHALLENGE),
        ("code_challenge_method", "S256"),
        ("state", "canary-state"),
    ];
    let mut all: Vec<(&str, &str)> = usual.into_iter().filter(|(name, _)| !further.iter().any(|(own, _)| own == name)).collect();
    all.extend(further);
    format!("/oauth/authorize?{}", encode(&all))
}

/// The code in an answer that sends the browser back to the client.
pub(crate) fn code_of(answer: &Response) -> String {
    assert_eq!(answer.status, 303, "{}", answer.body);
    let location = answer.header("location").expect("a way back");
    assert!(location.starts_with(REDIRECT), "{location}");
    parameter(location, "code").unwrap_or_else(|| panic!("no code in {location}"))
}

/// The fields of a page's form, as a browser would send them, with what the person typed.
pub(crate) fn filled(page: &Response, typed: &[(&str, &str)]) -> Vec<(String, String)> {
    let tags = page.body.split("<input ").skip(1).filter_map(|rest| rest.split('>').next());
    let attribute = |tag: &str, name: &str| {
        let (_, rest) = tag.split_once(&format!("{name}=\""))?;
        rest.split('"').next().map(str::to_owned)
    };
    let mut fields: Vec<(String, String)> = tags
        .filter_map(|tag| Some((attribute(tag, "name")?, attribute(tag, "value").unwrap_or_default())))
        .filter(|(name, _)| !typed.iter().any(|(own, _)| own == name))
        .collect();
    fields.extend(typed.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    fields
}

#[test]
fn the_whole_way_from_registration_to_revocation() {
    let door = Door::open(with_users());
    let refused = door.call("", "vault_read", json!({"path": "a.md"}));
    assert_eq!(refused.status, 401);
    let challenge = refused.header("www-authenticate").expect("a challenge");
    let document = format!("resource_metadata=\"{ISSUER}/.well-known/oauth-protected-resource/mcp\"");
    assert!(challenge.contains(&document) && !challenge.contains("error="), "{challenge}");
    let resource = door.get("/.well-known/oauth-protected-resource/mcp").json();
    assert_eq!((&resource["resource"], &resource["authorization_servers"]), (&json!(format!("{ISSUER}/mcp")), &json!([ISSUER])));
    let metadata = door.get("/.well-known/oauth-authorization-server").json();
    assert_eq!(metadata["issuer"], ISSUER);

    let client = door.client();
    let mut browser = Browser::of(&door);
    let page = browser.authorize(&client, &[("resource", &format!("{ISSUER}/mcp"))]);
    let entered = browser.enter(&page, &ANNA);
    let consent = browser.follow(&entered);
    let answer = browser.decide(&consent, "allow");
    let location = Url::parse(answer.header("location").expect("a way back")).expect("a URL");
    let names: Vec<_> = location.query_pairs().map(|(name, _)| name.into_owned()).collect();
    assert_eq!(names, ["code", "state", "iss"]);
    assert!(browser.cookies.is_empty(), "{:?}", browser.cookies);
    let first = Tokens::of(&door.exchange(&client, &code_of(&answer)));
    let read = door.call(&first.access, "vault_read", json!({"path": "a.md"})).message();
    assert_eq!(read["result"]["structuredContent"]["content"], "# A\n");
    let written = door.call(&first.access, "vault_write", json!({"path": "c.md", "content": "C"})).message();
    assert_eq!(written["result"]["structuredContent"]["created"], true);
    let second = Tokens::of(&door.refresh(&client, &first.refresh));
    assert_eq!(door.status_with(&second.access), 200);
    let fields = [("client_id", client.as_str()), ("token", second.refresh.as_str())];
    assert_eq!(door.form("/oauth/revoke", &fields).status, 200);
    assert_eq!((door.status_with(&second.access), door.status_with(&first.access)), (401, 401));
    assert_eq!(door.refresh(&client, &second.refresh).status, 400);
}
