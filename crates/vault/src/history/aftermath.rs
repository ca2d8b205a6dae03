//! Whether a change was made whose process ended in the middle of it.

use super::record::{FileChange, Image, PastChange, Side};
use crate::core::Core;
use crate::{NotePath, VaultError};

/// What a file says about the change it was to be part of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    Made,
    NotMade,
    Nothing,
}

impl Core {
    /// Settles what earlier processes left open. Recovery from the journal knows of changes of several files; of others the
    /// file tells by its bytes. One that tells nothing has been changed again, so the change is taken to have been made.
    pub(crate) fn settle_history(&self) {
        let Some(store) = &self.history else { return };
        let was_made = |change: &PastChange| match self.recovered.get(&change.id) {
            Some(recovered) => *recovered,
            // It may be one that the journal has not come to yet.
            None if self.has_records() => None,
            None => {
                let says: Vec<Says> = change.files.iter().map(|file| self.ask(file)).collect();
                Some(says.contains(&Says::Made) || !says.contains(&Says::NotMade))
            }
        };
        if let Err(error) = store.settle_interrupted(was_made) {
            tracing::warn!(%error, "the history cannot be read; changes that were interrupted stay open in it");
        }
    }

    fn ask(&self, file: &FileChange) -> Says {
        let says = |made: bool, not_made: bool| match (made, not_made) {
            (true, _) => Says::Made,
            (false, true) => Says::NotMade,
            (false, false) => Says::Nothing,
        };
        match file {
            FileChange::Moved { from, to, .. } => {
                let (is_there, is_here) = (self.is_file(to), self.is_file(from));
                says(is_there && !is_here, is_here && !is_there)
            }
            _ => {
                let fits = |side| self.is_as(file.path(), file.image(side));
                says(fits(Side::After), fits(Side::Before))
            }
        }
    }

    fn is_file(&self, path: &NotePath) -> bool {
        self.stat(path).is_ok()
    }

    fn is_as(&self, path: &NotePath, image: Option<&Image>) -> bool {
        let Some(image) = image else { return !self.is_file(path) };
        match self.read(path) {
            Ok(contents) => contents.bytes.len() as u64 == image.size && image.hash.is_none_or(|hash| hash == contents.hash()),
            Err(VaultError::TooLarge { size, .. }) => size == image.size && image.hash.is_none(),
            Err(_) => false,
        }
    }
}
