//! Spans and metrics for an OpenTelemetry collector: OTLP over HTTP, in JSON.

mod metrics;
mod sending;
mod spans;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::bail;
use secrecy::SecretString;
use serde::Serialize;
use url::Url;

use super::CallRecord;
use super::metrics::Metrics;
use super::queue::{Emptier, Pace, Queue};
use sending::Sender;
use spans::Spans;

/// A batch that could not be sent for so many times is given up.
const MOST_ATTEMPTS: u32 = 8;
const LONGEST_BACKOFF: Duration = Duration::from_secs(30);

pub(crate) struct OtlpSettings {
    /// The collector, such as `http://localhost:4318`; `/v1/traces` and `/v1/metrics` are added.
    pub(crate) endpoint: Url,
    pub(crate) headers: Vec<(String, SecretString)>,
    pub(crate) service_name: String,
    /// The part of all traces that is sent, from 0 to 1.
    pub(crate) sample_rate: f64,
    /// For one request.
    pub(crate) timeout: Duration,
    /// The most records that wait.
    pub(crate) queue: usize,
    /// The most spans of one request.
    pub(crate) batch: usize,
    /// How long a span may wait for others.
    pub(crate) delay: Duration,
    /// The wait before the first repetition; it doubles from then on.
    pub(crate) backoff: Duration,
    /// How often metrics are sent; never if not given.
    pub(crate) metrics_every: Option<Duration>,
}

impl OtlpSettings {
    pub(crate) fn to(endpoint: Url) -> OtlpSettings {
        OtlpSettings {
            endpoint,
            headers: Vec::new(),
            service_name: "quillgate".to_owned(),
            sample_rate: 1.0,
            timeout: Duration::from_secs(10),
            queue: 2048,
            batch: 512,
            delay: Duration::from_secs(1),
            backoff: Duration::from_secs(1),
            metrics_every: None,
        }
    }
}

/// Addresses and headers can have secrets in them.
impl fmt::Debug for OtlpSettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        formatter
            .debug_struct("OtlpSettings")
            .field("endpoint", &self.endpoint.origin().ascii_serialization())
            .field("headers", &headers)
            .field("service_name", &self.service_name)
            .finish_non_exhaustive()
    }
}

/// Starts the thread that sends what is put into the queue.
pub(super) fn start(settings: OtlpSettings, metrics: &Arc<Metrics>) -> anyhow::Result<Arc<Queue>> {
    let traces = signal_url(&settings.endpoint, "traces")?;
    let headers = sending::headers(&settings.headers)?;
    let pushed = match settings.metrics_every {
        Some(every) => Some(Pushed::new(signal_url(&settings.endpoint, "metrics")?, metrics.clone(), every)),
        None => None,
    };
    let pace = Pace { queue: settings.queue, batch: settings.batch, delay: settings.delay };
    let queue = Arc::new(Queue::new(pace, metrics.exporter("otlp")));
    let emptier = Emptier(queue.clone());
    let run = move || match Sender::new(&settings, headers, emptier.0.clone()) {
        Ok(sender) => {
            let resource = Resource::new(settings.service_name);
            let spans = Spans::sampled(settings.sample_rate);
            Exporter { queue: emptier.0.clone(), spans, resource, traces, pushed, sender }.run();
        }
        Err(error) => tracing::error!(%error, "nothing is exported: the client for the collector could not be made"),
    };
    // A thread of its own: what goes wrong here holds up no call, and reading the system's certificates takes time.
    thread::Builder::new().name("otlp".to_owned()).spawn(run)?;
    Ok(queue)
}

/// Where one kind of data goes. Both a collector's base address and the one for traces are understood.
fn signal_url(endpoint: &Url, signal: &str) -> anyhow::Result<Url> {
    if !matches!(endpoint.scheme(), "http" | "https") || endpoint.host().is_none() {
        bail!("the OTLP endpoint is no http address; write it like http://localhost:4318");
    }
    let mut url = endpoint.clone();
    let path = url.path().trim_end_matches('/');
    let path = format!("{}/v1/{signal}", path.strip_suffix("/v1/traces").unwrap_or(path));
    url.set_path(&path);
    Ok(url)
}

