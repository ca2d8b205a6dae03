//! Files that are no notes.

use quillgate_index::Entry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::attachment::{count_references, is_attachment};
use super::mime::mime_of;
use crate::context::Context;
use crate::failure::{Failure, Issue};
use crate::page::{Cursor, Limit, MaxTokens, Page, Pager};
use crate::root::Root;
use crate::time;
use crate::tool::{Spec, Tool};

/// List images, PDFs and other files that are no notes, canvases or bases, by path, with the number of links to each. With orphans_only those that nothing links to.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListAttachments {
    #[serde(default)]
    root: Root,
    /// Only files with these extensions, such as .png; all by default
    #[serde(default)]
    #[schemars(length(max = 100))]
    extensions: Vec<String>,
    /// Only files that something links to
    #[serde(default)]
    referenced_only: bool,
    /// Only files that nothing links to
    #[serde(default)]
    orphans_only: bool,
    #[serde(default)]
    limit: Limit,
    #[serde(default)]
    cursor: Cursor,
    #[serde(default)]
    max_tokens: MaxTokens,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Attachment {
    path: String,
    size_bytes: u64,
    mime: &'static str,
    mtime: String,
    /// Links to it, embeds among them
    reference_count: usize,
}

impl Tool for ListAttachments {
    const SPEC: Spec = Spec::reading("list_attachments", "List attachments").scopes(&["read:attachments"]);
    type Output = Page<Attachment>;

    fn run(self, context: &Context<'_>) -> Result<Page<Attachment>, Failure> {
        if self.referenced_only && self.orphans_only {
            let expected = "excludes referenced_only; set one of them".to_owned();
            return Err(Failure::InvalidInput(vec![Issue::new("orphans_only", expected)]));
        }
        let folder = self.root.folder(context)?;
        let question = json!([folder.as_str(), self.extensions, self.referenced_only, self.orphans_only]);
        let pager = Pager::new(Self::SPEC.name, &question, self.limit, self.max_tokens);
        let after = pager.after::<String>(&self.cursor)?;
        let catalogue = context.catalogue()?;
        let has_extension = |entry: &Entry| {
            let wanted = self.extensions.iter().map(|extension| extension.trim_start_matches('.'));
            self.extensions.is_empty() || wanted.into_iter().any(|wanted| entry.path.extension().eq_ignore_ascii_case(wanted))
        };
        let is_wanted = |entry: &Entry| match (self.referenced_only, self.orphans_only) {
            (false, false) => true,
            (referenced, _) => catalogue.backlink_sources(&entry.path).sources.is_empty() != referenced,
        };
        let files = catalogue.files_below(&folder).filter(|entry| is_attachment(&entry.path));
        let files: Vec<&Entry> = files.filter(|entry| has_extension(entry) && is_wanted(entry)).collect();
        let show = |entry: &Entry| Attachment {
            path: entry.path.to_string(),
            size_bytes: entry.stat.size,
            mime: mime_of(entry.path.extension()),
            mtime: time::shown(entry.stat.modified),
            reference_count: count_references(&catalogue, &entry.path),
        };
        Ok(pager.page_of_all(files, after, |entry| entry.path.to_string(), show))
    }
}
