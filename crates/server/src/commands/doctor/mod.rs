//! Says what is wrong with a running server, and what to do about it.

mod login_check;
mod web;

use std::io::{self, IsTerminal};

use anyhow::{Context, bail};
use clap::Args;
use secrecy::SecretString;

use super::{hash_password, say};
use crate::environment;
use login_check::LoginCheck;

#[derive(Args)]
pub(super) struct Doctor {
    /// Go the whole way of a remote client: discovery, registration, login, tokens, a call, and back
    #[arg(long)]
    oauth: bool,
    /// The server's public URL [environment: SERVER_URL] [default: http://127.0.0.1:8090]
    #[arg(long, value_name = "URL")]
    server_url: Option<String>,
    /// Log in as this user; the password is asked for, or read from standard input. Without a user the check ends at the login page
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
}

impl Doctor {
    pub(super) fn run(self) -> anyhow::Result<()> {
        if !self.oauth {
            bail!("say what to look at: quillgate doctor --oauth --server-url https://vault.example.com");
        }
        let url = self.server_url.or_else(|| environment::text(environment::SERVER_URL));
        let url = url.unwrap_or_else(|| "http://127.0.0.1:8090".to_owned());
        let account = self.user.map(|name| anyhow::Ok((name, SecretString::from(password()?)))).transpose()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let outcome = runtime.block_on(LoginCheck::new(url.trim_end_matches('/'), account)?.run());
        outcome.context("stopped here")
    }
}

fn password() -> anyhow::Result<String> {
    if io::stdin().is_terminal() {
        return Ok(rpassword::prompt_password("Password: ")?);
    }
    hash_password::read_password()
}

/// One step that went well.
fn report(what: &str, detail: &str) -> anyhow::Result<()> {
    say(format!("ok  {what:<34} {detail}").trim_end())
}
