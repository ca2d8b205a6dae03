//! The catalogue on disk: a log of records, the last one of a path counting, rewritten when most of it is stale.
//!
//! Nothing here must be right for answers to be right: a record that cannot be read ends the log, and the walk that follows
//! every start reads whatever is missing anew.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::sync::Arc;

use cap_std::fs::{Dir, OpenOptions};
use quillgate_vault::{ContentHash, NotePath, Stat};
use serde::{Deserialize, Serialize};

use crate::catalogue::Catalogue;
use crate::entry::Entry;

/// Changes whenever a record or a card is encoded otherwise, or says something else about the same bytes.
const FORMAT: &[u8; 16] = b"quillgate-cat-2\n";
const LOG: &str = "catalogue.log";
const FRESH_LOG: &str = "catalogue.new";
const LOCK: &str = "catalogue.lock";
/// Below this many stale bytes a rewrite is not worth it.
const SMALL: u64 = 4 << 20;
/// What a record takes besides its path and its card, about.
const RECORD_OVERHEAD: u64 = 100;
const LONGEST_RECORD: usize = 64 << 20;

#[derive(Serialize, Deserialize)]
enum Record {
    Upsert(Box<Stored>),
    Remove(String),
}

#[derive(Serialize, Deserialize)]
struct Stored {
    path: String,
    size: u64,
    modified: i64,
    created: Option<i64>,
    inode: u64,
    offline: bool,
    hash: Option<[u8; 32]>,
    tags: Vec<String>,
    problem: Option<String>,
    read_at: i64,
    card: Vec<u8>,
}

/// One process at a time writes the log; the others keep their catalogue in memory only.
pub(crate) struct Store {
    folder: Dir,
    lock: Option<File>,
    log: Option<BufWriter<File>>,
    written: u64,
    /// The length at which to look again how much of the log is stale.
    tidy_at: u64,
}

impl Store {
    pub(crate) fn open(folder: Dir) -> Store {
        let lock = folder.open_with(LOCK, OpenOptions::new().create(true).write(true)).map(cap_std::fs::File::into_std);
        let lock = lock.ok().filter(|file| file.try_lock().is_ok());
        Store { folder, lock, log: None, written: 0, tidy_at: SMALL }
    }

    /// Takes over every entry that was stored, oldest first; later ones of a path replace earlier ones.
    pub(crate) fn load(&mut self, catalogue: &mut Catalogue) {
        let Ok(file) = self.folder.open(LOG) else { return };
        let mut reader = io::BufReader::with_capacity(1 << 20, file.into_std());
        let mut format = [0; FORMAT.len()];
        if reader.read_exact(&mut format).is_err() || format != *FORMAT {
            return;
        }
        self.written = FORMAT.len() as u64;
        while let Some((record, length)) = read_record(&mut reader) {
            self.written += length;
            match record {
                Record::Upsert(stored) => drop(stored.into_entry().map(|entry| catalogue.upsert(entry))),
                Record::Remove(path) => drop(NotePath::parse(&path).map(|path| catalogue.remove(&path))),
            }
        }
    }

    /// Opens the log for appending, cutting off what could not be read.
    pub(crate) fn start_writing(&mut self) -> io::Result<()> {
        if self.lock.is_none() {
            return Ok(());
        }
        let file = self.folder.open_with(LOG, OpenOptions::new().create(true).write(true))?.into_std();
        file.set_len(self.written)?;
        let mut log = BufWriter::new(file);
        io::Seek::seek(&mut log, io::SeekFrom::End(0))?;
        if self.written == 0 {
            log.write_all(FORMAT)?;
            self.written = FORMAT.len() as u64;
        }
        self.log = Some(log);
        Ok(())
    }

    pub(crate) fn put(&mut self, entry: &Entry) {
        self.append(&Record::Upsert(Box::new(Stored::of(entry))));
    }

    pub(crate) fn delete(&mut self, path: &NotePath) {
        self.append(&Record::Remove(path.to_string()));
    }

    pub(crate) fn flush(&mut self) {
        let flushed = self.log.as_mut().map(Write::flush);
        self.give_up_on_error(flushed.unwrap_or(Ok(())));
    }

