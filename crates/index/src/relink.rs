//! Links that are written anew so that they mean what they meant.

use std::collections::{BTreeMap, HashMap};

use quillgate_markdown::{Edit, Edits, Link, NewTarget, Note, fold, relink};
use quillgate_vault::{LinkFormat, NotePath, VaultError};

use crate::canvas::{CanvasText, canvas_texts, replace_string};
use crate::catalogue::Catalogue;
use crate::entry::is_canvas;
use crate::names::{After, Names, find_exact, find_link_target};

#[derive(Debug, thiserror::Error)]
pub enum RelinkError {
    #[error(transparent)]
    Vault(#[from] VaultError),
    #[error("the links of {source_path} cannot be written to mean {target}; choose a path without # | ^ [ ]")]
    Unlinkable { source_path: NotePath, target: String },
}

/// What links mean before a change, and what they have to mean after it.
pub(crate) struct Meanings<'a> {
    pub(crate) before: &'a After<'a>,
    pub(crate) after: &'a After<'a>,
    /// New paths by old ones.
    pub(crate) moved: &'a HashMap<NotePath, NotePath>,
    pub(crate) format: LinkFormat,
}

impl Meanings<'_> {
    fn wanted<'n>(&'n self, meant: &'n NotePath) -> &'n NotePath {
        self.moved.get(meant).unwrap_or(meant)
    }

    /// Whether a link path in a file that stays has to be written differently.
    pub(crate) fn changes(&self, place: &NotePath, link_path: &str, is_exact: bool) -> bool {
        let file = File { meanings: self, place, place_after: place };
        if is_exact { file.new_file_node(link_path).is_some() } else { file.find_wrong_after(link_path).is_some() }
    }
}

/// A file that links stand in, before and after the change.
pub(crate) struct File<'a> {
    pub(crate) meanings: &'a Meanings<'a>,
    pub(crate) place: &'a NotePath,
    pub(crate) place_after: &'a NotePath,
}

/// A text with its links re-pointed, and how many of them meant which file.
pub(crate) struct Repointed {
    pub(crate) text: String,
    pub(crate) targets: BTreeMap<NotePath, usize>,
}

/// How a link has to be written now, because what is written no longer means what it meant.
pub(crate) struct NewLink {
    pub(crate) link_path: String,
    /// Whether the link path stands without `.md`.
    pub(crate) is_note: bool,
    pub(crate) old: NotePath,
    pub(crate) new: NotePath,
}

/// An edit of one or more links, and the files that they meant.
struct LinkEdit {
    edit: Edit,
    targets: Vec<NotePath>,
}

