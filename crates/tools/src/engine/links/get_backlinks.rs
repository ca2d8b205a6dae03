//! Who links to a note.

use quillgate_index::{Backlink, Catalogue, FileId};
use quillgate_vault::{NotePath, VaultError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::context::Context;
use crate::failure::Failure;
use crate::file_lines::FileLines;
use crate::page::{Cursor, Limit, MaxTokens, Page, Pager};
use crate::tool::{Spec, Tool};

/// List the notes that link to a file, by path, with the number of links in each. A file's links to itself do not count.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GetBacklinks {
    /// File that is linked to, with its extension
    #[schemars(length(min = 1, max = 1024))]
    path: String,
    /// Also return the lines that the links stand on
    #[serde(default)]
    include_context: bool,
    /// Count embeds, such as ![[picture.png]], too
    #[serde(default = "yes")]
    include_embeds: bool,
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
pub(crate) struct Source {
    source_path: String,
    link_count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    contexts: Option<Vec<LinkLine>>,
}

#[derive(Serialize, JsonSchema)]
struct LinkLine {
    /// From 1
    line: u32,
    text: String,
}

impl Tool for GetBacklinks {
    const SPEC: Spec = Spec::reading("get_backlinks", "List backlinks");
    type Output = Page<Source>;

    fn run(self, context: &Context<'_>) -> Result<Page<Source>, Failure> {
        let path = NotePath::parse(&self.path)?;
        let pager = Pager::new(Self::SPEC.name, &json!([path.as_str(), self.include_embeds]), self.limit, self.max_tokens);
        let after = pager.after::<String>(&self.cursor)?;
        let found = self.find(context, &path, after, &pager)?;
        let mut lines = FileLines::new(context);
        let show = |Linker { path, lines: numbers }: Linker| {
            let key = path.to_string();
            let contexts = self.include_context.then(|| context_of(&mut lines, &path, &numbers));
            (key.clone(), Source { source_path: key, link_count: numbers.len(), contexts })
        };
        Ok(pager.page(found.items.into_iter().map(show).collect(), found.more, Some(found.total)))
    }
}

/// A file that links here, and the line of each link.
struct Linker {
    path: NotePath,
    lines: Vec<u32>,
}

struct Linkers {
    items: Vec<Linker>,
    more: bool,
    total: usize,
}

impl GetBacklinks {
    /// The files behind `after`, looked up while the catalogue is held; their lines are read once it is free again.
    fn find(&self, context: &Context<'_>, path: &NotePath, after: Option<String>, pager: &Pager) -> Result<Linkers, Failure> {
        let catalogue = context.catalogue()?;
        if catalogue.find(path).is_none() {
            return Err(VaultError::NotFound(path.clone()).into());
        }
        let (after, limit) = (after.as_deref(), pager.limit());
        let find = if self.include_embeds { linkers } else { linkers_without_embeds };
        Ok(find(&catalogue, path, after, limit))
    }
}

/// Of a file that everything links to, only what is shown is looked at.
fn linkers(catalogue: &Catalogue, target: &NotePath, after: Option<&str>, limit: usize) -> Linkers {
    let found = catalogue.backlink_sources(target);
    let is_told = |&id: &FileId| catalogue.entry(id).is_some_and(|entry| after.is_some_and(|after| entry.path.as_str() <= after));
    let start = found.sources.partition_point(is_told);
    let linker = |&id: &FileId| {
        let path = catalogue.entry(id)?.path.clone();
        Some(Linker { path, lines: catalogue.backlink_lines(&found, target, id) })
    };
    let items = found.sources[start..].iter().take(limit).filter_map(linker).collect();
    Linkers { items, more: found.sources.len() > start.saturating_add(limit), total: found.sources.len() }
}

/// Which links are embeds, only the cards know.
fn linkers_without_embeds(catalogue: &Catalogue, target: &NotePath, after: Option<&str>, limit: usize) -> Linkers {
    let mut all = catalogue.backlinks(target);
    all.iter_mut().for_each(|backlink| backlink.links.retain(|link| !link.embed));
    all.retain(|backlink| !backlink.links.is_empty());
    let total = all.len();
    let rest = all.into_iter().filter(|backlink| after.is_none_or(|after| backlink.source.as_str() > after));
    let linker = |Backlink { source, links }| Linker { lines: links.iter().map(|link| link.line).collect(), path: source };
    let mut items: Vec<Linker> = rest.map(linker).collect();
    let more = items.len() > limit;
    items.truncate(limit);
    Linkers { items, more, total }
}

/// The lines as they are now; a source that has just gone has none.
fn context_of(lines: &mut FileLines<'_>, path: &NotePath, numbers: &[u32]) -> Vec<LinkLine> {
    let mut numbers = numbers.to_vec();
    numbers.sort_unstable();
    numbers.dedup();
    let shown = numbers.into_iter().filter_map(|line| {
        let text = lines.find(path, line as usize)?.trim();
        Some(LinkLine { line, text: text.to_owned() })
    });
    shown.collect()
}
