//! Agreeing to what agents ask for.

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use quillgate_state::{Allowance, Pending, SecretHash, State};
use serde_json::Value;

use super::remembered::{harmless, now, table, time, with_state};
use super::{Shared, say};
use crate::confirm::visible;
use crate::random;

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Approve {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    shared: Shared,
}

#[derive(Subcommand)]
enum Action {
    /// Show what a request would change, as a diff
    Show(One),
    /// Agree to a request, once: the agent then repeats its call
    Yes(One),
    /// Refuse a request
    No(One),
    /// Agree, and to whatever the same tool does in a folder for a while
    Allow {
        #[command(flatten)]
        one: One,
        /// Folder of the vault; the folder of the request's files by default, "" for the whole vault
        #[arg(long)]
        folder: Option<String>,
        /// For how many minutes
        #[arg(long, default_value_t = 60)]
        minutes: u32,
    },
    /// List what is allowed for a while
    Allowed {
        #[command(flatten)]
        shared: Shared,
    },
    /// End something that is allowed for a while
    Revoke {
        id: String,
        #[command(flatten)]
        shared: Shared,
    },
}

#[derive(Args)]
struct One {
    /// The request, or as much of its beginning as is needed to know it
    id: String,
    #[command(flatten)]
    shared: Shared,
}

impl Approve {
    pub(super) fn run(self) -> anyhow::Result<()> {
        match self.action {
            None => list(&self.shared),
            Some(Action::Show(one)) => one.with(|pending| say(&described(pending)), async |_, _| Ok(())),
            Some(Action::Yes(one)) => one.yes(),
            Some(Action::No(one)) => one.no(),
            Some(Action::Allow { one, folder, minutes }) => one.allow(folder, minutes),
            Some(Action::Allowed { shared }) => allowed(&shared),
            Some(Action::Revoke { id, shared }) => revoke(&id, &shared),
        }
    }
}

impl One {
    /// Finds the request, shows it, and does something about it.
    fn with<T>(
        &self,
        show: impl FnOnce(&Pending) -> anyhow::Result<()>,
        work: impl AsyncFnOnce(&State, &Pending) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        with_state(&self.shared, |state| async move {
            let pending = find(&state, &self.id).await?;
            show(&pending)?;
            work(&state, &pending).await
        })
    }

    fn yes(&self) -> anyhow::Result<()> {
        let token = random::hex(16);
        self.with(|_| Ok(()), async |state, pending| approve(state, pending, &token).await)?;
        say(&format!("agreed; the agent may now repeat its call (or send the token {token} with it, within five minutes)"))
    }

    fn no(&self) -> anyhow::Result<()> {
        let denied = self.with(|_| Ok(()), async |state, pending| Ok(state.deny(&pending.id, &by(), now()).await?))?;
        if !denied {
            bail!("somebody decided about it before");
        }
        say("refused")
    }

    fn allow(&self, folder: Option<String>, minutes: u32) -> anyhow::Result<()> {
        let token = random::hex(16);
        let allowance = self.with(
            |_| Ok(()),
            async |state, pending| {
                let allowance = Allowance {
                    id: random::hex(8),
                    vault: pending.vault.clone(),
                    tool: pending.tool.clone(),
                    folder: folder.unwrap_or_else(|| common_folder(&pending.paths)),
                    caller: Some(pending.caller.clone()),
                    by: by(),
                    created: now(),
                    expires: now() + i64::from(minutes) * 60,
                };
                state.allow(&allowance).await?;
                approve(state, pending, &token).await?;
                Ok(allowance)
            },
        )?;
        let place = if allowance.folder.is_empty() { "the whole vault".to_owned() } else { allowance.folder };
        say(&format!("agreed; {} is allowed in {place} for {minutes} minutes", allowance.tool))
    }
}

fn list(shared: &Shared) -> anyhow::Result<()> {
    let pending = with_state(shared, |state| async move { Ok(state.list_pending(now()).await?) })?;
    if pending.is_empty() {
        return say("nobody asks for anything");
    }
    let row = |pending: &Pending| {
        let paths = match &pending.paths[..] {
            [] => String::new(),
            [only] => only.clone(),
            [first, rest @ ..] => format!("{first} and {} more", rest.len()),
        };
        vec![
            pending.id[..8.min(pending.id.len())].to_owned(),
            pending.tool.clone(),
            harmless(&paths),
            harmless(&pending.caller),
            time(Some(pending.created)),
        ]
    };
    table(&["request", "tool", "files", "caller", "since"], &pending.iter().map(row).collect::<Vec<_>>())
}

