//! What a transaction would do, as text for whoever has to agree to it.

use std::collections::HashMap;

use super::diff::{Compared, unified_diff};
use crate::transaction::Step;
use crate::{Contents, NotePath, Transaction, VaultError};

/// What would happen to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposed {
    pub path: NotePath,
    pub moved_to: Option<NotePath>,
    /// A unified diff; sizes if it is not text.
    pub text: String,
}

impl Transaction {
    /// What it would do to each file, as text of about `most` bytes at the most.
    pub fn proposal(&self, most: usize) -> Result<Vec<Proposed>, VaultError> {
        let moves: HashMap<&NotePath, &NotePath> = self.steps().iter().filter_map(Step::moved).collect();
        let written =
            |path: &NotePath| self.steps().iter().any(|step| matches!(step, Step::Write { path: other, .. } if other == path));
        let mut proposed = Vec::new();
        for step in self.steps() {
            let (path, after) = match step {
                Step::Write { path, bytes, .. } => (path, Some(&**bytes)),
                Step::Remove { path, .. } => (path, None),
                // It was shown with what is written to it.
                Step::Rename { from, .. } if written(from) => continue,
                Step::Rename { from, to } => {
                    let compared = Compared { path: from, moved_to: Some(to), before: None, after: None };
                    proposed.push(Proposed {
                        path: from.clone(),
                        moved_to: Some(to.clone()),
                        text: unified_diff(&compared, most),
                    });
                    continue;
                }
            };
            let before = self.present(path)?;
            let moved_to = moves.get(path).copied();
            let before = before.as_ref().map(|contents| &*contents.bytes);
            let text = unified_diff(&Compared { path, moved_to, before, after }, most);
            proposed.push(Proposed { path: path.clone(), moved_to: moved_to.cloned(), text });
        }
        Ok(proposed)
    }

    fn present(&self, path: &NotePath) -> Result<Option<Contents>, VaultError> {
        match self.vault().read(path) {
            Err(VaultError::NotFound(_)) => Ok(None),
            other => other.map(Some),
        }
    }
}
