//! Finding the lines that contain a text.

use quillgate_index::{Grep, GrepLine, grep};
use quillgate_vault::FolderPath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::{Failure, Issue};
use crate::tool::{Spec, Tool};

/// Find the lines that contain a literal text, with their files and line numbers.
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
        let lines = lines_with(context, &self.query, self.path.as_deref(), self.case_sensitive)?;
        let total = lines.len();
        let matches =
            lines.into_iter().take(self.limit).map(|line| Line { path: line.path.to_string(), line: line.line, text: line.text });
        Ok(Found { query: self.query, total, matches: matches.collect() })
    }
}

/// All lines with the text, by path. The text is escaped, so the expression is always valid.
pub(crate) fn lines_with(
    context: &Context<'_>,
    query: &str,
    folder: Option<&str>,
    case_sensitive: bool,
) -> Result<Vec<GrepLine>, Failure> {
    let folder = FolderPath::parse(folder.unwrap_or_default())?;
    context.vault().list(&folder)?;
    if query.contains(['\n', '\r']) {
        let issue = Issue::new("query", "is searched for line by line; leave out the line break".to_owned());
        return Err(Failure::InvalidInput(vec![issue]));
    }
    let flags = if case_sensitive { "" } else { "(?i)" };
    let pattern = format!("{flags}{}", regex::escape(query));
    let wanted = Grep { pattern: &pattern, glob: None, folder, most: usize::MAX };
    Ok(grep(context.index()?, &wanted, &|| context.go_on())?.lines)
}
