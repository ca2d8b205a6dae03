//! Messages on standard input and output, one a line.
//!
//! The library's own transport ignores what it cannot read, dies when the first message is a notification, and drops work that
//! is still running a few seconds after the end of input. This one answers, waits and finishes.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{CallToolRequest, ClientNotification, ClientRequest, JsonRpcMessage, JsonRpcRequest, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage, serve_server};
use rmcp::transport::Transport;
use rmcp::transport::io::{StdioReader, StdioWriter, stdio_pipes};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::sync::{Mutex, Notify};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::Mcp;
use crate::mount::Mount;
use crate::pipeline::Pipeline;
use crate::random;

/// How often a process whose parent has died notices.
const PARENT_CHECK: Duration = Duration::from_secs(1);
/// How long running work may go on after the end of input.
const LAST_WORK: Duration = Duration::from_secs(60);

/// Serves until the end of input, an `exit` notification, or the death of the parent process.
pub(crate) async fn serve_stdio(pipeline: Arc<Pipeline>, mount: Arc<Mount>, max_line_bytes: usize) -> anyhow::Result<()> {
    // Before the first answer: a client that has one may be gone at once.
    let parent = parent_process();
    let closing = CancellationToken::new();
    let (reader, writer) = stdio_pipes();
    let transport = Lines::new(reader, writer, max_line_bytes, closing.clone());
    let handler = Mcp::new(pipeline, mount, closing).in_session(random::hex(8));
    let serving = async {
        match serve_server(handler, transport).await {
            Ok(running) => drop(running.waiting().await?),
            // The client left before it said hello.
            Err(ServerInitializeError::ConnectionClosed(_)) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    };
    tokio::select! {
        served = serving => served,
        () = death_of(parent) => Ok(()),
    }
}

#[cfg(unix)]
fn parent_process() -> Option<rustix::process::Pid> {
    rustix::process::getppid()
}

/// The end of input normally tells that the parent is gone, unless another process holds the pipe open.
#[cfg(unix)]
async fn death_of(parent: Option<rustix::process::Pid>) {
    loop {
        tokio::time::sleep(PARENT_CHECK).await;
        if parent_process() != parent {
            tracing::info!("the parent process is gone");
            return;
        }
    }
}

#[cfg(not(unix))]
fn parent_process() {}

#[cfg(not(unix))]
async fn death_of((): ()) {
    std::future::pending().await
}

struct Lines {
    reader: BufReader<StdioReader>,
    line: Vec<u8>,
    /// The line was too long; what is left of it is skipped.
    skipping: bool,
    max_line_bytes: usize,
    started: bool,
    ended: bool,
    closing: CancellationToken,
    output: Arc<Output>,
    /// The answer to a line that was no message, while it is written. The library drops `receive` whenever something else
    /// happens, and a dropped write is a lost answer or half a line.
    refusal: Option<JoinHandle<()>>,
}

struct Output {
    writer: Mutex<StdioWriter>,
    /// Requests without an answer yet.
    open: std::sync::Mutex<HashSet<RequestId>>,
    answered: Notify,
}

enum Line {
    Whole,
    TooLong,
    End,
}

impl Lines {
    fn new(reader: StdioReader, writer: StdioWriter, max_line_bytes: usize, closing: CancellationToken) -> Lines {
        let output = Output { writer: Mutex::new(writer), open: std::sync::Mutex::default(), answered: Notify::new() };
        Lines {
            reader: BufReader::new(reader),
            line: Vec::new(),
            skipping: false,
            max_line_bytes,
            started: false,
            ended: false,
            closing,
            output: Arc::new(output),
            refusal: None,
        }
    }

    /// Reads up to the next newline. May be dropped and called again: what was read stays in `line`.
    async fn read_line(&mut self) -> Line {
        loop {
            let available = match self.reader.fill_buf().await {
                Ok(available) => available,
                Err(error) => {
                    tracing::warn!(%error, "standard input cannot be read");
                    &[]
                }
            };
            if available.is_empty() {
                return Line::End;
            }
            let newline = available.iter().position(|&byte| byte == b'\n');
            let taken = newline.map_or(available.len(), |at| at + 1);
            let is_too_long = self.line.len() + taken > self.max_line_bytes;
            if !self.skipping && !is_too_long {
                self.line.extend_from_slice(&available[..taken]);
            }
            self.reader.consume(taken);
            let was_skipping = self.skipping;
            self.skipping |= is_too_long;
            if newline.is_some() {
                self.skipping = false;
                if was_skipping || is_too_long {
                    return Line::TooLong;
                }
                return Line::Whole;
            }
        }
    }

    /// The message of the line that was read, if it is one for the handler.
    fn take_message(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let line = std::mem::take(&mut self.line);
        if line.trim_ascii().is_empty() {
            return None;
        }
        match parse(&line) {
            Ok(message) => self.admit(message),
            Err(error) => {
                self.refuse(complaint(&line, &error));
                None
            }
        }
    }

    fn refuse(&mut self, complaint: Value) {
        let output = self.output.clone();
        self.refusal = Some(tokio::spawn(async move {
            if let Err(error) = output.write(complaint.to_string().into_bytes()).await {
                tracing::warn!(%error, "standard output cannot be written");
            }
        }));
    }

    async fn refused(&mut self) {
        if let Some(refusal) = &mut self.refusal {
            let _ = refusal.await;
            self.refusal = None;
        }
    }

    fn admit(&mut self, message: RxJsonRpcMessage<RoleServer>) -> Option<RxJsonRpcMessage<RoleServer>> {
        match &message {
            JsonRpcMessage::Request(request) => {
                self.started = true;
                self.output.opened(request.id.clone());
            }
            JsonRpcMessage::Notification(notification) => match &notification.notification {
                ClientNotification::CustomNotification(custom) if custom.method == "exit" => {
                    self.ended = true;
                    return None;
                }
                // A cancelled request is not answered.
                ClientNotification::CancelledNotification(cancelled) => {
                    if let Some(id) = &cancelled.params.request_id {
                        self.output.closed(id);
                    }
                }
                _ => {}
            },
            _ => {}
        }
        // Before the first request there is nothing that a notification could be about.
        self.started.then_some(message)
    }

    /// No more input: subscriptions end, running work is finished.
    async fn finish(&mut self) {
        self.ended = true;
        self.closing.cancel();
        if tokio::time::timeout(LAST_WORK, self.output.all_answered()).await.is_err() {
            tracing::warn!("gave up on work that was still running at the end of input");
        }
    }
}

/// Reads a message. The library tries one kind of message after the other, and calls of tools near the end: they are tried first.
fn parse(line: &[u8]) -> serde_json::Result<RxJsonRpcMessage<RoleServer>> {
    match serde_json::from_slice::<JsonRpcRequest<CallToolRequest>>(line) {
        Ok(call) => Ok(JsonRpcMessage::Request(JsonRpcRequest::new(call.id, ClientRequest::CallToolRequest(call.request)))),
        Err(_) => serde_json::from_slice(line),
    }
}

impl Output {
    fn opened(&self, id: RequestId) {
        self.open.lock().unwrap_or_else(std::sync::PoisonError::into_inner).insert(id);
    }

    fn closed(&self, id: &RequestId) {
        self.open.lock().unwrap_or_else(std::sync::PoisonError::into_inner).remove(id);
        self.answered.notify_waiters();
    }

    async fn all_answered(&self) {
        loop {
            let notified = self.answered.notified();
            if self.open.lock().unwrap_or_else(std::sync::PoisonError::into_inner).is_empty() {
                return;
            }
            notified.await;
        }
    }

    async fn write(&self, mut bytes: Vec<u8>) -> io::Result<()> {
        bytes.push(b'\n');
        let mut writer = self.writer.lock().await;
        writer.write_all(&bytes).await?;
        writer.flush().await
    }
}

/// The answer to a line that is no message: with the id, where it has one.
fn complaint(line: &[u8], error: &serde_json::Error) -> Value {
    match serde_json::from_slice::<Value>(line) {
        Err(_) => refusal(-32700, &format!("not JSON: {error}"), Value::Null),
        Ok(value) => refusal(-32600, "not a JSON-RPC 2.0 request; batches are not supported", id_of(&value)),
    }
}

fn refusal(code: i32, message: &str, id: Value) -> Value {
    let name = if code == -32700 { "PARSE_ERROR" } else { "INVALID_REQUEST" };
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message, "data": {"errorCode": name}}})
}

