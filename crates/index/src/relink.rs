//! Moving and copying files without breaking a link: every edit is computed before anything is written.

use quillgate_markdown::{Edit, Edits, NewTarget, Note, fold, relink};
use quillgate_vault::{ContentHash, LinkFormat, NotePath, Vault, VaultError};

use crate::canvas::{CanvasText, canvas_texts, replace_string};
use crate::catalogue::{Catalogue, Entry};
use crate::names::{After, Names, find_link_target};

/// A file with its links re-pointed.
#[derive(Debug)]
pub struct Relinked {
    /// Where the file is when the edits are written: before the move.
    pub path: NotePath,
    pub before: ContentHash,
    pub bytes: Vec<u8>,
    pub links: usize,
}

/// The files whose links must change when `from` becomes `to`: those that mean the file, those inside it that are
/// relative, and those that would mean another file because of the new name.
pub fn relinked_move(vault: &Vault, catalogue: &Catalogue, from: &NotePath, to: &NotePath) -> Result<Vec<Relinked>, VaultError> {
    let after = After { catalogue, from: Some(from), to };
    let format = vault.app_settings().link_format;
    let mut sources: Vec<&Entry> = catalogue.possible_linkers(from);
    sources.extend(catalogue.possible_linkers(to));
    sources.extend(catalogue.find(from));
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    sources.dedup_by(|a, b| a.path == b.path);
    let mut relinked = Vec::new();
    for source in sources {
        relinked.extend(relink_file(vault, &after, format, &source.path)?);
    }
    Ok(relinked)
}

/// The bytes of a copy of `from` at `to`: links that would mean another file from there are re-pointed.
pub fn relinked_copy(
    vault: &Vault,
    catalogue: &Catalogue,
    from: &NotePath,
    to: &NotePath,
) -> Result<(Vec<u8>, usize), VaultError> {
    let contents = vault.read(from)?;
    let Some(text) = contents.text().ok().filter(|_| from.is_note()) else {
        return Ok((contents.bytes, 0));
    };
    let after = After { catalogue, from: None, to };
    let format = vault.app_settings().link_format;
    let edits = note_edits(text, &|link_path| {
        let meant = find_link_target(catalogue, from, link_path)?;
        // A link of the note to itself means the copy in the copy.
        let wanted = if meant == *from { to.clone() } else { meant.clone() };
        new_link_path(&after, format, to, link_path, &meant, &wanted)
    });
    let count = edits.len();
    Ok((apply(text, edits).into_bytes(), count))
}

fn relink_file(vault: &Vault, after: &After<'_>, format: LinkFormat, source: &NotePath) -> Result<Option<Relinked>, VaultError> {
    let contents = match vault.read(source) {
        Ok(contents) => contents,
        // Gone or unreadable since it was indexed: there is nothing to re-point.
        Err(VaultError::NotFound(_) | VaultError::Offline(_) | VaultError::Link(_)) => return Ok(None),
        Err(error) => return Err(error),
    };
    let Ok(text) = contents.text() else { return Ok(None) };
    let source_after = if Some(source) == after.from { after.to } else { source };
    let re_point = |link_path: &str| {
        let meant = find_link_target(after.catalogue, source, link_path)?;
        let wanted = if Some(&meant) == after.from { after.to.clone() } else { meant.clone() };
        new_link_path(after, format, source_after, link_path, &meant, &wanted)
    };
    let edits = if source.is_note() { note_edits(text, &re_point) } else { canvas_edits(text, after, &re_point) };
    if edits.is_empty() {
        return Ok(None);
    }
    let (links, before) = (edits.len(), contents.hash());
    Ok(Some(Relinked { path: source.clone(), before, bytes: apply(text, edits).into_bytes(), links }))
}

/// How a link has to be written now, if what is written no longer means what it meant.
struct NewLink {
    link_path: String,
    old: NotePath,
    new: NotePath,
}

