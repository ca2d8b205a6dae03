//! A segment: one file of records, named by the time it was begun, written by one process at a time.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

use cap_std::fs::{Dir, OpenOptions};

use super::ChangeId;
use super::frame::{FRAME_BYTES, Kind, body_length, whole};
use crate::core::unfollowed;
use crate::renaming::remove_if_there;
use crate::{Stat, fault};

/// Every segment begins with it. The number changes whenever a record is encoded otherwise.
pub(crate) const HEADER: &[u8] = b"quillgate history 1\n";
/// What all versions have in common.
pub(crate) const ANY_HEADER: &[u8] = b"quillgate history ";
/// A segment has changes of one day from its beginning: its name says which times it can be about.
pub(crate) const SPAN: i64 = 24 * 3600 * 1_000_000;

const SEGMENT: &str = ".segment";
const LOCK: &str = ".lock";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SegmentName(pub(crate) ChangeId);

impl SegmentName {
    pub(crate) fn file(self) -> String {
        format!("{}{SEGMENT}", self.0)
    }

    fn lock(self) -> String {
        format!("{}{LOCK}", self.0)
    }

    /// No change in it is later.
    pub(crate) fn ends(self) -> ChangeId {
        ChangeId::first_at(self.0.at() + SPAN)
    }
}

/// The segments in the folder, and those that have a lock: a process writes them, or ended without a word.
pub(crate) fn list(folder: &Dir) -> io::Result<(Vec<SegmentName>, Vec<SegmentName>)> {
    let (mut segments, mut locks) = (Vec::new(), Vec::new());
    for entry in folder.entries()? {
        let Ok(name) = entry?.file_name().into_string() else { continue };
        let parse = |suffix: &str| name.strip_suffix(suffix)?.parse().ok().map(SegmentName);
        segments.extend(parse(SEGMENT));
        locks.extend(parse(LOCK));
    }
    segments.sort_unstable();
    locks.sort_unstable();
    Ok((segments, locks))
}

pub(crate) fn open_to_read(folder: &Dir, name: SegmentName) -> io::Result<File> {
    Ok(folder.open_with(name.file(), unfollowed(OpenOptions::new().read(true)))?.into_std())
}

/// The body of the record that begins at `offset`.
pub(crate) fn body_at(mut file: &File, offset: u64, wanted: Kind) -> io::Result<Vec<u8>> {
    let damaged = || io::Error::new(io::ErrorKind::InvalidData, "a record of the history is damaged");
    let mut record = vec![0; FRAME_BYTES];
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(&mut record)?;
    let length = body_length(&record).ok_or_else(damaged)?;
    // A length that was damaged must not take memory for what is not there.
    file.take(length as u64).read_to_end(&mut record)?;
    match whole(&record) {
        Some((kind, _)) if kind == wanted => Ok(record.split_off(FRAME_BYTES)),
        _ => Err(damaged()),
    }
}

/// The right to write a segment, or to remove it. It ends with its process.
pub(crate) struct Lock {
    folder: Arc<Dir>,
    name: SegmentName,
    file: File,
}

impl Lock {
    /// For a segment that nobody has. `None` if somebody was faster.
    pub(crate) fn take(folder: &Arc<Dir>, name: SegmentName) -> io::Result<Option<Lock>> {
        let options = &mut OpenOptions::new();
        let options = options.write(true).create_new(true);
        match fault::around("lock segment", || folder.open_with(name.lock(), options)) {
            Ok(file) => Lock::hold(folder, name, file.into_std(), false),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// For a segment whose process has ended. `None` if it lives, or if somebody was faster.
    pub(crate) fn inherit(folder: &Arc<Dir>, name: SegmentName) -> io::Result<Option<Lock>> {
        match folder.open_with(name.lock(), unfollowed(OpenOptions::new().write(true))) {
            Ok(file) => Lock::hold(folder, name, file.into_std(), true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn hold(folder: &Arc<Dir>, name: SegmentName, file: File, is_left: bool) -> io::Result<Option<Lock>> {
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            // On a file system without locks nobody can tell that a process has ended: what it left open stays so.
            Err(TryLockError::Error(error)) if is_left => {
                tracing::debug!(%error, segment = %name.0, "a segment cannot be locked, so it is taken to be in use");
                return Ok(None);
            }
            Err(TryLockError::Error(_)) => {}
        }
        let lock = Lock { folder: folder.clone(), name, file };
        // Before it was locked, somebody else may have taken it for one whose process has ended.
        Ok(lock.is_there().then_some(lock))
    }

    fn is_there(&self) -> bool {
        let named = self.folder.symlink_metadata(self.name.lock());
        let (Ok(named), Ok(held)) = (named, cap_std::fs::Metadata::from_file(&self.file)) else { return false };
        Stat::of(&named).inode == Stat::of(&held).inode
    }

    /// Nothing is left to be settled in the segment.
    pub(crate) fn release(self) {
        if let Err(error) = remove_if_there(&self.folder, &self.name.lock()) {
            tracing::debug!(%error, segment = %self.name.0, "the lock of a segment could not be removed");
        }
    }
}
