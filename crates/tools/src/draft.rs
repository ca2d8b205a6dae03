//! Changes to several files, composed in memory one after the other and made at once.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use quillgate_index::{Catalogue, Move, Overlay};
use quillgate_markdown::fold;
use quillgate_vault::{ContentHash, EntryKind, Expect, Folders, NotePath, Transaction, TrashOption, Vault, VaultError};

use crate::failure::Failure;

/// The vault as it will be.
pub(crate) struct Draft<'v> {
    vault: &'v Vault,
    /// All that was looked at or changed.
    places: BTreeMap<NotePath, Place>,
}

/// A path, as it is on disk and as it will be.
struct Place {
    is_on_disk: bool,
    inode: u64,
    /// Of the bytes on disk, if they were read.
    hash: Option<ContentHash>,
    now: Option<File>,
    /// Where the file on disk goes if it is deleted.
    trash: TrashOption,
}

struct File {
    /// Where it is on disk; nowhere if it is new.
    origin: Option<NotePath>,
    /// Those on disk if there are none.
    bytes: Option<Vec<u8>>,
}

/// What becomes of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Drafted {
    pub(crate) path: NotePath,
    pub(crate) op: DraftedOp,
    /// Of the bytes it will have, as far as anybody had to know them.
    pub(crate) hash: Option<ContentHash>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DraftedOp {
    Create,
    Edit,
    Move { from: NotePath },
    Delete,
}

