//! Turning a password into a hash.

use std::io::{self, IsTerminal};

use anyhow::bail;
use quillgate_oauth::hash_password;
use secrecy::SecretString;

use super::say;

/// Prints an argon2id hash.
pub(super) fn run() -> anyhow::Result<()> {
    let password = read_password()?;
    say(&hash_password(&SecretString::from(password))?)
}

/// Asks without echo on a terminal, reads one line otherwise.
pub(super) fn read_password() -> anyhow::Result<String> {
    let password = if io::stdin().is_terminal() { ask()? } else { read_line()? };
    if password.is_empty() {
        bail!("the password is empty");
    }
    Ok(password)
}

fn ask() -> anyhow::Result<String> {
    let password = rpassword::prompt_password("Password: ")?;
    if rpassword::prompt_password("Again: ")? != password {
        bail!("the two entries differ");
    }
    Ok(password)
}

fn read_line() -> anyhow::Result<String> {
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}
