//! All files of the vault in memory, found by path, by name, by tag and by what links to them.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::sync::OnceLock;

use quillgate_markdown::fold;
use quillgate_vault::{FolderPath, LinkFormat, NotePath, Stat};

use crate::columns::{Columns, NoteFacts};
use crate::entry::{Entry, path_key};
use crate::kept::{Kept, Stored};
use crate::links::{Links, NameId, Reference};
use crate::mentions::Mentions;
use crate::names::{Names, find_link_target};
use crate::tags::{TagId, Tags};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub(crate) u32);

impl FileId {
    /// A small number, for tables by file. A file keeps its number; that of a file that is gone may be given to another.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Default)]
pub struct Catalogue {
    slots: Vec<Option<Slot>>,
    free: Vec<FileId>,
    /// Ordered, so that listings and folders come out sorted.
    by_path: BTreeMap<NotePath, FileId>,
    /// By what the text index calls a path.
    by_key: HashMap<u64, FileId>,
    links: Links,
    tags: Tags,
    /// The place of every file in the order of paths, once it was asked for.
    ranks: OnceLock<Box<[u32]>>,
    columns: Columns,
    generation: u64,
    /// By file, also where it is gone: the generation in which its card last changed.
    changed: Vec<u64>,
}

/// A file and what leads from it to others.
struct Slot {
    entry: Entry,
    name: NameId,
    references: Box<[Reference]>,
    tags: Box<[TagId]>,
}

impl Catalogue {
    /// Grows with every change; equal numbers mean equal answers.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The numbers under which something came, changed its card or went since a generation; all numbers since none.
    pub(crate) fn changed_since(&self, generation: Option<u64>) -> Vec<FileId> {
        let is_newer = |changed: u64| generation.is_none_or(|generation| changed > generation);
        (0..).map(FileId).zip(&self.changed).filter(|(_, changed)| is_newer(**changed)).map(|(id, _)| id).collect()
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

    /// All files with what the text index calls them, in no order.
    pub(crate) fn keys(&self) -> impl Iterator<Item = (u64, &Entry)> {
        self.by_key.iter().filter_map(|(&key, &id)| Some((key, self.entry(id)?)))
    }

    pub fn find_id(&self, path: &NotePath) -> Option<FileId> {
        self.by_path.get(path).copied()
    }

    /// The file that the text index knows by this key.
    pub(crate) fn find_by_key(&self, key: u64) -> Option<(FileId, &Entry)> {
        let &id = self.by_key.get(&key)?;
        Some((id, self.entry(id)?))
    }

    pub fn entry(&self, id: FileId) -> Option<&Entry> {
        self.slot(id).map(|slot| &slot.entry)
    }

    /// All files, by path.
    pub fn files(&self) -> impl Iterator<Item = &Entry> {
        self.by_path.values().filter_map(|&id| self.entry(id))
    }

    /// All Markdown notes, by path.
    pub fn notes(&self) -> impl Iterator<Item = &Entry> {
        self.files().filter(|entry| entry.path.is_note())
    }

    /// All files with their numbers, by path.
    pub fn numbered(&self) -> impl Iterator<Item = (FileId, &Entry)> {
        self.by_path.values().filter_map(|&id| Some((id, self.entry(id)?)))
    }

    /// All Markdown notes with their numbers, by path.
    pub fn numbered_notes(&self) -> impl Iterator<Item = (FileId, &Entry)> {
        self.numbered().filter(|(_, entry)| entry.path.is_note())
    }

    pub(crate) fn find_numbered(&self, path: &NotePath) -> Option<(FileId, &Entry)> {
        let id = self.find_id(path)?;
        Some((id, self.entry(id)?))
    }

    /// The files below a folder, by path.
    pub fn files_below(&self, folder: &FolderPath) -> impl Iterator<Item = &Entry> {
        self.numbered_below(folder).map(|(_, entry)| entry)
    }

    /// The files below a folder with their numbers, by path.
    pub fn numbered_below(&self, folder: &FolderPath) -> impl Iterator<Item = (FileId, &Entry)> {
        // `0` comes right behind `/`.
        let bounds = match folder.as_str() {
            "" => (Bound::Unbounded, Bound::Unbounded),
            path => (Bound::Included(format!("{path}/")), Bound::Excluded(format!("{path}0"))),
        };
        let bounds = (bounds.0.as_ref().map(String::as_str), bounds.1.as_ref().map(String::as_str));
        self.by_path.range::<str, _>(bounds).filter_map(|(_, &id)| Some((id, self.entry(id)?)))
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

    pub(crate) fn columns(&self) -> &Columns {
        &self.columns
    }

    /// The files below a folder and behind a path, by path.
    pub(crate) fn ids_below(&self, folder: &FolderPath, after: Option<&NotePath>) -> impl Iterator<Item = FileId> {
        let root = folder.as_str();
        let (first, end) = (format!("{root}/"), format!("{root}0"));
        let start = match after.map(NotePath::as_str) {
            Some(after) if root.is_empty() || after > first.as_str() => Bound::Excluded(after),
            _ if root.is_empty() => Bound::Unbounded,
            _ => Bound::Included(first.as_str()),
        };
        let end = if root.is_empty() { Bound::Unbounded } else { Bound::Excluded(end.as_str()) };
        let is_empty = matches!((start, end), (Bound::Excluded(start), Bound::Excluded(end)) if start >= end);
        let range = (!is_empty).then(|| self.by_path.range::<str, _>((start, end)));
        range.into_iter().flatten().map(|(_, &id)| id)
    }

    /// The place of a file in the order of paths.
    pub fn rank(&self, id: FileId) -> u32 {
        let ranks = self.ranks.get_or_init(|| {
            let mut ranks = vec![u32::MAX; self.slots.len()];
            for (rank, id) in (0..).zip(self.by_path.values()) {
                ranks[id.0 as usize] = rank;
            }
            ranks.into_boxed_slice()
        });
        ranks.get(id.0 as usize).copied().unwrap_or(u32::MAX)
    }

    /// Sorts files by path, each once. Numbers are compared rather than paths, since there may be many.
    pub(crate) fn by_path_order(&self, mut ids: Vec<FileId>) -> Vec<FileId> {
        ids.sort_unstable_by_key(|&id| self.rank(id));
        ids.dedup();
        ids
    }

    pub(crate) fn links(&self) -> &Links {
        &self.links
    }

    pub(crate) fn tag_table(&self) -> &Tags {
        &self.tags
    }

    /// The links that stand in a file, in its order, without those that mean the file itself.
    pub(crate) fn references(&self, id: FileId) -> &[Reference] {
        self.slot(id).map_or(&[], |slot| &slot.references)
    }

    pub(crate) fn name_of(&self, id: FileId) -> Option<NameId> {
        self.slot(id).map(|slot| slot.name)
    }

    /// Files are numbered below this.
    pub fn slots(&self) -> usize {
        self.slots.len()
    }

    fn slot(&self, id: FileId) -> Option<&Slot> {
        self.slots.get(id.0 as usize).and_then(Option::as_ref)
    }
}

/// Changes.
impl Catalogue {
    pub(crate) fn upsert(&mut self, entry: Entry) {
        self.upsert_stored(entry, None);
    }

    /// Takes in a file whose card has been stored.
    pub(crate) fn upsert_stored(&mut self, mut entry: Entry, stored: Option<Kept>) {
        let Some(encoded) = entry.card.encoded() else {
            // Its file has to be read again.
            self.remove(&entry.path);
            return;
        };
        let mentions = postcard::from_bytes(&encoded.mentions).unwrap_or_default();
        entry.card = stored.unwrap_or(entry.card);
        let path = entry.path.clone();
        let known = self.find_id(&path);
        let id = self.place(known, entry, &mentions);
        if known.is_none() {
            self.by_path.insert(path, id);
        }
    }

    /// A file whose bytes are the same: only what the file system says of it is new.
    pub(crate) fn touch(&mut self, path: &NotePath, stat: Stat, read_at: i64) {
        let Some(&id) = self.by_path.get(path) else { return };
        if let Some(slot) = self.slots[id.0 as usize].as_mut() {
            slot.entry.stat = stat;
            slot.entry.read_at = read_at;
            self.generation += 1;
        }
    }

    /// Has every file read again at the next look.
    pub(crate) fn distrust(&mut self) {
        for slot in self.slots.iter_mut().flatten() {
            slot.entry.hash = None;
            slot.entry.stat.size = u64::MAX;
        }
    }

    /// A card that was moved to another log.
    pub(crate) fn move_card(&mut self, path: &NotePath, from: &Stored, to: Stored) {
        let Some(&id) = self.by_path.get(path) else { return };
        let Some(slot) = self.slots[id.0 as usize].as_mut() else { return };
        if let Kept::Stored(stored) = &slot.entry.card
            && stored.is_in(&from.log)
            && stored.at == from.at
        {
            slot.entry.card = Kept::Stored(to);
        }
    }

    /// Takes the place of another catalogue, whose generations are then all older.
    pub(crate) fn follow(&mut self, before: &Catalogue) {
        self.generation = self.generation.max(before.generation) + 1;
        self.changed.fill(self.generation);
    }

    pub(crate) fn remove(&mut self, path: &NotePath) -> Option<Entry> {
        let id = self.by_path.remove(path)?;
        self.clear(id)
    }

    /// Puts a file into its slot or a new one; who calls this sees to `by_path`.
    fn place(&mut self, known: Option<FileId>, mut entry: Entry, mentions: &Mentions<'_>) -> FileId {
        self.generation += 1;
        let id = known.or_else(|| self.free.pop()).unwrap_or_else(|| {
            self.slots.push(None);
            self.changed.push(0);
            FileId(u32::try_from(self.slots.len() - 1).unwrap_or(u32::MAX))
        });
        self.changed[id.0 as usize] = self.generation;
        let before = self.slots[id.0 as usize].take();
        let name = match &before {
            Some(slot) => slot.name,
            None => {
                self.ranks.take();
                self.by_key.insert(path_key(&entry.path), id);
                self.links.add_file(id, fold(entry.path.name()))
            }
        };
        let (references, tags) = before.map(|slot| (slot.references, slot.tags)).unwrap_or_default();
        let references = self.links.replace(id, &references, mentions);
        self.tags.remove(id, &tags);
        for tag in &mut entry.tags {
            *tag = self.tags.shared(tag);
        }
        let frontmatter = entry.tags.iter().map(|tag| &**tag);
        let tags = self.tags.add(id, frontmatter, mentions.inline_tags.iter().copied());
        self.columns.remove(id);
        if entry.path.is_note() {
            self.columns.insert(
                id,
                &NoteFacts {
                    properties: mentions.properties,
                    property_tags: &entry.tags,
                    inline_tags: &mentions.inline_tags,
                    fields: &mentions.fields,
                },
            );
        }
        self.slots[id.0 as usize] = Some(Slot { entry, name, references, tags });
        id
    }

    fn clear(&mut self, id: FileId) -> Option<Entry> {
        let slot = self.slots[id.0 as usize].take()?;
        self.generation += 1;
        self.changed[id.0 as usize] = self.generation;
        self.ranks.take();
        self.by_key.remove(&path_key(&slot.entry.path));
        self.links.remove_file(id, slot.name);
        self.links.replace(id, &slot.references, &Mentions::default());
        self.tags.remove(id, &slot.tags);
        self.columns.remove(id);
        self.free.push(id);
        Some(slot.entry)
    }
}

/// Fills a catalogue with many files. The order of paths is made at the end, at once.
#[derive(Default)]
pub(crate) struct Filling(Catalogue);

impl Filling {
    /// Takes in a file in the place of an earlier one of the same path.
    pub(crate) fn put(&mut self, entry: Entry, mentions: &Mentions<'_>) {
        let known = self.find(&entry.path);
        self.0.place(known, entry, mentions);
    }

    pub(crate) fn touch(&mut self, path: &NotePath, stat: Stat, read_at: i64) {
        let slot = self.find(path).and_then(|id| self.0.slots[id.0 as usize].as_mut());
        if let Some(slot) = slot {
            (slot.entry.stat, slot.entry.read_at) = (stat, read_at);
        }
    }

    pub(crate) fn remove(&mut self, path: &NotePath) {
        if let Some(id) = self.find(path) {
            self.0.clear(id);
        }
    }

    pub(crate) fn finish(mut self) -> Catalogue {
        let slots = (0..).map(FileId).zip(&self.0.slots);
        let mut paths: Vec<(NotePath, FileId)> =
            slots.filter_map(|(id, slot)| Some((slot.as_ref()?.entry.path.clone(), id))).collect();
        paths.sort_unstable();
        self.0.by_path = paths.into_iter().collect();
        self.0.slots.shrink_to_fit();
        self.0.changed.shrink_to_fit();
        self.0.links.shrink();
        self.0
    }

    fn find(&self, path: &NotePath) -> Option<FileId> {
        let (id, entry) = self.0.find_by_key(path_key(path))?;
        (entry.path == *path).then_some(id)
    }
}

impl Names for Catalogue {
    fn with_name(&self, folded_name: &str) -> Vec<NotePath> {
        let ids = self.links.files_named(folded_name);
        ids.iter().filter_map(|&id| self.entry(id)).map(|entry| entry.path.clone()).collect()
    }
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
