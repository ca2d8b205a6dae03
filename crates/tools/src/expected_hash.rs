//! The version of a file that a caller has seen.

use quillgate_vault::{ContentHash, NotePath, VaultError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;

/// content_hash of the version you have seen; if the file has changed since, nothing is written
#[derive(Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct ExpectedHash(#[schemars(regex(pattern = "^[0-9a-fA-F]{64}$"))] Option<String>);

impl ExpectedHash {
    pub(crate) fn is_given(&self) -> bool {
        self.0.is_some()
    }

    /// Refuses when the file is not what the caller expects; `now` is nothing for a file that is not there.
    pub(crate) fn check(&self, path: &NotePath, now: Option<ContentHash>) -> Result<(), Failure> {
        match &self.0 {
            Some(expected) if now.map(|now| now.to_string()) != Some(expected.to_ascii_lowercase()) => {
                Err(VaultError::Conflict(path.clone()).into())
            }
            _ => Ok(()),
        }
    }
}
