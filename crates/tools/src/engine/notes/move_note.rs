//! Moving or renaming a note, with the links to it.

use quillgate_vault::{ContentHash, NotePath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::Failure;
use crate::plan::Plan;
use crate::time;
use crate::tool::{ChangeTool, Confirm, Effect, Idempotency, Spec};
use crate::transfer::{Backlinks, Moving, Occupied, plan_move};

/// Move or rename a note and rewrite every link to it, all files or none. Its own relative links keep their meaning.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MoveNote {
    /// Note to move, relative to the vault, with its extension
    #[schemars(length(min = 1, max = 1024))]
    from: String,
    /// Its new path, with file name and extension; missing folders are made
    #[schemars(length(min = 1, max = 1024))]
    to: String,
    /// Rewrite the links of other notes to it
    #[serde(default = "yes")]
    update_backlinks: bool,
    /// Replace a file that is at the new path; the history keeps the old one
    #[serde(default)]
    overwrite_target: bool,
}

fn yes() -> bool {
    true
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    from: String,
    to: String,
    moved_at: String,
    /// Links in other files that were rewritten
    backlinks_updated: usize,
    new_hash: String,
}

impl ChangeTool for MoveNote {
    const SPEC: Spec = Spec::writing("move_note", "Move a note", Effect::Change, Idempotency::Repeats)
        .scopes(&["write:notes", "delete:notes"])
        .confirm(Confirm::When("if it leaves its top-level folder or overwrites a file"));
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let (from, to) = (NotePath::parse(&self.from)?, NotePath::parse(&self.to)?);
        let backlinks = if self.update_backlinks { Backlinks::Update } else { Backlinks::Leave };
        let occupied = if self.overwrite_target { Occupied::Overwrite } else { Occupied::Refuse };
        let Moving { change, backlinks, overwrites, bytes, .. } = plan_move(context, &from, &to, backlinks, occupied)?;
        let new_hash = match bytes {
            Some(bytes) => ContentHash::of(&bytes),
            None => context.vault().read(&from)?.hash(),
        };
        let (left, entered) = (top_level(&from), top_level(&to));
        let leaves = left != entered;
        let leaving = format!("{from} leaves {} for {}", named(left), named(entered));
        let overwriting = format!("it overwrites {to}");
        let (from, to, new_hash) = (from.to_string(), to.to_string(), new_hash.to_string());
        let finish = move |_: Option<&quillgate_vault::Committed>| {
            Ok(Outcome { from, to, moved_at: time::told(&context.now()), backlinks_updated: backlinks, new_hash })
        };
        Ok(Plan::new(change, finish).ask_if(leaves, leaving).ask_if(overwrites, overwriting))
    }
}

/// The folder directly in the vault that a file is in; empty for a file that is in none.
fn top_level(path: &NotePath) -> &str {
    path.as_str().split_once('/').map_or("", |(folder, _)| folder)
}

fn named(folder: &str) -> &str {
    if folder.is_empty() { "the top of the vault" } else { folder }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_top_level_folder_is_the_first_of_a_path() {
        let of = |path: &str| NotePath::parse(path).map(|path| top_level(&path).to_owned());
        assert_eq!(of("a/b/c.md"), Ok("a".to_owned()));
        assert_eq!(of("c.md"), Ok(String::new()));
    }
}
