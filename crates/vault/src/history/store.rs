//! The history of one vault: where changes are written down, and where they are read.

use std::io::{self, Write};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, OnceLock, Weak};
use std::thread;
use std::time::Duration;

use cap_std::fs::{Dir, OpenOptions};
use parking_lot::Mutex;

use super::frame::{Kind, frame};
use super::id::Ids;
use super::index::Index;
use super::record::{PastChange, Settled, encode};
use super::segment::{Lock, SPAN, SegmentName, list, open_to_read};
use super::shelf::{Shelf, read};
use super::writer::Writer;
use super::{ChangeId, HistorySettings, Trimmed};
use crate::core::unfollowed;
use crate::{Durability, fault};

/// A loss of power takes at most what was recorded in this time, and in that which a sync takes.
const SYNC_AFTER: Duration = Duration::from_millis(500);

pub(crate) struct Store {
    folder: Arc<Dir>,
    pub(crate) settings: HistorySettings,
    ids: Ids,
    writer: Mutex<Option<Arc<Writer>>>,
    pub(crate) shelf: Mutex<Shelf>,
    to_sync: OnceLock<Sender<Weak<Writer>>>,
}

impl Store {
    pub(crate) fn new(folder: Dir, settings: HistorySettings) -> Store {
        let folder = Arc::new(folder);
        let shelf = Mutex::new(Shelf::new(folder.clone()));
        let ids = Ids::new(settings.clock.clone());
        Store { folder, settings, ids, writer: Mutex::new(None), shelf, to_sync: OnceLock::new() }
    }

    /// A name for a change, and the segment that everything about it goes to.
    pub(crate) fn begin(&self) -> io::Result<(ChangeId, Arc<Writer>)> {
        let mut writer = self.writer.lock();
        // Under the lock: no change is older than the segment it is in.
        let id = self.ids.fresh();
        if let Some(open) = writer.as_ref().filter(|open| open.has_room(id.at(), self.segment_bytes())) {
            return Ok((id, open.clone()));
        }
        *writer = None;
        let (id, next) = match self.continued_writer() {
            Some((id, continued)) => (id, Arc::new(continued)),
            None => (id, Arc::new(self.new_writer(id)?)),
        };
        *writer = Some(next.clone());
        drop(writer);
        self.trim_or_warn();
        Ok((id, next))
    }

    /// So that a small history has more than one part to remove.
    fn segment_bytes(&self) -> u64 {
        self.settings.segment_bytes.min(self.settings.max_bytes / 8)
    }

    /// The latest segment, if it is nobody's and small.
    fn continued_writer(&self) -> Option<(ChangeId, Writer)> {
        let (segments, locks) = list(&self.folder).ok()?;
        let latest = segments.last().filter(|latest| locks.binary_search(latest).is_err())?;
        if !(latest.0..latest.ends()).contains(&ChangeId::first_at(self.ids.now())) {
            return None;
        }
        let writer = Writer::continue_with(&self.folder, *latest).ok()??;
        // What comes now is later than what is there, whatever the clock says.
        self.ids.follow(writer.latest);
        let id = self.ids.fresh();
        writer.has_room(id.at(), self.segment_bytes()).then_some((id, writer))
    }

    fn new_writer(&self, id: ChangeId) -> io::Result<Writer> {
        // A process that is just starting may take a fresh lock for one that was left, and remove it.
        for _ in 0..100 {
            if let Some(created) = Writer::create(&self.folder, SegmentName(id))? {
                return Ok(created);
            }
        }
        Err(io::Error::other("the lock of a new segment is taken away again and again"))
    }

    /// Has the segment synced soon, on a thread of its own.
    pub(crate) fn sync_soon(&self, writer: &Arc<Writer>, durability: Durability) {
        if durability == Durability::Relaxed || !writer.mark_dirty() {
            return;
        }
        let to_sync = self.to_sync.get_or_init(|| {
            let (sender, receiver) = mpsc::channel::<Weak<Writer>>();
            let keep_syncing = move || {
                while let Ok(writer) = receiver.recv() {
                    thread::sleep(SYNC_AFTER);
                    // One that is gone was synced when it went.
                    if let Some(Err(error)) = writer.upgrade().map(|writer| writer.sync()) {
                        tracing::warn!(%error, "the history cannot be synced to the disk");
                    }
                }
            };
            if let Err(error) = thread::Builder::new().name("history".into()).spawn(keep_syncing) {
                tracing::warn!(%error, "the history is synced when the system sees fit");
            }
            sender
        });
        let _ = to_sync.send(Arc::downgrade(writer));
    }

