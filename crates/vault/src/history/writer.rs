//! The end of a segment to which this process appends.

use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cap_std::fs::{Dir, OpenOptions};
use parking_lot::Mutex;

use super::ChangeId;
use super::blob::{Base, BlobAt, LONGEST_CHAIN, decode, encode, root_of};
use super::frame::{FRAME_BYTES, Kind, frame};
use super::index::Index;
use super::recent::Recent;
use super::record::{PastChange, Settled, encode as encode_record};
use super::segment::{HEADER, Lock, SegmentName, body_at, open_to_read};
use crate::core::unfollowed;
use crate::renaming::sync_folder;
use crate::{ContentHash, Durability, fault};

/// A segment that begins with fewer bytes than this is continued by the next process rather than left as one of many small files.
const SMALL: u64 = 1 << 20;

pub(crate) struct Writer {
    pub(crate) name: SegmentName,
    /// What was there when it was opened.
    pub(crate) latest: ChangeId,
    folder: Arc<Dir>,
    lock: Option<Lock>,
    end: Mutex<End>,
    /// Whether the end of every change in it is known.
    is_settled: AtomicBool,
    /// Whether something was appended that may not be on the disk yet.
    is_dirty: AtomicBool,
    /// Whether its name may not be on the disk yet.
    is_new: AtomicBool,
}

/// The file, its length, and what was kept in it lately.
type Opened = (File, u64, Recent);

struct End {
    file: File,
    length: u64,
    known: Recent,
    /// Its end could not be put right after a write that failed.
    is_broken: bool,
}

impl Writer {
    pub(crate) fn create(folder: &Arc<Dir>, name: SegmentName) -> io::Result<Option<Writer>> {
        let Some(lock) = Lock::take(folder, name)? else { return Ok(None) };
        let options = &mut OpenOptions::new();
        let options = options.append(true).create_new(true);
        let begun = fault::around("create segment", || folder.open_with(name.file(), options)).and_then(|file| {
            let mut file = file.into_std();
            fault::around("append history", || file.write_all(HEADER))?;
            Ok((file, HEADER.len() as u64, Recent::default()))
        });
        Writer::new(folder, name, name.0, lock, begun).map(Some)
    }

    /// Goes on with a small segment that was left in order.
    pub(crate) fn continue_with(folder: &Arc<Dir>, name: SegmentName) -> io::Result<Option<Writer>> {
        let length = folder.symlink_metadata(name.file())?.len();
        if length > SMALL {
            return Ok(None);
        }
        let Some(lock) = Lock::take(folder, name)? else { return Ok(None) };
        let mut index = Index::default();
        let continued = index.catch_up(folder, name).and_then(|()| {
            if !index.damage.is_empty() || !index.pending.is_empty() || index.end != index.length || index.end == 0 {
                return Err(io::ErrorKind::InvalidData.into());
            }
            let file = folder.open_with(name.file(), unfollowed(OpenOptions::new().append(true)))?.into_std();
            Ok((file, index.end, std::mem::take(&mut index.blobs).into_iter().collect()))
        });
        let latest = index.changes.last_key_value().map_or(name.0, |(latest, _)| *latest);
        Writer::new(folder, name, latest, lock, continued).map(Some)
    }

    fn new(folder: &Arc<Dir>, name: SegmentName, latest: ChangeId, lock: Lock, opened: io::Result<Opened>) -> io::Result<Writer> {
        match opened {
            Ok((file, length, known)) => Ok(Writer {
                name,
                latest,
                folder: folder.clone(),
                lock: Some(lock),
                end: Mutex::new(End { file, length, known, is_broken: false }),
                is_settled: AtomicBool::new(true),
                is_dirty: AtomicBool::new(false),
                is_new: AtomicBool::new(true),
            }),
            // Without its segment a lock is worth nothing.
            Err(error) => {
                lock.release();
                Err(error)
            }
        }
    }

