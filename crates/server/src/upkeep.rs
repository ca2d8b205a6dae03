//! What the server does by itself, once an hour: expired things are dropped, and what is kept for a time is trimmed to it.

use std::sync::Weak;
use std::time::Duration;

use crate::ledger::{now, now_ms};
use crate::pipeline::Pipeline;

const DAY_MS: i64 = 86_400_000;

pub(crate) async fn keep_up(pipeline: Weak<Pipeline>) {
    let Some(upkeep) = pipeline.upgrade().map(|pipeline| pipeline.config.maintenance.clone()) else { return };
    if !upkeep.enabled {
        return;
    }
    let mut times = tokio::time::interval(Duration::from_secs(upkeep.interval_minutes.max(1).saturating_mul(60)));
    loop {
        times.tick().await;
        let Some(pipeline) = pipeline.upgrade() else { return };
        sweep(&pipeline).await;
        let trim = move || {
            pipeline.vaults.all().iter().for_each(|served| {
                if let Some(Err(error)) = served.whole().history().map(|history| history.trim()) {
                    tracing::error!(%error, vault = served.id, "the history could not be trimmed");
                }
            })
        };
        drop(tokio::task::spawn_blocking(trim).await);
    }
}

async fn sweep(pipeline: &Pipeline) {
    let Ok(state) = pipeline.ledger.state().await else { return };
    match state.sweep(now()).await {
        Ok(swept) => tracing::debug!(?swept, "expired logins, replies and requests were dropped"),
        Err(error) => tracing::error!(%error, "what has expired could not be dropped"),
    }
    let days = i64::from(pipeline.config.observability.retention.audit_days);
    if let Err(error) = state.trim_audit(now_ms() - days * DAY_MS).await {
        tracing::error!(%error, "the audit could not be trimmed");
    }
}
