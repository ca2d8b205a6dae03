//! One expression, worked out for a note.

use quillgate_query::dataview::evaluate_field;
use quillgate_vault::NotePath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::context::Context;
use crate::dataview::answered;
use crate::failure::Failure;
use crate::tool::{Spec, Tool};

/// Work out a Dataview expression for a note: rating + 1, dateformat(file.mtime, "yyyy"), length(file.tasks), `[[Other]].status`. this is the note too, so that inline queries can be tried as they are written: this.rating.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EvalDataviewField {
    /// Note that the expression stands in, relative to the vault, with its extension
    #[schemars(length(min = 1, max = 1024))]
    path: String,
    /// Dataview expression, without the = of inline queries
    #[schemars(length(min = 1, max = 20000))]
    expression: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Answer {
    path: String,
    expression: String,
    /// Dates and links are texts, lengths of time are in words
    value: Value,
    /// array, boolean, date, duration, function, link, null, number, object, string or widget
    #[serde(rename = "type")]
    kind: &'static str,
}

impl Tool for EvalDataviewField {
    const SPEC: Spec = Spec::reading("eval_dataview_field", "Work out a Dataview expression").scopes(&["read:dataview"]);
    type Output = Answer;

    fn run(self, context: &Context<'_>) -> Result<Answer, Failure> {
        let path = NotePath::parse(&self.path)?;
        let (value, kind) = answered(context, Some(&path), |asking, budget| {
            evaluate_field(&self.expression, asking, budget).map(|found| (found.json(), found.kind()))
        })?;
        Ok(Answer { path: path.to_string(), expression: self.expression, value, kind })
    }
}
