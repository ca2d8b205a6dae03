//! The thread that keeps the text index: one process writes it, the others follow.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::{Duration, SystemTime};

use quillgate_vault::NotePath;
use tantivy::directory::{Directory, RamDirectory};
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy, NoMergePolicy};
use tantivy::{Index, IndexReader, IndexWriter, ReloadPolicy, Term};

use super::common::{CommonGrams, SAMPLE};
use super::document::FileDocument;
use super::folder::IndexFolder;
use super::snapshot::{Fields, Snapshot};
use super::{Pending, Role};
use crate::entry::{Entry, is_settled, version_of};
use crate::ranked::{Language, Source};
use crate::sync::Shared;

/// Changes are gathered this long, so that many make one commit.
const GATHER: Duration = Duration::from_millis(250);
/// How often a follower looks for what the writer committed, and whether there still is a writer.
const FOLLOW: Duration = Duration::from_millis(300);
const AFTER_FAILURE: Duration = Duration::from_secs(1);
/// More files than this at once are built with all cores and without merging.
const MANY: usize = 2_000;
/// Of many files, this many make one commit: a process that ends loses no more than that of its work.
const COMMIT_AFTER: usize = 20_000;
/// Larger ones are slower: what is written next is then spread over more memory than the processor keeps at hand.
const BUILDING_BYTES: usize = 48 << 20;
const UPDATING_BYTES: usize = 16 << 20;
/// A segment is written anew when more of it than this is of files that have changed since.
const MOST_DELETED: f32 = 0.3;
/// More segments than this are made one at the start.
const MOST_SEGMENTS: usize = 8;
const WRITER_LOCK: &str = "writer.lock";
const META: &str = "meta.json";
const COMMON: &str = "common.grams";

/// Runs until the index's last handle is gone.
pub(crate) fn keep(shared: &Weak<Shared>) {
    let mut keeper: Option<Keeper> = None;
    loop {
        let Some(alive) = shared.upgrade() else { return };
        if alive.ended.load(Ordering::Relaxed) || alive.text.is_off() {
            return;
        }
        let text = alive.text.clone();
        if text.rebuild.swap(false, Ordering::Relaxed) {
            keeper = keeper.and_then(Keeper::begin_anew);
        }
        // A file that breaks tantivy must not leave everything after it pending.
        let round = catch_unwind(AssertUnwindSafe(|| Keeper::round(&mut keeper, &alive)));
        let round = round.unwrap_or_else(|_| Err(tantivy::TantivyError::InternalError("it panicked".to_owned())));
        let pause = round.unwrap_or_else(|error| {
            // The next round builds anew what cannot be read, ever later while that fails, as on a full disk.
            tracing::warn!(%error, "the text index is of no use and is built again");
            keeper = keeper.take().and_then(Keeper::begin_anew);
            AFTER_FAILURE * text.failed()
        });
        drop(alive);
        text.sleep(pause);
    }
}

struct Keeper {
    place: Place,
    index: Index,
    fields: Fields,
    reader: IndexReader,
    writing: Option<Writing>,
    /// What the writer had committed when a follower last looked.
    seen: Vec<u8>,
}

/// What only the process that writes has.
struct Writing {
    _lock: Option<std::fs::File>,
    writer: IndexWriter<FileDocument>,
    is_building: bool,
    /// The committed version of every file, by key.
    indexed: HashMap<u64, u64>,
}

/// Where the index is kept.
#[derive(Clone)]
enum Place {
    Folder(IndexFolder),
    /// Without a data directory: gone with the process.
    Memory(RamDirectory),
}

impl Keeper {
    /// Does what there is to do and says how long to wait for more.
    fn round(keeper: &mut Option<Keeper>, shared: &Shared) -> tantivy::Result<Duration> {
        shared.wait_until_ready();
        if keeper.is_none() {
            *keeper = Keeper::open(shared)?;
        }
        let Some(keeper) = keeper else {
            // Another process makes it, or keeps one for other words than ours.
            shared.text.state.write().role = Role::Follower;
            std::thread::sleep(FOLLOW);
            return Ok(Duration::ZERO);
        };
        if keeper.writing.is_none() {
            keeper.try_to_write(shared)?;
        }
        match keeper.writing {
            Some(_) => keeper.write(shared),
            None => keeper.follow(shared),
        }
    }

