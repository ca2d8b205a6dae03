//! Searching by regular expression.

use quillgate_index::{Grep, grep};
use quillgate_vault::FolderPath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::Failure;
use crate::tool::{Spec, Tool};

/// Search the text of all notes with a regular expression, as ripgrep does: line by line, case-sensitive unless it begins with (?i). Escape . ( ) [ ] to mean them literally.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VaultSearch {
    /// Regular expression
    #[schemars(length(min = 1, max = 1000))]
    query: String,
    /// Glob that paths must match, such as devlog/*.md; !glob leaves files out
    #[serde(default)]
    path_filter: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Found {
    results: Vec<Line>,
    /// There were more lines: narrow the expression or the path
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
struct Line {
    path: String,
    line: u64,
    text: String,
}

impl Tool for VaultSearch {
    const SPEC: Spec = Spec::reading("vault_search", "Search by expression");
    type Output = Found;

    fn run(self, context: &Context<'_>) -> Result<Found, Failure> {
        let wanted = Grep {
            pattern: &self.query,
            glob: self.path_filter.as_deref(),
            folder: FolderPath::ROOT,
            most: context.settings().search_lines,
        };
        let found = grep(context.index()?, &wanted, &|| context.go_on())?;
        let results = found.lines.into_iter().map(|line| Line { path: line.path.to_string(), line: line.line, text: line.text });
        Ok(Found { results: results.collect(), truncated: found.truncated.then_some(true) })
    }
}
