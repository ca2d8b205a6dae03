//! The catalogue on disk: a log of records, the last one of a path counting, rewritten when most of it is stale.
//!
//! Cards are read from it as they are asked for. Nothing here must be right for answers to be right: a record that cannot be
//! read ends the log, and the walk that follows every start reads whatever is missing anew.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::sync::Arc;

use cap_std::fs::{Dir, OpenOptions};
use quillgate_vault::NotePath;

use crate::catalogue::{Catalogue, Filling};
use crate::entry::Entry;
use crate::kept::{CardLog, Kept, Stored};
use crate::record::{CardPlace, Head, Record, Records, write_record};

/// Changes whenever a record or a card is encoded otherwise, or says something else about the same bytes.
const FORMAT: &[u8; 16] = b"quillgate-cat-5\n";
const LOG: &str = "catalogue.log";
const FRESH_LOG: &str = "catalogue.new";
const LOCK: &str = "catalogue.lock";
/// Below this many stale bytes a rewrite is not worth it.
const SMALL: u64 = 4 << 20;
/// What a record takes besides its path and its card, about.
const RECORD_OVERHEAD: u64 = 200;

/// One process at a time writes the log; the others keep what they find new in memory only.
pub(crate) struct Store {
    folder: Dir,
    lock: Option<File>,
    log: Option<Log>,
    written: u64,
    /// The length at which to look again how much of the log is stale.
    tidy_at: u64,
}

/// The log as it is written and, by a handle of its own, read.
struct Log {
    writer: BufWriter<File>,
    cards: Arc<CardLog>,
}

/// A card that now lies elsewhere.
pub(crate) struct MovedCard {
    pub(crate) path: NotePath,
    pub(crate) from: Stored,
    pub(crate) to: Stored,
}

impl Store {
    pub(crate) fn open(folder: Dir) -> Store {
        let lock = folder.open_with(LOCK, OpenOptions::new().create(true).write(true)).map(cap_std::fs::File::into_std);
        let lock = lock.ok().filter(|file| file.try_lock().is_ok());
        Store { folder, lock, log: None, written: 0, tidy_at: SMALL }
    }

    /// Every file that was stored; later records of a path replace earlier ones.
    pub(crate) fn load(&mut self) -> Catalogue {
        let mut filling = Filling::default();
        let Ok(file) = self.folder.open(LOG) else { return filling.finish() };
        let Ok(cards) = self.open_cards(LOG) else { return filling.finish() };
        let mut reader = BufReader::with_capacity(1 << 20, file.into_std());
        let mut format = [0; FORMAT.len()];
        if reader.read_exact(&mut format).is_err() || format != *FORMAT {
            return filling.finish();
        }
        let mut records = Records::new(reader, FORMAT.len() as u64);
        while let Some((record, place)) = records.next() {
            match record {
                Record::Put(head) => {
                    if let Some((entry, mentions)) = head.into_entry(place.kept(&cards)) {
                        filling.put(entry, &mentions);
                    }
                }
                Record::Touch(path, stat, read_at) => {
                    drop(NotePath::parse(path).map(|path| filling.touch(&path, stat.into(), read_at)));
                }
                Record::Remove(path) => drop(NotePath::parse(path).map(|path| filling.remove(&path))),
            }
        }
        self.written = records.at;
        filling.finish()
    }

    /// Opens the log for appending, cutting off what could not be read.
    pub(crate) fn start_writing(&mut self) -> io::Result<()> {
        if self.lock.is_none() {
            return Ok(());
        }
        // Nothing of it could be read: another program, older or newer, may still read its cards there.
        if self.written == 0 {
            drop(self.folder.remove_file(LOG));
        }
        let file = self.folder.open_with(LOG, OpenOptions::new().create(true).write(true))?.into_std();
        file.set_len(self.written)?;
        let mut writer = BufWriter::new(file);
        io::Seek::seek(&mut writer, io::SeekFrom::End(0))?;
        if self.written == 0 {
            writer.write_all(FORMAT)?;
            self.written = FORMAT.len() as u64;
        }
        self.log = Some(Log { writer, cards: self.open_cards(LOG)? });
        Ok(())
    }

