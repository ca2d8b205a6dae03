//! One vault.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::index_cache::{IndexCache, NO_PROVIDER};
use crate::context::Context;
use crate::failure::Failure;
use crate::server::VaultRules;
use crate::tool::{Spec, Tool};

/// Say how a vault is set up: where it is, which paths may be read, written and deleted, and how far its index is.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GetVault {}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Answer {
    id: String,
    name: String,
    /// Folder on the server
    path: String,
    /// Whether nothing may be changed
    read_only: bool,
    acl: Acl,
    embeddings: Embeddings,
    cache: IndexCache,
}

/// Globs; a list that is absent allows everything
#[derive(Serialize, JsonSchema)]
struct Acl {
    #[serde(skip_serializing_if = "Option::is_none")]
    read_paths: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    write_paths: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delete_paths: Option<Vec<String>>,
}

#[derive(Serialize, JsonSchema)]
struct Embeddings {
    provider: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
}

impl Tool for GetVault {
    const SPEC: Spec = Spec::reading("get_vault", "Describe a vault").scopes(&["read:vault"]).quick();
    type Output = Answer;

    fn run(self, context: &Context<'_>) -> Result<Answer, Failure> {
        let VaultRules { read_only, read_paths, write_paths, delete_paths } = context.server.rules(context.vault_id())?;
        Ok(Answer {
            id: context.vault_id().to_owned(),
            name: context.workspace.name.clone(),
            path: context.vault().root_path().display().to_string(),
            read_only,
            acl: Acl { read_paths, write_paths, delete_paths },
            embeddings: Embeddings { provider: NO_PROVIDER, model: None },
            cache: IndexCache::of(context.index_so_far()),
        })
    }
}