    /// Writes the log anew, from what is true now, if so much of it is stale that this pays.
    pub(crate) fn tidy(&mut self, catalogue: &Catalogue) -> io::Result<()> {
        if self.log.is_none() || self.written < self.tidy_at {
            return Ok(());
        }
        let size = |entry: &Entry| RECORD_OVERHEAD + (entry.path.as_str().len() + entry.card.len()) as u64;
        let live: u64 = catalogue.files().map(size).sum();
        self.tidy_at = 2 * live + SMALL;
        if self.written < self.tidy_at {
            return Ok(());
        }
        self.rewrite(catalogue.files())
    }

    fn rewrite<'a>(&mut self, entries: impl Iterator<Item = &'a Entry>) -> io::Result<()> {
        let file = self.folder.open_with(FRESH_LOG, OpenOptions::new().create(true).truncate(true).write(true))?.into_std();
        let mut log = BufWriter::with_capacity(1 << 20, file);
        log.write_all(FORMAT)?;
        let mut written = FORMAT.len() as u64;
        for entry in entries {
            written += write_record(&mut log, &Record::Upsert(Box::new(Stored::of(entry))))?;
        }
        log.flush()?;
        self.folder.rename(FRESH_LOG, &self.folder, LOG)?;
        (self.log, self.written, self.tidy_at) = (Some(log), written, 2 * written + SMALL);
        Ok(())
    }

    fn append(&mut self, record: &Record) {
        let Some(log) = self.log.as_mut() else { return };
        match write_record(log, record) {
            Ok(length) => self.written += length,
            failed => self.give_up_on_error(failed.map(drop)),
        }
    }

    /// A full disk must not stop answers: the catalogue lives on in memory and is built again at the next start.
    fn give_up_on_error(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            tracing::warn!(%error, "the catalogue cannot be stored; the next start reads the vault anew");
            self.log = None;
        }
    }
}

impl Stored {
    fn of(entry: &Entry) -> Stored {
        Stored {
            path: entry.path.to_string(),
            size: entry.stat.size,
            modified: entry.stat.modified,
            created: entry.stat.created,
            inode: entry.stat.inode,
            offline: entry.stat.offline,
            hash: entry.hash.map(|hash| hash.0),
            tags: entry.tags.iter().map(|tag| tag.to_string()).collect(),
            problem: entry.problem.as_deref().map(str::to_owned),
            read_at: entry.read_at,
            card: entry.card.to_vec(),
        }
    }

    fn into_entry(self) -> Option<Entry> {
        Some(Entry {
            path: NotePath::parse(&self.path).ok()?,
            stat: Stat {
                size: self.size,
                modified: self.modified,
                created: self.created,
                inode: self.inode,
                offline: self.offline,
            },
            hash: self.hash.map(ContentHash),
            tags: self.tags.into_iter().map(Arc::from).collect(),
            problem: self.problem.map(Into::into),
            read_at: self.read_at,
            card: self.card.into(),
        })
    }
}

/// Length, check sum, bytes. The check sum tells a record that was cut off or never reached the disk.
fn write_record(log: &mut impl Write, record: &Record) -> io::Result<u64> {
    let bytes = postcard::to_allocvec(record).map_err(io::Error::other)?;
    let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
    log.write_all(&length.to_le_bytes())?;
    log.write_all(&check_sum(&bytes))?;
    log.write_all(&bytes)?;
    Ok(8 + u64::from(length))
}

fn read_record(log: &mut impl Read) -> Option<(Record, u64)> {
    let (mut length, mut sum) = ([0; 4], [0; 4]);
    log.read_exact(&mut length).ok()?;
    log.read_exact(&mut sum).ok()?;
    let length = u32::from_le_bytes(length) as usize;
    if length > LONGEST_RECORD {
        return None;
    }
    let mut bytes = vec![0; length];
    log.read_exact(&mut bytes).ok()?;
    if check_sum(&bytes) != sum {
        return None;
    }
    Some((postcard::from_bytes(&bytes).ok()?, 8 + length as u64))
}

fn check_sum(bytes: &[u8]) -> [u8; 4] {
    let [a, b, c, d, ..] = ContentHash::of(bytes).0;
    [a, b, c, d]
}
