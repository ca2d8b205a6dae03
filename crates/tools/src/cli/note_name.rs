//! Naming a note by `file` or by `path`.

use quillgate_markdown::fold;
use quillgate_vault::{EntryKind, NotePath, VaultError};

use crate::context::Context;
use crate::failure::{Failure, Issue};

/// The file that `file` (as a wikilink names it) or `path` (exact) means.
pub(crate) fn find_note(context: &Context<'_>, file: Option<&str>, path: Option<&str>) -> Result<NotePath, Failure> {
    match (file, path) {
        (Some(name), None) => find_by_name(context, name),
        (None, Some(path)) => find_by_path(context, path),
        (None, None) => Err(refused("is required: give file (a name as in a wikilink) or path (exact)")),
        (Some(_), Some(_)) => Err(refused("and path exclude each other; give one of them")),
    }
}

/// As above, where naming no note means all of them.
pub(crate) fn find_optional(context: &Context<'_>, file: Option<&str>, path: Option<&str>) -> Result<Option<NotePath>, Failure> {
    if file.is_none() && path.is_none() {
        return Ok(None);
    }
    find_note(context, file, path).map(Some)
}

fn refused(why: &str) -> Failure {
    Failure::InvalidInput(vec![Issue::new("file", why.to_owned())])
}

fn find_by_path(context: &Context<'_>, path: &str) -> Result<NotePath, Failure> {
    let path = NotePath::parse(path)?;
    match context.vault().stat(&path)? {
        (EntryKind::File, _) => Ok(path),
        _ => Err(VaultError::IsFolder(path).into()),
    }
}

fn find_by_name(context: &Context<'_>, name: &str) -> Result<NotePath, Failure> {
    // Hidden and hostile names get their own error rather than "not found".
    let wanted = NotePath::parse(name)?;
    let folded = fold(wanted.as_str());
    let ends_with_name = |path: &NotePath| {
        let candidates = [fold(path.as_str()), fold(path.without_md())];
        candidates.iter().any(|path| path.strip_suffix(&*folded).is_some_and(|before| before.is_empty() || before.ends_with('/')))
    };
    let mut found: Vec<NotePath> = context.catalogue()?.named(wanted.name());
    found.retain(ends_with_name);
    match found.len() {
        0 => Err(Failure::NoSuchNote(name.to_owned())),
        1 => Ok(found.remove(0)),
        _ => Err(Failure::Ambiguous { name: name.to_owned(), candidates: found.iter().map(NotePath::to_string).collect() }),
    }
}
