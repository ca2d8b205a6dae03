//! The notes that have a tag.

use std::collections::HashSet;

use quillgate_index::{Catalogue, Entry, FileId, TagDepth};
use quillgate_markdown::fold;
use quillgate_vault::FolderPath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::list_tags::Source;
use crate::context::Context;
use crate::failure::{Failure, Issue};
use crate::page::{Cursor, Limit, MaxTokens, Page, Pager};
use crate::root::Root;
use crate::tool::{Spec, Tool};

/// Find the notes that have a tag, in frontmatter or text, by path. Give tag for one or tags for several; with or without #, case does not matter.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FindNotesByTag {
    /// One tag
    #[serde(default)]
    #[schemars(length(max = 200))]
    tag: Option<String>,
    /// Several tags, of which one is enough unless require_all is set
    #[serde(default)]
    #[schemars(length(max = 50))]
    tags: Vec<String>,
    /// Let area stand for area/work too
    #[serde(default = "yes")]
    hierarchical: bool,
    /// Only notes that have every tag
    #[serde(default)]
    require_all: bool,
    #[serde(default)]
    root: Root,
    #[serde(default)]
    limit: Limit,
    #[serde(default)]
    cursor: Cursor,
    #[serde(default)]
    max_tokens: MaxTokens,
}

fn yes() -> bool {
    true
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Tagged {
    path: String,
    /// Tags of the note that fit, without #
    matched_tags: Vec<String>,
    /// Where they stand
    source: Source,
}

impl Tool for FindNotesByTag {
    const SPEC: Spec = Spec::reading("find_notes_by_tag", "Find notes by tag");
    type Output = Page<Tagged>;

    fn run(self, context: &Context<'_>) -> Result<Page<Tagged>, Failure> {
        let folder = self.root.folder(context)?;
        let tags: Vec<&str> = self.tag.iter().chain(&self.tags).map(|tag| tag.trim_start_matches('#')).collect();
        if tags.is_empty() || tags.contains(&"") {
            let expected = "is required, or tags; name at least one, such as work or area/work".to_owned();
            return Err(Failure::InvalidInput(vec![Issue::new("tag", expected)]));
        }
        let question = json!([tags, self.hierarchical, self.require_all, folder.as_str()]);
        let pager = Pager::new(Self::SPEC.name, &question, self.limit, self.max_tokens);
        let after = pager.after::<String>(&self.cursor)?;
        let catalogue = context.catalogue()?;
        let wanted = Wanted { tags: &tags, depth: if self.hierarchical { TagDepth::Below } else { TagDepth::Exact } };
        let notes = wanted.find(&catalogue, self.require_all, &folder);
        Ok(pager.page_of_all(notes, after, |entry| entry.path.to_string(), |entry| wanted.tagged(entry)))
    }
}

struct Wanted<'a> {
    tags: &'a [&'a str],
    depth: TagDepth,
}

impl Wanted<'_> {
    /// The notes that have one of the tags, or all of them, by path.
    fn find<'c>(&self, catalogue: &'c Catalogue, require_all: bool, folder: &FolderPath) -> Vec<&'c Entry> {
        let mut sets = self.tags.iter().map(|tag| catalogue.with_tag(tag, self.depth));
        let mut found: Vec<FileId> = sets.next().unwrap_or_default();
        for set in sets {
            let known: HashSet<FileId> = if require_all { &set } else { &found }.iter().copied().collect();
            if require_all {
                found.retain(|id| known.contains(id));
            } else {
                found.extend(set.into_iter().filter(|id| !known.contains(id)));
            }
        }
        let mut notes: Vec<&Entry> = found.into_iter().filter_map(|id| catalogue.entry(id)).collect();
        notes.retain(|entry| folder.contains(&entry.path));
        notes.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        notes
    }

    /// The note with those of its tags that fit, each once whatever its case.
    fn tagged(&self, entry: &Entry) -> Tagged {
        let card = entry.card();
        let in_text = card.inline_tags.iter().map(|(tag, _)| (tag, true));
        let all = card.property_tags.iter().map(|tag| (tag, false)).chain(in_text);
        let (mut matched_tags, mut known) = (Vec::new(), HashSet::new());
        let (mut is_inline, mut is_frontmatter) = (false, false);
        for (tag, stands_in_text) in all.filter(|(tag, _)| self.fits(tag)) {
            *(if stands_in_text { &mut is_inline } else { &mut is_frontmatter }) = true;
            if known.insert(fold(tag)) {
                matched_tags.push(tag.clone());
            }
        }
        Tagged { path: entry.path.to_string(), matched_tags, source: Source::of(is_inline, is_frontmatter) }
    }

    fn fits(&self, tag: &str) -> bool {
        let tag = fold(tag);
        self.tags.iter().any(|wanted| match tag.strip_prefix(&fold(wanted)) {
            Some("") => true,
            Some(rest) => self.depth == TagDepth::Below && rest.starts_with('/'),
            None => false,
        })
    }
}
