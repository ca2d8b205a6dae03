//! Writing a file whole.

use quillgate_vault::{Expect, Folders, NotePath, VaultError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::Failure;
use crate::note_text::{count_lines, in_style_of};
use crate::plan::Plan;
use crate::tool::{ChangeTool, Effect, Idempotency, Spec};

/// Create a file or replace its whole content. To change part of a file use vault_edit, which cannot lose the rest.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VaultWrite {
    /// File, relative to the vault, with its extension (.md for notes)
    path: String,
    /// The complete new content
    content: String,
    /// Make missing folders
    #[serde(default = "yes")]
    create_dirs: bool,
}

fn yes() -> bool {
    true
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    path: String,
    /// False when an existing file was replaced
    created: bool,
    size: u64,
    total_lines: usize,
}

impl ChangeTool for VaultWrite {
    const SPEC: Spec = Spec::writing("vault_write", "Write a file", Effect::Change, Idempotency::Natural);
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let path = NotePath::parse(&self.path)?;
        let before = match context.vault().read(&path) {
            Err(VaultError::NotFound(_)) => None,
            other => Some(other?),
        };
        let old = before.as_ref().and_then(|before| before.text().ok());
        let bytes = old.map_or_else(|| self.content.clone(), |old| in_style_of(old, &self.content)).into_bytes();
        let folders = if self.create_dirs { Folders::Create } else { Folders::MustExist };
        let expect = before.as_ref().map_or(Expect::Absent, |before| Expect::Hash(before.hash()));
        let outcome = Outcome {
            path: path.to_string(),
            created: before.is_none(),
            size: bytes.len() as u64,
            total_lines: count_lines(&self.content),
        };
        let change = context.vault().transaction(folders).write(path, bytes, expect);
        Ok(Plan::new(change, |_| Ok(outcome)))
    }
}
