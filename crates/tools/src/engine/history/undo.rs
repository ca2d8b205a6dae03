//! Taking changes back.

use quillgate_vault::{Filter, OnConflict, PastChange, Undo as Wanted, UndoConflict, UndoOutcome};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::change::{history, parse_change};
use crate::context::Context;
use crate::failure::{Failure, Issue};
use crate::moment::parse_moment;
use crate::plan::Plan;
use crate::tool::{ChangeTool, Confirm, Effect, Idempotency, Spec};

/// Undoing more files than this at once is for a human to agree to.
const MANY_FILES: usize = 20;

/// Undo a change, a whole session, or everything since a time. What somebody changed since is kept where both fit together; otherwise nothing is undone and both sides are shown. An undo can be undone.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Undo {
    /// Id of one change, from history_list
    #[serde(default)]
    #[schemars(length(max = 64))]
    change: Option<String>,
    /// All changes of this session
    #[serde(default)]
    #[schemars(length(max = 256))]
    session: Option<String>,
    /// All changes since then: a time such as 2026-11-17T14:00:00Z, a date, or 14:00 for today
    #[serde(default)]
    #[schemars(length(max = 64))]
    since: Option<String>,
    /// Leave files alone that cannot be undone, and undo the others
    #[serde(default)]
    skip_conflicts: bool,
    /// Only say what would be undone
    #[serde(default)]
    dry_run: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    /// Changes that were taken back, newest first
    undone: Vec<String>,
    files: Vec<File>,
    /// Files that were left as they are, and why
    #[serde(skip_serializing_if = "Vec::is_empty")]
    conflicts: Vec<Conflict>,
    /// Id of the undo itself, which can be undone too
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<String>,
    dry_run: bool,
}

#[derive(Serialize, JsonSchema)]
struct File {
    path: String,
    /// restored, merged, recreated, removed, moved_back or already_undone
    outcome: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct Conflict {
    path: String,
    reason: String,
    /// Both sides of each place in dispute: what is there now, and what would have to be
    sides: Vec<Sides>,
}

#[derive(Serialize, JsonSchema)]
struct Sides {
    now: String,
    before: String,
}

impl ChangeTool for Undo {
    const SPEC: Spec = Spec::writing("undo", "Undo changes", Effect::Change, Idempotency::Natural)
        .scopes(&["write:notes", "delete:notes"])
        .confirm(Confirm::When("if it takes back somebody else's changes or touches more than 20 files"));
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let wanted = self.wanted(context)?;
        let on_conflict = if self.skip_conflicts { OnConflict::Skip } else { OnConflict::Refuse };
        let plan = context.vault().plan_undo(&wanted, on_conflict)?;
        let conflicts: Vec<Conflict> = plan.conflicts.iter().map(Conflict::of).collect();
        let undone: Vec<String> = plan.changes.iter().map(ToString::to_string).collect();
        let files: Vec<File> =
            plan.files.iter().map(|file| File { path: file.path.to_string(), outcome: named(&file.outcome) }).collect();
        let is_foreign = self.is_foreign(context, &plan.changes)?;
        let Some(change) = plan.into_transaction() else { return Err(refused(&conflicts)) };
        let (count, dry_run) = (files.len(), self.dry_run);
        let finish = move |committed: Option<&quillgate_vault::Committed>| {
            let change = committed.and_then(|committed| committed.change).map(|change| change.to_string());
            Ok(Outcome { undone, files, conflicts, change, dry_run })
        };
        Ok(Plan::new(change, finish)
            .dry_run(dry_run)
            .ask_if(is_foreign, "it takes back changes of somebody else")
            .ask_if(count > MANY_FILES, format!("it touches {count} files")))
    }
}

impl Undo {
    fn wanted(&self, context: &Context<'_>) -> Result<Wanted, Failure> {
        let since = self.since.as_ref().map(|since| parse_moment("since", since, &context.now())).transpose()?;
        match (&self.change, &self.session, since) {
            (Some(change), None, None) => Ok(Wanted::Changes(vec![parse_change("change", change)?])),
            (None, session, since) if session.is_some() || since.is_some() => {
                Ok(Wanted::All(Filter { session: session.clone(), since, ..Filter::default() }))
            }
            _ => {
                let issue =
                    Issue::new("change", "give one of change, session and since; session and since go together".to_owned());
                Err(Failure::InvalidInput(vec![issue]))
            }
        }
    }

    /// Whether somebody other than the caller made any of the changes.
    fn is_foreign(&self, context: &Context<'_>, changes: &[quillgate_vault::ChangeId]) -> Result<bool, Failure> {
        let me = context.vault().author().map(|author| author.caller.clone());
        let history = history(context)?;
        let is_mine = |change: &PastChange| change.author.as_ref().map(|author| &author.caller) == me.as_ref();
        for change in changes {
            if !is_mine(&history.find(*change)?) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Conflict {
    fn of(conflict: &UndoConflict) -> Conflict {
        let sides = conflict.clashes.iter().map(|clash| Sides { now: clash.ours.clone(), before: clash.theirs.clone() });
        Conflict { path: conflict.path.to_string(), reason: conflict.obstacle.to_string(), sides: sides.collect() }
    }
}

fn refused(conflicts: &[Conflict]) -> Failure {
    let paths: Vec<&str> = conflicts.iter().map(|conflict| conflict.path.as_str()).collect();
    let message = format!(
        "nothing was undone: {} cannot be put back, see details; give skip_conflicts to undo the rest, or edit by hand",
        paths.join(", ")
    );
    let files: Vec<Value> = conflicts.iter().map(|conflict| json!(conflict)).collect();
    Failure::UndoConflict { message, files: Value::Array(files) }
}

fn named(outcome: &UndoOutcome) -> &'static str {
    match outcome {
        UndoOutcome::Restored => "restored",
        UndoOutcome::Merged => "merged",
        UndoOutcome::Recreated => "recreated",
        UndoOutcome::Removed => "removed",
        UndoOutcome::MovedBack { .. } => "moved_back",
        UndoOutcome::AlreadyUndone => "already_undone",
    }
}
