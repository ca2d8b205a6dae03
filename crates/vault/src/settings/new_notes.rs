//! Where new notes of a kind go, what they are called and which template they start from.

use cap_std::fs::Dir;
use serde_json::{Map, Value};

use super::files::{read_object, text, wrong};
use super::plugins::community_plugins;
use crate::VaultError;

const DAILY: &[&str] = &["daily-notes.json"];
const TEMPLATES: &[&str] = &["templates.json"];
const PERIODIC: &[&str] = &["plugins", "periodic-notes", "data.json"];
const TEMPLATER: &[&str] = &["plugins", "templater-obsidian", "data.json"];

/// A span of time that notes are kept for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Period {
    Daily,
    Weekly,
    Monthly,
    Quarterly,
    Yearly,
}

/// How notes of a kind are made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewNotes {
    /// Empty for the vault itself.
    pub folder: String,
    /// In moment's tokens; may have `/` in it.
    pub format: String,
    /// As it is stored: mostly without `.md`.
    pub template: Option<String>,
}

/// The settings of the Templates plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateSettings {
    /// Folders with templates: that of the core plugin, that of Templater.
    pub folders: Vec<String>,
    pub date_format: String,
    pub time_format: String,
}

impl Period {
    pub fn default_format(self) -> &'static str {
        match self {
            Period::Daily => "YYYY-MM-DD",
            Period::Weekly => "gggg-[W]ww",
            Period::Monthly => "YYYY-MM",
            Period::Quarterly => "YYYY-[Q]Q",
            Period::Yearly => "YYYY",
        }
    }

    /// What the released plugin and its successor call it.
    fn keys(self) -> [&'static str; 2] {
        match self {
            Period::Daily => ["daily", "day"],
            Period::Weekly => ["weekly", "week"],
            Period::Monthly => ["monthly", "month"],
            Period::Quarterly => ["quarterly", "quarter"],
            Period::Yearly => ["yearly", "year"],
        }
    }
}

/// Periodic Notes decides, where it is on; of days otherwise the core plugin.
pub(crate) fn periodic_notes(root: &Dir, period: Period) -> Result<NewNotes, VaultError> {
    let is_on = community_plugins(root)?.is_none_or(|plugins| plugins.iter().any(|id| id == "periodic-notes"));
    let plugin = if is_on { plugin_notes(&read_object(root, PERIODIC)?, period)? } else { None };
    match (plugin, period) {
        (Some((notes, true)), _) => Ok(notes),
        (_, Period::Daily) => new_notes(DAILY, &read_object(root, DAILY)?, "template", period.default_format()),
        (Some((notes, false)), _) => Ok(notes),
        (None, _) => new_notes(PERIODIC, &Map::new(), "template", period.default_format()),
    }
}

pub(crate) fn templates(root: &Dir) -> Result<TemplateSettings, VaultError> {
    let core = read_object(root, TEMPLATES)?;
    let templater = read_object(root, TEMPLATER)?;
    let mut folders: Vec<String> = Vec::new();
    let named = [text(TEMPLATES, &core, "folder")?, text(TEMPLATER, &templater, "templates_folder")?];
    for folder in named.into_iter().flatten() {
        let folder = plain_folder(&folder);
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    Ok(TemplateSettings {
        folders,
        date_format: text(TEMPLATES, &core, "dateFormat")?.unwrap_or_else(|| "YYYY-MM-DD".to_owned()),
        time_format: text(TEMPLATES, &core, "timeFormat")?.unwrap_or_else(|| "HH:mm".to_owned()),
    })
}

/// The plugin's settings for a period, and whether they are on. Version 1 of the plugin has several sets of them, one of which is active.
fn plugin_notes(data: &Map<String, Value>, period: Period) -> Result<Option<(NewNotes, bool)>, VaultError> {
    let [released, successor] = period.keys();
    let (found, template) = match data.get("calendarSets") {
        None => (data.get(released), "template"),
        Some(Value::Array(sets)) => {
            let active = text(PERIODIC, data, "activeCalendarSet")?;
            let is_active = |set: &&Value| set.get("id").and_then(Value::as_str) == active.as_deref();
            let set = sets.iter().find(is_active).or(sets.first());
            (set.and_then(|set| set.get(successor)), "templatePath")
        }
        Some(_) => return Err(wrong(PERIODIC, "its \"calendarSets\" is not a list")),
    };
    match found {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(settings)) => {
            let is_on = settings.get("enabled").and_then(Value::as_bool).unwrap_or(false);
            Ok(Some((new_notes(PERIODIC, settings, template, period.default_format())?, is_on)))
        }
        Some(_) => Err(wrong(PERIODIC, &format!("its settings of {released} notes are not an object"))),
    }
}

fn new_notes(path: &[&str], settings: &Map<String, Value>, template: &str, format: &str) -> Result<NewNotes, VaultError> {
    Ok(NewNotes {
        folder: text(path, settings, "folder")?.map(|folder| plain_folder(&folder)).unwrap_or_default(),
        format: text(path, settings, "format")?.unwrap_or_else(|| format.to_owned()),
        template: text(path, settings, template)?,
    })
}

/// As the app writes paths: without slashes around it, and no two in a row.
fn plain_folder(folder: &str) -> String {
    folder.split('/').filter(|name| !name.is_empty()).collect::<Vec<_>>().join("/")
}
