//! A template: found, and filled in.

use std::collections::BTreeMap;

use jiff::{Timestamp, Zoned};
use quillgate_markdown::{Frontmatter, Note};
use quillgate_query::moment::Locale;
use quillgate_query::template::{Filled, Scope, Unexpanded, fill};
use quillgate_vault::{NotePath, Stat, VaultError};
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::Context;
use crate::failure::{Failure, Issue};

/// So many commands that were left are told of.
const MOST_UNEXPANDED: usize = 50;

/// A command of the template that was left as it is written.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Left {
    /// Line of the template
    line: usize,
    command: String,
    reason: String,
}

impl Left {
    pub(crate) fn of(unexpanded: Vec<Unexpanded>) -> Vec<Left> {
        let shown = unexpanded.into_iter().take(MOST_UNEXPANDED);
        shown.map(|Unexpanded { line, command, reason }| Left { line, command, reason }).collect()
    }
}

pub(crate) struct Template {
    pub(crate) path: NotePath,
    pub(crate) text: String,
}

/// What a template is filled in for.
pub(crate) struct Target<'a> {
    pub(crate) path: &'a NotePath,
    /// The note as it is, if there is one.
    pub(crate) text: Option<&'a str>,
    pub(crate) stat: Option<&'a Stat>,
    /// The day that it is about; today for most.
    pub(crate) date: &'a Zoned,
    /// How `{{date}}` is written; as the Templates plugin is set by default.
    pub(crate) date_format: Option<&'a str>,
    pub(crate) values: &'a BTreeMap<String, String>,
}

impl Template {
    /// By its path, with or without `.md`, from the vault or from a folder with templates.
    pub(crate) fn find(context: &Context<'_>, name: &str) -> Result<Template, Failure> {
        let settings = context.vault().template_settings()?;
        let folders = settings.folders.iter().map(|folder| format!("{folder}/{name}"));
        let first = NotePath::parse(name)?;
        for path in std::iter::once(name.to_owned()).chain(folders) {
            for path in [path.clone(), format!("{path}.md")] {
                let Ok(path) = NotePath::parse(&path) else { continue };
                match context.vault().read(&path) {
                    Ok(contents) => return Ok(Template { path, text: contents.into_text()? }),
                    Err(VaultError::NotFound(_) | VaultError::IsFolder(_)) => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }
        Err(VaultError::NotFound(first).into())
    }

    pub(crate) fn fill(&self, context: &Context<'_>, now: &Zoned, target: &Target<'_>) -> Result<Filled, Failure> {
        let settings = context.vault().template_settings()?;
        let source = target.text.unwrap_or(&self.text);
        let block = Frontmatter::find(source);
        let zoned = |nanoseconds: i64| {
            let at = Timestamp::from_nanosecond(nanoseconds.into()).ok()?;
            Some(at.to_zoned(now.time_zone().clone()))
        };
        let created = target.stat.and_then(|stat| zoned(stat.created?));
        let modified = target.stat.and_then(|stat| zoned(stat.modified));
        let filled = fill(
            &self.text,
            &Scope {
                now,
                date: target.date,
                locale: Locale::english(),
                date_format: target.date_format.unwrap_or(&settings.date_format),
                time_format: &settings.time_format,
                path: target.path.as_str(),
                created: created.as_ref(),
                modified: modified.as_ref(),
                tags: &Note::parse(source).all_tags(),
                properties: block.as_ref().and_then(|block| block.properties.as_ref().ok()),
                values: target.values,
            },
        );
        self.check(&filled.text)?;
        Ok(filled)
    }

    /// Properties that a value has broken would be lost to the app.
    fn check(&self, filled: &str) -> Result<(), Failure> {
        match Frontmatter::find(filled).map(|block| block.properties) {
            Some(Err(error)) => {
                let told = format!(
                    "is {}, whose properties would not be valid YAML once it is filled in ({error}); put its variables into quotes",
                    self.path
                );
                Err(Failure::InvalidInput(vec![Issue::new("template", told)]))
            }
            _ => Ok(()),
        }
    }
}
