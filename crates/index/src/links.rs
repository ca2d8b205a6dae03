//! The links of all files as they are written, by the names they give, and what each of them means.
//!
//! A link path that is written in many places is kept once, so a new name is a matter of the few ways in which it is
//! written, however many links there are. What they mean is worked out when it is first asked for and kept until a file of
//! that name comes or goes.

use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU32, Ordering};

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::catalogue::FileId;
use crate::ids::Ids;
use crate::mentions::Mentions;
use crate::names::possible_names;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SpellingId(u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NameId(u32);

/// One link of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reference {
    pub(crate) spelling: SpellingId,
    /// The line, and in the highest bit whether it is an embed: there are hundreds of thousands of these.
    packed: u32,
}

const EMBED: u32 = 1 << 31;

impl Reference {
    fn new(spelling: SpellingId, line: u32, is_embed: bool) -> Reference {
        Reference { spelling, packed: line.min(EMBED - 1) | if is_embed { EMBED } else { 0 } }
    }

    pub(crate) fn line(self) -> u32 {
        self.packed & !EMBED
    }

    pub(crate) fn is_embed(self) -> bool {
        self.packed & EMBED != 0
    }
}

/// A link path, and the files it is written in.
pub(crate) struct Spelling {
    pub(crate) path: Box<str>,
    /// A full path that means no other file, as in the file nodes of a canvas.
    pub(crate) is_exact: bool,
    pub(crate) sources: Ids<FileId>,
    meaning: AtomicU32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    Nothing,
    File(FileId),
    /// The folder it stands in decides.
    ByFolder,
}

const UNKNOWN: u32 = u32::MAX;
const NOTHING: u32 = u32::MAX - 1;
const BY_FOLDER: u32 = u32::MAX - 2;

impl Spelling {
    /// What this means wherever it is written, worked out by `find` unless it is known.
    pub(crate) fn meaning(&self, find: impl FnOnce(&Spelling) -> Meaning) -> Meaning {
        match self.meaning.load(Ordering::Relaxed) {
            NOTHING => Meaning::Nothing,
            BY_FOLDER => Meaning::ByFolder,
            UNKNOWN => {
                let meaning = find(self);
                let kept = match meaning {
                    Meaning::Nothing => NOTHING,
                    Meaning::ByFolder => BY_FOLDER,
                    Meaning::File(FileId(id)) => id,
                };
                self.meaning.store(kept, Ordering::Relaxed);
                meaning
            }
            id => Meaning::File(FileId(id)),
        }
    }
}

/// The name of a file, folded: who has it and which link paths may mean it.
struct Name {
    text: Box<str>,
    files: Ids<FileId>,
    spellings: Ids<SpellingId>,
}

#[derive(Default)]
pub(crate) struct Links {
    spellings: Vec<Spelling>,
    free_spellings: Vec<SpellingId>,
    by_path: HashTable<SpellingId>,
    names: Vec<Name>,
    free_names: Vec<NameId>,
    by_name: HashTable<NameId>,
    hasher: DefaultHashBuilder,
}

impl Links {
    pub(crate) fn spelling(&self, id: SpellingId) -> &Spelling {
        &self.spellings[id.0 as usize]
    }

    /// All link paths that are written somewhere.
    pub(crate) fn spellings(&self) -> impl Iterator<Item = (SpellingId, &Spelling)> {
        let all = (0..).map(SpellingId).zip(&self.spellings);
        all.filter(|(_, spelling)| !spelling.sources.is_empty())
    }

    pub(crate) fn files_named(&self, folded_name: &str) -> &[FileId] {
        self.find_name(folded_name).map_or(&[], |name| self.names[name.0 as usize].files.as_slice())
    }

    /// The link paths that can mean a file of this name.
    pub(crate) fn spellings_of(&self, name: NameId) -> &[SpellingId] {
        self.names[name.0 as usize].spellings.as_slice()
    }

    pub(crate) fn find_name(&self, folded_name: &str) -> Option<NameId> {
        let hash = self.hasher.hash_one(folded_name);
        self.by_name.find(hash, |id| *self.names[id.0 as usize].text == *folded_name).copied()
    }

    pub(crate) fn add_file(&mut self, file: FileId, folded_name: String) -> NameId {
        let name = self.name(folded_name);
        self.names[name.0 as usize].files.insert(file);
        self.forget_meanings(name);
        name
    }

    pub(crate) fn remove_file(&mut self, file: FileId, name: NameId) {
        self.names[name.0 as usize].files.remove(file);
        self.forget_meanings(name);
        self.drop_unused_name(name);
    }

