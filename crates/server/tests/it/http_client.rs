//! A server process on a port of its own, and raw HTTP/1.1 connections to it.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::place::{PATIENCE, Place};
use crate::stdio_client::{LEGACY, MODERN, modern_params};

pub(crate) struct HttpServer {
    pub(crate) child: Child,
    pub(crate) address: SocketAddr,
}

impl HttpServer {
    /// Serves the place's vault on a free port of this machine.
    pub(crate) fn on(place: &Place, arguments: &[&str]) -> HttpServer {
        let vault = place.vault();
        let mut all = vec!["serve", "--vault-path", vault.to_str().expect("UTF-8"), "--listen-addr", "127.0.0.1:0"];
        all.extend(arguments);
        HttpServer::start(place.program(&all))
    }

    pub(crate) fn start(command: std::process::Command) -> HttpServer {
        HttpServer::run(command, Stdio::null(), std::io::sink())
    }

    /// The same, with everything that it says added to the file `log`.
    pub(crate) fn start_logged(command: std::process::Command, log: &Path) -> HttpServer {
        let file = || std::fs::OpenOptions::new().create(true).append(true).open(log).expect("a log");
        HttpServer::run(command, Stdio::from(file()), file())
    }

    fn run(mut command: std::process::Command, errors: Stdio, mut rest: impl Write + Send + 'static) -> HttpServer {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(errors).spawn().expect("a server");
        let mut output = BufReader::new(child.stdout.take().expect("piped"));
        let mut line = String::new();
        output.read_line(&mut line).expect("the first line");
        let address = line.trim().strip_prefix("quillgate serves http://").and_then(|rest| rest.strip_suffix("/mcp"));
        let address = address.unwrap_or_else(|| panic!("unexpected first words: {line:?}")).parse().expect("an address");
        thread::spawn(move || std::io::copy(&mut output, &mut rest));
        HttpServer { child, address }
    }

    pub(crate) fn connect(&self) -> Connection {
        Connection::to(self.address)
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) struct Connection {
    stream: BufReader<TcpStream>,
    host: String,
    /// Messages of a stream that came together with the one before.
    events: VecDeque<Value>,
}

pub(crate) struct Response {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Connection {
    pub(crate) fn to(address: SocketAddr) -> Connection {
        let stream = TcpStream::connect(address).expect("a connection");
        stream.set_nodelay(true).expect("a socket");
        stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
        Connection { stream: BufReader::new(stream), host: address.to_string(), events: VecDeque::new() }
    }

    /// Sends a request; `headers` win over the usual ones, and an empty value leaves one out.
    pub(crate) fn send(&mut self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) {
        let host = self.host.clone();
        let length = body.len().to_string();
        let mut all = vec![
            ("host", host.as_str()),
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            ("content-length", length.as_str()),
        ];
        all.retain(|(name, _)| !headers.iter().any(|(other, _)| name.eq_ignore_ascii_case(other)));
        all.extend(headers.iter().filter(|(_, value)| !value.is_empty()));
        let mut message = format!("{method} {path} HTTP/1.1\r\n");
        for (name, value) in all {
            message.push_str(&format!("{name}: {value}\r\n"));
        }
        message.push_str("\r\n");
        let mut bytes = message.into_bytes();
        bytes.extend_from_slice(body);
        // A server that has seen enough may answer and close while we still send.
        let _ = self.stream.get_mut().write_all(&bytes);
    }

