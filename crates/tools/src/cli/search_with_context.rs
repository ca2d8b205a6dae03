//! Finding the lines that contain a text.

use quillgate_index::{Literal, LiteralLine, search_literal};
use quillgate_vault::{FolderPath, NotePath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::{Failure, Issue};
use crate::tool::{Spec, Tool};

/// Longer lines, such as pictures in base64, are shown in part.
const LONGEST_LINE: usize = 1000;

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
        let found = search_literal(context.index()?, &wanted, &|| context.go_on());
        let total = found.total.unwrap_or(found.items.len());
        Ok(Found { query: self.query, total, matches: whole_lines(context, &found.items) })
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

/// The lines as they stand in the files; of one that is very long, or that has just gone, what the search showed.
fn whole_lines(context: &Context<'_>, found: &[LiteralLine]) -> Vec<Line> {
    let mut lines = Vec::with_capacity(found.len());
    // The lines of one file stand together.
    for of_file in found.chunk_by(|a, b| a.path == b.path) {
        let text = text_of(context, &of_file[0].path);
        let all: Vec<&str> = text.lines().collect();
        for LiteralLine { path, line, snippet, .. } in of_file {
            let whole = line.checked_sub(1).and_then(|at| all.get(at)).filter(|text| text.len() <= LONGEST_LINE);
            let text = whole.map_or_else(|| snippet.clone(), |text| (*text).to_owned());
            lines.push(Line { path: path.to_string(), line: *line as u64, text });
        }
    }
    lines
}

fn text_of(context: &Context<'_>, path: &NotePath) -> String {
    context.vault().read_text(path).ok().and_then(|contents| Some(contents.text().ok()?.to_owned())).unwrap_or_default()
}
