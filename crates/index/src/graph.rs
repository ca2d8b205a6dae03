//! Questions about links, resolved when asked.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

use quillgate_vault::NotePath;

use crate::card::CardLink;
use crate::catalogue::Catalogue;
use crate::entry::Entry;
use crate::names::{After, find_card_target};

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

impl Catalogue {
    /// Links of other files to `target`, which may not exist yet; a file's links to itself are no backlinks.
    pub fn backlinks(&self, target: &NotePath) -> Vec<Backlink> {
        let names = After { catalogue: self, from: Some(target), to: target };
        let sources = self.possible_linkers(target).into_iter().filter(|entry| entry.path != *target);
        let backlinks = sources.map(|entry| {
            let mut links = entry.card().links;
            links.retain(|link| !link.path.is_empty() && find_card_target(&names, &entry.path, link).as_ref() == Some(target));
            Backlink { source: entry.path.clone(), links }
        });
        backlinks.filter(|backlink| !backlink.links.is_empty()).collect()
    }

    pub fn outgoing(&self, source: &NotePath) -> Vec<OutgoingLink> {
        let links = self.find(source).map(|entry| entry.card().links).unwrap_or_default();
        links.into_iter().map(|link| OutgoingLink { target: find_card_target(self, source, &link), link }).collect()
    }

    pub fn unresolved(&self) -> Vec<Unresolved> {
        let mut by_target: BTreeMap<String, Vec<(NotePath, u32)>> = BTreeMap::new();
        for entry in self.linking_files() {
            for link in entry.card().links {
                if find_card_target(self, &entry.path, &link).is_none() {
                    by_target.entry(link.path).or_default().push((entry.path.clone(), link.line));
                }
            }
        }
        by_target.into_iter().map(|(target, sources)| Unresolved { target, sources }).collect()
    }

    /// Notes that nothing links to.
    pub fn orphans(&self) -> Vec<NotePath> {
        let mut linked: HashSet<NotePath> = HashSet::new();
        for entry in self.linking_files() {
            let links = entry.card().links;
            let targets = links.iter().filter_map(|link| find_card_target(self, &entry.path, link));
            linked.extend(targets.filter(|target| *target != entry.path));
        }
        self.notes().map(|entry| entry.path.clone()).filter(|path| !linked.contains(path)).collect()
    }

    /// Notes without a link to another file.
    pub fn dead_ends(&self) -> Vec<NotePath> {
        let leads_on = |entry: &Entry| {
            entry
                .card()
                .links
                .iter()
                .any(|link| find_card_target(self, &entry.path, link).is_some_and(|target| target != entry.path))
        };
        self.notes().filter(|entry| !leads_on(entry)).map(|entry| entry.path.clone()).collect()
    }

    /// Files within `depth` links of `start`, in either direction, nearest first and at most `most` of them, and all links
    /// between them.
    pub fn neighbours(&self, start: &NotePath, depth: u32, most: usize) -> Neighbours {
        let mut found: BTreeMap<NotePath, u32> = BTreeMap::from([(start.clone(), 0)]);
        let mut edges: BTreeSet<(NotePath, NotePath)> = BTreeSet::new();
        let mut waiting = VecDeque::from([(start.clone(), 0)]);
        let mut truncated = false;
        while let Some((path, distance)) = waiting.pop_front() {
            if distance == depth {
                edges.extend(self.edges_from(&path));
                continue;
            }
            for (from, to) in self.edges_of(&path) {
                let other = if from == path { &to } else { &from };
                if !found.contains_key(other) {
                    if found.len() > most {
                        truncated = true;
                        continue;
                    }
                    found.insert(other.clone(), distance + 1);
                    waiting.push_back((other.clone(), distance + 1));
                }
                edges.insert((from, to));
            }
        }
        edges.retain(|(from, to)| found.contains_key(from) && found.contains_key(to));
        found.remove(start);
        let mut nodes: Vec<(NotePath, u32)> = found.into_iter().collect();
        nodes.sort_by(|a, b| (a.1, &a.0).cmp(&(b.1, &b.0)));
        Neighbours { nodes, edges: edges.into_iter().collect(), truncated }
    }

    fn edges_of(&self, path: &NotePath) -> BTreeSet<(NotePath, NotePath)> {
        let incoming = self.backlinks(path).into_iter().map(|backlink| (backlink.source, path.clone()));
        self.edges_from(path).into_iter().chain(incoming).collect()
    }

    fn edges_from(&self, path: &NotePath) -> BTreeSet<(NotePath, NotePath)> {
        let targets = self.outgoing(path).into_iter().filter_map(|link| link.target);
        targets.filter(|target| target != path).map(|target| (path.clone(), target)).collect()
    }

    fn linking_files(&self) -> impl Iterator<Item = &Entry> {
        self.files().filter(|entry| !entry.card.is_empty())
    }
}