impl File<'_> {
    /// Nothing when all links are right as they are.
    pub(crate) fn repointed(&self, text: &str) -> Result<Option<Repointed>, RelinkError> {
        let edits = if is_canvas(self.place) { self.canvas_edits(text)? } else { self.note_edits(text)? };
        if edits.is_empty() {
            return Ok(None);
        }
        let mut targets = BTreeMap::new();
        for target in edits.iter().flat_map(|edit| &edit.targets) {
            *targets.entry(target.clone()).or_default() += 1;
        }
        Ok(Some(Repointed { text: applied(text, edits), targets }))
    }

    fn note_edits(&self, text: &str) -> Result<Vec<LinkEdit>, RelinkError> {
        let note = Note::parse(text);
        let mut edits = Vec::new();
        for link in &note.links {
            let Some(new) = self.new_link(&link.path) else { continue };
            edits.extend(edit_of(text, link, &new).map(|edit| LinkEdit { edit, targets: vec![new.old] }));
        }
        if !edits.is_empty() {
            let edited = edits.iter().map(|edit| edit.edit.clone()).collect();
            self.check(&note, &apply(text, edited), &edits[0].targets[0])?;
        }
        Ok(edits)
    }

    fn canvas_edits(&self, json: &str) -> Result<Vec<LinkEdit>, RelinkError> {
        let mut edits = Vec::new();
        for found in canvas_texts(json).unwrap_or_default() {
            match found {
                CanvasText::File { path, span, .. } => edits.extend(self.new_file_node(&path).map(|(old, new)| {
                    let edit = replace_string(span, new.as_str());
                    LinkEdit { edit, targets: vec![old] }
                })),
                CanvasText::Markdown { text, span } => {
                    let inner = self.note_edits(&text)?;
                    if !inner.is_empty() {
                        let targets = inner.iter().flat_map(|edit| edit.targets.clone()).collect();
                        edits.push(LinkEdit { edit: replace_string(span, &applied(&text, inner)), targets });
                    }
                }
            }
        }
        Ok(edits)
    }

    /// A file node of a canvas holds a full path and nothing else; it follows a file that is only spelled differently too.
    fn new_file_node(&self, path: &str) -> Option<(NotePath, NotePath)> {
        let Meanings { before, after, .. } = self.meanings;
        let old = find_exact(&|name: &str| before.with_name(name), &fold(path))?;
        let new = self.meanings.wanted(&old).clone();
        let is_right = old == new && find_exact(&|name: &str| after.with_name(name), &fold(path)).as_ref() == Some(&new);
        (!is_right && path != new.as_str()).then_some((old, new))
    }

    /// What a link means now, and what it has to mean then.
    fn meant(&self, link_path: &str) -> Option<(NotePath, NotePath)> {
        let meant = find_link_target(self.meanings.before, self.place, link_path)?;
        // A file's links to itself go with it, also into a copy.
        let wanted = if meant == *self.place { self.place_after } else { self.meanings.wanted(&meant) }.clone();
        Some((meant, wanted))
    }

    /// What a link means now and has to mean then, if as it is written it would mean something else then.
    fn find_wrong_after(&self, link_path: &str) -> Option<(NotePath, NotePath)> {
        let (old, new) = self.meant(link_path)?;
        let is_right =
            link_path.is_empty() || find_link_target(self.meanings.after, self.place_after, link_path).as_ref() == Some(&new);
        (!is_right).then_some((old, new))
    }

    fn new_link(&self, link_path: &str) -> Option<NewLink> {
        let (old, new) = self.find_wrong_after(link_path)?;
        let (link_path, is_note) = written(self.meanings.after, self.meanings.format, self.place_after, &new, link_path);
        Some(NewLink { link_path, is_note, old, new })
    }

    /// Some names cannot be written in some kinds of link; then nothing may change.
    fn check(&self, before: &Note, new: &str, first: &NotePath) -> Result<(), RelinkError> {
        let after = Note::parse(new);
        let unlinkable =
            |target: &NotePath| RelinkError::Unlinkable { source_path: self.place.clone(), target: target.to_string() };
        if before.links.len() != after.links.len() {
            return Err(unlinkable(self.meanings.wanted(first)));
        }
        for (before, after) in before.links.iter().zip(&after.links) {
            let Some((_, wanted)) = self.meant(&before.path) else { continue };
            let means = find_link_target(self.meanings.after, self.place_after, &after.path);
            if means.as_ref() != Some(&wanted) || before.subpath != after.subpath {
                return Err(unlinkable(&wanted));
            }
        }
        Ok(())
    }
}

/// How a link to `new` is written in the place of `link_path`, and whether without `.md`.
pub(crate) fn written(
    names: &impl Names,
    format: LinkFormat,
    source: &NotePath,
    new: &NotePath,
    link_path: &str,
) -> (String, bool) {
    let format = match format {
        _ if is_dotted(link_path) => LinkFormat::Relative,
        // A link that names a folder goes on doing so.
        LinkFormat::Shortest if link_path.contains('/') => LinkFormat::Absolute,
        format => format,
    };
    // The extension is kept where it was written.
    let extension = if new.is_note() && link_path.to_ascii_lowercase().ends_with(".md") { ".md" } else { "" };
    let means_target = |path: &&String| find_link_target(names, source, &format!("{path}{extension}")).as_ref() == Some(new);
    let mut candidates = candidates(names, format, source, new);
    // So does one that says "from here" or "from the top".
    let is_rooted = |path: &str| path.starts_with('/');
    candidates
        .sort_by_key(|candidate| is_dotted(link_path) && !is_dotted(candidate) || is_rooted(link_path) && !is_rooted(candidate));
    match candidates.iter().find(means_target) {
        Some(path) => (path.clone(), new.is_note()),
        None => (format!("/{new}"), false),
    }
}

pub(crate) fn edit_of(text: &str, link: &Link, new: &NewLink) -> Option<Edit> {
    let target = NewTarget {
        linkpath: &new.link_path,
        old_basename: basename(&new.old),
        new_basename: basename(&new.new),
        is_note: new.is_note,
    };
    relink(text, link, &target)
}

fn applied(text: &str, edits: Vec<LinkEdit>) -> String {
    apply(text, edits.into_iter().map(|edit| edit.edit).collect())
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
    let names = After::coming(catalogue, target);
    let mut candidates = candidates(&names, format, source, target).into_iter();
    let means_target = |path: &String| find_link_target(&names, source, path).as_ref() == Some(target);
    candidates.find(means_target).unwrap_or_else(|| format!("/{target}"))
}

fn is_dotted(link_path: &str) -> bool {
    link_path.starts_with("./") || link_path.starts_with("../")
}

pub(crate) fn basename(path: &NotePath) -> &str {
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

pub(crate) fn apply(text: &str, edits: Vec<Edit>) -> String {
    match Edits::new(edits) {
        Ok(edits) => edits.apply(text),
        // Links do not overlap; if they ever did, leaving the text alone loses nothing.
        Err(error) => {
            tracing::error!(%error, "overlapping link edits");
            text.to_owned()
        }
    }
}
