//! Whether the server is well, and how far its index is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::ServerContext;
use crate::failure::Failure;
use crate::tool::{ServerTool, Spec};

/// Say whether the server is well, which vaults it serves and how far the index is. Answers at once, also while the vault is still being read.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServerHealth {}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Health {
    status: Status,
    name: &'static str,
    version: &'static str,
    vaults: Vec<ServedVault>,
    uptime_ms: u64,
    index: IndexHealth,
}

#[derive(Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Status {
    Ok,
    Starting,
    Degraded,
}

#[derive(Serialize, JsonSchema)]
struct ServedVault {
    id: String,
    name: String,
}

#[derive(Serialize, JsonSchema)]
struct IndexHealth {
    /// False while files wait to be indexed; searches read those files one by one
    ready: bool,
    notes: usize,
    /// Files that wait to be indexed
    pending: usize,
    /// Times that the index could not be written since the start; answers stay right, but become slower
    write_failures: u64,
}

impl ServerTool for ServerHealth {
    const SPEC: Spec = Spec::reading("server_health", "Check the server").scopes(&[]).quick();
    type Output = Health;

    fn run(self, context: &ServerContext<'_>) -> Result<Health, Failure> {
        let served = context.server.vaults();
        let mut index = IndexHealth { ready: true, notes: 0, pending: 0, write_failures: 0 };
        let mut is_read = true;
        for workspace in &served {
            // The catalogue is waited for by whoever asks for it, and this tool must not wait.
            let (coverage, text) = (workspace.index.coverage(), workspace.index.text_status());
            is_read &= workspace.index.is_ready();
            index.ready &= workspace.index.is_ready() && coverage.ready;
            index.notes += workspace.index.note_count();
            index.pending += coverage.pending;
            index.write_failures += text.write_failures;
        }
        let status = match (is_read, index.write_failures) {
            (false, _) => Status::Starting,
            (true, 0) => Status::Ok,
            (true, _) => Status::Degraded,
        };
        Ok(Health {
            status,
            name: "quillgate",
            version: env!("CARGO_PKG_VERSION"),
            vaults: served.iter().map(|vault| ServedVault { id: vault.id.clone(), name: vault.name.clone() }).collect(),
            uptime_ms: context.server.uptime_ms(),
            index,
        })
    }
}
