//! The vault as it would be: files put back one change after another, on paper, and the steps that would make it so.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use quillgate_markdown::fold;

use crate::{ContentHash, Expect, Folders, NotePath, Transaction, Vault, VaultError};

/// The bytes of a file. `None` if it cannot be read, though it can be moved.
#[derive(Clone, Debug)]
pub(crate) struct Body(Option<(Arc<Vec<u8>>, ContentHash)>);

impl Body {
    fn new(bytes: Vec<u8>) -> Body {
        let hash = ContentHash::of(&bytes);
        Body(Some((Arc::new(bytes), hash)))
    }

    pub(crate) fn bytes(&self) -> Option<&[u8]> {
        self.0.as_ref().map(|(bytes, _)| bytes.as_slice())
    }

    pub(crate) fn hash(&self) -> Option<ContentHash> {
        self.0.as_ref().map(|(_, hash)| *hash)
    }
}

/// A file as it would be.
#[derive(Clone, Debug)]
struct Then {
    body: Body,
    /// Where the file is that it is made of.
    origin: Option<NotePath>,
    is_merged: bool,
}

/// What is at a path, and what would be.
#[derive(Debug)]
struct Slot {
    now: Option<Body>,
    inode: u64,
    then: Option<Then>,
}

/// What would happen to a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UndoOutcome {
    /// Its bytes are again what they were.
    Restored,
    /// Somebody changed it since, elsewhere in the text; both are kept.
    Merged,
    /// It was deleted, and is there again.
    Recreated,
    /// It was made, and goes.
    Removed,
    /// It goes back to this path, from where it was moved to.
    MovedBack { from: NotePath },
    /// It is already as it was.
    AlreadyUndone,
}

pub(crate) struct Overlay<'v> {
    vault: &'v Vault,
    slots: BTreeMap<NotePath, Slot>,
    spellings: HashMap<String, Vec<NotePath>>,
}

