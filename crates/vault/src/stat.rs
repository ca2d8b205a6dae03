//! What the file system says about an entry without reading it.

use std::time::{SystemTime, UNIX_EPOCH};

use cap_std::fs::Metadata;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    File,
    Folder,
    /// Symbolic links, sockets, devices: never opened.
    Other,
}

/// Times are nanoseconds since 1970 UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    pub size: u64,
    pub modified: i64,
    pub created: Option<i64>,
    /// Tells a replaced file from an edited one; 0 where the platform has none.
    pub inode: u64,
    /// A cloud drive keeps the bytes elsewhere; reading would download them.
    pub offline: bool,
}

impl Stat {
    pub(crate) fn of(metadata: &Metadata) -> Stat {
        Stat {
            size: metadata.len(),
            modified: metadata.modified().map_or(0, |time| nanoseconds(time.into_std())),
            created: metadata.created().ok().map(|time| nanoseconds(time.into_std())),
            inode: inode(metadata),
            offline: is_offline(metadata),
        }
    }

    /// Whether both describe the same bytes, as far as the file system can tell.
    pub fn same_file_as(&self, other: &Stat) -> bool {
        (self.size, self.modified, self.inode) == (other.size, other.modified, other.inode)
    }
}

pub(crate) fn kind_of(metadata: &Metadata) -> EntryKind {
    if metadata.is_file() {
        EntryKind::File
    } else if metadata.is_dir() {
        EntryKind::Folder
    } else {
        EntryKind::Other
    }
}

fn nanoseconds(time: SystemTime) -> i64 {
    let signed = match time.duration_since(UNIX_EPOCH) {
        Ok(after) => after.as_nanos() as i128,
        Err(before) => -(before.duration().as_nanos() as i128),
    };
    i64::try_from(signed).unwrap_or(i64::MAX)
}

#[cfg(unix)]
pub(crate) fn inode(metadata: &Metadata) -> u64 {
    use cap_std::fs::MetadataExt;
    metadata.ino()
}

#[cfg(not(unix))]
pub(crate) fn inode(_metadata: &Metadata) -> u64 {
    0
}

/// `FILE_ATTRIBUTE_OFFLINE`, `…_RECALL_ON_OPEN` and `…_RECALL_ON_DATA_ACCESS`: OneDrive, iCloud and Dropbox placeholders.
#[cfg(windows)]
fn is_offline(metadata: &Metadata) -> bool {
    use cap_std::fs::MetadataExt;
    metadata.file_attributes() & (0x1000 | 0x4_0000 | 0x40_0000) != 0
}

/// Elsewhere placeholders are told by name (`.Note.md.icloud`), which the walk does.
#[cfg(not(windows))]
fn is_offline(_metadata: &Metadata) -> bool {
    false
}

/// The file that an iCloud placeholder stands for: `Note.md` of `.Note.md.icloud`.
pub(crate) fn placeholder_target(name: &str) -> Option<&str> {
    name.strip_prefix('.')?.strip_suffix(".icloud").filter(|target| !target.is_empty())
}
