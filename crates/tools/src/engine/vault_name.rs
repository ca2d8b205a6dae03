//! Which vault a call is about.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::Failure;

/// Id of the vault; may be left out, since there is one
#[derive(Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub(super) struct VaultName(#[schemars(regex(pattern = "^[a-z0-9_-]{1,64}$"))] Option<String>);

impl VaultName {
    pub(super) fn check(&self, context: &Context<'_>) -> Result<(), Failure> {
        let known = context.vault_id();
        match &self.0 {
            Some(id) if *id != known => Err(Failure::UnknownVault { id: id.clone(), known }),
            _ => Ok(()),
        }
    }
}
