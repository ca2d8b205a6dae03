//! Looking at the index, making it anew, and comparing it with the files.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::bail;
use clap::{Args, Subcommand};
use jiff::Timestamp;
use quillgate_index::{Index as VaultIndex, Role, TextStatus};
use quillgate_tools::Workspace;
use serde_json::{Value, json};

use super::{Shared, open_workspace, say};
use crate::environment;

/// How often a wait is looked at and shown.
const PACE: Duration = Duration::from_millis(100);
/// Without a terminal a line is enough now and then.
const SELDOM: Duration = Duration::from_secs(2);
/// How long another process may take to show that it is indexing.
const OTHERS_TIME: Duration = Duration::from_secs(60);
/// Characters of the bar.
const WIDTH: usize = 30;

#[derive(Args)]
pub(super) struct Index {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Say what is indexed, how large the index is and what could not be read
    Status(Options),
    /// Read all files again and make the index anew from them
    Rebuild(Options),
    /// Compare every source of answers with the files; ends with status 1 if one differs
    Verify(Options),
}

#[derive(Args)]
struct Options {
    /// Folder of the vault, as with --vault-path
    vault: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    shared: Shared,
}

impl Index {
    pub(super) fn run(self) -> anyhow::Result<()> {
        match self.action {
            Action::Status(options) => options.status(),
            Action::Rebuild(options) => options.rebuild(),
            Action::Verify(options) => options.verify(),
        }
    }
}

impl Options {
    /// The vault with its catalogue read.
    fn open(&self) -> anyhow::Result<Arc<Workspace>> {
        let mut shared = self.shared.clone();
        shared.vault_path = self.vault.clone().or(shared.vault_path);
        // The answer tells what could not be read; the log need not tell it too.
        let is_quiet = shared.log_level.is_none() && environment::text(environment::LOG_LEVEL).is_none();
        shared.log_level = if is_quiet { Some("error".to_owned()) } else { shared.log_level };
        let workspace = open_workspace(&shared.configure()?)?;
        let mut progress = Progress::new("reading the vault");
        workspace.index.wait(|files| {
            progress.show(files, None);
            true
        });
        progress.finish();
        Ok(workspace)
    }

    fn status(self) -> anyhow::Result<()> {
        let workspace = self.open()?;
        settled_role(&workspace.index);
        let status = Status::of(&workspace);
        if self.json { say(&serde_json::to_string_pretty(&status.as_json())?) } else { say(&status.as_text()) }
    }

    fn rebuild(self) -> anyhow::Result<()> {
        let workspace = self.open()?;
        let index = &workspace.index;
        match settled_role(index) {
            Role::Follower => bail!("another process keeps this index; stop it, then rebuild"),
            Role::Off => bail!("the text index is switched off in the configuration; there is nothing to rebuild"),
            Role::Writer | Role::Starting => {}
        }
        let started = Instant::now();
        index.rebuild();
        wait_for_text(index)?;
        let text = index.text_status();
        let seconds = (started.elapsed().as_secs_f64() * 10.0).round() / 10.0;
        if self.json {
            let told = json!({"documents": text.documents, "bytes_on_disk": text.bytes_on_disk, "seconds": seconds});
            return say(&serde_json::to_string_pretty(&told)?);
        }
        say(&format!("{} files indexed in {seconds} s, {}", text.documents, shown_bytes(text.bytes_on_disk)))
    }

    fn verify(self) -> anyhow::Result<()> {
        let workspace = self.open()?;
        wait_for_text(&workspace.index)?;
        let mut progress = Progress::new("comparing with the files");
        let differences = workspace.index.verify(|done, total| progress.show(done, Some(total)));
        progress.finish();
        let files = workspace.index.status().files;
        if self.json {
            let listed: Vec<Value> =
                differences.iter().map(|found| json!({"source": found.source, "path": found.path, "what": found.what})).collect();
            say(&serde_json::to_string_pretty(&json!({"files": files, "differences": listed}))?)?;
        } else {
            differences.iter().try_for_each(|found| say(&format!("{}: {}: {}", found.source, found.path, found.what)))?;
        }
        match differences.len() {
            0 if self.json => Ok(()),
            0 => say(&format!("{files} files compared, every answer agrees with them")),
            1 => bail!("1 difference found; run quillgate index rebuild"),
            count => bail!("{count} differences found; run quillgate index rebuild"),
        }
    }
}

/// Who keeps the index, once that is decided.
fn settled_role(index: &VaultIndex) -> Role {
    while index.text_status().role == Role::Starting {
        thread::sleep(PACE);
    }
    index.text_status().role
}

/// Waits until every file is in the text index, whichever process puts it there.
fn wait_for_text(index: &VaultIndex) -> anyhow::Result<()> {
    let mut progress = Progress::new("indexing");
    let started = Instant::now();
    loop {
        let (coverage, text) = (index.coverage(), index.text_status());
        if text.write_failures > 0 {
            bail!("the index cannot be written; make room or give another folder with --data-dir");
        }
        if text.role == Role::Follower && text.documents == 0 && coverage.pending > 0 && started.elapsed() > OTHERS_TIME {
            bail!("another process keeps the index of this vault with other settings; give its configuration with --config");
        }
        if coverage.ready && coverage.pending == 0 {
            progress.finish();
            return Ok(());
        }
        let done = usize::try_from(text.documents).unwrap_or(usize::MAX);
        progress.show(done, Some(done.saturating_add(coverage.pending)));
        thread::sleep(PACE);
    }
}

