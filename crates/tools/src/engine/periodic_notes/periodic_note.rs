//! The note of one period: where it is, and how it is made.

use std::collections::BTreeMap;

use jiff::civil::Date;
use jiff::{Timestamp, Zoned};
use quillgate_markdown::Frontmatter;
use quillgate_query::PeriodicNames;
use quillgate_query::moment::Locale;
use quillgate_vault::{Contents, NewNotes, NotePath, Period, VaultError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::context::Context;
use crate::engine::templates::template::{Left, Target, Template};
use crate::failure::{Failure, Issue};
use crate::note_text::{property_map, shown};

/// Kind of note
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Daily,
    Weekly,
    Monthly,
    Quarterly,
    Yearly,
}

impl Kind {
    pub(super) fn period(self) -> Period {
        match self {
            Kind::Daily => Period::Daily,
            Kind::Weekly => Period::Weekly,
            Kind::Monthly => Period::Monthly,
            Kind::Quarterly => Period::Quarterly,
            Kind::Yearly => Period::Yearly,
        }
    }
}

pub(super) struct PeriodicNote {
    pub(super) kind: Kind,
    /// The first day of the period.
    pub(super) date: Date,
    pub(super) path: NotePath,
    settings: NewNotes,
    now: Zoned,
}

/// A note that is about to be made.
pub(super) struct NewText {
    pub(super) text: String,
    pub(super) template_used: Option<String>,
    pub(super) unexpanded: Vec<Left>,
}

impl PeriodicNote {
    /// That of a date, or of today.
    pub(super) fn of(context: &Context<'_>, kind: Kind, date: Option<&str>) -> Result<PeriodicNote, Failure> {
        let now = context.now();
        let settings = context.vault().periodic_notes(kind.period())?;
        let names = PeriodicNames::new(kind.period(), &settings, Locale::english());
        let day = date.map_or_else(|| Ok(now.date()), |date| parse_date("date", date, &now))?;
        let no_date = || wrong_date("date", day.to_string());
        let date = names.start(day).ok_or_else(no_date)?;
        let start = date.to_zoned(now.time_zone().clone()).map_err(|_| no_date())?;
        let path = NotePath::parse(&names.path(&start))?;
        Ok(PeriodicNote { kind, date, path, settings, now })
    }

    /// The note as it is; `None` if there is none.
    pub(super) fn read(&self, context: &Context<'_>) -> Result<Option<Contents>, Failure> {
        match context.vault().read(&self.path) {
            Ok(contents) => Ok(Some(contents)),
            Err(VaultError::NotFound(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// What the note starts with: a template that was asked for, or the one that is set. As in the app a note is made without a template that
    /// is set and not there.
    pub(super) fn new_text(&self, context: &Context<'_>, template: Option<&str>) -> Result<NewText, Failure> {
        let template = match (template, &self.settings.template) {
            (Some(wanted), _) => Some(Template::find(context, wanted)?),
            (None, Some(usual)) => match Template::find(context, usual) {
                Ok(template) => Some(template),
                Err(Failure::Vault(VaultError::NotFound(_))) => None,
                Err(failure) => return Err(failure),
            },
            (None, None) => None,
        };
        let Some(template) = template else {
            return Ok(NewText { text: String::new(), template_used: None, unexpanded: Vec::new() });
        };
        // The day of the note, at the time that it is now; an hour that the day lacks is the one after it.
        let at = self.date.to_datetime(self.now.time()).to_zoned(self.now.time_zone().clone());
        let date = at.unwrap_or_else(|_| self.now.clone());
        let format = self.settings.format.rsplit('/').next().unwrap_or_default();
        let target = Target {
            path: &self.path,
            text: None,
            stat: None,
            date: &date,
            // Of a week or a year a day is not what its name says.
            date_format: (self.kind != Kind::Daily).then_some(format),
            values: &BTreeMap::new(),
        };
        let filled = template.fill(context, &self.now, &target)?;
        let (template_used, unexpanded) = (Some(template.path.to_string()), Left::of(filled.unexpanded));
        Ok(NewText { text: filled.text, template_used, unexpanded })
    }
}

/// A day as a client writes it; of a time the day here.
pub(super) fn parse_date(field: &str, text: &str, now: &Zoned) -> Result<Date, Failure> {
    let text = text.trim();
    let zoned = || text.parse::<Timestamp>().ok().map(|time| time.to_zoned(now.time_zone().clone()).date());
    zoned().or_else(|| text.parse::<Date>().ok()).ok_or_else(|| wrong_date(field, text.to_owned()))
}

fn wrong_date(field: &str, text: String) -> Failure {
    Failure::InvalidInput(vec![Issue::new(field, format!("expected a date such as 2026-01-31, got {text:?}"))])
}

/// The text and the properties of a note, as they are shown.
pub(super) fn content_of(text: &str) -> (String, Option<Map<String, Value>>) {
    let text = shown(text);
    let properties = Frontmatter::find(&text).and_then(|block| block.properties.ok());
    let properties = properties.as_ref().map(property_map);
    (text, properties)
}
