//! What the operator gets to see of the calls, and for how long it is kept.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Secret, Unused};

#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct ObservabilityConfig {
    /// Traces for a collector, by OTLP over HTTP.
    pub otel: OtelConfig,
    /// Metrics to be fetched by Prometheus.
    pub prometheus: PrometheusConfig,
    /// CloudEvents 1.0 as JSON lines, a file per vault and day.
    pub cloud_events: CloudEventsConfig,
    /// How long records are kept.
    pub retention: RetentionConfig,
    /// What is written to standard error.
    pub logs: LogsConfig,
    /// How much traces say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace_detail: Option<Unused>,
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct OtelConfig {
    /// Whether traces are sent; by default if there is an `endpoint`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// The collector, such as `http://127.0.0.1:4318`; `/v1/traces` is added unless it stands there already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// Headers of every request to the collector, such as `Authorization`. Their values are never shown.
    pub headers: BTreeMap<String, Secret>,
    /// What this server is called there.
    pub service_name: String,
    /// The part of the calls that are traced, from 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub sample_rate: f64,
    /// How long the collector may take to answer, in seconds. Calls never wait for it.
    #[schemars(range(min = 1))]
    pub timeout_seconds: u64,
    /// How often metrics are sent to the collector too, in seconds; never by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub metrics_seconds: Option<u64>,
}

impl Default for OtelConfig {
    fn default() -> OtelConfig {
        OtelConfig {
            enabled: None,
            endpoint: None,
            headers: BTreeMap::new(),
            service_name: "quillgate".to_owned(),
            sample_rate: 1.0,
            timeout_seconds: 10,
            metrics_seconds: None,
        }
    }
}

impl OtelConfig {
    /// Where traces go, if they go anywhere.
    pub fn active_endpoint(&self) -> Option<&str> {
        self.endpoint.as_deref().filter(|_| self.enabled.unwrap_or(true))
    }
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct PrometheusConfig {
    /// Whether `/metrics` is served, at an address of its own and without login.
    pub enabled: bool,
    /// The address of `/metrics`. What it says names tools and vaults, never notes.
    pub host: String,
    /// The port of `/metrics`.
    pub port: u16,
}

impl Default for PrometheusConfig {
    fn default() -> PrometheusConfig {
        PrometheusConfig { enabled: false, host: "127.0.0.1".to_owned(), port: 9464 }
    }
}

#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct CloudEventsConfig {
    /// Whether events are written.
    pub enabled: bool,
    /// Folder of the files, never inside a vault; `events` in the data directory by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// Where events would be sent to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<Unused>,
    /// Headers for the `endpoint`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headers: Option<Unused>,
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct RetentionConfig {
    /// Days that a record of a call is kept.
    #[schemars(range(min = 1))]
    pub audit_days: u32,
    /// Days that the trace of a session is kept.
    #[schemars(range(min = 1))]
    pub traces_days: u32,
    /// Days that a file of CloudEvents is kept.
    #[schemars(range(min = 1))]
    pub events_days: u32,
    /// Days for which a change can be looked at and undone.
    #[schemars(range(min = 1))]
    pub history_days: u32,
    /// The most that the history of one vault may take on disk, in bytes; the oldest changes make way.
    #[schemars(range(min = 1))]
    pub history_max_bytes: u64,
}

impl Default for RetentionConfig {
    fn default() -> RetentionConfig {
        RetentionConfig { audit_days: 90, traces_days: 90, events_days: 90, history_days: 90, history_max_bytes: 1 << 30 }
    }
}

#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct LogsConfig {
    /// `text` for people, `json` for programs that collect logs: an object per line.
    pub format: LogFormat,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    #[default]
    Text,
    Json,
}
