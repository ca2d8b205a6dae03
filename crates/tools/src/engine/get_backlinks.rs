//! Who links to a note.

use quillgate_index::Backlink;
use quillgate_vault::{NotePath, VaultError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::vault_name::VaultName;
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
    #[serde(default)]
    vault: VaultName,
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
        self.vault.check(context)?;
        let path = NotePath::parse(&self.path)?;
        let pager = Pager::new(Self::SPEC.name, &json!([path.as_str(), self.include_embeds]), self.limit, self.max_tokens);
        let after = pager.after::<String>(&self.cursor)?;
        let found = self.find(context, &path)?;
        let show = |backlink: Backlink| Source {
            source_path: backlink.source.to_string(),
            link_count: backlink.links.len(),
            contexts: self.include_context.then(|| lines(context, &backlink)),
        };
        Ok(pager.page_of_all(found, after, |backlink| backlink.source.to_string(), show))
    }
}

impl GetBacklinks {
    fn find(&self, context: &Context<'_>, path: &NotePath) -> Result<Vec<Backlink>, Failure> {
        let catalogue = context.catalogue()?;
        if catalogue.find(path).is_none() {
            return Err(VaultError::NotFound(path.clone()).into());
        }
        let mut found = catalogue.backlinks(path);
        if !self.include_embeds {
            found.iter_mut().for_each(|backlink| backlink.links.retain(|link| !link.embed));
            found.retain(|backlink| !backlink.links.is_empty());
        }
        Ok(found)
    }
}

/// The lines as they are now; a source that has just gone has none.
fn lines(context: &Context<'_>, backlink: &Backlink) -> Vec<LinkLine> {
    let mut numbers: Vec<u32> = backlink.links.iter().map(|link| link.line).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let mut lines = FileLines::new(context);
    let shown = numbers.into_iter().filter_map(|line| {
        let text = lines.find(&backlink.source, line as usize)?.trim();
        Some(LinkLine { line, text: text.to_owned() })
    });
    shown.collect()
}
