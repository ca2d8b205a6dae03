//! The app's own command line program.

use std::path::Path;
use std::time::Duration;

use crate::program::{ProgramError, run_program};

#[derive(Debug, thiserror::Error)]
pub enum ObsidianError {
    #[error(
        "Obsidian is not running, or its command line program is not installed; start the app, enable its command line interface, and try again"
    )]
    NotRunning,
    #[error("Obsidian refused: {0}")]
    Refused(String),
    #[error(transparent)]
    Program(#[from] ProgramError),
}

/// Asks the running app to show a note. The folder tells the program which vault is meant.
pub fn open_in_app(
    program: &str,
    vault: &Path,
    path: &str,
    limit: Duration,
    go_on: impl Fn() -> bool,
) -> Result<(), ObsidianError> {
    let command = [program.to_owned(), "open".to_owned(), format!("path={path}")];
    let finished = match run_program(&command, vault, limit, |_| go_on()) {
        Err(ProgramError::Missing { .. }) => return Err(ObsidianError::NotRunning),
        other => other?,
    };
    // It prints its errors and exits with 0, so the text decides.
    let complaint = finished.tail.lines().find(|line| line.to_ascii_lowercase().contains("error:"));
    match complaint {
        Some(line) if line.to_ascii_lowercase().contains("not running") => Err(ObsidianError::NotRunning),
        Some(line) => Err(ObsidianError::Refused(line.trim().to_owned())),
        None if !finished.status.success() && finished.tail.trim().is_empty() => Err(ObsidianError::NotRunning),
        None if !finished.status.success() => Err(ObsidianError::Refused(finished.tail.trim().to_owned())),
        None => Ok(()),
    }
}
