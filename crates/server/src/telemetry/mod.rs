//! What is observed of every call: metrics, a span, an event and a line in the log. Exporters may fail; calls may not.

mod cloud_events;
mod complaints;
mod event_files;
mod metrics;
mod otlp;
mod process;
pub(crate) mod prometheus;
mod queue;
mod settings;
mod trace_parent;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

pub(crate) use cloud_events::CloudEventSettings;
pub(crate) use metrics::{InFlight, Metric, Metrics, Readings, VaultReadings};
pub(crate) use otlp::OtlpSettings;
pub(crate) use prometheus::{scrape, start_listener};
pub(crate) use trace_parent::TraceParent;

use queue::Queue;

/// What is known of one call once it is over, refused or not. Nothing of what was asked or answered is in it.
#[derive(Clone, Debug)]
pub(crate) struct CallRecord {
    pub(crate) started: SystemTime,
    pub(crate) duration: Duration,
    /// None for a call that is about no vault.
    pub(crate) vault: Option<Arc<str>>,
    pub(crate) surface: &'static str,
    /// `unknown` for a tool that does not exist: what callers make up never becomes a label.
    pub(crate) tool: Cow<'static, str>,
    /// A hash, never a name.
    pub(crate) caller: Arc<str>,
    pub(crate) status: Status,
    pub(crate) code: Option<&'static str>,
    /// How somebody agreed: `elicitation`, `token`, `approved` or `allowance`.
    pub(crate) confirmed: Option<&'static str>,
    /// Answered with what an earlier call of the same key had returned.
    pub(crate) replayed: bool,
    pub(crate) bytes: usize,
    pub(crate) args_hash: String,
    /// The span of the client in which the call was made.
    pub(crate) parent: Option<TraceParent>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Ok,
    Error,
}

impl Status {
    fn as_str(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::Error => "error",
        }
    }
}

/// Where records go beside the metrics and the log, which are always there.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    pub(crate) otlp: Option<OtlpSettings>,
    pub(crate) cloud_events: Option<CloudEventSettings>,
}

/// The code of failures that are ours to mend.
const INTERNAL: &str = "internal_error";

pub(crate) struct Telemetry {
    metrics: Arc<Metrics>,
    /// One per exporter; each is emptied by a thread of its own.
    queues: Vec<Arc<Queue>>,
}

impl Telemetry {
    /// Starts the exporters. Fails only for settings that can never work.
    pub(crate) fn new(settings: Settings) -> anyhow::Result<Telemetry> {
        let metrics = Arc::new(Metrics::default());
        let mut queues = Vec::new();
        if let Some(settings) = settings.otlp {
            queues.push(otlp::start(settings, &metrics)?);
        }
        if let Some(settings) = settings.cloud_events {
            queues.push(cloud_events::start(settings, &metrics)?);
        }
        Ok(Telemetry { metrics, queues })
    }

    pub(crate) fn metrics(&self) -> &Arc<Metrics> {
        &self.metrics
    }

    /// Counts a call as running until the guard is dropped.
    pub(crate) fn begin(&self) -> InFlight {
        InFlight::new(self.metrics.clone())
    }

    /// Costs well under a microsecond, and waits for nobody.
    pub(crate) fn record(&self, record: &CallRecord) {
        self.metrics.record(record);
        log(record);
        if !self.queues.is_empty() {
            let shared = Arc::new(record.clone());
            for queue in &self.queues {
                queue.push(shared.clone());
            }
        }
    }

    /// A snapshot of all metrics; with a vault, of that vault and of what is about none.
    pub(crate) fn list(&self, vault: Option<&str>) -> Vec<Metric> {
        let mut metrics = self.metrics.list();
        if let Some(vault) = vault {
            metrics.retain(|metric| metric.label("vault").is_none_or(|named| named == vault));
        }
        metrics
    }

    /// Takes no more records, and waits for the exporters to deliver those they have, but no longer than told.
    pub(crate) fn finish(&self, patience: Duration) {
        let until = Instant::now() + patience;
        for queue in &self.queues {
            queue.close();
        }
        for queue in &self.queues {
            queue.wait_until_ended(until);
        }
    }
}

impl Drop for Telemetry {
    fn drop(&mut self) {
        // The threads end when they have nothing left to do.
        self.queues.iter().for_each(|queue| queue.close());
    }
}

/// Refusals are of interest to whoever runs the server; successes are many.
fn log(record: &CallRecord) {
    let CallRecord { surface, tool, caller, .. } = record;
    let vault = record.vault.as_deref();
    let ms = milliseconds(record.duration);
    match (record.status, record.code) {
        (Status::Ok, _) => tracing::debug!(surface, tool = &**tool, vault, caller = &**caller, ms, "ok"),
        (Status::Error, Some(INTERNAL)) => {
            tracing::error!(surface, tool = &**tool, vault, caller = &**caller, ms, code = INTERNAL, "failed");
        }
        (Status::Error, code) => tracing::info!(surface, tool = &**tool, vault, caller = &**caller, ms, code, "refused"),
    }
}

/// To the microsecond: what is beyond that is noise, and long to read.
fn milliseconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e3
}
