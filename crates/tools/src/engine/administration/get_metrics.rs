//! The server's numbers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::context::ServerContext;
use crate::failure::Failure;
use crate::tool::{Rate, ServerTool, Spec};

/// Return the server's metrics as they are now: calls and their durations by tool and outcome, sizes of indexes, and so on.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GetMetrics {
    /// Only those of this vault, besides those of no vault
    #[serde(default)]
    #[schemars(regex(pattern = "^[a-z0-9_-]{1,64}$"))]
    vault: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Answer {
    metrics: Vec<Line>,
}

#[derive(Serialize, JsonSchema)]
struct Line {
    name: String,
    /// counter, gauge or histogram
    r#type: &'static str,
    value: f64,
    labels: Map<String, Value>,
}

impl ServerTool for GetMetrics {
    const SPEC: Spec = Spec::reading("get_metrics", "Show metrics").scopes(&["admin:metrics"]).rate(Rate::Admin).quick();
    type Output = Answer;

    fn run(self, context: &ServerContext<'_>) -> Result<Answer, Failure> {
        let known: Vec<String> = context.server.vaults().iter().map(|vault| vault.id.clone()).collect();
        if let Some(id) = self.vault.as_ref().filter(|id| !known.contains(id)) {
            return Err(Failure::UnknownVault { id: id.clone(), known });
        }
        let metrics = context.server.metrics(self.vault.as_deref()).into_iter();
        let line = |metric: crate::server::Metric| Line {
            name: metric.name,
            r#type: metric.kind,
            value: metric.value,
            labels: metric.labels,
        };
        Ok(Answer { metrics: metrics.map(line).collect() })
    }
}
