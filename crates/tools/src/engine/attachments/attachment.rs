//! Which files are attachments, and who refers to them.

use quillgate_index::Catalogue;
use quillgate_vault::{EntryKind, NotePath, Stat, VaultError};

use crate::context::Context;
use crate::failure::{Failure, Issue};

/// Notes, canvases and bases have tools and scopes of their own.
pub(super) fn is_attachment(path: &NotePath) -> bool {
    !["md", "canvas", "base"].iter().any(|extension| path.extension().eq_ignore_ascii_case(extension))
}

/// The path of an attachment, which need not exist.
pub(super) fn attachment_path(field: &str, path: &str) -> Result<NotePath, Failure> {
    let path = NotePath::parse(path)?;
    if is_attachment(&path) {
        return Ok(path);
    }
    let expected = format!("names {path}, which is a note, a canvas or a base; use the tools for those");
    Err(Failure::InvalidInput(vec![Issue::new(field, expected)]))
}

/// What the file system knows of an attachment, which must exist.
pub(super) fn existing(context: &Context<'_>, path: &NotePath) -> Result<Stat, Failure> {
    match context.vault().stat(path)? {
        (EntryKind::File, stat) => Ok(stat),
        (EntryKind::Folder, _) => Err(VaultError::IsFolder(path.clone()).into()),
        (EntryKind::Other, _) => Err(VaultError::NotRegular(path.clone()).into()),
    }
}

/// Links to a file, embeds among them.
pub(super) fn count_references(catalogue: &Catalogue, path: &NotePath) -> usize {
    let found = catalogue.backlink_sources(path);
    found.sources.iter().map(|&source| catalogue.backlink_lines(&found, path, source).len()).sum()
}
