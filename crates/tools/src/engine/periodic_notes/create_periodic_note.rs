//! Making the note of a period.

use quillgate_vault::{Expect, Folders, VaultError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::periodic_note::{Kind, PeriodicNote};
use crate::context::Context;
use crate::engine::templates::template::Left;
use crate::failure::Failure;
use crate::plan::Plan;
use crate::time;
use crate::tool::{ChangeTool, Effect, Idempotency, Spec};

/// Make the daily, weekly, monthly, quarterly or yearly note of a date from its template. Fails if it exists; find_or_create_periodic_note does not.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreatePeriodicNote {
    period: Kind,
    /// A day of the period, such as 2026-01-31; today by default
    #[serde(default)]
    #[schemars(length(min = 1, max = 40))]
    date: Option<String>,
    /// Template to use instead of the one that is set
    #[serde(default)]
    #[schemars(length(min = 1, max = 1024))]
    template_override: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    period: Kind,
    /// The first day of the period
    date: String,
    path: String,
    created_at: String,
    /// Absent if there is no template
    #[serde(skip_serializing_if = "Option::is_none")]
    template_used: Option<String>,
    /// Commands of the template that were left as they are written
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unexpanded: Vec<Left>,
}

impl ChangeTool for CreatePeriodicNote {
    const SPEC: Spec = Spec::writing("create_periodic_note", "Create a periodic note", Effect::Add, Idempotency::Keyed)
        .scopes(&["write:periodic"]);
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let note = PeriodicNote::of(context, self.period, self.date.as_deref())?;
        if note.read(context)?.is_some() {
            return Err(VaultError::Exists(note.path).into());
        }
        let new = note.new_text(context, self.template_override.as_deref())?;
        let change = context.vault().transaction(Folders::Create);
        let change = change.write(note.path.clone(), new.text.into_bytes(), Expect::Absent);
        Ok(Plan::new(change, move |committed| {
            let written = committed.and_then(|committed| committed.written.first());
            Ok(Outcome {
                period: note.kind,
                date: note.date.to_string(),
                path: note.path.to_string(),
                created_at: time::shown(written.map_or(0, |written| written.stat.modified)),
                template_used: new.template_used,
                unexpanded: new.unexpanded,
            })
        }))
    }
}
