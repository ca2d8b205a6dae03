//! Finding the lines that contain a text.

use quillgate_index::{Literal, LiteralLine, search_literal};
use quillgate_vault::FolderPath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::{Failure, Issue};
use crate::file_lines::FileLines;
use crate::tool::{Spec, Tool};

/// Find the lines that contain a literal text, with their files and line numbers, best files first.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchWithContext {
    /// Text to find, as it is written
    #[schemars(length(min = 1, max = 1000))]
    query: String,
    /// Only in this folder
    #[serde(default)]
    path: Option<String>,
    /// Most lines to return
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
    /// All matching lines, also those beyond limit
    total: usize,
    matches: Vec<Line>,
}

#[derive(Serialize, JsonSchema)]
struct Line {
    path: String,
    line: u64,
    text: String,
}

impl Tool for SearchWithContext {
    const SPEC: Spec = Spec::reading("obsidian_search_with_context", "Search for lines");
    type Output = Found;

    fn run(self, context: &Context<'_>) -> Result<Found, Failure> {
        let folder = folder_to_search(context, &self.query, self.path.as_deref())?;
        let wanted = Literal {
            query: &self.query,
            case_sensitive: self.case_sensitive,
            whole_word: false,
            folder,
            limit: self.limit,
            after: None,
        };
        let found = search_literal(context.index_so_far(), &wanted, &|| context.go_on());
        let total = found.total.unwrap_or(found.items.len());
        let mut lines = FileLines::new(context);
        let matches = found.items.into_iter().map(|LiteralLine { path, line, snippet, .. }| {
            let text = lines.find(&path, line).map_or(snippet, str::to_owned);
            Line { path: path.to_string(), line: line as u64, text }
        });
        Ok(Found { query: self.query, total, matches: matches.collect() })
    }
}

/// The folder, for a text that can stand on one line.
pub(crate) fn folder_to_search(context: &Context<'_>, query: &str, folder: Option<&str>) -> Result<FolderPath, Failure> {
    let folder = FolderPath::parse(folder.unwrap_or_default())?;
    context.vault().list(&folder)?;
    if query.contains(['\n', '\r']) {
        let issue = Issue::new("query", "is searched for line by line; leave out the line break".to_owned());
        return Err(Failure::InvalidInput(vec![issue]));
    }
    Ok(folder)
}