    /// Finds out for every change whose process ended in the middle of it whether it was made. `None`: that is not known yet.
    pub(crate) fn settle_interrupted(&self, was_made: impl Fn(&PastChange) -> Option<bool>) -> io::Result<()> {
        let (_, locks) = list(&self.folder)?;
        for name in locks {
            let Some(lock) = Lock::inherit(&self.folder, name)? else { continue };
            match self.settle_segment(name, &was_made) {
                Ok(true) => lock.release(),
                // The lock stays for the next start.
                Ok(false) => {}
                // It was never begun.
                Err(error) if error.kind() == io::ErrorKind::NotFound => lock.release(),
                Err(error) => tracing::warn!(%error, segment = %name.0, "a part of the history is left as a crash left it"),
            }
        }
        Ok(())
    }

    /// Returns whether nothing is left open.
    fn settle_segment(&self, name: SegmentName, was_made: &impl Fn(&PastChange) -> Option<bool>) -> io::Result<bool> {
        let mut index = Index::default();
        index.catch_up(&self.folder, name)?;
        if index.is_foreign {
            return Ok(true);
        }
        let file = self.folder.open_with(name.file(), unfollowed(OpenOptions::new().append(true)))?.into_std();
        if index.end < index.length {
            fault::around("cut history", || file.set_len(index.end))?;
        }
        let (mut records, mut is_settled, read_from) = (Vec::new(), true, open_to_read(&self.folder, name)?);
        for id in &index.pending {
            let Some(change) = index.changes.get(id).and_then(|at| read(&read_from, &index, *id, at)) else { continue };
            let Some(is_in_effect) = was_made(&change) else {
                is_settled = false;
                continue;
            };
            tracing::info!(change = %id, is_in_effect, "a process ended while it made this change");
            frame(&mut records, Kind::Settled, &encode(&Settled { change: *id, is_in_effect }));
        }
        if !records.is_empty() {
            fault::around("append history", || (&file).write_all(&records))?;
        }
        Ok(is_settled)
    }

    /// Removes the oldest segments as age and size demand. One that a process writes to stays.
    pub(crate) fn trim(&self) -> io::Result<Trimmed> {
        let now = self.ids.now();
        let oldest = now.saturating_sub(i64::try_from(self.settings.max_age.as_micros()).unwrap_or(i64::MAX));
        let mut writer = self.writer.lock();
        if writer.as_ref().is_some_and(|open| !open.has_room(now, u64::MAX)) {
            *writer = None;
        }
        drop(writer);
        let (segments, locks) = list(&self.folder)?;
        let sizes: Vec<u64> = segments.iter().map(|name| self.size_of(*name)).collect();
        let mut total: u64 = sizes.iter().sum();
        // With room for the segment that is being written.
        let most = self.settings.max_bytes - self.segment_bytes();
        let mut trimmed = Trimmed::default();
        for (name, size) in segments.into_iter().zip(sizes) {
            let is_due = name.0.at().saturating_add(SPAN) < oldest || total > most;
            if !is_due || locks.binary_search(&name).is_ok() {
                continue;
            }
            let Some(lock) = Lock::take(&self.folder, name)? else { continue };
            let removed = self.folder.remove_file(name.file());
            lock.release();
            removed?;
            total -= size;
            trimmed.segments += 1;
            trimmed.bytes += size;
        }
        Ok(trimmed)
    }

    fn trim_or_warn(&self) {
        match self.trim() {
            Ok(trimmed) if trimmed.segments > 0 => tracing::debug!(?trimmed, "removed the oldest part of the history"),
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "the oldest part of the history cannot be removed"),
        }
    }

    /// How many segments there are, and how many bytes they have.
    pub(crate) fn size(&self) -> io::Result<(usize, u64)> {
        let (segments, _) = list(&self.folder)?;
        Ok((segments.len(), segments.iter().map(|name| self.size_of(*name)).sum()))
    }

    fn size_of(&self, name: SegmentName) -> u64 {
        self.folder.symlink_metadata(name.file()).map_or(0, |metadata| metadata.len())
    }
}