    /// Notes the links of a file in the place of the ones it had.
    pub(crate) fn replace(&mut self, source: FileId, before: &[Reference], now: &Mentions<'_>) -> Box<[Reference]> {
        let references: Box<[Reference]> = now
            .links
            .iter()
            .map(|link| {
                let spelling = self.intern(link.path, link.is_exact);
                self.spellings[spelling.0 as usize].sources.insert(source);
                Reference::new(spelling, link.line, link.is_embed)
            })
            .collect();
        let mut kept: Vec<SpellingId> = references.iter().map(|reference| reference.spelling).collect();
        kept.sort_unstable();
        let mut gone: Vec<SpellingId> = before.iter().map(|reference| reference.spelling).collect();
        gone.sort_unstable();
        gone.dedup();
        gone.retain(|spelling| kept.binary_search(spelling).is_err());
        for id in gone {
            self.spellings[id.0 as usize].sources.remove(source);
            self.drop_unused_spelling(id);
        }
        references
    }

    /// Gives back room that was taken in advance.
    pub(crate) fn shrink(&mut self) {
        self.spellings.iter_mut().for_each(|spelling| spelling.sources.shrink());
        self.names.iter_mut().for_each(|name| name.spellings.shrink());
        self.spellings.shrink_to_fit();
        self.names.shrink_to_fit();
    }

    fn forget_meanings(&mut self, name: NameId) {
        for &spelling in self.names[name.0 as usize].spellings.as_slice() {
            *self.spellings[spelling.0 as usize].meaning.get_mut() = UNKNOWN;
        }
    }

    fn intern(&mut self, path: &str, is_exact: bool) -> SpellingId {
        let hash = self.hasher.hash_one((path, is_exact));
        let is_same = |id: &SpellingId| {
            let known = &self.spellings[id.0 as usize];
            known.is_exact == is_exact && *known.path == *path
        };
        if let Some(&known) = self.by_path.find(hash, is_same) {
            return known;
        }
        let spelling = Spelling { path: path.into(), is_exact, sources: Ids::None, meaning: AtomicU32::new(UNKNOWN) };
        let id = SpellingId(place(&mut self.spellings, self.free_spellings.pop().map(|id| id.0), spelling));
        let Links { by_path, spellings, hasher, .. } = self;
        by_path.insert_unique(hash, id, |id| {
            let known = &spellings[id.0 as usize];
            hasher.hash_one((&*known.path, known.is_exact))
        });
        for name in possible_names(path) {
            let name = self.name(name);
            self.names[name.0 as usize].spellings.insert(id);
        }
        id
    }

    fn drop_unused_spelling(&mut self, id: SpellingId) {
        let spelling = &mut self.spellings[id.0 as usize];
        if !spelling.sources.is_empty() {
            return;
        }
        let path = std::mem::take(&mut spelling.path);
        let hash = self.hasher.hash_one((&*path, spelling.is_exact));
        if let Ok(found) = self.by_path.find_entry(hash, |other| *other == id) {
            found.remove();
        }
        for name in possible_names(&path) {
            if let Some(name) = self.find_name(&name) {
                self.names[name.0 as usize].spellings.remove(id);
                self.drop_unused_name(name);
            }
        }
        self.free_spellings.push(id);
    }

    fn name(&mut self, folded: String) -> NameId {
        if let Some(known) = self.find_name(&folded) {
            return known;
        }
        let hash = self.hasher.hash_one(folded.as_str());
        let name = Name { text: folded.into(), files: Ids::None, spellings: Ids::None };
        let id = NameId(place(&mut self.names, self.free_names.pop().map(|id| id.0), name));
        let Links { by_name, names, hasher, .. } = self;
        by_name.insert_unique(hash, id, |id| hasher.hash_one(&*names[id.0 as usize].text));
        id
    }

    fn drop_unused_name(&mut self, id: NameId) {
        let name = &mut self.names[id.0 as usize];
        if !name.files.is_empty() || !name.spellings.is_empty() {
            return;
        }
        let hash = self.hasher.hash_one(&*std::mem::take(&mut name.text));
        if let Ok(found) = self.by_name.find_entry(hash, |other| *other == id) {
            found.remove();
        }
        self.free_names.push(id);
    }
}

/// Puts a value into a free place or behind the last one.
fn place<T>(places: &mut Vec<T>, free: Option<u32>, value: T) -> u32 {
    if let Some(at) = free {
        places[at as usize] = value;
        return at;
    }
    places.push(value);
    u32::try_from(places.len() - 1).unwrap_or(u32::MAX)
}
