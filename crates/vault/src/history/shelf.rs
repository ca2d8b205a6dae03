//! All segments as they are read: nothing is looked at before somebody asks about its time, and then once.

use std::collections::{BTreeMap, BinaryHeap};
use std::fs::File;
use std::io;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use cap_std::fs::Dir;

use super::frame::Kind;
use super::index::{ChangeAt, Index};
use super::record::PastChange;
use super::segment::{SegmentName, body_at, list, open_to_read};
use super::{ChangeId, Damage, blob};
use crate::ContentHash;

/// As many changes are known by heart, about; each takes some hundred bytes with its blobs.
const MOST_KNOWN: usize = 100_000;

pub(crate) struct Shelf {
    folder: Arc<Dir>,
    /// `None`: not read yet.
    segments: BTreeMap<SegmentName, Option<Index>>,
}

/// A change and the segment that has its bytes.
#[derive(Debug)]
pub(crate) struct Located {
    pub(crate) change: PastChange,
    pub(crate) segment: SegmentName,
}

impl Shelf {
    pub(crate) fn new(folder: Arc<Dir>) -> Shelf {
        Shelf { folder, segments: BTreeMap::new() }
    }

    /// Brings in what was added or removed since the last time.
    pub(crate) fn refresh(&mut self) -> io::Result<()> {
        let (names, _) = list(&self.folder)?;
        self.segments.retain(|name, _| names.binary_search(name).is_ok());
        for name in names {
            let Some(index) = self.segments.entry(name).or_default() else { continue };
            catch_up(index, &self.folder, name);
        }
        Ok(())
    }

    fn load(&mut self, name: SegmentName) -> &Index {
        let folder = &self.folder;
        self.segments.entry(name).or_default().get_or_insert_with(|| {
            let mut index = Index::default();
            catch_up(&mut index, folder, name);
            index
        })
    }

    /// Forgets what was read of a segment, if that of all together is much.
    fn let_go(&mut self, name: SegmentName) {
        let known: usize = self.segments.values().flatten().map(|index| index.changes.len()).sum();
        let is_last = self.segments.last_key_value().is_some_and(|(last, _)| *last == name);
        if known > MOST_KNOWN && !is_last {
            self.segments.insert(name, None);
        }
    }

    /// Visits the changes in `range`, newest first, that look as if they were wanted.
    pub(crate) fn walk_back(
        &mut self,
        range: Range<ChangeId>,
        looks_wanted: impl Fn(&ChangeAt) -> bool,
        mut visit: impl FnMut(Located) -> ControlFlow<()>,
    ) {
        let mut waiting: Vec<SegmentName> = self
            .segments
            .range(..SegmentName(range.end))
            .map(|(name, _)| *name)
            .filter(|name| name.ends() >= range.start)
            .collect();
        let mut open: Option<(SegmentName, File)> = None;
        let mut heads: BinaryHeap<(ChangeId, SegmentName)> = BinaryHeap::new();
        loop {
            // A segment that is not read yet may have a later change than the latest known.
            while let Some(name) = waiting.last().copied()
                && heads.peek().is_none_or(|(latest, _)| name.ends() > *latest)
            {
                waiting.pop();
                heads.extend(latest_before(self.load(name), range.end).map(|latest| (latest, name)));
            }
            let Some((id, name)) = heads.pop() else { return };
            if id < range.start {
                return;
            }
            let Some(Some(index)) = self.segments.get(&name) else { continue };
            let next = latest_before(index, id);
            heads.extend(next.map(|latest| (latest, name)));
            let found = index.changes.get(&id).filter(|at| looks_wanted(at)).and_then(|at| {
                if open.as_ref().is_none_or(|(opened, _)| *opened != name) {
                    open = open_to_read(&self.folder, name).ok().map(|file| (name, file));
                }
                open.as_ref().and_then(|(_, file)| read(file, index, id, at))
            });
            if next.is_none() {
                self.let_go(name);
            }
            let Some(change) = found else { continue };
            if visit(Located { change, segment: name }).is_break() {
                return;
            }
        }
    }

    pub(crate) fn find(&mut self, id: ChangeId) -> Option<Located> {
        let names: Vec<SegmentName> =
            self.segments.range(..=SegmentName(id)).map(|(name, _)| *name).filter(|name| name.ends() > id).collect();
        names.into_iter().rev().find_map(|segment| {
            let file = open_to_read(&self.folder, segment).ok()?;
            let index = self.load(segment);
            let change = read(&file, index, id, index.changes.get(&id)?)?;
            Some(Located { change, segment })
        })
    }

    /// The bytes that a change of this segment left or found.
    pub(crate) fn contents(&mut self, segment: SegmentName, hash: ContentHash) -> io::Result<Vec<u8>> {
        let at = self.load(segment).blobs.get(&hash).copied();
        let at = at.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "they are not in the history any more"))?;
        let file = open_to_read(&self.folder, segment)?;
        blob::decode(at.offset, |offset| body_at(&file, offset, Kind::Blob))
    }

    /// Reads everything and says what could not be read.
    pub(crate) fn damage(&mut self) -> io::Result<Vec<Damage>> {
        self.refresh()?;
        let (names, locks) = list(&self.folder)?;
        let mut damage = Vec::new();
        for name in names {
            let index = self.load(name);
            damage.extend(index.damage.iter().cloned());
            // The end of one that is being written may be half a record at any moment.
            damage.extend(index.torn_end(name).filter(|_| locks.binary_search(&name).is_err()));
        }
        Ok(damage)
    }
}

fn catch_up(index: &mut Index, folder: &Dir, name: SegmentName) {
    if let Err(error) = index.catch_up(folder, name) {
        tracing::warn!(%error, segment = %name.0, "a part of the history cannot be read");
    }
}

fn latest_before(index: &Index, id: ChangeId) -> Option<ChangeId> {
    index.changes.range(..id).next_back().map(|(id, _)| *id)
}

pub(crate) fn read(file: &File, index: &Index, id: ChangeId, at: &ChangeAt) -> Option<PastChange> {
    let body = body_at(file, at.offset, Kind::Change).ok()?;
    let change: PastChange = postcard::from_bytes(&body).ok()?;
    (change.id == id).then(|| PastChange { is_under_way: index.pending.contains(&id), ..change })
}
