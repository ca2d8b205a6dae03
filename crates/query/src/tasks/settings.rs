//! The plugin's settings of a vault, as far as they say what a task is and what changes when one is done.

use std::collections::BTreeMap;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde_json::{Map, Value};
use thiserror::Error;

use super::day::Day;
use super::status::Statuses;
use super::task::Task;
use crate::moment::{self, Locale};

/// The name of the plugin's folder, with its settings in `data.json`.
pub const PLUGIN: &str = "obsidian-tasks-plugin";

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct SettingsError(String);

impl SettingsError {
    pub(super) fn wrong(key: &str, wanted: &str) -> SettingsError {
        SettingsError(format!("{key} must be {wanted}"))
    }
}

/// How the fields of a task are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum TaskFormat {
    /// `📅 2024-01-05`
    #[default]
    Emoji,
    /// `[due:: 2024-01-05]`
    Dataview,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Text that a task's line must contain; empty for none.
    pub global_filter: Box<str>,
    pub remove_global_filter: bool,
    pub global_query: Box<str>,
    pub presets: BTreeMap<String, String>,
    pub format: TaskFormat,
    pub set_created_date: bool,
    pub set_done_date: bool,
    pub set_cancelled_date: bool,
    pub recurrence_on_next_line: bool,
    pub remove_scheduled_date_on_recurrence: bool,
    pub filename_as_scheduled_date: bool,
    /// Only notes in these folders; empty for all.
    pub filename_date_folders: Vec<String>,
    /// A moment format that the plugin tries before YYYY-MM-DD; empty for none.
    pub filename_date_format: Box<str>,
    pub statuses: Statuses,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            global_filter: "".into(),
            remove_global_filter: false,
            global_query: "".into(),
            presets: default_presets(),
            format: TaskFormat::Emoji,
            set_created_date: false,
            set_done_date: true,
            set_cancelled_date: true,
            recurrence_on_next_line: false,
            remove_scheduled_date_on_recurrence: false,
            filename_as_scheduled_date: false,
            filename_date_folders: Vec::new(),
            filename_date_format: "".into(),
            statuses: Statuses::default(),
        }
    }
}

impl Settings {
    /// From the settings file. Keys that are absent have the plugin's defaults; others are of no concern here.
    pub fn from_json(value: &Value) -> Result<Settings, SettingsError> {
        let Value::Object(keys) = value else { return Err(SettingsError("it is not an object".into())) };
        let defaults = Settings::default();
        let keys = Keys(keys);
        Ok(Settings {
            global_filter: keys.text("globalFilter")?.trim().into(),
            remove_global_filter: keys.flag("removeGlobalFilter", false)?,
            global_query: keys.text("globalQuery")?.into(),
            presets: keys.texts("presets")?.unwrap_or(defaults.presets),
            format: match keys.text("taskFormat")? {
                "" | "tasksPluginEmoji" => TaskFormat::Emoji,
                "dataview" => TaskFormat::Dataview,
                other => return Err(SettingsError(format!("taskFormat is {other:?}; known are tasksPluginEmoji and dataview"))),
            },
            set_created_date: keys.flag("setCreatedDate", false)?,
            set_done_date: keys.flag("setDoneDate", true)?,
            set_cancelled_date: keys.flag("setCancelledDate", true)?,
            recurrence_on_next_line: keys.flag("recurrenceOnNextLine", false)?,
            remove_scheduled_date_on_recurrence: keys.flag("removeScheduledDateOnRecurrence", false)?,
            filename_as_scheduled_date: keys.flag("useFilenameAsScheduledDate", false)?,
            filename_date_folders: keys.list("filenameAsDateFolders")?,
            filename_date_format: keys.text("filenameAsScheduledDateFormat")?.into(),
            statuses: match keys.0.get("statusSettings") {
                None | Some(Value::Null) => defaults.statuses,
                Some(settings) if settings.is_object() => Statuses::from_settings(settings)?,
                Some(_) => return Err(SettingsError::wrong("statusSettings", "an object")),
            },
        })
    }

