//! What the history remembers of a change.

use serde::{Deserialize, Serialize};

use super::ChangeId;
use crate::{Author, ContentHash, NotePath};

/// A change that was made through a handle of the vault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastChange {
    pub id: ChangeId,
    /// Absent when the change was made for nobody in particular.
    pub author: Option<Author>,
    pub files: Vec<FileChange>,
    /// The changes that this one took back.
    pub undoes: Vec<ChangeId>,
    /// Whether it is being made just now, or was when its process ended.
    #[serde(skip)]
    pub is_under_way: bool,
}

/// What happened to one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileChange {
    Created {
        path: NotePath,
        after: Image,
    },
    Edited {
        path: NotePath,
        before: Image,
        after: Image,
    },
    Deleted {
        path: NotePath,
        before: Image,
    },
    Moved {
        from: NotePath,
        to: NotePath,
        /// Its bytes before and after, if they were changed on the way.
        rewritten: Option<(Image, Image)>,
    },
}

/// A file's bytes as they were on one side of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    pub size: u64,
    /// Absent if the file was too large to be read.
    #[serde(with = "raw_hash")]
    pub hash: Option<ContentHash>,
    /// Whether the bytes are in the history. Those of files above `HistorySettings::max_file_bytes` are not.
    pub is_kept: bool,
}

/// Which bytes of a changed file are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Before,
    After,
}

impl PastChange {
    /// When it was made, in microseconds since 1970 UTC.
    pub fn at(&self) -> i64 {
        self.id.at()
    }
}

impl FileChange {
    /// Where the file was, or where it was made.
    pub fn path(&self) -> &NotePath {
        match self {
            FileChange::Created { path, .. } | FileChange::Edited { path, .. } | FileChange::Deleted { path, .. } => path,
            FileChange::Moved { from, .. } => from,
        }
    }

    pub fn moved_to(&self) -> Option<&NotePath> {
        match self {
            FileChange::Moved { to, .. } => Some(to),
            _ => None,
        }
    }

    pub fn paths(&self) -> impl Iterator<Item = &NotePath> {
        std::iter::once(self.path()).chain(self.moved_to())
    }

    /// The file's bytes on one side; `None` if there was no file, or if it was only moved.
    pub fn image(&self, side: Side) -> Option<&Image> {
        let (before, after) = match self {
            FileChange::Created { after, .. } => (None, Some(after)),
            FileChange::Edited { before, after, .. } => (Some(before), Some(after)),
            FileChange::Deleted { before, .. } => (Some(before), None),
            FileChange::Moved { rewritten, .. } => {
                let rewritten = rewritten.as_ref();
                (rewritten.map(|(before, _)| before), rewritten.map(|(_, after)| after))
            }
        };
        if side == Side::Before { before } else { after }
    }
}

/// What became of a change that was announced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Settled {
    pub(crate) change: ChangeId,
    pub(crate) is_in_effect: bool,
}

/// 32 bytes instead of 64 digits.
mod raw_hash {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::ContentHash;

    pub(super) fn serialize<S: Serializer>(hash: &Option<ContentHash>, serializer: S) -> Result<S::Ok, S::Error> {
        hash.map(|hash| hash.0).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<ContentHash>, D::Error> {
        Ok(Option::<[u8; 32]>::deserialize(deserializer)?.map(ContentHash))
    }
}

pub(crate) fn encode(value: &impl Serialize) -> Vec<u8> {
    postcard::to_allocvec(value).expect("paths, numbers and names can always be encoded")
}
