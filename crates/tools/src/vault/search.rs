//! Searching names, tags and text.

use quillgate_index::{Anywhere, MatchKind, search_anywhere};
use quillgate_vault::FolderPath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::Failure;
use crate::tool::{Spec, Tool};

/// Search file names, frontmatter tags and text for a literal phrase, ignoring case. Give a few words that stand together in the note, not a question. Results carry the line to pass to vault_read as offset.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VaultSearch {
    /// Text to find, as it is written
    #[schemars(length(min = 1, max = 1000))]
    query: String,
    /// Most results to return
    #[serde(default = "twenty")]
    #[schemars(range(min = 1, max = 1000))]
    max_results: usize,
}

fn twenty() -> usize {
    20
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Found {
    query: String,
    /// All matches, also those beyond max_results
    total_matches: usize,
    results: Vec<Line>,
}

#[derive(Serialize, JsonSchema)]
struct Line {
    path: String,
    /// filename, tag or content
    match_type: &'static str,
    snippet: String,
    line: usize,
}

impl Tool for VaultSearch {
    const SPEC: Spec = Spec::reading("vault_search", "Search the vault");
    type Output = Found;

    fn run(self, context: &Context<'_>) -> Result<Found, Failure> {
        let wanted = Anywhere { query: &self.query, folder: FolderPath::ROOT, limit: self.max_results, after: None };
        let found = search_anywhere(&context.workspace.index, &wanted, &|| context.go_on());
        let results = found.items.into_iter().map(|found| Line {
            path: found.path.to_string(),
            match_type: match found.kind {
                MatchKind::Name => "filename",
                MatchKind::Tag => "tag",
                MatchKind::Text => "content",
            },
            snippet: found.snippet,
            line: found.line,
        });
        Ok(Found { query: self.query, total_matches: found.total.unwrap_or_default(), results: results.collect() })
    }
}
