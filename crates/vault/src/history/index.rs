//! What is in a segment and where: made by reading it once, kept, and brought up to date as the segment grows.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Seek, SeekFrom};

use cap_std::fs::Dir;

use super::blob::{self, BlobAt};
use super::frame::{Kind, Met, meet};
use super::record::{PastChange, Settled};
use super::segment::{ANY_HEADER, HEADER, SegmentName, open_to_read};
use super::{ChangeId, Damage};
use crate::{ContentHash, NotePath};

pub(crate) struct ChangeAt {
    pub(crate) offset: u64,
    /// Of every path in it, so that most changes need not be read to know that they are about other files.
    pub(crate) paths: Box<[u64]>,
    /// Whether it takes others back.
    pub(crate) is_undo: bool,
}

#[derive(Default)]
pub(crate) struct Index {
    /// Up to where the segment has been read.
    pub(crate) end: u64,
    /// How long it was when it was looked at; beyond `end` nothing whole was found.
    pub(crate) length: u64,
    pub(crate) blobs: HashMap<ContentHash, BlobAt>,
    /// Without those that were taken back.
    pub(crate) changes: BTreeMap<ChangeId, ChangeAt>,
    /// Announced, and nothing is known of their end.
    pub(crate) pending: HashSet<ChangeId>,
    pub(crate) damage: Vec<Damage>,
    /// Of another version, or not ours at all.
    pub(crate) is_foreign: bool,
}

impl Index {
    /// Reads what has been added since the last time.
    pub(crate) fn catch_up(&mut self, folder: &Dir, name: SegmentName) -> io::Result<()> {
        if self.is_foreign {
            return Ok(());
        }
        let mut file = open_to_read(folder, name)?;
        let length = file.metadata()?.len();
        if length == self.length {
            return Ok(());
        }
        let mut bytes = Vec::with_capacity(usize::try_from(length.saturating_sub(self.end)).unwrap_or(0));
        file.seek(SeekFrom::Start(self.end))?;
        file.read_to_end(&mut bytes)?;
        self.length = self.end + bytes.len() as u64;
        let rest = if self.end == 0 { self.past_header(&bytes, name) } else { Some(&bytes[..]) };
        if let Some(rest) = rest {
            self.read(rest, name);
        }
        Ok(())
    }

    fn past_header<'a>(&mut self, bytes: &'a [u8], name: SegmentName) -> Option<&'a [u8]> {
        if let Some(rest) = bytes.strip_prefix(HEADER) {
            self.end = HEADER.len() as u64;
            return Some(rest);
        }
        // Its process may have only just begun.
        if !HEADER.starts_with(bytes) {
            let what =
                if bytes.starts_with(ANY_HEADER) { "it is of another version" } else { "it does not begin as one of ours" };
            tracing::warn!(segment = %name.0, "a part of the history is left out: {what}");
            self.is_foreign = true;
            self.damage.push(Damage { segment: name.file(), at: 0, bytes: bytes.len() as u64, what });
        }
        None
    }

    /// `bytes` begin at `end`.
    fn read(&mut self, bytes: &[u8], name: SegmentName) {
        let (start, mut at) = (self.end, 0);
        loop {
            at = match meet(bytes, at) {
                Met::Record { kind, body, next } => {
                    if !self.note(kind, body, start + at as u64) {
                        self.damaged(name, start + at as u64, next - at);
                    }
                    next
                }
                Met::Damage { next } => {
                    self.damaged(name, start + at as u64, next - at);
                    next
                }
                Met::Tail | Met::End => break,
            };
            self.end = start + at as u64;
        }
    }

    fn note(&mut self, kind: Kind, body: &[u8], offset: u64) -> bool {
        match kind {
            Kind::Blob => {
                let Some((hash, depth)) = blob::look(body) else { return false };
                self.blobs.entry(hash).or_insert(BlobAt { offset, depth });
            }
            Kind::Change => {
                let Ok(change) = postcard::from_bytes::<PastChange>(body) else { return false };
                let paths = change.files.iter().flat_map(|file| file.paths()).map(path_key).collect();
                self.changes.insert(change.id, ChangeAt { offset, paths, is_undo: !change.undoes.is_empty() });
                self.pending.insert(change.id);
            }
            Kind::Settled => {
                let Ok(settled) = postcard::from_bytes::<Settled>(body) else { return false };
                self.pending.remove(&settled.change);
                if !settled.is_in_effect {
                    self.changes.remove(&settled.change);
                }
            }
        }
        true
    }

    fn damaged(&mut self, name: SegmentName, at: u64, bytes: usize) {
        tracing::warn!(segment = %name.0, at, bytes, "a part of the history is damaged; the rest of it can be read");
        self.damage.push(Damage { segment: name.file(), at, bytes: bytes as u64, what: "its check sum does not fit" });
    }

    /// What follows the last whole record of a segment that nobody writes.
    pub(crate) fn torn_end(&self, name: SegmentName) -> Option<Damage> {
        let bytes = self.length.saturating_sub(self.end);
        let is_torn = bytes > 0 && !self.is_foreign;
        is_torn.then(|| Damage { segment: name.file(), at: self.end, bytes, what: "its last record is not whole" })
    }
}

pub(crate) fn path_key(path: &NotePath) -> u64 {
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    hasher.finish()
}