    /// None when another process is about to make the index.
    fn open(shared: &Shared) -> tantivy::Result<Option<Keeper>> {
        let place = match shared.text_folder() {
            Some(folder) => Place::Folder(IndexFolder::new(folder)),
            None => Place::Memory(RamDirectory::create()),
        };
        let lock = match &place {
            Place::Folder(folder) => folder.try_lock(WRITER_LOCK),
            Place::Memory(_) => None,
        };
        let may_write = lock.is_some() || matches!(place, Place::Memory(_));
        let Some((index, fields)) = place.open_index(may_write, shared)? else { return Ok(None) };
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        let mut keeper = Keeper { place, index, fields, reader, writing: None, seen: Vec::new() };
        if may_write {
            keeper.start_writing(lock, shared)?;
        }
        Ok(Some(keeper))
    }

    /// Throws away what is stored, if that is for this process to do.
    fn begin_anew(self) -> Option<Keeper> {
        if let (Some(_), Place::Folder(folder)) = (&self.writing, &self.place) {
            folder.clear();
        }
        None
    }

    fn try_to_write(&mut self, shared: &Shared) -> tantivy::Result<()> {
        let Place::Folder(folder) = &self.place else { return Ok(()) };
        let Some(lock) = folder.try_lock(WRITER_LOCK) else { return Ok(()) };
        self.check_schema()?;
        self.start_writing(Some(lock), shared)
    }

    /// The process that writes may have begun anew, leaving out other sequences.
    fn check_schema(&self) -> tantivy::Result<()> {
        match self.index.load_metas()?.schema == self.index.schema() {
            true => Ok(()),
            false => Err(tantivy::TantivyError::SchemaError("it was made anew".to_owned())),
        }
    }

    fn start_writing(&mut self, lock: Option<std::fs::File>, shared: &Shared) -> tantivy::Result<()> {
        self.reader.reload()?;
        let snapshot = self.publish(shared, Role::Writer)?;
        let indexed: HashMap<u64, u64> = snapshot.alive().map(|origin| (origin.key, origin.version)).collect();
        // Documents of files that went while nobody wrote.
        let catalogue = shared.catalogue.read();
        let gone: Vec<u64> = indexed.keys().copied().filter(|key| catalogue.find_by_key(*key).is_none()).collect();
        drop(catalogue);
        let is_building = shared.text.status().pending > MANY;
        let writer = self.writer(is_building)?;
        for key in gone {
            writer.delete_term(Term::from_field_u64(self.fields.key, key));
        }
        let mut writing = Writing { _lock: lock, writer, is_building, indexed };
        // The process that built it may have ended before it was done with that.
        if !is_building && snapshot.searcher.segment_readers().len() > MOST_SEGMENTS {
            self.merge_all(&mut writing.writer, shared)?;
        }
        self.writing = Some(writing);
        Ok(())
    }

    fn writer(&self, is_building: bool) -> tantivy::Result<IndexWriter<FileDocument>> {
        let threads =
            if is_building { std::thread::available_parallelism().map_or(2, |cores| cores.get().clamp(1, 4)) } else { 1 };
        let bytes = if is_building { BUILDING_BYTES } else { UPDATING_BYTES };
        let options = IndexWriterOptions::builder()
            .memory_budget_per_thread(bytes)
            .num_worker_threads(threads)
            .num_merge_threads(1)
            .build();
        let writer = self.index.writer_with_options(options)?;
        if is_building {
            writer.set_merge_policy(Box::new(NoMergePolicy));
        } else {
            let mut policy = LogMergePolicy::default();
            policy.set_del_docs_ratio_before_merge(MOST_DELETED);
            writer.set_merge_policy(Box::new(policy));
        }
        Ok(writer)
    }

    /// Takes in what is pending. Single changes are gathered first, so that many make one commit.
    fn write(&mut self, shared: &Shared) -> tantivy::Result<Duration> {
        let text = &shared.text;
        if text.pending().unwrap_or(1) == 0 {
            return Ok(Duration::MAX);
        }
        if !self.writing.as_ref().is_some_and(|writing| writing.is_building) {
            std::thread::sleep(GATHER);
        }
        let batch: Vec<(u64, Pending)> = text.take_batch(COMMIT_AFTER);
        let is_all = batch.len() < COMMIT_AFTER;
        let committed = self.take_in(shared, batch)?;
        self.reader.reload()?;
        self.publish_batch(shared, &committed)?;
        if is_all && let Some(writing) = self.writing.take_if(|writing| writing.is_building) {
            let Writing { _lock, writer, indexed, .. } = writing;
            writer.wait_merging_threads()?;
            let mut writer = self.writer(false)?;
            self.merge_all(&mut writer, shared)?;
            self.writing = Some(Writing { _lock, writer, is_building: false, indexed });
        }
        Ok(Duration::ZERO)
    }

