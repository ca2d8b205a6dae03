//! A search for files that the index narrows and somebody else decides, a page at a time.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};

use quillgate_vault::{FolderPath, NotePath};

use crate::candidates::Candidates;
use crate::catalogue::{Catalogue, FileId};
use crate::entry::Entry;
use crate::scan::scan_until;
use crate::search::{Explanation, Found};
use crate::sync::Index;
use crate::text::{Needed, Part};

/// What every file that is looked for has, whatever its case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Narrowing {
    Anything,
    /// In its text.
    Text(String),
    /// In its text or its name.
    NameOrText(String),
    All(Vec<Narrowing>),
    AnyOf(Vec<Narrowing>),
}

#[derive(Clone, Debug)]
pub struct NoteSearch {
    /// As it was understood, to be explained.
    pub understood: String,
    pub narrowing: Narrowing,
    pub folder: FolderPath,
    pub limit: usize,
    /// The last item of the page before.
    pub after: Option<NotePath>,
}

/// What is known of a file before it is opened.
pub enum Glance<F, T> {
    No,
    Found(T),
    /// To be read, with what is known.
    Read(F),
}

/// The files that are looked for, by path. How many there are in all is known only when they fit on the first page.
pub fn search_notes<F: Send + Sync, T: Send>(
    index: &Index,
    wanted: &NoteSearch,
    go_on: &(impl Fn() -> bool + Sync),
    glance: impl Fn(&Catalogue, FileId, &Entry) -> Glance<F, T>,
    look: impl Fn(&F, &NotePath, &str) -> Option<T> + Sync,
) -> Found<(NotePath, T)> {
    let coverage = index.coverage();
    let candidates = wanted.narrowing.paths(index, &wanted.folder);
    let mut known: HashMap<NotePath, F> = HashMap::new();
    let mut found: Vec<(NotePath, T)> = Vec::new();
    let mut unread: Vec<NotePath> = Vec::new();
    {
        let catalogue = index.catalogue();
        let below: Vec<(FileId, &Entry)> = match &candidates {
            Some(paths) => paths.iter().filter_map(|path| catalogue.find_numbered(path)).collect(),
            None => catalogue.numbered_below(&wanted.folder).collect(),
        };
        for (id, entry) in below {
            if wanted.after.as_ref().is_some_and(|after| entry.path <= *after) {
                continue;
            }
            match glance(&catalogue, id, entry) {
                Glance::No => {}
                Glance::Found(item) => found.push((entry.path.clone(), item)),
                Glance::Read(facts) => {
                    known.insert(entry.path.clone(), facts);
                    unread.push(entry.path.clone());
                }
            }
        }
    }
    unread.sort_unstable();
    let opened = AtomicUsize::new(0);
    let in_file = |path: &NotePath, bytes: &[u8]| {
        opened.fetch_add(1, Ordering::Relaxed);
        look(known.get(path)?, path, std::str::from_utf8(bytes).ok()?)
    };
    let read = scan_until(index.vault(), &unread, go_on, in_file, |read| read.len() > wanted.limit);
    found.extend(read.into_iter().map(|(at, item)| (unread[at].clone(), item)));
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    let more = found.len() > wanted.limit;
    found.truncate(wanted.limit);
    let total = (!more && wanted.after.is_none()).then_some(found.len());
    let candidates = candidates.map_or(known.len(), |paths| paths.len());
    let explain = Explanation { understood: wanted.understood.clone(), candidates, opened: opened.into_inner() };
    Found { items: found, total, more, coverage, explain }
}

impl Narrowing {
    /// The files that the index cannot rule out; none where it rules out nothing.
    fn paths(&self, index: &Index, folder: &FolderPath) -> Option<BTreeSet<NotePath>> {
        match self {
            Narrowing::Anything => None,
            Narrowing::Text(text) => may_have(index, text, Part::Text, folder),
            Narrowing::NameOrText(text) => {
                let mut paths = may_have(index, text, Part::Text, folder)?;
                paths.extend(may_have(index, text, Part::Name, folder)?);
                Some(paths)
            }
            Narrowing::All(parts) => {
                let narrowed = parts.iter().filter_map(|part| part.paths(index, folder));
                narrowed.reduce(|some, others| some.intersection(&others).cloned().collect())
            }
            Narrowing::AnyOf(parts) => {
                let mut all = BTreeSet::new();
                for part in parts {
                    all.extend(part.paths(index, folder)?);
                }
                Some(all)
            }
        }
    }
}

fn may_have(index: &Index, text: &str, part: Part, folder: &FolderPath) -> Option<BTreeSet<NotePath>> {
    let needed = Needed::for_literal(text);
    (needed != Needed::Anything).then(|| Candidates::find(index, &needed, part, folder).paths.into_iter().collect())
}
