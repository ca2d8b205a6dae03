//! CloudEvents 1.0: one event per call, as lines of JSON in a file per vault and day.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::bail;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::Serialize;

use super::complaints::Complaints;
use super::event_files::{EventFiles, file_name};
use super::metrics::Metrics;
use super::queue::{Emptier, Pace, Queue};
use super::{CallRecord, milliseconds};

const TYPE: &str = "app.quillgate.tool.called";

#[derive(Debug)]
pub(crate) struct CloudEventSettings {
    /// Outside every vault; made when needed.
    pub(crate) folder: PathBuf,
    /// What the events call this server: a URI, such as its address.
    pub(crate) source: String,
    /// Files of days before that are removed; none are if not given.
    pub(crate) keep_days: Option<u32>,
    /// The most records that wait.
    pub(crate) queue: usize,
    /// How long an event may wait for others.
    pub(crate) delay: Duration,
}

impl CloudEventSettings {
    pub(crate) fn into_folder(folder: PathBuf, source: String) -> CloudEventSettings {
        CloudEventSettings { folder, source, keep_days: Some(30), queue: 8192, delay: Duration::from_millis(200) }
    }
}

#[derive(Serialize)]
struct Event<'a> {
    specversion: &'static str,
    id: String,
    source: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    time: String,
    subject: &'a str,
    datacontenttype: &'static str,
    /// Of the extension for distributed tracing.
    #[serde(skip_serializing_if = "Option::is_none")]
    traceparent: Option<String>,
    data: Data<'a>,
}

#[derive(Serialize)]
struct Data<'a> {
    vault: Option<&'a str>,
    surface: &'a str,
    tool: &'a str,
    caller: &'a str,
    status: &'static str,
    code: Option<&'static str>,
    confirmed: Option<&'static str>,
    replayed: bool,
    bytes: usize,
    duration_ms: f64,
    args_hash: &'a str,
}

/// Starts the thread that writes what is put into the queue.
pub(super) fn start(settings: CloudEventSettings, metrics: &Arc<Metrics>) -> anyhow::Result<Arc<Queue>> {
    if settings.source.is_empty()
        || settings.source.contains(|character: char| character.is_whitespace() || character.is_control())
    {
        bail!("the source of events is no URI; write it like https://vault.example.com");
    }
    let pace = Pace { queue: settings.queue, batch: settings.queue / 4, delay: settings.delay };
    let queue = Arc::new(Queue::new(pace, metrics.exporter("cloud_events")));
    let emptier = Emptier(queue.clone());
    let run = move || {
        let files = EventFiles::new(settings.folder, settings.keep_days);
        let names = Names { process: RandomState::new().hash_one(Instant::now()), next: 0 };
        Writer { queue: emptier.0.clone(), source: settings.source, names, files, complaints: Complaints::about("cloud_events") }
            .run();
    };
    thread::Builder::new().name("cloud-events".to_owned()).spawn(run)?;
    Ok(queue)
}

struct Writer {
    queue: Arc<Queue>,
    source: String,
    names: Names,
    files: EventFiles,
    complaints: Complaints,
}

impl Writer {
    fn run(mut self) {
        self.sweep();
        while let Some(batch) = self.queue.take(None) {
            for (name, lines) in self.lines(&batch) {
                let counts = self.queue.counts();
                match self.files.append(&name, &lines.text) {
                    Ok(()) => counts.sent.fetch_add(lines.count, Ordering::Relaxed),
                    Err(error) => {
                        counts.failures.fetch_add(1, Ordering::Relaxed);
                        let dropped = counts.dropped.fetch_add(lines.count, Ordering::Relaxed) + lines.count;
                        self.complaints.warn(Instant::now(), &format!("{error:#}"), dropped);
                        dropped
                    }
                };
            }
            self.sweep();
        }
    }

    fn sweep(&mut self) {
        if let Err(error) = self.files.sweep(day(Timestamp::now())) {
            self.queue.counts().failures.fetch_add(1, Ordering::Relaxed);
            self.complaints.warn(Instant::now(), &format!("{error:#}"), self.queue.counts().dropped.load(Ordering::Relaxed));
        }
    }

    /// What to append to which file.
    fn lines(&mut self, batch: &[Arc<CallRecord>]) -> BTreeMap<String, Lines> {
        let mut files: BTreeMap<String, Lines> = BTreeMap::new();
        for record in batch {
            let time = Timestamp::try_from(record.started).unwrap_or(Timestamp::UNIX_EPOCH);
            let event = event(record, time, self.names.next(), &self.source);
            let lines = files.entry(file_name(day(time), record.vault.as_deref())).or_default();
            if serde_json::to_writer(&mut lines.text, &event).is_ok() {
                lines.text.push(b'\n');
                lines.count += 1;
            }
        }
        files
    }
}

#[derive(Default)]
struct Lines {
    text: Vec<u8>,
    count: u64,
}

/// Days are those of Greenwich, so that files of several machines fit together.
fn day(time: Timestamp) -> Date {
    time.to_zoned(TimeZone::UTC).date()
}

fn event<'a>(record: &'a CallRecord, time: Timestamp, id: String, source: &'a str) -> Event<'a> {
    Event {
        specversion: "1.0",
        id,
        source,
        kind: TYPE,
        time: format!("{time:.6}"),
        subject: &record.tool,
        datacontenttype: "application/json",
        traceparent: record.parent.map(|parent| parent.to_string()),
        data: Data {
            vault: record.vault.as_deref(),
            surface: record.surface,
            tool: &record.tool,
            caller: &record.caller,
            status: record.status.as_str(),
            code: record.code,
            confirmed: record.confirmed,
            replayed: record.replayed,
            bytes: record.bytes,
            duration_ms: milliseconds(record.duration),
            args_hash: &record.args_hash,
        },
    }
}

/// Ids of events: each once for all processes that share a source.
struct Names {
    process: u64,
    next: u64,
}

impl Names {
    fn next(&mut self) -> String {
        self.next += 1;
        format!("{:016x}-{}", self.process, self.next)
    }
}
