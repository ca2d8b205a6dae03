//! Links that are written anew to mean another file.

use std::collections::BTreeMap;

use quillgate_markdown::{Edit, Link, NewTarget, Note, fold, relink};
use quillgate_vault::{FolderPath, LinkFormat, NotePath, Vault, VaultError};

use crate::canvas::{CanvasText, canvas_texts, replace_string};
use crate::catalogue::{Catalogue, FileId};
use crate::entry::is_canvas;
use crate::moves::Relinked;
use crate::names::{Names, find_exact, find_link_target, possible_names};
use crate::relink::{RelinkError, apply, basename, written};

/// What links lead to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkTarget {
    File(NotePath),
    /// The link path of links that lead nowhere, without `.md`.
    Missing(String),
}

impl LinkTarget {
    fn basename(&self) -> &str {
        match self {
            LinkTarget::File(path) => basename(path),
            LinkTarget::Missing(link_path) => link_path.rsplit('/').next().unwrap_or(link_path),
        }
    }
}

/// The files of a folder with all links that lead to `from` made to lead to `to`.
pub fn retargeted(
    vault: &Vault,
    catalogue: &Catalogue,
    from: &LinkTarget,
    to: &LinkTarget,
    folder: &FolderPath,
) -> Result<Vec<Relinked>, RelinkError> {
    let format = vault.app_settings().link_format;
    let mut relinked = Vec::new();
    for source in sources(catalogue, from) {
        let Some(place) = catalogue.entry(source).map(|entry| &entry.path).filter(|place| folder.contains(place)) else {
            continue;
        };
        let contents = match vault.read(place) {
            Ok(contents) => contents,
            // Gone or unreadable since it was indexed: there is nothing to re-point.
            Err(VaultError::NotFound(_) | VaultError::Offline(_) | VaultError::Link(_)) => continue,
            Err(error) => return Err(error.into()),
        };
        let Ok(text) = contents.text() else { continue };
        let file = File { catalogue, from, to, format, place };
        let (edits, links) = if is_canvas(place) { file.canvas_edits(text)? } else { file.note_edits(text)? };
        if links > 0 {
            let bytes = apply(text, edits).into_bytes();
            relinked.push(Relinked { path: place.clone(), before: contents.hash(), bytes, links, targets: BTreeMap::new() });
        }
    }
    Ok(relinked)
}

/// The files with a link that may lead there, by path.
fn sources(catalogue: &Catalogue, from: &LinkTarget) -> Vec<FileId> {
    let links = catalogue.links();
    let names: Vec<String> = match from {
        LinkTarget::File(path) => vec![fold(path.name())],
        LinkTarget::Missing(link_path) => possible_names(link_path).collect(),
    };
    let names = names.iter().filter_map(|name| links.find_name(name));
    let spellings = names.flat_map(|name| links.spellings_of(name)).map(|&spelling| links.spelling(spelling));
    catalogue.by_path_order(spellings.flat_map(|spelling| spelling.sources.as_slice()).copied().collect())
}

/// A file whose links are looked at.
struct File<'a> {
    catalogue: &'a Catalogue,
    from: &'a LinkTarget,
    to: &'a LinkTarget,
    format: LinkFormat,
    place: &'a NotePath,
}

impl File<'_> {
    fn note_edits(&self, text: &str) -> Result<(Vec<Edit>, usize), RelinkError> {
        let note = Note::parse(text);
        let matching: Vec<&Link> = note.links.iter().filter(|link| self.leads_from(&link.path)).collect();
        let edits: Vec<Edit> = matching.into_iter().filter_map(|link| self.edit(text, link)).collect();
        if !edits.is_empty() {
            self.check(&note, &apply(text, edits.clone()))?;
        }
        let links = edits.len();
        Ok((edits, links))
    }

    fn canvas_edits(&self, json: &str) -> Result<(Vec<Edit>, usize), RelinkError> {
        let (mut edits, mut links) = (Vec::new(), 0);
        for found in canvas_texts(json).unwrap_or_default() {
            match found {
                CanvasText::File { path, span, .. } => {
                    let found = find_exact(&|name: &str| self.catalogue.with_name(name), &fold(&path));
                    if self.is_from(&path, found.as_ref()) {
                        edits.push(replace_string(span, &self.full_path()));
                        links += 1;
                    }
                }
                CanvasText::Markdown { text, span } => {
                    let (inner, count) = self.note_edits(&text)?;
                    edits.extend((count > 0).then(|| replace_string(span, &apply(&text, inner))));
                    links += count;
                }
            }
        }
        Ok((edits, links))
    }

    fn leads_from(&self, link_path: &str) -> bool {
        !link_path.is_empty() && self.is_from(link_path, find_link_target(self.catalogue, self.place, link_path).as_ref())
    }

    fn is_from(&self, link_path: &str, found: Option<&NotePath>) -> bool {
        match self.from {
            LinkTarget::File(path) => found == Some(path),
            LinkTarget::Missing(missing) => found.is_none() && is_spelling_of(link_path, missing),
        }
    }

    fn edit(&self, text: &str, link: &Link) -> Option<Edit> {
        let (linkpath, is_note) = match self.to {
            LinkTarget::File(path) => written(self.catalogue, self.format, self.place, path, &link.path),
            LinkTarget::Missing(link_path) => (link_path.clone(), true),
        };
        let (old_basename, new_basename) = (self.from.basename(), self.to.basename());
        relink(text, link, &NewTarget { linkpath: &linkpath, old_basename, new_basename, is_note })
    }

    fn full_path(&self) -> String {
        match self.to {
            LinkTarget::File(path) => path.to_string(),
            LinkTarget::Missing(link_path) => format!("{link_path}.md"),
        }
    }

    /// Some names cannot be written in some kinds of link; then nothing may change.
    fn check(&self, before: &Note, new: &str) -> Result<(), RelinkError> {
        let after = Note::parse(new);
        let leads_to = |link: &Link| match self.to {
            LinkTarget::File(path) => find_link_target(self.catalogue, self.place, &link.path).as_ref() == Some(path),
            LinkTarget::Missing(missing) => is_spelling_of(&link.path, missing),
        };
        let is_right = |(before, after): (&Link, &Link)| match self.leads_from(&before.path) {
            true => leads_to(after) && before.subpath == after.subpath,
            false => before.path == after.path,
        };
        if before.links.len() == after.links.len() && before.links.iter().zip(&after.links).all(is_right) {
            return Ok(());
        }
        Err(RelinkError::Unlinkable { source_path: self.place.clone(), target: self.full_path() })
    }
}

fn is_spelling_of(link_path: &str, missing: &str) -> bool {
    let (written, missing) = (fold(link_path), fold(missing));
    written == missing || written.strip_suffix(".md") == Some(&*missing)
}