    /// Whether changes may still be added at this time.
    pub(crate) fn has_room(&self, now: i64, most: u64) -> bool {
        let end = self.end.lock();
        !end.is_broken && end.length < most && (self.name.0.at()..self.name.ends().at()).contains(&now)
    }

    /// Keeps the bytes of a file unless they are known to be here. `beside` are other bytes that are here and look like them.
    pub(crate) fn keep(&self, bytes: &[u8], hash: ContentHash, beside: Option<(&[u8], ContentHash)>) -> io::Result<()> {
        let mut end = self.end.lock();
        if end.known.find(&hash).is_some() {
            return Ok(());
        }
        let known = beside.and_then(|(bytes, hash)| Some(Base { bytes, at: end.known.find(&hash)? }));
        let (body, depth) = match known {
            Some(base) if base.at.depth >= LONGEST_CHAIN => self.encode_beside_root(bytes, hash, &end, base.at)?,
            base => encode(bytes, hash, end.length, base.as_ref())?,
        };
        let at = BlobAt { offset: end.length, depth };
        end.append(Kind::Blob, &body)?;
        end.known.insert(hash, at);
        Ok(())
    }

    /// The chain is as long as it may be: begins another one from the same root, from which small edits have not led far away.
    fn encode_beside_root(&self, bytes: &[u8], hash: ContentHash, end: &End, last: BlobAt) -> io::Result<(Vec<u8>, u8)> {
        let file = open_to_read(&self.folder, self.name)?;
        let body_at = |offset| body_at(&file, offset, Kind::Blob);
        let root = root_of(last.offset, body_at).and_then(|root| Ok((root, decode(root, body_at)?)));
        match root {
            Ok((offset, root)) => encode(bytes, hash, end.length, Some(&Base { bytes: &root, at: BlobAt { offset, depth: 0 } })),
            Err(_) => encode(bytes, hash, end.length, None),
        }
    }

    pub(crate) fn announce(&self, change: &PastChange) -> io::Result<()> {
        self.end.lock().append(Kind::Change, &encode_record(change))
    }

    /// Says whether a change was made after all. If that cannot be written, the next start finds out.
    pub(crate) fn settle(&self, change: ChangeId, is_in_effect: bool) {
        let settled = self.end.lock().append(Kind::Settled, &encode_record(&Settled { change, is_in_effect }));
        if let Err(error) = settled {
            self.leave_unsettled();
            tracing::warn!(%error, %change, "the history cannot be written; the next start finds out whether this change was made");
        }
    }

    /// The lock stays, for the next start to see.
    pub(crate) fn leave_unsettled(&self) {
        self.is_settled.store(false, Ordering::Relaxed);
    }

    /// Whether this is the first thing to be synced since the last time.
    pub(crate) fn mark_dirty(&self) -> bool {
        !self.is_dirty.swap(true, Ordering::AcqRel)
    }

    pub(crate) fn sync(&self) -> io::Result<()> {
        if !self.is_dirty.swap(false, Ordering::AcqRel) {
            return Ok(());
        }
        let file = self.end.lock().file.try_clone()?;
        file.sync_data()?;
        if self.is_new.swap(false, Ordering::Relaxed) {
            sync_folder(&self.folder, Durability::Full);
        }
        Ok(())
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if let Err(error) = self.sync() {
            tracing::debug!(%error, "a segment of the history could not be synced");
        }
        if self.is_settled.load(Ordering::Relaxed) {
            self.lock.take().into_iter().for_each(Lock::release);
        }
    }
}

impl End {
    fn append(&mut self, kind: Kind, body: &[u8]) -> io::Result<()> {
        let mut record = Vec::with_capacity(FRAME_BYTES + body.len());
        frame(&mut record, kind, body);
        let written = fault::around("append history", || self.file.write_all(&record));
        match written {
            Ok(()) => self.length += record.len() as u64,
            // Half a record must not stand before the next one.
            Err(_) => self.is_broken |= self.file.set_len(self.length).is_err(),
        }
        written
    }
}
