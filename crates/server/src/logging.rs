//! Logs: to standard error, without the text of notes.

use std::io;

use anyhow::bail;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use crate::config::LogFormat;

/// The protocol library logs whole messages, and with its warnings the text of errors; both hold what notes say.
const QUIET: &str = "rmcp=error";

pub(crate) fn start(level: &str, format: LogFormat) -> anyhow::Result<()> {
    let is_filter = level.contains('=');
    if !is_filter && level.parse::<LevelFilter>().is_err() {
        bail!("{level:?} is no log level; give error, warn, info, debug or trace");
    }
    let filter = EnvFilter::try_new(format!("{level},{QUIET}"))?;
    let ansi = io::IsTerminal::is_terminal(&io::stderr());
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).with_target(false);
    match format {
        LogFormat::Text => lines.with_ansi(ansi).init(),
        LogFormat::Json => lines.json().flatten_event(true).with_current_span(false).with_span_list(false).init(),
    }
    // What a panic says can quote a note; where it happened cannot.
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, "a call panicked");
    }));
    Ok(())
}
