//! All tags with their counts.

use std::collections::{BTreeMap, HashMap};

use quillgate_index::Catalogue;
use quillgate_markdown::fold;
use quillgate_vault::FolderPath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::context::Context;
use crate::failure::Failure;
use crate::page::{Cursor, Limit, MaxTokens, Page, Pager};
use crate::root::Root;
use crate::tool::{Spec, Tool};

/// List all tags with the number of notes that have them, by name. Case does not matter, and a tag such as area/work does not count for area.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListTags {
    #[serde(default)]
    root: Root,
    /// Count tags in the text, such as #work
    #[serde(default = "yes")]
    include_inline: bool,
    /// Count tags of the frontmatter
    #[serde(default = "yes")]
    include_frontmatter: bool,
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
pub(crate) struct Tag {
    /// Without #
    tag: String,
    /// Notes that have it
    count: usize,
    source: Source,
}

/// Where tags stand.
#[derive(Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Source {
    Inline,
    Frontmatter,
    Both,
}

impl Source {
    pub(super) fn of(is_inline: bool, is_frontmatter: bool) -> Source {
        match (is_inline, is_frontmatter) {
            (true, true) => Source::Both,
            (true, false) => Source::Inline,
            (false, _) => Source::Frontmatter,
        }
    }
}

impl Tool for ListTags {
    const SPEC: Spec = Spec::reading("list_tags", "List tags");
    type Output = Page<Tag>;

    fn run(self, context: &Context<'_>) -> Result<Page<Tag>, Failure> {
        let folder = self.root.folder(context)?;
        let question = json!([folder.as_str(), self.include_inline, self.include_frontmatter]);
        let pager = Pager::new(Self::SPEC.name, &question, self.limit, self.max_tokens);
        let after = pager.after::<String>(&self.cursor)?;
        let counts = counts(&*context.catalogue()?, &folder);
        let tags = counts.into_iter().filter_map(|counted| self.shown(counted)).collect();
        Ok(pager.page_of_all(tags, after, |tag: &Tag| fold(&tag.tag), |tag| tag))
    }
}

impl ListTags {
    fn shown(&self, counted: Counted) -> Option<Tag> {
        let Counted { tag, notes, inline, frontmatter } = counted;
        let count = match (self.include_inline, self.include_frontmatter) {
            (true, true) => notes,
            (true, false) => inline,
            (false, true) => frontmatter,
            (false, false) => 0,
        };
        let source = Source::of(inline > 0 && self.include_inline, frontmatter > 0 && self.include_frontmatter);
        (count > 0).then_some(Tag { tag, count, source })
    }
}

/// How many notes have a tag, and where.
struct Counted {
    tag: String,
    notes: usize,
    inline: usize,
    frontmatter: usize,
}

/// The tags below a folder, by folded name. Those of the whole vault are always counted; for a folder its notes are.
fn counts(catalogue: &Catalogue, folder: &FolderPath) -> Vec<Counted> {
    if folder.is_root() {
        let count = |tag: quillgate_index::TagCount<'_>| Counted {
            tag: tag.name.to_owned(),
            notes: tag.notes,
            inline: tag.inline,
            frontmatter: tag.frontmatter,
        };
        return catalogue.tags().map(count).collect();
    }
    let mut counts: BTreeMap<String, Counted> = BTreeMap::new();
    for entry in catalogue.files_below(folder).filter(|entry| entry.path.is_note()) {
        let card = entry.card();
        let inline = card.inline_tags.iter().map(|(tag, _)| (tag, true));
        let mut places: HashMap<String, (bool, bool)> = HashMap::new();
        for (tag, is_inline) in card.property_tags.iter().map(|tag| (tag, false)).chain(inline) {
            let key = fold(tag);
            counts.entry(key.clone()).or_insert_with(|| Counted { tag: tag.clone(), notes: 0, inline: 0, frontmatter: 0 });
            let (inline, frontmatter) = places.entry(key).or_default();
            *(if is_inline { inline } else { frontmatter }) = true;
        }
        for (key, (is_inline, is_frontmatter)) in places {
            if let Some(counted) = counts.get_mut(&key) {
                counted.notes += 1;
                counted.inline += usize::from(is_inline);
                counted.frontmatter += usize::from(is_frontmatter);
            }
        }
    }
    counts.into_values().collect()
}
