//! Logs: to standard error, without the text of notes.

use std::io;

use tracing_subscriber::EnvFilter;

/// The protocol library logs whole messages, and with its warnings the text of errors; both hold what notes say.
const QUIET: &str = "rmcp=error";

pub(crate) fn start(level: &str) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(format!("{level},{QUIET}"))?;
    let ansi = io::IsTerminal::is_terminal(&io::stderr());
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).with_ansi(ansi).with_target(false).init();
    Ok(())
}
