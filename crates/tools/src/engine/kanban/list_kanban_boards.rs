//! The boards of a vault.

use quillgate_index::{PropertyFilter, PropertyOperator};
use quillgate_markdown::parse_board;
use quillgate_vault::NotePath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::board_note::MARK;
use crate::context::Context;
use crate::failure::{Failure, Issue};
use crate::page::{Cursor, Limit, MaxTokens, Page, Pager};
use crate::root::Root;
use crate::tool::{Spec, Tool};

/// List the Kanban boards of the vault with their lanes and the number of cards in each.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListKanbanBoards {
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
pub(crate) struct BoardSummary {
    path: String,
    lanes: Vec<LaneSummary>,
}

#[derive(Serialize, JsonSchema)]
struct LaneSummary {
    title: String,
    card_count: usize,
}

impl Tool for ListKanbanBoards {
    const SPEC: Spec = Spec::reading("list_kanban_boards", "List Kanban boards");
    type Output = Page<BoardSummary>;

    fn run(self, context: &Context<'_>) -> Result<Page<BoardSummary>, Failure> {
        let folder = self.root.folder(context)?;
        let pager = Pager::new(Self::SPEC.name, &json!([folder.as_str()]), self.limit, self.max_tokens);
        let after = pager.after::<String>(&self.cursor)?.map(|path| NotePath::parse(&path)).transpose()?;
        let filter = PropertyFilter::new(MARK, PropertyOperator::Exists, None)
            .map_err(|error| Failure::InvalidInput(vec![Issue::other(error.to_string())]))?;
        let (paths, more, total) = {
            let catalogue = context.catalogue()?;
            let found = catalogue.find_by_properties(&[filter], &folder, after.as_ref(), pager.limit());
            let paths: Vec<NotePath> = found.notes.iter().map(|(entry, _)| entry.path.clone()).collect();
            (paths, found.more, found.total)
        };
        let items =
            paths.iter().map(|path| (path.to_string(), BoardSummary { path: path.to_string(), lanes: lanes(context, path) }));
        Ok(pager.page(items.collect(), more, Some(total)))
    }
}

/// A board that went away meanwhile has no lanes.
fn lanes(context: &Context<'_>, path: &NotePath) -> Vec<LaneSummary> {
    let text = context.vault().read_text(path).ok().and_then(|contents| contents.into_text().ok()).unwrap_or_default();
    let lanes = parse_board(&text).lanes.into_iter();
    lanes.map(|lane| LaneSummary { card_count: lane.cards.len(), title: lane.title }).collect()
}
