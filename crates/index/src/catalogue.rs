//! All files of the vault in memory, found by path, by name and by what links to them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Bound;
use std::sync::Arc;

use quillgate_markdown::fold;
use quillgate_vault::{FolderPath, LinkFormat, NotePath, Stat};

use crate::entry::Entry;
use crate::names::{Names, find_link_target, link_name};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub(crate) u32);

#[derive(Default)]
pub struct Catalogue {
    entries: Vec<Option<Entry>>,
    free: Vec<FileId>,
    /// Ordered, so that listings and folders come out sorted.
    by_path: BTreeMap<NotePath, FileId>,
    /// By what the text index calls a path.
    by_key: HashMap<u64, FileId>,
    by_name: HashMap<Box<str>, Vec<FileId>>,
    /// Sources by the name their links give. Links are resolved when asked, so a new file never makes this stale.
    linkers: HashMap<Box<str>, Vec<FileId>>,
    tag_names: HashSet<Arc<str>>,
    generation: u64,
}

impl Catalogue {
    /// Grows with every change; equal numbers mean equal answers.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    pub fn len(&self) -> usize {
        self.by_path.len()
    }

    pub fn is_empty(&self) -> bool {
        self.by_path.is_empty()
    }

    pub fn find(&self, path: &NotePath) -> Option<&Entry> {
        self.by_path.get(path).and_then(|&id| self.entry(id))
    }

    pub fn find_id(&self, path: &NotePath) -> Option<FileId> {
        self.by_path.get(path).copied()
    }

    /// The file that the text index knows by this key.
    pub(crate) fn find_by_key(&self, key: u64) -> Option<(FileId, &Entry)> {
        let &id = self.by_key.get(&key)?;
        Some((id, self.entry(id)?))
    }

    /// All files, by path.
    pub fn files(&self) -> impl Iterator<Item = &Entry> {
        self.by_path.values().filter_map(|&id| self.entry(id))
    }

    /// All Markdown notes, by path.
    pub fn notes(&self) -> impl Iterator<Item = &Entry> {
        self.files().filter(|entry| entry.path.is_note())
    }

    /// The files below a folder, by path.
    pub fn files_below(&self, folder: &FolderPath) -> impl Iterator<Item = &Entry> {
        // `0` comes right behind `/`.
        let bounds = match folder.as_str() {
            "" => (Bound::Unbounded, Bound::Unbounded),
            path => (Bound::Included(format!("{path}/")), Bound::Excluded(format!("{path}0"))),
        };
        let bounds = (bounds.0.as_ref().map(String::as_str), bounds.1.as_ref().map(String::as_str));
        self.by_path.range::<str, _>(bounds).filter_map(|(_, &id)| self.entry(id))
    }

    /// The files that a wikilink's bare name could mean, whatever their folder.
    pub fn named(&self, name: &str) -> Vec<NotePath> {
        let folded = fold(name);
        let mut found = self.with_name(&format!("{folded}.md"));
        found.extend(self.with_name(&folded));
        found.sort();
        found
    }

    pub fn resolve(&self, source: &NotePath, link_path: &str) -> Option<NotePath> {
        find_link_target(self, source, link_path)
    }

    /// The files with a link that gives this file's name; each may mean another file of that name.
    pub(crate) fn possible_linkers(&self, path: &NotePath) -> Vec<&Entry> {
        let name = fold(path.name());
        let mut ids: Vec<FileId> = self.linkers.get(&*name).cloned().unwrap_or_default();
        if let Some(stem) = name.strip_suffix(".md") {
            ids.extend(self.linkers.get(stem).into_iter().flatten());
        }
        ids.sort_unstable();
        ids.dedup();
        let mut entries: Vec<&Entry> = ids.into_iter().filter_map(|id| self.entry(id)).collect();
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        entries
    }

    pub(crate) fn upsert(&mut self, mut entry: Entry) {
        self.remove(&entry.path);
        self.generation += 1;
        let id = self.free.pop().unwrap_or_else(|| {
            self.entries.push(None);
            FileId(u32::try_from(self.entries.len() - 1).unwrap_or(u32::MAX))
        });
        for tag in &mut entry.tags {
            *tag = self.shared_tag(tag);
        }
        for name in link_names(&entry) {
            self.linkers.entry(name.into()).or_default().push(id);
        }
        self.by_name.entry(fold(entry.path.name()).into()).or_default().push(id);
        self.by_key.insert(entry.key(), id);
        self.by_path.insert(entry.path.clone(), id);
        self.entries[id.0 as usize] = Some(entry);
    }

    /// A file whose bytes are the same: only what the file system says of it is new.
    pub(crate) fn touch(&mut self, path: &NotePath, stat: Stat, read_at: i64) {
        let Some(&id) = self.by_path.get(path) else { return };
        if let Some(entry) = self.entries[id.0 as usize].as_mut() {
            entry.stat = stat;
            entry.read_at = read_at;
            self.generation += 1;
        }
    }

    pub(crate) fn remove(&mut self, path: &NotePath) -> Option<Entry> {
        let id = self.by_path.remove(path)?;
        let entry = self.entries[id.0 as usize].take()?;
        self.generation += 1;
        self.by_key.remove(&entry.key());
        drop_id(&mut self.by_name, &fold(entry.path.name()), id);
        for name in link_names(&entry) {
            drop_id(&mut self.linkers, &name, id);
        }
        self.free.push(id);
        Some(entry)
    }

    pub fn entry(&self, id: FileId) -> Option<&Entry> {
        self.entries.get(id.0 as usize).and_then(Option::as_ref)
    }

    fn shared_tag(&mut self, tag: &Arc<str>) -> Arc<str> {
        if let Some(known) = self.tag_names.get(tag) {
            return known.clone();
        }
        self.tag_names.insert(tag.clone());
        tag.clone()
    }
}

