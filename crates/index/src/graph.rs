//! Questions about links, answered from memory: no file and, but for the text of links, no card is opened.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use quillgate_markdown::fold;
use quillgate_vault::NotePath;

use crate::card::CardLink;
use crate::catalogue::{Catalogue, FileId};
use crate::links::{Meaning, Reference, Spelling};
use crate::names::{
    After, Meant, Names, find_card_target, find_exact, find_from, find_from_anywhere, find_link_target, folder_of,
};

/// A file that links to the one asked about.
#[derive(Clone, Debug)]
pub struct Backlink {
    pub source: NotePath,
    pub links: Vec<CardLink>,
}

#[derive(Clone, Debug)]
pub struct OutgoingLink {
    pub link: CardLink,
    pub target: Option<NotePath>,
}

/// A link path that names no file, and who uses it on which line.
#[derive(Clone, Debug)]
pub struct Unresolved {
    pub target: String,
    pub sources: Vec<(NotePath, u32)>,
}

#[derive(Clone, Debug, Default)]
pub struct Neighbours {
    pub nodes: Vec<(NotePath, u32)>,
    pub edges: Vec<(NotePath, NotePath)>,
    pub truncated: bool,
}

/// The files with a link to another one, by path: all are known, few need be looked at.
#[derive(Clone, Debug, Default)]
pub struct BacklinkSources {
    target: Option<FileId>,
    pub sources: Vec<FileId>,
}

impl Catalogue {
    /// Links of other files to `target`, which may not exist yet; a file's links to itself are no backlinks.
    pub fn backlinks(&self, target: &NotePath) -> Vec<Backlink> {
        let Some(id) = self.find_id(target) else { return self.future_backlinks(target) };
        let sources = self.sources_of(id).into_iter().filter_map(|source| Some((source, self.entry(source)?)));
        let backlinks = sources.map(|(source, entry)| {
            let targets = self.references(source).iter().map(|&reference| self.target(source, reference));
            let links = entry.card().links.into_iter().filter(is_reference).zip(targets);
            let links = links.filter(|(_, target)| *target == Some(id)).map(|(link, _)| link);
            Backlink { source: entry.path.clone(), links: links.collect() }
        });
        backlinks.collect()
    }

    /// The files that `backlinks` would name. Cheap even for a file that everything links to.
    pub fn backlink_sources(&self, target: &NotePath) -> BacklinkSources {
        match self.find_id(target) {
            Some(id) => BacklinkSources { target: Some(id), sources: self.sources_of(id) },
            None => BacklinkSources { target: None, sources: self.future_sources(target) },
        }
    }

    /// The lines of one of the sources on which the links stand, one for each link.
    pub fn backlink_lines(&self, found: &BacklinkSources, target: &NotePath, source: FileId) -> Vec<u32> {
        let names = After::coming(self, target);
        let is_meant = |reference: &&Reference| match found.target {
            Some(id) => self.target(source, **reference) == Some(id),
            None => self.will_mean(&names, source, self.links().spelling(reference.spelling), target),
        };
        self.references(source).iter().filter(is_meant).map(|reference| reference.line()).collect()
    }

    pub fn outgoing(&self, source: &NotePath) -> Vec<OutgoingLink> {
        let links = self.find(source).map(|entry| entry.card().links).unwrap_or_default();
        links.into_iter().map(|link| OutgoingLink { target: find_card_target(self, source, &link), link }).collect()
    }

    pub fn unresolved(&self) -> Vec<Unresolved> {
        let mut by_target: HashMap<&str, Vec<(NotePath, u32)>> = HashMap::new();
        for (source, entry) in self.numbered() {
            for &reference in self.references(source) {
                if self.target(source, reference).is_none() {
                    let target = &*self.links().spelling(reference.spelling).path;
                    by_target.entry(target).or_default().push((entry.path.clone(), reference.line()));
                }
            }
        }
        let mut found: Vec<Unresolved> =
            by_target.into_iter().map(|(target, sources)| Unresolved { target: target.to_owned(), sources }).collect();
        found.sort_unstable_by(|a, b| a.target.cmp(&b.target));
        found
    }

