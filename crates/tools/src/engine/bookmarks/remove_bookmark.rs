//! Removing a bookmark.

use quillgate_markdown::{Edits, JsonLayout, change_items};
use quillgate_vault::ControlFile;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bookmark::all_bookmarks;
use crate::context::Context;
use crate::control_text::ControlText;
use crate::failure::Failure;
use crate::plan::Plan;
use crate::tool::{ChangeTool, Effect, Idempotency, Spec};

/// Remove a bookmark from the app's, by the id that list_bookmarks gives. What it leads to stays.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RemoveBookmark {
    /// Id of the bookmark
    #[schemars(length(min = 1, max = 64))]
    id: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    id: String,
    /// False if there is no such bookmark
    removed: bool,
}

impl ChangeTool for RemoveBookmark {
    const SPEC: Spec =
        Spec::writing("remove_bookmark", "Remove a bookmark", Effect::Change, Idempotency::Natural).scopes(&["delete:bookmarks"]);
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let file = ControlText::read(context, ControlFile::Bookmarks)?;
        let found = all_bookmarks(&file)?.into_iter().find(|found| found.bookmark.id == self.id);
        let removed = found.is_some();
        let edits = found.map(|found| change_items(&file.text, found.list, &[found.place].into(), &[], JsonLayout::Spread));
        let after = Edits::new(edits.unwrap_or_default())?.apply(&file.text);
        let change = file.write(context.vault().control_transaction(), after);
        Ok(Plan::new(change, move |_| Ok(Outcome { id: self.id, removed })))
    }
}
