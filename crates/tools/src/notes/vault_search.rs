//! Searching by regular expression.

use std::time::Instant;

use quillgate_index::{Expression, ExpressionMatch};
use quillgate_vault::NotePath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::context::Context;
use crate::failure::Failure;
use crate::file_lines::FileLines;
use crate::page::{Cursor, IndexState, MaxTokens, Pager};
use crate::root::Root;
use crate::searching::{Explained, find_expression};
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
    #[serde(default)]
    root: Root,
    #[serde(default)]
    cursor: Cursor,
    #[serde(default)]
    max_tokens: MaxTokens,
    /// Also return _explain: how it was found
    #[serde(default)]
    explain: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Found {
    results: Vec<Line>,
    /// There were more lines: narrow the expression or the path, or give cursor back
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
    /// For the next page
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
    /// Present while the vault is being indexed; the answer is complete
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<IndexState>,
    #[serde(rename = "_explain", skip_serializing_if = "Option::is_none")]
    explained: Option<Explained>,
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
        let started = Instant::now();
        let folder = self.root.folder_with_slashes(context)?;
        let question = json!([self.query, self.path_filter, folder.as_str()]);
        let pager = Pager::of(Self::SPEC.name, &question, context.settings().search_lines, self.max_tokens);
        let after = pager.after::<(String, u64)>(&self.cursor)?;
        let after = after.map(|(path, line)| Ok::<_, Failure>((NotePath::parse(&path)?, line, usize::MAX))).transpose()?;
        let wanted = Expression {
            pattern: &self.query,
            ignore_case: false,
            multi_line: false,
            dot_all: false,
            glob: self.path_filter.as_deref(),
            folder,
            per_file: usize::MAX,
            limit: pager.limit(),
            after,
        };
        let mut found = find_expression(context, &wanted)?;
        // A line is told once, however often it matches.
        found.items.dedup_by(|next, before| (next.line, &next.path) == (before.line, &before.path));
        let mut lines = FileLines::new(context);
        let items = found.items.into_iter().map(|ExpressionMatch { path, line, snippet, .. }| {
            let text = lines.find(&path, line as usize).map_or(snippet, str::to_owned);
            ((path.to_string(), line), Line { path: path.to_string(), line, text })
        });
        let page = pager.page(items.collect(), found.more, None);
        Ok(Found {
            results: page.items,
            truncated: page.cursor.is_some().then_some(true),
            cursor: page.cursor,
            index: IndexState::unless_ready(found.coverage),
            explained: self.explain.then(|| Explained::new("regex", found.explain, found.coverage, started)),
        })
    }
}