fn new_link_path(
    after: &After<'_>,
    format: LinkFormat,
    source: &NotePath,
    link_path: &str,
    meant: &NotePath,
    wanted: &NotePath,
) -> Option<NewLink> {
    if link_path.is_empty() || find_link_target(after, source, link_path).as_ref() == Some(wanted) {
        return None;
    }
    let is_relative = link_path.starts_with("./") || link_path.starts_with("../");
    let format = if is_relative { LinkFormat::Relative } else { format };
    let link_path = generate_link_path(after, format, source, wanted);
    Some(NewLink { link_path, old: meant.clone(), new: wanted.clone() })
}

/// The link path in the vault's format, or the full path where that would mean another file.
fn generate_link_path(names: &impl Names, format: LinkFormat, source: &NotePath, target: &NotePath) -> String {
    let full = target.without_md();
    let short = match format {
        LinkFormat::Shortest if names.with_name(&fold(target.name())).len() == 1 => basename(target).to_owned(),
        LinkFormat::Relative => relative_path(source, target),
        LinkFormat::Shortest | LinkFormat::Absolute => full.to_owned(),
    };
    let candidates = [short, full.to_owned()];
    let means_target = |path: &String| find_link_target(names, source, path).as_ref() == Some(target);
    candidates.into_iter().find(means_target).unwrap_or_else(|| format!("/{full}"))
}

/// A link to a file that is there, or will be.
pub(crate) fn link_path_to(catalogue: &Catalogue, format: LinkFormat, source: &NotePath, target: &NotePath) -> String {
    if catalogue.find(target).is_some() {
        return generate_link_path(catalogue, format, source, target);
    }
    generate_link_path(&After { catalogue, from: None, to: target }, format, source, target)
}

fn basename(path: &NotePath) -> &str {
    if path.is_note() { path.basename() } else { path.name() }
}

fn relative_path(source: &NotePath, target: &NotePath) -> String {
    let parent = source.parent();
    let here: Vec<&str> = parent.as_str().split('/').filter(|segment| !segment.is_empty()).collect();
    let there: Vec<&str> = target.without_md().split('/').collect();
    let shared = here.iter().zip(&there[..there.len() - 1]).take_while(|(a, b)| a == b).count();
    let up = vec![".."; here.len() - shared];
    let down = there[shared..].iter().copied();
    up.into_iter().chain(down).collect::<Vec<_>>().join("/")
}

fn note_edits(text: &str, re_point: &impl Fn(&str) -> Option<NewLink>) -> Vec<Edit> {
    let note = Note::parse(text);
    let edits = note.links.iter().filter_map(|link| {
        let new = re_point(&link.path)?;
        let target = NewTarget {
            linkpath: &new.link_path,
            old_basename: basename(&new.old),
            new_basename: basename(&new.new),
            is_note: new.new.is_note(),
        };
        relink(text, link, &target)
    });
    edits.collect()
}

fn canvas_edits(text: &str, after: &After<'_>, re_point: &impl Fn(&str) -> Option<NewLink>) -> Vec<Edit> {
    let edits = canvas_texts(text).unwrap_or_default().into_iter().filter_map(|found| match found {
        // A file node holds a full path and nothing else.
        CanvasText::File { path, span, .. } => {
            let moved = after.from.is_some_and(|from| fold(from.as_str()) == fold(&path));
            moved.then(|| replace_string(span, after.to.as_str()))
        }
        CanvasText::Markdown { text, span } => {
            let edits = note_edits(&text, re_point);
            (!edits.is_empty()).then(|| replace_string(span, &apply(&text, edits)))
        }
    });
    edits.collect()
}

fn apply(text: &str, edits: Vec<Edit>) -> String {
    match Edits::new(edits) {
        Ok(edits) => edits.apply(text),
        // Links do not overlap; if they ever did, leaving the text alone loses nothing.
        Err(error) => {
            tracing::error!(%error, "overlapping link edits");
            text.to_owned()
        }
    }
}
