//! Looking after the clients that registered themselves.

use anyhow::bail;
use clap::{Args, Subcommand};
use quillgate_state::Client;
use serde_json::Value;

use super::remembered::{harmless, now, table, time, with_state};
use super::{Shared, say};

#[derive(Args)]
pub(super) struct Clients {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Show the clients that registered themselves
    List {
        /// Those that were never used, too
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        shared: Shared,
    },
    /// Remove a client, which ends its access for all users
    Revoke {
        /// As `clients list` shows it
        id: String,
        #[command(flatten)]
        shared: Shared,
    },
}

impl Clients {
    pub(super) fn run(self) -> anyhow::Result<()> {
        match self.action {
            Action::List { all, shared } => list(all, &shared),
            Action::Revoke { id, shared } => revoke(&id, &shared),
        }
    }
}

fn list(all: bool, shared: &Shared) -> anyhow::Result<()> {
    let clients = with_state(shared, |state| async move { Ok(state.clients().await?) })?;
    let shown = clients.into_iter().filter(|client| all || client.used.is_some());
    let rows: Vec<_> = shown
        .map(|client| vec![client.id.clone(), harmless(&name(&client)), time(Some(client.created)), time(client.used)])
        .collect();
    table(&["client", "name", "registered", "last login"], &rows)
}

fn name(client: &Client) -> String {
    let metadata: Value = serde_json::from_str(&client.metadata).unwrap_or_default();
    metadata["client_name"].as_str().unwrap_or_default().to_owned()
}

fn revoke(id: &str, shared: &Shared) -> anyhow::Result<()> {
    let (removed, ended) = with_state(shared, |state| async move {
        let ended = state.end_grants_of_client(id, now()).await?;
        state.forget_consents(None, Some(id)).await?;
        Ok((state.remove_client(id).await?, ended))
    })?;
    if !removed && ended == 0 {
        bail!("no client {id:?} here; `quillgate clients list --all` shows them");
    }
    say(&format!("{id} is removed; {ended} logins have ended"))
}
