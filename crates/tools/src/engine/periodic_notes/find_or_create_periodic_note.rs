//! The note of a period, made if it is not there.

use quillgate_vault::{Expect, Folders};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::periodic_note::{Kind, PeriodicNote, content_of};
use crate::context::Context;
use crate::engine::templates::template::Left;
use crate::failure::Failure;
use crate::plan::Plan;
use crate::tool::{ChangeTool, Effect, Idempotency, Spec};

/// Read the daily, weekly, monthly, quarterly or yearly note of a date; if there is none, make it from its template first.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FindOrCreatePeriodicNote {
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
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    frontmatter: Option<Map<String, Value>>,
    created: bool,
    /// Commands of the template that were left as they are written
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unexpanded: Vec<Left>,
}

impl ChangeTool for FindOrCreatePeriodicNote {
    const SPEC: Spec =
        Spec::writing("find_or_create_periodic_note", "Find or create a periodic note", Effect::Add, Idempotency::Natural)
            .scopes(&["read:periodic", "write:periodic"]);
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let note = PeriodicNote::of(context, self.period, self.date.as_deref())?;
        let mut change = context.vault().transaction(Folders::Create);
        let found = note.read(context)?;
        let created = found.is_none();
        let (text, unexpanded) = match found {
            Some(contents) if self.include_content => (contents.into_text()?, Vec::new()),
            Some(_) => (String::new(), Vec::new()),
            None => {
                let new = note.new_text(context, None)?;
                change = change.write(note.path.clone(), new.text.clone().into_bytes(), Expect::Absent);
                (new.text, new.unexpanded)
            }
        };
        let include_content = self.include_content;
        Ok(Plan::new(change, move |_| {
            let (content, frontmatter) = content_of(&text);
            Ok(Outcome {
                period: note.kind,
                date: note.date.to_string(),
                path: note.path.to_string(),
                content: include_content.then_some(content),
                frontmatter: frontmatter.filter(|_| include_content),
                created,
                unexpanded,
            })
        }))
    }
}
