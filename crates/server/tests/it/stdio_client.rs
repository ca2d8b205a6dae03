//! A client on the program's standard input and output, one JSON-RPC message a line.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::place::{PATIENCE, Place, wait_for_exit};

pub(crate) const LEGACY: &str = "2025-11-25";
pub(crate) const MODERN: &str = "2026-07-28";

pub(crate) struct StdioClient {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    errors: Option<JoinHandle<String>>,
    last_id: u64,
    /// Messages that came while another one was waited for.
    early: VecDeque<Value>,
}

/// What was left to see when the process had ended.
pub(crate) struct End {
    pub(crate) status: ExitStatus,
    pub(crate) messages: Vec<Value>,
    pub(crate) log: String,
    pub(crate) took: Duration,
}

impl StdioClient {
    pub(crate) fn start(mut command: Command) -> StdioClient {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
        let (sender, lines) = mpsc::channel();
        let output = BufReader::new(child.stdout.take().expect("piped"));
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let mut log = child.stderr.take().expect("piped");
        let errors = thread::spawn(move || {
            let mut text = String::new();
            let _ = log.read_to_string(&mut text);
            text
        });
        let input = child.stdin.take();
        StdioClient { child, input, lines, errors: Some(errors), last_id: 0, early: VecDeque::new() }
    }

    /// On the place's vault, before any message.
    pub(crate) fn on(place: &Place, arguments: &[&str]) -> StdioClient {
        let vault = place.vault();
        let mut all = vec!["stdio", vault.to_str().expect("UTF-8")];
        all.extend(arguments);
        StdioClient::start(place.program(&all))
    }

    /// A client of the older era that has said hello.
    pub(crate) fn legacy(place: &Place, arguments: &[&str]) -> StdioClient {
        let mut client = StdioClient::on(place, arguments);
        client.initialize(LEGACY);
        client
    }

    pub(crate) fn send_text(&mut self, text: &str) {
        self.try_send_text(text).expect("the program reads");
    }

    pub(crate) fn try_send_text(&mut self, text: &str) -> std::io::Result<()> {
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(text.as_bytes())?;
        input.flush()
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_text(&format!("{message}\n"));
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request without waiting for its answer; returns its id.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> u64 {
        self.last_id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}));
        self.last_id
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        self.answer(id)
    }

    pub(crate) fn modern(&mut self, method: &str, params: Value) -> Value {
        self.request(method, modern_params(params))
    }

    pub(crate) fn initialize(&mut self, revision: &str) -> Value {
        let client = json!({"name": "test", "version": "1"});
        let answer = self.request("initialize", json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": client}));
        self.notify("notifications/initialized", json!({}));
        answer
    }

    /// The result of a tool; panics where there is a JSON-RPC error instead.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        assert!(answer["result"].is_object(), "{answer}");
        answer["result"].clone()
    }

    /// The next message, whatever it is; none when the program has closed its output.
    pub(crate) fn try_next(&mut self) -> Option<Value> {
        if let Some(message) = self.early.pop_front() {
            return Some(message);
        }
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => Some(parsed(&line)),
            Err(mpsc::RecvTimeoutError::Disconnected) => None,
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("the program says nothing"),
        }
    }

    /// The next message if it comes in time.
    pub(crate) fn next_within(&mut self, time: Duration) -> Option<Value> {
        self.lines.recv_timeout(time).ok().map(|line| parsed(&line))
    }

    pub(crate) fn next(&mut self) -> Value {
        self.try_next().expect("the program still talks")
    }

    /// The answer to the request `id`; everything else stays for later.
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        self.wait_for(|message| message.get("method").is_none() && message["id"] == id)
    }

    pub(crate) fn notification(&mut self, method: &str) -> Value {
        self.wait_for(|message| message["method"] == method)
    }

    fn wait_for(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        let mut others = VecDeque::new();
        loop {
            let message = self.next();
            if is_wanted(&message) {
                others.append(&mut self.early);
                self.early = others;
                return message;
            }
            others.push_back(message);
        }
    }

    pub(crate) fn close_input(&mut self) {
        self.input = None;
    }

    /// Waits until the process ends by itself.
    pub(crate) fn end(mut self) -> End {
        let started = Instant::now();
        let status = wait_for_exit(&mut self.child);
        let took = started.elapsed();
        let mut messages: Vec<Value> = self.early.drain(..).collect();
        messages.extend(self.lines.iter().map(|line| parsed(&line)));
        let log = self.errors.take().map(|errors| errors.join().expect("read")).unwrap_or_default();
        End { status, messages, log, took }
    }

    pub(crate) fn leave(mut self) -> End {
        self.close_input();
        self.end()
    }

    /// What it had said before it was killed; the last line may be cut off.
    pub(crate) fn kill_and_drain(&mut self) -> Vec<Value> {
        self.kill();
        self.lines.iter().filter(|line| serde_json::from_str::<Value>(line).is_ok()).map(|line| parsed(&line)).collect()
    }

    fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for StdioClient {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Standard output carries JSON-RPC and nothing else, in every test.
fn parsed(line: &str) -> Value {
    let message: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{line:?} is not JSON: {error}"));
    let is_rpc = message["jsonrpc"] == "2.0"
        && ["method", "result", "error"].iter().filter(|kind| message.get(**kind).is_some()).count() == 1;
    assert!(is_rpc, "not a JSON-RPC message: {line}");
    message
}

/// Parameters with what every request of the newer era carries.
pub(crate) fn modern_params(mut params: Value) -> Value {
    let meta = params.as_object_mut().expect("an object").entry("_meta").or_insert_with(|| json!({}));
    meta["io.modelcontextprotocol/protocolVersion"] = json!(MODERN);
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
    meta["io.modelcontextprotocol/clientInfo"] = json!({"name": "test", "version": "1"});
    params
}
