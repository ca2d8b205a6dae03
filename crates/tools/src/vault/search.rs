//! Searching names, tags and text.

use std::time::Instant;

use quillgate_index::{Anywhere, AnywhereKey, MatchKind, TextMatch, search_anywhere};
use quillgate_vault::NotePath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::context::Context;
use crate::failure::Failure;
use crate::page::{Cursor, IndexState, MaxTokens, Pager};
use crate::root::Root;
use crate::searching::Explained;
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

fn twenty() -> usize {
    20
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Found {
    query: String,
    /// All matches, also those beyond max_results
    total_matches: usize,
    results: Vec<Line>,
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
    /// filename, tag or content
    match_type: &'static str,
    snippet: String,
    line: usize,
}

impl Tool for VaultSearch {
    const SPEC: Spec = Spec::reading("vault_search", "Search the vault");
    type Output = Found;

    fn run(self, context: &Context<'_>) -> Result<Found, Failure> {
        let started = Instant::now();
        let folder = self.root.folder_with_slashes(context)?;
        let question = json!([self.query, folder.as_str()]);
        let pager = Pager::of(Self::SPEC.name, &question, self.max_results, self.max_tokens);
        let after = pager.after::<Key>(&self.cursor)?.map(key).transpose()?;
        let wanted = Anywhere { query: &self.query, folder, limit: pager.limit(), after };
        let found = search_anywhere(context.index_so_far(), &wanted, &|| context.go_on());
        let items = found.items.into_iter().map(Line::of).map(|line| (line.key(), line));
        let page = pager.page(items.collect(), found.more, found.total);
        Ok(Found {
            query: self.query,
            total_matches: page.total_count.unwrap_or_default(),
            results: page.items,
            cursor: page.cursor,
            index: IndexState::unless_ready(found.coverage),
            explained: self.explain.then(|| Explained::new("literal", found.explain, found.coverage, started)),
        })
    }
}

/// Kind, path and line of the last result.
type Key = (String, String, usize);

const KINDS: [(MatchKind, &str); 3] = [(MatchKind::Name, "filename"), (MatchKind::Tag, "tag"), (MatchKind::Text, "content")];

fn key((kind, path, line): Key) -> Result<AnywhereKey, Failure> {
    let kind = KINDS.into_iter().find(|(_, name)| *name == kind).map_or(MatchKind::Text, |(kind, _)| kind);
    Ok(AnywhereKey { kind, path: NotePath::parse(&path)?, line })
}

impl Line {
    fn key(&self) -> Key {
        (self.match_type.to_owned(), self.path.clone(), self.line)
    }

    fn of(found: TextMatch) -> Line {
        let match_type = KINDS.into_iter().find(|(kind, _)| *kind == found.kind).map_or("content", |(_, name)| name);
        Line { path: found.path.to_string(), match_type, snippet: found.snippet, line: found.line }
    }
}
