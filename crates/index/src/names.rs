//! Which file a link means, by the app's rules.

use quillgate_markdown::fold;
use quillgate_vault::NotePath;

use crate::card::{CardLink, LinkPlace};
use crate::catalogue::Catalogue;

/// A set of files that links are looked up in. Names are folded, with their extension.
pub trait Names {
    fn with_name(&self, folded_name: &str) -> Vec<NotePath>;
}

/// The names of the vault as they are once the file is at its new place.
pub(crate) struct After<'a> {
    pub(crate) catalogue: &'a Catalogue,
    pub(crate) from: Option<&'a NotePath>,
    pub(crate) to: &'a NotePath,
}

impl Names for After<'_> {
    fn with_name(&self, folded_name: &str) -> Vec<NotePath> {
        let mut paths = self.catalogue.with_name(folded_name);
        paths.retain(|path| Some(path) != self.from);
        if fold(self.to.name()) == folded_name {
            paths.push(self.to.clone());
        }
        paths
    }
}

/// The key under which a link path is counted: its last segment, folded.
pub fn link_name(link_path: &str) -> String {
    fold(link_path.rsplit('/').next().unwrap_or(link_path))
}

/// Resolves the path part of a link that stands in `source`. Aliases never resolve; only `.md` may be left out.
pub fn find_link_target(names: &impl Names, source: &NotePath, link_path: &str) -> Option<NotePath> {
    if link_path.is_empty() {
        return Some(source.clone());
    }
    if link_path.starts_with("./") || link_path.starts_with("../") {
        return find_exact(names, &relative(source, link_path)?);
    }
    if let Some(absolute) = link_path.strip_prefix('/') {
        return find_exact(names, &fold(absolute));
    }
    let wanted = fold(link_path);
    spellings(&wanted).find_map(|spelling| best_match(names, source, &spelling))
}

/// The file that a link kept in the catalogue means. A file node of a canvas gives a full path and means no other.
pub(crate) fn find_card_target(names: &impl Names, source: &NotePath, link: &CardLink) -> Option<NotePath> {
    match link.place {
        LinkPlace::CanvasFile => find_exact(names, &fold(&link.path)),
        LinkPlace::Text | LinkPlace::Property | LinkPlace::Canvas => find_link_target(names, source, &link.path),
    }
}

/// A name with a dot is tried as it stands first; `.md` may always be missing.
fn spellings(folded: &str) -> impl Iterator<Item = String> {
    let name = folded.rsplit('/').next().unwrap_or(folded);
    let literal = name.contains('.').then(|| folded.to_owned());
    literal.into_iter().chain(std::iter::once(format!("{folded}.md")))
}

fn find_exact(names: &impl Names, folded: &str) -> Option<NotePath> {
    spellings(folded)
        .find_map(|spelling| names.with_name(&link_name(&spelling)).into_iter().find(|path| fold(path.as_str()) == spelling))
}

/// The folded vault path that `./x` or `../x` means, unless it leaves the vault.
fn relative(source: &NotePath, link_path: &str) -> Option<String> {
    let parent = source.parent();
    let mut segments: Vec<&str> = parent.as_str().split('/').filter(|segment| !segment.is_empty()).collect();
    for segment in link_path.split('/') {
        match segment {
            "." | "" => {}
            ".." => drop(segments.pop()?),
            name => segments.push(name),
        }
    }
    Some(fold(&segments.join("/")))
}

/// Among the files whose path ends with the wanted one: the exact path, then the source's own folder, then the shortest path.
fn best_match(names: &impl Names, source: &NotePath, wanted: &str) -> Option<NotePath> {
    let mut candidates = names.with_name(&link_name(wanted));
    let has_folder = wanted.contains('/');
    if has_folder {
        candidates.retain(|path| {
            let folded = fold(path.as_str());
            folded.strip_suffix(wanted).is_some_and(|before| before.is_empty() || before.ends_with('/'))
        });
    }
    if candidates.len() < 2 {
        return candidates.pop();
    }
    let depth = wanted.matches('/').count();
    let is_exact = |path: &NotePath| path.as_str().matches('/').count() == depth;
    let own_folder = source.parent();
    let is_neighbour = |path: &NotePath| {
        let mut folder = path.parent();
        for _ in 0..depth {
            folder = folder_above(&folder);
        }
        folder == own_folder
    };
    candidates.into_iter().min_by_key(|path| (!is_exact(path), !is_neighbour(path), path.as_str().chars().count(), path.clone()))
}

fn folder_above(folder: &quillgate_vault::FolderPath) -> quillgate_vault::FolderPath {
    NotePath::parse(folder.as_str()).map(|path| path.parent()).unwrap_or_default()
}
