//! A set of notes, by path, a page at a time.

use quillgate_vault::{FolderPath, NotePath};
use roaring::RoaringBitmap;

use crate::catalogue::{Catalogue, FileId};
use crate::entry::Entry;

pub struct NotePage<'a> {
    pub notes: Vec<(FileId, &'a Entry)>,
    /// How many there are below the folder, on all pages.
    pub total: usize,
    /// Whether more follow behind the last one.
    pub more: bool,
}

impl Catalogue {
    /// Those of the given files that lie below `folder`, by path: `limit` of them behind `after`.
    pub fn page_of(&self, ids: &RoaringBitmap, folder: &FolderPath, after: Option<&NotePath>, limit: usize) -> NotePage<'_> {
        // Sorting a few is cheaper than walking past all.
        let few = usize::try_from(ids.len()).unwrap_or(usize::MAX) < self.len() / 16;
        if few { self.sorted_page(ids, folder, after, limit) } else { self.walked_page(ids, folder, after, limit) }
    }

    fn sorted_page(&self, ids: &RoaringBitmap, folder: &FolderPath, after: Option<&NotePath>, limit: usize) -> NotePage<'_> {
        let root = folder.as_str();
        let is_below =
            |entry: &Entry| root.is_empty() || entry.path.as_str().strip_prefix(root).is_some_and(|rest| rest.starts_with('/'));
        let entries = ids.iter().filter_map(|id| self.entry(FileId(id)).map(|entry| (FileId(id), entry)));
        let mut notes: Vec<(FileId, &Entry)> = entries.filter(|(_, entry)| is_below(entry)).collect();
        let total = notes.len();
        notes.retain(|(_, entry)| after.is_none_or(|after| entry.path > *after));
        notes.sort_unstable_by(|a, b| a.1.path.cmp(&b.1.path));
        let more = notes.len() > limit;
        notes.truncate(limit);
        NotePage { notes, total, more }
    }

    fn walked_page(&self, ids: &RoaringBitmap, folder: &FolderPath, after: Option<&NotePath>, limit: usize) -> NotePage<'_> {
        let is_all = folder.as_str().is_empty();
        let count = || self.ids_below(folder, None).filter(|id| ids.contains(id.0)).count();
        let total = if is_all { usize::try_from(ids.len()).unwrap_or(usize::MAX) } else { count() };
        let mut found = self.ids_below(folder, after).filter(|id| ids.contains(id.0));
        let notes = found.by_ref().take(limit).filter_map(|id| Some((id, self.entry(id)?))).collect();
        let more = found.next().is_some();
        NotePage { notes, total, more }
    }
}
