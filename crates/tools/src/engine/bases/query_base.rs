//! The rows of a view.

use std::time::{Duration, Instant};

use quillgate_query::Budget;
use quillgate_query::bases::{Answer, Base, Cell, Request, Summaries, cell_json, json_of, run};
use quillgate_vault::{NotePath, VaultError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::base_file::{base_path, query_failure};
use crate::base_settings::base_settings;
use crate::context::Context;
use crate::failure::Failure;
use crate::note_text::property_value;
use crate::page::{Cursor, Limit, MaxTokens, Page, Pager};
use crate::tool::{Rate, Spec, Tool};

/// How long a view may take; larger vaults than any known one take a hundredth of it.
const LONGEST: Duration = Duration::from_secs(20);

/// Compute a view of a base (.base), as the app shows it: files that pass its filters, in its order, with the columns of the view. A cell that went wrong is {"error": reason}.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct QueryBase {
    /// Base, relative to the vault, with its extension (.base)
    #[schemars(length(min = 1, max = 1024))]
    path: String,
    /// Name of the view; the first one without it
    #[serde(default)]
    #[schemars(length(max = 1000))]
    view: Option<String>,
    /// In the place of all filters of the base and the view: an expression, or {and|or|not: list of filters}
    #[serde(default)]
    override_filters: Option<Value>,
    /// The file that `this` means, such as the note that embeds the base; the base itself without it
    #[serde(default)]
    #[schemars(length(min = 1, max = 1024))]
    this_path: Option<String>,
    #[serde(default)]
    limit: Limit,
    #[serde(default)]
    cursor: Cursor,
    #[serde(default)]
    max_tokens: MaxTokens,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    #[serde(flatten)]
    page: Page<Row>,
    view_used: String,
    /// Of the whole view, in order; a row says which one it stands in
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<Vec<GroupShown>>,
    /// By column, of all rows of the view
    #[serde(skip_serializing_if = "Option::is_none")]
    summaries: Option<Map<String, Value>>,
    /// What could not be computed or is not read
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Row {
    note_path: String,
    /// By id, as the view names its columns
    columns: Map<String, Value>,
    /// The label of its group
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct GroupShown {
    /// None for rows without a value
    label: String,
    value: Value,
    count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    summaries: Option<Map<String, Value>>,
}

impl Tool for QueryBase {
    const SPEC: Spec = Spec::reading("query_base", "Query a base").scopes(&["read:bases"]).rate(Rate::Bulk);
    type Output = Outcome;

    fn run(self, context: &Context<'_>) -> Result<Outcome, Failure> {
        let path = base_path(&self.path)?;
        let text = context.vault().read(&path)?.into_text()?;
        let base = Base::parse(&text).map_err(Failure::Bases)?;
        let question = json!([path.as_str(), self.view, self.override_filters, self.this_path]);
        let pager = Pager::new(Self::SPEC.name, &question, self.limit, self.max_tokens);
        let after = pager.after::<(usize, String)>(&self.cursor)?;
        let catalogue = context.catalogue()?;
        let this = match &self.this_path {
            Some(this) => {
                let this = NotePath::parse(this)?;
                Some(catalogue.find_id(&this).ok_or(VaultError::NotFound(this))?)
            }
            None => catalogue.find_id(&path),
        };
        let (settings, warning) = base_settings(context)?;
        let filters = self.override_filters.as_ref().map(property_value);
        let request = Request { view: self.view.as_deref(), filters: filters.as_ref(), this };
        let budget = Budget::new(Budget::STEPS, Some(Instant::now() + LONGEST));
        let answer = run(&base, &request, &catalogue, &settings, &budget).map_err(query_failure)?;
        let start = start(&answer, after);
        let cells = answer.cells(start..start + pager.limit() + 1, &budget).map_err(query_failure)?;
        let rows = cells.iter().enumerate().map(|(at, cells)| {
            let row = row(&answer, start + at, cells);
            ((start + at, row.note_path.clone()), row)
        });
        let page = pager.page(rows.collect(), false, Some(answer.rows.len()));
        Ok(Outcome {
            page,
            view_used: answer.view.name.to_string(),
            groups: answer.view.is_grouped().then(|| groups(&answer)),
            summaries: shown(&answer.summaries, &answer),
            warnings: answer.warnings.iter().cloned().chain(warning).collect(),
        })
    }
}

/// Behind the last row of the page before; where that is gone, at its place.
fn start(answer: &Answer<'_>, after: Option<(usize, String)>) -> usize {
    let Some((place, path)) = after else { return 0 };
    let is_last =
        |file: &quillgate_index::FileId| answer.catalogue().entry(*file).is_some_and(|entry| entry.path.as_str() == path);
    answer.rows.iter().position(is_last).map_or(place, |place| place + 1)
}

fn row(answer: &Answer<'_>, at: usize, cells: &[Cell]) -> Row {
    let path = answer.rows.get(at).and_then(|file| answer.catalogue().entry(*file)).map(|entry| entry.path.to_string());
    let columns = answer.columns.iter().zip(cells).map(|(column, cell)| (column.id.to_string(), cell_json(cell, answer)));
    let mut end = 0;
    let group = answer.groups.iter().find(|group| {
        end += group.count;
        at < end
    });
    Row { note_path: path.unwrap_or_default(), columns: columns.collect(), group: group.map(|group| group.label.clone()) }
}

fn groups(answer: &Answer<'_>) -> Vec<GroupShown> {
    let group = |group: &quillgate_query::bases::Group| GroupShown {
        label: group.label.clone(),
        value: json_of(&group.value, answer.catalogue()),
        count: group.count,
        summaries: shown(&group.summaries, answer),
    };
    answer.groups.iter().map(group).collect()
}

fn shown(summaries: &Summaries, answer: &Answer<'_>) -> Option<Map<String, Value>> {
    let all = summaries.iter().map(|(id, cell)| (id.to_string(), cell_json(cell, answer)));
    (!summaries.is_empty()).then(|| all.collect())
}