impl Names for Catalogue {
    fn with_name(&self, folded_name: &str) -> Vec<NotePath> {
        let ids = self.by_name.get(folded_name).map(Vec::as_slice).unwrap_or_default();
        ids.iter().filter_map(|&id| self.entry(id)).map(|entry| entry.path.clone()).collect()
    }
}

fn drop_id(map: &mut HashMap<Box<str>, Vec<FileId>>, key: &str, id: FileId) {
    let Some(ids) = map.get_mut(key) else { return };
    ids.retain(|&other| other != id);
    if ids.is_empty() {
        map.remove(key);
    }
}

/// The distinct names that a file's links give.
fn link_names(entry: &Entry) -> HashSet<String> {
    entry.card().links.iter().filter(|link| !link.path.is_empty()).map(|link| link_name(&link.path)).collect()
}

/// What each file was at a moment, to tell later what has changed.
pub struct Fingerprints(HashMap<NotePath, (u64, i64)>);

impl Catalogue {
    pub fn fingerprints(&self) -> Fingerprints {
        Fingerprints(self.files().map(|entry| (entry.path.clone(), (entry.stat.size, entry.stat.modified))).collect())
    }

    /// Files that are new, different or gone since then.
    pub fn changes_since(&self, before: &Fingerprints) -> usize {
        let unchanged = |entry: &&Entry| before.0.get(&entry.path) == Some(&(entry.stat.size, entry.stat.modified));
        let kept = self.files().filter(unchanged).count();
        let known = self.files().filter(|entry| before.0.contains_key(&entry.path)).count();
        (self.len() - kept) + (before.0.len() - known)
    }

    /// How a link in `source` to `target` is written in the vault's format; the target may not exist yet.
    pub fn link_path(&self, source: &NotePath, target: &NotePath, format: LinkFormat) -> String {
        crate::relink::link_path_to(self, format, source, target)
    }
}
