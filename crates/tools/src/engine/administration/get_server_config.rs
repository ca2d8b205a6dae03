//! How the server is set up.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::context::ServerContext;
use crate::failure::Failure;
use crate::tool::{Rate, ServerTool, Spec};

/// Show how the server is set up: version, how callers log in, vaults, limits, what is recorded, plugins. Never a secret.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GetServerConfig {}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Answer {
    version: &'static str,
    auth_mode: String,
    vaults_summary: Vec<VaultLine>,
    limits: Map<String, Value>,
    observability: Map<String, Value>,
    plugins_detected: Map<String, Value>,
}

#[derive(Serialize, JsonSchema)]
struct VaultLine {
    id: String,
    name: String,
    read_only: bool,
    note_count: usize,
}

impl ServerTool for GetServerConfig {
    const SPEC: Spec =
        Spec::reading("get_server_config", "Show the configuration").scopes(&["admin:config"]).rate(Rate::Admin).quick();
    type Output = Answer;

    fn run(self, context: &ServerContext<'_>) -> Result<Answer, Failure> {
        let mut summary = context.server.summary();
        let mut object = |name: &str| match summary.remove(name) {
            Some(Value::Object(object)) => object,
            _ => Map::new(),
        };
        let (limits, observability, plugins_detected) = (object("limits"), object("observability"), object("plugins_detected"));
        let auth_mode = summary.get("auth_mode").and_then(Value::as_str).unwrap_or("none").to_owned();
        let mut vaults_summary = Vec::new();
        for vault in context.server.vaults() {
            let read_only = context.server.rules(&vault.id)?.read_only;
            let note_count = vault.index.note_count();
            vaults_summary.push(VaultLine { id: vault.id.clone(), name: vault.name.clone(), read_only, note_count });
        }
        let version = env!("CARGO_PKG_VERSION");
        Ok(Answer { version, auth_mode, vaults_summary, limits, observability, plugins_detected })
    }
}