    /// Notes that nothing links to.
    pub fn orphans(&self) -> Vec<NotePath> {
        let mut is_linked = vec![false; self.slots()];
        for (_, spelling) in self.links().spellings() {
            match self.meaning(spelling) {
                Meaning::Nothing => {}
                Meaning::File(target) => {
                    is_linked[target.0 as usize] |= spelling.sources.as_slice().iter().any(|source| *source != target);
                }
                Meaning::ByFolder => self.each_target(spelling, |source, target| {
                    is_linked[target.0 as usize] |= source != target;
                }),
            }
        }
        let orphans = self.numbered().filter(|(id, entry)| entry.path.is_note() && !is_linked[id.0 as usize]);
        orphans.map(|(_, entry)| entry.path.clone()).collect()
    }

    /// Notes without a link to another file.
    pub fn dead_ends(&self) -> Vec<NotePath> {
        let leads_on = |id: FileId| self.references(id).iter().any(|&link| self.target(id, link).is_some_and(|to| to != id));
        let dead_ends = self.numbered().filter(|(id, entry)| entry.path.is_note() && !leads_on(*id));
        dead_ends.map(|(_, entry)| entry.path.clone()).collect()
    }

    /// Files within `depth` links of `start`, in either direction, nearest first and at most `most` of them, and all links
    /// between them.
    pub fn neighbours(&self, start: &NotePath, depth: u32, most: usize) -> Neighbours {
        let Some(start) = self.find_id(start) else { return Neighbours::default() };
        let mut found: BTreeMap<FileId, u32> = BTreeMap::from([(start, 0)]);
        let mut layer = vec![start];
        let mut truncated = false;
        for distance in 1..=depth {
            let mut next = Vec::new();
            for &here in &layer {
                for there in self.by_path_order(self.linked_with(here)) {
                    if found.contains_key(&there) {
                        continue;
                    }
                    if found.len() > most {
                        truncated = true;
                        break;
                    }
                    found.insert(there, distance);
                    next.push(there);
                }
            }
            layer = next;
        }
        let edges: BTreeSet<(u32, FileId, FileId)> = found
            .keys()
            .flat_map(|&from| self.targets_of(from).into_iter().map(move |to| (from, to)))
            .filter(|(_, to)| found.contains_key(to))
            .map(|(from, to)| (self.rank(from), from, to))
            .collect();
        let path = |id: FileId| self.entry(id).map(|entry| entry.path.clone());
        let mut edges: Vec<(NotePath, NotePath)> =
            edges.into_iter().filter_map(|(_, from, to)| Some((path(from)?, path(to)?))).collect();
        edges.sort_unstable();
        found.remove(&start);
        let mut nodes: Vec<(NotePath, u32)> = found.into_iter().filter_map(|(id, at)| Some((path(id)?, at))).collect();
        nodes.sort_unstable_by(|a, b| (a.1, &a.0).cmp(&(b.1, &b.0)));
        Neighbours { nodes, edges, truncated }
    }

    /// One of the shortest ways from a file to another over at most `most_hops` links, both ends included. A link leads either
    /// way, as in the app's graph.
    pub fn shortest_path(&self, from: &NotePath, to: &NotePath, most_hops: u32) -> Option<Vec<NotePath>> {
        let (start, end) = (self.find_id(from)?, self.find_id(to)?);
        let mut came_from: HashMap<FileId, FileId> = HashMap::from([(start, start)]);
        let mut layer = vec![start];
        for _ in 0..most_hops {
            if came_from.contains_key(&end) || layer.is_empty() {
                break;
            }
            let mut next = Vec::new();
            // In the order of paths, so that the same vault always gives the same way.
            for here in self.by_path_order(layer) {
                for there in self.linked_with(here) {
                    if let std::collections::hash_map::Entry::Vacant(unseen) = came_from.entry(there) {
                        unseen.insert(here);
                        next.push(there);
                    }
                }
            }
            layer = next;
        }
        let mut way = vec![end];
        while *way.last()? != start {
            way.push(*came_from.get(way.last()?)?);
        }
        way.into_iter().rev().map(|id| self.entry(id).map(|entry| entry.path.clone())).collect()
    }
}

/// Steps along links.
impl Catalogue {
    /// The other files that this one links to; some may come twice.
    fn targets_of(&self, source: FileId) -> Vec<FileId> {
        let targets = self.references(source).iter().filter_map(|&reference| self.target(source, reference));
        targets.filter(|target| *target != source).collect()
    }

    fn linked_with(&self, id: FileId) -> Vec<FileId> {
        let mut linked = self.targets_of(id);
        self.add_sources(id, &mut linked);
        linked
    }

