//! Turning a password into a hash.

use std::io::{self, IsTerminal};

use anyhow::{Context, bail};

use super::say;

/// bcrypt's cost: about a third of a second on today's machines.
const COST: u32 = 12;
/// bcrypt looks at no more than this.
const LONGEST: usize = 72;

/// Asks without echo on a terminal, reads one line otherwise.
pub(super) fn run() -> anyhow::Result<()> {
    let password = if io::stdin().is_terminal() { ask()? } else { read_line()? };
    if password.is_empty() {
        bail!("the password is empty");
    }
    if password.len() > LONGEST {
        bail!("the password has {} bytes; bcrypt takes at most {LONGEST}", password.len());
    }
    let hash = bcrypt::hash(&password, COST).context("the password cannot be hashed")?;
    say(&hash)
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
