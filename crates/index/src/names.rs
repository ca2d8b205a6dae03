//! Which file a link means, by the app's rules.

use std::borrow::Borrow;
use std::collections::{HashMap, HashSet};

use quillgate_markdown::fold;
use quillgate_vault::NotePath;

use crate::card::{CardLink, LinkPlace};
use crate::catalogue::Catalogue;

/// A set of files that links are looked up in. Names are folded, with their extension.
pub trait Names {
    fn with_name(&self, folded_name: &str) -> Vec<NotePath>;
}

/// The names of the vault once files have come and gone.
#[derive(Clone)]
pub(crate) struct After<'a> {
    pub(crate) catalogue: &'a Catalogue,
    gone: HashSet<NotePath>,
    /// By their folded names.
    come: HashMap<String, Vec<NotePath>>,
}

impl<'a> After<'a> {
    pub(crate) fn nothing(catalogue: &'a Catalogue) -> After<'a> {
        After { catalogue, gone: HashSet::new(), come: HashMap::new() }
    }

    pub(crate) fn coming(catalogue: &'a Catalogue, path: &NotePath) -> After<'a> {
        let mut after = After::nothing(catalogue);
        after.come(path);
        after
    }

    pub(crate) fn come(&mut self, path: &NotePath) {
        let is_back = self.gone.remove(path);
        if is_back || self.catalogue.find_id(path).is_some() {
            return;
        }
        let namesakes = self.come.entry(fold(path.name())).or_default();
        if !namesakes.contains(path) {
            namesakes.push(path.clone());
        }
    }

    pub(crate) fn go(&mut self, path: &NotePath) {
        if let Some(namesakes) = self.come.get_mut(&fold(path.name())) {
            namesakes.retain(|namesake| namesake != path);
        }
        if self.catalogue.find_id(path).is_some() {
            self.gone.insert(path.clone());
        }
    }

    pub(crate) fn is_gone(&self, path: &NotePath) -> bool {
        self.gone.contains(path)
    }
}

impl Names for After<'_> {
    fn with_name(&self, folded_name: &str) -> Vec<NotePath> {
        let mut paths = self.catalogue.with_name(folded_name);
        paths.retain(|path| !self.gone.contains(path));
        paths.extend(self.come.get(folded_name).into_iter().flatten().cloned());
        paths
    }
}

/// The key under which a link path is counted: its last segment, folded.
pub fn link_name(link_path: &str) -> String {
    fold(link_path.rsplit('/').next().unwrap_or(link_path))
}

/// The folded names of the files that a link path can mean.
pub(crate) fn possible_names(link_path: &str) -> impl Iterator<Item = String> {
    spellings(&link_name(link_path))
}

/// Resolves the path part of a link that stands in `source`. Aliases never resolve; only `.md` may be left out.
pub fn find_link_target(names: &impl Names, source: &NotePath, link_path: &str) -> Option<NotePath> {
    if link_path.is_empty() {
        return Some(source.clone());
    }
    find_from(&|name: &str| names.with_name(name), folder_of(source), link_path)
}

/// The file that a link kept in the catalogue means. A file node of a canvas gives a full path and means no other.
pub(crate) fn find_card_target(names: &impl Names, source: &NotePath, link: &CardLink) -> Option<NotePath> {
    match link.place {
        LinkPlace::CanvasFile => find_exact(&|name: &str| names.with_name(name), &fold(&link.path)),
        LinkPlace::Text | LinkPlace::Property | LinkPlace::Canvas => find_link_target(names, source, &link.path),
    }
}

/// What a link path means wherever it stands, if that can be said.
pub(crate) enum Meant<F> {
    Nothing,
    File(F),
    /// The folder it stands in decides.
    ByFolder,
}

impl<F> From<Option<F>> for Meant<F> {
    fn from(found: Option<F>) -> Meant<F> {
        found.map_or(Meant::Nothing, Meant::File)
    }
}

pub(crate) fn find_from_anywhere<F: Borrow<NotePath>>(named: &impl Fn(&str) -> Vec<F>, link_path: &str) -> Meant<F> {
    if is_relative(link_path) {
        let is_hopeless = possible_names(link_path).all(|name| named(&name).is_empty());
        return if is_hopeless { Meant::Nothing } else { Meant::ByFolder };
    }
    if let Some(absolute) = link_path.strip_prefix('/') {
        return find_exact(named, &fold(absolute)).into();
    }
    for wanted in spellings(&fold(link_path)) {
        let mut candidates = candidates(named, &wanted);
        match candidates.len() {
            0 => continue,
            1 => return candidates.pop().into(),
            _ => candidates.retain(|path| is_exact(path.borrow(), &wanted)),
        }
        return if candidates.len() == 1 { candidates.pop().into() } else { Meant::ByFolder };
    }
    Meant::Nothing
}

/// The file that a link path means in a folder.
pub(crate) fn find_from<F: Borrow<NotePath>>(named: &impl Fn(&str) -> Vec<F>, folder: &str, link_path: &str) -> Option<F> {
    if is_relative(link_path) {
        return find_exact(named, &relative(folder, link_path)?);
    }
    if let Some(absolute) = link_path.strip_prefix('/') {
        return find_exact(named, &fold(absolute));
    }
    spellings(&fold(link_path)).find_map(|wanted| nearest(candidates(named, &wanted), folder, &wanted))
}

pub(crate) fn find_exact<F: Borrow<NotePath>>(named: &impl Fn(&str) -> Vec<F>, folded: &str) -> Option<F> {
    spellings(folded).find_map(|wanted| {
        let mut same_name = named(&link_name(&wanted)).into_iter();
        same_name.find(|path| fold(path.borrow().as_str()) == wanted)
    })
}

/// The folder a file is in, empty for the vault itself.
pub(crate) fn folder_of(path: &NotePath) -> &str {
    folder_above(path.as_str())
}

fn folder_above(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn is_relative(link_path: &str) -> bool {
    link_path.starts_with("./") || link_path.starts_with("../")
}

/// A name with a dot is tried as it stands first; `.md` may always be missing.
fn spellings(folded: &str) -> impl Iterator<Item = String> + use<> {
    let name = folded.rsplit('/').next().unwrap_or(folded);
    let literal = name.contains('.').then(|| folded.to_owned());
    literal.into_iter().chain(std::iter::once(format!("{folded}.md")))
}

/// The folded vault path that `./x` or `../x` means, unless it leaves the vault or names no file.
fn relative(folder: &str, link_path: &str) -> Option<String> {
    let mut segments: Vec<&str> = folder.split('/').filter(|segment| !segment.is_empty()).collect();
    if let Some("" | "." | "..") = link_path.rsplit('/').next() {
        return None;
    }
    for segment in link_path.split('/') {
        match segment {
            "." | "" => {}
            ".." => drop(segments.pop()?),
            name => segments.push(name),
        }
    }
    Some(fold(&segments.join("/")))
}

/// The files whose path ends with the wanted one.
fn candidates<F: Borrow<NotePath>>(named: &impl Fn(&str) -> Vec<F>, wanted: &str) -> Vec<F> {
    let mut candidates = named(&link_name(wanted));
    if wanted.contains('/') {
        candidates.retain(|path| {
            let folded = fold(path.borrow().as_str());
            folded.strip_suffix(wanted).is_some_and(|before| before.is_empty() || before.ends_with('/'))
        });
    }
    candidates
}

fn is_exact(candidate: &NotePath, wanted: &str) -> bool {
    depth(candidate.as_str()) == depth(wanted)
}

fn depth(path: &str) -> usize {
    path.matches('/').count()
}

/// The exact path, then the source's own folder, then the shortest path.
fn nearest<F: Borrow<NotePath>>(mut candidates: Vec<F>, own_folder: &str, wanted: &str) -> Option<F> {
    if candidates.len() < 2 {
        return candidates.pop();
    }
    let is_neighbour = |path: &NotePath| (0..=depth(wanted)).fold(path.as_str(), |path, _| folder_above(path)) == own_folder;
    candidates.into_iter().min_by(|a, b| {
        let key = |path: &NotePath| (!is_exact(path, wanted), !is_neighbour(path), path.as_str().chars().count());
        let (a, b) = (a.borrow(), b.borrow());
        key(a).cmp(&key(b)).then_with(|| a.cmp(b))
    })
}
