//! All tags of the vault.

use std::collections::BTreeMap;

use quillgate_index::Catalogue;
use quillgate_markdown::fold;
use quillgate_vault::NotePath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::Failure;
use crate::tool::{Spec, Tool};

/// List all tags of the vault, in frontmatter and text, with the number of notes that have them.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListTags {
    /// Order of the list
    #[serde(default)]
    sort: Sort,
}

#[derive(Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Sort {
    #[default]
    Name,
    Count,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Found {
    total: usize,
    tags: Vec<Tag>,
}

#[derive(Serialize, JsonSchema)]
struct Tag {
    tag: String,
    count: usize,
}

impl Tool for ListTags {
    const SPEC: Spec = Spec::reading("obsidian_list_tags", "List tags");
    type Output = Found;

    fn run(self, context: &Context<'_>) -> Result<Found, Failure> {
        let by_tag = notes_by_tag(&*context.catalogue()?);
        let mut tags: Vec<Tag> =
            by_tag.into_values().map(|(tag, notes)| Tag { tag: format!("#{tag}"), count: notes.len() }).collect();
        if let Sort::Count = self.sort {
            tags.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.tag.cmp(&b.tag)));
        }
        Ok(Found { total: tags.len(), tags })
    }
}

/// The notes of every tag; case does not matter, and the first spelling met is shown.
pub(crate) fn notes_by_tag(catalogue: &Catalogue) -> BTreeMap<String, (String, Vec<NotePath>)> {
    let mut by_tag: BTreeMap<String, (String, Vec<NotePath>)> = BTreeMap::new();
    for entry in catalogue.notes() {
        let card = entry.card();
        for tag in card.property_tags.iter().chain(card.inline_tags.iter().map(|(tag, _)| tag)) {
            let (_, notes) = by_tag.entry(fold(tag)).or_insert_with(|| (tag.clone(), Vec::new()));
            if notes.last() != Some(&entry.path) {
                notes.push(entry.path.clone());
            }
        }
    }
    by_tag
}
