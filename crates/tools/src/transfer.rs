//! Moving and copying files so that no link breaks; shared by the surfaces.

use quillgate_index::{relinked_copy, relinked_move};
use quillgate_vault::{EntryKind, Expect, Folders, NotePath, VaultError};

use crate::context::Context;
use crate::failure::{Failure, Issue};

/// Moves a file and rewrites the links to it, all or nothing. Returns how many links were rewritten.
pub(crate) fn move_file(context: &Context<'_>, from: &NotePath, to: &NotePath) -> Result<usize, Failure> {
    let vault = context.vault();
    must_be_file(context, from)?;
    if from.is_note() && to.extension().is_empty() {
        let issue = Issue::new("destination", format!("has no extension; did you mean {to}.md?"));
        return Err(Failure::InvalidInput(vec![issue]));
    }
    if from != to {
        must_be_free(context, from, to)?;
    }
    let relinked = {
        let catalogue = context.index()?.settled_catalogue();
        relinked_move(vault, &catalogue, from, to)?
    };
    let links = relinked.iter().map(|file| file.links).sum();
    let mut transaction = vault.transaction(Folders::Create);
    for file in relinked {
        transaction = transaction.write(file.path, file.bytes, Expect::Hash(file.before));
    }
    // The move comes last, so that every edit finds its file where the catalogue has it.
    transaction.rename(from.clone(), to.clone()).commit()?;
    Ok(links)
}

/// Copies a file. Returns the size of the copy.
pub(crate) fn copy_file(context: &Context<'_>, from: &NotePath, to: &NotePath) -> Result<u64, Failure> {
    must_be_file(context, from)?;
    let bytes = {
        let catalogue = context.catalogue()?;
        relinked_copy(context.vault(), &catalogue, from, to)?.bytes
    };
    Ok(context.vault().write(to, bytes, Expect::Absent, Folders::Create)?.stat.size)
}

fn must_be_file(context: &Context<'_>, path: &NotePath) -> Result<(), Failure> {
    match context.vault().stat(path)? {
        (EntryKind::File, _) => Ok(()),
        _ => Err(VaultError::IsFolder(path.clone()).into()),
    }
}

/// Only a change of case or Unicode form may find its own file at the new path.
fn must_be_free(context: &Context<'_>, from: &NotePath, to: &NotePath) -> Result<(), Failure> {
    let Ok((_, there)) = context.vault().stat(to) else { return Ok(()) };
    let (_, here) = context.vault().stat(from)?;
    if there.inode == here.inode && there.inode != 0 {
        return Ok(());
    }
    Err(VaultError::Exists(to.clone()).into())
}
