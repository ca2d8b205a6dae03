//! Every environment variable that is read, declared once. Flags win over them, and an empty one counts as unset.

use std::ffi::OsString;
use std::path::PathBuf;

pub(crate) const VAULT_PATH: &str = "VAULT_PATH";
pub(crate) const DEFAULT_VAULT: &str = "QUILLGATE_DEFAULT_VAULT";
/// The same, for those who come from another server.
pub(crate) const OBSIDIAN_TC_DEFAULT_VAULT: &str = "OBSIDIAN_TC_DEFAULT_VAULT";
pub(crate) const LISTEN_ADDR: &str = "LISTEN_ADDR";
pub(crate) const PORT: &str = "PORT";
pub(crate) const SERVER_URL: &str = "SERVER_URL";
pub(crate) const AUTH_USERS: &str = "AUTH_USERS";
pub(crate) const LOG_LEVEL: &str = "LOG_LEVEL";
pub(crate) const STATE: &str = "QUILLGATE_STATE";
pub(crate) const DATA_DIR: &str = "QUILLGATE_DATA_DIR";
pub(crate) const CONFIG: &str = "QUILLGATE_CONFIG";

pub(crate) fn text(name: &str) -> Option<String> {
    given(name).and_then(|value| value.into_string().ok())
}

pub(crate) fn path(name: &str) -> Option<PathBuf> {
    given(name).map(PathBuf::from)
}

/// Compose files and service units often set a variable to nothing.
fn given(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// A setting of the command line or else of the environment, and which of them it is.
pub(crate) fn flag_or_variable<T: Clone>(
    (flag, name): (&Option<T>, &str),
    variables: &[&str],
    read: fn(&str) -> Option<T>,
) -> Option<(T, String)> {
    let of_flag = || Some((flag.clone()?, format!("flag {name}")));
    let of_variable = || variables.iter().find_map(|variable| Some((read(variable)?, format!("environment {variable}"))));
    of_flag().or_else(of_variable)
}
