//! Adding to the note of a period.

use quillgate_markdown::{Edit, Eol, Note, Position, append, under_heading};
use quillgate_vault::{Contents, Expect, Folders};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::periodic_note::{Kind, PeriodicNote};
use crate::context::Context;
use crate::failure::Failure;
use crate::plan::Plan;
use crate::time;
use crate::tool::{ChangeTool, Effect, Idempotency, Spec};

/// Add text at the end of the daily, weekly, monthly, quarterly or yearly note of a date, or of one section of it. A note that is not there is made from its template first.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AppendToPeriodicNote {
    period: Kind,
    /// Markdown to add
    #[schemars(length(min = 1))]
    content: String,
    /// A day of the period, such as 2026-01-31; today by default
    #[serde(default)]
    #[schemars(length(min = 1, max = 40))]
    date: Option<String>,
    /// Keep content on lines of its own; in a section it always is
    #[serde(default = "yes")]
    ensure_newline: bool,
    /// Heading whose section gets the content; Parent#Child where it stands more than once
    #[serde(default)]
    #[schemars(length(min = 1, max = 1000))]
    heading: Option<String>,
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
    updated_at: String,
    /// What was added, without what the template brought
    appended_bytes: usize,
    created: bool,
}

impl ChangeTool for AppendToPeriodicNote {
    const SPEC: Spec =
        Spec::writing("append_to_periodic_note", "Append to a periodic note", Effect::Add, Idempotency::KeyRequired)
            .scopes(&["write:periodic"]);
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let note = PeriodicNote::of(context, self.period, self.date.as_deref())?;
        let found = note.read(context)?;
        let (created, expect) = (found.is_none(), found.as_ref().map_or(Expect::Absent, |found| Expect::Hash(found.hash())));
        let text = match found {
            Some(contents) => Contents::into_text(contents)?,
            None => note.new_text(context, None)?.text,
        };
        let edit = self.edit(&text)?;
        let after = edit.apply(&text);
        let appended_bytes = edit.text.len();
        let change = context.vault().transaction(Folders::Create).write(note.path.clone(), after.into_bytes(), expect);
        Ok(Plan::new(change, move |committed| {
            let written = committed.and_then(|committed| committed.written.first());
            Ok(Outcome {
                period: note.kind,
                date: note.date.to_string(),
                path: note.path.to_string(),
                updated_at: time::shown(written.map_or(0, |written| written.stat.modified)),
                appended_bytes,
                created,
            })
        }))
    }
}

impl AppendToPeriodicNote {
    fn edit(&self, text: &str) -> Result<Edit, Failure> {
        Ok(match &self.heading {
            Some(heading) => under_heading(&Note::parse(text), text, heading, Position::End, &self.content)?,
            None if self.ensure_newline => append(text, &self.content),
            None => Edit::insert(text.len(), Eol::dominant(text).convert(&self.content)),
        })
    }
}
