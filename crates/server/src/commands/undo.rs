//! Taking changes back.

use std::io::{self, IsTerminal, Write};

use anyhow::bail;
use clap::Args;
use quillgate_vault::{Author, Filter, OnConflict, Undo as Wanted, UndoConflict, UndoOutcome};

use super::history::{moment, parse_change};
use super::{Shared, open_default_vault, say};
use crate::random;

#[derive(Args)]
pub(super) struct Undo {
    /// Changes to take back, as `quillgate history` names them
    changes: Vec<String>,
    /// All changes of this session
    #[arg(long, conflicts_with = "changes")]
    session: Option<String>,
    /// All changes since then: 2026-11-17T14:00:00Z, a date, or 14:00 for today
    #[arg(long, conflicts_with = "changes")]
    since: Option<String>,
    /// Only by this caller, with --session or --since
    #[arg(long, conflicts_with = "changes")]
    caller: Option<String>,
    /// Leave files alone that cannot be put back, and put back the others
    #[arg(long)]
    skip_conflicts: bool,
    /// Only say what would be done
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
    #[command(flatten)]
    shared: Shared,
}

impl Undo {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let wanted = self.wanted()?;
        let served = open_default_vault(&self.shared.configure()?)?;
        let vault = served.whole().by(Author {
            caller: "owner".into(),
            session: None,
            tool: "undo".into(),
            surface: "command line".into(),
            call: random::hex(8).into(),
        });
        let on_conflict = if self.skip_conflicts { OnConflict::Skip } else { OnConflict::Refuse };
        let plan = vault.plan_undo(&wanted, on_conflict)?;
        if plan.changes.is_empty() {
            return say("there is nothing to undo");
        }
        for file in &plan.files {
            say(&format!("{:12} {}", named(&file.outcome), file.path))?;
        }
        plan.conflicts.iter().try_for_each(show_conflict)?;
        let count = plan.changes.len();
        let Some(transaction) = plan.into_transaction() else {
            bail!("nothing was undone; with --skip-conflicts the other files are put back");
        };
        if self.dry_run {
            return say("nothing was done, since this is a dry run");
        }
        if !self.yes && !agreed(count)? {
            bail!("nothing was undone");
        }
        let committed = transaction.commit()?;
        match committed.change {
            Some(change) => say(&format!("undone; `quillgate undo {change}` takes that back")),
            None => say("it was undone already"),
        }
    }

    fn wanted(&self) -> anyhow::Result<Wanted> {
        if !self.changes.is_empty() {
            return Ok(Wanted::Changes(self.changes.iter().map(|change| parse_change(change)).collect::<anyhow::Result<_>>()?));
        }
        if self.session.is_none() && self.since.is_none() {
            bail!("name the changes to take back, or give --session or --since");
        }
        let since = self.since.as_deref().map(|since| moment("since", since)).transpose()?;
        Ok(Wanted::All(Filter { session: self.session.clone(), caller: self.caller.clone(), since, ..Filter::default() }))
    }
}

/// Without a terminal there is nobody to ask, so the answer is no.
fn agreed(changes: usize) -> anyhow::Result<bool> {
    if !io::stdin().is_terminal() {
        bail!("give --yes to undo without being asked");
    }
    write!(io::stdout(), "take back {changes} {}? [y/N] ", if changes == 1 { "change" } else { "changes" })?;
    io::stdout().flush()?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(answer.trim().eq_ignore_ascii_case("y"))
}

fn show_conflict(conflict: &UndoConflict) -> anyhow::Result<()> {
    say(&format!("{:12} {}: {}", "conflict", conflict.path, conflict.obstacle))?;
    for clash in &conflict.clashes {
        say(&format!("  now:\n{}\n  before:\n{}", indented(&clash.ours), indented(&clash.theirs)))?;
    }
    Ok(())
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

fn named(outcome: &UndoOutcome) -> &'static str {
    match outcome {
        UndoOutcome::Restored => "restored",
        UndoOutcome::Merged => "merged",
        UndoOutcome::Recreated => "recreated",
        UndoOutcome::Removed => "removed",
        UndoOutcome::MovedBack { .. } => "moved back",
        UndoOutcome::AlreadyUndone => "unchanged",
    }
}
