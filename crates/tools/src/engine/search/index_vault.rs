//! Bringing the index up to date now.

use quillgate_vault::{FolderPath, NotePath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::Failure;
use crate::tool::{Rate, Spec, Tool};

/// Look at the files now and take in what has changed. Seldom needed: changes are noticed by themselves, except on network drives, where that takes a while.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct IndexVault {
    /// Only this folder and what is below it; the whole vault by default
    #[serde(default)]
    #[schemars(length(max = 1024))]
    folder: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    vault: String,
    /// Files that are new or different
    upserted: usize,
    /// Files that are gone
    deleted: usize,
    unchanged: usize,
}

impl Tool for IndexVault {
    const SPEC: Spec = Spec::reading("index_vault", "Update the index").scopes(&["admin:vault"]).rate(Rate::Bulk);
    type Output = Outcome;

    fn run(self, context: &Context<'_>) -> Result<Outcome, Failure> {
        // The folder may be gone: that is one of the things this notices.
        let folder = match self.folder.as_deref() {
            None | Some("") => FolderPath::ROOT,
            Some(path) => FolderPath::from(NotePath::parse(path)?),
        };
        let taken = context.index()?.check_folder(&folder, |done, total| {
            context.progress(done as f64, Some(total as f64), &format!("{done} of {total} files are up to date"));
            context.go_on()
        });
        Ok(Outcome {
            vault: context.vault_id().to_owned(),
            upserted: taken.upserted,
            deleted: taken.deleted,
            unchanged: taken.unchanged,
        })
    }
}
