//! Notes that nothing links to.

use quillgate_vault::{FolderPath, NotePath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::context::Context;
use crate::failure::Failure;
use crate::page::{Cursor, Limit, MaxTokens, Page, Pager};
use crate::root::Root;
use crate::tool::{Spec, Tool};

/// List the notes that no other file links to, by path, with the number of links they have themselves. Links from anywhere in the vault count, also from outside root.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FindOrphans {
    #[serde(default)]
    root: Root,
    /// Folders or notes to leave out, such as Templates
    #[serde(default)]
    #[schemars(length(max = 100))]
    exclude_paths: Vec<String>,
    #[serde(default)]
    limit: Limit,
    #[serde(default)]
    cursor: Cursor,
    #[serde(default)]
    max_tokens: MaxTokens,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Orphan {
    path: String,
    /// Links in it, also those that name no file
    outgoing_count: usize,
}

impl Tool for FindOrphans {
    const SPEC: Spec = Spec::reading("find_orphans", "Find orphans");
    type Output = Page<Orphan>;

    fn run(self, context: &Context<'_>) -> Result<Page<Orphan>, Failure> {
        let folder = self.root.folder(context)?;
        let excluded = self.exclude_paths.iter().map(|path| NotePath::parse(path)).collect::<Result<Vec<NotePath>, _>>()?;
        let pager = Pager::new(Self::SPEC.name, &json!([folder.as_str(), self.exclude_paths]), self.limit, self.max_tokens);
        let after = pager.after::<String>(&self.cursor)?;
        let catalogue = context.catalogue()?;
        let is_excluded = |path: &NotePath| {
            excluded.iter().any(|excluded| path == excluded || FolderPath::from(excluded.clone()).contains(path))
        };
        let mut orphans = catalogue.orphans();
        orphans.retain(|path| folder.contains(path) && !is_excluded(path));
        let outgoing = |path: &NotePath| catalogue.find(path).map_or(0, |entry| entry.card().links.len());
        let show = |path: NotePath| Orphan { outgoing_count: outgoing(&path), path: path.to_string() };
        Ok(pager.page_of_all(orphans, after, NotePath::to_string, show))
    }
}
