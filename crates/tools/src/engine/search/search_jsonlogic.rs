//! Finding notes by a JSONLogic expression.

use quillgate_index::{Found, JsonLogicError, Logic, search_logic};
use quillgate_vault::{FolderPath, NotePath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::context::Context;
use crate::failure::Failure;
use crate::page::{Cursor, Limit, MaxTokens, Page, Pager};
use crate::root::Root;
use crate::tool::{Spec, Tool};

/// Find the notes for which a JSONLogic expression is true, by path. Variables: path, content, frontmatter.KEY, tags (without #), links (paths they lead to). Example: {"and": [{"in": ["work", {"var": "tags"}]}, {">": [{"var": "frontmatter.priority"}, 2]}]}.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchJsonlogic {
    /// JSONLogic expression, one operator with its arguments
    logic: Map<String, Value>,
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
pub(crate) struct Match {
    path: String,
    /// Always true: notes for which the expression is false are left out
    matched: bool,
}

impl Tool for SearchJsonlogic {
    const SPEC: Spec = Spec::reading("search_jsonlogic", "Search by JSONLogic");
    type Output = Page<Match>;

    fn run(self, context: &Context<'_>) -> Result<Page<Match>, Failure> {
        let folder = self.root.folder(context)?;
        let pager = Pager::new(Self::SPEC.name, &json!([self.logic, folder.as_str()]), self.limit, self.max_tokens);
        let after = pager.after::<String>(&self.cursor)?;
        let found = find_logic(context, &Value::Object(self.logic), folder, pager.limit(), after)?;
        let items = found.items.into_iter().map(|path| (path.to_string(), Match { path: path.to_string(), matched: true }));
        Ok(pager.page(items.collect(), found.more, found.total).covering(found.coverage))
    }
}

/// The notes behind `after` for which the logic is true.
pub(super) fn find_logic(
    context: &Context<'_>,
    logic: &Value,
    folder: FolderPath,
    limit: usize,
    after: Option<String>,
) -> Result<Found<NotePath>, Failure> {
    let after = after.map(|path| NotePath::parse(&path)).transpose()?;
    let wanted = Logic { logic, folder, limit, after };
    search_logic(context.index()?, &wanted, &|| context.go_on()).map_err(|error| match error {
        JsonLogicError::Cancelled => Failure::Cancelled,
        costly if costly.is_budget() => Failure::Budget(costly.to_string()),
        wrong => Failure::Logic(wrong.to_string()),
    })
}
