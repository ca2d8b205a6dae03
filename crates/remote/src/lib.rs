//! Speaks to other programs: the app's command line, the operator's sync command, and sites that articles and accounts come from.

mod credential;
mod fetch_source;
mod field_path;
mod guarded_get;
mod obsidian;
mod program;
mod setting;
mod source;
mod upstream_account;

pub use credential::CredentialPlace;
pub use fetch_source::{Connector, SourceError};
pub use guarded_get::GetLimits;
pub use obsidian::{ObsidianError, open_in_app};
pub use program::{Finished, ProgramError, run_program};
pub use setting::SettingFault;
pub use source::{Argument, ArgumentKind, Field, Source};
pub use upstream_account::{Account, AccountSettings, UpstreamAccount, UpstreamError};
