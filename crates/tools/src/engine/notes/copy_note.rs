//! Copying a note.

use quillgate_vault::NotePath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::Failure;
use crate::plan::Plan;
use crate::time;
use crate::tool::{ChangeTool, Effect, Idempotency, Spec};
use crate::transfer::{Copying, must_stay_note, plan_copy};

/// Copy a note to a new path. Never overwrites. Links inside the copy keep their meaning unless told otherwise.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CopyNote {
    /// Note to copy, relative to the vault, with its extension
    #[schemars(length(min = 1, max = 1024))]
    from: String,
    /// Path of the copy, with file name and extension; missing folders are made
    #[schemars(length(min = 1, max = 1024))]
    to: String,
    /// Rewrite links that would mean another file from there
    #[serde(default = "yes")]
    rewrite_internal_links: bool,
}

fn yes() -> bool {
    true
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    from: String,
    to: String,
    created_at: String,
    content_hash: String,
    links_rewritten: usize,
}

impl ChangeTool for CopyNote {
    const SPEC: Spec = Spec::writing("copy_note", "Copy a note", Effect::Add, Idempotency::Keyed);
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let (from, to) = (NotePath::parse(&self.from)?, NotePath::parse(&self.to)?);
        must_stay_note(&from, &to)?;
        let Copying { change, hash, links, .. } = plan_copy(context, &from, &to, self.rewrite_internal_links)?;
        Ok(Plan::new(change, move |committed| {
            let written = committed.and_then(|committed| committed.written.first());
            let created_at = written.map_or_else(|| time::told(&context.now()), |written| time::shown(written.stat.modified));
            let (from, to) = (from.to_string(), to.to_string());
            Ok(Outcome { from, to, created_at, content_hash: hash.to_string(), links_rewritten: links })
        }))
    }
}
