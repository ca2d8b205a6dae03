//! What one change did.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::change::{ShownFile, history, parse_change};
use crate::context::Context;
use crate::failure::Failure;
use crate::moment::shown_time;
use crate::tool::{Spec, Tool};

const BYTES_PER_TOKEN: usize = 4;
const MOST_BYTES: usize = 200_000;

/// Show what one change did to each of its files, as a unified diff.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HistoryDiff {
    /// Id of the change, from history_list
    #[schemars(length(min = 1, max = 64))]
    change: String,
    /// Cut the diffs so that the answer takes about this many tokens
    #[serde(default)]
    #[schemars(range(min = 1))]
    max_tokens: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    change: String,
    at: String,
    files: Vec<Diff>,
}

#[derive(Serialize, JsonSchema)]
struct Diff {
    #[serde(flatten)]
    file: ShownFile,
    diff: String,
}

impl Tool for HistoryDiff {
    const SPEC: Spec = Spec::reading("history_diff", "Show a change");
    type Output = Outcome;

    fn run(self, context: &Context<'_>) -> Result<Outcome, Failure> {
        let change = parse_change("change", &self.change)?;
        let history = history(context)?;
        let files = history.find(change)?.files.len().max(1);
        let room = self.max_tokens.map_or(MOST_BYTES, |tokens| tokens.saturating_mul(BYTES_PER_TOKEN)).min(MOST_BYTES);
        let diffs = history.diff(change, (room / files).max(200))?;
        let files = diffs.into_iter().map(|diff| Diff { file: ShownFile::of(&diff.file), diff: diff.text }).collect();
        Ok(Outcome { change: self.change, at: shown_time(change.at()), files })
    }
}
