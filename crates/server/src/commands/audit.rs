//! Looking at the record of all calls.

use anyhow::bail;
use clap::{Args, Subcommand};
use quillgate_state::{AuditEntry, AuditFault, AuditFilter, AuditStatus};
use quillgate_tools::shown_time;

use super::history::moment;
use super::remembered::{harmless, table, with_state};
use super::{Shared, say};

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Audit {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    list: List,
}

#[derive(Subcommand)]
enum Action {
    /// Check that no record was changed, taken out or put in; ends with status 1 if one was
    Verify {
        #[command(flatten)]
        shared: Shared,
    },
}

/// Which records to list, newest first
#[derive(Args)]
struct List {
    /// Only calls of this tool
    #[arg(long)]
    tool: Option<String>,
    /// Only calls about this vault
    #[arg(long)]
    vault: Option<String>,
    /// Only calls that were refused or failed
    #[arg(long)]
    errors: bool,
    /// Only calls since then: 2026-11-17T14:00:00Z, a date, or 14:00 for today
    #[arg(long)]
    since: Option<String>,
    /// Most records to list
    #[arg(long, default_value_t = 50)]
    limit: u32,
    #[command(flatten)]
    shared: Shared,
}

impl Audit {
    pub(super) fn run(self) -> anyhow::Result<()> {
        match self.action {
            None => self.list.run(),
            Some(Action::Verify { shared }) => verify(&shared),
        }
    }
}

impl List {
    fn run(self) -> anyhow::Result<()> {
        let since_ms = self.since.map(|since| moment("since", &since)).transpose()?.map(|since| since / 1000);
        let status = self.errors.then_some(AuditStatus::Error);
        let filter = AuditFilter { vault: self.vault, tool: self.tool, caller: None, status, since_ms };
        let limit = self.limit;
        let entries = with_state(&self.shared, |state| async move { Ok(state.list_audit(&filter, None, limit).await?) })?;
        if entries.is_empty() {
            return say("no records");
        }
        let headings = ["at", "tool", "vault", "caller", "status", "ms", "agreed", "arguments"];
        table(&headings, &entries.iter().map(row).collect::<Vec<_>>())
    }
}

fn row(entry: &AuditEntry) -> Vec<String> {
    let row = &entry.row;
    let at: String = shown_time(row.at_ms * 1000).chars().take(19).collect();
    let status = match row.status {
        AuditStatus::Ok => "ok".to_owned(),
        AuditStatus::Error => row.code.clone().unwrap_or_default(),
        AuditStatus::Gap => format!("{} records were lost", row.dropped),
    };
    vec![
        at.replace('T', " "),
        harmless(&row.tool),
        row.vault.clone().unwrap_or_default(),
        row.caller.chars().take(8).collect(),
        status,
        format!("{:.1}", row.duration_us as f64 / 1000.0),
        row.confirmed.clone().unwrap_or_default(),
        row.args_hash.chars().take(8).collect(),
    ]
}

fn verify(shared: &Shared) -> anyhow::Result<()> {
    let report = with_state(shared, |state| async move { Ok(state.verify_audit().await?) })?;
    say(&format!("{} records in {} chains", report.rows, report.chains))?;
    for problem in &report.problems {
        let what = match &problem.what {
            AuditFault::Changed => "was changed".to_owned(),
            AuditFault::Missing { rows } => format!("{rows} records are missing before it"),
            AuditFault::Misplaced { belongs_at } => format!("stands in the wrong place, and belongs at {belongs_at}"),
            AuditFault::Head => "the end of the chain is not where it should be".to_owned(),
            AuditFault::MissingChains { chains } => format!("{chains} chains are missing"),
        };
        say(&format!("chain {} record {}: {what}", problem.chain, problem.seq))?;
    }
    if !report.problems.is_empty() {
        bail!("the audit has been tampered with or damaged");
    }
    say("every record is as it was written")
}
