//! Moving and copying files so that no link breaks; shared by the surfaces.

use quillgate_index::{Copied, relinked_copy, relinked_move};
use quillgate_vault::{ContentHash, EntryKind, Expect, Folders, NotePath, Transaction, TrashOption, VaultError};

use crate::context::Context;
use crate::failure::{Failure, Issue};

/// Whether links in other files go along with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Backlinks {
    Update,
    Leave,
}

/// What to do about a file at the new path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Occupied {
    Refuse,
    Overwrite,
}

/// A file that goes elsewhere.
pub(crate) struct Moving {
    pub(crate) change: Transaction,
    /// Links that are written anew, in all files.
    pub(crate) links: usize,
    /// Those of them that stand in other files.
    pub(crate) backlinks: usize,
    /// Whether another file is replaced.
    pub(crate) overwrites: bool,
    /// The file's bytes, where its own links change.
    pub(crate) bytes: Option<Vec<u8>>,
}

/// Plans to move a file and rewrite the links to it.
pub(crate) fn plan_move(
    context: &Context<'_>,
    from: &NotePath,
    to: &NotePath,
    backlinks: Backlinks,
    occupied: Occupied,
) -> Result<Moving, Failure> {
    let vault = context.vault();
    must_be_file(context, from)?;
    must_stay_note(from, to)?;
    if from == to {
        let change = vault.transaction(Folders::MustExist);
        return Ok(Moving { change, links: 0, backlinks: 0, overwrites: false, bytes: None });
    }
    let overwrites = is_taken(context, from, to)?;
    if overwrites && occupied == Occupied::Refuse {
        return Err(VaultError::Exists(to.clone()).into());
    }
    let mut relinked = {
        let catalogue = context.index()?.settled_catalogue();
        relinked_move(vault, &catalogue, from, to)?
    };
    // What the file at the new path holds is replaced as a whole.
    relinked.retain(|file| (backlinks == Backlinks::Update && !(overwrites && file.path == *to)) || file.path == *from);
    let links = relinked.iter().map(|file| file.links).sum();
    let backlinks = relinked.iter().filter(|file| file.path != *from).map(|file| file.links).sum();
    let mut bytes = None;
    let mut change = vault.transaction(Folders::Create);
    for file in relinked {
        if file.path == *from {
            bytes = Some(file.bytes.clone());
        }
        if !(overwrites && file.path == *from) {
            change = change.write(file.path, file.bytes, Expect::Hash(file.before));
        }
    }
    let change = match overwrites {
        true => overwriting(context, change, from, to, bytes.as_deref())?,
        // The move comes last, so that every edit finds its file where the catalogue has it.
        false => change.rename(from.clone(), to.clone()),
    };
    Ok(Moving { change, links, backlinks, overwrites, bytes })
}

/// The old file at the new path stays in the history.
fn overwriting(
    context: &Context<'_>,
    change: Transaction,
    from: &NotePath,
    to: &NotePath,
    relinked: Option<&[u8]>,
) -> Result<Transaction, Failure> {
    let (source, target) = (context.vault().read(from)?, context.vault().read(to)?);
    let bytes = relinked.map_or_else(|| source.bytes.clone(), <[u8]>::to_vec);
    let change = change.write(to.clone(), bytes, Expect::Hash(target.hash()));
    Ok(change.remove(from.clone(), Expect::Hash(source.hash()), TrashOption::None))
}

/// Moves a file and rewrites the links to it, all or nothing. Returns how many links were rewritten.
pub(crate) fn move_file(context: &Context<'_>, from: &NotePath, to: &NotePath) -> Result<usize, Failure> {
    let moving = plan_move(context, from, to, Backlinks::Update, Occupied::Refuse)?;
    moving.change.commit()?;
    Ok(moving.links)
}

/// A file that comes into being as a copy.
pub(crate) struct Copying {
    pub(crate) change: Transaction,
    pub(crate) size: u64,
    pub(crate) hash: ContentHash,
    /// Links that are written anew so that they keep their meaning.
    pub(crate) links: usize,
}

/// Plans to copy a file to a path where nothing is. Unless they are left as they are, links in the copy keep their meaning.
pub(crate) fn plan_copy(context: &Context<'_>, from: &NotePath, to: &NotePath, relink: bool) -> Result<Copying, Failure> {
    let vault = context.vault();
    must_be_file(context, from)?;
    if find_entry(context, to)?.is_some() {
        return Err(VaultError::Exists(to.clone()).into());
    }
    let Copied { bytes, links } = if relink {
        let catalogue = context.catalogue()?;
        relinked_copy(vault, &catalogue, from, to)?
    } else {
        Copied { bytes: vault.read(from)?.bytes, links: 0 }
    };
    let (size, hash) = (bytes.len() as u64, ContentHash::of(&bytes));
    let change = vault.transaction(Folders::Create).write(to.clone(), bytes, Expect::Absent);
    Ok(Copying { change, size, hash, links })
}

pub(crate) fn must_be_file(context: &Context<'_>, path: &NotePath) -> Result<(), Failure> {
    match context.vault().stat(path)? {
        (EntryKind::File, _) => Ok(()),
        _ => Err(VaultError::IsFolder(path.clone()).into()),
    }
}

/// A note without its extension is none any more.
pub(crate) fn must_stay_note(from: &NotePath, to: &NotePath) -> Result<(), Failure> {
    if from.is_note() && to.extension().is_empty() {
        return Err(Failure::InvalidInput(vec![Issue::other(format!("{to} has no extension; did you mean {to}.md?"))]));
    }
    Ok(())
}

/// Whether another file is at the new path. Only a change of case or Unicode form finds its own file there.
fn is_taken(context: &Context<'_>, from: &NotePath, to: &NotePath) -> Result<bool, Failure> {
    let Some((kind, there)) = find_entry(context, to)? else { return Ok(false) };
    let (_, here) = context.vault().stat(from)?;
    if there.inode == here.inode && there.inode != 0 {
        return Ok(false);
    }
    match kind {
        EntryKind::File => Ok(true),
        EntryKind::Folder | EntryKind::Other => Err(VaultError::Exists(to.clone()).into()),
    }
}

fn find_entry(context: &Context<'_>, path: &NotePath) -> Result<Option<(EntryKind, quillgate_vault::Stat)>, Failure> {
    match context.vault().stat(path) {
        Ok(found) => Ok(Some(found)),
        Err(VaultError::NotFound(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
