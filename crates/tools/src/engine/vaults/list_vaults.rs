//! All vaults.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::index_cache::{IndexCache, NO_PROVIDER};
use crate::context::{ServerContext, Workspace};
use crate::failure::Failure;
use crate::tool::{ServerTool, Spec};

/// List the vaults that you may use, the default one first. Other tools take the id as vault.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListVaults {}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Answer {
    vaults: Vec<Line>,
}

#[derive(Serialize, JsonSchema)]
struct Line {
    id: String,
    name: String,
    /// Folder on the server
    path: String,
    /// Whether nothing may be changed
    read_only: bool,
    embeddings_provider: &'static str,
    note_count: usize,
    chunk_count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_indexed_at: Option<String>,
}

impl ServerTool for ListVaults {
    const SPEC: Spec = Spec::reading("list_vaults", "List vaults").scopes(&["read:vault"]).quick();
    type Output = Answer;

    fn run(self, context: &ServerContext<'_>) -> Result<Answer, Failure> {
        let served = context.server.vaults();
        let vaults = served.iter().map(|vault| line(context, vault)).collect::<Result<Vec<Line>, Failure>>()?;
        Ok(Answer { vaults })
    }
}

fn line(context: &ServerContext<'_>, vault: &Workspace) -> Result<Line, Failure> {
    let cache = IndexCache::of(&vault.index);
    Ok(Line {
        id: vault.id.clone(),
        name: vault.name.clone(),
        path: vault.vault.root_path().display().to_string(),
        read_only: context.server.rules(&vault.id)?.read_only,
        embeddings_provider: NO_PROVIDER,
        note_count: cache.note_count,
        chunk_count: cache.chunk_count,
        last_indexed_at: cache.last_indexed_at,
    })
}
