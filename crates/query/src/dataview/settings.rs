//! The plugin's settings of a vault, as far as they say what is a query and how values are shown.

use std::sync::Arc;

use serde_json::Value;

/// The name of the plugin's folder, with its settings in `data.json`.
pub const PLUGIN: &str = "dataview";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    pub null: Arc<str>,
    /// In Luxon's tokens.
    pub date_format: Arc<str>,
    pub date_time_format: Arc<str>,
    /// The heading of the column with the files.
    pub file_column: Arc<str>,
    /// What inline code that is an expression begins with; nothing if there are no such.
    pub inline_prefix: Option<Arc<str>>,
    /// The same for scripts.
    pub script_prefix: Option<Arc<str>>,
    /// The language of code blocks that are scripts.
    pub script_language: Arc<str>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            null: "\\-".into(),
            date_format: "MMMM dd, yyyy".into(),
            date_time_format: "h:mm a - MMMM dd, yyyy".into(),
            file_column: "File".into(),
            inline_prefix: Some("=".into()),
            script_prefix: Some("$=".into()),
            script_language: "dataviewjs".into(),
        }
    }
}

impl Settings {
    /// From the settings file. They say nothing about what a query finds, so a key that cannot be meant has its default.
    pub fn from_json(data: &Value) -> Settings {
        let text = |key: &str| data.get(key).and_then(Value::as_str).map(Arc::<str>::from);
        let filled = |key: &str, default: Arc<str>| text(key).filter(|text| !text.trim().is_empty()).unwrap_or(default);
        let prefix = |key: &str, default: Option<Arc<str>>| match text(key) {
            Some(prefix) => Some(prefix).filter(|prefix| !prefix.trim().is_empty()),
            None => default,
        };
        let defaults = Settings::default();
        let has_inline = data.get("enableInlineDataview").and_then(Value::as_bool).unwrap_or(true);
        Settings {
            null: text("renderNullAs").unwrap_or(defaults.null),
            date_format: filled("defaultDateFormat", defaults.date_format),
            date_time_format: filled("defaultDateTimeFormat", defaults.date_time_format),
            file_column: filled("tableIdColumnName", defaults.file_column),
            inline_prefix: prefix("inlineQueryPrefix", defaults.inline_prefix).filter(|_| has_inline),
            script_prefix: prefix("inlineJsQueryPrefix", defaults.script_prefix),
            script_language: filled("dataviewJsKeyword", defaults.script_language),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_not_said_or_cannot_be_meant_is_as_the_plugin_has_it() {
        assert_eq!(Settings::from_json(&json!({})), Settings::default());
        assert_eq!(Settings::from_json(&json!([])), Settings::default());
        assert_eq!(Settings::from_json(&json!({"defaultDateFormat": 5, "tableIdColumnName": " "})), Settings::default());
    }

    #[test]
    fn keys_of_the_plugin_are_understood() {
        let settings = Settings::from_json(&json!({
            "renderNullAs": "", "defaultDateFormat": "yyyy", "tableIdColumnName": "Note", "inlineQueryPrefix": "dv:",
            "inlineJsQueryPrefix": "", "dataviewJsKeyword": "js-view",
        }));
        assert_eq!((&*settings.null, &*settings.date_format, &*settings.file_column), ("", "yyyy", "Note"));
        assert_eq!((settings.inline_prefix.as_deref(), settings.script_prefix.as_deref()), (Some("dv:"), None));
        assert_eq!(&*settings.script_language, "js-view");
        assert_eq!(Settings::from_json(&json!({"enableInlineDataview": false})).inline_prefix, None);
    }
}
