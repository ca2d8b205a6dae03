//! Looking at the configuration: what it is, whether it is right, and what its keys mean.

mod effective;
mod explain;
mod show;
mod validate;

use clap::{Args, Subcommand};

#[derive(Args)]
pub(super) struct Configuration {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Print the configuration that counts, after file, environment and flags; secrets are hidden
    Show(show::Show),
    /// Name everything that is wrong, with file, line and column; the exit code says whether something is
    Validate(validate::Validate),
    /// Explain a key, or list all
    Explain(explain::Explain),
}

impl Configuration {
    pub(super) fn run(self) -> anyhow::Result<()> {
        match self.action {
            Action::Show(show) => show.run(),
            Action::Validate(validate) => validate.run(),
            Action::Explain(explain) => explain.run(),
        }
    }
}
