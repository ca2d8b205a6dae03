//! Speaks to other programs: the app's command line and the operator's sync command.

mod obsidian;
mod program;

pub use obsidian::{ObsidianError, open_in_app};
pub use program::{Finished, ProgramError, run_program};
