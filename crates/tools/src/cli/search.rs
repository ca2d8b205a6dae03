//! Finding the files that contain a text.

use quillgate_index::{Expression, search_expression};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::search_with_context::folder_to_search;
use crate::context::Context;
use crate::failure::Failure;
use crate::tool::{Spec, Tool};

/// Find the files that contain a literal text. For the matching lines use obsidian_search_with_context.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Search {
    /// Text to find, as it is written
    #[schemars(length(min = 1, max = 1000))]
    query: String,
    /// Only in this folder
    #[serde(default)]
    path: Option<String>,
    /// Most files to return
    #[serde(default = "fifty")]
    #[schemars(range(min = 1, max = 1000))]
    limit: usize,
    /// Tell capitals from small letters
    #[serde(default)]
    case_sensitive: bool,
}

fn fifty() -> usize {
    50
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Found {
    query: String,
    /// All files with a match, also those beyond limit
    total: usize,
    files: Vec<String>,
}

impl Tool for Search {
    const SPEC: Spec = Spec::reading("obsidian_search", "Search for files");
    type Output = Found;

    fn run(self, context: &Context<'_>) -> Result<Found, Failure> {
        let folder = folder_to_search(context, &self.query, self.path.as_deref())?;
        // Escaped, so it is always valid.
        let pattern = regex::escape(&self.query);
        let wanted = Expression {
            pattern: &pattern,
            ignore_case: !self.case_sensitive,
            multi_line: false,
            dot_all: false,
            glob: None,
            folder,
            per_file: 1,
            limit: usize::MAX,
            after: None,
        };
        let found = search_expression(context.index_so_far(), &wanted, &|| context.go_on())?;
        let total = found.items.len();
        let files = found.items.into_iter().take(self.limit).map(|found| found.path.to_string()).collect();
        Ok(Found { query: self.query, total, files })
    }
}
