//! Moving and copying files without breaking a link: every edit is computed before anything is written.

use quillgate_markdown::{Edit, Edits, NewTarget, Note, fold, relink};
use quillgate_vault::{ContentHash, LinkFormat, NotePath, Vault, VaultError};

use crate::canvas::{CanvasText, canvas_texts, replace_string};
use crate::catalogue::Catalogue;
use crate::entry::{Entry, is_canvas, is_parsed};
use crate::names::{After, Names, find_link_target};

#[derive(Debug, thiserror::Error)]
pub enum RelinkError {
    #[error(transparent)]
    Vault(#[from] VaultError),
    #[error("the links of {source_path} cannot be written to mean {target}; choose a path without # | ^ [ ]")]
    Unlinkable { source_path: NotePath, target: NotePath },
}

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
pub fn relinked_move(vault: &Vault, catalogue: &Catalogue, from: &NotePath, to: &NotePath) -> Result<Vec<Relinked>, RelinkError> {
    let after = After { catalogue, from: Some(from), to };
    let format = vault.app_settings().link_format;
    let mut sources: Vec<&Entry> = catalogue.possible_linkers(from);
    sources.extend(catalogue.possible_linkers(to));
    sources.extend(catalogue.find(from).filter(|entry| is_parsed(&entry.path)));
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    sources.dedup_by(|a, b| a.path == b.path);
    let mut relinked = Vec::new();
    for source in sources {
        let moved = if source.path == *from { to } else { &source.path };
        let file = File { after: &after, format, place: &source.path, place_after: moved };
        relinked.extend(relink_file(vault, &file)?);
    }
    Ok(relinked)
}

/// What a copy of a file holds.
#[derive(Debug)]
pub struct Copied {
    pub bytes: Vec<u8>,
    /// Links that had to be written in another way.
    pub links: usize,
}

/// A copy of `from` at `to`: links that would mean another file from there are re-pointed.
pub fn relinked_copy(vault: &Vault, catalogue: &Catalogue, from: &NotePath, to: &NotePath) -> Result<Copied, RelinkError> {
    let contents = vault.read(from)?;
    let Some(text) = contents.text().ok().filter(|_| is_parsed(from)) else {
        return Ok(Copied { bytes: contents.bytes, links: 0 });
    };
    let after = After { catalogue, from: None, to };
    let file = File { after: &after, format: vault.app_settings().link_format, place: from, place_after: to };
    match file.relinked(text)? {
        Some((copy, links)) => Ok(Copied { bytes: copy.into_bytes(), links }),
        None => Ok(Copied { bytes: contents.bytes, links: 0 }),
    }
}

fn relink_file(vault: &Vault, file: &File<'_>) -> Result<Option<Relinked>, RelinkError> {
    let contents = match vault.read(file.place) {
        Ok(contents) => contents,
        // Gone or unreadable since it was indexed: there is nothing to re-point.
        Err(VaultError::NotFound(_) | VaultError::Offline(_) | VaultError::Link(_)) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let Ok(text) = contents.text() else { return Ok(None) };
    let Some((new, links)) = file.relinked(text)? else { return Ok(None) };
    Ok(Some(Relinked { path: file.place.clone(), before: contents.hash(), bytes: new.into_bytes(), links }))
}

/// A file that links stand in, before and after the change.
struct File<'a> {
    after: &'a After<'a>,
    format: LinkFormat,
    place: &'a NotePath,
    place_after: &'a NotePath,
}

/// How a link has to be written now, because what is written no longer means what it meant.
struct NewLink {
    link_path: String,
    /// Whether the link path stands without `.md`.
    is_note: bool,
    old: NotePath,
    new: NotePath,
}

impl File<'_> {
    /// The new text and how many links changed in it; nothing when all links are right as they are.
    fn relinked(&self, text: &str) -> Result<Option<(String, usize)>, RelinkError> {
        let edits = if is_canvas(self.place) { self.canvas_edits(text)? } else { self.note_edits(text)? };
        let links = edits.len();
        Ok((links > 0).then(|| (apply(text, edits), links)))
    }

    fn note_edits(&self, text: &str) -> Result<Vec<Edit>, RelinkError> {
        let note = Note::parse(text);
        let mut edits = Vec::new();
        for link in &note.links {
            let Some(new) = self.new_link(&link.path) else { continue };
            let target = NewTarget {
                linkpath: &new.link_path,
                old_basename: basename(&new.old),
                new_basename: basename(&new.new),
                is_note: new.is_note,
            };
            edits.extend(relink(text, link, &target));
        }
        if !edits.is_empty() {
            self.check(&note, &apply(text, edits.clone()))?;
        }
        Ok(edits)
    }

