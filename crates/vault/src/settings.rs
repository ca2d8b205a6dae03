//! The vault's own settings, as the app keeps them in `.obsidian/app.json` and the files beside it.

mod files;
pub(crate) mod new_notes;
pub(crate) mod plugins;
#[cfg(test)]
mod tests;

use std::io::{self, Read};

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, OpenOptions};
use serde_json::{Map, Value};

use crate::Stat;
use crate::core::unfollowed;

/// The app's own file has a few kilobytes.
const LONGEST_SETTINGS: u64 = 1 << 20;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TrashOption {
    #[default]
    System,
    Local,
    None,
}

/// How a generated link names its target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinkFormat {
    /// The file name if it is unique in the vault, else the full path.
    #[default]
    Shortest,
    Relative,
    Absolute,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AppSettings {
    pub trash: TrashOption,
    pub link_format: LinkFormat,
    pub use_markdown_links: bool,
    /// The app's excluded files: how paths start, or expressions between slashes.
    pub excluded: Vec<String>,
}

impl AppSettings {
    /// A missing or malformed file means the app's defaults, as in the app.
    pub(crate) fn read(root: &Dir) -> AppSettings {
        let Ok(text) = read_settings(root) else {
            return AppSettings::default();
        };
        match serde_json::from_str::<Map<String, Value>>(text.trim_start_matches('\u{feff}')) {
            Ok(settings) => AppSettings::from_json(&settings),
            Err(error) => {
                tracing::warn!(%error, "app.json cannot be read; using the app's defaults");
                AppSettings::default()
            }
        }
    }

    fn from_json(settings: &Map<String, Value>) -> AppSettings {
        let text = |key: &str| settings.get(key).and_then(Value::as_str);
        AppSettings {
            trash: match text("trashOption") {
                Some("local") => TrashOption::Local,
                Some("none") => TrashOption::None,
                _ => TrashOption::System,
            },
            link_format: match text("newLinkFormat") {
                Some("relative") => LinkFormat::Relative,
                Some("absolute") => LinkFormat::Absolute,
                _ => LinkFormat::Shortest,
            },
            use_markdown_links: settings.get("useMarkdownLinks").and_then(Value::as_bool).unwrap_or(false),
            excluded: settings
                .get("userIgnoreFilters")
                .and_then(Value::as_array)
                .map(|filters| texts(filters))
                .unwrap_or_default(),
        }
    }
}

/// What tells whether the settings have changed; nothing without a file.
pub(crate) fn settings_stat(root: &Dir) -> Option<Stat> {
    let folder = root.open_dir_nofollow(".obsidian").ok()?;
    folder.symlink_metadata("app.json").ok().map(|metadata| Stat::of(&metadata))
}

fn texts(values: &[Value]) -> Vec<String> {
    values.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn read_settings(root: &Dir) -> io::Result<String> {
    let file = root.open_dir_nofollow(".obsidian")?.open_with("app.json", unfollowed(OpenOptions::new().read(true)))?;
    if !file.metadata()?.is_file() {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut text = String::new();
    file.take(LONGEST_SETTINGS).read_to_string(&mut text)?;
    Ok(text)
}
