//! Setting one property of many notes.

use std::time::Instant;

use quillgate_markdown::{Note, set_property};
use quillgate_vault::{Expect, Folders, NotePath, Transaction};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::each::{OnError, Tally, each};
use crate::context::Context;
use crate::failure::Failure;
use crate::note_text::{must_be_note, property_json, property_value};
use crate::plan::agree;
use crate::surface::engine_error;
use crate::tool::{Confirm, Effect, Idempotency, Rate, Spec, Tool};

/// More are put before a human first.
const MOST_UNASKED: usize = 50;

/// Set one property to the same value in up to 500 notes, each on its own: one that fails does not stop the others, and results says how each went. Everything else in the notes stays as it is.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BulkSetProperty {
    /// Notes, with their extensions
    #[schemars(length(min = 1, max = 500))]
    paths: Vec<String>,
    /// Name of the property
    #[schemars(length(min = 1, max = 256))]
    key: String,
    /// Its new value: text, a number, true or false, a list, or an object
    value: Value,
    /// Notes changed at the same time
    #[serde(default = "four")]
    #[schemars(range(min = 1, max = 16))]
    max_concurrent: usize,
    /// Stop at the first note that cannot be changed; what was changed before stays so
    #[serde(default)]
    stop_on_first_error: bool,
}

fn four() -> usize {
    4
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    processed: usize,
    succeeded: usize,
    failed: usize,
    results: Vec<Line>,
    duration_ms: u64,
}

#[derive(Serialize, JsonSchema)]
struct Line {
    path: String,
    ok: bool,
    /// What the property was before; absent if the note did not have it
    #[serde(skip_serializing_if = "Option::is_none")]
    prev_value: Option<Value>,
    /// Code and message, when it failed
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Map<String, Value>>,
}

impl Tool for BulkSetProperty {
    const SPEC: Spec = Spec::writing("bulk_set_property", "Set a property of many notes", Effect::Change, Idempotency::Natural)
        .scopes(&["write:notes", "bulk:notes"])
        .rate(Rate::Bulk)
        .confirm(Confirm::When("if there are more than 50 notes"));
    type Output = Outcome;

    fn run(self, context: &Context<'_>) -> Result<Outcome, Failure> {
        let started = Instant::now();
        let is_many = self.paths.len() > MOST_UNASKED;
        let reasons = is_many.then(|| format!("sets the property {:?} of {} notes", self.key, self.paths.len()));
        agree(&Self::SPEC, context, reasons.as_slice(), || self.change(context))?;
        let on_error = OnError::stop_if(self.stop_on_first_error);
        let outcomes = each(context, &self.paths, self.max_concurrent, on_error, |path| self.set(context, path));
        let tally = Tally::of(&self.paths, outcomes, on_error, |path, outcome| Line {
            path: path.clone(),
            ok: outcome.is_ok(),
            prev_value: outcome.as_ref().ok().cloned().flatten(),
            error: outcome.as_ref().err().and_then(|failure| engine_error(failure).as_object().cloned()),
        })?;
        let duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let Tally { lines: results, succeeded, failed } = tally;
        Ok(Outcome { processed: results.len(), succeeded, failed, results, duration_ms })
    }
}

impl BulkSetProperty {
    /// What the property was before.
    fn set(&self, context: &Context<'_>, path: &str) -> Result<Option<Value>, Failure> {
        let path = NotePath::parse(path)?;
        must_be_note(&path)?;
        let mut before = None;
        context.vault().update(&path, |contents| {
            let text = contents.text()?;
            before = Note::parse(text).find_property(&self.key).map(|property| property_json(&property.value));
            Ok::<_, Failure>(self.edited(text)?.into_bytes())
        })?;
        Ok(before)
    }

    fn edited(&self, text: &str) -> Result<String, Failure> {
        Ok(set_property(text, &self.key, &property_value(&self.value))?.apply(text))
    }

    /// All of it as one change, for a human to look at.
    fn change(&self, context: &Context<'_>) -> Transaction {
        let change = context.vault().transaction(Folders::MustExist);
        let drafted = self.paths.iter().filter_map(|path| {
            let contents = context.vault().read(&NotePath::parse(path).ok()?).ok().filter(|contents| contents.path.is_note())?;
            let edited = self.edited(contents.text().ok()?).ok()?.into_bytes();
            (edited != contents.bytes).then(|| (contents.path.clone(), edited, Expect::Hash(contents.hash())))
        });
        drafted.fold(change, |change, (path, bytes, expect)| change.write(path, bytes, expect))
    }
}
