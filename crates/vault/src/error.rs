//! What can go wrong with a file of the vault.

use std::io;

use crate::{ChangeId, FolderPath, NotePath, Operation, PathError};

#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    #[error("no vault at {path}: {source}; give the path of an existing folder")]
    NoVault { path: String, source: io::Error },
    #[error(transparent)]
    Path(#[from] PathError),
    #[error("File not found: {0}; give the exact path with its extension")]
    NotFound(NotePath),
    #[error("Folder not found: {}; give the path of an existing folder", shown(.0))]
    FolderNotFound(FolderPath),
    #[error("{0} already exists; choose another path")]
    Exists(NotePath),
    #[error("{0} is a folder; give the path of a file")]
    IsFolder(NotePath),
    #[error("{0} is a file or lies in one; choose a path whose folders are folders")]
    NotFolder(FolderPath),
    #[error("{0} is not a regular file")]
    NotRegular(NotePath),
    #[error("{0} is or lies behind a symbolic link; links are not followed")]
    Link(NotePath),
    #[error("{0} is a placeholder of a cloud drive; open it once in that drive to download it")]
    Offline(NotePath),
    #[error("{0} is not text ({1})")]
    NotText(NotePath, &'static str),
    #[error("{path} has {size} bytes; at most {limit} are handled")]
    TooLarge { path: NotePath, size: u64, limit: u64 },
    #[error("another program has been changing the same files for a while; nothing was done, try again in a moment")]
    Busy,
    #[error("{0} was changed by somebody else meanwhile; read it again and repeat the edit")]
    Conflict(NotePath),
    #[error("the rules of this vault do not allow to {operation} {path}; choose another path, or ask the operator")]
    Forbidden { path: NotePath, operation: Operation },
    #[error(
        "{path} is also known by another name (a hard link), which the rules of this vault may not cover, so this is not \
         allowed to {operation} it; copy it to a new path instead"
    )]
    HardLinked { path: NotePath, operation: Operation },
    #[error("this vault is read-only by its configuration; nothing can be changed, so only read")]
    ReadOnlyMode,
    #[error("this server has no permission for {0}; ask the operator to grant it, or choose another path")]
    Denied(NotePath),
    #[error("{0} is on a file system that is mounted read-only; ask the operator to mount it for writing")]
    ReadOnly(NotePath),
    #[error(
        "the history cannot be written ({0}), and without it the change could not be undone, so nothing was changed; ask the \
         operator to free some space or to make the data folder writable"
    )]
    History(#[source] io::Error),
    #[error("this vault keeps no history")]
    NoHistory,
    #[error("the history cannot be read: {0}; ask the operator to look at the data folder")]
    HistoryUnreadable(#[source] io::Error),
    #[error("the history does not have the bytes of {0}: the file was too large, or what was kept is damaged")]
    NotKept(NotePath),
    #[error("more than {0} changes would be taken back at once; name a later time, or undo them in parts")]
    TooManyChanges(usize),
    #[error("no change {0} in the history; list the history for the changes there are")]
    NoChange(ChangeId),
    #[error("{file} of this vault cannot be read: {reason}; mend it in the app, or ask the operator; it was left as it is")]
    Settings { file: String, reason: String },
    #[error("the disk refused {path}: {source}")]
    Io { path: NotePath, source: io::Error },
}

fn shown(folder: &FolderPath) -> &str {
    if folder.is_root() { "/" } else { folder.as_str() }
}

impl VaultError {
    pub(crate) fn from_io(path: &NotePath, source: io::Error) -> VaultError {
        let path = path.clone();
        if is_link(&source) {
            return VaultError::Link(path);
        }
        match source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => VaultError::NotFound(path),
            io::ErrorKind::AlreadyExists => VaultError::Exists(path),
            io::ErrorKind::IsADirectory => VaultError::IsFolder(path),
            io::ErrorKind::PermissionDenied => VaultError::Denied(path),
            io::ErrorKind::ReadOnlyFilesystem => VaultError::ReadOnly(path),
            _ => VaultError::Io { path, source },
        }
    }
}

/// Not following a link is ELOOP; cap-std reports a path that would leave its directory as a permission error of its own.
fn is_link(error: &io::Error) -> bool {
    let escapes = error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none();
    escapes || rustix::io::Errno::from_io_error(error) == Some(rustix::io::Errno::LOOP)
}