    /// Makes one segment of all: every search asks each of them. What changes meanwhile is searched on disk.
    fn merge_all(&self, writer: &mut IndexWriter<FileDocument>, shared: &Shared) -> tantivy::Result<()> {
        let segments = self.index.searchable_segment_ids()?;
        if segments.len() > 1 {
            writer.merge(&segments).wait()?;
            writer.garbage_collect_files().wait()?;
            self.reader.reload()?;
            self.publish_batch(shared, &[])?;
        }
        Ok(())
    }

    fn take_in(&mut self, shared: &Shared, batch: Vec<(u64, Pending)>) -> tantivy::Result<Vec<Taken>> {
        let Some(writing) = self.writing.as_mut() else { return Ok(Vec::new()) };
        let mut taken = Vec::with_capacity(batch.len());
        for (key, Pending { path, stamp, .. }) in batch {
            if shared.ended.load(Ordering::Relaxed) {
                break;
            }
            if writing.indexed.remove(&key).is_some() {
                writing.writer.delete_term(Term::from_field_u64(self.fields.key, key));
            }
            let entry = shared.catalogue.read().find(&path).cloned();
            let version = match entry {
                Some(entry) => {
                    let (document, version) = document(&self.fields, shared, key, &entry);
                    writing.writer.add_document(document)?;
                    writing.indexed.insert(key, version);
                    Some(version)
                }
                None => None,
            };
            taken.push(Taken { key, stamp, version });
        }
        writing.writer.commit()?;
        Ok(taken)
    }

    /// Shows searches what was committed, and what is pending since it was compared with the catalogue.
    fn publish(&self, shared: &Shared, role: Role) -> tantivy::Result<Arc<Snapshot>> {
        let before = shared.text.state.read().snapshot.clone();
        let snapshot = Arc::new(Snapshot::new(self.reader.searcher(), self.fields.clone(), before.as_deref())?);
        let indexed: HashMap<u64, u64> = snapshot.alive().map(|origin| (origin.key, origin.version)).collect();
        let catalogue = shared.catalogue.read();
        let mut state = shared.text.state.write();
        let stamp = state.stamp;
        // What is in the index need not be searched on disk any more, and what is not must be.
        state.pending.retain(|key, pending| match catalogue.find(&pending.path) {
            Some(entry) => indexed.get(key) != Some(&entry.version()),
            None => indexed.contains_key(key),
        });
        for (key, entry) in catalogue.keys() {
            if indexed.get(&key) != Some(&entry.version()) {
                state.pending.entry(key).or_insert_with(|| Pending { path: entry.path.clone(), stamp, sketch: None });
            }
        }
        state.snapshot = Some(snapshot.clone());
        shared.text.note_completeness(&mut state);
        state.role = role;
        state.last_commit = self.place.last_commit();
        state.bytes_on_disk = self.place.size();
        Ok(snapshot)
    }

    fn publish_batch(&self, shared: &Shared, taken: &[Taken]) -> tantivy::Result<()> {
        let before = shared.text.state.read().snapshot.clone();
        let snapshot = Arc::new(Snapshot::new(self.reader.searcher(), self.fields.clone(), before.as_deref())?);
        let bytes_on_disk = self.place.size();
        let catalogue = shared.catalogue.read();
        let mut state = shared.text.state.write();
        for Taken { key, stamp, version } in taken {
            let is_current = catalogue.find_by_key(*key).map(|(_, entry)| entry.version()) == *version;
            if is_current && state.pending.get(key).is_some_and(|pending| pending.stamp == *stamp) {
                state.pending.remove(key);
            }
        }
        state.snapshot = Some(snapshot);
        shared.text.note_completeness(&mut state);
        state.last_commit = Some(SystemTime::now());
        state.bytes_on_disk = bytes_on_disk;
        Ok(())
    }

    fn follow(&mut self, shared: &Shared) -> tantivy::Result<Duration> {
        let Place::Folder(folder) = &self.place else { return Ok(FOLLOW) };
        let meta = folder.atomic_read(META.as_ref()).unwrap_or_default();
        if meta != self.seen || shared.text.pending().is_none() {
            self.check_schema()?;
            self.reader.reload()?;
            self.publish(shared, Role::Follower)?;
            self.seen = meta;
        }
        std::thread::sleep(FOLLOW);
        Ok(Duration::ZERO)
    }
}

