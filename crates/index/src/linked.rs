//! Links between files by their numbers, for questions about many files: all from memory.

use quillgate_vault::FolderPath;

use crate::catalogue::{Catalogue, FileId};
use crate::names::folder_of;

/// A link that stands in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkedFile<'a> {
    /// As written, decoded, without the part behind `#`.
    pub path: &'a str,
    pub target: Option<FileId>,
    pub line: u32,
    pub embed: bool,
}

impl Catalogue {
    /// The links of a file in its order, without those that mean a place in the file itself.
    pub fn links_of(&self, source: FileId) -> impl Iterator<Item = LinkedFile<'_>> {
        self.references(source).iter().map(move |&reference| LinkedFile {
            path: &self.links().spelling(reference.spelling).path,
            target: self.target(source, reference),
            line: reference.line(),
            embed: reference.is_embed(),
        })
    }

    /// The other files with a link to this one, by path, each once.
    pub fn sources_of(&self, target: FileId) -> Vec<FileId> {
        let mut sources = Vec::new();
        self.add_sources(target, &mut sources);
        self.by_path_order(sources)
    }

    /// The file that a link path means in a file; the file itself where the path is empty.
    pub fn resolve_from(&self, source: FileId, link_path: &str) -> Option<FileId> {
        let entry = self.entry(source)?;
        if link_path.is_empty() { Some(source) } else { self.target_of_path(folder_of(&entry.path), link_path) }
    }

    /// The file that a link path means in a folder.
    pub fn resolve_in(&self, folder: &FolderPath, link_path: &str) -> Option<FileId> {
        if link_path.is_empty() { None } else { self.target_of_path(folder.as_str(), link_path) }
    }
}
