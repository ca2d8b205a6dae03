//! Looking after what users have allowed.

use anyhow::bail;
use clap::{Args, Subcommand};

use super::remembered::{harmless, now, table, time, with_state};
use super::{Shared, say};

#[derive(Args)]
pub(super) struct Tokens {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Show who has access now: one line for each login
    List {
        #[command(flatten)]
        shared: Shared,
    },
    /// End access: of one login, of a user, or of everybody
    Revoke {
        /// A login, as `tokens list` shows it
        #[arg(required_unless_present_any = ["user", "all"])]
        login: Option<String>,
        /// Every login of this user
        #[arg(long, value_name = "NAME")]
        user: Option<String>,
        /// Every login
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        shared: Shared,
    },
}

impl Tokens {
    pub(super) fn run(self) -> anyhow::Result<()> {
        match self.action {
            Action::List { shared } => list(&shared),
            Action::Revoke { login, user, all, shared } => revoke(login.as_deref(), user.as_deref(), all, &shared),
        }
    }
}

fn list(shared: &Shared) -> anyhow::Result<()> {
    let rows = with_state(shared, |state| async move {
        let mut rows = Vec::new();
        for grant in state.grants().await?.into_iter().filter(|grant| grant.ended.is_none() && grant.expires > now()) {
            let last_used = state.tokens_of(&grant.id).await?.into_iter().filter_map(|token| token.last_used).max();
            let name = harmless(&grant.client_name);
            let expires = time(Some(grant.expires));
            rows.push(vec![grant.id, harmless(&grant.user), name, grant.scopes, time(last_used), expires]);
        }
        Ok(rows)
    })?;
    table(&["login", "user", "client", "scopes", "last used", "ends"], &rows)
}

fn revoke(login: Option<&str>, user: Option<&str>, all: bool, shared: &Shared) -> anyhow::Result<()> {
    let ended = with_state(shared, |state| async move {
        let mut ended = 0;
        if let Some(login) = login {
            ended += u64::from(state.end_grant(login, now()).await?);
        }
        if let Some(user) = user {
            ended += state.end_grants_of_user(user, now()).await?;
        }
        if all {
            for grant in state.grants().await? {
                ended += u64::from(state.end_grant(&grant.id, now()).await?);
            }
        }
        Ok(ended)
    })?;
    if ended == 0 {
        bail!("nothing was ended; `quillgate tokens list` shows who has access");
    }
    say(&format!("{ended} ended; a running server notices within two seconds"))
}