/// What a batch did with one file.
struct Taken {
    key: u64,
    stamp: u64,
    /// The bytes that were indexed; none when the file is gone.
    version: Option<u64>,
}

impl Place {
    /// None when there is no index that can be used and it is not for this process to make one.
    fn open_index(&self, may_write: bool, shared: &Shared) -> tantivy::Result<Option<(Index, Fields)>> {
        let language = shared.text.language;
        let (index, fields) = match self {
            Place::Memory(memory) => {
                let (schema, fields) = Fields::schema(language, CommonGrams::none());
                (Index::open_or_create(memory.clone(), schema)?, fields)
            }
            Place::Folder(folder) => match open_stored(folder, language) {
                Ok(opened) => opened,
                Err(error) if may_write => {
                    tracing::debug!(%error, "the text index is made anew");
                    folder.clear();
                    let common = common_grams(shared);
                    folder.atomic_write(COMMON.as_ref(), &common.encode())?;
                    let (schema, fields) = Fields::schema(language, common);
                    (Index::open_or_create(folder.clone(), schema)?, fields)
                }
                Err(_) => return Ok(None),
            },
        };
        fields.register(&index);
        Ok(Some((index, fields)))
    }

    /// When what is stored was last written.
    fn last_commit(&self) -> Option<SystemTime> {
        match self {
            Place::Folder(folder) => folder.modified(META),
            Place::Memory(_) => None,
        }
    }

    fn size(&self) -> u64 {
        match self {
            Place::Folder(folder) => folder.size(),
            Place::Memory(memory) => memory.total_mem_usage() as u64,
        }
    }
}

/// Opens what a process before this one left, if it is whole and of this kind.
fn open_stored(folder: &IndexFolder, language: Language) -> tantivy::Result<(Index, Fields)> {
    let index = Index::open(folder.clone())?;
    let (schema, fields) = Fields::schema(language, CommonGrams::decode(&folder.atomic_read(COMMON.as_ref())?));
    if index.schema() != schema {
        return Err(tantivy::TantivyError::SchemaError("another version made it".to_owned()));
    }
    match index.validate_checksum()?.len() {
        0 => Ok((index, fields)),
        damaged => Err(tantivy::TantivyError::InternalError(format!("{damaged} files are damaged"))),
    }
}

/// A document of the file as it is on disk, and which bytes those were.
fn document(fields: &Fields, shared: &Shared, key: u64, entry: &Entry) -> (FileDocument, u64) {
    let mut document = FileDocument::default();
    document.add_number(fields.key, key);
    document.add_text(&[fields.name_grams], entry.path.to_string());
    // A file that cannot be read has no text, for searches on disk just as here.
    let contents = if entry.stat.offline { None } else { shared.vault.read_text(&entry.path).ok() };
    let Some(contents) = contents else {
        document.add_number(fields.version, entry.version());
        return (document, entry.version());
    };
    let version = match entry.hash {
        // Its bytes are those that the catalogue has seen.
        Some(_) if contents.stat == entry.stat && is_settled(&entry.stat, entry.read_at) => entry.version(),
        Some(_) => version_of(&contents.hash()),
        None => Entry::unparsed(&entry.path, contents.stat, None).version(),
    };
    document.add_number(fields.version, version);
    let text = String::from_utf8(contents.bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    let source = Source { path: &entry.path, card: &entry.card(), text: &text };
    fields.ranked.each_beside_body(&source, |field, text| document.add_text(&[field], text.to_owned()));
    document.add_text(&[fields.text_grams, fields.ranked.body()], text);
    (document, version)
}

/// Of a large vault, what most of its files have in common.
fn common_grams(shared: &Shared) -> CommonGrams {
    let catalogue = shared.catalogue.read();
    if catalogue.len() <= MANY {
        return CommonGrams::none();
    }
    let step = (catalogue.len() / SAMPLE).max(1);
    let chosen: Vec<NotePath> = catalogue.notes().step_by(step).map(|entry| entry.path.clone()).collect();
    drop(catalogue);
    let read = |path: &NotePath| String::from_utf8(shared.vault.read_text(path).ok()?.bytes).ok();
    CommonGrams::in_most(&chosen.iter().filter_map(read).collect::<Vec<String>>())
}