fn id_of(message: &Value) -> Value {
    message.get("id").filter(|id| id.is_string() || id.is_number()).cloned().unwrap_or(Value::Null)
}

impl Transport<RoleServer> for Lines {
    type Error = io::Error;

    fn send(&mut self, message: TxJsonRpcMessage<RoleServer>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = self.output.clone();
        async move {
            let answered = match &message {
                JsonRpcMessage::Response(response) => Some(response.id.clone()),
                JsonRpcMessage::Error(error) => error.id.clone(),
                _ => None,
            };
            let written = output.write(serde_json::to_vec(&message)?).await;
            if let Some(id) = answered {
                output.closed(&id);
            }
            written
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        self.refused().await;
        while !self.ended {
            match self.read_line().await {
                Line::Whole => {}
                Line::TooLong => {
                    self.line.clear();
                    let message = format!("the message is longer than {} bytes", self.max_line_bytes);
                    self.refuse(refusal(-32600, &message, Value::Null));
                }
                // The last line may lack its newline.
                Line::End => self.ended = true,
            }
            if let Some(message) = self.take_message() {
                return Some(message);
            }
            self.refused().await;
        }
        self.finish().await;
        None
    }

    async fn close(&mut self) -> io::Result<()> {
        self.closing.cancel();
        self.output.writer.lock().await.flush().await
    }
}
