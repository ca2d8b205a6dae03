//! Writing a file whole.

use quillgate_vault::{Expect, Folders, NotePath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::Failure;
use crate::note_text::{count_lines, styled_for};
use crate::tool::{Effect, Idempotency, Spec, Tool};

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

impl Tool for VaultWrite {
    const SPEC: Spec = Spec::writing("vault_write", "Write a file", Effect::Change, Idempotency::Natural);
    type Output = Outcome;

    fn run(self, context: &Context<'_>) -> Result<Outcome, Failure> {
        let path = NotePath::parse(&self.path)?;
        let bytes = styled_for(context.vault(), &path, &self.content)?;
        let folders = if self.create_dirs { Folders::Create } else { Folders::MustExist };
        let written = context.vault().write(&path, bytes, Expect::Anything, folders)?;
        let total_lines = count_lines(&self.content);
        Ok(Outcome { path: path.to_string(), created: written.created, size: written.stat.size, total_lines })
    }
}
