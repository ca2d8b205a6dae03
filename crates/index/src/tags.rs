//! All tags of the vault and the notes that have them, counted as notes come and go.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use hashbrown::HashMap;
use quillgate_markdown::fold;

use crate::catalogue::{Catalogue, FileId};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TagId(u32);

/// A tag and the number of notes that have it. Case does not matter; shown is the spelling of the first note by path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TagCount<'a> {
    pub name: &'a str,
    pub notes: usize,
    /// Notes with the tag in their frontmatter.
    pub frontmatter: usize,
    /// Notes with the tag in their text.
    pub inline: usize,
}

/// Which tags a question about a tag means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagDepth {
    Exact,
    /// `work` also means `work/urgent`.
    Below,
}

#[derive(Default)]
pub(crate) struct Tags {
    /// By folded name. A tag that no note has any more keeps its place and waits for the next one.
    by_name: BTreeMap<Box<str>, TagId>,
    by_spelling: HashMap<Arc<str>, (TagId, u16)>,
    tags: Vec<Tag>,
}

#[derive(Default)]
struct Tag {
    spellings: Vec<Arc<str>>,
    /// By file.
    uses: Vec<Use>,
    frontmatter: usize,
    inline: usize,
    /// The spelling to show, once it was asked for.
    shown: AtomicU32,
}

const UNKNOWN: u32 = u32::MAX;

/// One note's use of a tag.
#[derive(Clone, Copy)]
struct Use {
    file: FileId,
    /// The first one in the note.
    spelling: u16,
    is_frontmatter: bool,
    is_inline: bool,
}

impl Tags {
    /// Notes the tags of a file, which had none before.
    pub(crate) fn add<'a>(
        &mut self,
        file: FileId,
        frontmatter: impl Iterator<Item = &'a str>,
        inline: impl Iterator<Item = &'a str>,
    ) -> Box<[TagId]> {
        let mut added: Vec<(TagId, Use)> = Vec::new();
        let all = frontmatter.map(|tag| (tag, true)).chain(inline.map(|tag| (tag, false)));
        for (spelling, is_frontmatter) in all {
            let (id, spelling) = self.intern(spelling);
            match added.iter_mut().find(|(other, _)| *other == id) {
                Some((_, used)) => {
                    used.is_frontmatter |= is_frontmatter;
                    used.is_inline |= !is_frontmatter;
                }
                None => added.push((id, Use { file, spelling, is_frontmatter, is_inline: !is_frontmatter })),
            }
        }
        for (id, used) in &added {
            self.tags[id.0 as usize].add(*used);
        }
        added.into_iter().map(|(id, _)| id).collect()
    }

    pub(crate) fn remove(&mut self, file: FileId, tags: &[TagId]) {
        for id in tags {
            self.tags[id.0 as usize].remove(file);
        }
    }

    /// The one copy of this spelling of a tag.
    pub(crate) fn shared(&mut self, spelling: &str) -> Arc<str> {
        let (id, at) = self.intern(spelling);
        self.tags[id.0 as usize].spellings[usize::from(at)].clone()
    }

    fn intern(&mut self, spelling: &str) -> (TagId, u16) {
        if let Some(&known) = self.by_spelling.get(spelling) {
            return known;
        }
        let folded = fold(spelling);
        let id = self.by_name.get(&*folded).copied().unwrap_or_else(|| {
            let id = TagId(u32::try_from(self.tags.len()).unwrap_or(u32::MAX));
            self.tags.push(Tag { shown: AtomicU32::new(UNKNOWN), ..Tag::default() });
            self.by_name.insert(folded.into(), id);
            id
        });
        let spellings = &mut self.tags[id.0 as usize].spellings;
        // Beyond 65,536 spellings of one tag the last one stands for the others.
        let at = u16::try_from(spellings.len()).unwrap_or(u16::MAX);
        if spellings.len() <= usize::from(at) {
            spellings.push(spelling.into());
            self.by_spelling.insert(spellings[usize::from(at)].clone(), (id, at));
        }
        (id, at)
    }
}

impl Tag {
    fn add(&mut self, used: Use) {
        self.frontmatter += usize::from(used.is_frontmatter);
        self.inline += usize::from(used.is_inline);
        *self.shown.get_mut() = UNKNOWN;
        // New files mostly come last.
        let at = match self.uses.last() {
            Some(last) if last.file > used.file => self.uses.partition_point(|other| other.file < used.file),
            _ => self.uses.len(),
        };
        self.uses.insert(at, used);
    }

    fn remove(&mut self, file: FileId) {
        let Ok(at) = self.uses.binary_search_by_key(&file, |used| used.file) else { return };
        let used = self.uses.remove(at);
        self.frontmatter -= usize::from(used.is_frontmatter);
        self.inline -= usize::from(used.is_inline);
        *self.shown.get_mut() = UNKNOWN;
    }

    /// Which spelling to show, worked out from the first note by path if that is not known.
    fn shown(&self, first: impl FnOnce(&[Use]) -> Option<u16>) -> &str {
        if self.spellings.len() == 1 {
            return &self.spellings[0];
        }
        let mut shown = self.shown.load(Ordering::Relaxed);
        if shown == UNKNOWN {
            shown = first(&self.uses).unwrap_or_default().into();
            self.shown.store(shown, Ordering::Relaxed);
        }
        self.spellings.get(shown as usize).map_or("", |spelling| spelling)
    }
}

impl Catalogue {
    /// All tags in frontmatter and text, by folded name.
    pub fn tags(&self) -> impl Iterator<Item = TagCount<'_>> {
        let Tags { by_name, tags, .. } = self.tag_table();
        let used = by_name.values().map(|id| &tags[id.0 as usize]).filter(|tag| !tag.uses.is_empty());
        used.map(|tag| TagCount {
            name: tag.shown(|uses| uses.iter().min_by_key(|used| self.rank(used.file)).map(|used| used.spelling)),
            notes: tag.uses.len(),
            frontmatter: tag.frontmatter,
            inline: tag.inline,
        })
    }

    /// The notes that have a tag, given without `#`, by path.
    pub fn with_tag(&self, tag: &str, depth: TagDepth) -> Vec<FileId> {
        let Tags { by_name, tags, .. } = self.tag_table();
        let wanted = fold(tag);
        // `0` comes right behind `/`.
        let (from, to) = (format!("{wanted}/"), format!("{wanted}0"));
        let below = by_name.range::<str, _>((Bound::Included(&*from), Bound::Excluded(&*to)));
        let below = below.filter(|_| depth == TagDepth::Below).map(|(_, id)| id);
        let found = by_name.get(&*wanted).into_iter().chain(below);
        let files = found.flat_map(|id| tags[id.0 as usize].uses.iter().map(|used| used.file));
        self.by_path_order(files.collect())
    }
}