impl<'v> Draft<'v> {
    pub(crate) fn new(vault: &'v Vault) -> Draft<'v> {
        Draft { vault, places: BTreeMap::new() }
    }

    /// Whether a file is there now. A folder is an error.
    pub(crate) fn is_there(&mut self, path: &NotePath) -> Result<bool, Failure> {
        Ok(self.place(path)?.now.is_some())
    }

    pub(crate) fn bytes(&mut self, path: &NotePath) -> Result<Vec<u8>, Failure> {
        let Some(file) = &self.place(path)?.now else { return Err(VaultError::NotFound(path.clone()).into()) };
        match (&file.bytes, file.origin.clone()) {
            (Some(bytes), _) => Ok(bytes.clone()),
            (None, Some(origin)) => self.read(&origin),
            (None, None) => Ok(Vec::new()),
        }
    }

    /// Whether the file that is there is on disk somewhere, rather than new.
    pub(crate) fn is_old(&mut self, path: &NotePath) -> Result<bool, Failure> {
        Ok(self.place(path)?.now.as_ref().is_some_and(|file| file.origin.is_some()))
    }

    /// Of what the file holds on disk; of a new one, of what it holds now.
    pub(crate) fn hash_before(&mut self, path: &NotePath) -> Result<ContentHash, Failure> {
        let origin = self.place(path)?.now.as_ref().and_then(|file| file.origin.clone());
        let Some(origin) = origin else { return Ok(ContentHash::of(&self.bytes(path)?)) };
        match self.place(&origin)?.hash {
            Some(hash) => Ok(hash),
            None => Ok(ContentHash::of(&self.read(&origin)?)),
        }
    }

    /// Creates a file or replaces what it holds.
    pub(crate) fn write(&mut self, path: &NotePath, bytes: Vec<u8>) -> Result<(), Failure> {
        let place = self.place(path)?;
        place.now.get_or_insert(File { origin: None, bytes: None }).bytes = Some(bytes);
        Ok(())
    }

    pub(crate) fn remove(&mut self, path: &NotePath, trash: TrashOption) -> Result<(), Failure> {
        let Some(file) = self.place(path)?.now.take() else { return Err(VaultError::NotFound(path.clone()).into()) };
        let Some(origin) = file.origin else { return Ok(()) };
        self.place(&origin)?.trash = trash;
        // What goes is what was seen; only what is too large to be read goes unseen.
        match self.read(&origin) {
            Ok(_) | Err(Failure::Vault(VaultError::TooLarge { .. })) => Ok(()),
            Err(failure) => Err(failure),
        }
    }

    /// Whether both spell the name of one file, where case does not count.
    pub(crate) fn is_same_file(&mut self, one: &NotePath, other: &NotePath) -> Result<bool, Failure> {
        let inodes = (self.place(one)?.inode, self.place(other)?.inode);
        Ok(is_respelled(one, other, inodes.0, inodes.1))
    }

    /// All at once, so that files may take each other's places.
    pub(crate) fn rename_all(&mut self, moves: &[Move]) -> Result<(), Failure> {
        let mut files = Vec::with_capacity(moves.len());
        for (from, _) in moves {
            let place = self.place(from)?;
            let inode = place.inode;
            let file = place.now.take().ok_or_else(|| VaultError::NotFound(from.clone()))?;
            files.push((file, inode));
        }
        for ((from, to), (file, inode)) in moves.iter().zip(files) {
            let place = self.place(to)?;
            if is_respelled(from, to, inode, place.inode) {
                (place.is_on_disk, place.now) = (false, None);
            }
            if place.now.is_some() {
                return Err(VaultError::Exists(to.clone()).into());
            }
            place.now = Some(file);
        }
        Ok(())
    }

    /// Rewrites the links that these moves would break, before they are made. Returns how many links there were to each moved
    /// file, and how many in all.
    pub(crate) fn relink(&mut self, catalogue: &Catalogue, moves: &[Move]) -> Result<(HashMap<NotePath, usize>, usize), Failure> {
        let changed = self.changed_texts()?;
        let mut overlay = Overlay::new(self.vault, catalogue);
        for (path, text) in changed {
            match text {
                None => overlay.go(&path),
                Some(text) => overlay.come(&path, text),
            }
        }
        let (mut targets, mut links) = (HashMap::new(), 0);
        for relinked in overlay.relinked_moves(moves)? {
            let place = self.place(&relinked.path)?;
            let Some(file) = &mut place.now else { continue };
            if file.bytes.is_none() && file.origin.as_ref() == Some(&relinked.path) {
                place.hash = Some(relinked.before);
            }
            file.bytes = Some(relinked.bytes);
            links += relinked.links;
            for (target, count) in relinked.targets {
                *targets.entry(target).or_default() += count;
            }
        }
        Ok((targets, links))
    }

    /// What is not as on disk: nothing, a file without text, or a file with its text.
    #[expect(clippy::type_complexity, reason = "it is read once, just above")]
    fn changed_texts(&mut self) -> Result<Vec<(NotePath, Option<Option<String>>)>, Failure> {
        let is_changed = |(path, place): &(&NotePath, &Place)| match &place.now {
            None => place.is_on_disk,
            Some(file) => file.bytes.is_some() || file.origin.as_ref() != Some(*path),
        };
        let changed: Vec<NotePath> = self.places.iter().filter(is_changed).map(|(path, _)| path.clone()).collect();
        let mut texts = Vec::with_capacity(changed.len());
        for path in changed {
            if !self.is_there(&path)? {
                texts.push((path, None));
                continue;
            }
            let text = match self.bytes(&path) {
                Ok(bytes) => String::from_utf8(bytes).ok(),
                // A film has no links.
                Err(Failure::Vault(VaultError::TooLarge { .. })) => None,
                Err(failure) => return Err(failure),
            };
            texts.push((path, Some(text)));
        }
        Ok(texts)
    }

    /// What becomes of which file, by path.
    pub(crate) fn drafted(&self) -> Vec<Drafted> {
        let origins: HashSet<&NotePath> = self.places.values().filter_map(|place| place.now.as_ref()?.origin.as_ref()).collect();
        let drafted = self.places.iter().filter_map(|(path, place)| {
            let (op, hash) = match &place.now {
                None if !place.is_on_disk || origins.contains(path) => return None,
                None => (DraftedOp::Delete, None),
                Some(File { origin: Some(origin), bytes: None }) if origin == path => return None,
                Some(File { origin, bytes }) => {
                    let known = origin.as_ref().and_then(|origin| self.places.get(origin)?.hash);
                    let op = match origin {
                        Some(origin) if origin != path => DraftedOp::Move { from: origin.clone() },
                        None if !place.is_on_disk => DraftedOp::Create,
                        _ => DraftedOp::Edit,
                    };
                    (op, bytes.as_deref().map(ContentHash::of).or(known))
                }
            };
            Some(Drafted { path: path.clone(), op, hash })
        });
        drafted.collect()
    }

    /// All of it as one change. In a transaction every path has one part, except that a file may be written and then moved: where
    /// files take the places of others, they are written there rather than moved.
    pub(crate) fn into_change(mut self) -> Result<Transaction, Failure> {
        let mut steps = Steps::default();
        let mut left: BTreeSet<NotePath> = BTreeSet::new();
        left.extend(self.places.iter().filter(|(_, place)| place.is_left()).map(|(path, _)| path.clone()));
        let paths: Vec<NotePath> = self.places.keys().cloned().collect();
        for path in paths {
            let Some(File { origin, bytes }) = self.place(&path)?.now.take() else { continue };
            let is_taken = self.places[&path].is_on_disk;
            match (origin, bytes) {
                (Some(origin), None) if origin == path => {}
                (Some(origin), bytes) if origin != path && !is_taken && left.remove(&origin) => {
                    if let Some(bytes) = bytes {
                        steps.writes.push((origin.clone(), bytes, self.expected(&origin)?));
                    }
                    steps.renames.push((origin, path));
                }
                (Some(origin), bytes) => {
                    let bytes = bytes.map_or_else(|| self.read(&origin), Ok)?;
                    steps.writes.push((path.clone(), bytes, self.expected(&path)?));
                    if left.remove(&origin) {
                        steps.removes.push((origin.clone(), self.expected(&origin)?, TrashOption::None));
                    }
                }
                (None, bytes) => steps.writes.push((path.clone(), bytes.unwrap_or_default(), self.expected(&path)?)),
            }
        }
        for path in left {
            steps.removes.push((path.clone(), self.expected(&path)?, self.places[&path].trash));
        }
        Ok(steps.into_change(self.vault))
    }

    fn expected(&mut self, path: &NotePath) -> Result<Expect, Failure> {
        let place = self.place(path)?;
        match (place.is_on_disk, place.hash) {
            (false, _) => Ok(Expect::Absent),
            (true, Some(hash)) => Ok(Expect::Hash(hash)),
            (true, None) => Ok(Expect::Anything),
        }
    }

    fn read(&mut self, origin: &NotePath) -> Result<Vec<u8>, Failure> {
        let contents = self.vault.read(origin)?;
        self.place(origin)?.hash = Some(contents.hash());
        Ok(contents.bytes)
    }

    fn place(&mut self, path: &NotePath) -> Result<&mut Place, Failure> {
        if !self.places.contains_key(path) {
            let place = Place::look(self.vault, path)?;
            self.places.insert(path.clone(), place);
        }
        Ok(self.places.get_mut(path).expect("it was just put there"))
    }
}

fn is_respelled(one: &NotePath, other: &NotePath, inode: u64, other_inode: u64) -> bool {
    one != other && fold(one.as_str()) == fold(other.as_str()) && inode != 0 && inode == other_inode
}

#[derive(Default)]
struct Steps {
    writes: Vec<(NotePath, Vec<u8>, Expect)>,
    renames: Vec<Move>,
    removes: Vec<(NotePath, Expect, TrashOption)>,
}

impl Steps {
    /// Moves come after all edits, so that every edit finds its file where it was.
    fn into_change(self, vault: &Vault) -> Transaction {
        let change = vault.transaction(Folders::Create);
        let change = self.writes.into_iter().fold(change, |change, (path, bytes, expect)| change.write(path, bytes, expect));
        let change = self.renames.into_iter().fold(change, |change, (from, to)| change.rename(from, to));
        self.removes.into_iter().fold(change, |change, (path, expect, trash)| change.remove(path, expect, trash))
    }
}

impl Place {
    fn look(vault: &Vault, path: &NotePath) -> Result<Place, Failure> {
        let (is_on_disk, inode) = match vault.stat(path) {
            Ok((EntryKind::File, stat)) => (true, stat.inode),
            Ok((EntryKind::Folder, _)) => return Err(VaultError::IsFolder(path.clone()).into()),
            Ok((EntryKind::Other, _)) => return Err(VaultError::NotRegular(path.clone()).into()),
            Err(VaultError::NotFound(_)) => (false, 0),
            Err(error) => return Err(error.into()),
        };
        let now = is_on_disk.then(|| File { origin: Some(path.clone()), bytes: None });
        Ok(Place { is_on_disk, inode, hash: None, now, trash: TrashOption::None })
    }

    /// Whether its file has gone and nothing has come.
    fn is_left(&self) -> bool {
        self.is_on_disk && self.now.is_none()
    }
}
