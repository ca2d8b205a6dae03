//! Opens, reads, changes and watches the notes under one directory handle.
//!
//! Architecture invariant: nothing outside the vault's folder is reachable from here. Every file is opened relative to a
//! directory handle, component by component or by a call of the kernel's that holds to the same, and symbolic links are
//! never followed.
//!
//! Architecture invariant: nothing is done through a handle that its `Access` does not allow, and nothing it answers depends
//! on a file that it may not read. Methods of `Vault` ask; methods of `Core` do not, and are reached only through those.

mod access;
mod author;
mod beneath;
mod contents;
mod control;
mod core;
mod error;
#[doc(hidden)]
pub mod fault;
mod folding;
mod hash;
mod history;
mod journal;
mod locks;
mod path;
mod planned;
mod preview;
mod reading;
mod recovery;
mod renaming;
mod settings;
mod several;
mod shown;
mod stat;
mod system_trash;
mod temporary;
mod transaction;
mod trash;
mod vault;
mod walk;
mod watch;

pub use access::glob::GlobProblem;
pub use access::rules::{Rules, RulesSource};
pub use access::{Access, AccessClass, Decision, Operation};
pub use author::Author;
pub use contents::{Contents, is_binary};
pub use control::ControlFile;
pub use error::VaultError;
pub use hash::ContentHash;
pub use history::{
    ChangeId, Clash, Clock, Compared, Damage, FileChange, FileDiff, Filter, History, HistorySettings, Image, Obstacle,
    OnConflict, PastChange, Side, Trimmed, Undo, UndoConflict, UndoOutcome, UndoPlan, UndoneFile, unified_diff,
};
pub use path::{FolderPath, NotePath, PathError};
pub use preview::{Preview, PreviewKind};
pub use recovery::Recovery;
pub use settings::new_notes::{NewNotes, Period, TemplateSettings};
pub use settings::{AppSettings, LinkFormat, TrashOption};
pub use stat::{EntryKind, Stat};
pub use transaction::{Committed, Expect, Folders, Transaction, Written};
pub use trash::Trashed;
pub use vault::{Change, Durability, FolderEntry, Limits, Vault};
pub use walk::{Found, WalkReport};
pub use watch::{Dirty, Watch, WatchMode};
