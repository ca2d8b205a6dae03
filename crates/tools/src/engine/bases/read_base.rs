//! What a base says.

use quillgate_markdown::parse_yaml;
use quillgate_query::SyntaxError;
use quillgate_query::bases::Base;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::base_file::base_path;
use crate::context::Context;
use crate::failure::Failure;
use crate::note_text::property_json;
use crate::tool::{Spec, Tool};

/// Read a base (.base) as data: filters, formulas, properties, summaries and views. To get the rows of a view use query_base.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadBase {
    /// Base, relative to the vault, with its extension (.base)
    #[schemars(length(min = 1, max = 1024))]
    path: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    path: String,
    base: Map<String, Value>,
    /// The first thing that a view fails on: an expression, a key or a function that cannot be read, with line and column
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    /// What is written in a way that is no longer read
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl Tool for ReadBase {
    const SPEC: Spec = Spec::reading("read_base", "Read a base").scopes(&["read:bases"]);
    type Output = Outcome;

    fn run(self, context: &Context<'_>) -> Result<Outcome, Failure> {
        let path = base_path(&self.path)?;
        let text = context.vault().read(&path)?.into_text()?;
        let entries = parse_yaml(text.strip_prefix('\u{feff}').unwrap_or(&text));
        let entries =
            entries.map_err(|error| Failure::Bases(SyntaxError { line: error.line, column: 1, message: error.message }))?;
        let (problem, warnings) = match Base::parse(&text) {
            Ok(base) => (base.problems().first().map(ToString::to_string), base.warnings),
            Err(error) => (Some(error.to_string()), Vec::new()),
        };
        let base = entries.iter().map(|entry| (entry.key.clone(), property_json(&entry.value))).collect();
        Ok(Outcome { path: path.to_string(), base, problem, warnings })
    }
}