    /// Writes down files as they are now. Returns where their cards are, unless they are nowhere but in memory.
    pub(crate) fn put(&mut self, entries: &[Entry]) -> Option<Vec<Kept>> {
        let cards = self.log.as_ref()?.cards.clone();
        let mut places = Vec::with_capacity(entries.len());
        for entry in entries {
            // A card that can no longer be read is not written either, and so read anew at the next start.
            let place = entry.card.encoded().map(|encoded| {
                let place = self.append(&Record::Put(Head::of(entry, &encoded)), &encoded.card);
                place.map_or(Kept::NoCard, |place| place.kept(&cards))
            });
            places.push(place.unwrap_or(Kept::NoCard));
        }
        self.flush();
        self.log.is_some().then_some(places)
    }

    /// Writes down that a file is the same as before but for what the file system says of it.
    pub(crate) fn touch(&mut self, entry: &Entry) {
        self.append(&Record::Touch(entry.path.as_str(), entry.stat.into(), entry.read_at), &[]);
        self.flush();
    }

    pub(crate) fn delete(&mut self, paths: &[NotePath]) {
        for path in paths {
            self.append(&Record::Remove(path.as_str()), &[]);
        }
        self.flush();
    }

    /// Writes the log anew, from what is true now, if so much of it is stale that this pays. Returns where cards are then.
    pub(crate) fn tidy(&mut self, catalogue: &Catalogue) -> io::Result<Vec<MovedCard>> {
        if self.log.is_none() || self.written < self.tidy_at {
            return Ok(Vec::new());
        }
        let size = |entry: &Entry| RECORD_OVERHEAD + (entry.path.as_str().len() + entry.card.length() * 3 / 2) as u64;
        let live: u64 = catalogue.files().map(size).sum();
        self.tidy_at = 2 * live + SMALL;
        if self.written < self.tidy_at {
            return Ok(Vec::new());
        }
        self.rewrite(catalogue.files())
    }

    fn rewrite<'a>(&mut self, entries: impl Iterator<Item = &'a Entry>) -> io::Result<Vec<MovedCard>> {
        let file = self.folder.open_with(FRESH_LOG, OpenOptions::new().create(true).truncate(true).write(true))?.into_std();
        let mut writer = BufWriter::with_capacity(1 << 20, file);
        let cards = self.open_cards(FRESH_LOG)?;
        writer.write_all(FORMAT)?;
        let mut written = FORMAT.len() as u64;
        let mut moved = Vec::new();
        for entry in entries {
            let Some(encoded) = entry.card.encoded() else { continue };
            let place: CardPlace;
            (place, written) = write_record(&mut writer, written, &Record::Put(Head::of(entry, &encoded)), &encoded.card)?;
            if let Kept::Stored(from) = &entry.card {
                moved.push(MovedCard { path: entry.path.clone(), from: from.clone(), to: place.stored(&cards) });
            }
        }
        writer.flush()?;
        self.folder.rename(FRESH_LOG, &self.folder, LOG)?;
        (self.log, self.written, self.tidy_at) = (Some(Log { writer, cards }), written, 2 * written + SMALL);
        Ok(moved)
    }

    fn open_cards(&self, name: &str) -> io::Result<Arc<CardLog>> {
        Ok(Arc::new(CardLog::new(self.folder.open(name)?.into_std())))
    }

    fn append(&mut self, record: &Record<'_>, card: &[u8]) -> Option<CardPlace> {
        let log = self.log.as_mut()?;
        match write_record(&mut log.writer, self.written, record, card) {
            Ok((place, written)) => {
                self.written = written;
                Some(place)
            }
            Err(error) => {
                self.give_up(&error);
                None
            }
        }
    }

    fn flush(&mut self) {
        if let Some(Err(error)) = self.log.as_mut().map(|log| log.writer.flush()) {
            self.give_up(&error);
        }
    }

    /// A full disk must not stop answers: the catalogue lives on in memory and is built again at the next start.
    fn give_up(&mut self, error: &io::Error) {
        tracing::warn!(%error, "the catalogue cannot be stored; the next start reads the vault anew");
        self.log = None;
    }
}
