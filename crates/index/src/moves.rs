//! Moving and copying files without breaking a link: every edit is computed before anything is written.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use quillgate_markdown::fold;
use quillgate_vault::{ContentHash, NotePath, Vault, VaultError};

use crate::catalogue::Catalogue;
use crate::entry::is_parsed;
use crate::links::Spelling;
use crate::names::{After, folder_of};
use crate::relink::{File, Meanings, RelinkError, Repointed};

/// A file with its links re-pointed.
#[derive(Debug)]
pub struct Relinked {
    /// Where the file is when the edits are written: before the move.
    pub path: NotePath,
    pub before: ContentHash,
    pub bytes: Vec<u8>,
    /// Links that are written differently now.
    pub links: usize,
    /// How many of them meant which file, by its path before the move.
    pub targets: BTreeMap<NotePath, usize>,
}

/// A file and its new path.
pub type Move = (NotePath, NotePath);

/// The files whose links must change when `from` becomes `to`: those that mean the file, those inside it that are
/// relative, and those that would mean another file because of the new name.
pub fn relinked_move(vault: &Vault, catalogue: &Catalogue, from: &NotePath, to: &NotePath) -> Result<Vec<Relinked>, RelinkError> {
    relinked_moves(vault, catalogue, &[(from.clone(), to.clone())])
}

/// The same for several moves that happen at once: files may take each other's places. Each file is there once, by path.
pub fn relinked_moves(vault: &Vault, catalogue: &Catalogue, moves: &[Move]) -> Result<Vec<Relinked>, RelinkError> {
    Overlay::new(vault, catalogue).relinked_moves(moves)
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
    let meanings = Meanings {
        before: &After::nothing(catalogue),
        after: &After::coming(catalogue, to),
        moved: &HashMap::new(),
        format: vault.app_settings().link_format,
    };
    let file = File { meanings: &meanings, place: from, place_after: to };
    match file.repointed(text)? {
        Some(Repointed { text, targets }) => Ok(Copied { bytes: text.into_bytes(), links: targets.values().sum() }),
        None => Ok(Copied { bytes: contents.bytes, links: 0 }),
    }
}

/// A vault with changes laid over it that are not made yet.
pub struct Overlay<'a> {
    vault: &'a Vault,
    names: After<'a>,
    /// The files whose texts are not those of the catalogue, where they are now.
    texts: BTreeMap<NotePath, String>,
}

impl<'a> Overlay<'a> {
    pub fn new(vault: &'a Vault, catalogue: &'a Catalogue) -> Overlay<'a> {
        Overlay { vault, names: After::nothing(catalogue), texts: BTreeMap::new() }
    }

    /// A file is here now, with this text if it has any.
    pub fn come(&mut self, path: &NotePath, text: Option<String>) {
        self.names.come(path);
        self.texts.remove(path);
        self.texts.extend(text.filter(|_| is_parsed(path)).map(|text| (path.clone(), text)));
    }

    /// No file is here any more.
    pub fn go(&mut self, path: &NotePath) {
        self.names.go(path);
        self.texts.remove(path);
    }

    /// The files whose links must change when all of these happen at once.
    pub fn relinked_moves(&self, moves: &[Move]) -> Result<Vec<Relinked>, RelinkError> {
        let mut after = self.names.clone();
        moves.iter().for_each(|(from, _)| after.go(from));
        moves.iter().for_each(|(_, to)| after.come(to));
        let moved: HashMap<NotePath, NotePath> = moves.iter().cloned().collect();
        let format = self.vault.app_settings().link_format;
        let meanings = Meanings { before: &self.names, after: &after, moved: &moved, format };
        let mut relinked = Vec::new();
        for place in self.possibly_changed(moves, &meanings) {
            let place_after = moved.get(&place).unwrap_or(&place);
            relinked.extend(self.relink(&File { meanings: &meanings, place: &place, place_after })?);
        }
        Ok(relinked)
    }

    /// The files whose texts have to be looked at: those that move, those that are not as the catalogue knows them, and those
    /// with a link whose meaning changes. Most links to a moved file mean it still, and their files are not opened.
    fn possibly_changed(&self, moves: &[Move], meanings: &Meanings<'_>) -> BTreeSet<NotePath> {
        let mut places: BTreeSet<NotePath> = self.texts.keys().cloned().collect();
        places.extend(moves.iter().map(|(from, _)| from).filter(|from| is_parsed(from)).cloned());
        let names: HashSet<String> = moves.iter().flat_map(|(from, to)| [fold(from.name()), fold(to.name())]).collect();
        let links = self.names.catalogue.links();
        for name in names.iter().filter_map(|name| links.find_name(name)) {
            for &spelling in links.spellings_of(name) {
                places.extend(self.sources_changed(links.spelling(spelling), meanings));
            }
        }
        places
    }

    /// The files in which this link path has to be written differently. Those of one folder mean the same by it.
    fn sources_changed(&self, spelling: &Spelling, meanings: &Meanings<'_>) -> Vec<NotePath> {
        let catalogue = self.names.catalogue;
        let mut by_folder: HashMap<&str, bool> = HashMap::new();
        let mut changed = Vec::new();
        for place in spelling.sources.as_slice().iter().filter_map(|&source| Some(&catalogue.entry(source)?.path)) {
            // One that moves is looked at anyway; what it means by its own name would not hold for its neighbours.
            let moves = meanings.moved.contains_key(place);
            let is_as_known = !moves && !self.names.is_gone(place) && !self.texts.contains_key(place);
            let changes = || meanings.changes(place, &spelling.path, spelling.is_exact);
            if is_as_known && *by_folder.entry(folder_of(place)).or_insert_with(changes) {
                changed.push(place.clone());
            }
        }
        changed
    }

    fn relink(&self, file: &File<'_>) -> Result<Option<Relinked>, RelinkError> {
        if let Some(text) = self.texts.get(file.place) {
            return Ok(relinked(file, ContentHash::of(text.as_bytes()), file.repointed(text)?));
        }
        let contents = match self.vault.read(file.place) {
            Ok(contents) => contents,
            // Gone or unreadable since it was indexed: there is nothing to re-point.
            Err(VaultError::NotFound(_) | VaultError::Offline(_) | VaultError::Link(_)) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let Ok(text) = contents.text() else { return Ok(None) };
        Ok(relinked(file, contents.hash(), file.repointed(text)?))
    }
}

fn relinked(file: &File<'_>, before: ContentHash, repointed: Option<Repointed>) -> Option<Relinked> {
    let Repointed { text, targets } = repointed?;
    let links = targets.values().sum();
    Some(Relinked { path: file.place.clone(), before, bytes: text.into_bytes(), links, targets })
}
