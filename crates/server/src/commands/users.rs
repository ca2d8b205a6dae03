//! Looking after the people who may log in.

use std::io::{self, IsTerminal};

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use quillgate_oauth::{hash_password, normal_name};
use quillgate_state::User;
use secrecy::SecretString;

use super::hash_password::read_password;
use super::remembered::{now, table, time, with_state};
use super::{Shared, say};

#[derive(Args)]
pub(super) struct Users {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Show who may log in, beside those of the configuration
    List {
        #[command(flatten)]
        shared: Shared,
    },
    /// Add a user, or give one a new password, which ends their clients' access
    Add {
        /// Name to log in with
        name: String,
        #[command(flatten)]
        shared: Shared,
    },
    /// Remove a user, which ends their clients' access
    Remove {
        name: String,
        #[command(flatten)]
        shared: Shared,
    },
}

impl Users {
    pub(super) fn run(self) -> anyhow::Result<()> {
        match self.action {
            Action::List { shared } => list(&shared),
            Action::Add { name, shared } => add(&name, &shared),
            Action::Remove { name, shared } => remove(&name, &shared),
        }
    }
}

fn list(shared: &Shared) -> anyhow::Result<()> {
    let users = with_state(shared, |state| async move { Ok(state.users().await?) })?;
    let rows: Vec<_> = users.into_iter().map(|user| vec![user.name, time(Some(user.created))]).collect();
    table(&["user", "since"], &rows)
}

fn add(name: &str, shared: &Shared) -> anyhow::Result<()> {
    let name = normal_name(name);
    if name.is_empty() || name.contains([':', ',', '/']) || name.chars().any(char::is_control) || name.len() > 200 {
        bail!("{name:?} is no name to log in with; use letters, digits, dots and dashes");
    }
    if io::stdin().is_terminal() {
        say(&format!("A password for {name}:"))?;
    }
    let password = hash_password(&SecretString::from(read_password()?))?;
    let user = User { name: name.clone(), password, created: now() };
    let ended = with_state(shared, |state| async move {
        state.put_user(&user).await?;
        Ok(state.end_grants_of_user(&user.name, now()).await?)
    })?;
    say(&format!("{name} may log in{}", ending(ended)))
}

fn remove(name: &str, shared: &Shared) -> anyhow::Result<()> {
    let name = normal_name(name);
    let user = name.as_str();
    let ended = with_state(shared, |state| async move {
        let removed = state.remove_user(user).await?;
        let ended = state.end_grants_of_user(user, now()).await?;
        Ok(removed.then_some(ended))
    })?;
    let ended = ended.with_context(|| format!("no user {name:?} here; users of the configuration are removed there"))?;
    say(&format!("{name} may not log in any more{}", ending(ended)))
}

fn ending(ended: u64) -> String {
    match ended {
        0 => String::new(),
        1 => "; the access of 1 client has ended".to_owned(),
        many => format!("; the access of {many} clients has ended"),
    }
}
