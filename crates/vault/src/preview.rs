//! What a transaction would do, before it does it.

use crate::transaction::Step;
use crate::{NotePath, Transaction, VaultError};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreviewKind {
    Create,
    Edit,
    Move,
    Delete,
}

/// One file of a change.
#[derive(Clone, Debug)]
pub struct Preview {
    pub path: NotePath,
    pub kind: PreviewKind,
    /// Where a moved file goes.
    pub to: Option<NotePath>,
    pub before: Option<Vec<u8>>,
    pub after: Option<Vec<u8>>,
}

impl Transaction {
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The files as they are and as they would be, in the order of the steps. A file that is written and moved is one entry.
    pub fn preview(&self) -> Result<Vec<Preview>, VaultError> {
        let mut previews: Vec<Preview> = Vec::new();
        for step in &self.steps {
            let path = step.path();
            match step {
                Step::Rename { to, .. } => match previews.iter_mut().find(|preview| preview.path == *path) {
                    Some(written) => (written.kind, written.to) = (PreviewKind::Move, Some(to.clone())),
                    None => {
                        let bytes = Some(self.bytes_now(path)?.ok_or_else(|| VaultError::NotFound(path.clone()))?);
                        let (before, after) = (bytes.clone(), bytes);
                        previews.push(Preview {
                            path: path.clone(),
                            kind: PreviewKind::Move,
                            to: Some(to.clone()),
                            before,
                            after,
                        });
                    }
                },
                Step::Write { bytes, .. } => {
                    let before = self.bytes_now(path)?;
                    let kind = if before.is_some() { PreviewKind::Edit } else { PreviewKind::Create };
                    previews.push(Preview { path: path.clone(), kind, to: None, before, after: Some(bytes.clone()) });
                }
                Step::Remove { .. } => {
                    let before = self.bytes_now(path)?;
                    previews.push(Preview { path: path.clone(), kind: PreviewKind::Delete, to: None, before, after: None });
                }
            }
        }
        Ok(previews)
    }

    fn bytes_now(&self, path: &NotePath) -> Result<Option<Vec<u8>>, VaultError> {
        match self.vault.read(path) {
            Ok(contents) => Ok(Some(contents.bytes)),
            Err(VaultError::NotFound(_)) => Ok(None),
            // A film can be moved and deleted, but nobody reads it.
            Err(VaultError::TooLarge { .. }) => Ok(Some(Vec::new())),
            Err(error) => Err(error),
        }
    }
}
