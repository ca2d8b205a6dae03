//! The changes of a vault, newest first.

use quillgate_vault::{ChangeId, Filter, NotePath};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::change::{ShownChange, history};
use crate::context::Context;
use crate::failure::Failure;
use crate::moment::parse_moment;
use crate::page::{Cursor, Limit, MaxTokens, Page, Pager};
use crate::tool::{Spec, Tool};

/// List changes made to notes through this server, newest first: who made them, when, with which tool, and to which files. Changes made by other programs are not in it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HistoryList {
    /// Only changes of this file, with its extension
    #[serde(default)]
    #[schemars(length(max = 1024))]
    path: Option<String>,
    /// Only changes by this caller, as the list names them
    #[serde(default)]
    #[schemars(length(max = 256))]
    caller: Option<String>,
    /// Only changes of this session, as the list names them
    #[serde(default)]
    #[schemars(length(max = 256))]
    session: Option<String>,
    /// Only changes since then: a time such as 2026-11-17T14:00:00Z, a date, or 14:00 for today
    #[serde(default)]
    #[schemars(length(max = 64))]
    since: Option<String>,
    #[serde(default)]
    limit: Limit,
    #[serde(default)]
    cursor: Cursor,
    #[serde(default)]
    max_tokens: MaxTokens,
}

impl Tool for HistoryList {
    const SPEC: Spec = Spec::reading("history_list", "List changes");
    type Output = Page<ShownChange>;

    fn run(self, context: &Context<'_>) -> Result<Page<ShownChange>, Failure> {
        let question = json!([self.path, self.caller, self.session, self.since]);
        let pager = Pager::new(Self::SPEC.name, &question, self.limit, self.max_tokens);
        let after = pager.after::<ChangeId>(&self.cursor)?;
        let filter = Filter {
            path: self.path.as_deref().map(NotePath::parse).transpose()?,
            caller: self.caller,
            session: self.session,
            since: self.since.map(|since| parse_moment("since", &since, &context.now())).transpose()?,
            ..Filter::default()
        };
        let mut changes = history(context)?.list(&filter, after, pager.limit() + 1)?;
        let more = changes.len() > pager.limit();
        changes.truncate(pager.limit());
        let items = changes.iter().map(|change| (change.id, ShownChange::of(change))).collect();
        Ok(pager.page(items, more, None))
    }
}
