//! Finding lines that contain a literal text.

use quillgate_index::{Literal, LiteralKey, search_literal};
use quillgate_vault::NotePath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::context::Context;
use crate::failure::Failure;
use crate::page::{Cursor, Limit, MaxTokens, Page, Pager};
use crate::root::Root;
use crate::searching::shown_score;
use crate::tool::{Spec, Tool};

/// Find every line that contains a text exactly as written, best notes first. Give a word or a phrase that stands in the notes, not a question; for ranked words use search_vault.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchText {
    /// Text to find; no operators, every character counts
    #[schemars(length(min = 1, max = 1000))]
    query: String,
    /// Tell capitals from small letters
    #[serde(default)]
    case_sensitive: bool,
    /// Only where no letter, digit or _ stands on either side
    #[serde(default)]
    whole_word: bool,
    #[serde(default)]
    root: Root,
    #[serde(default)]
    limit: Limit,
    #[serde(default)]
    cursor: Cursor,
    #[serde(default)]
    max_tokens: MaxTokens,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Line {
    path: String,
    /// From 1
    line: usize,
    /// Character of the line, from 1
    col: usize,
    /// The match in **bold** with some text around it
    snippet: String,
    score: f64,
}

/// A rank as its bits, since a place in a list must come back exactly.
type Key = (u32, String, usize);

impl Tool for SearchText {
    const SPEC: Spec = Spec::reading("search_text", "Search for text");
    type Output = Page<Line>;

    fn run(self, context: &Context<'_>) -> Result<Page<Line>, Failure> {
        let folder = self.root.folder(context)?;
        let question = json!([self.query, self.case_sensitive, self.whole_word, folder.as_str()]);
        let pager = Pager::new(Self::SPEC.name, &question, self.limit, self.max_tokens);
        let after = pager.after::<Key>(&self.cursor)?.map(key).transpose()?;
        let wanted = Literal {
            query: &self.query,
            case_sensitive: self.case_sensitive,
            whole_word: self.whole_word,
            folder,
            limit: pager.limit(),
            after,
        };
        let found = search_literal(context.index_so_far(), &wanted, &|| context.go_on());
        let items = found.items.into_iter().map(|line| {
            let key: Key = (line.rank.to_bits(), line.path.to_string(), line.line);
            let path = line.path.to_string();
            (key, Line { path, line: line.line, col: line.column, snippet: line.snippet, score: shown_score(line.score) })
        });
        Ok(pager.page(items.collect(), found.more, found.total).covering(found.coverage))
    }
}

fn key((rank, path, line): Key) -> Result<LiteralKey, Failure> {
    Ok(LiteralKey { rank: f32::from_bits(rank), path: NotePath::parse(&path)?, line })
}