    fn canvas_edits(&self, json: &str) -> Result<Vec<Edit>, RelinkError> {
        let mut edits = Vec::new();
        for found in canvas_texts(json).unwrap_or_default() {
            match found {
                // A file node holds a full path and nothing else.
                CanvasText::File { path, span, .. } => {
                    let moved = self.after.from.is_some_and(|from| fold(from.as_str()) == fold(&path));
                    edits.extend(moved.then(|| replace_string(span, self.after.to.as_str())));
                }
                CanvasText::Markdown { text, span } => {
                    let inner = self.note_edits(&text)?;
                    edits.extend((!inner.is_empty()).then(|| replace_string(span, &apply(&text, inner))));
                }
            }
        }
        Ok(edits)
    }

    /// What a link means now, and what it has to mean then.
    fn meant(&self, link_path: &str) -> Option<(NotePath, NotePath)> {
        let meant = find_link_target(self.after.catalogue, self.place, link_path)?;
        // A file's links to itself go with it, also into a copy.
        let wanted = if meant == *self.place {
            self.place_after.clone()
        } else if Some(&meant) == self.after.from {
            self.after.to.clone()
        } else {
            meant.clone()
        };
        Some((meant, wanted))
    }

    fn new_link(&self, link_path: &str) -> Option<NewLink> {
        let (old, new) = self.meant(link_path)?;
        if link_path.is_empty() || find_link_target(self.after, self.place_after, link_path).as_ref() == Some(&new) {
            return None;
        }
        let format = match self.format {
            _ if is_dotted(link_path) => LinkFormat::Relative,
            // A link that names a folder goes on doing so.
            LinkFormat::Shortest if link_path.contains('/') => LinkFormat::Absolute,
            format => format,
        };
        // The extension is kept where it was written.
        let extension = if new.is_note() && link_path.to_ascii_lowercase().ends_with(".md") { ".md" } else { "" };
        let means_target =
            |path: &&String| find_link_target(self.after, self.place_after, &format!("{path}{extension}")).as_ref() == Some(&new);
        let mut candidates = candidates(self.after, format, self.place_after, &new);
        // So does one that says "from here" or "from the top".
        let is_rooted = |path: &str| path.starts_with('/');
        candidates.sort_by_key(|candidate| {
            is_dotted(link_path) && !is_dotted(candidate) || is_rooted(link_path) && !is_rooted(candidate)
        });
        let (link_path, is_note) = match candidates.iter().find(means_target) {
            Some(path) => (path.clone(), new.is_note()),
            None => (format!("/{new}"), false),
        };
        Some(NewLink { link_path, is_note, old, new })
    }

    /// Some names cannot be written in some kinds of link; then nothing may change.
    fn check(&self, before: &Note, new: &str) -> Result<(), RelinkError> {
        let after = Note::parse(new);
        let unlinkable = || RelinkError::Unlinkable { source_path: self.place.clone(), target: self.after.to.clone() };
        if before.links.len() != after.links.len() {
            return Err(unlinkable());
        }
        for (before, after) in before.links.iter().zip(&after.links) {
            let Some((_, wanted)) = self.meant(&before.path) else { continue };
            if find_link_target(self.after, self.place_after, &after.path) != Some(wanted) || before.subpath != after.subpath {
                return Err(unlinkable());
            }
        }
        Ok(())
    }
}

/// Ways to write a link path to `target`, the vault's own format first; each may mean another file.
fn candidates(names: &impl Names, format: LinkFormat, source: &NotePath, target: &NotePath) -> Vec<String> {
    let full = target.without_md().to_owned();
    let rooted = format!("/{full}");
    match format {
        LinkFormat::Shortest if names.with_name(&fold(target.name())).len() == 1 => {
            vec![basename(target).to_owned(), full, rooted]
        }
        LinkFormat::Relative => {
            let relative = relative_path(source, target);
            let dotted = format!("./{relative}");
            vec![relative, dotted, full, rooted]
        }
        LinkFormat::Shortest | LinkFormat::Absolute => vec![full, rooted],
    }
}

/// How a link to a file is written; the file may not be there yet.
pub(crate) fn link_path_to(catalogue: &Catalogue, format: LinkFormat, source: &NotePath, target: &NotePath) -> String {
    let names = After { catalogue, from: Some(target), to: target };
    let mut candidates = candidates(&names, format, source, target).into_iter();
    let means_target = |path: &String| find_link_target(&names, source, path).as_ref() == Some(target);
    candidates.find(means_target).unwrap_or_else(|| format!("/{target}"))
}

fn is_dotted(link_path: &str) -> bool {
    link_path.starts_with("./") || link_path.starts_with("../")
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
