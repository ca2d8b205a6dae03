//! What the server says about itself; never a secret.

use std::sync::Arc;

use quillgate_tools::Workspace;
use serde_json::{Map, Value, json};

use crate::pipeline::Pipeline;
use crate::sites;

pub(crate) fn of(pipeline: &Pipeline, vaults: &[Arc<Workspace>]) -> Map<String, Value> {
    let config = &pipeline.config;
    let modes = sites::modes(&config.auth).unwrap_or_default();
    let modes: Vec<String> = modes.iter().map(|mode| json!(mode).as_str().unwrap_or_default().to_owned()).collect();
    let read_only = |id: &str| pipeline.vaults.find(Some(id)).is_some_and(|served| served.rules().is_read_only());
    let vaults: Vec<Value> = vaults
        .iter()
        .map(|vault| json!({"id": vault.id, "name": vault.name, "read_only": read_only(&vault.id), "notes": vault.index.note_count()}))
        .collect();
    let summary = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "auth_mode": modes.join(" "),
        "vaults_summary": vaults,
        "limits": {
            "max_response_bytes": config.governor.max_response_bytes,
            "max_file_bytes": config.limits.max_file_bytes,
            "timeout_seconds": config.limits.timeout_seconds,
            "regex_timeout_ms": config.tool_settings().regex_limit.as_millis() as u64,
            "idempotency_ttl_seconds": config.idempotency_ttl_seconds,
            "elicit_ttl_seconds": config.elicit_ttl_seconds,
            "throttle": config.throttle,
        },
        "observability": {
            "traces": config.observability.otel.active_endpoint().is_some(),
            "metrics": config.observability.prometheus.enabled,
            "events": config.observability.cloud_events.enabled,
            "audit_days": config.observability.retention.audit_days,
            "history_days": config.observability.retention.history_days,
        },
        "plugins_detected": {},
    });
    summary.as_object().cloned().unwrap_or_default()
}
