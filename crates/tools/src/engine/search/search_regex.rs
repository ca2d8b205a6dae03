//! Finding matches of a regular expression.

use quillgate_index::Expression;
use quillgate_vault::NotePath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::context::Context;
use crate::failure::Failure;
use crate::page::{Cursor, Limit, MaxTokens, Page, Pager};
use crate::root::Root;
use crate::searching::{Flags, find_expression};
use crate::tool::{Spec, Tool};

/// Find the matches of a regular expression in all text files, by path. The engine is ripgrep's: linear time, no look-around, no back references. Escape . ( ) [ ] { } + * ? | to mean them literally.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchRegex {
    /// Regular expression, without slashes around it; ^ and $ match at every line
    #[schemars(length(min = 1, max = 1000))]
    pattern: String,
    /// Letters of i (ignore case), m (a match may run over lines), s (. takes line breaks too); empty to tell capitals from small letters
    #[serde(default = "ignoring_case")]
    #[schemars(length(max = 8))]
    flags: String,
    #[serde(default)]
    root: Root,
    /// Most matches of one file
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 1000))]
    max_matches_per_file: usize,
    #[serde(default)]
    limit: Limit,
    #[serde(default)]
    cursor: Cursor,
    #[serde(default)]
    max_tokens: MaxTokens,
}

fn ignoring_case() -> String {
    "i".to_owned()
}

fn ten() -> usize {
    10
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Match {
    path: String,
    /// From 1
    line: u64,
    /// Character of the line, from 1
    col: usize,
    /// The text that matched
    #[serde(rename = "match")]
    matched: String,
    /// The match in **bold** with some text around it
    snippet: String,
}

type Key = (String, u64, usize);

impl Tool for SearchRegex {
    const SPEC: Spec = Spec::reading("search_regex", "Search by expression");
    type Output = Page<Match>;

    fn run(self, context: &Context<'_>) -> Result<Page<Match>, Failure> {
        let folder = self.root.folder(context)?;
        let flags = Flags::parse_argument(&self.flags)?;
        let question = json!([self.pattern, self.flags, folder.as_str(), self.max_matches_per_file]);
        let pager = Pager::new(Self::SPEC.name, &question, self.limit, self.max_tokens);
        let after = pager.after::<Key>(&self.cursor)?;
        let after = after.map(|(path, line, col)| Ok::<_, Failure>((NotePath::parse(&path)?, line, col))).transpose()?;
        let wanted = Expression {
            pattern: &self.pattern,
            ignore_case: flags.ignore_case,
            multi_line: flags.multi_line,
            dot_all: flags.dot_all,
            glob: None,
            folder,
            per_file: self.max_matches_per_file,
            limit: pager.limit(),
            after,
        };
        let found = find_expression(context, &wanted)?;
        let items = found.items.into_iter().map(|found| {
            let path = found.path.to_string();
            let key: Key = (path.clone(), found.line, found.column);
            (key, Match { path, line: found.line, col: found.column, matched: found.matched, snippet: found.snippet })
        });
        Ok(pager.page(items.collect(), found.more, found.total).covering(found.coverage))
    }
}