    pub(crate) fn add_sources(&self, target: FileId, sources: &mut Vec<FileId>) {
        let Some(name) = self.name_of(target) else { return };
        for &spelling in self.links().spellings_of(name) {
            let spelling = self.links().spelling(spelling);
            match self.meaning(spelling) {
                Meaning::File(file) if file == target => {
                    sources.extend(spelling.sources.as_slice().iter().filter(|source| **source != target));
                }
                Meaning::File(_) | Meaning::Nothing => {}
                Meaning::ByFolder => self.each_target(spelling, |source, file| {
                    if file == target && source != target {
                        sources.push(source);
                    }
                }),
            }
        }
    }

    /// The file that a link means.
    pub(crate) fn target(&self, source: FileId, reference: Reference) -> Option<FileId> {
        let spelling = self.links().spelling(reference.spelling);
        match self.meaning(spelling) {
            Meaning::Nothing => None,
            Meaning::File(target) => Some(target),
            Meaning::ByFolder => self.target_of_path(folder_of(&self.entry(source)?.path), &spelling.path),
        }
    }

    fn meaning(&self, spelling: &Spelling) -> Meaning {
        spelling.meaning(|spelling| {
            let named = |name: &str| self.candidates(name);
            let meant = match spelling.is_exact {
                true => find_exact(&named, &fold(&spelling.path)).into(),
                false => find_from_anywhere(&named, &spelling.path),
            };
            match meant {
                Meant::Nothing => Meaning::Nothing,
                Meant::File(Candidate(id, _)) => Meaning::File(id),
                Meant::ByFolder => Meaning::ByFolder,
            }
        })
    }

    /// Calls `visit` with every source of a link path and the file that it means there. Files of one folder mean the same.
    fn each_target(&self, spelling: &Spelling, mut visit: impl FnMut(FileId, FileId)) {
        let mut by_folder: HashMap<&str, Option<FileId>> = HashMap::new();
        for &source in spelling.sources.as_slice() {
            let Some(entry) = self.entry(source) else { continue };
            let folder = folder_of(&entry.path);
            let target = *by_folder.entry(folder).or_insert_with(|| self.target_of_path(folder, &spelling.path));
            if let Some(target) = target {
                visit(source, target);
            }
        }
    }

    pub(crate) fn target_of_path(&self, folder: &str, link_path: &str) -> Option<FileId> {
        find_from(&|name: &str| self.candidates(name), folder, link_path).map(|Candidate(id, _)| id)
    }

    fn candidates(&self, folded_name: &str) -> Vec<Candidate<'_>> {
        let ids = self.links().files_named(folded_name);
        ids.iter().filter_map(|&id| Some(Candidate(id, &self.entry(id)?.path))).collect()
    }
}

/// A file that a link may mean.
struct Candidate<'a>(FileId, &'a NotePath);

impl std::borrow::Borrow<NotePath> for Candidate<'_> {
    fn borrow(&self) -> &NotePath {
        self.1
    }
}

/// Files that do not exist yet.
impl Catalogue {
    fn future_backlinks(&self, target: &NotePath) -> Vec<Backlink> {
        let names = After::coming(self, target);
        let sources = self.future_sources(target).into_iter().filter_map(|source| self.entry(source));
        let backlinks = sources.map(|entry| {
            let mut links = entry.card().links;
            links.retain(|link| is_reference(link) && find_card_target(&names, &entry.path, link).as_ref() == Some(target));
            Backlink { source: entry.path.clone(), links }
        });
        backlinks.collect()
    }

    fn future_sources(&self, target: &NotePath) -> Vec<FileId> {
        let names = After::coming(self, target);
        let Some(name) = self.links().find_name(&fold(target.name())) else { return Vec::new() };
        let spellings = self.links().spellings_of(name).iter().map(|&id| self.links().spelling(id));
        let sources = spellings.flat_map(|spelling| {
            let sources = spelling.sources.as_slice().iter();
            sources.filter(|source| self.will_mean(&names, **source, spelling, target))
        });
        self.by_path_order(sources.copied().collect())
    }

    fn will_mean(&self, names: &impl Names, source: FileId, spelling: &Spelling, target: &NotePath) -> bool {
        let Some(entry) = self.entry(source) else { return false };
        let meant = match spelling.is_exact {
            true => find_exact(&|name: &str| names.with_name(name), &fold(&spelling.path)),
            false => find_link_target(names, &entry.path, &spelling.path),
        };
        meant.as_ref() == Some(target)
    }
}

/// Whether a link of a card is also one of the references, which are in the same order.
fn is_reference(link: &CardLink) -> bool {
    !link.path.is_empty() || matches!(link.place, crate::card::LinkPlace::CanvasFile)
}
