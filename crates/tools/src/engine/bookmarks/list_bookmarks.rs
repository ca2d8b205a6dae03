//! The bookmarks of the app.

use quillgate_vault::ControlFile;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::bookmark::{Bookmark, all_bookmarks, groups, is_in, no_group, top_list};
use crate::context::Context;
use crate::control_text::ControlText;
use crate::failure::Failure;
use crate::page::{Cursor, Limit, MaxTokens, Page, Pager};
use crate::tool::{Spec, Tool};
use quillgate_markdown::fold;

/// List the bookmarks of the app in their order, with those in groups.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListBookmarks {
    /// Only in this group and below it; groups in groups are written Outer/Inner
    #[serde(default)]
    group: Option<String>,
    #[serde(default)]
    limit: Limit,
    #[serde(default)]
    cursor: Cursor,
    #[serde(default)]
    max_tokens: MaxTokens,
}

impl Tool for ListBookmarks {
    const SPEC: Spec = Spec::reading("list_bookmarks", "List bookmarks").scopes(&["read:bookmarks"]);
    type Output = Page<Bookmark>;

    fn run(self, context: &Context<'_>) -> Result<Page<Bookmark>, Failure> {
        let pager = Pager::new(Self::SPEC.name, &json!([self.group]), self.limit, self.max_tokens);
        let after = pager.after::<usize>(&self.cursor)?;
        let file = ControlText::read(context, ControlFile::Bookmarks)?;
        if let Some(group) = &self.group {
            let known = groups(top_list(&file)?);
            if !known.iter().any(|name| fold(name) == fold(group)) {
                return Err(no_group(group, &known));
            }
        }
        let fits = |bookmark: &Bookmark| self.group.as_ref().is_none_or(|group| is_in(bookmark, group));
        let found = all_bookmarks(&file)?.into_iter().map(|found| found.bookmark).filter(fits);
        Ok(pager.page_of_all(found.enumerate().collect(), after, |(place, _)| *place, |(_, bookmark)| bookmark))
    }
}
