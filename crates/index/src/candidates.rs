//! Which files have to be opened to answer a search.

use parking_lot::Mutex;
use quillgate_vault::{FolderPath, NotePath};

use crate::search::Coverage;
use crate::sync::Index;
use crate::text::{Needed, Part};

/// Files that may match, by path. Every file that does match is among them.
pub(crate) struct Candidates {
    pub(crate) paths: Vec<NotePath>,
    pub(crate) coverage: Coverage,
}

impl Candidates {
    /// The files below `folder` that the index cannot rule out.
    pub(crate) fn find(index: &Index, needed: &Needed, part: Part, folder: &FolderPath) -> Candidates {
        let coverage = index.coverage();
        if !index.is_ready() {
            return Candidates { paths: paths_on_disk(index, folder), coverage };
        }
        let view = index.text().view_for(needed);
        let origins = view.snapshot.as_deref().and_then(|snapshot| {
            let found = snapshot.with(needed, part);
            found.inspect_err(|error| tracing::warn!(%error, "the text index cannot be read; files are searched instead")).ok()?
        });
        let catalogue = index.catalogue_so_far();
        let Some(origins) = origins else {
            let files = catalogue.files_below(folder).filter(|entry| part == Part::Name || !entry.stat.offline);
            return Candidates { paths: files.map(|entry| entry.path.clone()).collect(), coverage };
        };
        // A document of bytes that are no longer there is a candidate like any other: the file decides.
        let indexed = origins.iter().filter_map(|origin| catalogue.find_by_key(origin.key)).map(|(_, entry)| entry);
        let pending = view.pending.iter().filter_map(|path| catalogue.find(path));
        let wanted = indexed.chain(pending).filter(|entry| part == Part::Name || !entry.stat.offline);
        let mut paths: Vec<NotePath> = wanted.map(|entry| &entry.path).filter(|path| folder.contains(path)).cloned().collect();
        paths.sort_unstable();
        paths.dedup();
        Candidates { paths, coverage }
    }
}

/// What the vault itself says there is, by path: for while the catalogue is being made, and to check it.
pub(crate) fn paths_on_disk(index: &Index, folder: &FolderPath) -> Vec<NotePath> {
    let met = Mutex::new(Vec::new());
    let walked = index.vault().walk(folder, |found| {
        if !found.stat.offline {
            met.lock().push(found.path);
        }
        true
    });
    if let Err(error) = walked {
        tracing::debug!(%error, "the folder cannot be read");
    }
    let mut paths = met.into_inner();
    paths.sort_unstable();
    paths
}