    /// Whether a line with a box has what the vault's tasks must have. Others are plain check lists.
    pub fn is_task(&self, task: &Task) -> bool {
        let filter = &*self.global_filter;
        filter.is_empty()
            || task.description.contains(filter)
            || (!filter.starts_with('#') && task.write(self.format).contains(filter))
    }

    /// What a note's name says about when its undated tasks are scheduled. `today` gives what a format of names leaves out.
    pub fn date_of_name(&self, path: &str, today: Date) -> Option<Day> {
        if !self.filename_as_scheduled_date {
            return None;
        }
        let within = |folder: &String| path.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'));
        if !self.filename_date_folders.is_empty() && !self.filename_date_folders.iter().any(within) {
            return None;
        }
        let name = path.rsplit('/').next().unwrap_or(path);
        let name = name.rsplit_once('.').map_or(name, |(name, _)| name);
        if !self.filename_date_format.is_empty() {
            let now = today.to_zoned(TimeZone::UTC).ok()?;
            if let Some(found) = moment::parse_strict(name, &self.filename_date_format, Locale::english(), &now) {
                return Some(Day::of(found.date()));
            }
        }
        day_in(name, true).or_else(|| day_in(name, false)).filter(|day| day.is_valid())
    }
}

/// The first `YYYY-MM-DD` in a text, or `YYYYMMDD`.
fn day_in(text: &str, dashes: bool) -> Option<Day> {
    let length = if dashes { 10 } else { 8 };
    text.as_bytes().windows(length).find_map(|window| {
        let window = std::str::from_utf8(window).ok()?;
        if dashes {
            return Day::read(window);
        }
        window
            .bytes()
            .all(|byte| byte.is_ascii_digit())
            .then(|| Day::read(&format!("{}-{}-{}", &window[..4], &window[4..6], &window[6..])))?
    })
}

struct Keys<'a>(&'a Map<String, Value>);

impl<'a> Keys<'a> {
    fn text(&self, key: &str) -> Result<&'a str, SettingsError> {
        match self.0.get(key) {
            None | Some(Value::Null) => Ok(""),
            Some(Value::String(text)) => Ok(text),
            Some(_) => Err(SettingsError::wrong(key, "a text")),
        }
    }

    fn flag(&self, key: &str, default: bool) -> Result<bool, SettingsError> {
        match self.0.get(key) {
            None | Some(Value::Null) => Ok(default),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(SettingsError::wrong(key, "true or false")),
        }
    }

    fn list(&self, key: &str) -> Result<Vec<String>, SettingsError> {
        let wrong = || SettingsError::wrong(key, "a list of texts");
        match self.0.get(key) {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Array(items)) => items.iter().map(|item| item.as_str().map(str::to_owned).ok_or_else(wrong)).collect(),
            Some(_) => Err(wrong()),
        }
    }

    fn texts(&self, key: &str) -> Result<Option<BTreeMap<String, String>>, SettingsError> {
        let wrong = || SettingsError::wrong(key, "an object of texts");
        match self.0.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Object(items)) => {
                let text = |(name, item): (&String, &Value)| Some((name.clone(), item.as_str()?.to_owned()));
                items.iter().map(|item| text(item).ok_or_else(wrong)).collect::<Result<_, _>>().map(Some)
            }
            Some(_) => Err(wrong()),
        }
    }
}

