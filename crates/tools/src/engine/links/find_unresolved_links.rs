//! Links that name no file.

use std::collections::BTreeMap;

use quillgate_index::Unresolved;
use quillgate_vault::{FolderPath, NotePath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::context::Context;
use crate::failure::Failure;
use crate::page::{Cursor, Limit, MaxTokens, Page, Pager};
use crate::root::Root;
use crate::tool::{Spec, Tool};

/// List broken links, those that name no file, and where they stand. By target: every missing name with all its places. By source: one item for each note and missing name.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FindUnresolvedLinks {
    #[serde(default)]
    root: Root,
    /// What an item is, and the order of the list
    #[serde(default)]
    group_by: GroupBy,
    #[serde(default)]
    limit: Limit,
    #[serde(default)]
    cursor: Cursor,
    #[serde(default)]
    max_tokens: MaxTokens,
}

#[derive(Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum GroupBy {
    #[default]
    Target,
    Source,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Missing {
    /// The name as the links give it
    target: String,
    sources: Vec<Place>,
}

#[derive(Clone, Serialize, JsonSchema)]
struct Place {
    path: String,
    /// From 1
    line: u32,
}

/// Source and target: with the first left empty, an item for each target.
type Key = (String, String);

impl Tool for FindUnresolvedLinks {
    const SPEC: Spec = Spec::reading("find_unresolved_links", "Find unresolved links");
    type Output = Page<Missing>;

    fn run(self, context: &Context<'_>) -> Result<Page<Missing>, Failure> {
        let folder = self.root.folder(context)?;
        let pager = Pager::new(Self::SPEC.name, &json!([folder.as_str(), self.group_by]), self.limit, self.max_tokens);
        let after = pager.after::<Key>(&self.cursor)?;
        let unresolved = context.catalogue()?.unresolved();
        let grouped: Vec<(Key, Vec<Place>)> = grouped(unresolved, self.group_by, &folder).into_iter().collect();
        let show = |((_, target), sources): (Key, Vec<Place>)| Missing { target, sources };
        Ok(pager.page_of_all(grouped, after, |(key, _)| key.clone(), show))
    }
}

fn grouped(unresolved: Vec<Unresolved>, group_by: GroupBy, folder: &FolderPath) -> BTreeMap<Key, Vec<Place>> {
    let mut grouped: BTreeMap<Key, Vec<Place>> = BTreeMap::new();
    let source = |path: &NotePath| match group_by {
        GroupBy::Target => String::new(),
        GroupBy::Source => path.to_string(),
    };
    for Unresolved { target, sources } in unresolved {
        for (path, line) in sources.into_iter().filter(|(path, _)| folder.contains(path)) {
            let place = Place { path: path.to_string(), line };
            grouped.entry((source(&path), target.clone())).or_default().push(place);
        }
    }
    grouped
}
