//! The door to the app's own folder: a few files by name, and nothing else in there.
//!
//! Architecture invariant: no text becomes a path into a control folder. The three paths below are made here, or read back
//! from the journal and the history, where they were written; everything done to them asks the same rules, takes the same
//! locks and leaves the same history as a change to a note. Observers hear nothing of it: the index is about the vault.

use crate::{Contents, Expect, Folders, NotePath, Transaction, Vault, VaultError};

/// A file of the app that tools may read and write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlFile {
    Bookmarks,
    /// Layouts that were saved under a name.
    Workspaces,
    /// The layout of the moment.
    Workspace,
}

impl ControlFile {
    pub const ALL: [ControlFile; 3] = [ControlFile::Bookmarks, ControlFile::Workspaces, ControlFile::Workspace];

    /// Where it is, for messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            ControlFile::Bookmarks => ".obsidian/bookmarks.json",
            ControlFile::Workspaces => ".obsidian/workspaces.json",
            ControlFile::Workspace => ".obsidian/workspace.json",
        }
    }

    pub(crate) fn find(path: &str) -> Option<ControlFile> {
        ControlFile::ALL.into_iter().find(|file| file.as_str() == path)
    }
}

impl Vault {
    /// Reads a file of the app; nothing if there is none.
    pub fn read_control(&self, file: ControlFile) -> Result<Option<Contents>, VaultError> {
        match self.read(&NotePath::of_control(file)) {
            Ok(contents) => Ok(Some(contents)),
            Err(VaultError::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// A change of files of the app, which makes their folder if there is none.
    pub fn control_transaction(&self) -> Transaction {
        self.transaction(Folders::Create)
    }
}

impl Transaction {
    /// Writes a file of the app whole.
    #[must_use]
    pub fn write_control(self, file: ControlFile, bytes: Vec<u8>, expect: Expect) -> Transaction {
        self.write(NotePath::of_control(file), bytes, expect)
    }
}