impl<'v> Overlay<'v> {
    pub(crate) fn new(vault: &'v Vault) -> Overlay<'v> {
        Overlay { vault, slots: BTreeMap::new(), spellings: HashMap::new() }
    }

    fn slot(&mut self, path: &NotePath) -> Result<&mut Slot, VaultError> {
        if !self.slots.contains_key(path) {
            let slot = self.look(path)?;
            self.spellings.entry(fold(path.as_str()).to_string()).or_default().push(path.clone());
            self.slots.insert(path.clone(), slot);
        }
        Ok(self.slots.get_mut(path).expect("it was put there if it was missing"))
    }

    fn look(&self, path: &NotePath) -> Result<Slot, VaultError> {
        let (body, inode) = match self.vault.read(path) {
            Ok(contents) => (Body::new(contents.bytes), contents.stat.inode),
            Err(VaultError::NotFound(_)) => return Ok(Slot { now: None, inode: 0, then: None }),
            // Something is there that has to be left alone.
            Err(
                VaultError::TooLarge { .. }
                | VaultError::IsFolder(_)
                | VaultError::NotRegular(_)
                | VaultError::Link(_)
                | VaultError::Offline(_),
            ) => (Body(None), 0),
            Err(error) => return Err(error),
        };
        // Where case does not count, another spelling finds the same file.
        let twins = self.spellings.get(&*fold(path.as_str())).into_iter().flatten();
        if inode != 0 && twins.filter_map(|twin| self.slots.get(twin)).any(|slot| slot.inode == inode) {
            return Ok(Slot { now: None, inode: 0, then: None });
        }
        let then = Then { body: body.clone(), origin: Some(path.clone()), is_merged: false };
        Ok(Slot { now: Some(body), inode, then: Some(then) })
    }

    /// The file that would be there.
    pub(crate) fn at(&mut self, path: &NotePath) -> Result<Option<Body>, VaultError> {
        Ok(self.slot(path)?.then.as_ref().map(|then| then.body.clone()))
    }

    /// New bytes for a file that would be there.
    pub(crate) fn put(&mut self, path: &NotePath, bytes: Vec<u8>, is_merged: bool) -> Result<(), VaultError> {
        if let Some(then) = &mut self.slot(path)?.then {
            then.body = Body::new(bytes);
            then.is_merged |= is_merged;
        }
        Ok(())
    }

    pub(crate) fn create(&mut self, path: &NotePath, bytes: Vec<u8>) -> Result<(), VaultError> {
        self.slot(path)?.then = Some(Then { body: Body::new(bytes), origin: None, is_merged: false });
        Ok(())
    }

    pub(crate) fn remove(&mut self, path: &NotePath) -> Result<(), VaultError> {
        self.slot(path)?.then = None;
        Ok(())
    }

    /// To a path where nothing would be.
    pub(crate) fn rename(&mut self, from: &NotePath, to: &NotePath) -> Result<(), VaultError> {
        let moved = self.slot(from)?.then.take();
        self.slot(to)?.then = moved;
        Ok(())
    }

    /// Files that can be moved in one step to where they would be, by their new paths.
    fn moves(&self) -> BTreeMap<&NotePath, &NotePath> {
        let is_gone = |path: &NotePath| self.slots.get(path).is_some_and(|slot| slot.then.is_none());
        let moved = self.slots.iter().filter_map(|(to, slot)| {
            let from = slot.then.as_ref()?.origin.as_ref().filter(|from| *from != to)?;
            (slot.now.is_none() && is_gone(from)).then_some((to, from))
        });
        moved.collect()
    }

    /// What would happen to each path that was looked at.
    pub(crate) fn outcomes(&self) -> Vec<(NotePath, UndoOutcome)> {
        let moves = self.moves();
        let is_source = |path: &NotePath| moves.values().any(|from| *from == path);
        let outcomes = self.slots.iter().filter_map(|(path, slot)| {
            let outcome = match (&slot.now, &slot.then) {
                (_, Some(_)) if moves.contains_key(path) => UndoOutcome::MovedBack { from: moves[path].clone() },
                (_, None) if is_source(path) => return None,
                (None, None) => UndoOutcome::AlreadyUndone,
                (None, Some(_)) => UndoOutcome::Recreated,
                (Some(_), None) => UndoOutcome::Removed,
                (Some(now), Some(then)) if is_same(now, &then.body) => UndoOutcome::AlreadyUndone,
                (Some(_), Some(then)) if then.is_merged => UndoOutcome::Merged,
                (Some(_), Some(_)) => UndoOutcome::Restored,
            };
            Some((path.clone(), outcome))
        });
        outcomes.collect()
    }

    /// All of it as one transaction; or a path whose bytes would be needed and cannot be read.
    pub(crate) fn transaction(&self) -> Result<Transaction, NotePath> {
        let moves = self.moves();
        let sources: BTreeMap<&NotePath, &NotePath> = moves.iter().map(|(to, from)| (*from, *to)).collect();
        let trash = self.vault.app_settings().trash;
        let mut transaction = self.vault.transaction(Folders::Create);
        for (path, slot) in &self.slots {
            if moves.contains_key(path) {
                continue;
            }
            let expect = |body: &Body| body.hash().map(Expect::Hash).ok_or_else(|| path.clone());
            let bytes = |body: &Body| body.bytes().map(<[u8]>::to_vec).ok_or_else(|| path.clone());
            let moved_to = sources.get(path).map(|to| (*to, self.slots[*to].then.as_ref()));
            let then = moved_to.map_or(slot.then.as_ref(), |(_, then)| then);
            transaction = match (&slot.now, then) {
                (Some(now), Some(then)) if is_same(now, &then.body) => transaction,
                (Some(now), Some(then)) => transaction.write(path.clone(), bytes(&then.body)?, expect(now)?),
                (None, Some(then)) => transaction.write(path.clone(), bytes(&then.body)?, Expect::Absent),
                (Some(now), None) => transaction.remove(path.clone(), expect(now)?, trash),
                (None, None) => transaction,
            };
            if let Some((to, _)) = moved_to {
                transaction = transaction.rename(path.clone(), to.clone());
            }
        }
        Ok(transaction)
    }
}

/// Bytes that cannot be read are only ever moved, never replaced.
fn is_same(one: &Body, other: &Body) -> bool {
    one.hash() == other.hash()
}
