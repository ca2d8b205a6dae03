//! Looking at what was changed, and reading notes as they were.

use std::io::Write;

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use jiff::Zoned;
use quillgate_tools::{parse_moment, shown_time};
use quillgate_vault::{ChangeId, FileChange, Filter, History as Past, NotePath, PastChange, VaultError};
use serde_json::{Value, json};

use super::remembered::{harmless, table};
use super::{Shared, open_default_vault, say};
use crate::confirm::visible;

const MOST_DIFF_BYTES: usize = 1 << 20;

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct History {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    list: List,
}

#[derive(Subcommand)]
enum Action {
    /// Show what a change did, as a diff
    Show {
        change: String,
        #[command(flatten)]
        shared: Shared,
    },
    /// Print a note as it was at a time
    Read {
        /// Path of the note in the vault
        path: String,
        /// The time: 2026-11-17T14:00:00Z, a date, or 14:00 for today
        #[arg(long)]
        at: String,
        #[command(flatten)]
        shared: Shared,
    },
}

/// Which changes to list, newest first
#[derive(Args)]
struct List {
    /// Only changes of this file
    #[arg(long)]
    path: Option<String>,
    /// Only changes by this caller
    #[arg(long)]
    caller: Option<String>,
    /// Only changes of this session
    #[arg(long)]
    session: Option<String>,
    /// Only changes since then: 2026-11-17T14:00:00Z, a date, or 14:00 for today
    #[arg(long)]
    since: Option<String>,
    /// Most changes to list
    #[arg(long, default_value_t = 50)]
    limit: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    shared: Shared,
}

impl History {
    pub(super) fn run(self) -> anyhow::Result<()> {
        match self.action {
            None => self.list.run(),
            Some(Action::Show { change, shared }) => show(&change, &shared),
            Some(Action::Read { path, at, shared }) => read(&path, &at, &shared),
        }
    }
}

impl List {
    fn run(self) -> anyhow::Result<()> {
        let vault = open_default_vault(&self.shared.configure()?)?;
        let history = vault.whole().history().ok_or(VaultError::NoHistory)?;
        let filter = Filter {
            path: self.path.as_deref().map(NotePath::parse).transpose()?,
            caller: self.caller,
            session: self.session,
            since: self.since.map(|since| moment("since", &since)).transpose()?,
            ..Filter::default()
        };
        let changes = history.list(&filter, None, self.limit)?;
        if self.json {
            let listed: Vec<Value> = changes.iter().map(as_json).collect();
            return say(&serde_json::to_string_pretty(&listed)?);
        }
        if changes.is_empty() {
            return say("no changes");
        }
        table(&["change", "at", "by", "with", "files"], &changes.iter().map(row).collect::<Vec<_>>())
    }
}

pub(super) fn moment(field: &str, text: &str) -> anyhow::Result<i64> {
    Ok(parse_moment(field, text, &Zoned::now())?)
}

pub(super) fn parse_change(text: &str) -> anyhow::Result<ChangeId> {
    text.parse().ok().with_context(|| format!("{text:?} is no change; `quillgate history` lists them"))
}

fn row(change: &PastChange) -> Vec<String> {
    let author = change.author.as_ref();
    let by = author.map_or("", |author| &author.caller);
    let tool = author.map_or("", |author| &author.tool);
    let files = match &change.files[..] {
        [only] => told(only),
        several => format!("{} files, {} …", several.len(), several.first().map(told).unwrap_or_default()),
    };
    let at: String = shown_time(change.at()).chars().take(19).collect();
    vec![change.id.to_string(), at.replace('T', " "), harmless(by), harmless(tool), files]
}

fn told(file: &FileChange) -> String {
    match file {
        FileChange::Created { path, .. } => format!("new {path}"),
        FileChange::Edited { path, .. } => path.to_string(),
        FileChange::Deleted { path, .. } => format!("deleted {path}"),
        FileChange::Moved { from, to, .. } => format!("{from} → {to}"),
    }
}

fn as_json(change: &PastChange) -> Value {
    let author = change.author.as_ref();
    json!({
        "change": change.id.to_string(),
        "at": shown_time(change.at()),
        "caller": author.map(|author| author.caller.to_string()),
        "session": author.and_then(|author| author.session.as_deref().map(str::to_owned)),
        "tool": author.map(|author| author.tool.to_string()),
        "files": change.files.iter().map(told).collect::<Vec<_>>(),
        "undoes": change.undoes.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

fn show(change: &str, shared: &Shared) -> anyhow::Result<()> {
    let vault = open_default_vault(&shared.configure()?)?;
    let history: Past<'_> = vault.whole().history().ok_or(VaultError::NoHistory)?;
    for diff in history.diff(parse_change(change)?, MOST_DIFF_BYTES)? {
        say(&visible(diff.text.trim_end()))?;
    }
    Ok(())
}

fn read(path: &str, at: &str, shared: &Shared) -> anyhow::Result<()> {
    let vault = open_default_vault(&shared.configure()?)?;
    let history = vault.whole().history().ok_or(VaultError::NoHistory)?;
    match history.read_at(&NotePath::parse(path)?, moment("at", at)?)? {
        Some(bytes) => Ok(std::io::stdout().write_all(&bytes)?),
        None => bail!("there was no {path} then"),
    }
}
