//! Whether the server is well, and how far its index is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::Failure;
use crate::tool::{Spec, Tool};

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

impl Tool for ServerHealth {
    const SPEC: Spec = Spec::reading("server_health", "Check the server").scopes(&[]).quick();
    type Output = Health;

    fn run(self, context: &Context<'_>) -> Result<Health, Failure> {
        let index = &context.workspace.index;
        // The catalogue is waited for by whoever asks for it, and this tool must not wait.
        let is_read = index.is_ready();
        let notes = index.note_count();
        let (coverage, text) = (index.coverage(), index.text_status());
        let status = match (is_read, text.write_failures) {
            (false, _) => Status::Starting,
            (true, 0) => Status::Ok,
            (true, _) => Status::Degraded,
        };
        let root = context.vault().root_path();
        let name = root.file_name().unwrap_or(root.as_os_str()).to_string_lossy().into_owned();
        Ok(Health {
            status,
            name: "quillgate",
            version: env!("CARGO_PKG_VERSION"),
            vaults: vec![ServedVault { id: context.vault_id(), name }],
            uptime_ms: u64::try_from(context.workspace.started.elapsed().as_millis()).unwrap_or(u64::MAX),
            index: IndexHealth {
                ready: is_read && coverage.ready,
                notes,
                pending: coverage.pending,
                write_failures: text.write_failures,
            },
        })
    }
}