    /// Status and headers, with the body still to come.
    pub(crate) fn head(&mut self) -> Response {
        let status = self.line();
        let code = status.split(' ').nth(1).and_then(|code| code.parse().ok());
        let status = code.unwrap_or_else(|| panic!("no status line: {status:?}"));
        let mut headers = Vec::new();
        loop {
            let line = self.line();
            let Some((name, value)) = line.split_once(':') else {
                return Response { status, headers, body: String::new() };
            };
            headers.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
    }

    /// A whole response; one that is a stream must end.
    pub(crate) fn response(&mut self) -> Response {
        let mut response = self.head();
        let mut body = Vec::new();
        if response.header("transfer-encoding") == Some("chunked") {
            while let Some(chunk) = self.chunk() {
                body.extend(chunk);
            }
        } else {
            let length = response.header("content-length").map_or(0, |length| length.parse().expect("a length"));
            body.resize(length, 0);
            self.stream.read_exact(&mut body).expect("the body");
        }
        response.body = String::from_utf8(body).expect("text");
        response
    }

    pub(crate) fn request(&mut self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Response {
        self.send(method, path, headers, body);
        self.response()
    }

    pub(crate) fn get(&mut self, path: &str) -> Response {
        self.request("GET", path, &[], b"")
    }

    /// A request of the newer era, with the headers that belong to it.
    pub(crate) fn modern(&mut self, path: &str, method: &str, params: Value) -> Response {
        self.send_modern(path, method, params);
        self.response()
    }

    pub(crate) fn send_modern(&mut self, path: &str, method: &str, params: Value) {
        let name = params.get("name").or_else(|| params.get("uri")).and_then(Value::as_str).unwrap_or_default().to_owned();
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": modern_params(params)});
        let headers = [("mcp-protocol-version", MODERN), ("mcp-method", method), ("mcp-name", name.as_str())];
        self.send("POST", path, &headers, body.to_string().as_bytes());
    }

    pub(crate) fn initialize(&mut self, path: &str) -> Response {
        self.request("POST", path, &[], initialize().to_string().as_bytes())
    }

    /// The next message of an open stream of events; none when the stream has ended.
    pub(crate) fn event(&mut self) -> Option<Value> {
        while self.events.is_empty() {
            let chunk = String::from_utf8(self.chunk()?).expect("text");
            self.events.extend(messages_of(&chunk));
        }
        self.events.pop_front()
    }

    /// One chunk of the body; none at its end, orderly or not.
    fn chunk(&mut self) -> Option<Vec<u8>> {
        let mut line = String::new();
        self.stream.read_line(&mut line).ok().filter(|&read| read > 0)?;
        let length = usize::from_str_radix(line.trim(), 16).unwrap_or_else(|_| panic!("no chunk: {line:?}"));
        let mut chunk = vec![0; length + 2];
        self.stream.read_exact(&mut chunk).ok()?;
        chunk.truncate(length);
        (length > 0).then_some(chunk)
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).expect("an answer");
        line.trim_end().to_owned()
    }
}

impl Response {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// Every value of a header that may stand several times.
    pub(crate) fn all(&self, name: &str) -> Vec<&str> {
        self.headers.iter().filter(|(other, _)| other == name).map(|(_, value)| value.as_str()).collect()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{}: {error} in {:?}", self.status, self.body))
    }

    /// All of it, for looking through.
    pub(crate) fn text(&self) -> String {
        let headers: String = self.headers.iter().map(|(name, value)| format!("{name}: {value}\n")).collect();
        format!("{}\n{headers}\n{}\n", self.status, self.body)
    }

    /// The JSON-RPC message that answers the request, as one body or as the last event of a stream.
    pub(crate) fn message(&self) -> Value {
        let is_stream = self.header("content-type").is_some_and(|kind| kind.starts_with("text/event-stream"));
        let found = if is_stream { messages_of(&self.body).pop() } else { serde_json::from_str(&self.body).ok() };
        found.unwrap_or_else(|| panic!("{}: no message in {:?}", self.status, self.body))
    }

    pub(crate) fn session(&self) -> String {
        self.header("mcp-session-id").unwrap_or_else(|| panic!("no session: {} {}", self.status, self.body)).to_owned()
    }
}

/// Messages in a stream of events; an event may be empty, to prime the client.
fn messages_of(text: &str) -> Vec<Value> {
    let data = text.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim).filter(|data| !data.is_empty());
    data.map(|data| serde_json::from_str(data).unwrap_or_else(|error| panic!("{data:?}: {error}"))).collect()
}

pub(crate) fn initialize() -> Value {
    let client = json!({"name": "test", "version": "1"});
    let params = json!({"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": client});
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
}

/// A client of the older era with its session, on one connection that stays open.
pub(crate) struct Session {
    pub(crate) connection: Connection,
    pub(crate) id: String,
    path: String,
    last_id: u64,
}

impl Session {
    pub(crate) fn open(server: &HttpServer, path: &str) -> Session {
        let mut connection = server.connect();
        let id = connection.initialize(path).session();
        let mut session = Session { connection, id, path: path.to_owned(), last_id: 0 };
        let initialized = session.post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        assert_eq!(initialized.status, 202);
        session
    }

    pub(crate) fn post(&mut self, message: &Value) -> Response {
        let headers = [("mcp-session-id", self.id.as_str()), ("mcp-protocol-version", LEGACY)];
        self.connection.request("POST", &self.path, &headers, message.to_string().as_bytes())
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        self.last_id += 1;
        let answer = self.post(&json!({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}));
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.message()
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        assert!(answer["result"].is_object(), "{answer}");
        answer["result"].clone()
    }

    /// Opens the stream on which the server speaks of itself.
    pub(crate) fn listen(&self, server: &HttpServer) -> Connection {
        let mut connection = server.connect();
        let headers = [("mcp-session-id", self.id.as_str()), ("mcp-protocol-version", LEGACY), ("accept", "text/event-stream")];
        connection.send("GET", &self.path, &headers, b"");
        assert_eq!(connection.head().status, 200);
        connection
    }
}

/// How long an orderly end may take.
pub(crate) const SOON: Duration = Duration::from_secs(1);
