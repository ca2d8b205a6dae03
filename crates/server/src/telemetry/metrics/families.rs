//! The metrics by name, as they stand at one moment. Every form in which they are shown is made from this.

use std::sync::atomic::Ordering;
use std::time::UNIX_EPOCH;

use super::{BOUNDS, Metrics, Readings};
use crate::telemetry::process;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Counter,
    Gauge,
    Histogram,
}

impl Kind {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram => "histogram",
        }
    }
}

/// One number.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Metric {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) value: f64,
    pub(crate) labels: Labels,
}

impl Metric {
    pub(crate) fn label(&self, name: &str) -> Option<&str> {
        self.labels.iter().find(|(known, _)| *known == name).map(|(_, value)| &**value)
    }
}

type Labels = Vec<(&'static str, String)>;

/// All that has one name.
pub(in crate::telemetry) struct Family {
    pub(in crate::telemetry) name: &'static str,
    pub(in crate::telemetry) help: &'static str,
    pub(in crate::telemetry) kind: Kind,
    pub(in crate::telemetry) points: Vec<Point>,
}

pub(in crate::telemetry) struct Point {
    pub(in crate::telemetry) labels: Labels,
    pub(in crate::telemetry) value: Value,
}

pub(in crate::telemetry) enum Value {
    Number(f64),
    /// How many fell into each bucket, the last being for what is beyond all bounds.
    Durations {
        counts: [u64; BOUNDS.len() + 1],
        seconds: f64,
    },
}

impl Family {
    fn new(kind: Kind, name: &'static str, help: &'static str) -> Family {
        Family { name, help, kind, points: Vec::new() }
    }

    fn counter(name: &'static str, help: &'static str) -> Family {
        Family::new(Kind::Counter, name, help)
    }

    fn gauge(name: &'static str, help: &'static str) -> Family {
        Family::new(Kind::Gauge, name, help)
    }

    fn count(self, labels: &[(&'static str, &str)], count: u64) -> Family {
        self.number(labels, count as f64)
    }

    fn number(mut self, labels: &[(&'static str, &str)], number: f64) -> Family {
        let labels = labels.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        self.points.push(Point { labels, value: Value::Number(number) });
        self
    }

    /// One point for each of `all`.
    fn each<T>(self, all: impl IntoIterator<Item = T>, add: impl Fn(Family, T) -> Family) -> Family {
        all.into_iter().fold(self, add)
    }

    pub(super) fn list(&self) -> Vec<Metric> {
        let metric = |suffix: &str, labels: &Labels, value| Metric {
            name: format!("{}{suffix}", self.name),
            kind: self.kind,
            value,
            labels: labels.clone(),
        };
        let numbers = |point: &Point| match &point.value {
            Value::Number(number) => vec![metric("", &point.labels, *number)],
            Value::Durations { counts, seconds } => {
                let count = counts.iter().sum::<u64>() as f64;
                vec![metric("_count", &point.labels, count), metric("_sum", &point.labels, *seconds)]
            }
        };
        self.points.iter().flat_map(numbers).collect()
    }
}

impl Metrics {
    /// Everything, in the same order every time. May look at files, so not for threads that answer calls.
    pub(in crate::telemetry) fn families(&self) -> Vec<Family> {
        let readings = self.readings.get().map(|read| read()).unwrap_or_default();
        let mut families = self.about_calls();
        families.extend(self.about_gates());
        families.extend(about_vaults(&readings));
        families.extend(self.about_exporters(&readings));
        families.extend(self.about_the_program());
        // A name without numbers would still be right, but says nothing.
        families.retain(|family| !family.points.is_empty());
        families
    }

    fn about_calls(&self) -> Vec<Family> {
        let mut calls = Family::counter("quillgate_tool_calls_total", "Calls that were answered, refused ones included.");
        let mut durations = Family::new(Kind::Histogram, "quillgate_tool_duration_seconds", "How long calls took.");
        let mut bytes = Family::counter("quillgate_tool_response_bytes_total", "Bytes of answers.");
        let known = self.known.read();
        let mut pairs: Vec<_> = known.calls.iter().collect();
        pairs.sort_unstable_by_key(|(key, _)| (&*key.vault, &*key.tool));
        for (key, counts) in pairs {
            for (status, count) in [("ok", &counts.ok), ("error", &counts.error)] {
                let labels = [("vault", &*key.vault), ("tool", &*key.tool), ("status", status)];
                calls = calls.count(&labels, count.load(Ordering::Relaxed));
            }
        }
        let mut tools: Vec<_> = known.tools.iter().collect();
        tools.sort_unstable_by_key(|(tool, _)| &**tool);
        for (tool, counts) in tools {
            bytes = bytes.count(&[("tool", tool)], counts.bytes.load(Ordering::Relaxed));
            let seconds = counts.nanoseconds.load(Ordering::Relaxed) as f64 / 1e9;
            let counts = counts.durations.each_ref().map(|count| count.load(Ordering::Relaxed));
            let labels = vec![("tool", tool.clone().into_owned())];
            durations.points.push(Point { labels, value: Value::Durations { counts, seconds } });
        }
        vec![calls, durations, bytes]
    }

    fn about_gates(&self) -> Vec<Family> {
        let in_flight = self.in_flight.load(Ordering::Relaxed).max(0).unsigned_abs();
        vec![
            Family::counter("quillgate_tool_errors_total", "Calls that failed or were refused, by the code of the error.")
                .each(self.errors.all(), |family, (code, count)| family.count(&[("code", code)], count)),
            Family::gauge("quillgate_calls_in_flight", "Calls that have begun and are not over.").count(&[], in_flight),
            Family::counter("quillgate_calls_throttled_total", "Calls that were refused for coming too fast.")
                .count(&[], self.errors.count("throttled")),
            Family::counter("quillgate_confirmations_required_total", "Calls that were refused until somebody agrees.")
                .count(&[], self.errors.count("elicit_required")),
            Family::counter("quillgate_confirmations_total", "Calls that somebody had agreed to, by the way they did.")
                .each(self.confirmations.all(), |family, (way, count)| family.count(&[("way", way)], count)),
            Family::counter("quillgate_idempotent_replays_total", "Calls that were answered with what an earlier one returned.")
                .count(&[], self.replays.load(Ordering::Relaxed)),
        ]
    }

    fn about_exporters(&self, readings: &Readings) -> Vec<Family> {
        let exporters = self.exporters.lock().clone();
        let count = |family: Family, read: &dyn Fn(&super::ExporterCounts) -> u64| {
            family.each(&exporters, |family, exporter| family.count(&[("exporter", exporter.name)], read(exporter)))
        };
        let sent = Family::counter("quillgate_exporter_sent_total", "Records that an exporter has delivered.");
        let failures = Family::counter("quillgate_exporter_failures_total", "Attempts to export that failed.");
        let dropped = Family::counter("quillgate_exporter_dropped_total", "Records that an exporter has given up.");
        let queued = Family::gauge("quillgate_exporter_queue_length", "Records that wait for an exporter.");
        vec![
            count(sent, &|exporter| exporter.sent.load(Ordering::Relaxed)),
            count(failures, &|exporter| exporter.failures.load(Ordering::Relaxed)),
            count(dropped, &|exporter| exporter.dropped.load(Ordering::Relaxed)),
            count(queued, &|exporter| exporter.queued.load(Ordering::Relaxed) as u64),
            Family::gauge("quillgate_audit_queue_length", "Audit records that wait to be written.")
                .count(&[], readings.audit_queue),
            Family::counter("quillgate_audit_dropped_total", "Audit records that could not be written.")
                .count(&[], readings.audit_dropped),
        ]
    }

    fn about_the_program(&self) -> Vec<Family> {
        let start = self.started_at.duration_since(UNIX_EPOCH).unwrap_or_default();
        let process = process::look();
        vec![
            Family::gauge("quillgate_build_info", "Always 1; the labels say what was built.")
                .count(&[("version", env!("CARGO_PKG_VERSION"))], 1),
            Family::gauge("quillgate_uptime_seconds", "Time since the start.").number(&[], self.started.elapsed().as_secs_f64()),
            Family::gauge("process_start_time_seconds", "Start of the process, in seconds since 1970.")
                .number(&[], start.as_secs_f64()),
            Family::gauge("process_resident_memory_bytes", "Memory that the process has in use.")
                .each(process.resident_bytes, |family, bytes| family.count(&[], bytes)),
            Family::gauge("process_open_fds", "Files and sockets that the process has open.")
                .each(process.open_files, |family, files| family.count(&[], files)),
        ]
    }
}

fn about_vaults(readings: &Readings) -> Vec<Family> {
    let vaults = &readings.vaults;
    let gauge = |name, help, read: &dyn Fn(&super::VaultReadings) -> u64| {
        Family::gauge(name, help).each(vaults, |family, vault| family.count(&[("vault", &vault.vault)], read(vault)))
    };
    vec![
        gauge("quillgate_index_notes", "Notes that the index knows.", &|vault| vault.notes),
        gauge("quillgate_index_pending_files", "Files that the text index has not taken in yet.", &|vault| vault.pending),
        gauge("quillgate_index_ready", "1 when the vault has been read, else 0.", &|vault| u64::from(vault.is_ready)),
        Family::gauge("quillgate_history_bytes", "Size of the history on disk.").each(vaults, |family, vault| {
            family.each(vault.history_bytes, |family, bytes| family.count(&[("vault", &vault.vault)], bytes))
        }),
    ]
}
