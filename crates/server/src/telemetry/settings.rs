//! What the operator configured, in the words of the exporters.

use std::time::Duration;

use anyhow::{Context, bail};
use secrecy::SecretString;
use url::Url;

use super::{CloudEventSettings, OtlpSettings, Settings};
use crate::config::{CloudEventsConfig, Config, OtelConfig};
use crate::data_folder;

/// What events call a server that has no address of its own.
const NAMELESS: &str = "urn:quillgate:server";

impl Settings {
    pub(crate) fn of(config: &Config) -> anyhow::Result<Settings> {
        let observability = &config.observability;
        let otlp = match observability.otel.active_endpoint() {
            Some(endpoint) => Some(otlp(&observability.otel, endpoint)?),
            None => None,
        };
        let events = &observability.cloud_events;
        let cloud_events = if events.enabled { Some(cloud_events(config, events)?) } else { None };
        Ok(Settings { otlp, cloud_events })
    }
}

fn otlp(config: &OtelConfig, endpoint: &str) -> anyhow::Result<OtlpSettings> {
    // The address is not repeated: there may be a password in it.
    let endpoint = Url::parse(endpoint).context("observability.otel.endpoint is no URL; write it like http://127.0.0.1:4318")?;
    let headers = config.headers.iter().map(|(name, value)| (name.clone(), SecretString::from(value.expose())));
    Ok(OtlpSettings {
        headers: headers.collect(),
        service_name: config.service_name.clone(),
        sample_rate: config.sample_rate,
        timeout: Duration::from_secs(config.timeout_seconds.max(1)),
        metrics_every: config.metrics_seconds.map(|seconds| Duration::from_secs(seconds.max(1))),
        ..OtlpSettings::to(endpoint)
    })
}

fn cloud_events(config: &Config, events: &CloudEventsConfig) -> anyhow::Result<CloudEventSettings> {
    let folder = match &events.folder {
        Some(folder) => std::path::absolute(folder)?,
        None => data_folder::path(config.data_dir.as_deref())?.join("events"),
    };
    for vault in config.vaults() {
        if data_folder::lies_in(&folder, &data_folder::check_vault(&vault.path)?) {
            bail!(
                "the folder of events {} lies inside the vault {:?}; give another observability.cloudEvents.folder",
                folder.display(),
                vault.id
            );
        }
    }
    let source = config.server_url.clone().unwrap_or_else(|| NAMELESS.to_owned());
    let keep_days = Some(config.observability.retention.events_days);
    Ok(CloudEventSettings { keep_days, ..CloudEventSettings::into_folder(folder, source) })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn settings(config: &serde_json::Value) -> anyhow::Result<Settings> {
        Settings::of(&serde_json::from_value(config.clone()).expect("a configuration"))
    }

    #[test]
    fn nothing_is_exported_unless_it_is_asked_for() {
        let none = settings(&json!({})).expect("settings");
        assert!(none.otlp.is_none() && none.cloud_events.is_none());
        let off = json!({"observability": {"otel": {"enabled": false, "endpoint": "http://localhost:4318"}}});
        assert!(settings(&off).expect("settings").otlp.is_none());
    }

    #[test]
    fn what_is_configured_reaches_the_exporters() {
        let folder = tempfile::tempdir().expect("a folder");
        let config = json!({
            "serverUrl": "https://vault.example.com",
            "dataDir": folder.path(),
            "observability": {
                "otel": {"endpoint": "http://localhost:4318", "headers": {"X-Key": "k"}, "serviceName": "notes", "sampleRate": 0.25, "timeoutSeconds": 3, "metricsSeconds": 60},
                "cloudEvents": {"enabled": true},
                "retention": {"eventsDays": 5},
            },
        });
        let settings = settings(&config).expect("settings");
        let otlp = settings.otlp.expect("a collector");
        assert_eq!((otlp.endpoint.as_str(), &*otlp.service_name), ("http://localhost:4318/", "notes"));
        assert_eq!((otlp.headers.len(), otlp.sample_rate, otlp.timeout), (1, 0.25, Duration::from_secs(3)));
        assert_eq!(otlp.metrics_every, Some(Duration::from_secs(60)));
        let events = settings.cloud_events.expect("events");
        assert_eq!(events.folder, folder.path().join("events"));
        assert_eq!((&*events.source, events.keep_days), ("https://vault.example.com", Some(5)));
    }

    #[test]
    fn what_cannot_work_is_said_without_secrets() {
        let error = settings(&json!({"observability": {"otel": {"endpoint": "//user:hunter2@collector"}}})).expect_err("no URL");
        assert!(!format!("{error:#}").contains("hunter2"), "{error:#}");
        let vault = tempfile::tempdir().expect("a vault");
        let inside = vault.path().join("events");
        let config = json!({"vaultPath": vault.path(), "observability": {"cloudEvents": {"enabled": true, "folder": inside}}});
        assert!(settings(&config).expect_err("among the notes").to_string().contains("inside the vault"));
    }
}
