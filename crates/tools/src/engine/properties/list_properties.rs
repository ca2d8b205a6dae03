//! The properties that notes have.

use quillgate_index::PropertySummary;
use quillgate_markdown::fold;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::context::Context;
use crate::failure::Failure;
use crate::page::{Cursor, Limit, MaxTokens, Page, Pager};
use crate::root::Root;
use crate::tool::{Spec, Tool};

/// List the names of all properties that notes have, with their types, the number of notes and the most used values. Case does not matter in names.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListProperties {
    #[serde(default)]
    root: Root,
    /// How many values to show of each
    #[serde(default = "five")]
    #[schemars(range(min = 0, max = 50))]
    sample_size: usize,
    #[serde(default)]
    limit: Limit,
    #[serde(default)]
    cursor: Cursor,
    #[serde(default)]
    max_tokens: MaxTokens,
}

fn five() -> usize {
    5
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Line {
    key: String,
    /// Of text, number, checkbox, date, datetime, list, map and empty
    types: Vec<&'static str>,
    note_count: usize,
    /// Most used first
    sample_values: Vec<Value>,
}

impl Tool for ListProperties {
    const SPEC: Spec = Spec::reading("list_properties", "List properties");
    type Output = Page<Line>;

    fn run(self, context: &Context<'_>) -> Result<Page<Line>, Failure> {
        let folder = self.root.folder(context)?;
        let question = json!([folder.as_str(), self.sample_size]);
        let pager = Pager::new(Self::SPEC.name, &question, self.limit, self.max_tokens);
        let after = pager.after::<String>(&self.cursor)?;
        let found = context.catalogue()?.properties(&folder, self.sample_size);
        Ok(pager.page_of_all(found, after, |property| fold(&property.key), Line::of))
    }
}

impl Line {
    fn of(found: PropertySummary) -> Line {
        Line { key: found.key, types: found.types, note_count: found.notes, sample_values: found.samples }
    }
}
