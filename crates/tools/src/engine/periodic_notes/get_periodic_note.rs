//! Reading the note of a period.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::periodic_note::{Kind, PeriodicNote, content_of};
use crate::context::Context;
use crate::failure::Failure;
use crate::tool::{Spec, Tool};

/// Read the daily, weekly, monthly, quarterly or yearly note of a date, where the vault keeps it. Says its path also if there is none yet.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GetPeriodicNote {
    period: Kind,
    /// A day of the period, such as 2026-01-31; today by default
    #[serde(default)]
    #[schemars(length(min = 1, max = 40))]
    date: Option<String>,
    /// Also return the text and the properties
    #[serde(default = "yes")]
    include_content: bool,
}

fn yes() -> bool {
    true
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    period: Kind,
    /// The first day of the period
    date: String,
    path: String,
    exists: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    frontmatter: Option<Map<String, Value>>,
}

impl Tool for GetPeriodicNote {
    const SPEC: Spec = Spec::reading("get_periodic_note", "Read a periodic note").scopes(&["read:periodic"]);
    type Output = Outcome;

    fn run(self, context: &Context<'_>) -> Result<Outcome, Failure> {
        let note = PeriodicNote::of(context, self.period, self.date.as_deref())?;
        let contents = note.read(context)?;
        let exists = contents.is_some();
        let (content, frontmatter) = match contents.filter(|_| self.include_content) {
            Some(contents) => {
                let (content, frontmatter) = content_of(contents.text()?);
                (Some(content), frontmatter)
            }
            None => (None, None),
        };
        let (date, path) = (note.date.to_string(), note.path.to_string());
        Ok(Outcome { period: self.period, date, path, exists, content, frontmatter })
    }
}