struct Exporter {
    queue: Arc<Queue>,
    spans: Spans,
    resource: Resource,
    traces: Url,
    pushed: Option<Pushed>,
    sender: Sender,
}

/// Metrics that are sent instead of asked for.
struct Pushed {
    url: Url,
    metrics: Arc<Metrics>,
    every: Duration,
    due: Instant,
}

impl Pushed {
    fn new(url: Url, metrics: Arc<Metrics>, every: Duration) -> Pushed {
        Pushed { url, metrics, every, due: Instant::now() + every }
    }
}

impl Exporter {
    fn run(mut self) {
        while let Some(batch) = self.queue.take(self.pushed.as_ref().map(|pushed| pushed.due)) {
            self.send_spans(&batch);
            self.push_metrics();
        }
        self.push_metrics_now();
    }

    fn send_spans(&mut self, batch: &[Arc<CallRecord>]) {
        let spans = self.spans.of(batch);
        if spans.is_empty() {
            return;
        }
        let count = spans.len() as u64;
        let delivered = self.sender.send(&self.traces, spans::request(&self.resource, spans), count);
        let counts = self.queue.counts();
        counts.sent.fetch_add(delivered, Ordering::Relaxed);
        counts.dropped.fetch_add(count - delivered, Ordering::Relaxed);
    }

    fn push_metrics(&mut self) {
        if self.pushed.as_ref().is_some_and(|pushed| Instant::now() >= pushed.due) {
            self.push_metrics_now();
        }
    }

    /// Metrics that do not arrive are not counted as lost: the next ones say all that these did.
    fn push_metrics_now(&mut self) {
        let Some(pushed) = &mut self.pushed else { return };
        let request = metrics::request(&self.resource, &pushed.metrics);
        self.sender.send(&pushed.url, request, 1);
        pushed.due = Instant::now() + pushed.every;
    }
}

/// Who sends, as both kinds of requests say it.
#[derive(Serialize)]
struct Resource {
    attributes: Vec<Attribute>,
}

impl Resource {
    fn new(service_name: String) -> Resource {
        let instance = spans::Ids::default().span();
        Resource {
            attributes: vec![
                Attribute::text("service.name", service_name),
                Attribute::text("service.version", env!("CARGO_PKG_VERSION")),
                Attribute::text("service.instance.id", format!("{instance:016x}")),
            ],
        }
    }
}

#[derive(Serialize)]
struct Scope {
    name: &'static str,
    version: &'static str,
}

const SCOPE: Scope = Scope { name: "quillgate", version: env!("CARGO_PKG_VERSION") };

#[derive(Serialize)]
struct Attribute {
    key: &'static str,
    value: AnyValue,
}

/// In JSON, whole numbers of 64 bits are texts.
#[derive(Serialize)]
enum AnyValue {
    #[serde(rename = "stringValue")]
    Text(String),
    #[serde(rename = "intValue")]
    Number(String),
    #[serde(rename = "boolValue")]
    Truth(bool),
}

impl Attribute {
    fn text(key: &'static str, text: impl Into<String>) -> Attribute {
        Attribute { key, value: AnyValue::Text(text.into()) }
    }

    fn number(key: &'static str, number: usize) -> Attribute {
        Attribute { key, value: AnyValue::Number(number.to_string()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_of_a_signal_follows_from_that_of_the_collector() {
        let check = |endpoint: &str, expected: &str| {
            let url = signal_url(&Url::parse(endpoint).expect("a URL"), "metrics").expect("an address");
            assert_eq!(url.as_str(), expected);
        };
        check("http://localhost:4318", "http://localhost:4318/v1/metrics");
        check("http://localhost:4318/", "http://localhost:4318/v1/metrics");
        check("https://example.com/otlp/", "https://example.com/otlp/v1/metrics");
        check("https://example.com/otlp/v1/traces", "https://example.com/otlp/v1/metrics");
        assert!(signal_url(&Url::parse("grpc://localhost:4317").expect("a URL"), "traces").is_err());
    }
}
