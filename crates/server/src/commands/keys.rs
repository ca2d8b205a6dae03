//! Looking after static keys, for agents that cannot open a browser.

use anyhow::bail;
use clap::{Args, Subcommand};
use quillgate_oauth::{Scopes, new_key};
use quillgate_state::{Key, SecretHash};
use secrecy::ExposeSecret;

use super::remembered::{now, table, time, with_state};
use super::{Shared, say};

#[derive(Args)]
pub(super) struct Keys {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Show the keys, beside those of the configuration
    List {
        #[command(flatten)]
        shared: Shared,
    },
    /// Make a key and show it once; the server must accept keys (auth.mode)
    Add {
        /// What it is for, for logs and lists
        name: String,
        /// What it may do, such as read:notes; repeat for more
        #[arg(long = "scope", value_name = "SCOPE", default_values_t = ["read:notes".to_owned()])]
        scopes: Vec<String>,
        /// The only vault it may use
        #[arg(long, value_name = "ID")]
        vault: Option<String>,
        /// Ends after so many days
        #[arg(long, value_name = "DAYS")]
        days: Option<u32>,
        #[command(flatten)]
        shared: Shared,
    },
    /// Make a key and show it with the line for the configuration file; nothing is stored
    New,
    /// End a key
    Revoke {
        /// As `keys list` shows it
        name: String,
        #[command(flatten)]
        shared: Shared,
    },
}

impl Keys {
    pub(super) fn run(self) -> anyhow::Result<()> {
        match self.action {
            Action::List { shared } => list(&shared),
            Action::Add { name, scopes, vault, days, shared } => add(&name, &scopes, vault, days, &shared),
            Action::New => {
                let key = new_key();
                let hash = SecretHash::of(key.expose_secret());
                say(&format!(
                    "{}\n{{\"name\": \"agent\", \"hash\": \"{}\", \"scopes\": [\"read:notes\"]}}",
                    key.expose_secret(),
                    hash.as_str()
                ))
            }
            Action::Revoke { name, shared } => revoke(&name, &shared),
        }
    }
}

fn list(shared: &Shared) -> anyhow::Result<()> {
    let keys = with_state(shared, |state| async move { Ok(state.keys().await?) })?;
    let rows: Vec<_> = keys
        .into_iter()
        .map(|key| {
            vec![
                key.name,
                key.scopes,
                key.vault.unwrap_or_default(),
                time(Some(key.created)),
                time(key.last_used),
                time(key.expires),
            ]
        })
        .collect();
    table(&["key", "scopes", "vault", "since", "last used", "ends"], &rows)
}

fn add(name: &str, scopes: &[String], vault: Option<String>, days: Option<u32>, shared: &Shared) -> anyhow::Result<()> {
    let secret = new_key();
    let key = Key {
        hash: SecretHash::of(secret.expose_secret()),
        name: name.to_owned(),
        scopes: Scopes::parse(&scopes.join(" "))?.to_string(),
        vault,
        created: now(),
        expires: days.map(|days| now() + i64::from(days) * 86_400),
        last_used: None,
    };
    with_state(shared, |state| async move {
        if state.keys().await?.iter().any(|known| known.name == key.name) {
            bail!("there is a key {:?} already; revoke it first, or choose another name", key.name);
        }
        Ok(state.add_key(&key).await?)
    })?;
    say(secret.expose_secret())
}

fn revoke(name: &str, shared: &Shared) -> anyhow::Result<()> {
    if !with_state(shared, |state| async move { Ok(state.remove_key(name).await?) })? {
        bail!("no key {name:?} here; keys of the configuration are removed there");
    }
    say(&format!("the key {name} is gone; a running server notices within two seconds"))
}