/// What there is to say about an index.
struct Status {
    vault: String,
    files: usize,
    notes: usize,
    ready: bool,
    text: TextStatus,
    problems: Vec<(String, String)>,
}

impl Status {
    fn of(workspace: &Workspace) -> Status {
        let index = &workspace.index;
        let (status, coverage) = (index.status(), index.coverage());
        Status {
            vault: workspace.vault.root_path().display().to_string(),
            files: status.files,
            notes: index.catalogue().notes().count(),
            ready: coverage.ready && coverage.pending == 0,
            text: TextStatus { pending: coverage.pending, ..index.text_status() },
            problems: status.problems,
        }
    }

    fn as_json(&self) -> Value {
        let problems: Vec<Value> = self.problems.iter().map(|(path, why)| json!({"path": path, "why": why})).collect();
        json!({
            "vault": self.vault,
            "files": self.files,
            "notes": self.notes,
            "ready": self.ready,
            "pending": self.text.pending,
            "documents": self.text.documents,
            "segments": self.text.segments,
            "bytes_on_disk": self.text.bytes_on_disk,
            "role": self.role(),
            "last_commit": self.last_commit(),
            "write_failures": self.text.write_failures,
            "problems": problems,
        })
    }

    fn as_text(&self) -> String {
        let TextStatus { documents, pending, segments, bytes_on_disk, write_failures, .. } = self.text;
        let state = if self.ready { "complete".to_owned() } else { format!("{pending} files wait") };
        let mut lines = vec![
            format!("vault        {}", self.vault),
            format!("files        {}, of them {} notes", self.files, self.notes),
            format!("text index   {state}: {documents} files in {segments} segments, {}", shown_bytes(bytes_on_disk)),
            format!("kept by      {}", self.keeper()),
            format!("last commit  {}", self.last_commit().unwrap_or_else(|| "none".to_owned())),
        ];
        if write_failures > 0 {
            lines.push(format!("failures     {write_failures} times the index could not be written; look at the data directory"));
        }
        lines.extend(self.problems.iter().map(|(path, why)| format!("not read     {path}: {why}")));
        lines.join("\n")
    }

    fn role(&self) -> &'static str {
        match self.text.role {
            Role::Starting => "starting",
            Role::Writer => "writer",
            Role::Follower => "follower",
            Role::Off => "off",
        }
    }

    fn keeper(&self) -> &'static str {
        match self.text.role {
            Role::Starting | Role::Writer => "this process",
            Role::Follower => "another process",
            Role::Off => "nobody; searches read the files",
        }
    }

    /// RFC 3339 in UTC, to the second.
    fn last_commit(&self) -> Option<String> {
        let commit = Timestamp::try_from(self.text.last_commit?).ok()?;
        Timestamp::from_second(commit.as_second()).ok().map(|time| time.to_string())
    }
}

/// How far something is: a bar on a terminal, a line now and then elsewhere. It goes to standard error, so that the answer
/// can be piped on.
struct Progress {
    what: &'static str,
    is_terminal: bool,
    shown: Option<Instant>,
}

impl Progress {
    fn new(what: &'static str) -> Progress {
        Progress { what, is_terminal: io::stderr().is_terminal(), shown: None }
    }

    fn show(&mut self, done: usize, total: Option<usize>) {
        let pace = if self.is_terminal { PACE } else { SELDOM };
        // What is over before the first look is not worth a line.
        let last = *self.shown.get_or_insert_with(Instant::now);
        if last.elapsed() < pace {
            return;
        }
        self.shown = Some(Instant::now());
        let line = format!("{} {}", self.what, bar(done, total));
        let end = if self.is_terminal { "\x1b[K\r" } else { "\n" };
        let _ = write!(io::stderr(), "{line}{end}");
    }

    /// Leaves the line to what comes next.
    fn finish(self) {
        if self.is_terminal && self.shown.is_some() {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

fn bar(done: usize, total: Option<usize>) -> String {
    let Some(total) = total.filter(|total| *total > 0) else { return done.to_string() };
    let filled = (done.min(total) * WIDTH) / total;
    format!("[{}{}] {done} of {total}", "#".repeat(filled), "-".repeat(WIDTH - filled))
}

fn shown_bytes(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_fills_as_work_is_done() {
        assert_eq!(bar(0, Some(10)), format!("[{}] 0 of 10", "-".repeat(30)));
        assert_eq!(bar(5, Some(10)), format!("[{}{}] 5 of 10", "#".repeat(15), "-".repeat(15)));
        assert_eq!(bar(12, Some(10)), format!("[{}] 12 of 10", "#".repeat(30)));
        assert_eq!((bar(7, None), bar(7, Some(0))), ("7".to_owned(), "7".to_owned()));
    }

    #[test]
    fn sizes_are_shown_in_steps_of_a_thousand() {
        assert_eq!(
            (shown_bytes(999), shown_bytes(1500), shown_bytes(12_345_678)),
            ("999 bytes".into(), "1.5 kB".into(), "12.3 MB".into())
        );
    }
}