/// Those that the plugin begins with.
fn default_presets() -> BTreeMap<String, String> {
    let hide = |elements: &[&str]| elements.iter().map(|element| format!("hide {element}")).collect::<Vec<_>>().join("\n");
    let presets = [
        ("this_file", "path includes {{query.file.path}}".to_owned()),
        ("this_folder", "folder includes {{query.file.folder}}".to_owned()),
        ("this_folder_only", "filter by function task.file.folder === query.file.folder".to_owned()),
        ("this_root", "root includes {{query.file.root}}".to_owned()),
        ("hide_date_fields", hide(&["due date", "scheduled date", "start date", "created date", "done date", "cancelled date"])),
        ("hide_non_date_fields", hide(&["id", "depends on", "recurrence rule", "on completion", "priority"])),
        ("hide_query_elements", hide(&["postpone button", "edit button", "backlinks"])),
        ("hide_everything", "preset hide_date_fields\npreset hide_non_date_fields\npreset hide_query_elements".to_owned()),
    ];
    presets.into_iter().map(|(name, text)| (name.to_owned(), text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::StatusType;

    fn read(json: &str) -> Result<Settings, SettingsError> {
        Settings::from_json(&serde_json::from_str(json).unwrap())
    }

    #[test]
    fn absent_settings_are_the_plugins_defaults() {
        assert_eq!(read("{}").unwrap(), Settings::default());
        assert_eq!(read(r#"{"unknown": [1], "globalFilter": null}"#).unwrap(), Settings::default());
    }

    #[test]
    fn custom_statuses_come_after_the_core_ones_and_cannot_replace_them() {
        let settings = read(
            r##"{"globalFilter": "#task", "taskFormat": "dataview", "statusSettings": {
                "coreStatuses": [{"symbol": " ", "name": "Open", "nextStatusSymbol": "!", "type": "TODO"},
                                 {"symbol": "x", "name": "Done", "nextStatusSymbol": "-", "type": "DONE"}],
                "customStatuses": [{"symbol": "!", "name": "Now", "nextStatusSymbol": "x", "type": "IN_PROGRESS"},
                                   {"symbol": "x", "name": "Other", "nextStatusSymbol": "x", "type": "TODO"},
                                   {"symbol": "-", "name": "No", "nextStatusSymbol": "x", "type": "CANCELLED"},
                                   {"symbol": "", "name": "", "nextStatusSymbol": "", "type": "TODO"}]}}"##,
        )
        .unwrap();
        assert_eq!(&*settings.global_filter, "#task");
        assert_eq!(settings.format, TaskFormat::Dataview);
        let statuses = settings.statuses;
        assert_eq!(statuses.all().len(), 4);
        assert_eq!(statuses.kind('x'), StatusType::Done);
        assert_eq!(&*statuses.of('!').name, "Now");
        assert_eq!(&*statuses.of('?').name, "Unknown");
        assert_eq!(statuses.of('X').kind, StatusType::Done);
        assert_eq!(statuses.find_symbol(StatusType::InProgress), Some('!'));
        assert_eq!(statuses.find_symbol(StatusType::OnHold), None);
        assert_eq!(statuses.after_recurrence('x'), ' ', "round in circles: the usual one");
    }

    #[test]
    fn what_is_no_settings_file_says_so() {
        for (json, says) in [
            ("[]", "not an object"),
            (r#"{"globalFilter": 1}"#, "globalFilter must be a text"),
            (r#"{"setDoneDate": "yes"}"#, "setDoneDate must be true or false"),
            (r#"{"taskFormat": "org"}"#, "tasksPluginEmoji and dataview"),
            (r#"{"statusSettings": {"customStatuses": [{"symbol": 1}]}}"#, "customStatuses[0].symbol must be a text"),
            (r#"{"presets": {"a": 1}}"#, "presets must be an object of texts"),
        ] {
            let error = read(json).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }

    #[test]
    fn a_name_schedules_only_where_that_is_wanted() {
        let date_of = |settings: &Settings, path: &str| settings.date_of_name(path, jiff::civil::date(2024, 5, 15));
        let mut settings = Settings::default();
        assert_eq!(date_of(&settings, "Daily/2024-03-05.md"), None);
        settings.filename_as_scheduled_date = true;
        assert_eq!(date_of(&settings, "Daily/2024-03-05 Tuesday.md"), Day::read("2024-03-05"));
        assert_eq!(date_of(&settings, "20240305.md"), Day::read("2024-03-05"));
        assert_eq!(date_of(&settings, "2024-02-30.md"), None);
        settings.filename_date_format = "DD.MM.YYYY".into();
        assert_eq!(date_of(&settings, "05.03.2024.md"), Day::read("2024-03-05"));
        assert_eq!(date_of(&settings, "2024-03-06.md"), Day::read("2024-03-06"));
        settings.filename_date_folders = vec!["Daily".into()];
        assert_eq!(date_of(&settings, "Dailyish/2024-03-05.md"), None);
        assert_eq!(date_of(&settings, "Daily/a/2024-03-05.md"), Day::read("2024-03-05"));
    }
}
