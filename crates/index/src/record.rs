//! One record of the stored catalogue: what is needed of a file at the start, then its card.

use std::io::{self, BufRead, Read, Write};
use std::sync::Arc;

use quillgate_vault::{ContentHash, NotePath, Stat};
use serde::{Deserialize, Serialize};

use crate::entry::Entry;
use crate::kept::{CardLog, Encoded, Kept, Stored};
use crate::mentions::Mentions;

/// Lengths of head and card, and their check sums.
const FRAME: usize = 16;
const LONGEST: usize = 64 << 20;

#[derive(Serialize, Deserialize)]
pub(crate) enum Record<'a> {
    #[serde(borrow)]
    Put(Head<'a>),
    /// The bytes of the file are the same.
    Touch(&'a str, StoredStat, i64),
    Remove(&'a str),
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Head<'a> {
    path: &'a str,
    stat: StoredStat,
    hash: Option<[u8; 32]>,
    #[serde(borrow)]
    tags: Vec<&'a str>,
    problem: Option<&'a str>,
    read_at: i64,
    /// Encoded mentions.
    mentions: &'a [u8],
}

#[derive(Serialize, Deserialize)]
pub(crate) struct StoredStat {
    size: u64,
    modified: i64,
    created: Option<i64>,
    inode: u64,
    offline: bool,
}

impl From<Stat> for StoredStat {
    fn from(stat: Stat) -> StoredStat {
        let Stat { size, modified, created, inode, offline } = stat;
        StoredStat { size, modified, created, inode, offline }
    }
}

impl From<StoredStat> for Stat {
    fn from(stat: StoredStat) -> Stat {
        let StoredStat { size, modified, created, inode, offline } = stat;
        Stat { size, modified, created, inode, offline }
    }
}

impl<'a> Head<'a> {
    pub(crate) fn of(entry: &'a Entry, encoded: &'a Encoded) -> Head<'a> {
        Head {
            path: entry.path.as_str(),
            stat: entry.stat.into(),
            hash: entry.hash.map(|hash| hash.0),
            tags: entry.tags.iter().map(|tag| &**tag).collect(),
            problem: entry.problem.as_deref(),
            read_at: entry.read_at,
            mentions: &encoded.mentions,
        }
    }

    pub(crate) fn into_entry(self, card: Kept) -> Option<(Entry, Mentions<'a>)> {
        let mentions = postcard::from_bytes(self.mentions).ok()?;
        let entry = Entry {
            path: NotePath::parse(self.path).ok()?,
            stat: self.stat.into(),
            hash: self.hash.map(ContentHash),
            tags: self.tags.into_iter().map(Arc::from).collect(),
            problem: self.problem.map(Into::into),
            read_at: self.read_at,
            card,
        };
        Some((entry, mentions))
    }
}

/// Where a card lies in a log that is being written.
#[derive(Clone, Copy)]
pub(crate) struct CardPlace {
    at: u64,
    length: u32,
    sum: u32,
}

impl CardPlace {
    pub(crate) fn kept(self, log: &Arc<CardLog>) -> Kept {
        if self.length == 0 { Kept::NoCard } else { Kept::Stored(self.stored(log)) }
    }

    pub(crate) fn stored(self, log: &Arc<CardLog>) -> Stored {
        Stored { log: log.clone(), at: self.at, length: self.length, sum: self.sum }
    }
}

/// Writes a record at `at`, and says where its card is and where the next record goes. The check sums tell a record that was
/// cut off or never reached the disk.
pub(crate) fn write_record(log: &mut impl Write, at: u64, record: &Record<'_>, card: &[u8]) -> io::Result<(CardPlace, u64)> {
    let head = postcard::to_allocvec(record).map_err(io::Error::other)?;
    let (head_length, length) = (frame_length(&head)?, frame_length(card)?);
    let sum = crc32fast::hash(card);
    log.write_all(&head_length.to_le_bytes())?;
    log.write_all(&length.to_le_bytes())?;
    log.write_all(&crc32fast::hash(&head).to_le_bytes())?;
    log.write_all(&sum.to_le_bytes())?;
    log.write_all(&head)?;
    log.write_all(card)?;
    let card_at = at + FRAME as u64 + u64::from(head_length);
    Ok((CardPlace { at: card_at, length, sum }, card_at + u64::from(length)))
}

fn frame_length(bytes: &[u8]) -> io::Result<u32> {
    if bytes.len() > LONGEST {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    u32::try_from(bytes.len()).map_err(io::Error::other)
}

/// Reads records one after the other up to the first that is not whole.
pub(crate) struct Records<R> {
    reader: R,
    /// Where the next record starts.
    pub(crate) at: u64,
    head: Vec<u8>,
    card: Vec<u8>,
}

impl<R: BufRead> Records<R> {
    pub(crate) fn new(reader: R, at: u64) -> Records<R> {
        Records { reader, at, head: Vec::new(), card: Vec::new() }
    }

    pub(crate) fn next(&mut self) -> Option<(Record<'_>, CardPlace)> {
        let mut frame = [0; FRAME];
        self.reader.read_exact(&mut frame).ok()?;
        let number = |at: usize| u32::from_le_bytes([frame[at], frame[at + 1], frame[at + 2], frame[at + 3]]);
        let (head_length, length, head_sum, sum) = (number(0), number(4), number(8), number(12));
        read_checked(&mut self.reader, &mut self.head, head_length, head_sum)?;
        read_checked(&mut self.reader, &mut self.card, length, sum)?;
        let record = postcard::from_bytes(&self.head).ok()?;
        let at = self.at + FRAME as u64 + u64::from(head_length);
        self.at = at + u64::from(length);
        Some((record, CardPlace { at, length, sum }))
    }
}

fn read_checked(reader: &mut impl Read, bytes: &mut Vec<u8>, length: u32, sum: u32) -> Option<()> {
    if length as usize > LONGEST {
        return None;
    }
    bytes.resize(length as usize, 0);
    reader.read_exact(bytes).ok()?;
    (crc32fast::hash(bytes) == sum).then_some(())
}