async fn find(state: &State, id: &str) -> anyhow::Result<Pending> {
    let mut fitting: Vec<Pending> = state.list_pending(now()).await?;
    fitting.retain(|pending| pending.id.starts_with(id));
    match fitting.len() {
        0 => bail!("no request {id:?} waits for an answer; `quillgate approve` lists those that do"),
        1 => fitting.pop().context("one is there"),
        many => bail!("{many} requests begin with {id:?}; give more of it"),
    }
}

async fn approve(state: &State, pending: &Pending, token: &str) -> anyhow::Result<()> {
    let until = now() + 300;
    let token = SecretHash::of(token);
    if !state.approve(&pending.id, &pending.proposal_hash, &token, &by(), now(), until).await? {
        bail!("the request has changed or was decided about meanwhile; look at it again");
    }
    Ok(())
}

/// What the human agrees to: who asks, why it needs an agreement, and the diff.
fn described(pending: &Pending) -> String {
    let proposal: Value = serde_json::from_str(&pending.proposal).unwrap_or_default();
    let mut text = format!("{} in {}, asked by {}\n", pending.tool, pending.vault, harmless(&pending.caller));
    for reason in proposal["reasons"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        text.push_str(&format!("because {reason}\n"));
    }
    for file in proposal["files"].as_array().into_iter().flatten() {
        let word = |name: &str| file[name].as_str().unwrap_or_default();
        let to = file["to"].as_str().map(|to| format!(" to {to}")).unwrap_or_default();
        text.push_str(&format!("\n{} {}{to}\n{}", word("change"), word("path"), word("diff")));
    }
    if let Some(more) = proposal["more_files"].as_u64() {
        text.push_str(&format!("\n… and {more} more files\n"));
    }
    if let Some(arguments) = proposal.get("arguments") {
        text.push_str(&format!("\n{arguments:#}\n"));
    }
    visible(text.trim_end())
}

/// The deepest folder that holds all of the paths.
fn common_folder(paths: &[String]) -> String {
    let mut folders = paths.iter().map(|path| path.rsplit_once('/').map_or("", |(folder, _)| folder));
    let first = folders.next().unwrap_or_default().to_owned();
    folders.fold(first, |common, folder| {
        let same = common.split('/').zip(folder.split('/')).take_while(|(a, b)| a == b).map(|(a, _)| a);
        same.collect::<Vec<_>>().join("/")
    })
}

fn allowed(shared: &Shared) -> anyhow::Result<()> {
    let allowed = with_state(shared, |state| async move { Ok(state.allowances(now()).await?) })?;
    let row = |allowance: &Allowance| {
        let folder = if allowance.folder.is_empty() { "(all)".to_owned() } else { allowance.folder.clone() };
        let caller = allowance.caller.as_deref().map_or_else(|| "anybody".to_owned(), harmless);
        vec![allowance.id.clone(), allowance.tool.clone(), folder, caller, time(Some(allowance.expires))]
    };
    table(&["id", "tool", "folder", "caller", "until"], &allowed.iter().map(row).collect::<Vec<_>>())
}

fn revoke(id: &str, shared: &Shared) -> anyhow::Result<()> {
    let revoked = with_state(shared, |state| async move { Ok(state.revoke_allowance(id).await?) })?;
    if !revoked {
        bail!("nothing of the id {id:?} is allowed; `quillgate approve allowed` lists what is");
    }
    say("not allowed any more")
}

fn by() -> String {
    "the command line".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_several_files_is_the_one_that_holds_them_all() {
        let common = |paths: &[&str]| common_folder(&paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>());
        assert_eq!(common(&["a/b/c.md"]), "a/b");
        assert_eq!(common(&["a/b/c.md", "a/b/d/e.md", "a/bx/f.md"]), "a");
        assert_eq!(common(&["a/c.md", "c.md"]), "");
        assert_eq!(common(&[]), "");
    }
}
